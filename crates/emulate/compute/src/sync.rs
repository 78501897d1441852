//! Locks and atomics of what decides who does what. In one place, so that `models` can put loom's in theirs and try every order.

pub(crate) use std::sync::{
    Condvar, Mutex, MutexGuard,
    atomic::{AtomicBool, AtomicU64, Ordering},
};
