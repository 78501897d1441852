//! Loom's versions of what `compute` and `wave` take from the standard library.

pub(crate) use loom::sync::{
    Condvar, Mutex, MutexGuard,
    atomic::{AtomicBool, AtomicU64, Ordering, fence},
};
