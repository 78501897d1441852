//! [`session::Device`] over the emulated device.

use std::sync::atomic::{AtomicU64, Ordering, fence};

use codeobj::CodeObject;
use session::{Agent, AgentId, Device, DeviceError, Loaded, MemoryKind};

/// The one device.
pub(crate) const AGENT: AgentId = AgentId(1);

/// `hsa_status_t` of what may fail here.
const OUT_OF_RESOURCES: u32 = 0x1008;
const INVALID_CODE_OBJECT: u32 = 0x1010;
const INVALID_ADDRESS: u32 = 0x1006;

pub(crate) struct Emulated {
    device: emulate::Device<'static>,
    agent: Agent,
    /// Executables, the application's own among them.
    executables: AtomicU64,
}

impl Emulated {
    pub fn new(device: emulate::Device<'static>, target: String, product: String) -> Emulated {
        Emulated {
            device,
            agent: Agent {
                id: AGENT,
                number: 0,
                target,
                product,
                // No launch is cooperative here.
                compute_units: 0,
            },
            executables: AtomicU64::new(super::EXECUTABLE),
        }
    }

    pub fn emulated(&self) -> &emulate::Device<'static> {
        &self.device
    }
}

fn failed(call: &'static str, status: u32) -> impl Fn(emulate::Error) -> DeviceError {
    move |_| DeviceError::Call { call, status }
}

impl Device for Emulated {
    fn agents(&self) -> Vec<Agent> {
        vec![self.agent.clone()]
    }

    fn load(
        &self,
        _: AgentId,
        object: &[u8],
        symbols: &[&str],
    ) -> Result<Vec<Loaded>, DeviceError> {
        const CALL: &str = "loading an instrumented kernel";
        let invalid = || DeviceError::Call {
            call: CALL,
            status: INVALID_CODE_OBJECT,
        };
        let object = CodeObject::parse(object).map_err(|_| invalid())?;
        let base = self.device.add(&object);
        let base = base.map_err(failed(CALL, OUT_OF_RESOURCES))?;
        let executable = self.executables.fetch_add(1, Ordering::Relaxed) + 1;
        let loaded = symbols.iter().map(|symbol| {
            let symbol = object.symbol(symbol).ok_or_else(invalid)?;
            Ok(Loaded {
                executable,
                kernel_object: base + symbol.value,
            })
        });
        loaded.collect()
    }

    /// Code stays until the process ends, which one launch or a few come before.
    fn unload(&self, _: u64) {}

    fn allocate(&self, _: AgentId, size: usize, _: MemoryKind) -> Result<u64, DeviceError> {
        let made = self.device.buffer(&[], size as u64);
        made.map_err(failed("allocating device memory", OUT_OF_RESOURCES))
    }

    fn free(&self, address: u64) {
        // (Memory that was never allocated has no owner here.)
        let _ = self.device.free(address);
    }

    fn read(&self, address: u64, into: &mut [u8]) -> Result<(), DeviceError> {
        let read = self.device.read(address, into);
        read.map_err(failed("reading device memory", INVALID_ADDRESS))
    }

    fn write(&self, address: u64, from: &[u8]) -> Result<(), DeviceError> {
        let written = self.device.write(address, from);
        written.map_err(failed("writing device memory", INVALID_ADDRESS))
    }

    fn peek(&self, address: u64, into: &mut [u8]) -> bool {
        self.device.read(address, into).is_ok()
    }

    fn load_shared(&self, address: u64) -> u32 {
        let mut word = [0; 4];
        let _ = self.device.read(address, &mut word);
        fence(Ordering::Acquire);
        u32::from_le_bytes(word)
    }

    fn read_shared(&self, address: u64, into: &mut [u8]) {
        let _ = self.device.read(address, into);
    }

    fn store_shared(&self, address: u64, value: u64) {
        fence(Ordering::Release);
        let _ = self.device.write(address, &value.to_le_bytes());
    }

    fn spawn(&self, name: &str, stack: usize, task: Box<dyn FnOnce() + Send>) -> bool {
        let thread = std::thread::Builder::new().name(name.to_owned());
        thread.stack_size(stack).spawn(task).is_ok()
    }

    fn drained(&self, _: u64, _: u64) -> bool {
        true
    }

    fn ticket(&self, _: u64) -> Option<u64> {
        Some(0)
    }
}
