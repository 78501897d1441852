//! The board on which dispatches in flight hang for the threads to take.

use std::{
    hint,
    sync::{Arc, PoisonError},
    thread,
    time::{Duration, Instant},
};

use crate::{
    run::{Run, lock},
    sync::{AtomicBool, AtomicU64, Condvar, Mutex, Ordering},
};

/// A thread without work looks this long for the next dispatch before it sleeps: to wake one costs the dispatch that comes
/// then as long as a small kernel takes.
const WAKEFUL: Duration = Duration::from_micros(200);
/// Glances between two offers of the core to who else wants it.
const GLANCES: u32 = 64;

pub(crate) struct RunQueue {
    inside: Mutex<QueueState>,
    wake: Condvar,
    signals: Signals,
    /// Threads that may look for work at a time; the others sleep.
    watchers: AtomicU64,
    /// No further runs follow.
    closed: AtomicBool,
}

/// The signals that idle threads read, on a cache line of their own.
#[derive(Default)]
#[repr(align(64))]
struct Signals {
    /// Dispatches posted so far.
    posted: AtomicU64,
    /// Threads that the last ones want. Others need not crowd around the board.
    wanted: AtomicU64,
}

#[derive(Default)]
struct QueueState {
    runs: Vec<Arc<Run>>,
    sleeping: u64,
}

impl QueueState {
    /// Attaches to a run with work. Runs that were served last come last.
    fn attach(&mut self) -> Option<Arc<Run>> {
        let position = self.runs.iter().position(|run| run.has_work())?;
        let run = self.runs.remove(position);
        self.runs.push(run.clone());
        run.attach();
        Some(run)
    }
}

impl RunQueue {
    /// For `threads` threads, as many as the host has cores. Two of the cores belong to the program's thread that waits
    /// and to the thread that looks for packets. A thread that looks for work on one of these cores would keep them
    /// from going on.
    pub fn new(threads: usize) -> RunQueue {
        RunQueue {
            inside: Mutex::default(),
            wake: Condvar::new(),
            signals: Signals::default(),
            watchers: AtomicU64::new(threads.saturating_sub(2) as u64),
            closed: AtomicBool::new(false),
        }
    }

    /// Hands a run to as many threads as it can keep busy.
    pub fn post(&self, run: Arc<Run>) {
        let wanted = run.schedule.total();
        let sleeping = {
            let mut inside = lock(&self.inside);
            inside.runs.push(run);
            // Under the lock, so that who has seen no work has not yet seen this.
            self.signals.wanted.fetch_max(wanted, Ordering::Relaxed);
            self.signals.posted.fetch_add(1, Ordering::Release);
            inside.sleeping
        };
        (0..wanted.min(sleeping)).for_each(|_| self.wake.notify_one());
    }

    /// Sends all threads home once they find nothing to do.
    pub fn close(&self) {
        let _inside = lock(&self.inside);
        self.closed.store(true, Ordering::Relaxed);
        // Threads that spin or sleep look again.
        self.signals.posted.fetch_add(1, Ordering::Release);
        self.wake.notify_all();
    }

    /// Waits for a run with work and attaches to it; `None` when the queue is closed and no run has any.
    pub fn next(&self) -> Option<Arc<Run>> {
        loop {
            let posted = {
                let mut inside = lock(&self.inside);
                if let Some(run) = inside.attach() {
                    return Some(run);
                }
                // The queue is closed under the lock, so that a thread that sees it open sleeps on a number from
                // before.
                if self.closed.load(Ordering::Relaxed) {
                    return None;
                }
                self.signals.posted.load(Ordering::Relaxed)
            };
            let (watchers, order) = (&self.watchers, Ordering::Relaxed);
            let one_less = |free: u64| free.checked_sub(1);
            let mut found = false;
            if watchers.fetch_update(order, order, one_less).is_ok() {
                found = self.watch(posted);
                watchers.fetch_add(1, order);
            }
            if !found {
                self.sleep(posted);
            }
        }
    }

    /// Looks for a moment whether a run that wants this thread is posted after `posted` of them.
    fn watch(&self, posted: u64) -> bool {
        let one_less = |wanted: u64| wanted.checked_sub(1);
        let (signals, order) = (&self.signals, Ordering::Relaxed);
        let began = Instant::now();
        while began.elapsed() < WAKEFUL {
            for _ in 0..GLANCES {
                if signals.posted.load(Ordering::Acquire) != posted
                    && signals.wanted.fetch_update(order, order, one_less).is_ok()
                {
                    return true;
                }
                hint::spin_loop();
            }
            thread::yield_now();
        }
        false
    }

    /// Sleeps until a run is posted after `posted` of them.
    fn sleep(&self, posted: u64) {
        let mut inside = lock(&self.inside);
        inside.sleeping += 1;
        while self.signals.posted.load(Ordering::Relaxed) == posted {
            inside = self
                .wake
                .wait(inside)
                .unwrap_or_else(PoisonError::into_inner);
        }
        inside.sleeping -= 1;
    }

    /// Sleeps for `time`, or until a run is posted.
    pub fn rest(&self, time: Duration) {
        let mut inside = lock(&self.inside);
        if self.closed.load(Ordering::Relaxed) {
            return;
        }
        inside.sleeping += 1;
        let (mut inside, _) = self
            .wake
            .wait_timeout(inside, time)
            .unwrap_or_else(PoisonError::into_inner);
        inside.sleeping -= 1;
    }

    /// Returns `true` if a run other than `run` has work.
    pub fn others_waiting(&self, run: &Arc<Run>) -> bool {
        lock(&self.inside)
            .runs
            .iter()
            .any(|other| !Arc::ptr_eq(other, run) && other.has_work())
    }

    /// Lets the threads look again: what they left may have changed.
    pub fn look_again(&self) {
        let _inside = lock(&self.inside);
        self.signals.posted.fetch_add(1, Ordering::Release);
        self.wake.notify_all();
    }

    pub fn runs(&self) -> Vec<Arc<Run>> {
        lock(&self.inside).runs.clone()
    }

    pub fn remove(&self, run: &Arc<Run>) {
        lock(&self.inside)
            .runs
            .retain(|other| !Arc::ptr_eq(other, run));
    }
}
