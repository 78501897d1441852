//! [`drain::Runtime`] over the HSA functions of this process.

use std::{
    ffi::{CStr, c_void},
    mem::offset_of,
};

use drain::{Agent, LoadedObject, Runtime, RuntimeError, Symbol};
use hsa_sys::tables::amd_offset;

use crate::hsa::*;

/// The functions used, as they were before anybody hooked them here.
#[derive(Clone, Copy)]
pub struct Api {
    pub iterate_agents: IterateAgents,
    pub agent_get_info: GetInfo,
    pub memory_copy: MemoryCopy,
    pub symbol_get_info: GetInfo,
    pub get_extension_table: GetExtensionTable,
    pub iterate_agent_symbols: IterateAgentSymbols,
    pub pointer_info: QueryPointer,
}

impl Api {
    /// From the tables an HSA tool is given; names the first entry that is missing.
    ///
    /// # Safety
    /// `core` and `amd` must be tables of the HSA runtime.
    pub unsafe fn from_tables(
        core: *const CoreTable,
        amd: *const AmdTable,
    ) -> Result<Self, &'static str> {
        // SAFETY: the caller's promise covers the table heads, `core_covers` and `amd_offset` the entries behind them; the entry
        // is null or the function of this name.
        unsafe {
            let core_covers = |offset: usize| (*core).version.minor as usize >= offset + 8;
            if !core_covers(offset_of!(CoreTable, iterate_agent_symbols)) {
                return Err("a core API table as new as that of HSA 1.2");
            }
            let pointer_info = amd_offset(&(*amd).version, offset_of!(AmdTable, pointer_info))
                .ok_or("hsa_amd_pointer_info at a known place")?;
            let pointer_info = amd
                .byte_add(pointer_info)
                .cast::<Option<QueryPointer>>()
                .read();
            Ok(Api {
                iterate_agents: (*core).iterate_agents.ok_or("hsa_iterate_agents")?,
                agent_get_info: (*core).agent_get_info.ok_or("hsa_agent_get_info")?,
                memory_copy: (*core).memory_copy.ok_or("hsa_memory_copy")?,
                symbol_get_info: (*core)
                    .symbol_get_info
                    .ok_or("hsa_executable_symbol_get_info")?,
                get_extension_table: (*core)
                    .get_extension_table
                    .ok_or("hsa_system_get_major_extension_table")?,
                iterate_agent_symbols: (*core)
                    .iterate_agent_symbols
                    .ok_or("hsa_executable_iterate_agent_symbols")?,
                pointer_info: pointer_info.ok_or("hsa_amd_pointer_info")?,
            })
        }
    }

    /// From a function that finds exported symbols; names the first that is missing.
    ///
    /// # Safety
    /// `find` must return addresses of the HSA functions of these names, or null.
    pub unsafe fn from_symbols(
        find: impl Fn(&'static CStr) -> *mut c_void,
    ) -> Result<Self, &'static str> {
        let get = |name: &'static CStr| {
            let address = find(name);
            if address.is_null() {
                Err(name.to_str().unwrap_or("an HSA function"))
            } else {
                Ok(address)
            }
        };
        // SAFETY: by the caller's promise each address is a function of the type that its name has in HSA 1.2.
        unsafe {
            Ok(Api {
                iterate_agents: std::mem::transmute::<*mut c_void, IterateAgents>(get(
                    c"hsa_iterate_agents",
                )?),
                agent_get_info: std::mem::transmute::<*mut c_void, GetInfo>(get(
                    c"hsa_agent_get_info",
                )?),
                memory_copy: std::mem::transmute::<*mut c_void, MemoryCopy>(get(
                    c"hsa_memory_copy",
                )?),
                symbol_get_info: std::mem::transmute::<*mut c_void, GetInfo>(get(
                    c"hsa_executable_symbol_get_info",
                )?),
                get_extension_table: std::mem::transmute::<*mut c_void, GetExtensionTable>(get(
                    c"hsa_system_get_major_extension_table",
                )?),
                iterate_agent_symbols: std::mem::transmute::<*mut c_void, IterateAgentSymbols>(
                    get(c"hsa_executable_iterate_agent_symbols")?,
                ),
                pointer_info: std::mem::transmute::<*mut c_void, QueryPointer>(get(
                    c"hsa_amd_pointer_info",
                )?),
            })
        }
    }
}

/// The HSA runtime of this process. Made anew for each use, because it may have been shut down in between.
pub struct HsaRuntime {
    api: Api,
    loader: LoaderTable,
}

fn check(call: &'static str, status: Status) -> Result<(), RuntimeError> {
    match status {
        SUCCESS => Ok(()),
        NOT_INITIALIZED => Err(RuntimeError::NotRunning),
        status => Err(RuntimeError::Call { call, status }),
    }
}

unsafe extern "C" fn collect_one(handle: Handle, list: *mut c_void) -> Status {
    // SAFETY: `list` is the vector that the caller of the iteration passed along.
    unsafe { (*list.cast::<Vec<Handle>>()).push(handle) };
    SUCCESS
}

unsafe extern "C" fn collect_object(
    _executable: Handle,
    object: Handle,
    list: *mut c_void,
) -> Status {
    // SAFETY: as above.
    unsafe { (*list.cast::<Vec<Handle>>()).push(object) };
    SUCCESS
}

unsafe extern "C" fn collect_symbol(
    _executable: Handle,
    _agent: Handle,
    symbol: Handle,
    list: *mut c_void,
) -> Status {
    // SAFETY: as above.
    unsafe { (*list.cast::<Vec<Handle>>()).push(symbol) };
    SUCCESS
}

impl HsaRuntime {
    /// Fetches the loader extension.
    pub fn new(api: Api) -> Result<Self, RuntimeError> {
        let mut loader = LoaderTable::empty();
        // SAFETY: the runtime writes at most the size given, and the table has that size.
        let status = unsafe {
            (api.get_extension_table)(
                EXTENSION_AMD_LOADER,
                1,
                size_of::<LoaderTable>(),
                (&raw mut loader).cast::<c_void>(),
            )
        };
        check("hsa_system_get_major_extension_table", status)?;
        Ok(HsaRuntime { api, loader })
    }

    fn info<T: Copy>(
        call: &'static str,
        get: GetInfo,
        of: Handle,
        what: u32,
        initial: T,
    ) -> Result<T, RuntimeError> {
        let mut value = initial;
        // SAFETY: each caller gives a `T` of the size that the attribute has in the HSA specification.
        check(call, unsafe {
            get(of, what, (&raw mut value).cast::<c_void>())
        })?;
        Ok(value)
    }

    fn object_info<T: Copy>(
        &self,
        object: Handle,
        what: u32,
        initial: T,
    ) -> Result<T, RuntimeError> {
        let call = "hsa_ven_amd_loader_loaded_code_object_get_info";
        Self::info(
            call,
            self.loader
                .object_get_info
                .ok_or(RuntimeError::Missing { call })?,
            object,
            what,
            initial,
        )
    }

    /// A string attribute. The runtime does not terminate it, and its length is a separate attribute.
    fn text(
        get: impl FnOnce(*mut c_void) -> Status,
        call: &'static str,
        length: u32,
    ) -> Result<String, RuntimeError> {
        let mut bytes = vec![0u8; length as usize + 1];
        check(call, get(bytes.as_mut_ptr().cast()))?;
        bytes.truncate(length as usize);
        let end = bytes
            .iter()
            .position(|&byte| byte == 0)
            .unwrap_or(bytes.len());
        Ok(String::from_utf8_lossy(&bytes[..end]).into_owned())
    }

    fn describe_object(
        &self,
        executable: Handle,
        handle: Handle,
    ) -> Result<Option<LoadedObject>, RuntimeError> {
        if self.object_info(handle, OBJECT_INFO_KIND, 0u32)? != OBJECT_KIND_AGENT {
            return Ok(None);
        }
        let call = "hsa_ven_amd_loader_loaded_code_object_get_info";
        let get = self
            .loader
            .object_get_info
            .ok_or(RuntimeError::Missing { call })?;
        let length = self
            .object_info(handle, OBJECT_INFO_URI_LENGTH, 0u32)
            .unwrap_or(0)
            .min(1 << 16);
        // SAFETY: the buffer has the length that the runtime reported, and one byte more.
        let uri = Self::text(
            |into| unsafe { get(handle, OBJECT_INFO_URI, into) },
            call,
            length,
        )
        .unwrap_or_default();
        let image_size = match self.object_info(handle, OBJECT_INFO_STORAGE_TYPE, 0u32)? {
            STORAGE_MEMORY => self.object_info(handle, OBJECT_INFO_MEMORY_SIZE, 0u64)?,
            STORAGE_FILE => file_part(&uri).1.unwrap_or_else(|| {
                let descriptor = self
                    .object_info(handle, OBJECT_INFO_FILE, -1i32)
                    .unwrap_or(-1);
                file_size(descriptor).saturating_sub(file_part(&uri).0)
            }),
            _ => 0,
        };
        Ok(Some(LoadedObject {
            executable,
            handle,
            agent: self.object_info(handle, OBJECT_INFO_AGENT, 0u64)?,
            load_delta: self.object_info(handle, OBJECT_INFO_LOAD_DELTA, 0u64)?,
            image_size,
            uri,
        }))
    }

    /// Refuses ranges that are not inside one allocation of the agent: the runtime would copy those with the CPU, and
    /// crash the process where device memory is not mapped.
    fn check_range(&self, agent: u64, address: u64, size: usize) -> Result<(), RuntimeError> {
        let mut info = PointerInfo {
            size: size_of::<PointerInfo>() as u32,
            kind: 0,
            agent_base: std::ptr::null_mut(),
            host_base: std::ptr::null_mut(),
            size_in_bytes: 0,
            user_data: std::ptr::null_mut(),
            owner: 0,
            global_flags: 0,
        };
        let null = std::ptr::null_mut();
        // SAFETY: the address is only looked up, and null arguments ask for no list of agents.
        let status = unsafe {
            (self.api.pointer_info)(
                address as *const c_void,
                &raw mut info,
                null,
                null.cast(),
                null.cast(),
            )
        };
        check("hsa_amd_pointer_info", status)?;
        let base = info.agent_base as u64;
        let end = address.checked_add(size as u64);
        let inside = address >= base
            && end.is_some_and(|end| end <= base.saturating_add(info.size_in_bytes as u64));
        if info.kind == POINTER_TYPE_HSA && info.owner == agent && inside {
            return Ok(());
        }
        let found = match info.kind {
            POINTER_TYPE_HSA if info.owner != agent => "memory of another agent".into(),
            POINTER_TYPE_HSA => format!("allocation is {base:#x}+{:#x}", info.size_in_bytes),
            kind => format!("pointer type {kind}"),
        };
        Err(RuntimeError::OutsideAllocation {
            address,
            size: size as u64,
            found,
        })
    }
}

impl Runtime for HsaRuntime {
    fn agents(&self) -> Result<Vec<Agent>, RuntimeError> {
        let mut handles: Vec<Handle> = Vec::new();
        // SAFETY: the callback treats the pointer as the vector it is.
        check("hsa_iterate_agents", unsafe {
            (self.api.iterate_agents)(collect_one, (&raw mut handles).cast::<c_void>())
        })?;
        let mut agents = Vec::new();
        for handle in handles {
            let get = self.api.agent_get_info;
            let call = "hsa_agent_get_info";
            if Self::info(call, get, handle, AGENT_INFO_DEVICE, 0u32)? != DEVICE_GPU {
                continue;
            }
            // SAFETY: agent names take 64 bytes.
            let name = Self::text(
                |into| unsafe { get(handle, AGENT_INFO_NAME, into) },
                call,
                63,
            )?;
            // SAFETY: the identifier takes at most 21 bytes, `GPU-` and 16 digits.
            let uuid = Self::text(
                |into| unsafe { get(handle, AGENT_INFO_UUID, into) },
                call,
                63,
            )
            .unwrap_or_default();
            let node = Self::info(call, get, handle, AGENT_INFO_DRIVER_NODE, 0u32).unwrap_or(0);
            // Devices without an identifier all report the same placeholder.
            let label = if uuid.is_empty() || uuid == "GPU-XX" {
                format!("node{node}")
            } else {
                uuid
            };
            agents.push(Agent {
                handle,
                name,
                label,
            });
        }
        Ok(agents)
    }

    fn executables(&self) -> Result<Vec<u64>, RuntimeError> {
        let mut executables: Vec<Handle> = Vec::new();
        if let Some(iterate) = self.loader.iterate_executables {
            // SAFETY: the callback treats the pointer as the vector it is.
            let status = unsafe { iterate(collect_one, (&raw mut executables).cast::<c_void>()) };
            check("hsa_ven_amd_loader_iterate_executables", status)?;
            return Ok(executables);
        }
        // Loader extensions before 1.03 list segments only.
        let call = "hsa_ven_amd_loader_query_segment_descriptors";
        let query = self
            .loader
            .query_segments
            .ok_or(RuntimeError::Missing { call })?;
        let mut count = 0usize;
        // SAFETY: a null list asks for the number of segments.
        check(call, unsafe { query(std::ptr::null_mut(), &raw mut count) })?;
        let null = std::ptr::null();
        let blank = Segment {
            agent: 0,
            executable: 0,
            storage: 0,
            storage_base: null,
            storage_size: 0,
            storage_offset: 0,
            segment_base: null,
            segment_size: 0,
        };
        let mut segments = vec![blank; count];
        // SAFETY: the list has as many entries as `count` says.
        check(call, unsafe {
            query(segments.as_mut_ptr(), &raw mut count)
        })?;
        executables = segments
            .iter()
            .take(count)
            .map(|segment| segment.executable)
            .collect();
        executables.sort_unstable();
        executables.dedup();
        Ok(executables)
    }

    fn objects(&self, executable: u64) -> Result<Vec<LoadedObject>, RuntimeError> {
        let call = "hsa_ven_amd_loader_executable_iterate_loaded_code_objects";
        let iterate = self
            .loader
            .iterate_objects
            .ok_or(RuntimeError::Missing { call })?;
        let mut handles: Vec<Handle> = Vec::new();
        // SAFETY: the callback treats the pointer as the vector it is.
        let status = unsafe {
            iterate(
                executable,
                collect_object,
                (&raw mut handles).cast::<c_void>(),
            )
        };
        // ROCr 5.2 goes on to list executables that were destroyed.
        if status == INVALID_EXECUTABLE {
            return Ok(Vec::new());
        }
        check(call, status)?;
        let described = handles
            .into_iter()
            .filter_map(|handle| self.describe_object(executable, handle).transpose());
        described.collect()
    }

    fn symbols(&self, executable: u64, agent: u64) -> Result<Vec<Symbol>, RuntimeError> {
        let mut handles: Vec<Handle> = Vec::new();
        // SAFETY: the callback treats the pointer as the vector it is.
        check("hsa_executable_iterate_agent_symbols", unsafe {
            (self.api.iterate_agent_symbols)(
                executable,
                agent,
                collect_symbol,
                (&raw mut handles).cast::<c_void>(),
            )
        })?;
        let get = self.api.symbol_get_info;
        let call = "hsa_executable_symbol_get_info";
        let mut symbols = Vec::new();
        for handle in handles {
            if Self::info(call, get, handle, SYMBOL_INFO_TYPE, u32::MAX)? != SYMBOL_VARIABLE {
                continue;
            }
            let length = Self::info(call, get, handle, SYMBOL_INFO_NAME_LENGTH, 0u32)?.min(1 << 20);
            // SAFETY: the buffer has the length that the runtime reported, and one byte more.
            let name = Self::text(
                |into| unsafe { get(handle, SYMBOL_INFO_NAME, into) },
                call,
                length,
            )?;
            if drain::image::is_interesting(&name) {
                let address = Self::info(call, get, handle, SYMBOL_INFO_VARIABLE_ADDRESS, 0u64)?;
                let size = Self::info(call, get, handle, SYMBOL_INFO_VARIABLE_SIZE, 0u32)?;
                symbols.push(Symbol {
                    name,
                    address,
                    size: size.into(),
                });
            }
        }
        Ok(symbols)
    }

    fn read_image(&self, object: &LoadedObject, offset: u64, into: &mut [u8]) -> bool {
        match self.object_info(object.handle, OBJECT_INFO_STORAGE_TYPE, 0u32) {
            Ok(STORAGE_MEMORY) => {
                let Ok(base) = self.object_info(object.handle, OBJECT_INFO_MEMORY_BASE, 0u64)
                else {
                    return false;
                };
                base.checked_add(offset)
                    .is_some_and(|address| read_own_memory(address, into))
            }
            Ok(STORAGE_FILE) => {
                let descriptor = self
                    .object_info(object.handle, OBJECT_INFO_FILE, -1i32)
                    .unwrap_or(-1);
                let (start, _) = file_part(&object.uri);
                read_descriptor(descriptor, start.saturating_add(offset), into)
            }
            _ => false,
        }
    }

    fn read(&self, agent: u64, address: u64, into: &mut [u8]) -> Result<(), RuntimeError> {
        self.check_range(agent, address, into.len())?;
        // SAFETY: the source is inside one allocation of the device, the destination is our buffer.
        let status = unsafe {
            (self.api.memory_copy)(
                into.as_mut_ptr().cast(),
                address as *const c_void,
                into.len(),
            )
        };
        check("hsa_memory_copy", status)
    }

    fn write(&self, agent: u64, address: u64, from: &[u8]) -> Result<(), RuntimeError> {
        self.check_range(agent, address, from.len())?;
        // SAFETY: the destination is inside one allocation of the device, the source is our buffer.
        let status = unsafe {
            (self.api.memory_copy)(address as *mut c_void, from.as_ptr().cast(), from.len())
        };
        check("hsa_memory_copy", status)
    }
}

/// Offset and size in a URI such as `file:///path#offset=4096&size=512`.
fn file_part(uri: &str) -> (u64, Option<u64>) {
    let fragment = uri.split_once('#').map_or("", |(_, fragment)| fragment);
    let field = |name: &str| {
        let text = fragment
            .split('&')
            .find_map(|field| field.strip_prefix(name))?;
        match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        }
    };
    (field("offset=").unwrap_or(0), field("size="))
}

fn file_size(descriptor: i32) -> u64 {
    // SAFETY: `stat` is plain data, and a bad descriptor only makes the call fail.
    unsafe {
        let mut stat: libc::stat = std::mem::zeroed();
        if libc::fstat(descriptor, &raw mut stat) == 0 {
            stat.st_size as u64
        } else {
            0
        }
    }
}

fn read_descriptor(descriptor: i32, offset: u64, into: &mut [u8]) -> bool {
    let mut done = 0;
    while done < into.len() {
        let rest = &mut into[done..];
        // SAFETY: the buffer is ours and as long as stated.
        let count = unsafe {
            libc::pread(
                descriptor,
                rest.as_mut_ptr().cast(),
                rest.len(),
                (offset + done as u64) as libc::off_t,
            )
        };
        if count <= 0 {
            return false;
        }
        done += count as usize;
    }
    true
}

/// Reads this process's memory through the kernel, so that a stale pointer is an error and not a crash.
fn read_own_memory(address: u64, into: &mut [u8]) -> bool {
    let local = libc::iovec {
        iov_base: into.as_mut_ptr().cast(),
        iov_len: into.len(),
    };
    let remote = libc::iovec {
        iov_base: address as *mut c_void,
        iov_len: into.len(),
    };
    // SAFETY: the local range is our buffer; the remote one is checked by the kernel.
    let count = unsafe {
        libc::process_vm_readv(libc::getpid(), &raw const local, 1, &raw const remote, 1, 0)
    };
    if count == into.len() as isize {
        return true;
    }
    if count >= 0 {
        return false;
    }
    // Some containers forbid that call; the memory file does the same.
    let Ok(memory) = std::fs::File::open("/proc/self/mem") else {
        return false;
    };
    std::os::unix::fs::FileExt::read_exact_at(&memory, into, address).is_ok()
}
