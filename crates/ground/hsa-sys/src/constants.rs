//! Values of the enumerations that a tool needs.

use crate::Status;

/// Status codes.
pub mod status {
    use super::Status;
    pub const SUCCESS: Status = 0;
    /// Ends an iteration early, without error.
    pub const INFO_BREAK: Status = 1;
    pub const INVALID_ALLOCATION: Status = 0x1003;
    pub const NOT_INITIALIZED: Status = 0x100b;
    pub const INVALID_EXECUTABLE: Status = 0x1011;
}

/// `hsa_agent_info_t` and AMD's additions.
pub mod agent_info {
    /// `char[64]`.
    pub const NAME: u32 = 0;
    /// [`super::DEVICE_TYPE_GPU`] and others, `u32`.
    pub const DEVICE: u32 = 0x11;
    /// The driver's number of the device, `u32`.
    pub const DRIVER_NODE: u32 = 0xa004;
    /// `char[64]`.
    pub const PRODUCT_NAME: u32 = 0xa009;
    /// `char[21]` at most, with the terminating zero.
    pub const UUID: u32 = 0xa011;
    /// Compute units that cooperative launches may use, `u32`.
    pub const COOPERATIVE_COMPUTE_UNITS: u32 = 0xa014;
}
pub const DEVICE_TYPE_GPU: u32 = 1;
/// `hsa_system_info_t`: ticks of the system's clock, 64 bits.
pub const SYSTEM_TIMESTAMP: u32 = 2;
/// `hsa_system_info_t`: ticks of the system's clock per second, 64 bits.
pub const SYSTEM_TIMESTAMP_FREQUENCY: u32 = 3;

/// `hsa_isa_info_t`.
pub mod isa_info {
    /// `u32`, with the terminating zero.
    pub const NAME_LENGTH: u32 = 0;
    /// `char[]`.
    pub const NAME: u32 = 1;
}

/// `hsa_executable_symbol_info_t`.
pub mod symbol_info {
    /// [`super::SYMBOL_KIND_VARIABLE`] and others, `u32`.
    pub const TYPE: u32 = 0;
    /// `u32`, without a terminating zero.
    pub const NAME_LENGTH: u32 = 1;
    /// `char[]`, not terminated.
    pub const NAME: u32 = 2;
    /// Bytes, `u32`.
    pub const VARIABLE_SIZE: u32 = 9;
    /// `u64`.
    pub const VARIABLE_ADDRESS: u32 = 21;
    /// `u64`.
    pub const KERNEL_OBJECT: u32 = 22;
}
/// `hsa_symbol_kind_t`.
pub const SYMBOL_KIND_VARIABLE: u32 = 0;
/// `hsa_amd_pointer_type_t`: memory that the runtime allocated.
pub const POINTER_TYPE_HSA: u32 = 1;

/// `hsa_amd_memory_pool_info_t`.
pub mod pool_info {
    /// `u32`; 0 is [`super::SEGMENT_GLOBAL`].
    pub const SEGMENT: u32 = 0;
    /// Bits of [`super::pool_flag`], `u32`.
    pub const GLOBAL_FLAGS: u32 = 1;
    /// `bool`.
    pub const ALLOCATION_ALLOWED: u32 = 5;
}
pub const SEGMENT_GLOBAL: u32 = 0;
pub mod pool_flag {
    pub const FINE_GRAINED: u32 = 2;
    pub const COARSE_GRAINED: u32 = 4;
}

pub const PROFILE_FULL: u32 = 1;
/// The rounding mode that the code asks for.
pub const ROUNDING_DEFAULT: u32 = 0;

/// `hsa_queue_type_t`: only one thread at a time may write.
pub const QUEUE_TYPE_SINGLE: u32 = 1;
/// `hsa_queue_type_t`: the device's one queue for cooperative launches, which all callers share.
pub const QUEUE_TYPE_COOPERATIVE: u32 = 2;
pub const EXTENSION_AMD_LOADER: u16 = 0x201;

/// `hsa_signal_condition_t`.
pub const CONDITION_LESS: u32 = 2;
/// Attribute of signals: the signal wakes no host thread, so a thread that waits for it has to poll.
pub const SIGNAL_GPU_ONLY: u64 = 1;
/// `hsa_wait_state_t`: the thread may sleep.
pub const WAIT_BLOCKED: u32 = 0;
