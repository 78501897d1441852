//! The packets of queues.

pub use kmt_sys::aql::{BarrierPacket, KernelDispatchPacket, packet_type};
use kmt_sys::assert_layout;

/// Bit of a packet header: wait until all packets before this one have completed.
pub const HEADER_BARRIER: u16 = 1 << 8;
/// Bytes of any packet.
pub const PACKET_SIZE: usize = 64;

/// Any packet, by its first two bytes.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
pub struct Packet {
    pub header: u16,
    pub rest: [u8; 62],
}

impl Packet {
    /// One of [`packet_type`].
    pub fn kind(&self) -> u8 {
        self.header as u8
    }
}

/// `hsa_queue_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Queue {
    pub queue_type: u32,
    pub features: u32,
    pub base_address: u64,
    pub doorbell_signal: u64,
    /// Packets, a power of two.
    pub size: u32,
    pub reserved1: u32,
    pub id: u64,
}
assert_layout!(Queue, 40, { queue_type @ 0, base_address @ 8, doorbell_signal @ 16, size @ 24, id @ 32 });

const _: () = assert!(size_of::<Packet>() == PACKET_SIZE);
const _: () = assert!(std::mem::offset_of!(KernelDispatchPacket, reserved2) == 48);
