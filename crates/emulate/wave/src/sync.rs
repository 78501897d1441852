//! The fences that order memory accesses, in one place, so that `models` can put loom's in theirs.

pub(crate) use std::sync::atomic::{Ordering, fence};
