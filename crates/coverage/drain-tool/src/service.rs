//! A thread that takes snapshots: at an interval, and when a signal asks.
//!
//! Signal handlers may not call HSA. They ring a bell that this thread hears; after a fatal signal they wait
//! for the answer, so that the snapshot is of the moment, and then let the signal take its course.

use std::{
    mem::MaybeUninit,
    sync::atomic::{AtomicI32, AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use drain::Config;
use files::Bell;

use crate::state;

static BELL: Bell = Bell::new();
static OWNER: AtomicI32 = AtomicI32::new(0);

const SIGNALS: usize = 65;
/// Previous handlers, by signal number.
static PREVIOUS: [AtomicUsize; SIGNALS] = [const { AtomicUsize::new(libc::SIG_DFL) }; SIGNALS];

/// Starts the thread when the settings need it.
pub fn start(config: &Config) {
    if config.interval.is_none() && config.signals.is_empty() {
        return;
    }
    // SAFETY: the process id cannot fail.
    OWNER.store(unsafe { libc::getpid() }, Ordering::Release);
    let interval = config.interval;
    let started = std::thread::Builder::new()
        .name("luthier-coverage".into())
        .spawn(move || {
            block_signals();
            serve(interval);
        });
    if started.is_err() {
        state::say("no thread for snapshots can be started");
        return;
    }
    let only_default = config.signals_by_default;
    for &signal in &config.signals {
        install(signal, only_default);
    }
}

/// The application's signals are the application's.
fn block_signals() {
    let mut all = MaybeUninit::uninit();
    // SAFETY: `sigfillset` initialises the set before it is used.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), std::ptr::null_mut());
    }
}

fn serve(interval: Option<Duration>) {
    let mut due = interval.map(|interval| Instant::now() + interval);
    loop {
        let left = due.map(|due| due.saturating_duration_since(Instant::now()));
        let signal = BELL.wait(left);
        if signal.is_none() && due.is_none_or(|due| due > Instant::now()) {
            continue;
        }
        state::dump();
        match signal {
            Some(_) => BELL.answer(),
            None => due = interval.map(|interval| Instant::now() + interval),
        }
    }
}

fn is_fatal(signal: i32) -> bool {
    !matches!(signal, libc::SIGUSR1 | libc::SIGUSR2 | libc::SIGHUP)
}

/// Whether the emulated device handles a signal that the program does not. It tells what was running, and lets the signal take its
/// course: here it is what comes next.
fn is_emulators(handler: libc::sighandler_t) -> bool {
    if handler == libc::SIG_IGN {
        return false;
    }
    // SAFETY: `dladdr` takes any address; the name it gives is looked at only while its library is held, and nothing is loaded.
    unsafe {
        let mut place: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(handler as *const libc::c_void, &raw mut place) == 0
            || place.dli_fname.is_null()
        {
            return false;
        }
        let library = libc::dlopen(place.dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if library.is_null() {
            return false;
        }
        let tells = libc::dlsym(library, c"luthier_tell_running".as_ptr());
        libc::dlclose(library);
        let mut of: libc::Dl_info = std::mem::zeroed();
        // (`dlsym` also looks in what the library depends on.)
        !tells.is_null() && libc::dladdr(tells, &raw mut of) != 0 && of.dli_fbase == place.dli_fbase
    }
}

/// `only_default`: leaves the signal alone if the program handles or ignores it.
fn install(signal: i32, only_default: bool) {
    // SAFETY: `sigaction` structures are plain data, and the handler does only what handlers may.
    unsafe {
        if only_default {
            let mut now: libc::sigaction = std::mem::zeroed();
            let asked = libc::sigaction(signal, std::ptr::null(), &raw mut now);
            if asked != 0 || (now.sa_sigaction != libc::SIG_DFL && !is_emulators(now.sa_sigaction))
            {
                return;
            }
        }
        let mut action: libc::sigaction = std::mem::zeroed();
        let mut before: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handle as *const () as usize;
        action.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK | libc::SA_SIGINFO;
        libc::sigemptyset(&raw mut action.sa_mask);
        if libc::sigaction(signal, &raw const action, &raw mut before) != 0 {
            state::say(&format!("signal {signal} cannot be handled"));
            return;
        }
        if let Some(slot) = PREVIOUS.get(signal as usize) {
            slot.store(before.sa_sigaction, Ordering::Release);
        }
    }
}

extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: only functions that are safe in signal handlers; `errno` is kept for the interrupted code.
    unsafe {
        let errno = *libc::__errno_location();
        if libc::getpid() == OWNER.load(Ordering::Acquire) {
            match is_fatal(signal) {
                true => BELL.ring_and_wait(signal.unsigned_abs(), state::EMERGENCY),
                false => BELL.ring(signal.unsigned_abs()),
            }
        }
        *libc::__errno_location() = errno;
        let previous = PREVIOUS
            .get(signal as usize)
            .map_or(libc::SIG_DFL, |slot| slot.load(Ordering::Acquire));
        match previous {
            libc::SIG_IGN => {}
            libc::SIG_DFL if !is_fatal(signal) => {}
            libc::SIG_DFL => {
                // Back to the default, which ends the process with the status this signal has.
                libc::signal(signal, libc::SIG_DFL);
                libc::raise(signal);
            }
            handler => {
                type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);
                std::mem::transmute::<usize, Handler>(handler)(signal, info, context);
            }
        }
    }
}
