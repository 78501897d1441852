//! Machine code to functions, control flow and facts about registers.
//!
//! Entry types: [`Module::lift`] (a code object), [`Function`] (instructions, blocks, dominators, loops), [`Liveness`]
//! (which registers may still be read), [`PendingOperations`] (memory operations on their way) and [`NamedRegisters`] (registers that
//! a kernel uses at all). A fact that cannot be found out is an [`Unresolved`], and the analyses around it assume the worst;
//! nothing here guesses. The crate uses no files and no environment, and no input bytes may cause a panic; threads only share the work.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod access;
mod addresses;
mod bits;
mod blocks;
mod closure;
mod code_values;
mod counters;
mod decode;
mod error;
mod function;
mod graph;
mod hash;
mod inst_flags;
mod live_set;
mod liveness;
mod modes;
mod module;
mod parallel;
mod pending;
mod program;
pub mod registers;
mod scc;
mod stack;
mod table;

pub use access::{Access, ExecChange, Indexed};
pub use bits::Bits;
pub use counters::{Kind, ReadUnit, awaited, raised, read_unit};
pub use error::Error;
pub use function::{
    Block, BlockIndex, Callee, Edge, EdgeKind, Function, FunctionIndex, InstIndex, Leave, Reason,
    Unresolved,
};
pub use graph::{Dominators, Loop};
pub use hash::WordHash;
pub use inst_flags::InstFlags;
pub use isa::{COUNTERS, Counter};
pub use live_set::LiveSet;
pub use liveness::Liveness;
pub use module::{Module, NamedRegisters, Options};
pub use parallel::{TakenProcessor, processors};
pub use pending::{Pending, PendingOperations};
pub use program::{FunctionKind, FunctionSeed, Program};
pub use registers::{RegisterSet, Span};
pub use table::Insts;
