//! Integer and bit operations whose meaning is not a single host operator.
//!
//! Operands are in instruction order (S0, S1, S2). Shift-like operands are masked as the hardware does, so every input is
//! legal.

mod bits;
mod sums;
mod wide;

pub use bits::*;
pub use sums::*;
pub use wide::*;
