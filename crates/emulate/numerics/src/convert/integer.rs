//! Integers to and from floating point, bytes, and packed normalised formats.

use crate::soft::{F32, F64};
use crate::{Denormals, Round, convert::f32_from_f16_exact, float16, float32, float64};

/// The low 32 bits of an integral double of less than 2^51, through 1.5 * 2^52, where the unit is the last bit. Unlike a
/// saturating cast this vectorises.
#[inline(always)]
fn low_bits(integral: f64) -> u32 {
    (integral + 6755399441055744.0).to_bits() as u32
}

/// `v_cvt_i32_f32`: toward zero, saturating, NaN gives 0.
#[inline(always)]
pub fn i32_from_f32(x: u32) -> u32 {
    let v = float32::value(x).trunc() as f64;
    let v = if v > 2147483647.0 { 2147483647.0 } else { v };
    let v = if v < -2147483648.0 { -2147483648.0 } else { v };
    if float32::is_nan(x) { 0 } else { low_bits(v) }
}

/// `v_cvt_u32_f32`: toward zero, saturating, negative and NaN give 0.
#[inline(always)]
pub fn u32_from_f32(x: u32) -> u32 {
    let v = float32::value(x).trunc() as f64;
    let v = if v > 4294967295.0 { 4294967295.0 } else { v };
    let v = if v < 0.0 { 0.0 } else { v };
    if float32::is_nan(x) { 0 } else { low_bits(v) }
}

/// `v_cvt_i32_f64`: toward zero, saturating, NaN gives 0.
#[inline(always)]
pub const fn i32_from_f64(x: u64) -> u32 {
    float64::value(x) as i32 as u32
}

/// `v_cvt_u32_f64`: toward zero, saturating, negative and NaN give 0.
#[inline(always)]
pub const fn u32_from_f64(x: u64) -> u32 {
    float64::value(x) as u32
}

/// `v_cvt_i16_f16`: toward zero, saturating, NaN gives 0.
#[inline(always)]
pub const fn i16_from_f16(x: u16) -> u16 {
    saturate_i16(float16::value(x) as i32)
}

/// `v_cvt_u16_f16`: toward zero, saturating, negative and NaN give 0.
#[inline(always)]
pub const fn u16_from_f16(x: u16) -> u16 {
    saturate_u16(float16::value(x) as i32)
}

/// `v_cvt_rpi_i32_f32` (`nearest` since gfx11): floor of `x + 0.5`, the sum rounded to single precision as the manuals
/// write it, so 0.49999997 gives 1.
#[inline(always)]
pub fn i32_from_f32_nearest(x: u32) -> u32 {
    i32_from_f32((float32::value(x) + 0.5).floor().to_bits())
}

/// `v_cvt_flr_i32_f32`: floor, saturating, NaN gives 0.
#[inline(always)]
pub fn i32_from_f32_floor(x: u32) -> u32 {
    i32_from_f32(float32::value(x).floor().to_bits())
}

/// `v_cvt_off_f32_i4`: the low four bits, signed, in sixteenths.
#[inline(always)]
pub const fn f32_from_i4_offset(x: u32) -> u32 {
    let signed = ((x as i32) << 28) >> 28;
    (signed as f32 * 0.0625).to_bits()
}

/// `v_cvt_f32_i32`, to nearest even.
#[inline(always)]
pub const fn f32_from_i32(x: u32) -> u32 {
    (x as i32 as f32).to_bits()
}

/// `v_cvt_f32_u32`, to nearest even.
#[inline(always)]
pub const fn f32_from_u32(x: u32) -> u32 {
    (x as f32).to_bits()
}

/// `v_cvt_f32_i32` in any direction.
#[inline(always)]
pub fn f32_from_i32_round(x: u32, round: Round) -> u32 {
    match round {
        Round::NearestEven => f32_from_i32(x),
        _ => F32.from_integer(x as i32 as i128, round) as u32,
    }
}

/// `v_cvt_f32_u32` in any direction.
#[inline(always)]
pub fn f32_from_u32_round(x: u32, round: Round) -> u32 {
    match round {
        Round::NearestEven => f32_from_u32(x),
        _ => F32.from_integer(x as i128, round) as u32,
    }
}

/// `v_cvt_f64_i32`: exact.
#[inline(always)]
pub const fn f64_from_i32(x: u32) -> u64 {
    (x as i32 as f64).to_bits()
}

/// `v_cvt_f64_u32`: exact.
#[inline(always)]
pub const fn f64_from_u32(x: u32) -> u64 {
    (x as f64).to_bits()
}

/// `v_cvt_f16_i16` in any direction. No 16-bit signed integer overflows binary16.
#[inline(always)]
pub const fn f16_from_i16(x: u16, round: Round) -> u16 {
    crate::convert::f16_from_f32_directed((x as i16 as f32).to_bits(), round)
}

/// `v_cvt_f16_u16` in any direction; 65520 and above overflow to nearest, limited by `fp16_ovfl`.
#[inline(always)]
pub const fn f16_from_u16(x: u16, round: Round, fp16_ovfl: bool) -> u16 {
    let r = crate::convert::f16_from_f32_directed((x as f32).to_bits(), round);
    crate::convert::limit_overflow(r, false, fp16_ovfl)
}

/// `v_cvt_f32_ubyteN`: byte `index` (0 to 3) as a float, exact.
#[inline(always)]
pub const fn f32_from_byte(x: u32, index: u32) -> u32 {
    ((x >> (8 * (index & 3)) & 0xff) as f32).to_bits()
}

/// A 32-bit signed value limited to 16 bits, signed.
#[inline(always)]
pub const fn saturate_i16(x: i32) -> u16 {
    let x = if x > i16::MAX as i32 {
        i16::MAX as i32
    } else {
        x
    };
    (if x < i16::MIN as i32 {
        i16::MIN as i32
    } else {
        x
    }) as u16
}

/// A 32-bit signed value limited to 16 bits, unsigned.
#[inline(always)]
pub const fn saturate_u16(x: i32) -> u16 {
    let x = if x > u16::MAX as i32 {
        u16::MAX as i32
    } else {
        x
    };
    (if x < 0 { 0 } else { x }) as u16
}

/// Low and high half of one register.
#[inline(always)]
pub const fn pack(low: u16, high: u16) -> u32 {
    low as u32 | (high as u32) << 16
}

/// `v_cvt_pk_i16_i32`: both saturated.
#[inline(always)]
pub const fn pk_i16_i32(a: u32, b: u32) -> u32 {
    pack(saturate_i16(a as i32), saturate_i16(b as i32))
}

/// `v_cvt_pk_u16_u32`: both saturated.
#[inline(always)]
pub const fn pk_u16_u32(a: u32, b: u32) -> u32 {
    let a = if a > 0xffff { 0xffff } else { a };
    let b = if b > 0xffff { 0xffff } else { b };
    a | b << 16
}

/// `v_cvt_pk_i16_f32` (gfx11+): both toward zero, saturated.
#[inline(always)]
pub const fn pk_i16_f32(a: u32, b: u32) -> u32 {
    pack(
        saturate_i16(float32::value(a) as i32),
        saturate_i16(float32::value(b) as i32),
    )
}

/// `v_cvt_pk_u16_f32` (gfx11+): both toward zero, saturated.
#[inline(always)]
pub const fn pk_u16_f32(a: u32, b: u32) -> u32 {
    pack(
        saturate_u16(float32::value(a) as i32),
        saturate_u16(float32::value(b) as i32),
    )
}

/// Signed normalised 16 bits: [-1, 1] onto ±32767, to nearest even; NaN gives 0.
#[inline(always)]
pub fn snorm16_from_f32(x: u32) -> u16 {
    let x = float32::value(x) as f64;
    let limited = if x > 1.0 { 1.0 } else { x };
    let limited = if limited < -1.0 { -1.0 } else { limited };
    if x.is_nan() {
        0
    } else {
        low_bits((limited * 32767.0).round_ties_even()) as u16
    }
}

/// Unsigned normalised 16 bits: [0, 1] onto 65535, to nearest even; NaN gives 0.
#[inline(always)]
pub fn unorm16_from_f32(x: u32) -> u16 {
    let x = float32::value(x) as f64;
    let limited = if x > 1.0 { 1.0 } else { x };
    let limited = if limited < 0.0 { 0.0 } else { limited };
    if x.is_nan() {
        0
    } else {
        low_bits((limited * 65535.0).round_ties_even()) as u16
    }
}

/// `v_cvt_pknorm_i16_f32`.
#[inline(always)]
pub fn pknorm_i16_f32(a: u32, b: u32) -> u32 {
    pack(snorm16_from_f32(a), snorm16_from_f32(b))
}

/// `v_cvt_pknorm_u16_f32`.
#[inline(always)]
pub fn pknorm_u16_f32(a: u32, b: u32) -> u32 {
    pack(unorm16_from_f32(a), unorm16_from_f32(b))
}

/// `v_cvt_norm_i16_f16`.
#[inline(always)]
pub fn snorm16_from_f16(x: u16) -> u16 {
    snorm16_from_f32(f32_from_f16_exact(x))
}

/// `v_cvt_norm_u16_f16`.
#[inline(always)]
pub fn unorm16_from_f16(x: u16) -> u16 {
    unorm16_from_f32(f32_from_f16_exact(x))
}

/// `v_cvt_pknorm_i16_f16`.
#[inline(always)]
pub fn pknorm_i16_f16(a: u16, b: u16) -> u32 {
    pack(snorm16_from_f16(a), snorm16_from_f16(b))
}

/// `v_cvt_pknorm_u16_f16`.
#[inline(always)]
pub fn pknorm_u16_f16(a: u16, b: u16) -> u32 {
    pack(unorm16_from_f16(a), unorm16_from_f16(b))
}

/// `v_cvt_pk_u8_f32`: `x` rounded by MODE and limited to a byte (NaN gives 0), put into byte `index & 3` of `into`.
#[inline(always)]
pub fn pk_u8_f32(x: u32, index: u32, into: u32, denormals: Denormals, round: Round) -> u32 {
    let x = float32::value(float32::flush_in(x, denormals));
    let integral = match round {
        Round::NearestEven => x.round_ties_even(),
        Round::Up => x.ceil(),
        Round::Down => x.floor(),
        Round::Zero => x.trunc(),
    };
    let shift = 8 * (index & 3);
    (into & !(0xff << shift)) | (integral as u8 as u32) << shift
}

/// Any integer of up to 64 bits as binary64 in any direction.
#[inline(always)]
pub fn f64_from_integer_round(x: i128, round: Round) -> u64 {
    F64.from_integer(x, round)
}
