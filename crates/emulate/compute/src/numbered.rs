//! Plans by the numbers that planners give them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Plans that any thread may add to. Workgroups look them up in a copy of their own, without a lock. Copies are made of all plans: large ones are
/// references.
#[derive(Debug)]
pub struct Numbered<T> {
    all: Mutex<Vec<T>>,
    /// The plans of some time ago, for all workgroups.
    snapshot: Mutex<Snapshot<T>>,
}

/// Plans by their numbers.
pub type Snapshot<T> = Arc<Vec<T>>;

impl<T> Default for Numbered<T> {
    fn default() -> Numbered<T> {
        Numbered {
            all: Mutex::default(),
            snapshot: Mutex::default(),
        }
    }
}

impl<T: Clone> Numbered<T> {
    /// Adds a plan. The result is its number.
    pub fn add(&self, plan: T) -> u32 {
        let mut all = lock(&self.all);
        all.push(plan);
        all.len() as u32 - 1
    }

    /// All plans, or those of some time ago if `number` is among them.
    pub fn with(&self, number: usize) -> Snapshot<T> {
        let mut snapshot = lock(&self.snapshot);
        if snapshot.len() <= number {
            *snapshot = Arc::new(lock(&self.all).clone());
        }
        snapshot.clone()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
