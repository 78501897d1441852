//! A GPU as the HSA runtime shows it, for a process that does nothing else than run kernels there.
//!
//! Entry points: [`serve`] is the whole life of such a process, [`protocol`] is how another one talks to it. The runtime is
//! looked for when it is needed ([`Device::open`]), so that programs with this crate start where there is none. A fault of a
//! kernel ends the process, as ROCr wants it; who asked finds out by the end of the stream. Kernels get two buffers: what they
//! read and what they write.

mod agents;
mod device;
pub mod protocol;
mod runtime;
mod serve;

pub use device::{Device, Loaded};
pub use protocol::{About, Launch};
pub use serve::serve;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{library} cannot be loaded: {reason}; install ROCm's HSA runtime")]
    NoRuntime {
        library: &'static str,
        reason: String,
    },
    #[error("{library} has no {function}: it is older than ROCm 5")]
    NoFunction {
        library: &'static str,
        function: &'static str,
    },
    #[error("{call} failed with status {status:#x}")]
    Call { call: &'static str, status: u32 },
    #[error(
        "the HSA runtime finds no driver (status {status:#x}); `luthier doctor` says what is missing"
    )]
    NoDriver { status: u32 },
    #[error("the HSA runtime shows no GPU; `luthier doctor` says why")]
    NoGpu,
    #[error("the HSA runtime shows no memory of the GPU, or none that the host shares with it")]
    NoMemory,
    #[error("kernel {kernel} did not end within {seconds} s")]
    Endless { kernel: String, seconds: u64 },
    #[error("the queue failed with status {status:#x} while kernel {kernel} ran")]
    Queue { kernel: String, status: u32 },
    #[error(transparent)]
    Stream(#[from] std::io::Error),
}

pub type Result<T> = std::result::Result<T, Error>;
