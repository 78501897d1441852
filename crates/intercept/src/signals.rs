//! Deaths that run no exit handlers: an abort, which is also the runtime's answer to a GPU memory fault, or Ctrl-C.
//!
//! Only signals that would end the program by default are touched. The handler may call nothing but the kernel: it writes to
//! a pipe and waits, for a bounded time, until a thread has delivered the summary; then the signal takes its course. What a
//! thread of a tool's does to itself is no death ([`contained`]).

use std::sync::atomic::{AtomicI32, Ordering};

use crate::{
    contained,
    state::{self, DEATH},
    threads,
};

const DEADLY: [libc::c_int; 8] = [
    libc::SIGABRT,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGHUP,
    libc::SIGILL,
    libc::SIGINT,
    libc::SIGSEGV,
    libc::SIGTERM,
];
const STACK: usize = 1 << 20;

static REQUEST: AtomicI32 = AtomicI32::new(-1);
static ANSWER: AtomicI32 = AtomicI32::new(-1);
static OWNER: AtomicI32 = AtomicI32::new(0);

/// Handles what nobody else handles, once per process.
pub fn install() {
    // SAFETY: the process id cannot fail.
    let process = unsafe { libc::getpid() };
    if OWNER.load(Ordering::Acquire) == process {
        return;
    }
    let (Some(request), Some(answer)) = (pipe(), pipe()) else {
        return;
    };
    REQUEST.store(request[1], Ordering::Release);
    ANSWER.store(answer[0], Ordering::Release);
    OWNER.store(process, Ordering::Release);
    let serve = move || {
        let mut signal = 0u8;
        // SAFETY: one byte of our own, in both directions.
        while unsafe { libc::read(request[0], (&raw mut signal).cast(), 1) } == 1 {
            if let Some(state) = state::current() {
                state
                    .session
                    .note(format!("the program was ended by signal {signal}"));
            }
            state::die();
            // SAFETY: as above.
            unsafe { libc::write(answer[1], (&raw const signal).cast(), 1) };
        }
    };
    if threads::spawn("luthier-signals", STACK, Box::new(serve)) {
        DEADLY.into_iter().for_each(handle);
    }
}

fn pipe() -> Option<[i32; 2]> {
    let mut ends = [0; 2];
    // SAFETY: the array has the two entries the call writes.
    (unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } == 0).then_some(ends)
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
            let byte = signal as u8;
            libc::write(REQUEST.load(Ordering::Acquire), (&raw const byte).cast(), 1);
            let mut poll = libc::pollfd {
                fd: ANSWER.load(Ordering::Acquire),
                events: libc::POLLIN,
                revents: 0,
            };
            // A little longer than the session's own limit.
            libc::poll(&raw mut poll, 1, DEATH.as_millis() as i32 + 500);
        }
        *libc::__errno_location() = errno;
        // Pending until the handler returns. A fault comes again by itself.
        libc::raise(signal);
    }
}
