//! The kernel driver's interface, `/dev/kfd`: commands and their arguments, naturally aligned.
//!
//! Source: Linux' `kfd_ioctl.h`, versions 1.11 to 1.18, and ROCm's for the numbers from 0x80 on. Arguments only grow at their
//! end, so a command is known by its number alone, and what a caller's version lacks is zero.

use aql::assert_layout;

/// The `type` byte of these commands.
pub const TYPE: u8 = b'K';

/// Numbers of commands.
#[rustfmt::skip]
pub mod command {
    pub const GET_VERSION:               u8 = 0x01;
    pub const CREATE_QUEUE:              u8 = 0x02;
    pub const DESTROY_QUEUE:             u8 = 0x03;
    pub const SET_MEMORY_POLICY:         u8 = 0x04;
    pub const GET_CLOCK_COUNTERS:        u8 = 0x05;
    pub const GET_PROCESS_APERTURES:     u8 = 0x06;
    pub const UPDATE_QUEUE:              u8 = 0x07;
    pub const CREATE_EVENT:              u8 = 0x08;
    pub const DESTROY_EVENT:             u8 = 0x09;
    pub const SET_EVENT:                 u8 = 0x0a;
    pub const RESET_EVENT:               u8 = 0x0b;
    pub const WAIT_EVENTS:               u8 = 0x0c;
    pub const DBG_REGISTER:              u8 = 0x0d;
    pub const DBG_UNREGISTER:            u8 = 0x0e;
    pub const DBG_ADDRESS_WATCH:         u8 = 0x0f;
    pub const DBG_WAVE_CONTROL:          u8 = 0x10;
    pub const SET_SCRATCH_BACKING_VA:    u8 = 0x11;
    pub const GET_TILE_CONFIG:           u8 = 0x12;
    pub const SET_TRAP_HANDLER:          u8 = 0x13;
    pub const GET_PROCESS_APERTURES_NEW: u8 = 0x14;
    pub const ACQUIRE_VM:                u8 = 0x15;
    pub const ALLOC_MEMORY_OF_GPU:       u8 = 0x16;
    pub const FREE_MEMORY_OF_GPU:        u8 = 0x17;
    pub const MAP_MEMORY_TO_GPU:         u8 = 0x18;
    pub const UNMAP_MEMORY_FROM_GPU:     u8 = 0x19;
    pub const SET_CU_MASK:               u8 = 0x1a;
    pub const GET_QUEUE_WAVE_STATE:      u8 = 0x1b;
    pub const GET_DMABUF_INFO:           u8 = 0x1c;
    pub const IMPORT_DMABUF:             u8 = 0x1d;
    pub const ALLOC_QUEUE_GWS:           u8 = 0x1e;
    pub const SMI_EVENTS:                u8 = 0x1f;
    pub const SVM:                       u8 = 0x20;
    pub const SET_XNACK_MODE:            u8 = 0x21;
    pub const CRIU_OP:                   u8 = 0x22;
    pub const AVAILABLE_MEMORY:          u8 = 0x23;
    pub const EXPORT_DMABUF:             u8 = 0x24;
    pub const RUNTIME_ENABLE:            u8 = 0x25;
    pub const DBG_TRAP:                  u8 = 0x26;
    pub const CREATE_PROCESS:            u8 = 0x27;
    pub const IPC_IMPORT_HANDLE:         u8 = 0x80;
    pub const IPC_EXPORT_HANDLE:         u8 = 0x81;
    pub const OLD_DBG_TRAP:              u8 = 0x82;
    pub const CROSS_MEMORY_COPY:         u8 = 0x83;
    pub const RLC_SPM:                   u8 = 0x84;
    pub const PC_SAMPLE:                 u8 = 0x85;
    pub const PROFILER:                  u8 = 0x86;
    pub const AIS:                       u8 = 0x87;
}

/// Bits of [`AllocMemory::flags`].
#[rustfmt::skip]
pub mod memory_flag {
    pub const VRAM:            u32 = 1 << 0;
    pub const GTT:             u32 = 1 << 1;
    pub const USERPTR:         u32 = 1 << 2;
    pub const DOORBELL:        u32 = 1 << 3;
    pub const MMIO_REMAP:      u32 = 1 << 4;
    pub const COHERENT:        u32 = 1 << 26;
    pub const WRITABLE:        u32 = 1 << 31;
}

/// Values of [`CreateQueue::queue_type`].
pub mod queue_type {
    pub const COMPUTE: u32 = 0;
    pub const SDMA: u32 = 1;
    pub const COMPUTE_AQL: u32 = 2;
    pub const SDMA_XGMI: u32 = 3;
    pub const SDMA_BY_ENGINE: u32 = 4;
}

/// Values of [`WaitEvents::wait_result`].
pub mod wait_result {
    pub const COMPLETE: u32 = 0;
    pub const TIMEOUT: u32 = 1;
    pub const FAIL: u32 = 2;
}

/// Kinds of events that are read from the descriptor of [`SystemEvents`]. Bit `kind - 1` of a mask asks for them.
pub mod system_event {
    pub const VM_FAULT: u32 = 1;
    pub const MIGRATE_START: u32 = 5;
    pub const MIGRATE_END: u32 = 6;
}

/// Values of [`Svm::op`].
pub mod svm_op {
    pub const SET: u32 = 0;
    pub const GET: u32 = 1;
}

/// Bits 62 and 63 of offsets at which `/dev/kfd` can be mapped: doorbells, and the events' mailboxes. From bit 46 on: which GPU's.
pub const MMAP_DOORBELL: u64 = 3 << 62;
pub const MMAP_EVENTS: u64 = 2 << 62;
pub const MMAP_GPU_SHIFT: u32 = 46;

macro_rules! arguments {
    ($(#[$doc:meta])* $name:ident, $size:literal: $($field:ident: $type:ty,)*) => {
        $(#[$doc])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default)]
        #[allow(missing_docs)]
        pub struct $name {
            $(pub $field: $type,)*
        }
        assert_layout!($name, $size, {});
    };
}

arguments! { Version, 8: major: u32, minor: u32, }

arguments! { CreateQueue, 96:
    ring: u64, write_pointer: u64, read_pointer: u64, doorbell_offset: u64,
    ring_size: u32, gpu_id: u32, queue_type: u32, percentage: u32, priority: u32, queue_id: u32,
    eop_buffer: u64, eop_buffer_size: u64, context_area: u64, context_area_size: u32, control_stack_size: u32,
    sdma_engine: u32, pad: u32,
}

arguments! {
    /// Everything that names one thing by its 32-bit number: queues and events.
    Number, 8: number: u32, pad: u32,
}

arguments! { UpdateQueue, 24: ring: u64, queue_id: u32, ring_size: u32, percentage: u32, priority: u32, }

arguments! { CuMask, 16: queue_id: u32, bits: u32, mask: u64, }

arguments! { QueueWaveState, 24: control_stack: u64, control_stack_used: u32, save_area_used: u32, queue_id: u32, pad: u32, }

arguments! { MemoryPolicy, 32: alternate_base: u64, alternate_size: u64, gpu_id: u32, default_policy: u32,
alternate_policy: u32, flags: u32, }

arguments! { ClockCounters, 40: gpu: u64, cpu: u64, system: u64, frequency: u64, gpu_id: u32, pad: u32, }

arguments! { Apertures, 56: lds_base: u64, lds_limit: u64, scratch_base: u64, scratch_limit: u64, gpuvm_base: u64,
gpuvm_limit: u64, gpu_id: u32, pad: u32, }

arguments! { ProcessApertures, 16: array: u64, count: u32, pad: u32, }

arguments! { CreateEvent, 32: page_offset: u64, trigger_data: u32, event_type: u32, auto_reset: u32, node_id: u32,
event_id: u32, slot_index: u32, }

arguments! { WaitEvents, 24: events: u64, count: u32, all: u32, timeout: u32, wait_result: u32, }

arguments! {
    /// `kfd_event_data` of a memory fault. For a signal, the first 8 bytes are the event's age.
    EventData, 48: not_present: u32, read_only: u32, no_execute: u32, imprecise: u32, address: u64, gpu_id: u32,
    error_type: u32, extension: u64, event_id: u32, pad: u32,
}

impl EventData {
    /// The age that the caller has seen last; 0: none.
    pub fn age(&self) -> u64 {
        u64::from(self.not_present) | u64::from(self.read_only) << 32
    }

    pub fn set_age(&mut self, age: u64) {
        (self.not_present, self.read_only) = (age as u32, (age >> 32) as u32);
    }
}

arguments! { ScratchBacking, 16: address: u64, gpu_id: u32, pad: u32, }

arguments! { TileConfig, 40: tiles: u64, macro_tiles: u64, tile_count: u32, macro_tile_count: u32, gpu_id: u32,
address_config: u32, banks: u32, ranks: u32, }

arguments! { TrapHandler, 24: code: u64, buffer: u64, gpu_id: u32, pad: u32, }

arguments! { AcquireVm, 8: drm_descriptor: u32, gpu_id: u32, }

arguments! { AllocMemory, 40: address: u64, size: u64, handle: u64, mmap_offset: u64, gpu_id: u32, flags: u32, }

arguments! { FreeMemory, 8: handle: u64, }

arguments! { MapMemory, 24: handle: u64, gpu_ids: u64, count: u32, succeeded: u32, }

arguments! { AllocQueueGws, 16: queue_id: u32, count: u32, first: u32, pad: u32, }

arguments! { DmabufInfo, 32: size: u64, metadata: u64, metadata_size: u32, gpu_id: u32, flags: u32, descriptor: u32, }

arguments! { ImportDmabuf, 24: address: u64, handle: u64, gpu_id: u32, descriptor: u32, }

arguments! {
    /// As many pairs of kind and value follow.
    Svm, 24: start: u64, size: u64, op: u32, count: u32,
}

arguments! { XnackMode, 4: enabled: i32, }

arguments! { SystemEvents, 8: gpu_id: u32, descriptor: u32, }

arguments! { AvailableMemory, 16: bytes: u64, gpu_id: u32, pad: u32, }

arguments! { ExportDmabuf, 16: handle: u64, flags: u32, descriptor: u32, }

arguments! { RuntimeEnable, 16: debug: u64, mode: u32, capabilities: u32, }

arguments! { IpcExport, 32: handle: u64, share: [u32; 4], gpu_id: u32, flags: u32, }

arguments! { IpcImport, 48: handle: u64, address: u64, mmap_offset: u64, share: [u32; 4], gpu_id: u32, flags: u32, }
