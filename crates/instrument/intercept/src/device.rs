//! [`session::Device`] over the HSA functions that were there before us.

use std::{
    collections::HashMap,
    ffi::{CStr, CString, c_void},
    os::unix::fs::FileExt,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
};

use hsa_sys::{
    Handle, Status,
    constants::{self, agent_info, isa_info, pool_flag, pool_info, status, symbol_info},
    loader::{IterateObjects, LoaderTable, STORAGE_FILE, STORAGE_MEMORY, object_info},
    tables::GetInfo,
};
use session::{Agent, AgentId, Device, DeviceError, Loaded, MemoryKind};

use crate::{api::Api, lock, queues::Queues, threads};

fn check(call: &'static str, status: Status) -> Result<(), DeviceError> {
    match status {
        status::SUCCESS | status::INFO_BREAK => Ok(()),
        status::NOT_INITIALIZED => Err(DeviceError::Gone),
        status => Err(DeviceError::Call { call, status }),
    }
}

/// The function of a table, by its entry and its full name.
macro_rules! function {
    ($api:expr, $table:ident.$entry:ident) => {
        $api.$table.$entry.ok_or(DeviceError::Missing {
            call: stringify!($entry),
        })?
    };
}

/// # Safety
/// `T` must have the size that the attribute has in the specification.
unsafe fn info<T>(
    call: &'static str,
    get: GetInfo,
    of: Handle,
    what: u32,
    mut value: T,
) -> Result<T, DeviceError> {
    // SAFETY: the caller's promise.
    check(call, unsafe {
        get(of, what, (&raw mut value).cast::<c_void>())
    })?;
    Ok(value)
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0);
    String::from_utf8_lossy(&bytes[..end.unwrap_or(bytes.len())]).into_owned()
}

unsafe extern "C" fn collect_objects(
    _executable: Handle,
    object: Handle,
    list: *mut c_void,
) -> Status {
    // SAFETY: `list` is the vector that the caller of the iteration passed along.
    unsafe { collect(object, list) }
}

unsafe extern "C" fn collect(handle: Handle, list: *mut c_void) -> Status {
    // SAFETY: `list` is the vector that the caller of the iteration passed along.
    unsafe { (*list.cast::<Vec<Handle>>()).push(handle) };
    status::SUCCESS
}

/// The loader extension: which code lies where, and the file it came from.
pub struct Loader {
    get: GetInfo,
    iterate: Option<IterateObjects>,
}

const OBJECT_INFO: &str = "hsa_ven_amd_loader_loaded_code_object_get_info";

impl Loader {
    pub fn new(api: &Api) -> Result<Loader, DeviceError> {
        let mut table = LoaderTable::default();
        let fill = function!(api, core.system_get_major_extension_table);
        // SAFETY: the runtime writes at most the size given, and the table has that size.
        let status = unsafe {
            fill(
                constants::EXTENSION_AMD_LOADER,
                1,
                size_of::<LoaderTable>(),
                (&raw mut table).cast(),
            )
        };
        check("hsa_system_get_major_extension_table", status)?;
        let get = table.loaded_code_object_get_info;
        Ok(Loader {
            get: get.ok_or(DeviceError::Missing { call: OBJECT_INFO })?,
            iterate: table.iterate_loaded_code_objects,
        })
    }

    /// What is loaded into an executable so far.
    pub fn objects(&self, executable: Handle) -> Result<Vec<Handle>, DeviceError> {
        let call = "hsa_ven_amd_loader_executable_iterate_loaded_code_objects";
        let iterate = self.iterate.ok_or(DeviceError::Missing { call })?;
        let mut handles: Vec<Handle> = Vec::new();
        // SAFETY: the callback treats the pointer as the vector it is.
        check(call, unsafe {
            iterate(executable, collect_objects, (&raw mut handles).cast())
        })?;
        Ok(handles)
    }

    /// # Safety
    /// As [`info`].
    unsafe fn info<T>(&self, object: Handle, what: u32, value: T) -> Result<T, DeviceError> {
        // SAFETY: the caller's promise.
        unsafe { info(OBJECT_INFO, self.get, object, what, value) }
    }

    /// First address, bytes, and load delta of a frozen object.
    pub fn placement(&self, object: Handle) -> Result<(u64, u64, u64), DeviceError> {
        // SAFETY: all three are 64 bits wide.
        unsafe {
            Ok((
                self.info(object, object_info::LOAD_BASE, 0u64)?,
                self.info(object, object_info::LOAD_SIZE, 0u64)?,
                self.info(object, object_info::LOAD_DELTA, 0u64)?,
            ))
        }
    }

    /// Where the object came from; empty if the runtime does not say.
    pub fn uri(&self, object: Handle) -> String {
        // SAFETY: the length is 32 bits wide, and the buffer has that length.
        unsafe {
            let length = self
                .info(object, object_info::URI_LENGTH, 0u32)
                .unwrap_or(0)
                .min(1 << 16);
            let mut bytes = vec![0u8; length as usize + 1];
            let status = (self.get)(object, object_info::URI, bytes.as_mut_ptr().cast());
            bytes.truncate(length as usize);
            if status == status::SUCCESS {
                text(&bytes)
            } else {
                String::new()
            }
        }
    }

    /// A copy of the file that was loaded. Only while its reader exists.
    pub fn bytes(&self, object: Handle) -> Result<Vec<u8>, DeviceError> {
        // SAFETY: types are those of the attributes; memory is that of a living reader.
        unsafe {
            match self.info(object, object_info::STORAGE_TYPE, 0u32)? {
                STORAGE_MEMORY => {
                    let base = self.info(object, object_info::MEMORY_BASE, 0u64)?;
                    let size = self.info(object, object_info::MEMORY_SIZE, 0u64)?;
                    let bytes = std::slice::from_raw_parts(base as *const u8, size as usize);
                    Ok(bytes.to_vec())
                }
                STORAGE_FILE => {
                    let descriptor = self.info(object, object_info::FILE, -1i32)?;
                    read_file(descriptor, &self.uri(object)).ok_or(DeviceError::Call {
                        call: "reading a code object's file",
                        status: 1,
                    })
                }
                _ => Err(DeviceError::Missing { call: OBJECT_INFO }),
            }
        }
    }
}

/// The part of an open file that a URI such as `file:///path#offset=4096&size=512` names.
fn read_file(descriptor: i32, uri: &str) -> Option<Vec<u8>> {
    let fragment = uri
        .split_once(['#', '?'])
        .map_or("", |(_, fragment)| fragment);
    let field = |name: &str| {
        let text = fragment
            .split('&')
            .find_map(|field| field.strip_prefix(name))?;
        match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        }
    };
    // SAFETY: the file stays the application's: it is not closed here.
    let file = std::mem::ManuallyDrop::new(unsafe {
        <std::fs::File as std::os::fd::FromRawFd>::from_raw_fd(descriptor)
    });
    let offset = field("offset=").unwrap_or(0);
    let size = match field("size=") {
        Some(size) => size,
        None => file.metadata().ok()?.len().checked_sub(offset)?,
    };
    let mut bytes = vec![0; usize::try_from(size).ok()?];
    file.read_exact_at(&mut bytes, offset).ok()?;
    Some(bytes)
}

/// All GPUs of this process.
pub struct HsaDevice {
    api: &'static Api,
    queues: Arc<Queues>,
    agents: Vec<Agent>,
    cpus: Vec<Handle>,
    /// Objects of ours, which must stay in memory while they are loaded, by executable.
    objects: Mutex<HashMap<u64, Vec<u8>>>,
}

impl HsaDevice {
    pub fn new(api: &'static Api, queues: Arc<Queues>) -> Result<HsaDevice, DeviceError> {
        let mut handles: Vec<Handle> = Vec::new();
        let iterate = function!(api, core.iterate_agents);
        let get = function!(api, core.agent_get_info);
        // SAFETY: the callback treats the pointer as the vector it is.
        check("hsa_iterate_agents", unsafe {
            iterate(collect, (&raw mut handles).cast())
        })?;
        let (mut agents, mut cpus) = (Vec::new(), Vec::new());
        for handle in handles {
            // SAFETY: the device type is 32 bits wide, names take 64 bytes.
            unsafe {
                let call = "hsa_agent_get_info";
                if info(call, get, handle, agent_info::DEVICE, 0u32)? != constants::DEVICE_TYPE_GPU
                {
                    cpus.push(handle);
                    continue;
                }
                let name = text(&info(call, get, handle, agent_info::NAME, [0u8; 64])?);
                let product = info(call, get, handle, agent_info::PRODUCT_NAME, [0u8; 64]);
                agents.push(Agent {
                    id: AgentId(handle),
                    number: agents.len() as u32,
                    target: target(api, handle).unwrap_or(name),
                    product: product.map(|product| text(&product)).unwrap_or_default(),
                });
            }
        }
        Ok(HsaDevice {
            api,
            queues,
            agents,
            cpus,
            objects: Mutex::default(),
        })
    }

    fn pool(&self, agent: AgentId, kind: MemoryKind) -> Result<Handle, DeviceError> {
        let iterate = function!(self.api, amd.agent_iterate_memory_pools);
        let get = function!(self.api, amd.memory_pool_get_info);
        let call = "hsa_amd_memory_pool_get_info";
        let (owners, wanted) = match kind {
            MemoryKind::Device => (vec![agent.0], pool_flag::COARSE_GRAINED),
            MemoryKind::Shared => (self.cpus.clone(), pool_flag::FINE_GRAINED),
        };
        for owner in owners {
            let mut pools: Vec<Handle> = Vec::new();
            // SAFETY: the callback treats the pointer as the vector it is; attribute types are as documented.
            unsafe {
                let status = iterate(owner, collect, (&raw mut pools).cast());
                check("hsa_amd_agent_iterate_memory_pools", status)?;
                for pool in pools {
                    let segment = info(call, get, pool, pool_info::SEGMENT, u32::MAX)?;
                    let flags = info(call, get, pool, pool_info::GLOBAL_FLAGS, 0u32).unwrap_or(0);
                    let allowed = info(call, get, pool, pool_info::ALLOCATION_ALLOWED, 0u8)?;
                    if segment == constants::SEGMENT_GLOBAL && flags & wanted != 0 && allowed != 0 {
                        return Ok(pool);
                    }
                }
            }
        }
        Err(DeviceError::NoPool {
            agent: agent.0,
            kind,
        })
    }

    fn copy(&self, to: *mut c_void, from: *const c_void, size: usize) -> Result<(), DeviceError> {
        let copy = function!(self.api, core.memory_copy);
        // SAFETY: callers pass a buffer of ours and device memory of ours, both of this size.
        check("hsa_memory_copy", unsafe { copy(to, from, size) })
    }
}

/// The agent's first instruction set, without the triple before the processor.
fn target(api: &Api, agent: Handle) -> Option<String> {
    let mut isas: Vec<Handle> = Vec::new();
    // SAFETY: the callback treats the pointer as the vector it is; the name's buffer has the length the runtime states.
    unsafe {
        api.core.agent_iterate_isas?(agent, collect, (&raw mut isas).cast());
        let get = api.core.isa_get_info_alt?;
        let isa = *isas.first()?;
        let length = info("", get, isa, isa_info::NAME_LENGTH, 0u32).ok()?;
        let mut name = vec![0u8; length as usize + 1];
        let status = get(isa, isa_info::NAME, name.as_mut_ptr().cast());
        let name = text(&name);
        let start = name.find("gfx")?;
        (status == status::SUCCESS).then(|| name[start..].to_owned())
    }
}

/// Destroys a half-made executable and its reader on the way out.
struct Unfinished<'a> {
    api: &'a Api,
    reader: Handle,
    executable: Handle,
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        // SAFETY: both are ours, and 0 stands for none.
        unsafe {
            if let Some(destroy) = self
                .api
                .core
                .executable_destroy
                .filter(|_| self.executable != 0)
            {
                destroy(self.executable);
            }
            if let Some(destroy) = self
                .api
                .core
                .code_object_reader_destroy
                .filter(|_| self.reader != 0)
            {
                destroy(self.reader);
            }
        }
    }
}

impl Device for HsaDevice {
    fn agents(&self) -> Vec<Agent> {
        self.agents.clone()
    }

    fn load(
        &self,
        agent: AgentId,
        object: &[u8],
        symbols: &[&str],
    ) -> Result<Vec<Loaded>, DeviceError> {
        let object = object.to_vec();
        let api = self.api;
        let mut unfinished = Unfinished {
            api,
            reader: 0,
            executable: 0,
        };
        // SAFETY: handles are those that the calls before returned; the object stays in memory until it is unloaded.
        unsafe {
            let status = function!(api, core.code_object_reader_create_from_memory)(
                object.as_ptr().cast(),
                object.len(),
                &raw mut unfinished.reader,
            );
            check("hsa_code_object_reader_create_from_memory", status)?;
            let status = function!(api, core.executable_create_alt)(
                constants::PROFILE_FULL,
                constants::ROUNDING_DEFAULT,
                std::ptr::null(),
                &raw mut unfinished.executable,
            );
            check("hsa_executable_create_alt", status)?;
            let executable = unfinished.executable;
            let status = function!(api, core.executable_load_agent_code_object)(
                executable,
                agent.0,
                unfinished.reader,
                std::ptr::null(),
                std::ptr::null_mut(),
            );
            check("hsa_executable_load_agent_code_object", status)?;
            let status = function!(api, core.executable_freeze)(executable, std::ptr::null());
            check("hsa_executable_freeze", status)?;
            let mut loaded = Vec::with_capacity(symbols.len());
            for symbol in symbols {
                let symbol = CString::new(*symbol).map_err(|_| DeviceError::Call {
                    call: "a kernel name with a zero byte",
                    status: 1,
                })?;
                let mut found = 0;
                let status = function!(api, core.executable_get_symbol_by_name)(
                    executable,
                    CStr::as_ptr(&symbol),
                    &raw const agent.0,
                    &raw mut found,
                );
                check("hsa_executable_get_symbol_by_name", status)?;
                let kernel_object = info(
                    "hsa_executable_symbol_get_info",
                    function!(api, core.executable_symbol_get_info),
                    found,
                    symbol_info::KERNEL_OBJECT,
                    0u64,
                )?;
                loaded.push(Loaded {
                    executable,
                    kernel_object,
                });
            }
            unfinished.executable = 0;
            lock(&self.objects).insert(executable, object);
            Ok(loaded)
        }
    }

    fn unload(&self, executable: u64) {
        if let Some(destroy) = self.api.core.executable_destroy {
            // SAFETY: an executable of ours that nothing runs any more.
            unsafe { destroy(executable) };
        }
        lock(&self.objects).remove(&executable);
    }

    fn allocate(&self, agent: AgentId, size: usize, kind: MemoryKind) -> Result<u64, DeviceError> {
        let pool = self.pool(agent, kind)?;
        let mut address = std::ptr::null_mut();
        let size = size.next_multiple_of(4096);
        // SAFETY: the pool is one of the runtime's, and the result is ours.
        unsafe {
            let status =
                function!(self.api, amd.memory_pool_allocate)(pool, size, 0, &raw mut address);
            check("hsa_amd_memory_pool_allocate", status)?;
            if kind == MemoryKind::Shared {
                // All devices, since tools' host code does not know which of them will run a hook.
                let agents: Vec<u64> = self.agents().iter().map(|agent| agent.id.0).collect();
                let status = function!(self.api, amd.agents_allow_access)(
                    agents.len() as u32,
                    agents.as_ptr(),
                    std::ptr::null(),
                    address,
                );
                check("hsa_amd_agents_allow_access", status)?;
            }
        }
        self.write(address as u64, &vec![0; size])?;
        Ok(address as u64)
    }

    fn entry(&self, function: &str) -> Option<u64> {
        self.api.entry(function).map(|entry| entry as u64)
    }

    fn free(&self, address: u64) {
        if let Some(free) = self.api.amd.memory_pool_free {
            // SAFETY: memory that `allocate` returned.
            unsafe { free(address as *mut c_void) };
        }
    }

    fn read(&self, address: u64, into: &mut [u8]) -> Result<(), DeviceError> {
        self.copy(
            into.as_mut_ptr().cast(),
            address as *const c_void,
            into.len(),
        )
    }

    fn write(&self, address: u64, from: &[u8]) -> Result<(), DeviceError> {
        self.copy(address as *mut c_void, from.as_ptr().cast(), from.len())
    }

    fn load_shared(&self, address: u64) -> u32 {
        // SAFETY: callers pass an aligned address in memory that `allocate` returned, which is never freed while in use.
        unsafe { AtomicU32::from_ptr(address as *mut u32) }.load(Ordering::Acquire)
    }

    fn peek(&self, address: u64, into: &mut [u8]) -> bool {
        let local = libc::iovec {
            iov_base: into.as_mut_ptr().cast(),
            iov_len: into.len(),
        };
        let remote = libc::iovec {
            iov_base: address as *mut c_void,
            iov_len: into.len(),
        };
        // SAFETY: the kernel checks the address and writes only to `into`.
        let read = unsafe { libc::process_vm_readv(libc::getpid(), &local, 1, &remote, 1, 0) };
        usize::try_from(read) == Ok(into.len())
    }

    fn read_shared(&self, address: u64, into: &mut [u8]) {
        // SAFETY: as above, and nobody writes these bytes now.
        unsafe {
            std::ptr::copy_nonoverlapping(address as *const u8, into.as_mut_ptr(), into.len())
        };
    }

    fn store_shared(&self, address: u64, value: u64) {
        // SAFETY: as above.
        unsafe { AtomicU64::from_ptr(address as *mut u64) }.store(value, Ordering::Release);
    }

    fn spawn(&self, name: &str, stack: usize, task: Box<dyn FnOnce() + Send>) -> bool {
        threads::spawn(name, stack, task)
    }

    fn drained(&self, queue: u64, ticket: u64) -> bool {
        self.queues.drained(queue, ticket)
    }

    fn ticket(&self, queue: u64) -> Option<u64> {
        self.queues.ticket(queue)
    }
}
