//! The device as the engine uses it.

/// Names an agent for as long as the runtime lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
pub struct AgentId(pub u64);

/// One GPU.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Agent {
    pub id: AgentId,
    /// Counted from 0 in the runtime's order.
    pub number: u32,
    /// The target that its code must be built for, e.g. `gfx90a:sramecc+:xnack-`.
    pub target: String,
    /// The name under which it is sold.
    pub product: String,
    /// Compute units that cooperative launches may use; 0: not known.
    #[serde(skip)]
    pub compute_units: u32,
}

/// The place of memory, and the agents that reach it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryKind {
    /// On the device: fast for kernels, the host copies.
    Device,
    /// On the host, coherent: kernels and host see each other's writes while kernels run.
    Shared,
}

/// Code on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The argument of [`Device::unload`].
    pub executable: u64,
    /// Goes into a dispatch packet.
    pub kernel_object: u64,
}

/// A runtime call that failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    #[error("{call} failed: status {status:#x}")]
    Call { call: &'static str, status: u32 },
    #[error("this runtime does not have {call}")]
    Missing { call: &'static str },
    #[error("agent {agent:#x} has no memory pool for {kind:?} memory")]
    NoPool { agent: u64, kind: MemoryKind },
    #[error("the runtime has been shut down")]
    Gone,
}

/// All devices of a process. Calls may come from any thread and must not end in [`crate::Session`] again.
pub trait Device: Send + Sync {
    fn agents(&self) -> Vec<Agent>;
    /// Loads a linked code object for one agent. `symbols` are those of kernel descriptors, with `.kd`; the result has one
    /// entry for each, all of one executable.
    fn load(
        &self,
        agent: AgentId,
        object: &[u8],
        symbols: &[&str],
    ) -> Result<Vec<Loaded>, DeviceError>;
    /// No dispatch of it is pending.
    fn unload(&self, executable: u64);
    /// Zero-filled memory, aligned to a page.
    fn allocate(&self, agent: AgentId, size: usize, kind: MemoryKind) -> Result<u64, DeviceError>;
    fn free(&self, address: u64);
    /// The place where the runtime keeps the address of one of its functions, for a tool that replaces the function.
    fn entry(&self, _function: &str) -> Option<u64> {
        None
    }
    fn read(&self, address: u64, into: &mut [u8]) -> Result<(), DeviceError>;
    fn write(&self, address: u64, from: &[u8]) -> Result<(), DeviceError>;
    /// Copies the application's memory; false if it cannot be read, whatever the address.
    fn peek(&self, address: u64, into: &mut [u8]) -> bool;
    /// An aligned word of [`MemoryKind::Shared`] memory; what the device wrote before it is visible afterwards.
    fn load_shared(&self, address: u64) -> u32;
    /// Copies [`MemoryKind::Shared`] memory that the device does not write now.
    fn read_shared(&self, address: u64, into: &mut [u8]);
    /// An aligned word of [`MemoryKind::Shared`] memory; what was read before it may be overwritten afterwards.
    fn store_shared(&self, address: u64, value: u64);
    /// Runs a task on a thread that the application's signals do not reach; false if there can be none.
    fn spawn(&self, name: &str, stack: usize, task: Box<dyn FnOnce() + Send>) -> bool;
    /// Returns `true` if all packets that went into a queue before the ticket have completed. Asking makes the queue find out.
    fn drained(&self, queue: u64, ticket: u64) -> bool;
    /// A point in a queue behind all its dispatches; `None` when the queue does not exist any more.
    fn ticket(&self, queue: u64) -> Option<u64>;
}
