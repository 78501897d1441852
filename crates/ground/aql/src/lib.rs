//! Queues, packets and signals as they lie in memory that programs and packet processors share.
//!
//! [`Queue`] and [`AmdQueue`]; [`Packet`] and what the kinds of packets hold ([`KernelDispatchPacket`], [`BarrierPacket`],
//! [`BarrierValuePacket`]); [`Signal`]. Sources: the HSA system architecture specification (packets) and Debian's
//! `amd_hsa_queue.h` and `amd_hsa_signal.h`. This crate defines data only. Constant assertions pin every size and offset, and a test
//! compares them with the C headers.
#![forbid(unsafe_code)]

mod packet;
mod queue;
mod signal;

pub use packet::{
    BarrierPacket, BarrierValuePacket, HEADER_BARRIER, KernelDispatchPacket, PACKET_SIZE, Packet,
    SYSTEM_FENCES, amd_format, packet_type,
};
pub use queue::{AmdQueue, QUEUE_PROPERTY_PROFILING, Queue};
pub use signal::{Signal, USER_SIGNAL};

/// Fails the build unless each named field lies at the given byte offset and the struct has the given size.
#[macro_export]
macro_rules! assert_layout {
    ($type:ty, $size:literal, { $($field:ident @ $offset:literal),* $(,)? }) => {
        const _: () = {
            assert!(::core::mem::size_of::<$type>() == $size);
            $(assert!(::core::mem::offset_of!($type, $field) == $offset);)*
        };
    };
}
