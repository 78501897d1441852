//! The driver's own interface, for ROCm whose thunk is a part of ROCr (6.3 and later): `/dev/kfd`, render nodes, topology and
//! libdrm's calls.
//!
//! A small library (crate `kfd`) is preloaded into programs. It loads this one when a program first opens the driver, and
//! passes everything on through the table exported here. [`commands`] names all commands of the driver; their bodies are beside it.

mod apertures;
mod arguments;
mod buffers;
mod cards;
mod commands;
mod devices;
mod discovery;
mod events;
mod exchange;
mod export;
mod files;
mod handles;
mod memory;
mod metadata;
mod queues;
mod shared;
pub mod submissions;
pub mod system_events;

pub use handles::State;

use gpu::{memory::MemoryError, topology::Config};

use crate::instance::Instance;

/// A system call's error code, positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errno(pub i32);

pub type Result<T = ()> = std::result::Result<T, Errno>;

const fn refuse<T>(code: i32) -> Result<T> {
    Err(Errno(code))
}

impl From<MemoryError> for Errno {
    fn from(error: MemoryError) -> Errno {
        Errno(match error {
            MemoryError::BadSize { .. } | MemoryError::UnknownAddress { .. } => libc::EINVAL,
            MemoryError::NoDeviceMemory { .. }
            | MemoryError::NoHostMemory { .. }
            | MemoryError::Occupied { .. } => libc::ENOMEM,
        })
    }
}

/// The driver's number of a GPU, by which commands name it.
fn gpu_id(node: u32) -> u32 {
    crate::topology::GPU_ID_BASE + node
}

/// The node that has this number, and its device.
fn gpu(instance: &Instance, id: u32) -> Result<(u32, &Config)> {
    let node = id.wrapping_sub(crate::topology::GPU_ID_BASE);
    let gpu = instance.machine.gpu(node).ok_or(Errno(libc::EINVAL))?;
    Ok((node, gpu))
}
