//! A thread that takes snapshots: at an interval, and when a signal asks.
//!
//! Signal handlers may not call HSA. They ring a bell that this thread hears; after a fatal signal they wait
//! for the answer, so that the snapshot is of the moment, and then let the signal take its course.

use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use drain::Config;
use guest::{
    library,
    signals::{self, Alarm},
    threads,
};
use kmt_sys::running;

use crate::state;

static ALARM: Alarm = Alarm::new();
/// The user has chosen the signals.
static CHOSEN: AtomicBool = AtomicBool::new(false);

const SIGNALS: usize = 65;
/// Previous handlers, by signal number.
static PREVIOUS: [AtomicUsize; SIGNALS] = [const { AtomicUsize::new(libc::SIG_DFL) }; SIGNALS];

/// Starts the thread when the settings need it.
pub fn start(config: &Config) {
    if config.interval.is_none() && config.signals.as_ref().is_some_and(Vec::is_empty) {
        return;
    }
    ALARM.claim();
    let interval = config.interval;
    let serve = Box::new(move || serve(interval));
    if !threads::spawn("luthier-coverage", state::STACK, serve) {
        state::say("no thread for snapshots can be started");
        return;
    }
    match &config.signals {
        Some(chosen) => {
            CHOSEN.store(true, Ordering::Release);
            chosen.iter().for_each(|&signal| install(signal, false));
        }
        None => signals::deadly().for_each(|signal| install(signal, true)),
    }
}

fn serve(interval: Option<Duration>) {
    let mut due = interval.map(|interval| Instant::now() + interval);
    loop {
        let left = due.map(|due| due.saturating_duration_since(Instant::now()));
        let signal = ALARM.wait(left);
        if signal.is_none() && due.is_none_or(|due| due > Instant::now()) {
            continue;
        }
        state::dump();
        match signal {
            Some(_) => ALARM.answer(),
            None => due = interval.map(|interval| Instant::now() + interval),
        }
    }
}

/// A user who chooses one of these three wants a snapshot, and not the program's end.
fn is_fatal(signal: i32) -> bool {
    let asks = matches!(signal, libc::SIGUSR1 | libc::SIGUSR2 | libc::SIGHUP);
    !(asks && CHOSEN.load(Ordering::Acquire))
}

/// `only_default`: leaves the signal alone if the program handles or ignores it. The emulated device's handler tells what was running,
/// and lets the signal take its course: here it is what comes next.
fn install(signal: i32, only_default: bool) {
    if only_default {
        let now = signals::disposition(signal);
        let emulator = library::symbol(running::LIBRARY, running::TELL_RUNNING);
        let is_the_emulators =
            |now| emulator.is_some_and(|function| signals::is_of_library(now, function.as_ptr()));
        if !now.is_some_and(|now| now == libc::SIG_DFL || is_the_emulators(now)) {
            return;
        }
    }
    let Some(before) = signals::handle(signal, handle) else {
        return state::say(&format!("signal {signal} cannot be handled"));
    };
    if let Some(slot) = PREVIOUS.get(signal as usize) {
        slot.store(before, Ordering::Release);
    }
}

extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    match is_fatal(signal) {
        true => ALARM.ring_and_wait(signal, state::EMERGENCY),
        false => ALARM.ring(signal),
    }
    let previous = PREVIOUS
        .get(signal as usize)
        .map_or(libc::SIG_DFL, |slot| slot.load(Ordering::Acquire));
    match previous {
        libc::SIG_IGN => {}
        libc::SIG_DFL if !is_fatal(signal) => {}
        libc::SIG_DFL => {
            // It ends the process with the status that this signal has.
            signals::restore_default(signal);
            signals::raise(signal);
        }
        handler => {
            // SAFETY: it was installed for this signal, and gets what the kernel passed.
            unsafe {
                std::mem::transmute::<usize, signals::Handler>(handler)(signal, info, context)
            }
        }
    }
}
