//! Conversions between number formats.

mod fp8;
mod half;
mod integer;
mod micro;

pub use fp8::Fp8;
pub use half::*;
pub use integer::*;
pub use micro::{Micro, Wide, next_random, scale_of_f32};
