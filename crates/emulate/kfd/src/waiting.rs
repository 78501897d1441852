//! `sched_yield`, by which HIP waits for the device.
//!
//! HIP 6.4 calls it in a loop until a command has completed, in `hipStreamSynchronize` for example, if the program chooses nothing else. HIP 5.2
//! does not. A real device works on meanwhile, but an emulated one needs the processors itself. Here the thread of HIP sleeps after a
//! while, each time for a part of what it has waited already. It hears of the end a quarter later at most.

use std::{cell::Cell, ffi::c_int, time::Duration};

use guest::{
    clock,
    library::{HIP, lies_in},
};

use crate::{emulator, next};

/// A thread that waits less long does not sleep: the kernel wakes a thread some fifty microseconds late.
const FIRST: Duration = Duration::from_micros(500);
/// Between two turns that a loop gives up, it does no more than look at a number. A longer time is the beginning of another wait.
const BETWEEN: Duration = Duration::from_micros(2);
/// Waits that have lasted long already cost no more than this behind their end.
const LONGEST: Duration = Duration::from_millis(1);

/// The last call of a thread, and the wait that the call belonged to.
#[derive(Clone, Copy)]
struct Wait {
    caller: usize,
    /// The caller is HIP.
    of_hip: bool,
    began: Duration,
    returned: Duration,
}

thread_local! {
    static WAIT: Cell<Wait> = const {
        Cell::new(Wait { caller: 0, of_hip: false, began: Duration::ZERO, returned: Duration::ZERO })
    };
}

/// # Safety
/// The C library's function of that name has no rules.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sched_yield() -> c_int {
    // The address behind the call tells the caller.
    core::arch::naked_asm!("mov rdi, [rsp]", "jmp {called}", called = sym called_from)
}

extern "C" fn called_from(caller: usize) -> c_int {
    // (Another program's thread needs no memory for [`WAIT`].)
    if emulator::loaded().is_none() {
        return give_up_turn();
    }
    let mut wait = WAIT.get();
    if wait.caller != caller {
        (wait.caller, wait.of_hip) = (caller, lies_in(caller, HIP));
    }
    if !wait.of_hip {
        WAIT.set(wait);
        return give_up_turn();
    }
    let now = now();
    if now.saturating_sub(wait.returned) > BETWEEN {
        wait.began = now;
    }
    let waited = now.saturating_sub(wait.began);
    match sleep_after(waited) {
        Some(time) => sleep(time),
        None => _ = give_up_turn(),
    }
    wait.returned = self::now();
    WAIT.set(wait);
    0
}

/// How long a thread sleeps that has waited so long.
fn sleep_after(waited: Duration) -> Option<Duration> {
    (waited >= FIRST).then(|| (waited / 8).min(LONGEST))
}

fn give_up_turn() -> c_int {
    next!("sched_yield"() -> c_int, or -1)
}

fn now() -> Duration {
    Duration::from_nanos(clock::monotonic())
}

/// A signal may end it early.
fn sleep(time: Duration) {
    let time = libc::timespec {
        tv_sec: 0,
        tv_nsec: time.subsec_nanos().into(),
    };
    // SAFETY: the time is read from the variable, and nothing is written: `errno` keeps the caller's value.
    unsafe {
        libc::clock_nanosleep(
            libc::CLOCK_MONOTONIC,
            0,
            &raw const time,
            std::ptr::null_mut(),
        )
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_waits_do_not_sleep_and_long_ones_end_soon() {
        let micros = Duration::from_micros;
        assert_eq!(sleep_after(micros(499)), None);
        assert_eq!(sleep_after(micros(800)), Some(micros(100)));
        assert_eq!(sleep_after(Duration::from_secs(60)), Some(LONGEST));
    }
}
