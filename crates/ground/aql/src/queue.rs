//! Queues.

use crate::assert_layout;

/// `hsa_queue_t`: the part of a queue that programs see.
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

/// `amd_queue_t`: what ROCr and the packet processor keep around a [`Queue`].
#[repr(C, align(64))]
#[derive(Clone, Copy)]
pub struct AmdQueue {
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
assert_layout!(AmdQueue, 256, {
    queue_type @ 0, features @ 4, base_address @ 8, doorbell_signal @ 16, size @ 24, id @ 32, write_dispatch_id @ 56,
    group_segment_aperture_base_hi @ 64, private_segment_aperture_base_hi @ 68, max_cu_id @ 72, max_wave_id @ 76,
    max_legacy_doorbell_dispatch_id_plus_1 @ 80, read_dispatch_id @ 128, read_dispatch_id_field_base_byte_offset @ 136,
    compute_tmpring_size @ 140, scratch_resource_descriptor @ 144, scratch_backing_memory_location @ 160,
    scratch_backing_memory_byte_size @ 168, scratch_wave64_lane_byte_size @ 176, queue_properties @ 180,
    queue_inactive_signal @ 192,
});

/// Bit of [`AmdQueue::queue_properties`]: completion signals receive start and end times.
pub const QUEUE_PROPERTY_PROFILING: u32 = 1 << 3;
