//! Ctrl-C, and other signals that ask a command to end, for commands that still have something to save.

use std::sync::atomic::{AtomicI32, Ordering};

/// The signal that came last; 0: none.
static CAME: AtomicI32 = AtomicI32::new(0);

/// The signals that users and schedulers send to end a command.
const ENDING: [libc::c_int; 4] = [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP];

extern "C" fn note(signal: libc::c_int) {
    CAME.store(signal, Ordering::SeqCst);
}

/// From now on, these signals are noted and do not end the process. One that the process was told to ignore stays ignored.
pub fn watch() {
    for signal in ENDING {
        handle(signal, note as *const () as usize, libc::SA_RESTART);
    }
}

/// Lets a function, which only does async-signal-safe things, handle a signal, except if the process was told to ignore it.
pub(crate) fn handle(signal: libc::c_int, function: usize, flags: libc::c_int) {
    // SAFETY: `sigaction` structures are plain data, and the caller answers for the function.
    unsafe {
        let mut before: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(signal, std::ptr::null(), &raw mut before) != 0
            || before.sa_sigaction == libc::SIG_IGN
        {
            return;
        }
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = function;
        action.sa_flags = flags;
        libc::sigemptyset(&raw mut action.sa_mask);
        libc::sigaction(signal, &raw const action, std::ptr::null_mut());
    }
}

/// Returns `true` if such a signal has come.
pub fn came() -> bool {
    CAME.load(Ordering::SeqCst) != 0
}

/// Ends a process group, which the caller has started and not waited for yet.
pub fn kill_group(leader: u32) {
    // SAFETY: kill has no pointers; the leader was not waited for, so the number is still its own.
    unsafe {
        libc::kill(-(leader as libc::pid_t), libc::SIGKILL);
    }
}
