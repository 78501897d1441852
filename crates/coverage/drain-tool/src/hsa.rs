//! The slice of the HSA 1.x ABI that the drain uses. Sizes and offsets were measured with the headers of ROCr 5.2.3.
//!
//! The core table only grows at its end, so an entry exists when the table's `minor` (its size) covers it.

use std::{ffi::c_void, mem::offset_of};

pub use hsa_sys::tables::{AmdTable, TableVersion};

pub type Status = u32;
pub const SUCCESS: Status = 0;
pub const NOT_INITIALIZED: Status = 0x100b;
pub const INVALID_EXECUTABLE: Status = 0x1011;

/// Handles are structs of one `u64` in C, which are passed as a `u64`.
pub type Handle = u64;

pub const AGENT_INFO_NAME: u32 = 0;
pub const AGENT_INFO_DEVICE: u32 = 17;
pub const AGENT_INFO_DRIVER_NODE: u32 = 0xa004;
pub const AGENT_INFO_UUID: u32 = 0xa011;
pub const DEVICE_GPU: u32 = 1;

pub const SYMBOL_INFO_TYPE: u32 = 0;
pub const SYMBOL_INFO_NAME_LENGTH: u32 = 1;
pub const SYMBOL_INFO_NAME: u32 = 2;
pub const SYMBOL_INFO_VARIABLE_SIZE: u32 = 9;
pub const SYMBOL_INFO_VARIABLE_ADDRESS: u32 = 21;
pub const SYMBOL_VARIABLE: u32 = 0;

pub const EXTENSION_AMD_LOADER: u16 = 0x201;
pub const OBJECT_INFO_KIND: u32 = 2;
pub const OBJECT_INFO_AGENT: u32 = 3;
pub const OBJECT_INFO_STORAGE_TYPE: u32 = 4;
pub const OBJECT_INFO_MEMORY_BASE: u32 = 5;
pub const OBJECT_INFO_MEMORY_SIZE: u32 = 6;
pub const OBJECT_INFO_FILE: u32 = 7;
pub const OBJECT_INFO_LOAD_DELTA: u32 = 8;
pub const OBJECT_INFO_URI_LENGTH: u32 = 11;
pub const OBJECT_INFO_URI: u32 = 12;
pub const OBJECT_KIND_AGENT: u32 = 2;
pub const STORAGE_FILE: u32 = 1;
pub const STORAGE_MEMORY: u32 = 2;

pub const POINTER_TYPE_HSA: u32 = 1;

pub type ShutDown = unsafe extern "C" fn() -> Status;
pub type AgentCallback = unsafe extern "C" fn(Handle, *mut c_void) -> Status;
pub type IterateAgents = unsafe extern "C" fn(AgentCallback, *mut c_void) -> Status;
pub type GetInfo = unsafe extern "C" fn(Handle, u32, *mut c_void) -> Status;
pub type MemoryCopy = unsafe extern "C" fn(*mut c_void, *const c_void, usize) -> Status;
pub type ExecutableDestroy = unsafe extern "C" fn(Handle) -> Status;
pub type ExecutableFreeze = unsafe extern "C" fn(Handle, *const libc::c_char) -> Status;
pub type LoadAgentCodeObject =
    unsafe extern "C" fn(Handle, Handle, Handle, *const libc::c_char, *mut Handle) -> Status;
pub type SymbolCallback = unsafe extern "C" fn(Handle, Handle, Handle, *mut c_void) -> Status;
pub type IterateAgentSymbols =
    unsafe extern "C" fn(Handle, Handle, SymbolCallback, *mut c_void) -> Status;
pub type GetExtensionTable = unsafe extern "C" fn(u16, u16, usize, *mut c_void) -> Status;
pub type QueryPointer = unsafe extern "C" fn(
    *const c_void,
    *mut PointerInfo,
    *mut c_void,
    *mut u32,
    *mut *mut Handle,
) -> Status;
pub type ObjectCallback = unsafe extern "C" fn(Handle, Handle, *mut c_void) -> Status;
pub type IterateObjects = unsafe extern "C" fn(Handle, ObjectCallback, *mut c_void) -> Status;
pub type ExecutableCallback = unsafe extern "C" fn(Handle, *mut c_void) -> Status;
pub type IterateExecutables = unsafe extern "C" fn(ExecutableCallback, *mut c_void) -> Status;
pub type QuerySegments = unsafe extern "C" fn(*mut Segment, *mut usize) -> Status;

/// The root of the tables, as far as it is needed.
#[repr(C)]
pub struct ApiTable {
    pub version: TableVersion,
    pub core: *mut CoreTable,
    pub amd: *mut AmdTable,
}

/// The core table: entries not used here are gaps.
#[repr(C)]
pub struct CoreTable {
    pub version: TableVersion,
    _init: usize,
    pub shut_down: Option<ShutDown>,
    _gap1: [usize; 3],
    pub iterate_agents: Option<IterateAgents>,
    pub agent_get_info: Option<GetInfo>,
    _gap2: [usize; 28],
    pub memory_copy: Option<MemoryCopy>,
    _gap3: [usize; 48],
    pub executable_destroy: Option<ExecutableDestroy>,
    _load_code_object: usize,
    pub executable_freeze: Option<ExecutableFreeze>,
    _gap4: [usize; 6],
    pub symbol_get_info: Option<GetInfo>,
    _gap5: [usize; 4],
    pub get_extension_table: Option<GetExtensionTable>,
    _gap6: [usize; 21],
    pub load_agent_code_object: Option<LoadAgentCodeObject>,
    _gap7: [usize; 2],
    pub iterate_agent_symbols: Option<IterateAgentSymbols>,
}

const _: () = {
    assert!(offset_of!(ApiTable, core) == 16);
    assert!(offset_of!(ApiTable, amd) == 24);
    assert!(offset_of!(CoreTable, shut_down) == 24);
    assert!(offset_of!(CoreTable, iterate_agents) == 56);
    assert!(offset_of!(CoreTable, agent_get_info) == 64);
    assert!(offset_of!(CoreTable, memory_copy) == 296);
    assert!(offset_of!(CoreTable, executable_destroy) == 688);
    assert!(offset_of!(CoreTable, executable_freeze) == 704);
    assert!(offset_of!(CoreTable, symbol_get_info) == 760);
    assert!(offset_of!(CoreTable, get_extension_table) == 800);
    assert!(offset_of!(CoreTable, load_agent_code_object) == 976);
    assert!(offset_of!(CoreTable, iterate_agent_symbols) == 1000);
    assert!(size_of::<PointerInfo>() == 56);
    assert!(offset_of!(PointerInfo, size_in_bytes) == 24);
    assert!(offset_of!(PointerInfo, owner) == 40);
    assert!(size_of::<Segment>() == 64);
    assert!(size_of::<LoaderTable>() == 56);
};

/// What the runtime knows about an address.
#[repr(C)]
pub struct PointerInfo {
    /// Size of this struct, set by the caller.
    pub size: u32,
    pub kind: u32,
    pub agent_base: *mut c_void,
    pub host_base: *mut c_void,
    pub size_in_bytes: usize,
    pub user_data: *mut c_void,
    pub owner: Handle,
    pub global_flags: u32,
}

/// One loaded segment.
#[repr(C)]
#[derive(Clone)]
pub struct Segment {
    pub agent: Handle,
    pub executable: Handle,
    pub storage: u32,
    pub storage_base: *const c_void,
    pub storage_size: usize,
    pub storage_offset: usize,
    pub segment_base: *const c_void,
    pub segment_size: usize,
}

/// The AMD loader extension 1.03; older runtimes leave the last entries null.
#[repr(C)]
pub struct LoaderTable {
    _query_host_address: usize,
    pub query_segments: Option<QuerySegments>,
    _query_executable: usize,
    pub iterate_objects: Option<IterateObjects>,
    pub object_get_info: Option<GetInfo>,
    _reader_from_file: usize,
    pub iterate_executables: Option<IterateExecutables>,
}

impl LoaderTable {
    pub const fn empty() -> Self {
        LoaderTable {
            _query_host_address: 0,
            query_segments: None,
            _query_executable: 0,
            iterate_objects: None,
            object_get_info: None,
            _reader_from_file: 0,
            iterate_executables: None,
        }
    }
}
