//! Conversions that involve 16-bit, 64-bit or packed values. Conversions between 32-bit types are with the 32-bit rows.

use super::vector_macros::vector_rows;
use crate::ports::*;
use numerics::convert;

#[rustfmt::skip]
vector_rows! {
    // Half precision.
    v_cvt_f16_f32:        (F32) -> F16 simd Narrowed::copy {avx512} = |cx, a| convert::f16_from_f32(a as u32, cx.denormals64, cx.round64, cx.fp16_overflow_clamps).into();
    v_cvt_f32_f16:        (F16) -> F32 simd Widened::copy {avx512} = |cx, a| convert::f32_from_f16(a as u16, cx.denormals64).into();
    v_cvt_f16_u16:        (B16) -> F16 = |cx, a| convert::f16_from_u16(a, cx.round64, cx.fp16_overflow_clamps);
    v_cvt_f16_i16:        (B16) -> F16 = |cx, a| convert::f16_from_i16(a, cx.round64);
    v_cvt_u16_f16:        (F16) -> B16 = |_, a| convert::u16_from_f16(a);
    v_cvt_i16_f16:        (F16) -> B16 = |_, a| convert::i16_from_f16(a);
    v_cvt_norm_i16_f16:   (F16) -> B16 = |_, a| convert::snorm16_from_f16(a);
    v_cvt_norm_u16_f16:   (F16) -> B16 = |_, a| convert::unorm16_from_f16(a);
    // Double precision.
    v_cvt_f64_f32:        (F32) -> F64 simd SinglesToDoubles::copy {avx512} = |cx, a| convert::f64_from_f32(a as u32, cx.denormals32);
    v_cvt_f32_f64:        (F64) -> F32 simd DoublesToSingles::copy {avx512} = |cx, a| convert::f32_from_f64(a, cx.denormals64, cx.denormals32, cx.round32).into();
    v_cvt_f64_i32:        (B32) -> F64 simd SignedToDoubles::copy {avx512} = |_, a| convert::f64_from_i32(a as u32);
    v_cvt_f64_u32:        (B32) -> F64 simd UnsignedToDoubles::copy {avx512} = |_, a| convert::f64_from_u32(a as u32);
    v_cvt_i32_f64:        (F64) -> B32 simd DoublesToSigned::copy {avx512} = |_, a| convert::i32_from_f64(a).into();
    v_cvt_u32_f64:        (F64) -> B32 simd DoublesToUnsigned::copy {avx512} = |_, a| convert::u32_from_f64(a).into();
    // Two values into one register.
    v_cvt_pkrtz_f16_f32:  (F32, F32) -> PackedF16 simd Singles::pack_toward_zero {avx512} = |cx, a, b| convert::pkrtz_f16_f32(a, b, cx.denormals64);
    v_cvt_pknorm_i16_f32: (F32, F32) -> B32 = |_, a, b| convert::pknorm_i16_f32(a, b);
    v_cvt_pknorm_u16_f32: (F32, F32) -> B32 = |_, a, b| convert::pknorm_u16_f32(a, b);
    v_cvt_pknorm_i16_f16: (F16, F16) -> B32 = |_, a, b| convert::pknorm_i16_f16(a, b);
    v_cvt_pknorm_u16_f16: (F16, F16) -> B32 = |_, a, b| convert::pknorm_u16_f16(a, b);
    v_cvt_pk_u16_u32:     (B32, B32) -> B32 = |_, a, b| convert::pk_u16_u32(a, b);
    v_cvt_pk_i16_i32:     (B32, B32) -> B32 = |_, a, b| convert::pk_i16_i32(a, b);
    v_cvt_pk_u8_f32:      (F32, B32, B32) -> B32 = |cx, a, b, c| convert::pk_u8_f32(a, b, c, cx.denormals32, cx.round32);
    v_cvt_pkaccum_u8_f32: (F32, B32, B32) -> B32 [tied] = |cx, a, b, c| convert::pk_u8_f32(a, b, c, cx.denormals32, cx.round32);
    v_cvt_pk_i16_f32:     (F32, F32) -> B32 = |_, a, b| pair(i16_of(a) as u16, i16_of(b) as u16);
    v_cvt_pk_u16_f32:     (F32, F32) -> B32 = |_, a, b| pair(u16_of(a), u16_of(b));
    v_sat_pk_u8_i16:      (B32) -> B16 = |_, a| saturate_u8(a as i16) | saturate_u8((a >> 16) as i16) << 8;
}

#[inline(always)]
fn pair(low: u16, high: u16) -> u32 {
    u32::from(low) | u32::from(high) << 16
}

/// The host truncates and saturates as AMD's conversions do, and makes zero of NaN.
#[inline(always)]
fn i16_of(single: u32) -> i16 {
    f32::from_bits(single) as i16
}

#[inline(always)]
fn u16_of(single: u32) -> u16 {
    f32::from_bits(single) as u16
}

#[inline(always)]
fn saturate_u8(value: i16) -> u16 {
    value.clamp(0, 255) as u16
}
