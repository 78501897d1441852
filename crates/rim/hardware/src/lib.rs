//! Checks that a GPU computes the same as the emulated one.
//!
//! Entry points: [`check`] runs everything and returns a [`Report`], [`Report::read`] takes one that a user sent, [`page`] makes it
//! readable, [`programs`] runs programs under tools. A [`Case`] is one instruction; [`frame`] puts it into a small kernel. The kernel loads
//! all registers from a record of its input, executes the instruction, and stores all registers to a record of its output. The same code
//! object runs on a [`Machine`] that is the GPU (in a process of its own, which may hang or die) and on the emulated device in this
//! process; the records of both are compared register by register. Results that are approximate on hardware are measured in units of the
//! last place.
#![forbid(unsafe_code)]

mod case;
mod check;
mod child;
mod compare;
mod documented;
mod encoding;
pub mod frame;
mod imitation;
mod inputs;
mod left;
mod machine;
mod object;
pub mod page;
mod programs;
pub mod report;
mod side_by_side;
mod ulp;

pub use case::{Case, Kind, cases};
pub use check::{Options, check};
pub use child::Child;
pub use hsa_device::{About, Launch, serve};
pub use machine::{Emulated, Job, Machine, Trouble};
pub use object::{Kernel, object};
pub use programs::{Ways, programs};
pub use report::Report;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{target}: {reason}")]
    Target { target: String, reason: String },
    #[error("the frame of a case does not assemble for {target}: {source}")]
    Assemble {
        target: &'static str,
        source: isa::AssembleError,
    },
    #[error(transparent)]
    Isa(#[from] isa::Error),
    #[error(transparent)]
    CodeObject(#[from] codeobj::Error),
    #[error("the device: {0}")]
    Device(String),
    #[error("it is no result of hardware-check: {0}")]
    Format(#[from] serde_json::Error),
    #[error("distances of an approximate function are damaged: {0}")]
    Distances(String),
    #[error("it has version {found}, and this build reads up to {known}; use a newer build")]
    Version { found: u32, known: u32 },
}

pub type Result<T> = std::result::Result<T, Error>;
