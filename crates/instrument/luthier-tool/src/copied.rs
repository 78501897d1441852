//! The host thread that enqueued a launch or a copy, and copies by the runtime.

use crate::{
    abi::{constants::NO_DEVICE, structures::RawCopy},
    host::text,
};
use std::ffi::c_char;

/// The host thread that enqueued a launch or a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enqueued {
    /// As the kernel numbers threads (`gettid`).
    pub thread: u32,
    pub thread_name: String,
    /// In nanoseconds of the clock of [`crate::Tool::ended`].
    pub nanoseconds: u64,
}

impl Enqueued {
    /// `None` if Luthier does not know it.
    ///
    /// # Safety
    /// Null or a string.
    pub(crate) unsafe fn new(
        thread: u32,
        thread_name: *const c_char,
        nanoseconds: u64,
    ) -> Option<Enqueued> {
        if thread == 0 {
            return None;
        }
        let thread_name = match thread_name.is_null() {
            true => String::new(),
            // SAFETY: the caller's promise.
            false => unsafe { text(thread_name) },
        };
        Some(Enqueued {
            thread,
            thread_name,
            nanoseconds,
        })
    }
}

/// A copy of memory by the runtime, as for `hipMemcpy`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// Counted from 0 over all copies.
    pub number: u64,
    pub bytes: u64,
    /// Number of the device that the memory is of; `None`: the host.
    pub from: Option<u32>,
    pub to: Option<u32>,
    pub enqueued: Option<Enqueued>,
    /// Begin and end of the copy, in nanoseconds of the same clock; `None` if the device did not tell.
    pub time: Option<(u64, u64)>,
}

impl Copied {
    /// # Safety
    /// Luthier's structure and the string in it.
    pub(crate) unsafe fn read(raw: *const RawCopy) -> Copied {
        // SAFETY: the caller's promise.
        let raw = unsafe { &*raw };
        let device = |number: u32| (number != NO_DEVICE).then_some(number);
        Copied {
            number: raw.number,
            bytes: raw.bytes,
            from: device(raw.from),
            to: device(raw.to),
            // SAFETY: the caller promises a valid string.
            enqueued: unsafe { Enqueued::new(raw.thread, raw.thread_name, raw.enqueued) },
            time: (raw.end != 0).then_some((raw.start, raw.end)),
        }
    }
}
