//! Device-wide wave barriers (global wave sync), 64 of them.

use std::sync::{
    Mutex,
    atomic::{AtomicU64, Ordering},
};

use crate::run::lock;

const RESOURCES: usize = 64;

/// All barriers of one device.
#[derive(Debug)]
pub(crate) struct Barriers {
    resources: [Barrier; RESOURCES],
}

#[derive(Debug, Default)]
struct Barrier {
    /// Waves still to come, less one.
    counter: Mutex<u32>,
    /// Times the barrier has opened; what waves wait on.
    opened: AtomicU64,
}

impl Default for Barriers {
    fn default() -> Barriers {
        Barriers {
            resources: std::array::from_fn(|_| Barrier::default()),
        }
    }
}

impl Barriers {
    fn barrier(&self, resource: u32) -> &Barrier {
        &self.resources[resource as usize % RESOURCES]
    }

    /// Sets the counter.
    pub fn init(&self, resource: u32, count: u32) {
        *lock(&self.barrier(resource).counter) = count;
    }

    /// All counters; none if all are zero.
    pub fn counters(&self) -> Vec<u32> {
        let counters = self.resources.iter().map(|barrier| *lock(&barrier.counter));
        let counters: Vec<u32> = counters.collect();
        match counters.iter().any(|counter| *counter != 0) {
            true => counters,
            false => Vec::new(),
        }
    }

    /// Sets all counters, to zero those that are not in `counters`.
    pub fn set(&self, counters: &[u32]) {
        let counters = counters.iter().copied().chain(std::iter::repeat(0));
        for (barrier, counter) in self.resources.iter().zip(counters) {
            *lock(&barrier.counter) = counter;
        }
    }

    /// A wave arrives; the last one opens the barrier and sets the counter to `count`. Returns the opening to wait for.
    pub fn arrive(&self, resource: u32, count: u32) -> u64 {
        let barrier = self.barrier(resource);
        let mut counter = lock(&barrier.counter);
        let ticket = barrier.opened.load(Ordering::Relaxed);
        if *counter == 0 {
            *counter = count;
            barrier.opened.store(ticket + 1, Ordering::Release);
        } else {
            *counter -= 1;
        }
        ticket
    }

    /// Whether the barrier has opened since `ticket` was given.
    pub fn passed(&self, resource: u32, ticket: u64) -> bool {
        self.barrier(resource).opened.load(Ordering::Acquire) != ticket
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_wave_opens_the_barrier_for_all_and_prepares_the_next_use() {
        let barriers = Barriers::default();
        barriers.init(3, 2);
        for round in 0..3 {
            let first = barriers.arrive(3, 2);
            let second = barriers.arrive(3, 2);
            assert!(
                !barriers.passed(3, first) && !barriers.passed(3, second),
                "round {round}"
            );
            let third = barriers.arrive(3, 2);
            assert_eq!(barriers.counters()[3], 2);
            assert!(
                [first, second, third]
                    .iter()
                    .all(|&ticket| barriers.passed(3, ticket))
            );
        }
    }
}
