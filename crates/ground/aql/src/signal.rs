//! Signals.

use crate::assert_layout;

/// [`Signal::kind`] of all signals but doorbells.
pub const USER_SIGNAL: i64 = 1;

/// `amd_signal_t`; an `hsa_signal_t` handle is the address of one.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
pub struct Signal {
    /// [`USER_SIGNAL`], -1: doorbell, -2: legacy doorbell.
    pub kind: i64,
    pub value: i64,
    pub event_mailbox_ptr: u64,
    pub event_id: u32,
    pub reserved1: u32,
    /// GPU clock ticks.
    pub start_ts: u64,
    pub end_ts: u64,
    pub queue_ptr: u64,
    pub reserved3: [u32; 2],
}
assert_layout!(Signal, 64, { kind @ 0, value @ 8, event_mailbox_ptr @ 16, event_id @ 24, start_ts @ 32, end_ts @ 40,
    queue_ptr @ 48 });
