//! Structs of the thunk interface as ROCr 5.2.3 (and 6.1, which only gave meaning to reserved bytes) passes them.
//!
//! All of them are packed to 4 bytes, so 64-bit fields may be misaligned: read and write them by value only.

use aql::assert_layout;

/// Result of an `hsaKmt*` call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Status {
    Success = 0,
    Error = 1,
    InvalidParameter = 3,
    InvalidHandle = 4,
    InvalidNodeUnit = 5,
    NoMemory = 6,
    BufferTooSmall = 7,
    NotImplemented = 10,
    NotSupported = 11,
    Unavailable = 12,
    OutOfResources = 13,
    KernelIoChannelNotOpened = 20,
    KernelAlreadyOpened = 22,
    WaitFailure = 30,
    WaitTimeout = 31,
    MemoryAlreadyRegistered = 35,
    MemoryNotRegistered = 36,
    MemoryAlignment = 37,
}

#[repr(C, packed(4))]
#[derive(Clone, Copy, Debug)]
pub struct VersionInfo {
    pub major: u32,
    pub minor: u32,
}

#[repr(C, packed(4))]
#[derive(Clone, Copy, Debug)]
pub struct SystemProperties {
    pub num_nodes: u32,
    pub platform_oem: u32,
    pub platform_id: u32,
    pub platform_rev: u32,
}
assert_layout!(SystemProperties, 16, { num_nodes @ 0 });

#[repr(C, packed(4))]
#[derive(Clone, Copy)]
pub struct NodeProperties {
    pub num_cpu_cores: u32,
    /// SIMDs of the GPU, not compute units.
    pub num_f_compute_cores: u32,
    pub num_memory_banks: u32,
    pub num_caches: u32,
    pub num_io_links: u32,
    pub c_compute_id_lo: u32,
    pub f_compute_id_lo: u32,
    pub capability: u32,
    pub max_waves_per_simd: u32,
    pub lds_size_in_kb: u32,
    pub gds_size_in_kb: u32,
    pub wave_front_size: u32,
    pub num_shader_banks: u32,
    pub num_arrays: u32,
    pub num_cu_per_array: u32,
    pub num_simd_per_cu: u32,
    pub max_slots_scratch_cu: u32,
    pub engine_id: u32,
    pub vendor_id: u16,
    pub device_id: u16,
    pub location_id: u32,
    pub local_mem_size: u64,
    pub max_engine_clock_mhz_f_compute: u32,
    pub max_engine_clock_mhz_c_compute: u32,
    pub drm_render_minor: i32,
    /// UTF-16, zero terminated.
    pub marketing_name: [u16; 64],
    pub amd_name: [u8; 64],
    pub ucode_engine_versions: u32,
    pub debug_properties: u64,
    pub hive_id: u64,
    pub num_sdma_engines: u32,
    pub num_sdma_xgmi_engines: u32,
    pub num_sdma_queues_per_engine: u8,
    pub num_cp_queues: u8,
    pub num_gws: u8,
    pub reserved2: u8,
    pub domain: u32,
    pub unique_id: u64,
    pub vgpr_size_per_cu: u32,
    pub sgpr_size_per_cu: u32,
    /// Reserved before thunk 6.1.
    pub num_xcc: u32,
    /// Reserved before thunk 6.1.
    pub kfd_gpu_id: u32,
    /// Reserved before thunk 6.1.
    pub family_id: u32,
}
#[rustfmt::skip]
assert_layout!(NodeProperties, 356, {
    num_cpu_cores @ 0, num_f_compute_cores @ 4, num_memory_banks @ 8, num_caches @ 12, num_io_links @ 16,
    capability @ 28, max_waves_per_simd @ 32, lds_size_in_kb @ 36, wave_front_size @ 44, num_shader_banks @ 48,
    num_arrays @ 52, num_cu_per_array @ 56, num_simd_per_cu @ 60, max_slots_scratch_cu @ 64, engine_id @ 68,
    vendor_id @ 72, device_id @ 74, location_id @ 76, local_mem_size @ 80, max_engine_clock_mhz_f_compute @ 88,
    drm_render_minor @ 96, marketing_name @ 100, amd_name @ 228, ucode_engine_versions @ 292, debug_properties @ 296,
    hive_id @ 304, num_sdma_engines @ 312, num_sdma_xgmi_engines @ 316, num_sdma_queues_per_engine @ 320,
    num_cp_queues @ 321, num_gws @ 322, domain @ 324, unique_id @ 328, vgpr_size_per_cu @ 336, sgpr_size_per_cu @ 340,
    num_xcc @ 344, kfd_gpu_id @ 348, family_id @ 352,
});

#[repr(C, packed(4))]
#[derive(Clone, Copy, Debug)]
pub struct MemoryProperties {
    pub heap_type: u32,
    pub size_in_bytes: u64,
    pub flags: u32,
    /// Bus width in bits.
    pub width: u32,
    /// MHz.
    pub memory_clock_max: u32,
    pub virtual_base_address: u64,
}
assert_layout!(MemoryProperties, 32, { heap_type @ 0, size_in_bytes @ 4, flags @ 12, width @ 16, memory_clock_max @ 20,
    virtual_base_address @ 24 });

/// Values of [`MemoryProperties::heap_type`].
pub mod heap {
    pub const SYSTEM: u32 = 0;
    pub const FRAME_BUFFER_PUBLIC: u32 = 1;
    pub const FRAME_BUFFER_PRIVATE: u32 = 2;
    pub const GPU_LDS: u32 = 4;
    pub const GPU_SCRATCH: u32 = 5;
}

#[repr(C, packed(4))]
#[derive(Clone, Copy)]
pub struct CacheProperties {
    pub processor_id_low: u32,
    pub cache_level: u32,
    /// KiB.
    pub cache_size: u32,
    pub cache_line_size: u32,
    pub cache_lines_per_tag: u32,
    pub cache_associativity: u32,
    pub cache_latency: u32,
    pub cache_type: u32,
    pub sibling_map: [u32; 256],
}
assert_layout!(CacheProperties, 1056, { processor_id_low @ 0, cache_level @ 4, cache_size @ 8, cache_line_size @ 12,
    cache_type @ 28, sibling_map @ 32 });

#[repr(C, packed(4))]
#[derive(Clone, Copy, Debug)]
pub struct IoLinkProperties {
    pub io_link_type: u32,
    pub version_major: u32,
    pub version_minor: u32,
    pub node_from: u32,
    pub node_to: u32,
    pub weight: u32,
    pub minimum_latency: u32,
    pub maximum_latency: u32,
    pub minimum_bandwidth: u32,
    pub maximum_bandwidth: u32,
    pub rec_transfer_size: u32,
    pub flags: u32,
}
assert_layout!(IoLinkProperties, 48, { io_link_type @ 0, node_from @ 12, node_to @ 16, weight @ 20, flags @ 44 });

#[repr(C, packed(4))]
#[derive(Clone, Copy, Debug)]
pub struct QueueResource {
    pub queue_id: u64,
    pub doorbell: u64,
    pub write_pointer: u64,
    pub read_pointer: u64,
    pub error_reason: u64,
}
assert_layout!(QueueResource, 40, { queue_id @ 0, doorbell @ 8, write_pointer @ 16, read_pointer @ 24,
    error_reason @ 32 });

#[repr(C, packed(4))]
#[derive(Clone, Copy, Debug)]
pub struct ClockCounters {
    pub gpu_clock_counter: u64,
    pub cpu_clock_counter: u64,
    pub system_clock_counter: u64,
    pub system_clock_frequency_hz: u64,
}
assert_layout!(ClockCounters, 32, { gpu_clock_counter @ 0, system_clock_frequency_hz @ 24 });

#[repr(C, packed(4))]
#[derive(Clone, Copy, Debug)]
pub struct GpuTileConfig {
    pub tile_config: u64,
    pub macro_tile_config: u64,
    pub num_tile_configs: u32,
    pub num_macro_tile_configs: u32,
    pub gb_addr_config: u32,
    pub num_banks: u32,
    pub num_ranks: u32,
    pub reserved: [u32; 7],
}
assert_layout!(GpuTileConfig, 64, { tile_config @ 0, num_tile_configs @ 16, gb_addr_config @ 24, num_banks @ 28,
    num_ranks @ 32 });

#[repr(C, packed(4))]
#[derive(Clone, Copy, Debug)]
pub struct EventDescriptor {
    pub event_type: u32,
    pub node_id: u32,
    pub sync_var: u64,
    pub sync_var_size: u64,
}
assert_layout!(EventDescriptor, 24, { event_type @ 0, node_id @ 4, sync_var @ 8 });

/// An event object with the memory-fault form of its payload, which is the only one a device fills in.
#[repr(C, packed(4))]
#[derive(Clone, Copy, Debug)]
pub struct Event {
    pub event_id: u32,
    pub event_type: u32,
    pub fault_node_id: u32,
    pub fault_virtual_address: u64,
    pub fault_failure: u32,
    pub fault_flags: u32,
    pub hw_data1: u64,
    /// Address of the event's mailbox; zero makes ROCr never ask for interrupts.
    pub hw_data2: u64,
    pub hw_data3: u32,
}
assert_layout!(Event, 48, { event_id @ 0, event_type @ 4, fault_node_id @ 8, fault_virtual_address @ 12,
    fault_failure @ 20, fault_flags @ 24, hw_data1 @ 28, hw_data2 @ 36, hw_data3 @ 44 });

/// Values of [`Event::event_type`].
pub mod event_type {
    pub const SIGNAL: u32 = 0;
    pub const HW_EXCEPTION: u32 = 3;
    pub const MEMORY: u32 = 8;
}

/// Values of the queue type argument of `hsaKmtCreateQueue`.
pub mod queue_type {
    pub const SDMA: u32 = 2;
    pub const SDMA_XGMI: u32 = 5;
    pub const COMPUTE_AQL: u32 = 21;
}

#[repr(C, packed(4))]
#[derive(Clone, Copy, Debug)]
pub struct PointerInfo {
    pub pointer_type: u32,
    pub node: u32,
    pub mem_flags: u32,
    pub cpu_address: u64,
    pub gpu_address: u64,
    pub size_in_bytes: u64,
    pub n_registered_nodes: u32,
    pub n_mapped_nodes: u32,
    pub registered_nodes: u64,
    pub mapped_nodes: u64,
    pub user_data: u64,
}
assert_layout!(PointerInfo, 68, { pointer_type @ 0, node @ 4, mem_flags @ 8, cpu_address @ 12, gpu_address @ 20,
    size_in_bytes @ 28, n_registered_nodes @ 36, n_mapped_nodes @ 40, registered_nodes @ 44, mapped_nodes @ 52,
    user_data @ 60 });

/// Values of [`PointerInfo::pointer_type`].
pub mod pointer_type {
    pub const UNKNOWN: u32 = 0;
    pub const ALLOCATED: u32 = 1;
    pub const REGISTERED_USER: u32 = 2;
    pub const REGISTERED_SHARED: u32 = 4;
}

#[repr(C, packed(4))]
#[derive(Clone, Copy, Debug)]
pub struct SvmAttribute {
    pub kind: u32,
    pub value: u32,
}
assert_layout!(SvmAttribute, 8, { kind @ 0, value @ 4 });
