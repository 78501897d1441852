//! Templates into kernels: one kernel and all functions it may call, laid out anew with insertions.
//!
//! Entry types: [`rewrite`] (a [`Plan`] of what goes where to a position-independent [`Rewritten`], or a [`Refusal`]),
//! [`static_object`] and [`live_object`] (to a code object). The original's data and code stay where they are. Pure: no
//! files, no environment, no threads.
#![forbid(unsafe_code)]

mod counting;
mod emit;
mod encode;
mod entry;
mod error;
mod finish;
mod kernel;
mod memory;
mod mode;
mod often;
mod plan;
mod preload;
mod result;
mod seam;
mod splice;
mod storage;
mod supply;
mod text;

pub use error::Refusal;
pub use finish::{
    LivePatch, check_static, live_object, live_object_of, static_object, static_object_with,
};
pub use kernel::{Kernels, rewrite, rewrite_of};
pub use memory::{Address, MemoryAccess};
pub use plan::{
    Accumulator, Action, Change, ChangeAt, CounterArray, HookVariants, Insertion, Lanes, Plan,
    Point, Value,
};
pub use result::{Half, NewFunction, PcPair, PcRun, Relocation, Report, Rewritten, Symbol};
