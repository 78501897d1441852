//! Orders the device's stores before its later loads, where a wave waits for them.
//!
//! A store of a wave is a plain store of the host, whose processor lets later loads overtake it. The device does not, once the wave has
//! waited for the store: two waves that each store to one place, wait, and load from the other's must not both miss the other's
//! store. The host's other reorderings are those that the device allows.

use crate::sync::{Ordering, fence};

/// Stores of one host thread that other threads may not see yet.
#[derive(Debug, Default)]
pub(crate) struct Stores {
    pending: bool,
}

impl Stores {
    /// The thread may store now, if `write`.
    #[inline(always)]
    pub fn note(&mut self, write: bool) {
        self.pending |= write;
    }

    /// All threads see the stores before this one loads again.
    #[inline(always)]
    pub fn settle(&mut self) {
        if self.pending {
            self.pending = false;
            fence(Ordering::SeqCst);
        }
    }
}
