//! In place of a dispatch: work for so many threads.

use std::sync::PoisonError;

use crate::sync::{AtomicU64, Mutex, MutexGuard, Ordering};

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) struct Run {
    pub schedule: Amount,
    left: AtomicU64,
}

/// How many threads it can keep busy.
pub(crate) struct Amount(u64);

impl Amount {
    pub fn total(&self) -> u64 {
        self.0
    }
}

impl Run {
    pub fn new(total: u64) -> Run {
        Run {
            schedule: Amount(total),
            left: AtomicU64::new(total),
        }
    }

    pub fn has_work(&self) -> bool {
        self.left.load(Ordering::Relaxed) > 0
    }

    /// A thread begins to work on it.
    pub fn attach(&self) {
        self.left.fetch_sub(1, Ordering::Relaxed);
    }
}
