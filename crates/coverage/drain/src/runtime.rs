//! The interface of a GPU runtime that the collector needs.

use thiserror::Error;

/// A GPU that code can be loaded on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// The runtime's handle.
    pub handle: u64,
    /// Target name, such as `gfx90a`.
    pub name: String,
    /// A name that tells this device from others of its kind: a UUID or a bus address.
    pub label: String,
    /// The targets whose code it executes, such as `gfx90a:sramecc+:xnack-` and generic ones; none if the runtime does not tell.
    pub targets: Vec<String>,
}

/// One code object loaded on one agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedObject {
    /// Executable it belongs to.
    pub executable: u64,
    /// The runtime's handle of the loaded object.
    pub handle: u64,
    /// Agent it is loaded on.
    pub agent: u64,
    /// Load address less ELF address, for every address of the image.
    pub load_delta: u64,
    /// Size of the image file in bytes, 0 when unknown.
    pub image_size: u64,
    /// The URI that the image came from.
    pub uri: String,
}

/// A fat binary that the program has registered: its kernels for several targets. Runtimes load it when one of them is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registered {
    /// No other has this number in this process.
    pub number: u64,
    /// Address of its first byte in host memory.
    pub address: u64,
}

/// A variable of an executable on one agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Name as in the image.
    pub name: String,
    /// Address on the device.
    pub address: u64,
    /// Size in bytes.
    pub size: u64,
}

/// Why the runtime could not do something.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RuntimeError {
    /// The runtime was shut down or never started; nothing to be done about it.
    #[error("the GPU runtime is not running")]
    NotRunning,
    /// A call failed.
    #[error("{call} failed with status {status:#x}")]
    Call {
        /// Name of the call.
        call: &'static str,
        /// Status it returned.
        status: u32,
    },
    /// The runtime lacks a function this needs.
    #[error("the GPU runtime does not offer {call}")]
    Missing {
        /// Name of the function or table.
        call: &'static str,
    },
    /// An address range that is not inside one allocation of the agent. Copying it could crash the process.
    #[error("{size} bytes at {address:#x} are not device memory of this agent ({found})")]
    OutsideAllocation {
        /// First byte.
        address: u64,
        /// Length in bytes.
        size: u64,
        /// The runtime's facts about the address.
        found: String,
    },
}

/// Access to loaded code and device memory. Every address is checked by the implementation before it is touched.
pub trait Runtime {
    /// All GPUs.
    fn agents(&self) -> Result<Vec<Agent>, RuntimeError>;
    /// All executables that exist now.
    fn executables(&self) -> Result<Vec<u64>, RuntimeError>;
    /// The objects loaded in one executable.
    fn objects(&self, executable: u64) -> Result<Vec<LoadedObject>, RuntimeError>;
    /// The exported variables of one executable on one agent.
    fn symbols(&self, executable: u64, agent: u64) -> Result<Vec<Symbol>, RuntimeError>;
    /// Copies bytes of the image file of an object; false when that part cannot be read.
    fn read_image(&self, object: &LoadedObject, offset: u64, into: &mut [u8]) -> bool;
    /// Copies device memory to the host.
    fn read(&self, agent: u64, address: u64, into: &mut [u8]) -> Result<(), RuntimeError>;
    /// Copies host memory to the device.
    fn write(&self, agent: u64, address: u64, from: &[u8]) -> Result<(), RuntimeError>;
    /// The fat binaries that are registered now.
    fn registered(&self) -> Vec<Registered>;
    /// Copies host memory; false when it cannot be read.
    fn read_host(&self, address: u64, into: &mut [u8]) -> bool;
    /// The mappings of the process, as `/proc/self/maps` has them; nothing where they cannot be read.
    fn mappings(&self) -> Vec<u8>;
}
