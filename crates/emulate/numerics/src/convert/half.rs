//! Binary16 and bfloat16 to and from single precision, in integer selects that vectorise.

use crate::soft::{BF16, Exact, F16, F32, F64, Value};
use crate::{Denormals, Round, float16, float32, float64};

/// Every binary16 value as binary32, exact for numbers; NaN payloads move up and the quiet bit is set.
#[inline(always)]
pub const fn f32_from_f16_exact(x: u16) -> u32 {
    let sign = ((x & float16::SIGN) as u32) << 16;
    let magnitude = (x & !float16::SIGN) as u32;
    let shifted = magnitude << 13;
    let normal = shifted.wrapping_add((127 - 15) << 23);
    // A denormal has the value fraction * 2^-24; 2^-14 as an f32 with the fraction below it, minus 2^-14, is just that.
    let denormal = (float32::value(shifted | 0x3880_0000) - float32::value(0x3880_0000)).to_bits();
    let special = shifted | float32::INFINITY;
    let r = if magnitude < float16::MIN_NORMAL as u32 {
        denormal
    } else {
        normal
    };
    let r = if magnitude >= float16::INFINITY as u32 {
        special
    } else {
        r
    };
    let r = if magnitude > float16::INFINITY as u32 {
        special | float32::QUIET
    } else {
        r
    };
    sign | r
}

/// `v_cvt_f32_f16`; `denormals` is the f16/f64 field of MODE, for the operand.
#[inline(always)]
pub const fn f32_from_f16(x: u16, denormals: Denormals) -> u32 {
    f32_from_f16_exact(float16::flush_in(x, denormals))
}

/// NaN of binary32 as a quiet binary16 NaN with the leading payload bits.
#[inline(always)]
const fn f16_nan(x: u32) -> u16 {
    ((x >> 16) as u16 & float16::SIGN)
        | float16::INFINITY
        | float16::QUIET
        | ((x & float32::FRACTION) >> 13) as u16
}

/// Binary32 to binary16, to nearest even, denormals kept.
#[inline(always)]
pub const fn f16_from_f32_nearest(x: u32) -> u16 {
    let sign = (x >> 16) as u16 & float16::SIGN;
    let magnitude = x & !float32::SIGN;
    // Adding 0.5 puts the unit of an f16 denormal at the last bit of the f32, where the hardware rounds.
    let denormal = (float32::value(magnitude) + 0.5)
        .to_bits()
        .wrapping_sub(0x3f00_0000);
    let odd = (magnitude >> 13) & 1;
    let normal = magnitude
        .wrapping_sub((127 - 15) << 23)
        .wrapping_add(0xfff + odd)
        >> 13;
    let r = if magnitude < 0x3880_0000 {
        denormal
    } else {
        normal
    };
    let r = if magnitude >= 0x4780_0000 {
        float16::INFINITY as u32
    } else {
        r
    };
    let r = if magnitude > float32::INFINITY {
        (f16_nan(x) & !float16::SIGN) as u32
    } else {
        r
    };
    sign | r as u16
}

/// Binary32 to binary16 in any direction, denormals kept, overflow as the direction demands.
#[inline(always)]
pub const fn f16_from_f32_directed(x: u32, round: Round) -> u16 {
    if matches!(round, Round::NearestEven) {
        return f16_from_f32_nearest(x);
    }
    let sign = (x >> 16) as u16 & float16::SIGN;
    let magnitude = x & !float32::SIGN;
    let away = match round {
        Round::Up => sign == 0,
        Round::Down => sign != 0,
        _ => false,
    };
    // Significand with the implicit bit, to be shifted right until its unit is that of the result.
    let exponent = magnitude >> 23;
    let significand = (magnitude & float32::FRACTION)
        | if exponent == 0 {
            0
        } else {
            float32::MIN_NORMAL
        };
    let missing = 113u32.saturating_sub(exponent);
    let shift = 13 + if missing > 18 { 18 } else { missing };
    let kept = significand >> shift;
    let lost = (significand & ((1 << shift) - 1) != 0) | ((missing > 18) & (significand != 0));
    let biased = exponent.saturating_sub(113);
    let r = (biased << 10) + kept + (lost & away) as u32;
    let beyond = if away {
        float16::INFINITY
    } else {
        float16::MAX_FINITE
    } as u32;
    let r = if (r >= float16::INFINITY as u32) | (exponent >= 143) {
        beyond
    } else {
        r
    };
    let r = if magnitude == float32::INFINITY {
        float16::INFINITY as u32
    } else {
        r
    };
    let r = if magnitude > float32::INFINITY {
        (f16_nan(x) & !float16::SIGN) as u32
    } else {
        r
    };
    sign | r as u16
}

/// `FP16_OVFL`: an overflow of a finite value to infinity becomes the largest finite value.
#[inline(always)]
pub const fn limit_overflow(r: u16, source_is_infinite: bool, fp16_ovfl: bool) -> u16 {
    if fp16_ovfl & !source_is_infinite & float16::is_infinite(r) {
        (r & float16::SIGN) | float16::MAX_FINITE
    } else {
        r
    }
}

/// `v_cvt_f16_f32`; `denormals` and `round` are the f16/f64 fields of MODE.
#[inline(always)]
pub const fn f16_from_f32(x: u32, denormals: Denormals, round: Round, fp16_ovfl: bool) -> u16 {
    let r = limit_overflow(
        f16_from_f32_directed(x, round),
        float32::is_infinite(x),
        fp16_ovfl,
    );
    float16::flush_out(r, denormals)
}

/// `v_cvt_pkrtz_f16_f32` of one half: toward zero, so a finite value never becomes infinite. f16 denormals obey MODE.
#[inline(always)]
pub const fn f16_from_f32_rtz(x: u32, denormals: Denormals) -> u16 {
    float16::flush_out(f16_from_f32_directed(x, Round::Zero), denormals)
}

/// `v_cvt_pkrtz_f16_f32`: `a` in the low half.
#[inline(always)]
pub const fn pkrtz_f16_f32(a: u32, b: u32, denormals: Denormals) -> u32 {
    f16_from_f32_rtz(a, denormals) as u32 | (f16_from_f32_rtz(b, denormals) as u32) << 16
}

/// bfloat16 to binary32: exact, bits only.
#[inline(always)]
pub const fn f32_from_bf16(x: u16) -> u32 {
    (x as u32) << 16
}

/// Binary32 to bfloat16, to nearest even; NaNs stay NaN and become quiet, denormals are kept.
#[inline(always)]
pub const fn bf16_from_f32(x: u32) -> u16 {
    let rounded = x.wrapping_add(0x7fff + ((x >> 16) & 1)) >> 16;
    if float32::is_nan(x) {
        ((x | float32::QUIET) >> 16) as u16
    } else {
        rounded as u16
    }
}

/// Binary32 to bfloat16 in any direction.
#[inline(always)]
pub fn bf16_from_f32_round(x: u32, round: Round) -> u16 {
    if float32::is_nan(x) {
        return bf16_from_f32(x);
    }
    BF16.convert(x as u64, F32, round) as u16
}

/// `v_cvt_sr_f16_f32`: the top bits of `random` are added below the kept fraction, then the rest is cut off. The manual names the rounding
/// but does not define it. Results of 2^16 and more are infinite, or with `fp16_ovfl` the largest finite value.
#[inline(always)]
pub fn f16_from_f32_stochastic(x: u32, random: u32, fp16_ovfl: bool) -> u16 {
    let Value::Finite(exact) = F32.unpack(x.into()) else {
        return f16_from_f32_nearest(x);
    };
    // Weight of the last kept bit: that of the result's exponent, or of its denormals.
    let unit = (exact.magnitude() - 10).max(-24);
    let discarded = (unit - exact.exponent).clamp(0, 60);
    let noise = (u128::from(random) << 32) >> (64 - discarded);
    let sum = Exact {
        significand: exact.significand + noise,
        ..exact
    };
    if sum.magnitude() > 15 && !fp16_ovfl {
        (x >> 16) as u16 & float16::SIGN | float16::INFINITY
    } else {
        F16.pack(sum, Round::Zero) as u16
    }
}

/// `v_cvt_sr_bf16_f32`: stochastic rounding, which the manual names without spelling it out.
#[inline(always)]
pub fn bf16_from_f32_stochastic(x: u32, random: u32) -> u16 {
    if float32::is_nan(x) || float32::is_infinite(x) {
        return bf16_from_f32(x);
    }
    (x.wrapping_add(random >> 16) >> 16) as u16
}

/// `v_cvt_f64_f32`; `denormals` is the f32 field of MODE, for the operand.
#[inline(always)]
pub fn f64_from_f32(x: u32, denormals: Denormals) -> u64 {
    let x = float32::flush_in(x, denormals);
    let nan = (((x & float32::SIGN) as u64) << 32)
        | float64::INFINITY
        | float64::QUIET
        | (((x & float32::FRACTION) as u64) << 29);
    if float32::is_nan(x) {
        nan
    } else {
        (float32::value(x) as f64).to_bits()
    }
}

/// `v_cvt_f32_f64`; `source` is the f64 field of the denormal mode, `result` and `round` are f32 fields of MODE.
#[inline(always)]
pub fn f32_from_f64(x: u64, source: Denormals, result: Denormals, round: Round) -> u32 {
    let x = float64::flush_in(x, source);
    let nan = ((x >> 32) as u32 & float32::SIGN)
        | float32::INFINITY
        | float32::QUIET
        | ((x & float64::FRACTION) >> 29) as u32;
    let number = match round {
        Round::NearestEven => (float64::value(x) as f32).to_bits(),
        _ => F32.convert(x, F64, round) as u32,
    };
    float32::flush_out(if float64::is_nan(x) { nan } else { number }, result)
}

/// Binary64 to binary16 with one rounding (no instruction does this; used by models and tests).
#[inline(always)]
pub fn f16_from_f64(x: u64, round: Round) -> u16 {
    F16.convert(x, F64, round) as u16
}
