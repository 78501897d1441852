//! [`drain::Runtime`] over the HSA functions of this process.

use std::ffi::c_void;

use drain::{Agent, LoadedObject, Runtime, RuntimeError, Symbol, runtime::Registered};
use hsa_sys::{
    Handle, Status,
    constants::{
        DEVICE_TYPE_GPU, POINTER_TYPE_HSA, SYMBOL_KIND_VARIABLE, agent_info, isa_info, symbol_info,
    },
    tables::PointerInfo,
};
use hsa_tool::{Loader, Tables, info};

use crate::registered;

/// The functions without which nothing can be collected.
pub const NEEDED: &[&str] = &[
    "hsa_iterate_agents",
    "hsa_agent_get_info",
    "hsa_memory_copy",
    "hsa_executable_symbol_get_info",
    "hsa_system_get_major_extension_table",
    "hsa_executable_iterate_agent_symbols",
    "hsa_amd_pointer_info",
];

/// Bytes of an agent's name and of its identifier, with the terminating zero or more.
const AGENT_TEXT: u32 = 63;
/// Bytes of the longest symbol.
const NAME_LIMIT: u32 = 1 << 20;

/// The HSA runtime of this process. Made anew for each use, because it may have been shut down in between.
pub struct HsaRuntime {
    tables: &'static Tables,
    loader: Loader,
}

/// An error of the runtime as collectors know it.
fn told(error: hsa_tool::Error) -> RuntimeError {
    match error {
        hsa_tool::Error::NotRunning => RuntimeError::NotRunning,
        hsa_tool::Error::Call { call, status } => RuntimeError::Call { call, status },
        hsa_tool::Error::Missing { call } => RuntimeError::Missing { call },
    }
}

fn check(call: &'static str, status: Status) -> Result<(), RuntimeError> {
    hsa_tool::check(call, status).map_err(told)
}

/// The function of an entry of the tables.
macro_rules! function {
    ($tables:expr, $table:ident.$entry:ident) => {
        hsa_tool::function!($tables, $table.$entry).map_err(told)?
    };
}

impl HsaRuntime {
    /// Fetches the loader extension.
    pub fn new(tables: &'static Tables) -> Result<Self, RuntimeError> {
        let loader = Loader::new(tables).map_err(told)?;
        Ok(HsaRuntime { tables, loader })
    }

    fn describe_object(
        &self,
        executable: Handle,
        handle: Handle,
    ) -> Result<Option<LoadedObject>, hsa_tool::Error> {
        let Some(agent) = self.loader.agent(handle)? else {
            return Ok(None);
        };
        let image = self.loader.image(handle)?;
        Ok(Some(LoadedObject {
            executable,
            handle,
            agent,
            load_delta: self.loader.load_delta(handle)?,
            image_size: image.map_or(0, |image| image.size()),
            uri: self.loader.uri(handle),
        }))
    }

    /// The targets whose code an agent executes; none if an old runtime does not tell.
    fn targets(&self, agent: Handle) -> Option<Vec<String>> {
        let iterate = hsa_tool::function!(self.tables, core.agent_iterate_isas).ok()?;
        let get = hsa_tool::function!(self.tables, core.isa_get_info_alt).ok()?;
        let call = "hsa_isa_get_info_alt";
        // SAFETY: the callback gets the pointer that it expects.
        let isas = info::handles("hsa_agent_iterate_isas", |list| unsafe {
            iterate(agent, info::each, list)
        });
        let isas = isas.ok()?.into_iter();
        let targets = isas.filter_map(|isa| {
            // SAFETY: the length has 32 bits; the name is as long as the runtime states.
            let name = unsafe {
                let length = info::get(call, get, isa, isa_info::NAME_LENGTH, 0u32).ok()?;
                let length = length.min(NAME_LIMIT);
                info::text(call, get, isa, isa_info::NAME, length).ok()?
            };
            Some(name.get(name.find("gfx")?..)?.to_owned())
        });
        Some(targets.collect())
    }

    /// Refuses ranges that are not inside one allocation of the agent: the runtime would copy those with the CPU, and
    /// crash the process where device memory is not mapped.
    fn check_range(&self, agent: u64, address: u64, size: usize) -> Result<(), RuntimeError> {
        let mut info = PointerInfo {
            size: size_of::<PointerInfo>() as u32,
            ..PointerInfo::default()
        };
        let look_up = function!(self.tables, amd.pointer_info);
        let null = std::ptr::null_mut();
        // SAFETY: the address is only looked up, and null arguments ask for no list of agents.
        let status = unsafe {
            look_up(
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

    /// # Safety
    /// Both must be valid for `size` bytes, and one of them is memory of this process.
    unsafe fn copy(
        &self,
        to: *mut c_void,
        from: *const c_void,
        size: usize,
    ) -> Result<(), RuntimeError> {
        let copy = function!(self.tables, core.memory_copy);
        // SAFETY: the caller's promise.
        check("hsa_memory_copy", unsafe { copy(to, from, size) })
    }
}

impl Runtime for HsaRuntime {
    fn agents(&self) -> Result<Vec<Agent>, RuntimeError> {
        let iterate = function!(self.tables, core.iterate_agents);
        let get = function!(self.tables, core.agent_get_info);
        // SAFETY: the callback gets the pointer that it expects.
        let handles = info::handles("hsa_iterate_agents", |list| unsafe {
            iterate(info::each, list)
        });
        let mut agents = Vec::new();
        for handle in handles.map_err(told)? {
            let call = "hsa_agent_get_info";
            // SAFETY: the attributes that are asked for have 32 bits.
            let number = |what| unsafe { info::get(call, get, handle, what, 0u32) };
            if number(agent_info::DEVICE).map_err(told)? != DEVICE_TYPE_GPU {
                continue;
            }
            // SAFETY: agent names take 64 bytes; the identifier takes at most 21, `GPU-` and 16 digits.
            let text = |what| unsafe { info::text(call, get, handle, what, AGENT_TEXT) };
            let name = text(agent_info::NAME).map_err(told)?;
            let uuid = text(agent_info::UUID).unwrap_or_default();
            let node = number(agent_info::DRIVER_NODE).unwrap_or(0);
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
                targets: self.targets(handle).unwrap_or_default(),
            });
        }
        Ok(agents)
    }

    fn executables(&self) -> Result<Vec<u64>, RuntimeError> {
        self.loader.executables().map_err(told)
    }

    fn objects(&self, executable: u64) -> Result<Vec<LoadedObject>, RuntimeError> {
        let handles = self.loader.objects(executable).map_err(told)?;
        let described = handles
            .into_iter()
            .filter_map(|handle| self.describe_object(executable, handle).transpose());
        described.collect::<Result<_, _>>().map_err(told)
    }

    fn symbols(&self, executable: u64, agent: u64) -> Result<Vec<Symbol>, RuntimeError> {
        let iterate = function!(self.tables, core.executable_iterate_agent_symbols);
        let get = function!(self.tables, core.executable_symbol_get_info);
        // SAFETY: the callback gets the pointer that it expects.
        let handles = info::handles("hsa_executable_iterate_agent_symbols", |list| unsafe {
            iterate(executable, agent, info::each_on, list)
        });
        let call = "hsa_executable_symbol_get_info";
        let mut symbols = Vec::new();
        for handle in handles.map_err(told)? {
            // SAFETY: the attributes that are asked for have 32 bits.
            let number = |what, initial: u32| unsafe {
                info::get(call, get, handle, what, initial).map_err(told)
            };
            if number(symbol_info::TYPE, u32::MAX)? != SYMBOL_KIND_VARIABLE {
                continue;
            }
            let length = number(symbol_info::NAME_LENGTH, 0)?.min(NAME_LIMIT);
            // SAFETY: the name is as long as the runtime reported; the address has 64 bits.
            let (name, address) = unsafe {
                let address = symbol_info::VARIABLE_ADDRESS;
                (
                    info::text(call, get, handle, symbol_info::NAME, length),
                    info::get(call, get, handle, address, 0u64),
                )
            };
            let name = name.map_err(told)?;
            if drain::image::is_interesting(&name) {
                symbols.push(Symbol {
                    name,
                    address: address.map_err(told)?,
                    size: number(symbol_info::VARIABLE_SIZE, 0)?.into(),
                });
            }
        }
        Ok(symbols)
    }

    fn read_image(&self, object: &LoadedObject, offset: u64, into: &mut [u8]) -> bool {
        let image = self.loader.image(object.handle).ok().flatten();
        image.is_some_and(|image| image.read_at(offset, into))
    }

    fn read(&self, agent: u64, address: u64, into: &mut [u8]) -> Result<(), RuntimeError> {
        self.check_range(agent, address, into.len())?;
        // SAFETY: the source is inside one allocation of the device, the destination is our buffer.
        unsafe {
            self.copy(
                into.as_mut_ptr().cast(),
                address as *const c_void,
                into.len(),
            )
        }
    }

    fn write(&self, agent: u64, address: u64, from: &[u8]) -> Result<(), RuntimeError> {
        self.check_range(agent, address, from.len())?;
        // SAFETY: the destination is inside one allocation of the device, the source is our buffer.
        unsafe { self.copy(address as *mut c_void, from.as_ptr().cast(), from.len()) }
    }

    fn registered(&self) -> Vec<Registered> {
        registered::all()
    }

    fn read_host(&self, address: u64, into: &mut [u8]) -> bool {
        guest::memory::read(address, into)
    }

    fn mappings(&self) -> Vec<u8> {
        std::fs::read("/proc/self/maps").unwrap_or_default()
    }
}
