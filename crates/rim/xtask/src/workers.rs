//! The same work for many things, as many at a time as there are processors.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use anyhow::Result;

/// Does the work for all of them, the first ones first, and returns the results in no order. A worker that fails takes no more.
pub fn all<I: Sync, O: Send>(items: &[I], work: impl Fn(&I) -> Result<O> + Sync) -> Result<Vec<O>> {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let some = || -> Result<Vec<O>> {
        let mut results = Vec::new();
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            results.push(work(item)?);
        }
        Ok(results)
    };
    let all: Vec<Result<Vec<O>>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(some)).collect();
        let ends = workers.into_iter().map(|worker| worker.join());
        ends.map(|end| end.expect("no worker panics")).collect()
    });
    let all: Vec<Vec<O>> = all.into_iter().collect::<Result<_>>()?;
    Ok(all.into_iter().flatten().collect())
}

#[test]
fn all_work_is_done_and_an_error_is_one() {
    let numbers: Vec<u32> = (0..100).collect();
    let mut doubled = all(&numbers, |number| Ok(2 * number)).unwrap();
    doubled.sort_unstable();
    assert_eq!(doubled, (0..200).step_by(2).collect::<Vec<u32>>());
    let failed = all(&numbers, |number| match number {
        42 => anyhow::bail!("forty-two"),
        _ => Ok(()),
    });
    assert_eq!(failed.unwrap_err().to_string(), "forty-two");
    assert!(all(&[0; 0], |_| Ok(())).unwrap().is_empty());
}
