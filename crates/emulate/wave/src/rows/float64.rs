//! Vector ALU in double precision. Manual: VOP1, VOP2 (`v_fmac_f64` of gfx90a) and VOP3 entries ending in `_f64`.

use super::vector_macros::vector_rows;
use crate::ports::*;
use numerics::{float64, trig_preop};

#[rustfmt::skip]
vector_rows! {
    v_add_f64:           (F64, F64) -> F64 simd Doubles::add {hot, chain(Sum)} = |cx, a, b| float64::add_round(a, b, cx.denormals64, cx.round64);
    v_mul_f64:           (F64, F64) -> F64 simd Doubles::mul {hot, chain(Product)} = |cx, a, b| float64::mul_round(a, b, cx.denormals64, cx.round64);
    v_fma_f64:           (F64, F64, F64) -> F64 simd Doubles::fma {hot, chain(Fused)} = |cx, a, b, c| float64::fma_round(a, b, c, cx.denormals64, cx.round64);
    v_fmac_f64:          (F64, F64, F64) -> F64 simd Doubles::fma {hot, chain(Fused)} [tied] = |cx, a, b, c| float64::fma_round(a, b, c, cx.denormals64, cx.round64);
    v_min_f64:           (F64, F64) -> F64 simd Doubles::min {avx512} = |cx, a, b| float64::min(a, b, cx.ieee, cx.denormals64);
    v_max_f64:           (F64, F64) -> F64 simd Doubles::max {avx512} = |cx, a, b| float64::max(a, b, cx.ieee, cx.denormals64);
    v_ldexp_f64:         (F64, I32) -> F64 simd Doubles::scale {hot} = |cx, a, b| float64::ldexp_round(a, (b as u32).cast_signed(), cx.denormals64, cx.round64);
    v_floor_f64:         (F64) -> F64 {avx512} = |cx, a| float64::floor(a, cx.denormals64);
    v_ceil_f64:          (F64) -> F64 {avx512} = |cx, a| float64::ceil(a, cx.denormals64);
    v_trunc_f64:         (F64) -> F64 {avx512} = |cx, a| float64::trunc(a, cx.denormals64);
    v_rndne_f64:         (F64) -> F64 {avx512} = |cx, a| float64::rndne(a, cx.denormals64);
    v_fract_f64:         (F64) -> F64 {avx512} = |cx, a| float64::fract(a, cx.denormals64);
    v_frexp_mant_f64:    (F64) -> F64 = |_, a| float64::frexp_mant(a);
    v_frexp_exp_i32_f64: (F64) -> I32 = |_, a| float64::frexp_exp(a);
    v_trig_preop_f64:    (F64, B32) -> F64 = |_, a, b| trig_preop::trig_preop(a, b);
}
