//! Signals in memory: reading, completing, and storing error values.
//!
//! A signal handle is the address of an `amd_signal_t`, which the host reads and writes at the same time; every access is
//! atomic or volatile. Handles come from packets, that is from the application, so callers check them against the address
//! space first.

use std::{
    mem::offset_of,
    ptr,
    sync::atomic::{AtomicI64, Ordering},
};

use crate::{events::Events, memory::Memory};

/// A signal known to lie in device-accessible memory.
#[derive(Clone, Copy, Debug)]
pub struct Signal {
    address: u64,
}

impl Signal {
    /// Checks a handle. `None` if it is null, misaligned, or not in memory the device can reach.
    pub fn new(handle: u64, memory: &Memory) -> Option<Signal> {
        let valid =
            handle != 0 && handle.is_multiple_of(64) && memory.covers(handle, 64, true).is_ok();
        valid.then_some(Signal { address: handle })
    }

    fn value_cell(&self) -> &AtomicI64 {
        // SAFETY: `new` checked that 64 aligned bytes at `address` are mapped; a signal stays mapped while packets name it,
        // which the HSA runtime guarantees; all parties access the value atomically.
        unsafe {
            AtomicI64::from_ptr((self.address + offset_of!(aql::Signal, value) as u64) as *mut i64)
        }
    }

    fn field(&self, offset: usize) -> u64 {
        // SAFETY: `new` checked that 64 aligned bytes at `address` are mapped, and the field is 8-byte aligned.
        unsafe { ptr::read_volatile((self.address + offset as u64) as *const u64) }
    }

    fn set_field(&self, offset: usize, value: u64) {
        // SAFETY: `new` checked that 64 aligned bytes at `address` are mapped, and the field is 8-byte aligned.
        unsafe { ptr::write_volatile((self.address + offset as u64) as *mut u64, value) }
    }

    pub fn value(&self) -> i64 {
        self.value_cell().load(Ordering::Acquire)
    }

    /// Writes the start and end time of the work, in ticks.
    pub fn set_times(&self, start: u64, end: u64) {
        self.set_field(offset_of!(aql::Signal, start_ts), start);
        self.set_field(offset_of!(aql::Signal, end_ts), end);
    }

    /// Subtracts one and interrupts threads that sleep on the signal.
    pub fn complete(&self, events: &Events) {
        let interrupt = self.interrupt();
        self.value_cell().fetch_sub(1, Ordering::AcqRel);
        self.notify(interrupt, events);
    }

    /// Stores `value` and interrupts threads that sleep on the signal.
    pub fn store(&self, value: i64, events: &Events) {
        let interrupt = self.interrupt();
        self.value_cell().store(value, Ordering::SeqCst);
        self.notify(interrupt, events);
    }

    /// Mailbox address and event id. Read *before* the value changes: afterwards the host may reuse the signal at once.
    fn interrupt(&self) -> (u64, u32) {
        let mailbox = self.field(offset_of!(aql::Signal, event_mailbox_ptr));
        (
            mailbox,
            self.field(offset_of!(aql::Signal, event_id)) as u32,
        )
    }

    fn notify(&self, (mailbox, event): (u64, u32), events: &Events) {
        if mailbox != 0 {
            // The mailbox only tells an interrupt handler which event is meant; here the id is passed directly. If the event was destroyed
            // meanwhile, there is no thread to wake.
            let _ = events.set(event);
        }
    }
}
