//! Conversions between number formats.

mod fp8;
mod half;
mod integer;

pub use fp8::Fp8;
pub use half::*;
pub use integer::*;
