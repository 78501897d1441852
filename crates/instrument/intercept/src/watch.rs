//! Launches that are to run one at a time, or whose time is limited: a barrier packet behind each tells when it has ended, and
//! launches of one queue do not overlap.

use std::{
    collections::VecDeque,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use aql::{HEADER_BARRIER, KernelDispatchPacket, Packet};
use hsa_sys::Handle;

use guest::threads;

use crate::{
    api::Api,
    intercepted::{COUNT, barrier},
    lock,
    output::say,
    running,
    state::{self, State},
};

/// Pause between looks at what runs.
const LOOK: Duration = Duration::from_millis(50);
/// For finding out what a kernel is at that runs too long.
const PATIENCE: Duration = Duration::from_secs(10);
const STACK: usize = 1 << 20;

/// The last launch of all queues, if launches are to run one at a time.
static LAST: Mutex<Option<Last>> = Mutex::new(None);

struct Last {
    signal: Handle,
    /// The signal is below this when the launch has ended.
    below: i64,
}

struct Pending {
    /// The signal is below this when the launch has ended.
    below: i64,
    kernel_object: u64,
    /// When it was sent, or when what was before it was seen to have ended.
    since: Instant,
}

/// The launches of one queue.
pub struct Watch {
    api: &'static Api,
    serialize: bool,
    /// Counts down by one for each launch.
    signal: Handle,
    sent: AtomicU64,
    pending: Mutex<VecDeque<Pending>>,
}

impl Watch {
    /// `None` if the settings ask for nothing. `signal` must count down from [`COUNT`].
    pub fn new(state: &State, signal: impl FnOnce() -> Option<Handle>) -> Option<Watch> {
        let config = state.session.config();
        if !config.serialize && config.kernel_limit.is_none() {
            return None;
        }
        Some(Watch {
            api: state.api,
            serialize: config.serialize,
            signal: signal()?,
            sent: AtomicU64::new(0),
            pending: Mutex::default(),
        })
    }

    /// Called before this many launches go out. `wait` waits until a signal is below a value. It is called for the last launch before
    /// these, so that tools have been told of its end when they are asked about the next one. It is called once for all launches that go
    /// out together: a launch never waits for another one that is still here.
    pub fn begin(&self, launches: u64, wait: impl FnOnce(Handle, i64)) {
        if !self.serialize || launches == 0 {
            return;
        }
        let mut last = lock(&LAST);
        if let Some(last) = last.as_ref() {
            wait(last.signal, last.below);
        }
        let sent = self.sent.load(Ordering::Relaxed) + launches;
        *last = Some(Last {
            signal: self.signal,
            below: COUNT - sent as i64 + 1,
        });
    }

    /// The packet that has to come behind a launch.
    pub fn behind(&self, dispatch: &mut KernelDispatchPacket) -> Packet {
        dispatch.header |= HEADER_BARRIER;
        let sent = self.sent.fetch_add(1, Ordering::Relaxed) + 1;
        lock(&self.pending).push_back(Pending {
            below: COUNT - sent as i64 + 1,
            kernel_object: dispatch.kernel_object,
            since: Instant::now(),
        });
        barrier(self.signal)
    }

    /// The queue is gone; what may be destroyed now.
    pub fn end(&self) -> Handle {
        let mut last = lock(&LAST);
        if last.as_ref().is_some_and(|last| last.signal == self.signal) {
            *last = None;
        }
        self.signal
    }

    /// The kernel object of a launch that has run longer than `limit`.
    fn late(&self, limit: Duration) -> Option<u64> {
        let load = self.api.core.signal_load_scacquire?;
        // SAFETY: this module made the signal, and the queue is still known, so it was not destroyed.
        let value = unsafe { load(self.signal) };
        let mut pending = lock(&self.pending);
        let before = pending.len();
        while pending.front().is_some_and(|first| value < first.below) {
            pending.pop_front();
        }
        let ended = pending.len() != before;
        let first = pending.front_mut()?;
        if ended {
            first.since = Instant::now();
        }
        (first.since.elapsed() > limit).then_some(first.kernel_object)
    }
}

/// Ends the program when a launch of the session runs longer than the settings allow.
pub fn start(state: &'static State) {
    // Launches that an earlier session waited for are gone with its runtime.
    *lock(&LAST) = None;
    let Some(limit) = state.session.config().kernel_limit else {
        return;
    };
    let look = move || {
        let is_ours = |current: &State| std::ptr::eq(current, state) && !state.is_over();
        while state::current().is_some_and(is_ours) {
            std::thread::sleep(LOOK);
            let known: Vec<_> = lock(&state.queues.known).values().cloned().collect();
            let watches = known.iter().filter_map(|queue| queue.watch.as_ref());
            if let Some(kernel) = watches.into_iter().find_map(|watch| watch.late(limit)) {
                return give_up(state, kernel, limit);
            }
        }
    };
    if !threads::spawn("luthier-limit", STACK, Box::new(look)) {
        say(
            "cannot start a thread that watches how long kernels run; --kernel-limit has no effect",
        );
    }
}

fn give_up(state: &State, kernel: u64, limit: Duration) {
    static GIVEN_UP: AtomicBool = AtomicBool::new(false);
    if GIVEN_UP.swap(true, Ordering::AcqRel) {
        return;
    }
    let (name, how) = match state.session.name_of(kernel) {
        Some((name, true)) => (name, "instrumented"),
        Some((name, false)) => (name, "as it is"),
        None => (format!("the kernel at {kernel:#x}"), "as it is"),
    };
    let seconds = limit.as_secs();
    say(&format!(
        "{name} (runs {how}) has not ended within {seconds} s; the program is ended (--kernel-limit)"
    ));
    running::tell(PATIENCE);
    // The results of tools are delivered as at any other end by a signal. SAFETY: the call sends a signal to this process.
    unsafe { libc::kill(libc::getpid(), libc::SIGTERM) };
}
