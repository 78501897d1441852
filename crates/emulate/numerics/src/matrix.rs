//! Matrix fused multiply-add (MFMA): where each matrix element lives, and how the elements of a dot product are summed.
//!
//! [`Instruction::find`] gives the [`Shape`] and number formats of a mnemonic. [`Shape::a`], [`Shape::b`] and [`Shape::d`] map elements to
//! lanes and positions; [`Shape::element`] goes the other way, from lanes to elements. The `accumulate_*` functions compute one element of
//! D from its C and the `k` values of its row and column, in ascending order of `k`.
//!
//! All lanes take part, whatever EXEC is, and MODE has no influence. Summation follows public bit-level models of the three generations
//! ([`Model`]). If an operand is NaN, the result is NaN; which payload it has is not specified.

mod arithmetic;
mod exact;
mod layout;
mod table;

pub use arithmetic::{
    Model, accumulate_bf16, accumulate_bf16_pairs, accumulate_f16, accumulate_f32, accumulate_f64,
    accumulate_fp8, accumulate_i8, accumulate_micro, accumulate_xf32, flushed_bf16, flushed_f16,
    quick_rounded_step, rounded_step,
};
pub use layout::{Place, Shape, source_lane};
pub use table::{INSTRUCTIONS, Instruction, Kind, SPARSE, Sparse};
