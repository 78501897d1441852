//! The same work for many functions, on all processors that no other caller has taken.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Work below which threads are not worth their start, in instructions.
const WORTHWHILE: usize = 20_000;

/// Processors that are taken.
static TAKEN: AtomicUsize = AtomicUsize::new(0);

/// While this value lives, the caller keeps a processor busy, because it works on several objects at once. Work on one object is then
/// split over the other processors only.
#[derive(Debug)]
pub struct TakenProcessor(());

impl TakenProcessor {
    /// One more.
    pub fn take() -> TakenProcessor {
        TAKEN.fetch_add(1, Ordering::Relaxed);
        TakenProcessor(())
    }
}

impl Drop for TakenProcessor {
    fn drop(&mut self) {
        TAKEN.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Over how many processors the caller may split his work, his own among them.
pub fn processors() -> usize {
    let all = thread::available_parallelism().map_or(1, usize::from);
    share(all, TAKEN.load(Ordering::Relaxed))
}

/// The share of the free processors for a caller that has taken one.
fn share(all: usize, taken: usize) -> usize {
    match taken {
        0 => all,
        taken => 1 + all.saturating_sub(taken) / taken,
    }
}

/// How many threads share work; they end with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Workers(usize);

impl Workers {
    /// The calling thread alone: it lifts one kernel in a running program, while other threads may lift others.
    pub const ONE: Workers = Workers(1);

    /// One for each processor that is free, if there are so many instructions.
    pub fn for_all(insts: usize) -> Workers {
        // To ask for the processors means to read files.
        match insts < WORTHWHILE {
            true => Workers::ONE,
            false => Workers(processors()),
        }
    }

    pub fn is_one(self) -> bool {
        self.0 < 2
    }

    /// Fewer for less work.
    pub fn worth(self, insts: usize) -> Workers {
        match insts < WORTHWHILE {
            true => Workers::ONE,
            false => self,
        }
    }
}

/// `work` on every item, results in the items' order. `start` makes what a thread needs for itself.
pub(crate) fn map_with<'t, T: Sync, S, R: Send>(
    items: &'t [T],
    workers: Workers,
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &'t T) -> R + Sync,
) -> Vec<R> {
    let threads = workers.0.min(items.len());
    if threads < 2 {
        let mut state = start();
        return items.iter().map(|item| work(&mut state, item)).collect();
    }
    let next = AtomicUsize::new(0);
    let run = || {
        let mut state = start();
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            match items.get(index) {
                Some(item) => done.push((index, work(&mut state, item))),
                None => return done,
            }
        }
    };
    let mut all: Vec<(usize, R)> = thread::scope(|scope| {
        // With fewer threads where the system gives no more.
        let others: Vec<_> = (1..threads)
            .map_while(|_| thread::Builder::new().spawn_scoped(scope, run).ok())
            .collect();
        let mut all = run();
        for other in others {
            match other.join() {
                Ok(done) => all.extend(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    all.sort_unstable_by_key(|(index, _)| *index);
    all.into_iter().map(|(_, result)| result).collect()
}

/// Does the same without state of a thread's own.
pub(crate) fn map<'t, T: Sync, R: Send>(
    items: &'t [T],
    workers: Workers,
    work: impl Fn(&'t T) -> R + Sync,
) -> Vec<R> {
    map_with(items, workers, || (), |(), item| work(item))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_free_is_shared() {
        assert_eq!(
            [share(2, 0), share(2, 1), share(2, 2), share(1, 4)],
            [2, 2, 1, 1]
        );
        assert_eq!([share(64, 8), share(16, 3)], [8, 5]);
    }
}
