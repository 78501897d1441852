//! Signals that the application leaves alone, and the two things that Luthier's handlers may do: wake a thread, and wait a while.

use std::{
    ffi::c_void,
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
    time::Duration,
};

use crate::{Bell, library};

pub type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut c_void);

/// Signals whose default is the end of the process, besides the real-time ones.
const DEADLY: [libc::c_int; 22] = [
    libc::SIGABRT,
    libc::SIGALRM,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGHUP,
    libc::SIGILL,
    libc::SIGINT,
    libc::SIGIO,
    libc::SIGPIPE,
    libc::SIGPROF,
    libc::SIGPWR,
    libc::SIGQUIT,
    libc::SIGSEGV,
    libc::SIGSTKFLT,
    libc::SIGSYS,
    libc::SIGTERM,
    libc::SIGTRAP,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGVTALRM,
    libc::SIGXCPU,
    libc::SIGXFSZ,
];

/// All signals whose default is the end of the process, but SIGKILL, which nothing can handle.
pub fn deadly() -> impl Iterator<Item = libc::c_int> {
    DEADLY
        .into_iter()
        .chain(libc::SIGRTMIN()..=libc::SIGRTMAX())
}

/// The current action for a signal: `SIG_DFL`, `SIG_IGN` or a function; `None` if there is no such signal.
pub fn disposition(signal: libc::c_int) -> Option<libc::sighandler_t> {
    // SAFETY: plain data, which the call fills in.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        let asked = libc::sigaction(signal, std::ptr::null(), &raw mut now);
        (asked == 0).then_some(now.sa_sigaction)
    }
}

/// Has `handler` called on a signal, and returns what happened on it before; `None` if it cannot be handled. A handler may call
/// nothing but the kernel, see [`Alarm`].
pub fn handle(signal: libc::c_int, handler: Handler) -> Option<libc::sighandler_t> {
    // SAFETY: the structure is plain data, and the handlers that are passed do only what a signal handler may.
    unsafe {
        let (mut action, mut before): (libc::sigaction, libc::sigaction) =
            (std::mem::zeroed(), std::mem::zeroed());
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK | libc::SA_SIGINFO;
        libc::sigemptyset(&raw mut action.sa_mask);
        let set = libc::sigaction(signal, &raw const action, &raw mut before);
        (set == 0).then_some(before.sa_sigaction)
    }
}

/// Returns `true` if a signal's action is a function of the library that this address lies in.
pub fn is_of_library(action: libc::sighandler_t, address: *const c_void) -> bool {
    action != libc::SIG_DFL
        && action != libc::SIG_IGN
        && library::is_same(address, action as *const c_void)
}

/// [`handle`], unless the application handles or ignores the signal.
pub fn handle_by_default(signal: libc::c_int, handler: Handler) {
    if disposition(signal) == Some(libc::SIG_DFL) {
        handle(signal, handler);
    }
}

/// From now on the signal does what it does by default. May be called in a handler.
pub fn restore_default(signal: libc::c_int) {
    // SAFETY: plain arguments.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
}

/// Sends the signal to this thread. In a handler it is pending until that returns. A fault comes again by itself.
pub fn raise(signal: libc::c_int) {
    // SAFETY: plain arguments.
    unsafe { libc::raise(signal) };
}

/// How handlers have a thread do what they may not do themselves. It belongs to one process: in a forked child, which has no such
/// thread, ringing does nothing.
pub struct Alarm {
    bell: Bell,
    owner: AtomicU32,
    /// A handler has rung that ends the program afterwards.
    ending: AtomicBool,
}

impl Alarm {
    #[expect(clippy::new_without_default, reason = "statics need a constant")]
    pub const fn new() -> Alarm {
        Alarm {
            bell: Bell::new(),
            owner: AtomicU32::new(0),
            ending: AtomicBool::new(false),
        }
    }

    /// Makes it this process's; false if it was before.
    pub fn claim(&self) -> bool {
        let process = std::process::id();
        let is_new = self.owner.swap(process, Ordering::AcqRel) != process;
        if is_new {
            self.ending.store(false, Ordering::Release);
        }
        is_new
    }

    pub fn is_ours(&self) -> bool {
        self.owner.load(Ordering::Acquire) == std::process::id()
    }

    /// Leaves a signal's number for the thread. May be called in a handler.
    pub fn ring(&self, signal: libc::c_int) {
        self.in_handler(|bell| bell.ring(signal.unsigned_abs()));
    }

    /// The same, and waits for the thread's [`Alarm::answer`], but no longer than `limit`. May be called in a handler.
    pub fn ring_and_wait(&self, signal: libc::c_int, limit: Duration) {
        self.in_handler(|bell| bell.ring_and_wait(signal.unsigned_abs(), limit));
    }

    /// Called in the handler of a signal: has the thread finish its work, waits for that for at most `limit`, and lets the signal end the
    /// program. A second signal waits for the same: a signal to a process group reaches a program twice if the program has a launcher.
    pub fn ring_and_end(&self, signal: libc::c_int, limit: Duration) {
        self.in_handler(|bell| match self.ending.swap(true, Ordering::AcqRel) {
            false => bell.ring_and_wait(signal.unsigned_abs(), limit),
            true => bell.wait_for_answer(limit),
        });
        restore_default(signal);
        raise(signal);
    }

    /// For the thread: the signal that was left, or `None` when `limit` is over.
    pub fn wait(&self, limit: Option<Duration>) -> Option<libc::c_int> {
        self.bell.wait(limit).map(u32::cast_signed)
    }

    /// For the thread: it has done what there was to do.
    pub fn answer(&self) {
        self.bell.answer();
    }

    /// `errno` is kept for the interrupted code.
    fn in_handler(&self, act: impl FnOnce(&Bell)) {
        if !self.is_ours() {
            return;
        }
        // SAFETY: the thread's own variable.
        let errno = unsafe { *libc::__errno_location() };
        act(&self.bell);
        // SAFETY: as before.
        unsafe { *libc::__errno_location() = errno };
    }
}
