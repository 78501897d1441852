//! What orders memory accesses. In one place, so that `models` can put loom's in its.

pub(crate) use std::sync::atomic::{Ordering, fence};
