//! Templates into kernels: one kernel and all functions it may call, laid out anew with insertions.
//!
//! Entry types: [`Plan`] (what goes where), [`Rewritten`] (position-independent result) and [`Refusal`] (why not). Pure.
#![forbid(unsafe_code)]

mod error;
mod plan;
mod result;

pub use error::Refusal;
pub use plan::{
    Accumulator, Action, Change, ChangeAt, HookVariants, Insertion, Plan, Point, Value,
};
pub use result::{Half, NewFunction, PcPair, Relocation, Report, Rewritten, Symbol};
