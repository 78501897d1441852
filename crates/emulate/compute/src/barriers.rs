//! Device-wide wave barriers and semaphores (global wave sync), 64 of either in the same places.

use crate::{
    run::lock,
    sync::{AtomicU64, Mutex, Ordering},
};

const RESOURCES: usize = 64;

/// All barriers and semaphores of one device.
#[derive(Debug)]
pub(crate) struct Barriers {
    resources: [Barrier; RESOURCES],
}

#[derive(Debug, Default)]
struct Barrier {
    /// Waves still to come to a barrier, less one; or that may still pass a semaphore.
    counter: Mutex<u32>,
    /// Times the barrier has opened; what waves wait on.
    opened: AtomicU64,
    /// Waves that have come to the semaphore, and those of them that were let pass, which came first.
    asked: AtomicU64,
    admitted: AtomicU64,
}

impl Barrier {
    /// Lets up to `counter` waves pass that wait.
    fn admit(&self, counter: &mut u32) {
        let admitted = self.admitted.load(Ordering::Relaxed);
        let waiting = self.asked.load(Ordering::Relaxed) - admitted;
        let passing = waiting.min(u64::from(*counter)) as u32;
        *counter -= passing;
        self.admitted
            .store(admitted + u64::from(passing), Ordering::Release);
    }
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
        let barrier = self.barrier(resource);
        let mut counter = lock(&barrier.counter);
        *counter = count;
        barrier.admit(&mut counter);
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

    /// Lets `count` waves pass, those that wait first.
    pub fn release(&self, resource: u32, count: u32) {
        let barrier = self.barrier(resource);
        let mut counter = lock(&barrier.counter);
        *counter = counter.wrapping_add(count);
        barrier.admit(&mut counter);
    }

    /// Lets the waves pass that wait, and no others.
    pub fn release_all(&self, resource: u32) {
        let barrier = self.barrier(resource);
        let mut counter = lock(&barrier.counter);
        *counter = 0;
        let asked = barrier.asked.load(Ordering::Relaxed);
        barrier.admitted.store(asked, Ordering::Release);
    }

    /// A wave wants to pass. Returns its place in the queue.
    pub fn wait(&self, resource: u32) -> u64 {
        let barrier = self.barrier(resource);
        let mut counter = lock(&barrier.counter);
        let ticket = barrier.asked.fetch_add(1, Ordering::Relaxed);
        barrier.admit(&mut counter);
        ticket
    }

    /// Returns `true` if the wave with this place may pass.
    pub fn admitted(&self, resource: u32, ticket: u64) -> bool {
        ticket < self.barrier(resource).admitted.load(Ordering::Acquire)
    }

    /// Returns `true` if the barrier has opened since `ticket` was given.
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

    #[test]
    fn semaphores_let_pass_in_order() {
        let semaphores = Barriers::default();
        let passed = |tickets: &[u64]| -> Vec<bool> {
            let passed = |ticket: &u64| semaphores.admitted(5, *ticket);
            tickets.iter().map(passed).collect()
        };
        let wait = || semaphores.wait(5);
        let tickets = [wait(), wait(), wait(), wait(), wait()];
        assert_eq!(passed(&tickets), [false; 5]);
        semaphores.release(5, 1);
        assert_eq!(passed(&tickets), [true, false, false, false, false]);
        semaphores.release(5, 2);
        assert_eq!(passed(&tickets), [true, true, true, false, false]);
        // A release without a waiting wave is kept, by a bulk release as by others.
        semaphores.release(5, 4);
        assert_eq!(passed(&tickets), [true; 5]);
        assert_eq!(semaphores.counters()[5], 2);
        let later = [wait(), wait(), wait()];
        assert_eq!(passed(&later), [true, true, false]);
        // Waves that come after a release of all have to wait.
        let waiting = [later[2], wait()];
        semaphores.release_all(5);
        assert_eq!(passed(&waiting), [true; 2]);
        let last = [wait()];
        assert_eq!(passed(&last), [false]);
        semaphores.init(5, 3);
        assert_eq!(passed(&last), [true]);
        assert_eq!(semaphores.counters()[5], 2);
        // Others have not been touched.
        assert!(!semaphores.admitted(4, 0));
    }
}
