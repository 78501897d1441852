//! An emulated AMD GPU without any ABI: memory, events, signals, queues, packets and the start of dispatches.
//!
//! Entry types: [`Machine`] (all devices of a process), [`Memory`] and [`Events`] (its parts that an [`Executor`] also needs), [`Executor`]
//! and [`Job`] (the interface to the wave engine), [`Dispatch`] (one checked kernel launch and the initial state of its waves),
//! [`topology`] (the properties of each device).
//!
//! Never here: reading files or the environment, printing, knowing a runtime's function signatures, instruction semantics.
//! The crate touches raw memory because device memory is host memory; every such access is behind [`Memory`]'s range
//! checks.

mod alike;
mod atomic;
pub mod blit;
pub mod clock;
mod compute_queue;
mod condition;
pub mod dispatch;
pub mod events;
pub mod executor;
pub mod fault;
pub mod fill;
pub mod guard;
pub mod initial;
pub mod machine;
pub mod memory;
pub mod names;
pub mod order;
mod pm4;
pub mod processor;
mod queue;
mod sdma;
mod signals;
pub mod svm;
pub mod topology;

pub use dispatch::Dispatch;
pub use events::Events;
pub use executor::{Counts, Executor, Job, Observer, Outcome, Record, Transfer};
pub use fault::{Fault, FaultKind};
pub use fill::Fill;
pub use initial::InitialState;
pub use machine::Machine;
pub use memory::{AddressSpace, Memory, Range};
