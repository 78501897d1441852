//! The place of copies in the order of launches.
//!
//! A copy is all that a ring moves between a wait and the word that tells of its end. ROCr makes one of each copy that is asked for: it
//! polls the signals that the copy waits for, copies piece by piece, and decrements the copy's signal.

use std::sync::{Arc, MutexGuard, PoisonError, atomic::Ordering};

use super::SdmaQueue;
use crate::{
    executor::Transfer,
    memory::host_address,
    order::{Order, Published, Waited},
};

/// Signals begin at multiples of so many bytes.
const SIGNAL: u64 = 64;
/// The places of the lower and the upper half of a signal's value.
const LOW: u64 = 8;
const HIGH: u64 = 12;

impl Published for SdmaQueue {
    fn published(&self) -> u64 {
        self.position(self.write_pointer).load(Ordering::Acquire)
    }
}

impl SdmaQueue {
    fn copying(&self) -> MutexGuard<'_, Option<Arc<Order>>> {
        self.copying.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn done(&self) -> u64 {
        self.position(self.read_pointer).load(Ordering::Relaxed)
    }

    /// Memory is about to be written, with what is at `from` if the packet copies.
    pub(super) fn transfers(&self, from: Option<u64>, to: u64, bytes: u64) {
        let Some(orders) = &self.shared.orders else {
            return;
        };
        let begins = || Arc::new(orders.begins(self.id, self.done(), false));
        let order = self.copying().get_or_insert_with(begins).clone();
        self.shared.executor.transfers(&Transfer {
            order: &order,
            node: self.node,
            from: from.map(host_address),
            to: host_address(to),
            bytes,
        });
    }

    /// The copy ends, if one is being done, and no signal tells of it.
    pub(super) fn ends(&self) {
        if let Some(orders) = &self.shared.orders
            && let Some(order) = self.copying().take()
        {
            orders.ends(self.id, &order, 0, 0);
        }
    }

    /// A word is about to be changed, perhaps to 0, which tells of the copy's end.
    pub(super) fn completes(&self, address: u64, to_zero: bool) {
        let Some(orders) = &self.shared.orders else {
            return;
        };
        let signal = match address % SIGNAL {
            LOW => host_address(address) - LOW,
            _ => 0,
        };
        let value = i64::from(to_zero);
        match self.copying().take() {
            Some(order) => orders.ends(self.id, &order, signal, value),
            None if signal == 0 => {}
            None => {
                let packet = (self.id, self.done(), false);
                orders.passes(packet, Waited::Signals(&[]), (signal, value));
            }
        }
    }

    /// The ring waits for a word, which is the value that it waits for if that `holds`.
    pub(super) fn polled(&self, address: u64, for_zero: bool, holds: bool) {
        let Some(orders) = &self.shared.orders else {
            return;
        };
        let packet = (self.id, self.done(), false);
        match (address % SIGNAL, for_zero, holds) {
            // The lower half says enough.
            (HIGH, true, _) => {}
            (LOW, true, false) => orders.waits(self.id, host_address(address) - LOW),
            (LOW, true, true) => {
                let signal = host_address(address) - LOW;
                orders.passes(packet, Waited::Signals(&[signal]), (0, 0));
            }
            (_, _, false) => {}
            (_, _, true) => orders.passes(packet, Waited::Unknown, (0, 0)),
        }
    }
}
