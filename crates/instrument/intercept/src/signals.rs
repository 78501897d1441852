//! Deaths that run no exit handlers: an abort, which is also the runtime's answer to a GPU memory fault, or Ctrl-C.
//!
//! Only signals that would end the program by default are touched. The handler may call nothing but the kernel: it rings a bell and waits,
//! for a bounded time, until a thread has delivered the summary; then the signal ends the program. A fault in a tool's own thread does not
//! end the program ([`contained`]).

use std::time::Duration;

use guest::{
    signals::{self, Alarm},
    threads,
};

use crate::{
    contained, running,
    state::{self, DEATH},
};

/// Signals of a user or a program that does not want to wait any longer.
const IMPATIENT: [libc::c_int; 4] = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM];
const STACK: usize = 1 << 20;
/// The longest time for finding out about running kernels after such a signal.
const PATIENCE: Duration = Duration::from_secs(2);
/// A little longer than the session's own limit.
const LIMIT: Duration = DEATH
    .saturating_add(PATIENCE)
    .saturating_add(Duration::from_millis(500));

static ALARM: Alarm = Alarm::new();

/// Installs handlers for signals that the program leaves to their default, once per process.
pub fn install() {
    if !ALARM.claim() {
        return;
    }
    let serve = || {
        loop {
            let Some(signal) = ALARM.wait(None) else {
                continue;
            };
            if IMPATIENT.contains(&signal) {
                running::tell(PATIENCE);
            }
            if let Some(state) = state::current() {
                state
                    .session
                    .note(format!("the program was ended by signal {signal}"));
            }
            state::die();
            ALARM.answer();
        }
    };
    if threads::spawn("luthier-signals", STACK, Box::new(serve)) {
        for signal in signals::deadly() {
            signals::handle_by_default(signal, on_signal);
        }
    }
}

extern "C" fn on_signal(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the kernel's arguments.
    unsafe { contained::stop_here(signal, info) };
    ALARM.ring_and_end(signal, LIMIT);
}
