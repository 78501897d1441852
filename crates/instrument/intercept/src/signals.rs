//! Deaths that run no exit handlers: an abort, which is also the runtime's answer to a GPU memory fault, or Ctrl-C.
//!
//! Only signals that would end the program by default are touched. The handler may call nothing but the kernel: it rings a bell and
//! waits, for a bounded time, until a thread has delivered the summary; then the signal takes its course. What a thread of a tool's
//! does to itself is no death ([`contained`]).

use std::{
    sync::atomic::{AtomicI32, Ordering},
    time::Duration,
};

use files::Bell;

use crate::{
    contained, running,
    state::{self, DEATH},
    threads,
};

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
/// Those of somebody who does not want to wait any longer.
const IMPATIENT: [libc::c_int; 4] = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM];
const STACK: usize = 1 << 20;
/// For what can be found out about the kernels that run, in the face of somebody impatient.
const PATIENCE: Duration = Duration::from_secs(2);
/// A little longer than the session's own limit.
const LIMIT: Duration = DEATH
    .saturating_add(PATIENCE)
    .saturating_add(Duration::from_millis(500));

static BELL: Bell = Bell::new();
static OWNER: AtomicI32 = AtomicI32::new(0);

/// Handles what nobody else handles, once per process.
pub fn install() {
    // SAFETY: the process id cannot fail.
    let process = unsafe { libc::getpid() };
    if OWNER.load(Ordering::Acquire) == process {
        return;
    }
    OWNER.store(process, Ordering::Release);
    let serve = || {
        loop {
            let Some(signal) = BELL.wait(None) else {
                continue;
            };
            if IMPATIENT.contains(&(signal as libc::c_int)) {
                running::tell(PATIENCE);
            }
            if let Some(state) = state::current() {
                state
                    .session
                    .note(format!("the program was ended by signal {signal}"));
            }
            state::die();
            BELL.answer();
        }
    };
    if threads::spawn("luthier-signals", STACK, Box::new(serve)) {
        let real_time = libc::SIGRTMIN()..=libc::SIGRTMAX();
        DEADLY.into_iter().chain(real_time).for_each(handle);
    }
}

fn handle(signal: libc::c_int) {
    // SAFETY: `sigaction` structures are plain data, and the handler does only what handlers may.
    unsafe {
        let mut before: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(signal, std::ptr::null(), &raw mut before) != 0
            || before.sa_sigaction != libc::SIG_DFL
        {
            return;
        }
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_signal as *const () as usize;
        action.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK | libc::SA_SIGINFO;
        libc::sigemptyset(&raw mut action.sa_mask);
        libc::sigaction(signal, &raw const action, std::ptr::null_mut());
    }
}

extern "C" fn on_signal(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: only functions that are safe in signal handlers; `errno` is kept for the interrupted code.
    unsafe {
        contained::stop_here(signal, info);
        // The disposition is the default from now on, so the signal ends the program in the end.
        libc::signal(signal, libc::SIG_DFL);
        let errno = *libc::__errno_location();
        if libc::getpid() == OWNER.load(Ordering::Acquire) {
            BELL.ring_and_wait(signal.unsigned_abs(), LIMIT);
        }
        *libc::__errno_location() = errno;
        // Pending until the handler returns. A fault comes again by itself.
        libc::raise(signal);
    }
}
