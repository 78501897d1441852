//! Conversions between number formats.

mod half;
mod integer;

pub use half::*;
pub use integer::*;
