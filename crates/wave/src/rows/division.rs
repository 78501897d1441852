//! The steps of correctly rounded division: operand scaling, the last multiply-add, and the special cases.

use super::vector_macros::vector_rows;
use crate::ports::*;
use numerics::division;

#[rustfmt::skip]
vector_rows! {
    v_div_scale_f32: (F32, F32, F32) -> F32 [carry_out] = |cx, a, b, c| division::scale_f32(a, b, c, cx.denormals32);
    v_div_scale_f64: (F64, F64, F64) -> F64 [carry_out] = |cx, a, b, c| division::scale_f64(a, b, c, cx.denormals64);
    v_div_fmas_f32:  (F32, F32, F32) -> F32 [carry_in] = |cx, a, b, c, vcc| division::fmas_f32(a, b, c, vcc, cx.denormals32, cx.round32);
    v_div_fmas_f64:  (F64, F64, F64) -> F64 [carry_in] = |cx, a, b, c, vcc| division::fmas_f64(a, b, c, vcc, cx.denormals64, cx.round64);
    v_div_fixup_f32: (F32, F32, F32) -> F32 = |cx, a, b, c| division::fixup_f32(a, b, c, cx.denormals32);
    v_div_fixup_f64: (F64, F64, F64) -> F64 = |cx, a, b, c| division::fixup_f64(a, b, c, cx.denormals64);
}
