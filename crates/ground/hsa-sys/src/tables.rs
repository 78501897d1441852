//! The tables of functions that the runtime calls through, and that it hands to tools to read and replace.
//!
//! Entries that Luthier does not call are plain addresses. Tables grow at their end: an entry exists when the table's `minor` (its size in
//! bytes) covers it, see [`covers`]. AMD's table has grown in its middle too, see [`layouts`](crate::layouts).

use std::ffi::{c_char, c_void};

use aql::{Packet, Queue, assert_layout};

use crate::{Handle, Status};

pub type Init = unsafe extern "C" fn() -> Status;
pub type ShutDown = unsafe extern "C" fn() -> Status;
/// Attribute of an object, written to memory of the attribute's type.
pub type GetInfo = unsafe extern "C" fn(Handle, u32, *mut c_void) -> Status;
pub type HandleCallback = unsafe extern "C" fn(Handle, *mut c_void) -> Status;
pub type IterateAgents = unsafe extern "C" fn(HandleCallback, *mut c_void) -> Status;
pub type IterateIsas = unsafe extern "C" fn(Handle, HandleCallback, *mut c_void) -> Status;
pub type IteratePools = unsafe extern "C" fn(Handle, HandleCallback, *mut c_void) -> Status;
pub type QueueError = unsafe extern "C" fn(Status, *mut Queue, *mut c_void);
/// Agent, packets, type, error callback and its data, private and group segment size, result.
pub type QueueCreate = unsafe extern "C" fn(
    Handle,
    u32,
    u32,
    Option<QueueError>,
    *mut c_void,
    u32,
    u32,
    *mut *mut Queue,
) -> Status;
pub type QueueDestroy = unsafe extern "C" fn(*mut Queue) -> Status;
pub type LoadIndex = unsafe extern "C" fn(*const Queue) -> u64;
/// The index before the addition.
pub type AddIndex = unsafe extern "C" fn(*const Queue, u64) -> u64;
pub type MemoryCopy = unsafe extern "C" fn(*mut c_void, *const c_void, usize) -> Status;
/// Initial value, number of consumers, consumers, result.
pub type SignalCreate = unsafe extern "C" fn(i64, u32, *const Handle, *mut Handle) -> Status;
pub type SignalDestroy = unsafe extern "C" fn(Handle) -> Status;
pub type SignalStore = unsafe extern "C" fn(Handle, i64);
pub type SignalLoad = unsafe extern "C" fn(Handle) -> i64;
/// Initial value, number of consumers, consumers, attributes, result.
pub type AmdSignalCreate =
    unsafe extern "C" fn(i64, u32, *const Handle, u64, *mut Handle) -> Status;
/// Signal, result: where its value is.
pub type SignalValuePointer = unsafe extern "C" fn(Handle, *mut *mut i64) -> Status;
/// Signal, condition, value to compare with, time in system ticks, wait state; the value seen last.
pub type SignalWait = unsafe extern "C" fn(Handle, u32, i64, u64, u32) -> i64;
/// Profile, rounding mode, options, result.
pub type ExecutableCreate = unsafe extern "C" fn(u32, u32, *const c_char, *mut Handle) -> Status;
pub type ExecutableDestroy = unsafe extern "C" fn(Handle) -> Status;
pub type ExecutableFreeze = unsafe extern "C" fn(Handle, *const c_char) -> Status;
/// Executable, agent, reader, options, loaded code object (may be null).
pub type LoadAgentCodeObject =
    unsafe extern "C" fn(Handle, Handle, Handle, *const c_char, *mut Handle) -> Status;
/// Executable, agent, code object, options: how code was loaded before HSA 1.1.
pub type LoadCodeObject = unsafe extern "C" fn(Handle, Handle, Handle, *const c_char) -> Status;
/// Executable, name, agent, result.
pub type GetSymbolByName =
    unsafe extern "C" fn(Handle, *const c_char, *const Handle, *mut Handle) -> Status;
pub type ReaderFromMemory = unsafe extern "C" fn(*const c_void, usize, *mut Handle) -> Status;
pub type ReaderDestroy = unsafe extern "C" fn(Handle) -> Status;
/// Extension, major version, size of the table, the table to fill.
pub type GetExtensionTable = unsafe extern "C" fn(u16, u16, usize, *mut c_void) -> Status;
/// Pool, bytes, flags (0), result.
pub type PoolAllocate = unsafe extern "C" fn(Handle, usize, u32, *mut *mut c_void) -> Status;
pub type PoolFree = unsafe extern "C" fn(*mut c_void) -> Status;
/// Region, bytes, result.
pub type MemoryAllocate = unsafe extern "C" fn(Handle, usize, *mut *mut c_void) -> Status;
pub type MemoryFree = unsafe extern "C" fn(*mut c_void) -> Status;
/// Number of agents, agents, flags (null), memory.
pub type AllowAccess =
    unsafe extern "C" fn(u32, *const Handle, *const u32, *const c_void) -> Status;
/// Queue, whether completion signals get times.
pub type SetProfiler = unsafe extern "C" fn(*mut Queue, i32) -> Status;
/// Agent, completion signal, result.
pub type DispatchTime = unsafe extern "C" fn(Handle, Handle, *mut Times) -> Status;
/// Switches times for the completion signals of copies on or off.
pub type CopyProfiling = unsafe extern "C" fn(bool) -> Status;
/// Completion signal of a copy, result.
pub type CopyTime = unsafe extern "C" fn(Handle, *mut Times) -> Status;
/// Destination, its agent, source, its agent, bytes, number of signals to wait for, these, completion signal.
pub type AsyncCopy = unsafe extern "C" fn(
    *mut c_void,
    Handle,
    *const c_void,
    Handle,
    usize,
    u32,
    *const Handle,
    Handle,
) -> Status;
/// The same; the engine, whether it must be that one.
pub type AsyncCopyOnEngine = unsafe extern "C" fn(
    *mut c_void,
    Handle,
    *const c_void,
    Handle,
    usize,
    u32,
    *const Handle,
    Handle,
    u32,
    bool,
) -> Status;
/// Destination and offset in it, source and offset in it, what is copied (bytes, rows, layers), the agent that copies, direction,
/// number of signals to wait for, these, completion signal.
pub type AsyncCopyRect = unsafe extern "C" fn(
    *const c_void,
    *const [u32; 3],
    *const c_void,
    *const [u32; 3],
    *const [u32; 3],
    Handle,
    u32,
    u32,
    *const Handle,
    Handle,
) -> Status;
/// Attribute of the system, written to memory of the attribute's type.
pub type SystemInfo = unsafe extern "C" fn(u32, *mut c_void) -> Status;
/// Packets, how many.
pub type PacketWriter = unsafe extern "C" fn(*const Packet, u64);
/// Packets, how many, index in the application's queue, data of the registration, where to pass packets on.
pub type InterceptHandler =
    unsafe extern "C" fn(*const Packet, u64, u64, *mut c_void, PacketWriter);
pub type InterceptRegister =
    unsafe extern "C" fn(*mut Queue, InterceptHandler, *mut c_void) -> Status;
/// Executable, agent, symbol, data.
pub type SymbolCallback = unsafe extern "C" fn(Handle, Handle, Handle, *mut c_void) -> Status;
pub type IterateAgentSymbols =
    unsafe extern "C" fn(Handle, Handle, SymbolCallback, *mut c_void) -> Status;
/// Address, result; an allocator for the list of agents that reach it, their number and the list, which may be null.
pub type QueryPointer = unsafe extern "C" fn(
    *const c_void,
    *mut PointerInfo,
    *mut c_void,
    *mut u32,
    *mut *mut Handle,
) -> Status;

/// `hsa_amd_pointer_info_t`: what the runtime knows about an address. Zeros where nothing is known.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct PointerInfo {
    /// Bytes of this structure, set by the caller.
    pub size: u32,
    pub kind: u32,
    pub agent_base: usize,
    pub host_base: usize,
    pub size_in_bytes: usize,
    pub user_data: usize,
    pub owner: Handle,
    pub global_flags: u32,
}
assert_layout!(PointerInfo, 56, { agent_base @ 8, size_in_bytes @ 24, owner @ 40 });

/// `hsa_amd_profiling_dispatch_time_t`, in ticks of the system's clock.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    pub start: u64,
    pub end: u64,
}

/// First member of every API table.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct TableVersion {
    pub major: u32,
    /// Size of the table in bytes.
    pub minor: u32,
    pub step: u32,
    pub reserved: u32,
}

/// The root of the tables, as far as Luthier needs it.
#[repr(C)]
pub struct ApiTable {
    pub version: TableVersion,
    pub core: *mut CoreTable,
    pub amd: *mut AmdTable,
    pub finalizer: *mut TableVersion,
    pub image: *mut ImageTable,
}

/// Returns `true` if a table of this version has the entry at this byte offset.
pub fn covers(version: &TableVersion, offset: usize) -> bool {
    version.minor as usize >= offset + size_of::<usize>()
}

/// One entry after the other, in the runtime's order: an address, or a function if a type is given.
macro_rules! table {
    ($(#[$doc:meta])* $table:ident, $size:literal bytes: $($name:ident $(($type:ident))?,)*) => {
        $(#[$doc])*
        #[repr(C)]
        #[derive(Clone, Copy)]
        #[allow(missing_docs)]
        pub struct $table {
            pub version: TableVersion,
            $(pub $name: table!(@entry $($type)?),)*
        }
        const _: () = assert!(size_of::<$table>() == $size);

        impl $table {
            /// Names and byte offsets of all entries.
            pub const ENTRIES: &'static [(&'static str, usize)] =
                &[$((stringify!($name), std::mem::offset_of!($table, $name))),*];
        }
    };
    (@entry) => { usize };
    (@entry $type:ident) => { Option<$type> };
}

#[rustfmt::skip]
table! {
    /// The functions of HSA itself, `CoreApiTable`.
    CoreTable, 1016 bytes:
    init (Init),
    shut_down (ShutDown),
    system_get_info (SystemInfo),
    system_extension_supported,
    system_get_extension_table,
    iterate_agents (IterateAgents),
    agent_get_info (GetInfo),
    queue_create (QueueCreate),
    soft_queue_create,
    queue_destroy (QueueDestroy),
    queue_inactivate,
    queue_load_read_index_scacquire (LoadIndex),
    queue_load_read_index_relaxed,
    queue_load_write_index_scacquire,
    queue_load_write_index_relaxed,
    queue_store_write_index_relaxed,
    queue_store_write_index_screlease,
    queue_cas_write_index_scacq_screl,
    queue_cas_write_index_scacquire,
    queue_cas_write_index_relaxed,
    queue_cas_write_index_screlease,
    queue_add_write_index_scacq_screl,
    queue_add_write_index_scacquire,
    queue_add_write_index_relaxed,
    queue_add_write_index_screlease (AddIndex),
    queue_store_read_index_relaxed,
    queue_store_read_index_screlease,
    agent_iterate_regions,
    region_get_info,
    agent_get_exception_policies,
    agent_extension_supported,
    memory_register,
    memory_deregister,
    memory_allocate (MemoryAllocate),
    memory_free (MemoryFree),
    memory_copy (MemoryCopy),
    memory_assign_agent,
    signal_create (SignalCreate),
    signal_destroy (SignalDestroy),
    signal_load_relaxed,
    signal_load_scacquire (SignalLoad),
    signal_store_relaxed,
    signal_store_screlease (SignalStore),
    signal_wait_relaxed (SignalWait),
    signal_wait_scacquire (SignalWait),
    signal_and_relaxed,
    signal_and_scacquire,
    signal_and_screlease,
    signal_and_scacq_screl,
    signal_or_relaxed,
    signal_or_scacquire,
    signal_or_screlease,
    signal_or_scacq_screl,
    signal_xor_relaxed,
    signal_xor_scacquire,
    signal_xor_screlease,
    signal_xor_scacq_screl,
    signal_exchange_relaxed,
    signal_exchange_scacquire,
    signal_exchange_screlease,
    signal_exchange_scacq_screl,
    signal_add_relaxed,
    signal_add_scacquire,
    signal_add_screlease,
    signal_add_scacq_screl,
    signal_subtract_relaxed,
    signal_subtract_scacquire,
    signal_subtract_screlease,
    signal_subtract_scacq_screl,
    signal_cas_relaxed,
    signal_cas_scacquire,
    signal_cas_screlease,
    signal_cas_scacq_screl,
    isa_from_name,
    isa_get_info,
    isa_compatible,
    code_object_serialize,
    code_object_deserialize,
    code_object_destroy,
    code_object_get_info,
    code_object_get_symbol,
    code_symbol_get_info,
    code_object_iterate_symbols,
    executable_create,
    executable_destroy (ExecutableDestroy),
    executable_load_code_object (LoadCodeObject),
    executable_freeze (ExecutableFreeze),
    executable_get_info,
    executable_global_variable_define,
    executable_agent_global_variable_define,
    executable_readonly_variable_define,
    executable_validate,
    executable_get_symbol,
    executable_symbol_get_info (GetInfo),
    executable_iterate_symbols,
    status_string,
    extension_get_name,
    system_major_extension_supported,
    system_get_major_extension_table (GetExtensionTable),
    agent_major_extension_supported,
    cache_get_info,
    agent_iterate_caches,
    signal_silent_store_relaxed,
    signal_silent_store_screlease,
    signal_group_create,
    signal_group_destroy,
    signal_group_wait_any_scacquire,
    signal_group_wait_any_relaxed,
    agent_iterate_isas (IterateIsas),
    isa_get_info_alt (GetInfo),
    isa_get_exception_policies,
    isa_get_round_method,
    wavefront_get_info,
    isa_iterate_wavefronts,
    code_object_get_symbol_from_name,
    code_object_reader_create_from_file,
    code_object_reader_create_from_memory (ReaderFromMemory),
    code_object_reader_destroy (ReaderDestroy),
    executable_create_alt (ExecutableCreate),
    executable_load_program_code_object,
    executable_load_agent_code_object (LoadAgentCodeObject),
    executable_validate_alt,
    executable_get_symbol_by_name (GetSymbolByName),
    executable_iterate_agent_symbols (IterateAgentSymbols),
    executable_iterate_program_symbols,
}

#[rustfmt::skip]
table! {
    /// AMD's additions, `AmdExtTable`, as ROCr 5.0 to 5.4 have it.
    AmdTable, 400 bytes:
    coherency_get_type,
    coherency_set_type,
    profiling_set_profiler_enabled (SetProfiler),
    profiling_async_copy_enable (CopyProfiling),
    profiling_get_dispatch_time (DispatchTime),
    profiling_get_async_copy_time (CopyTime),
    profiling_convert_tick_to_system_domain,
    signal_async_handler,
    async_function,
    signal_wait_any,
    queue_cu_set_mask,
    memory_pool_get_info (GetInfo),
    agent_iterate_memory_pools (IteratePools),
    memory_pool_allocate (PoolAllocate),
    memory_pool_free (PoolFree),
    memory_async_copy (AsyncCopy),
    agent_memory_pool_get_info,
    agents_allow_access (AllowAccess),
    memory_pool_can_migrate,
    memory_migrate,
    memory_lock,
    memory_unlock,
    memory_fill,
    interop_map_buffer,
    interop_unmap_buffer,
    image_create,
    pointer_info (QueryPointer),
    pointer_info_set_userdata,
    ipc_memory_create,
    ipc_memory_attach,
    ipc_memory_detach,
    signal_create (AmdSignalCreate),
    ipc_signal_create,
    ipc_signal_attach,
    register_system_event_handler,
    queue_intercept_create (QueueCreate),
    queue_intercept_register (InterceptRegister),
    queue_set_priority,
    memory_async_copy_rect (AsyncCopyRect),
    runtime_queue_create_register,
    memory_lock_to_pool,
    register_deallocation_callback,
    deregister_deallocation_callback,
    signal_value_pointer (SignalValuePointer),
    svm_attributes_set,
    svm_attributes_get,
    svm_prefetch_async,
    queue_cu_get_mask,
}

#[rustfmt::skip]
table! {
    /// Images, `ImageExtTable`.
    ImageTable, 120 bytes:
    get_capability,
    data_get_info,
    create,
    import,
    export,
    copy,
    clear,
    destroy,
    sampler_create,
    sampler_destroy,
    get_capability_with_layout,
    data_get_info_with_layout,
    create_with_layout,
}
