//! The same work for many functions, on all processors.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Work below which threads are not worth their start, in instructions.
const WORTHWHILE: usize = 100_000;

/// `work` on every item, results in the items' order. `size`: all items together, in instructions. `start` makes what a
/// thread needs for itself.
pub(crate) fn map_with<'t, T: Sync, S, R: Send>(
    items: &'t [T],
    size: usize,
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &'t T) -> R + Sync,
) -> Vec<R> {
    // To ask for the processors means to read files.
    let threads = match size < WORTHWHILE {
        true => 1,
        false => thread::available_parallelism().map_or(1, usize::from),
    };
    let threads = threads.min(items.len());
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
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
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

/// Likewise without anything of a thread's own.
pub(crate) fn map<'t, T: Sync, R: Send>(
    items: &'t [T],
    size: usize,
    work: impl Fn(&'t T) -> R + Sync,
) -> Vec<R> {
    map_with(items, size, || (), |(), item| work(item))
}
