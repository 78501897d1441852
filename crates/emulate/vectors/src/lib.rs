//! The host's vectors at work on rows of registers: what the wavefront engine does with AVX2 and AVX-512.
//!
//! * [`level`] knows which vector extensions the host has, and [`compiled_for`] compiles a function for some of them.
//! * `host` and `half` name the host's arithmetic by what it does, for each width.
//! * `functions` has exponentials, logarithms and roots.
//! * `full_wave` and `masked` move rows to and from memory, [`mod@block`] those that are one piece of it, `element` moves what one lane has there.
//! * [`chain`] adds products to results that stay in host registers.
//! * [`steps`] compares the words of lanes.
//! * [`matrix`] multiplies matrices that lie in rows.
//!
//! The crate knows rows, pointers and shapes. It knows no wavefront and no instruction: callers resolve registers and addresses.

#[cfg(target_arch = "x86_64")]
pub mod block;
pub mod chain;
pub mod element;
#[cfg(target_arch = "x86_64")]
pub mod full_wave;
#[cfg(target_arch = "x86_64")]
pub mod functions;
#[cfg(target_arch = "x86_64")]
pub mod half;
#[cfg(target_arch = "x86_64")]
pub mod host;
pub mod level;
#[cfg(target_arch = "x86_64")]
pub mod masked;
pub mod matrix;
mod row;
pub mod steps;

pub use row::{GROUP, LANES, VectorRow};
