//! The packets of queues.

use crate::assert_layout;

/// Bit of a packet header: wait until all packets before this one have completed.
pub const HEADER_BARRIER: u16 = 1 << 8;
/// Bits of a packet header: acquire and release at system scope.
pub const SYSTEM_FENCES: u16 = 2 << 9 | 2 << 11;
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

/// Packet types: the low byte of a header.
pub mod packet_type {
    pub const VENDOR_SPECIFIC: u8 = 0;
    pub const INVALID: u8 = 1;
    pub const KERNEL_DISPATCH: u8 = 2;
    pub const BARRIER_AND: u8 = 3;
    pub const AGENT_DISPATCH: u8 = 4;
    pub const BARRIER_OR: u8 = 5;
}

/// Formats of AMD's vendor packets: byte 2.
pub mod amd_format {
    /// An indirect buffer of PM4 commands.
    pub const PM4_IB: u8 = 1;
    /// Wait until a masked signal value satisfies a condition.
    pub const BARRIER_VALUE: u8 = 2;
}

/// `hsa_kernel_dispatch_packet_t`.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelDispatchPacket {
    pub header: u16,
    /// Bits 0-1: number of grid dimensions.
    pub setup: u16,
    pub workgroup_size: [u16; 3],
    pub reserved0: u16,
    /// Work-items.
    pub grid_size: [u32; 3],
    /// Bytes per work-item.
    pub private_segment_size: u32,
    /// Bytes per workgroup.
    pub group_segment_size: u32,
    pub kernel_object: u64,
    pub kernarg_address: u64,
    pub reserved2: u64,
    pub completion_signal: u64,
}
assert_layout!(KernelDispatchPacket, 64, { header @ 0, setup @ 2, workgroup_size @ 4, grid_size @ 12,
    private_segment_size @ 24, group_segment_size @ 28, kernel_object @ 32, kernarg_address @ 40,
    completion_signal @ 56 });

impl KernelDispatchPacket {
    /// The bytes in a ring.
    pub fn to_bytes(&self) -> [u8; 64] {
        let mut bytes = [0; 64];
        let [x, y, z] = self.workgroup_size;
        let halves = [self.header, self.setup, x, y, z, self.reserved0];
        let [width, height, depth] = self.grid_size;
        let (private, group) = (self.private_segment_size, self.group_segment_size);
        let words = [width, height, depth, private, group];
        let longs = [
            self.kernel_object,
            self.kernarg_address,
            self.reserved2,
            self.completion_signal,
        ];
        let all = halves.iter().flat_map(|half| half.to_le_bytes());
        let all = all.chain(words.iter().flat_map(|word| word.to_le_bytes()));
        let all = all.chain(longs.iter().flat_map(|long| long.to_le_bytes()));
        for (byte, value) in bytes.iter_mut().zip(all) {
            *byte = value;
        }
        bytes
    }

    /// From a ring's slot.
    pub fn from_bytes(bytes: &[u8; 64]) -> KernelDispatchPacket {
        let half = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let word = |at: usize| u32::from(half(at)) | u32::from(half(at + 2)) << 16;
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        KernelDispatchPacket {
            header: half(0),
            setup: half(2),
            workgroup_size: [4, 6, 8].map(half),
            reserved0: half(10),
            grid_size: [12, 16, 20].map(word),
            private_segment_size: word(24),
            group_segment_size: word(28),
            kernel_object: long(32),
            kernarg_address: long(40),
            reserved2: long(48),
            completion_signal: long(56),
        }
    }
}

/// `hsa_barrier_and_packet_t` and `hsa_barrier_or_packet_t`.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Default)]
pub struct BarrierPacket {
    pub header: u16,
    pub reserved0: u16,
    pub reserved1: u32,
    pub dep_signal: [u64; 5],
    pub reserved2: u64,
    pub completion_signal: u64,
}
assert_layout!(BarrierPacket, 64, { header @ 0, dep_signal @ 8, completion_signal @ 56 });

/// `hsa_amd_barrier_value_packet_t`.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Default)]
pub struct BarrierValuePacket {
    pub header: u16,
    pub amd_format: u8,
    pub reserved: u8,
    pub reserved0: u32,
    pub signal: u64,
    pub value: i64,
    pub mask: i64,
    /// 0: equal, 1: not equal, 2: less, 3: greater or equal.
    pub condition: u32,
    pub reserved1: u32,
    pub reserved2: u64,
    pub reserved3: u64,
    pub completion_signal: u64,
}
assert_layout!(BarrierValuePacket, 64, { amd_format @ 2, signal @ 8, value @ 16, mask @ 24, condition @ 32,
    completion_signal @ 56 });

const _: () = assert!(size_of::<Packet>() == PACKET_SIZE);
const _: () = assert!(std::mem::offset_of!(KernelDispatchPacket, reserved2) == 48);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_survive_as_bytes() {
        let bytes: [u8; 64] = std::array::from_fn(|index| index as u8 * 3 + 1);
        let packet = KernelDispatchPacket::from_bytes(&bytes);
        assert_eq!(packet.to_bytes(), bytes);
        assert_eq!(packet.setup, u16::from_le_bytes([7, 10]));
        assert_eq!(packet.group_segment_size.to_le_bytes(), bytes[28..32]);
        assert_eq!(packet.kernarg_address.to_le_bytes(), bytes[40..48]);
    }
}
