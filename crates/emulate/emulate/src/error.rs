//! Errors before, during and after a launch.

/// Result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    CodeObject(#[from] codeobj::Error),
    #[error("the code object is not linked; link it with ld.lld -shared")]
    NotLinked,
    #[error(
        "the code object refers to {name}, which it does not define; link it with the object that does"
    )]
    Undefined { name: String },
    #[error("relocation type {kind} at {address:#x} is not one that a loader applies")]
    Relocation { kind: u32, address: u64 },
    #[error("the code object defines no {name}")]
    NoSymbol { name: String },
    #[error("cannot allocate {size} bytes: {reason}")]
    Memory { size: u64, reason: String },
    /// Memory of a recorded dispatch cannot be where it was.
    #[error("{0}")]
    AddressInUse(gpu::memory::MemoryError),
    #[error("{address:#x} is not device memory")]
    NotMapped { address: u64 },
    #[error("{kernel} takes {expected} arguments ({signature}), {given} were given")]
    ArgumentCount {
        kernel: String,
        expected: usize,
        given: usize,
        signature: String,
    },
    #[error("argument {index} of {kernel} has {expected} bytes, {given} were given")]
    ArgumentSize {
        kernel: String,
        index: usize,
        expected: u64,
        given: usize,
    },
    #[error(
        "a grid of {groups} workgroups of {work_items} work-items in a dimension is larger than 4294967295 work-items"
    )]
    Grid { groups: u32, work_items: u32 },
    #[error(transparent)]
    Dispatch(#[from] gpu::dispatch::DispatchError),
    /// `text` names kernel, cause, place and source line; see [`gpu::Fault::text`].
    #[error("{text}")]
    Fault { text: String },
    /// `places`: a line for each place where waves were seen.
    #[error("{kernel} did not end within {seconds} s{places}")]
    Endless {
        kernel: String,
        seconds: f64,
        places: String,
    },
    /// The caller stopped it.
    #[error("{kernel} was stopped")]
    Stopped { kernel: String },
    #[error("the device gave up {kernel}")]
    Lost { kernel: String },
}
