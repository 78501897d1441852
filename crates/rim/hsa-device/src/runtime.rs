//! The runtime's functions, found by name.

use std::ffi::{CStr, c_char, c_void};

use aql::Queue;
use hsa_sys::{
    Handle, Status,
    tables::{
        AllowAccess, ExecutableCreate, ExecutableDestroy, ExecutableFreeze, GetInfo,
        GetSymbolByName, IterateAgents, IterateIsas, IteratePools, LoadAgentCodeObject,
        PoolAllocate, PoolFree, QueueCreate, ReaderDestroy, ReaderFromMemory, SignalCreate,
        SignalStore, SignalWait, SystemInfo,
    },
};

use crate::{Error, Result};

const LIBRARY: &CStr = c"libhsa-runtime64.so.1";
const LIBRARY_NAME: &str = "libhsa-runtime64.so.1";

type Init = unsafe extern "C" fn() -> Status;
type Copy = unsafe extern "C" fn(*mut c_void, *const c_void, usize) -> Status;
/// The index before the addition.
type AddIndex = unsafe extern "C" fn(*const Queue, u64) -> u64;

/// One field per function, found under the name beside it.
macro_rules! functions {
    ($($field:ident: $type:ty = $name:literal,)*) => {
        pub struct Runtime {
            $(pub $field: $type,)*
        }

        impl Runtime {
            /// Loads the library, which then stays for as long as the process.
            pub fn load() -> Result<Runtime> {
                // SAFETY: loading runs the constructors of ROCr, which any program may do.
                let library = unsafe { libc::dlopen(LIBRARY.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
                if library.is_null() {
                    return Err(Error::NoRuntime { library: LIBRARY_NAME, reason: reason() });
                }
                Ok(Runtime {
                    // SAFETY: the type is the function's own, from ROCr's headers.
                    $($field: unsafe {
                        std::mem::transmute::<*mut c_void, $type>(find(library, $name)?)
                    },)*
                })
            }
        }
    };
}

functions! {
    init: Init = c"hsa_init",
    system_get_info: SystemInfo = c"hsa_system_get_info",
    iterate_agents: IterateAgents = c"hsa_iterate_agents",
    agent_get_info: GetInfo = c"hsa_agent_get_info",
    agent_iterate_isas: IterateIsas = c"hsa_agent_iterate_isas",
    isa_get_info: GetInfo = c"hsa_isa_get_info_alt",
    iterate_pools: IteratePools = c"hsa_amd_agent_iterate_memory_pools",
    pool_get_info: GetInfo = c"hsa_amd_memory_pool_get_info",
    pool_allocate: PoolAllocate = c"hsa_amd_memory_pool_allocate",
    pool_free: PoolFree = c"hsa_amd_memory_pool_free",
    allow_access: AllowAccess = c"hsa_amd_agents_allow_access",
    memory_copy: Copy = c"hsa_memory_copy",
    queue_create: QueueCreate = c"hsa_queue_create",
    queue_add_write_index: AddIndex = c"hsa_queue_add_write_index_screlease",
    signal_create: SignalCreate = c"hsa_signal_create",
    signal_store: SignalStore = c"hsa_signal_store_screlease",
    signal_wait: SignalWait = c"hsa_signal_wait_scacquire",
    reader_create: ReaderFromMemory = c"hsa_code_object_reader_create_from_memory",
    reader_destroy: ReaderDestroy = c"hsa_code_object_reader_destroy",
    executable_create: ExecutableCreate = c"hsa_executable_create_alt",
    executable_load: LoadAgentCodeObject = c"hsa_executable_load_agent_code_object",
    executable_freeze: ExecutableFreeze = c"hsa_executable_freeze",
    executable_destroy: ExecutableDestroy = c"hsa_executable_destroy",
    executable_symbol: GetSymbolByName = c"hsa_executable_get_symbol_by_name",
    symbol_get_info: GetInfo = c"hsa_executable_symbol_get_info",
}

fn find(library: *mut c_void, name: &'static CStr) -> Result<*mut c_void> {
    // SAFETY: the library is loaded, the name ends with a zero.
    let found = unsafe { libc::dlsym(library, name.as_ptr()) };
    if found.is_null() {
        let function = name.to_str().unwrap_or_default();
        return Err(Error::NoFunction {
            library: LIBRARY_NAME,
            function,
        });
    }
    Ok(found)
}

fn reason() -> String {
    // SAFETY: the text is this thread's until its next call of the loader.
    let text: *const c_char = unsafe { libc::dlerror() };
    if text.is_null() {
        return "for no reason given".to_owned();
    }
    // SAFETY: not null, and the loader's texts end with a zero.
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}

/// Status 0, or what failed.
pub fn check(call: &'static str, status: Status) -> Result<()> {
    match status {
        hsa_sys::constants::status::SUCCESS => Ok(()),
        status => Err(Error::Call { call, status }),
    }
}

/// Everything that an iteration of the runtime shows.
pub fn collect(
    call: &'static str,
    iterate: impl FnOnce(unsafe extern "C" fn(Handle, *mut c_void) -> Status, *mut c_void) -> Status,
) -> Result<Vec<Handle>> {
    unsafe extern "C" fn push(handle: Handle, list: *mut c_void) -> Status {
        // SAFETY: `collect` passes its own list, which lives until the iteration has ended.
        unsafe { (*list.cast::<Vec<Handle>>()).push(handle) };
        hsa_sys::constants::status::SUCCESS
    }
    let mut list: Vec<Handle> = Vec::new();
    check(call, iterate(push, (&raw mut list).cast()))?;
    Ok(list)
}
