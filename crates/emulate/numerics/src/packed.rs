//! Two 16-bit lanes in one register, and dot products.
//!
//! Operands are already selected (op_sel, op_sel_hi) and negated; bits 15:0 are the first lane.

use crate::convert::{
    bf16_from_f32, f16_from_f32, f32_from_bf16, f32_from_f16_exact, pack, saturate_i16,
    saturate_u16,
};
use crate::integer::{saturate_i32, saturate_u32};
use crate::{Denormals, float16, float32};

/// The low half.
#[inline(always)]
pub const fn low(x: u32) -> u16 {
    x as u16
}

/// The high half.
#[inline(always)]
pub const fn high(x: u32) -> u16 {
    (x >> 16) as u16
}

/// Applies `op` to both halves of two operands.
#[inline(always)]
pub fn map2(a: u32, b: u32, op: impl Fn(u16, u16) -> u16) -> u32 {
    pack(op(low(a), low(b)), op(high(a), high(b)))
}

/// Applies `op` to both halves of three operands.
#[inline(always)]
pub fn map3(a: u32, b: u32, c: u32, op: impl Fn(u16, u16, u16) -> u16) -> u32 {
    pack(op(low(a), low(b), low(c)), op(high(a), high(b), high(c)))
}

/// `v_pk_add_u16`.
#[inline(always)]
pub fn add_u16(a: u32, b: u32, clamp: bool) -> u32 {
    map2(a, b, |x, y| {
        if clamp {
            x.saturating_add(y)
        } else {
            x.wrapping_add(y)
        }
    })
}

/// `v_pk_sub_u16`.
#[inline(always)]
pub fn sub_u16(a: u32, b: u32, clamp: bool) -> u32 {
    map2(a, b, |x, y| {
        if clamp {
            x.saturating_sub(y)
        } else {
            x.wrapping_sub(y)
        }
    })
}

/// `v_pk_add_i16`.
#[inline(always)]
pub fn add_i16(a: u32, b: u32, clamp: bool) -> u32 {
    map2(a, b, |x, y| {
        if clamp {
            (x as i16).saturating_add(y as i16) as u16
        } else {
            x.wrapping_add(y)
        }
    })
}

/// `v_pk_sub_i16`.
#[inline(always)]
pub fn sub_i16(a: u32, b: u32, clamp: bool) -> u32 {
    map2(a, b, |x, y| {
        if clamp {
            (x as i16).saturating_sub(y as i16) as u16
        } else {
            x.wrapping_sub(y)
        }
    })
}

/// `v_pk_mul_lo_u16`.
#[inline(always)]
pub fn mul_lo_u16(a: u32, b: u32) -> u32 {
    map2(a, b, u16::wrapping_mul)
}

/// `v_pk_mad_u16`.
#[inline(always)]
pub fn mad_u16(a: u32, b: u32, c: u32, clamp: bool) -> u32 {
    map3(a, b, c, |x, y, z| crate::integer::mad_u16(x, y, z, clamp))
}

/// `v_pk_mad_i16`.
#[inline(always)]
pub fn mad_i16(a: u32, b: u32, c: u32, clamp: bool) -> u32 {
    map3(a, b, c, |x, y, z| crate::integer::mad_i16(x, y, z, clamp))
}

/// `v_pk_lshlrev_b16`: `b` shifted left by `a`.
#[inline(always)]
pub fn lshlrev_b16(a: u32, b: u32) -> u32 {
    map2(a, b, |amount, x| x << (amount & 15))
}

/// `v_pk_lshrrev_b16`: `b` shifted right by `a`.
#[inline(always)]
pub fn lshrrev_b16(a: u32, b: u32) -> u32 {
    map2(a, b, |amount, x| x >> (amount & 15))
}

/// `v_pk_ashrrev_i16`: `b` shifted right by `a`, keeping its sign.
#[inline(always)]
pub fn ashrrev_i16(a: u32, b: u32) -> u32 {
    map2(a, b, |amount, x| (x as i16 >> (amount & 15)) as u16)
}

/// `v_pk_min_u16`.
#[inline(always)]
pub fn min_u16(a: u32, b: u32) -> u32 {
    map2(a, b, |x, y| if x < y { x } else { y })
}

/// `v_pk_max_u16`.
#[inline(always)]
pub fn max_u16(a: u32, b: u32) -> u32 {
    map2(a, b, |x, y| if x > y { x } else { y })
}

/// `v_pk_min_i16`.
#[inline(always)]
pub fn min_i16(a: u32, b: u32) -> u32 {
    map2(a, b, |x, y| if (x as i16) < y as i16 { x } else { y })
}

/// `v_pk_max_i16`.
#[inline(always)]
pub fn max_i16(a: u32, b: u32) -> u32 {
    map2(a, b, |x, y| if (x as i16) > y as i16 { x } else { y })
}

/// `v_pk_add_f16`.
#[inline(always)]
pub fn add_f16(a: u32, b: u32, mode: float16::Mode) -> u32 {
    pack(
        float16::add(low(a), low(b), mode),
        float16::add(high(a), high(b), mode),
    )
}

/// `v_pk_mul_f16`.
#[inline(always)]
pub fn mul_f16(a: u32, b: u32, mode: float16::Mode) -> u32 {
    pack(
        float16::mul(low(a), low(b), mode),
        float16::mul(high(a), high(b), mode),
    )
}

/// `v_pk_fma_f16`.
#[inline(always)]
pub fn fma_f16(a: u32, b: u32, c: u32, mode: float16::Mode) -> u32 {
    pack(
        float16::fma(low(a), low(b), low(c), mode),
        float16::fma(high(a), high(b), high(c), mode),
    )
}

/// `v_pk_min_f16` of gfx9 to gfx11.
#[inline(always)]
pub fn min_f16(a: u32, b: u32, ieee: bool, denormals: Denormals) -> u32 {
    map2(a, b, |x, y| float16::min(x, y, ieee, denormals))
}

/// `v_pk_max_f16` of gfx9 to gfx11.
#[inline(always)]
pub fn max_f16(a: u32, b: u32, ieee: bool, denormals: Denormals) -> u32 {
    map2(a, b, |x, y| float16::max(x, y, ieee, denormals))
}

/// `ds_pk_add_bf16` and the atomics on device memory: two sums of bfloat16 values, to nearest even, denormals kept. Singles
/// have bits enough that rounding twice changes nothing.
#[inline(always)]
pub fn add_bf16(a: u32, b: u32) -> u32 {
    map2(a, b, |x, y| {
        bf16_from_f32(float32::add(
            f32_from_bf16(x),
            f32_from_bf16(y),
            Denormals::KEEP,
        ))
    })
}

/// The float CLAMP modifier on both halves.
#[inline(always)]
pub fn clamp_f16(x: u32, dx10_clamp: bool) -> u32 {
    pack(
        float16::clamp(low(x), dx10_clamp),
        float16::clamp(high(x), dx10_clamp),
    )
}

/// `v_dot2_f32_f16`, `v_dot2c_f32_f16`: `c + a0*b0 + a1*b1` in that order, each step a fused multiply-add; f32 denormals
/// are flushed whatever MODE says. How the hardware rounds between the two products is not published.
#[inline(always)]
pub fn dot2_f32_f16(a: u32, b: u32, c: u32) -> u32 {
    let flush = Denormals::FLUSH;
    let first = float32::fma(
        f32_from_f16_exact(low(a)),
        f32_from_f16_exact(low(b)),
        c,
        flush,
    );
    float32::fma(
        f32_from_f16_exact(high(a)),
        f32_from_f16_exact(high(b)),
        first,
        flush,
    )
}

/// `v_dot2c_f32_bf16` of gfx950 and `v_dot2_f32_bf16` of gfx11 and gfx12: `c + a0*b0 + a1*b1` in that order, as
/// [`dot2_f32_f16`].
#[inline(always)]
pub fn dot2c_f32_bf16(a: u32, b: u32, c: u32) -> u32 {
    let flush = Denormals::FLUSH;
    let first = float32::fma(f32_from_bf16(low(a)), f32_from_bf16(low(b)), c, flush);
    float32::fma(f32_from_bf16(high(a)), f32_from_bf16(high(b)), first, flush)
}

/// `v_dot2_f32_bf16` of gfx950: the products first, then `c`, as its manual entry orders them.
#[inline(always)]
pub fn dot2_f32_bf16(a: u32, b: u32, c: u32) -> u32 {
    let flush = Denormals::FLUSH;
    let first = float32::mul(f32_from_bf16(low(a)), f32_from_bf16(low(b)), flush);
    let both = float32::fma(f32_from_bf16(high(a)), f32_from_bf16(high(b)), first, flush);
    float32::add(both, c, flush)
}

/// `v_dot2_f16_f16` (gfx11+): `c + a0*b0 + a1*b1` in that order, each step a fused multiply-add in half precision.
#[inline(always)]
pub fn dot2_f16_f16(a: u32, b: u32, c: u16, mode: float16::Mode) -> u16 {
    float16::fma(
        high(a),
        high(b),
        float16::fma(low(a), low(b), c, mode),
        mode,
    )
}

/// `v_dot2_bf16_bf16` (gfx11+): as [`dot2_f16_f16`] with each step computed in single precision and rounded to bfloat16.
#[inline(always)]
pub fn dot2_bf16_bf16(a: u32, b: u32, c: u16) -> u16 {
    let step = |x, y, sum| {
        let r = float32::fma(
            f32_from_bf16(x),
            f32_from_bf16(y),
            f32_from_bf16(sum),
            Denormals::KEEP,
        );
        bf16_from_f32(r)
    };
    step(high(a), high(b), step(low(a), low(b), c))
}

/// The half-precision result of `v_fma_mixlo_f16` and `v_fma_mixhi_f16`: a single-precision fused multiply-add, then a
/// conversion. Operands are already widened. `single` is the f32 denormal field of MODE.
#[inline(always)]
pub fn fma_mix_f16(a: u32, b: u32, c: u32, single: Denormals, mode: float16::Mode) -> u16 {
    f16_from_f32(
        float32::fma(a, b, c, single),
        mode.denormals,
        mode.round,
        mode.fp16_ovfl,
    )
}

/// Field `index` of `width` bits, sign-extended.
#[inline(always)]
const fn signed_field(x: u32, width: u32, index: u32) -> i64 {
    ((x << (32 - width * (index + 1))) as i32 >> (32 - width)) as i64
}

/// Field `index` of `width` bits.
#[inline(always)]
const fn unsigned_field(x: u32, width: u32, index: u32) -> i64 {
    (x << (32 - width * (index + 1)) >> (32 - width)) as i64
}

/// The exact sum of `c` and the products of all signed fields.
#[inline(always)]
fn dot_signed(a: u32, b: u32, c: u32, width: u32, clamp: bool) -> u32 {
    let sum = (0..32 / width).fold(c as i32 as i64, |sum, i| {
        sum.wrapping_add(signed_field(a, width, i) * signed_field(b, width, i))
    });
    if clamp { saturate_i32(sum) } else { sum as u32 }
}

/// The exact sum of `c` and the products of all unsigned fields.
#[inline(always)]
fn dot_unsigned(a: u32, b: u32, c: u32, width: u32, clamp: bool) -> u32 {
    let sum = (0..32 / width).fold(c as i64, |sum, i| {
        sum.wrapping_add(unsigned_field(a, width, i) * unsigned_field(b, width, i))
    });
    if clamp { saturate_u32(sum) } else { sum as u32 }
}

/// `v_dot2_i32_i16`.
#[inline(always)]
pub fn dot2_i32_i16(a: u32, b: u32, c: u32, clamp: bool) -> u32 {
    dot_signed(a, b, c, 16, clamp)
}

/// `v_dot2_u32_u16`.
#[inline(always)]
pub fn dot2_u32_u16(a: u32, b: u32, c: u32, clamp: bool) -> u32 {
    dot_unsigned(a, b, c, 16, clamp)
}

/// `v_dot4_i32_i8`.
#[inline(always)]
pub fn dot4_i32_i8(a: u32, b: u32, c: u32, clamp: bool) -> u32 {
    dot_signed(a, b, c, 8, clamp)
}

/// `v_dot4_u32_u8`.
#[inline(always)]
pub fn dot4_u32_u8(a: u32, b: u32, c: u32, clamp: bool) -> u32 {
    dot_unsigned(a, b, c, 8, clamp)
}

/// `v_dot8_i32_i4`.
#[inline(always)]
pub fn dot8_i32_i4(a: u32, b: u32, c: u32, clamp: bool) -> u32 {
    dot_signed(a, b, c, 4, clamp)
}

/// `v_dot8_u32_u4`.
#[inline(always)]
pub fn dot8_u32_u4(a: u32, b: u32, c: u32, clamp: bool) -> u32 {
    dot_unsigned(a, b, c, 4, clamp)
}

/// `v_dot4_i32_iu8` (gfx11+): each side signed or not, as its NEG bit says.
#[inline(always)]
pub fn dot4_i32_iu8(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool, clamp: bool) -> u32 {
    dot_mixed(a, b, c, 8, a_signed, b_signed, clamp)
}

/// `v_dot8_i32_iu4` (gfx11+): each side signed or not, as its NEG bit says.
#[inline(always)]
pub fn dot8_i32_iu4(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool, clamp: bool) -> u32 {
    dot_mixed(a, b, c, 4, a_signed, b_signed, clamp)
}

#[inline(always)]
fn dot_mixed(
    a: u32,
    b: u32,
    c: u32,
    width: u32,
    a_signed: bool,
    b_signed: bool,
    clamp: bool,
) -> u32 {
    let field = |x, i, signed| {
        if signed {
            signed_field(x, width, i)
        } else {
            unsigned_field(x, width, i)
        }
    };
    let sum = (0..32 / width).fold(c as i32 as i64, |sum, i| {
        sum.wrapping_add(field(a, i, a_signed) * field(b, i, b_signed))
    });
    if clamp { saturate_i32(sum) } else { sum as u32 }
}

/// 16-bit sum with CLAMP (`v_add_i16`, signed).
#[inline(always)]
pub const fn add_clamp_i16(a: u16, b: u16) -> u16 {
    saturate_i16(a as i16 as i32 + b as i16 as i32)
}

/// 16-bit difference with CLAMP (`v_sub_i16`, signed).
#[inline(always)]
pub const fn sub_clamp_i16(a: u16, b: u16) -> u16 {
    saturate_i16(a as i16 as i32 - b as i16 as i32)
}

/// 16-bit sum with CLAMP (`v_add_u16`).
#[inline(always)]
pub const fn add_clamp_u16(a: u16, b: u16) -> u16 {
    saturate_u16(a as i32 + b as i32)
}

/// 16-bit difference with CLAMP (`v_sub_u16`).
#[inline(always)]
pub const fn sub_clamp_u16(a: u16, b: u16) -> u16 {
    saturate_u16(a as i32 - b as i32)
}
