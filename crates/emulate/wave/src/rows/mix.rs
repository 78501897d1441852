//! Mixed-precision multiply-add: each source is an f32 or one half of a register, the result f32 or one half.

use super::vector_macros::vector_rows;
use crate::{mode::Context, ports::*};
use numerics::{convert, float32};

#[rustfmt::skip]
vector_rows! {
    v_fma_mix_f32:   (Mix, Mix, Mix) -> F32 simd Mixed::fma {avx512, zero_inactive} = |cx, a, b, c| fma(cx, a, b, c);
    v_fma_mixlo_f16: (Mix, Mix, Mix) -> F16 simd MixedNarrowed::fma {avx512, zero_inactive} [keep_high] = |cx, a, b, c| half(cx, fma(cx, a, b, c)).into();
    v_fma_mixhi_f16: (Mix, Mix, Mix) -> F16 simd MixedNarrowed::fma {avx512, zero_inactive} [high_half] = |cx, a, b, c| half(cx, fma(cx, a, b, c)).into();
    // gfx900: two roundings, f32 denormals flushed.
    v_mad_mix_f32:   (Mix, Mix, Mix) -> F32 = |_, a, b, c| float32::mad(a, b, c);
    v_mad_mixlo_f16: (Mix, Mix, Mix) -> F16 [keep_high] = |cx, a, b, c| half(cx, float32::mad(a, b, c));
    v_mad_mixhi_f16: (Mix, Mix, Mix) -> F16 [high_half] = |cx, a, b, c| half(cx, float32::mad(a, b, c));
}

#[inline(always)]
fn fma(cx: Context, a: u32, b: u32, c: u32) -> u32 {
    float32::fma_round(a, b, c, cx.denormals32, cx.round32)
}

#[inline(always)]
fn half(cx: Context, value: u32) -> u16 {
    convert::f16_from_f32(value, cx.denormals64, cx.round64, cx.fp16_overflow_clamps)
}
