//! [`session::Device`] over the HSA functions that were there before us.

use std::{
    collections::HashMap,
    ffi::{CStr, CString, c_void},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
};

use guest::{memory, threads};
use hsa_sys::{
    Handle, Status,
    constants::{self, agent_info, isa_info, pool_flag, pool_info, symbol_info},
};
use hsa_tool::info;
use session::{Agent, AgentId, Device, DeviceError, Loaded, MemoryKind};

use crate::{api::Api, lock, queues::Queues};

/// An error of the runtime as sessions know it.
fn told(error: hsa_tool::Error) -> DeviceError {
    match error {
        hsa_tool::Error::NotRunning => DeviceError::Gone,
        hsa_tool::Error::Call { call, status } => DeviceError::Call { call, status },
        hsa_tool::Error::Missing { call } => DeviceError::Missing { call },
    }
}

fn check(call: &'static str, status: Status) -> Result<(), DeviceError> {
    hsa_tool::check(call, status).map_err(told)
}

/// The function of an entry of the tables.
macro_rules! function {
    ($api:expr, $table:ident.$entry:ident) => {
        hsa_tool::function!($api, $table.$entry).map_err(told)?
    };
}

/// All GPUs of this process.
pub struct HsaDevice {
    api: &'static Api,
    queues: Arc<Queues>,
    agents: Vec<Agent>,
    cpus: Vec<Handle>,
    /// Luthier's objects by executable. They must stay in memory while they are loaded.
    objects: Mutex<HashMap<u64, Vec<u8>>>,
}

impl HsaDevice {
    pub fn new(api: &'static Api, queues: Arc<Queues>) -> Result<HsaDevice, DeviceError> {
        let iterate = function!(api, core.iterate_agents);
        let get = function!(api, core.agent_get_info);
        // SAFETY: the callback gets the pointer that it expects.
        let handles = info::handles("hsa_iterate_agents", |list| unsafe {
            iterate(info::each, list)
        });
        let handles = handles.map_err(told)?;
        let (mut agents, mut cpus) = (Vec::new(), Vec::new());
        for handle in handles {
            let call = "hsa_agent_get_info";
            // SAFETY: the device type is 32 bits wide.
            let kind = unsafe { info::get(call, get, handle, agent_info::DEVICE, 0u32) };
            if kind.map_err(told)? != constants::DEVICE_TYPE_GPU {
                cpus.push(handle);
                continue;
            }
            // SAFETY: names take 64 bytes.
            let text = |what| unsafe { info::text(call, get, handle, what, 63) };
            let (name, product) = (text(agent_info::NAME), text(agent_info::PRODUCT_NAME));
            let name = name.map_err(told)?;
            // Runtimes of some years ago do not say.
            // SAFETY: the number is 32 bits wide.
            let compute_units = unsafe {
                info::get(
                    call,
                    get,
                    handle,
                    agent_info::COOPERATIVE_COMPUTE_UNITS,
                    0u32,
                )
            };
            agents.push(Agent {
                id: AgentId(handle),
                number: agents.len() as u32,
                target: target(api, handle).unwrap_or(name),
                product: product.unwrap_or_default(),
                compute_units: compute_units.unwrap_or(0),
            });
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
            // SAFETY: the callback gets the pointer that it expects.
            let pools = info::handles("hsa_amd_agent_iterate_memory_pools", |list| unsafe {
                iterate(owner, info::each, list)
            });
            for pool in pools.map_err(told)? {
                // SAFETY: the types are those of the attributes.
                let (segment, flags, allowed) = unsafe {
                    (
                        info::get(call, get, pool, pool_info::SEGMENT, u32::MAX).map_err(told)?,
                        info::get(call, get, pool, pool_info::GLOBAL_FLAGS, 0u32).unwrap_or(0),
                        info::get(call, get, pool, pool_info::ALLOCATION_ALLOWED, 0u8)
                            .map_err(told)?,
                    )
                };
                if segment == constants::SEGMENT_GLOBAL && flags & wanted != 0 && allowed != 0 {
                    return Ok(pool);
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
        // SAFETY: callers pass a buffer of this process and memory that `allocate` returned, both of this size.
        check("hsa_memory_copy", unsafe { copy(to, from, size) })
    }
}

/// The agent's first instruction set, without the triple before the processor.
fn target(api: &Api, agent: Handle) -> Option<String> {
    let (iterate, get) = (api.core.agent_iterate_isas?, api.core.isa_get_info_alt?);
    let call = "hsa_isa_get_info_alt";
    // SAFETY: the callback gets the pointer that it expects; the name is as long as the runtime states.
    unsafe {
        let isas = info::handles("hsa_agent_iterate_isas", |list| {
            iterate(agent, info::each, list)
        });
        let isa = *isas.ok()?.first()?;
        let length = info::get(call, get, isa, isa_info::NAME_LENGTH, 0u32).ok()?;
        let name = info::text(call, get, isa, isa_info::NAME, length).ok()?;
        let start = name.find("gfx")?;
        Some(name[start..].to_owned())
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
        // SAFETY: this value owns both handles, and 0 stands for none.
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
                let kernel_object = info::get(
                    "hsa_executable_symbol_get_info",
                    function!(api, core.executable_symbol_get_info),
                    found,
                    symbol_info::KERNEL_OBJECT,
                    0u64,
                );
                let kernel_object = kernel_object.map_err(told)?;
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
            // SAFETY: `load` made this executable, and no kernel runs its code any more.
            unsafe { destroy(executable) };
        }
        lock(&self.objects).remove(&executable);
    }

    fn allocate(&self, agent: AgentId, size: usize, kind: MemoryKind) -> Result<u64, DeviceError> {
        let pool = self.pool(agent, kind)?;
        let mut address = std::ptr::null_mut();
        let size = size.next_multiple_of(4096);
        // SAFETY: the pool is one of the runtime's, the result goes to a local variable, and the list of agents lives until the call
        // returns.
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
        memory::read(address, into)
    }

    fn read_shared(&self, address: u64, into: &mut [u8]) {
        // SAFETY: callers pass an address in memory that `allocate` returned, with at least as many bytes, which are not written now.
        unsafe {
            std::ptr::copy_nonoverlapping(address as *const u8, into.as_mut_ptr(), into.len())
        };
    }

    fn store_shared(&self, address: u64, value: u64) {
        // SAFETY: callers pass an aligned address in memory that `allocate` returned, which is never freed while in use.
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
