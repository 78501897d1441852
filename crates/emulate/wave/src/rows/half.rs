//! Vector ALU on one 16-bit value per register: half precision and 16-bit integers.
//!
//! Decode decides what happens to the other half of the destination: gfx9 writes zeros except for the few rows marked
//! `keep_high`, gfx10 leaves it alone.

use super::vector_macros::vector_rows;
use crate::ports::*;
use numerics::{division, float16, integer};

#[rustfmt::skip]
vector_rows! {
    // Half precision.
    v_add_f16:            (F16, F16) -> F16 simd Halves::add {avx512, fp16} = |cx, a, b| float16::add(a, b, cx.half());
    v_sub_f16:            (F16, F16) -> F16 simd Halves::sub {fp16} = |cx, a, b| float16::sub(a, b, cx.half());
    v_subrev_f16:         (F16, F16) -> F16 simd Halves::subrev {fp16} = |cx, a, b| float16::sub(b, a, cx.half());
    v_mul_f16:            (F16, F16) -> F16 simd Halves::mul {avx512, fp16} = |cx, a, b| float16::mul(a, b, cx.half());
    v_fma_f16:            (F16, F16, F16) -> F16 simd Halves::fma {avx512, fp16} [keep_high] = |cx, a, b, c| float16::fma(a, b, c, cx.half());
    v_fma_legacy_f16:     (F16, F16, F16) -> F16 simd Halves::fma = |cx, a, b, c| float16::fma(a, b, c, cx.half());
    v_fmac_f16:           (F16, F16, F16) -> F16 simd Halves::fma {avx512, fp16} [tied] = |cx, a, b, c| float16::fma(a, b, c, cx.half());
    v_fmamk_f16:          (F16, F16, F16) -> F16 simd Halves::fma [literal = 1] = |cx, a, b, c| float16::fma(a, b, c, cx.half());
    v_fmaak_f16:          (F16, F16, F16) -> F16 simd Halves::fma [literal = 2] = |cx, a, b, c| float16::fma(a, b, c, cx.half());
    v_mad_f16:            (F16, F16, F16) -> F16 [keep_high] = |cx, a, b, c| float16::mad(a, b, c, cx.half());
    v_mad_legacy_f16:     (F16, F16, F16) -> F16 = |cx, a, b, c| float16::mad(a, b, c, cx.half());
    v_mac_f16:            (F16, F16, F16) -> F16 [tied] = |cx, a, b, c| float16::mad(a, b, c, cx.half());
    v_madmk_f16:          (F16, F16, F16) -> F16 [literal = 1] = |cx, a, b, c| float16::mad(a, b, c, cx.half());
    v_madak_f16:          (F16, F16, F16) -> F16 [literal = 2] = |cx, a, b, c| float16::mad(a, b, c, cx.half());
    v_min_f16:            (F16, F16) -> F16 simd Halves::min {fp16} = |cx, a, b| float16::min(a, b, cx.ieee, cx.denormals64);
    v_max_f16:            (F16, F16) -> F16 simd Halves::max {fp16} = |cx, a, b| float16::max(a, b, cx.ieee, cx.denormals64);
    v_min3_f16:           (F16, F16, F16) -> F16 simd Halves::min3 = |cx, a, b, c| float16::min3(a, b, c, cx.ieee, cx.denormals64);
    v_max3_f16:           (F16, F16, F16) -> F16 simd Halves::max3 = |cx, a, b, c| float16::max3(a, b, c, cx.ieee, cx.denormals64);
    v_med3_f16:           (F16, F16, F16) -> F16 simd Halves::med3 = |cx, a, b, c| float16::med3(a, b, c, cx.ieee, cx.denormals64);
    v_floor_f16:          (F16) -> F16 = |cx, a| float16::floor(a, cx.denormals64);
    v_ceil_f16:           (F16) -> F16 = |cx, a| float16::ceil(a, cx.denormals64);
    v_trunc_f16:          (F16) -> F16 = |cx, a| float16::trunc(a, cx.denormals64);
    v_rndne_f16:          (F16) -> F16 = |cx, a| float16::rndne(a, cx.denormals64);
    v_fract_f16:          (F16) -> F16 = |cx, a| float16::fract(a, cx.denormals64);
    v_ldexp_f16:          (F16, I16) -> F16 = |cx, a, b| float16::ldexp(a, b, cx.half());
    v_frexp_mant_f16:     (F16) -> F16 = |_, a| float16::frexp_mant(a);
    v_frexp_exp_i16_f16:  (F16) -> I16 = |_, a| float16::frexp_exp(a);
    v_div_fixup_f16:      (F16, F16, F16) -> F16 [keep_high] = |cx, a, b, c| division::fixup_f16(a, b, c, cx.denormals64);
    v_div_fixup_legacy_f16: (F16, F16, F16) -> F16 = |cx, a, b, c| division::fixup_f16(a, b, c, cx.denormals64);
    v_pack_b32_f16:       (F16, F16) -> B32 = |_, a, b| u32::from(a) | u32::from(b) << 16;
    // 16-bit integers.
    v_add_u16:            (B16, B16) -> B16 = |cx, a, b| if cx.clamp { a.saturating_add(b) } else { a.wrapping_add(b) };
    v_sub_u16:            (B16, B16) -> B16 = |cx, a, b| if cx.clamp { a.saturating_sub(b) } else { a.wrapping_sub(b) };
    v_subrev_u16:         (B16, B16) -> B16 = |cx, a, b| if cx.clamp { b.saturating_sub(a) } else { b.wrapping_sub(a) };
    v_add_i16:            (I16, I16) -> I16 = |cx, a, b| if cx.clamp { a.saturating_add(b) } else { a.wrapping_add(b) };
    v_sub_i16:            (I16, I16) -> I16 = |cx, a, b| if cx.clamp { a.saturating_sub(b) } else { a.wrapping_sub(b) };
    v_add_nc_u16:         (B16, B16) -> B16 = |cx, a, b| if cx.clamp { a.saturating_add(b) } else { a.wrapping_add(b) };
    v_sub_nc_u16:         (B16, B16) -> B16 = |cx, a, b| if cx.clamp { a.saturating_sub(b) } else { a.wrapping_sub(b) };
    v_add_nc_i16:         (I16, I16) -> I16 = |cx, a, b| if cx.clamp { a.saturating_add(b) } else { a.wrapping_add(b) };
    v_sub_nc_i16:         (I16, I16) -> I16 = |cx, a, b| if cx.clamp { a.saturating_sub(b) } else { a.wrapping_sub(b) };
    v_mul_lo_u16:         (B16, B16) -> B16 = |_, a, b| a.wrapping_mul(b);
    v_mad_u16:            (B16, B16, B16) -> B16 [keep_high] = |cx, a, b, c| integer::mad_u16(a, b, c, cx.clamp);
    v_mad_i16:            (B16, B16, B16) -> B16 [keep_high] = |cx, a, b, c| integer::mad_i16(a, b, c, cx.clamp);
    v_mad_legacy_u16:     (B16, B16, B16) -> B16 = |cx, a, b, c| integer::mad_u16(a, b, c, cx.clamp);
    v_mad_legacy_i16:     (B16, B16, B16) -> B16 = |cx, a, b, c| integer::mad_i16(a, b, c, cx.clamp);
    v_mad_u32_u16:        (B16, B16, B32) -> B32 = |cx, a, b, c| integer::mad_u32_u16(a, b, c, cx.clamp);
    v_mad_i32_i16:        (B16, B16, B32) -> B32 = |cx, a, b, c| integer::mad_i32_i16(a, b, c, cx.clamp);
    v_lshlrev_b16:        (B16, B16) -> B16 = |_, a, b| b << (a & 15);
    v_lshrrev_b16:        (B16, B16) -> B16 = |_, a, b| b >> (a & 15);
    v_ashrrev_i16:        (B16, I16) -> I16 = |_, a, b| b >> (a & 15);
    v_min_u16:            (B16, B16) -> B16 = |_, a, b| a.min(b);
    v_max_u16:            (B16, B16) -> B16 = |_, a, b| a.max(b);
    v_min_i16:            (I16, I16) -> I16 = |_, a, b| a.min(b);
    v_max_i16:            (I16, I16) -> I16 = |_, a, b| a.max(b);
    v_min3_u16:           (B16, B16, B16) -> B16 = |_, a, b, c| a.min(b).min(c);
    v_max3_u16:           (B16, B16, B16) -> B16 = |_, a, b, c| a.max(b).max(c);
    v_med3_u16:           (B16, B16, B16) -> B16 = |_, a, b, c| a.min(b).max(a.max(b).min(c));
    v_min3_i16:           (I16, I16, I16) -> I16 = |_, a, b, c| a.min(b).min(c);
    v_max3_i16:           (I16, I16, I16) -> I16 = |_, a, b, c| a.max(b).max(c);
    v_med3_i16:           (I16, I16, I16) -> I16 = |_, a, b, c| a.min(b).max(a.max(b).min(c));
    // Since gfx11.
    v_maxmin_f16:         (F16, F16, F16) -> F16 = |cx, a, b, c| float16::min(float16::max(a, b, cx.ieee, cx.denormals64), c, cx.ieee, cx.denormals64);
    v_minmax_f16:         (F16, F16, F16) -> F16 = |cx, a, b, c| float16::max(float16::min(a, b, cx.ieee, cx.denormals64), c, cx.ieee, cx.denormals64);
    v_mov_b16:            (B16) -> B16 = |_, a| a;
    v_not_b16:            (B16) -> B16 = |_, a| !a;
    v_and_b16:            (B16, B16) -> B16 = |_, a, b| a & b;
    v_or_b16:             (B16, B16) -> B16 = |_, a, b| a | b;
    v_xor_b16:            (B16, B16) -> B16 = |_, a, b| a ^ b;
    v_cvt_i32_i16:        (I16) -> B32 = |_, a| i32::from(a) as u32;
    v_cvt_u32_u16:        (B16) -> B32 = |_, a| u32::from(a);
}
