//! The runtime's clock, in whose ticks it says when something ran, and who calls at which time of it.

use hsa_sys::constants::{self, status};
use session::Enqueued;

use crate::api::Api;

/// Nanoseconds per second.
const SECOND: u128 = 1_000_000_000;

/// Ticks of the runtime's clock as nanoseconds.
#[derive(Clone, Copy)]
pub struct Clock {
    api: &'static Api,
    /// Ticks per second.
    frequency: u64,
}

impl Clock {
    /// `None` if the runtime does not say how fast it goes.
    pub fn new(api: &'static Api) -> Option<Clock> {
        let frequency = read(api, constants::SYSTEM_TIMESTAMP_FREQUENCY)?;
        (frequency != 0).then_some(Clock { api, frequency })
    }

    pub fn nanoseconds(&self, ticks: u64) -> u64 {
        (u128::from(ticks) * SECOND / u128::from(self.frequency)) as u64
    }

    pub fn now(&self) -> Option<u64> {
        let ticks = read(self.api, constants::SYSTEM_TIMESTAMP)?;
        Some(self.nanoseconds(ticks))
    }

    /// The calling thread and the time, as who enqueues something now.
    pub fn enqueued(&self) -> Option<Enqueued> {
        let mut name = [0u8; 16];
        // SAFETY: a thread's name has 16 bytes with its zero.
        let thread = unsafe {
            libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr());
            libc::gettid()
        };
        Some(Enqueued {
            thread: thread.cast_unsigned(),
            name,
            nanoseconds: self.now()?,
        })
    }
}

/// An attribute of the system with 64 bits.
fn read(api: &Api, what: u32) -> Option<u64> {
    let mut value = 0u64;
    // SAFETY: the callers' attributes have 64 bits.
    let read = unsafe { api.core.system_get_info?(what, (&raw mut value).cast()) };
    (read == status::SUCCESS).then_some(value)
}
