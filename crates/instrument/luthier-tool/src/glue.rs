//! Luthier's calls of a library, turned into calls of a [`Tool`]. No panic leaves this module.

use crate::{
    Allocation, Copied, Launch, Result, Tool,
    abi::{
        Api, constants,
        structures::{DispatchPacket, RawAllocation, RawCopy},
    },
    host::{self, c_string},
};
use std::{
    any::Any,
    cell::RefCell,
    ffi::{CString, c_char, c_int, c_void},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicBool, Ordering},
};

/// The events that the tool wants to hear of.
pub const fn wants<T: Tool>() -> u32 {
    let records = if T::RECORDS {
        constants::WANTS_RECORDS
    } else {
        0
    };
    let copies = if T::COPIES {
        constants::WANTS_COPIES
    } else {
        0
    };
    let memory = if T::MEMORY {
        constants::WANTS_MEMORY
    } else {
        0
    };
    records | copies | memory | if T::ENDS { constants::WANTS_ENDS } else { 0 }
}

thread_local! {
    static REASON: RefCell<CString> = RefCell::default();
}

/// A function of [`Tool`]. It is not called again when it has panicked, except [`Tool::launch`], where that costs the kernel.
struct Callback {
    name: &'static str,
    again: bool,
    failed: AtomicBool,
}

impl Callback {
    const fn new(name: &'static str, again: bool) -> Callback {
        Callback {
            name,
            again,
            failed: AtomicBool::new(false),
        }
    }

    fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// Says that it has panicked.
    fn panicked(&self, panic: &(dyn Any + Send)) -> String {
        let said = format!("{}: the tool panicked: {}", self.name, message(panic));
        if self.again {
            return said;
        }
        self.failed.store(true, Ordering::Relaxed);
        format!("{said}; it is not called again")
    }
}

static LAUNCH: Callback = Callback::new("launch", true);
static BEGIN: Callback = Callback::new("begin", true);
static END: Callback = Callback::new("end", true);
static ENDED: Callback = Callback::new("ended", false);
static COPIED: Callback = Callback::new("copied", false);
static MEMORY: Callback = Callback::new("memory", false);
static RECORDS: Callback = Callback::new("records", false);

/// Null, or why it failed: a string that is valid until the next call on this thread.
fn reason(callback: &Callback, act: impl FnOnce() -> Result<()>) -> *const c_char {
    if callback.has_failed() {
        return std::ptr::null();
    }
    let said = match catch_unwind(AssertUnwindSafe(act)) {
        Ok(Ok(())) => return std::ptr::null(),
        Ok(Err(error)) => format!("{}: {error}", callback.name),
        Err(panic) => callback.panicked(&*panic),
    };
    REASON.with_borrow_mut(|reason| {
        *reason = c_string(&said).unwrap_or_default();
        reason.as_ptr()
    })
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let literal = panic.downcast_ref::<&str>().copied();
    literal
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("without words")
}

/// The devices are there.
///
/// # Safety
/// Luthier's table, which lives for ever.
pub unsafe fn begin(api: *const Api, tool: &impl Tool) -> *const c_char {
    reason(&BEGIN, || {
        // SAFETY: the caller's promise.
        unsafe { host::connect(api)? };
        tool.begin()
    })
}

/// A kernel is about to be launched.
///
/// # Safety
/// Both live during the call.
pub unsafe fn launched(
    tool: &impl Tool,
    packet: *mut DispatchPacket,
    kernel: *const c_char,
) -> *const c_char {
    reason(&LAUNCH, || {
        // SAFETY: the caller's promise.
        let launch = unsafe { Launch::new(packet, kernel) };
        tool.launch(&launch)
    })
}

/// The application has ended.
pub fn end(tool: &impl Tool) -> *const c_char {
    reason(&END, || tool.end())
}

/// A launch has run.
pub fn ended(tool: &impl Tool, launch: u64, start: u64, end: u64) -> *const c_char {
    reason(&ENDED, || tool.ended(launch, start, end))
}

/// A copy has ended.
///
/// # Safety
/// Luthier's structure, which lives during the call.
pub unsafe fn copied(tool: &impl Tool, copy: *const RawCopy) -> *const c_char {
    // SAFETY: the caller's promise.
    reason(&COPIED, || tool.copied(&unsafe { Copied::read(copy) }))
}

/// The program has allocated or freed memory.
///
/// # Safety
/// Luthier's structure, which lives during the call with what it points to.
pub unsafe fn memory(tool: &impl Tool, allocation: *const RawAllocation) -> *const c_char {
    reason(&MEMORY, || {
        // SAFETY: the caller's promise.
        let allocation = unsafe { Allocation::read(&*allocation) };
        tool.memory(&allocation)
    })
}

/// Records of a stream; 1 if the tool took them.
///
/// # Safety
/// A string, and so many bytes.
pub unsafe fn records(
    tool: &impl Tool,
    stream: *const c_char,
    bytes: *const c_void,
    size: usize,
) -> c_int {
    if RECORDS.has_failed() {
        return 0;
    }
    let took = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the caller's promise.
        let (stream, bytes) = unsafe { (host::text(stream), host::list(bytes.cast(), size)) };
        tool.records(&stream, &bytes)
    }));
    // A tool that failed may have used the records already, so they do not go into the stream's file.
    let took = took.unwrap_or_else(|panic| {
        // (After the summary, the report has no reader.)
        let _ = host::report(&RECORDS.panicked(&*panic));
        true
    });
    took.into()
}
