//! Statements that must hold in every order.

use std::sync::{
    Arc,
    atomic::{AtomicU64 as PlainU64, Ordering as PlainOrdering},
};

use loom::{model::Builder, thread};

use crate::{
    aside::Pause,
    barriers::Barriers,
    board::RunQueue,
    order::Stores,
    run::Run,
    schedule::{Reuse, Schedule, Slots, ThreadWork, Work},
    sync::{AtomicBool, AtomicU64, Ordering},
};

/// A name, and what runs the model and tells in how many orders.
type Model = (&'static str, fn() -> u64);

pub const ALL: &[Model] = &[
    ("batches", || workgroups(4, 4, Reuse::Latest, |_, _| true)),
    ("in-turn", || {
        workgroups(3, 1, Reuse::Latest, |index, ended| ended >= index)
    }),
    ("set-aside", || {
        workgroups(3, 2, Reuse::Latest, |index, ended| ended >= index)
    }),
    ("set-aside-in-rotation", || {
        workgroups(3, 2, Reuse::Earliest, |index, ended| ended >= index)
    }),
    ("all-that-fit", || {
        workgroups(2, 2, Reuse::Latest, |index, ended| index == 1 || ended > 0)
    }),
    ("no-wake-lost", no_wake_is_lost),
    ("no-thread-left", no_thread_is_left),
    ("two-dispatches", two_dispatches),
    ("barrier", barrier),
    ("semaphore", semaphore),
    ("store-buffering", store_buffering),
];

/// Tries a model in all orders in which a thread is interrupted at most so often where it need not be.
fn tried(preemptions: usize, model: impl Fn() + Send + Sync + 'static) -> u64 {
    let count = Arc::new(PlainU64::new(0));
    let counter = count.clone();
    let mut builder = Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 20_000;
    builder.check(move || {
        counter.fetch_add(1, PlainOrdering::Relaxed);
        model();
    });
    count.load(PlainOrdering::Relaxed)
}

/// Two threads execute a dispatch in which a workgroup can end when `may_end(index, ended)` says so. Each is started once, no two have
/// the same slots at a time, and all end.
fn workgroups(total: u64, slots: u32, reuse: Reuse, may_end: fn(u64, u64) -> bool) -> u64 {
    tried(3, move || {
        let all = Arc::new(All {
            schedule: Schedule::new(total, 1, slots, 2, reuse),
            ended: AtomicU64::new(0),
            started: flags(total),
            taken: flags(slots.into()),
        });
        let other = all.clone();
        let thread = thread::spawn(move || other.work(may_end));
        all.work(may_end);
        thread.join().unwrap();
        assert!(all.schedule.is_done());
        assert_eq!(all.ended.load(Ordering::SeqCst), total);
    })
}

fn flags(count: u64) -> Vec<AtomicBool> {
    (0..count).map(|_| AtomicBool::new(false)).collect()
}

struct All {
    schedule: Schedule<(u64, Slots)>,
    ended: AtomicU64,
    started: Vec<AtomicBool>,
    taken: Vec<AtomicBool>,
}

impl All {
    fn work(&self, may_end: fn(u64, u64) -> bool) {
        let mut hand = ThreadWork::default();
        loop {
            let (index, slots) = match self.schedule.take(&mut hand) {
                Work::Start(index, slots) => {
                    let before = self.started[index as usize].swap(true, Ordering::SeqCst);
                    assert!(!before, "workgroup {index} started twice");
                    let taken = self.taken[slots.0 as usize].swap(true, Ordering::SeqCst);
                    assert!(!taken, "two workgroups have {slots:?}");
                    (index, slots)
                }
                Work::Resume(started) => started,
                Work::Nothing if self.schedule.is_done() => return,
                Work::Nothing => {
                    thread::yield_now();
                    continue;
                }
            };
            if may_end(index, self.ended.load(Ordering::SeqCst)) {
                self.ended.fetch_add(1, Ordering::SeqCst);
                self.taken[slots.0 as usize].store(false, Ordering::SeqCst);
                self.schedule.end(slots, &mut hand);
            } else {
                self.schedule
                    .suspend(index, (index, slots), Pause::Waits, &mut hand);
                thread::yield_now();
            }
        }
    }
}

/// Threads that go to sleep while a dispatch is posted are woken for it. With two threads none looks around, so that time does not matter.
fn no_wake_is_lost() -> u64 {
    tried(3, || {
        let queue = Arc::new(RunQueue::new(2));
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let queue = queue.clone();
                thread::spawn(move || drop(queue.next()))
            })
            .collect();
        queue.post(Arc::new(Run::new(2)));
        for thread in threads {
            thread.join().unwrap();
        }
        assert!(queue.runs().iter().all(|run| !run.has_work()));
    })
}

/// Threads without work end when the queue closes, whether they sleep by then or not.
fn no_thread_is_left() -> u64 {
    tried(3, || {
        let queue = Arc::new(RunQueue::new(2));
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let queue = queue.clone();
                thread::spawn(move || assert!(queue.next().is_none()))
            })
            .collect();
        queue.close();
        for thread in threads {
            thread.join().unwrap();
        }
    })
}

/// Each of two dispatches, posted by different threads, gets a thread.
fn two_dispatches() -> u64 {
    tried(3, || {
        let queue = Arc::new(RunQueue::new(2));
        let post = |queue: Arc<RunQueue>| move || queue.post(Arc::new(Run::new(1)));
        let poster = thread::spawn(post(queue.clone()));
        let worker = queue.clone();
        let worker = thread::spawn(move || {
            for _ in 0..2 {
                let run = worker.next().expect("the queue is open");
                worker.remove(&run);
            }
        });
        post(queue.clone())();
        poster.join().unwrap();
        worker.join().unwrap();
        assert!(queue.runs().is_empty());
    })
}

/// No thread passes a barrier before both have come, twice in a row.
fn barrier() -> u64 {
    tried(3, || {
        let both = Arc::new((Barriers::default(), AtomicU64::new(0)));
        both.0.init(0, 1);
        let come = |(barriers, come): &(Barriers, AtomicU64)| {
            for round in 1..=2 {
                come.fetch_add(1, Ordering::Relaxed);
                let ticket = barriers.arrive(0, 1);
                while !barriers.passed(0, ticket) {
                    thread::yield_now();
                }
                assert!(come.load(Ordering::Relaxed) >= 2 * round);
            }
        };
        let other = both.clone();
        let thread = thread::spawn(move || come(&other));
        come(&both);
        thread.join().unwrap();
    })
}

/// Only one at a time holds what a semaphore guards.
fn semaphore() -> u64 {
    tried(3, || {
        let all = Arc::new((Barriers::default(), AtomicU64::new(0)));
        all.0.init(1, 1);
        let enter = |(semaphores, inside): &(Barriers, AtomicU64)| {
            let ticket = semaphores.wait(1);
            while !semaphores.admitted(1, ticket) {
                thread::yield_now();
            }
            // Each sees the stores of the one before: no store is lost.
            let before = inside.load(Ordering::Relaxed);
            inside.store(before + 1, Ordering::Relaxed);
            semaphores.release(1, 1);
        };
        let other = all.clone();
        let thread = thread::spawn(move || enter(&other));
        enter(&all);
        thread.join().unwrap();
        assert_eq!(all.1.load(Ordering::Relaxed), 2);
    })
}

/// Two waves each store, wait for that, and load what the other one stores: one of them sees the other's. The second time it matters that the
/// first wait has not used up what the second one is for.
fn store_buffering() -> u64 {
    tried(3, || {
        let places = Arc::new([(); 2].map(|()| [(); 2].map(|()| AtomicU64::new(0))));
        let act = |places: &[[AtomicU64; 2]; 2], own: usize| {
            let mut stores = Stores::default();
            [0, 1].map(|round: usize| {
                stores.note(true);
                places[round][own].store(1, Ordering::Relaxed);
                stores.settle();
                places[round][1 - own].load(Ordering::Relaxed)
            })
        };
        let other = places.clone();
        let thread = thread::spawn(move || act(&other, 1));
        let seen = [act(&places, 0), thread.join().unwrap()];
        for round in 0..2 {
            assert_ne!([seen[0][round], seen[1][round]], [0, 0]);
        }
    })
}
