//! Threads of the program that wait for the GPU sleep.
//!
//! HIP asks ROCr to spin until a kernel has ended, unless the program wants otherwise. On a GPU that costs a processor which
//! has nothing else to do; here it takes the processor from the kernel that is waited for. The state of waiting is a hint by
//! definition, so ROCr's own waits are asked for what they have: 200 us of spinning, then the event. `luthier run` names this
//! library as a tool of ROCr, which hands its tables to tools.

use std::{
    ffi::{c_char, c_void},
    mem::{self, offset_of},
    ptr,
    sync::atomic::{AtomicPtr, Ordering},
};

use hsa_sys::{
    Handle,
    constants::WAIT_BLOCKED,
    tables::{ApiTable, CoreTable, SignalWait, covers},
};

use crate::{instance::is_forked_child, report::report};

/// ROCr's own waits.
static ACQUIRE: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
static RELAXED: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// ROCr calls this at the end of `hsa_init`.
///
/// # Safety
/// `table` must be null or the runtime's API table.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn OnLoad(
    table: *mut ApiTable,
    _runtime_version: u64,
    _failed_count: u64,
    _failed_names: *const *const c_char,
) -> bool {
    // SAFETY: the runtime passes its tables, which live until the process ends and which nobody else reads meanwhile.
    let Some(core) = (unsafe { table.as_ref().and_then(|table| table.core.as_mut()) }) else {
        return true;
    };
    if covers(&core.version, offset_of!(CoreTable, signal_wait_scacquire)) {
        replace(&mut core.signal_wait_relaxed, &RELAXED, relaxed);
        replace(&mut core.signal_wait_scacquire, &ACQUIRE, acquire);
    }
    true
}

/// Keeps what `entry` holds in `own`.
fn replace(entry: &mut Option<SignalWait>, own: &AtomicPtr<c_void>, ours: SignalWait) {
    if let Some(wait) = entry.filter(|wait| !ptr::fn_addr_eq(*wait, ours)) {
        own.store(wait as *mut c_void, Ordering::Release);
        *entry = Some(ours);
    }
}

unsafe extern "C" fn acquire(
    signal: Handle,
    condition: u32,
    value: i64,
    time: u64,
    _state: u32,
) -> i64 {
    sleep(&ACQUIRE, signal, condition, value, time)
}

unsafe extern "C" fn relaxed(
    signal: Handle,
    condition: u32,
    value: i64,
    time: u64,
    _state: u32,
) -> i64 {
    sleep(&RELAXED, signal, condition, value, time)
}

fn sleep(own: &AtomicPtr<c_void>, signal: Handle, condition: u32, value: i64, time: u64) -> i64 {
    refuse_in_child();
    // SAFETY: the entry that calls this was made after `own` was stored, from a function of this type.
    let wait: SignalWait = unsafe { mem::transmute(own.load(Ordering::Acquire)) };
    // SAFETY: these are the arguments of whoever called the entry.
    unsafe { wait(signal, condition, value, time, WAIT_BLOCKED) }
}

/// A forked child shares neither the device's threads nor its memory with its parent, so nothing would ever come of waiting. ROCr has no
/// error for it.
fn refuse_in_child() {
    if is_forked_child() {
        report(&format!(
            "luthier: process {} was forked from one that had opened the GPU, and cannot use it: open the GPU after forking, or \
             start the child with exec",
            std::process::id()
        ));
        std::process::abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAIT_ACTIVE: u32 = 1;

    /// Says how it was called, in decimal places.
    unsafe extern "C" fn runtime(
        signal: Handle,
        condition: u32,
        value: i64,
        time: u64,
        state: u32,
    ) -> i64 {
        let digits = [signal, condition.into(), value as u64, time, state.into()];
        digits
            .iter()
            .fold(0, |number, digit| 10 * number + *digit as i64)
    }

    #[test]
    fn whoever_wants_to_spin_sleeps() {
        // SAFETY: zeros are addresses and functions that are not there.
        let mut core: CoreTable = unsafe { mem::zeroed() };
        core.version.minor = size_of::<CoreTable>() as u32;
        core.signal_wait_relaxed = Some(runtime);
        core.signal_wait_scacquire = Some(runtime);
        // SAFETY: as before.
        let mut table: ApiTable = unsafe { mem::zeroed() };
        table.core = &mut core;
        for _ in 0..2 {
            // SAFETY: the table is valid, and a second call is what a second `hsa_init` would be.
            assert!(unsafe { OnLoad(&mut table, 0, 0, ptr::null()) });
            for wait in [core.signal_wait_relaxed, core.signal_wait_scacquire] {
                // SAFETY: any arguments do.
                let called = unsafe { wait.unwrap()(5, 2, 1, 7, WAIT_ACTIVE) };
                assert_eq!(called, 52_170, "{WAIT_BLOCKED} is the last digit");
            }
        }
    }
}
