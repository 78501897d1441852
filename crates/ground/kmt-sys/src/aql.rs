//! Queues, signals and packets as they lie in memory shared by the host and a packet processor.
//!
//! Sources: the HSA system architecture specification (packets) and Debian's `amd_hsa_queue.h`, `amd_hsa_signal.h`.

use crate::assert_layout;

/// `amd_queue_t`.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
pub struct Queue {
    pub queue_type: u32,
    pub features: u32,
    pub base_address: u64,
    pub doorbell_signal: u64,
    /// Packets, a power of two.
    pub size: u32,
    pub reserved0: u32,
    pub id: u64,
    pub reserved1: [u32; 4],
    pub write_dispatch_id: u64,
    pub group_segment_aperture_base_hi: u32,
    pub private_segment_aperture_base_hi: u32,
    pub max_cu_id: u32,
    pub max_wave_id: u32,
    pub max_legacy_doorbell_dispatch_id_plus_1: u64,
    pub legacy_doorbell_lock: u32,
    pub reserved2: [u32; 9],
    pub read_dispatch_id: u64,
    pub read_dispatch_id_field_base_byte_offset: u32,
    pub compute_tmpring_size: u32,
    pub scratch_resource_descriptor: [u32; 4],
    pub scratch_backing_memory_location: u64,
    pub scratch_backing_memory_byte_size: u64,
    pub scratch_wave64_lane_byte_size: u32,
    pub queue_properties: u32,
    pub reserved3: [u32; 2],
    pub queue_inactive_signal: u64,
    pub reserved4: [u32; 14],
}
#[rustfmt::skip]
assert_layout!(Queue, 256, {
    queue_type @ 0, features @ 4, base_address @ 8, doorbell_signal @ 16, size @ 24, id @ 32, write_dispatch_id @ 56,
    group_segment_aperture_base_hi @ 64, private_segment_aperture_base_hi @ 68, max_cu_id @ 72, max_wave_id @ 76,
    max_legacy_doorbell_dispatch_id_plus_1 @ 80, read_dispatch_id @ 128, read_dispatch_id_field_base_byte_offset @ 136,
    compute_tmpring_size @ 140, scratch_resource_descriptor @ 144, scratch_backing_memory_location @ 160,
    scratch_backing_memory_byte_size @ 168, scratch_wave64_lane_byte_size @ 176, queue_properties @ 180,
    queue_inactive_signal @ 192,
});

/// Bit of [`Queue::queue_properties`]: completion signals receive start and end times.
pub const QUEUE_PROPERTY_PROFILING: u32 = 1 << 3;

/// `amd_signal_t`; an `hsa_signal_t` handle is the address of one.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
pub struct Signal {
    /// 1: user signal, -1: doorbell, -2: legacy doorbell.
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
