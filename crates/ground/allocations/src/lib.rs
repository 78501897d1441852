//! The memory that a program has asked HSA and HIP for, with the callers that asked and those that freed it.
//!
//! Facts come from two sides. [`hsa`], or a tool that replaces these entries itself, tells of [`facts::region_allocated`] and
//! [`facts::region_freed`]. [`hip`] stands between the program and HIP, which divides memory of HSA itself: pools of streams,
//! rows, managed and registered memory. Memory that HSA allocates during a call of HIP belongs to that call.
//!
//! Each library that links this crate has facts of its own.

mod boxes;
mod call_site;
pub mod callers;
mod driver_copies;
pub mod facts;
mod first_call;
pub mod frees;
mod graphs;
pub mod hip;
pub mod hsa;
pub mod lines;
pub mod modules;
mod wrap;

pub use callers::Callers;
pub use facts::{Allocation, Event, Kind, Position, Rows};
