//! Where to put counter increments so that a program knows, at no more than a few additions, how many LLVM IR
//! instructions it has executed.
//!
//! The crate is arithmetic on graphs: [`Module`] describes functions as blocks of costs and calls, [`plan`] answers with
//! [`Increment`]s and budget [`Check`]s. It never sees an LLVM type, a file, the environment or a clock; the LLVM pass
//! (`host-count-pass`) fills in the description and carries out the plan.
//!
//! Every placement keeps one law: *at every observation point the increments executed so far add up to the costs of the instructions
//! executed so far*. The property tests check it on random graphs. An observation point is a place where code may read the counter, or
//! where control may leave for good: a call that may not come back, a return, a coroutine boundary, a budget check.
#![forbid(unsafe_code)]

pub mod cost;
pub mod exchange;
pub mod flow;
pub mod library;
pub mod module;
pub mod options;
pub mod place;
pub mod summary;

pub use cost::{Kind, Preset, Price};
pub use flow::{Arc, Flow, Site};
pub use module::{
    Block, Call, Callee, End, Function, Item, Location, Module, Plan, PlanError, Slot, Successor,
    Tail, plan,
};
pub use options::{Granularity, Options, OptionsError, Placement, Point};
pub use place::{Check, Increment};
