//! A listener is told of what the device writes without a kernel's instructions: copies and fills by SDMA, and by the runtime's shaders that are done natively.

use std::sync::Arc;

use super::{Memory, View, host_address};

/// Is told of such writes after they have happened. Addresses are the host's.
pub trait Copies: Send + Sync {
    fn copied(&self, to: u64, from: u64, bytes: u64);
    fn written(&self, address: u64, bytes: u64);
}

impl Memory {
    /// From now on, `copies` is told of copies and fills. Said once.
    pub fn tell_copies(&self, copies: Arc<dyn Copies>) {
        let _ = self.copies.set(copies);
    }

    pub(crate) fn copied(&self, to: u64, from: u64, bytes: u64) {
        if let Some(copies) = self.copies.get() {
            copies.copied(host_address(to), host_address(from), bytes);
        }
    }

    pub(crate) fn written(&self, address: u64, bytes: u64) {
        if let Some(copies) = self.copies.get() {
            copies.written(host_address(address), bytes);
        }
    }
}

impl View<'_> {
    pub(crate) fn copied(&self, to: u64, from: u64, bytes: u64) {
        self.memory.copied(to, from, bytes);
    }

    pub(crate) fn written(&self, address: u64, bytes: u64) {
        self.memory.written(address, bytes);
    }
}
