//! Half precision on `u16` bit patterns.
//!
//! Sums are formed in single precision and made odd when inexact ("round to odd"), which keeps enough information for
//! the final rounding to binary16 to be the correct one in every direction.

use crate::bits::representation;
use crate::convert::{f16_from_f32_directed, f32_from_f16_exact, limit_overflow};
use crate::{Condition, Denormals, Round, float32};

representation!(u16, i16, mantissa 10, exponent 5);

/// MODE as half-precision operations see it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mode {
    /// The f16/f64 denormal field.
    pub denormals: Denormals,
    /// The f16/f64 rounding field.
    pub round: Round,
    /// Finite overflow gives the largest finite value.
    pub fp16_ovfl: bool,
}

impl Mode {
    /// The mode that compilers select: denormals kept, to nearest even, overflow to infinity.
    pub const DEFAULT: Mode = Mode {
        denormals: Denormals::KEEP,
        round: Round::NearestEven,
        fp16_ovfl: false,
    };
}

/// The host single with the value of `x`.
#[inline(always)]
pub const fn value(x: u16) -> f32 {
    float32::value(f32_from_f16_exact(x))
}

/// The sum of two singles rounded to odd: the truncated sum with its last bit set if anything was lost. Finite operands
/// must be far from overflow. Odd results round correctly once more in any direction. Always inlined, so that callers'
/// vector features reach it.
#[inline(always)]
fn odd_sum(a: f32, b: f32) -> u32 {
    let sum = a + b;
    // Knuth's exact error of a rounded sum.
    let part = sum - a;
    let error = (a - (sum - part)) + (b - part);
    let bits = sum.to_bits();
    let too_large = (error < 0.0) != (sum < 0.0);
    let toward_zero = if too_large {
        bits.wrapping_sub(1)
    } else {
        bits
    };
    // Written so that a NaN error, which infinities and NaNs produce, counts as exact.
    let inexact = (error > 0.0) | (error < 0.0);
    if inexact { toward_zero | 1 } else { bits }
}

/// Rounds a single and applies what MODE says about results. `exact` tells that an infinity comes from an operand.
#[inline(always)]
fn finish(x: u32, from_infinity: bool, mode: Mode) -> u16 {
    let r = limit_overflow(
        f16_from_f32_directed(x, mode.round),
        from_infinity,
        mode.fp16_ovfl,
    );
    flush_out(r, mode.denormals)
}

/// Sign of an exact zero sum when rounding down.
#[inline(always)]
fn zero_sum(sum: u32, a: f32, b: f32, round: Round) -> u32 {
    let cancelled = (sum & !float32::SIGN == 0) & (a.is_sign_negative() != b.is_sign_negative());
    if cancelled & (round == Round::Down) {
        float32::SIGN
    } else {
        sum
    }
}

/// `a + b`.
#[inline(always)]
pub fn add(a: u16, b: u16, mode: Mode) -> u16 {
    let (a, b) = (flush_in(a, mode.denormals), flush_in(b, mode.denormals));
    let (x, y) = (value(a), value(b));
    let infinite = is_infinite(a) | is_infinite(b);
    let plain = (x + y).to_bits();
    let sum = if infinite | is_nan(a) | is_nan(b) {
        plain
    } else {
        odd_sum(x, y)
    };
    settle_nan2(
        finish(zero_sum(sum, x, y, mode.round), infinite, mode),
        a,
        b,
    )
}

/// `a - b`: the sum with the negated second operand.
#[inline(always)]
pub fn sub(a: u16, b: u16, mode: Mode) -> u16 {
    add(a, neg(b), mode)
}

/// `a * b`.
#[inline(always)]
pub fn mul(a: u16, b: u16, mode: Mode) -> u16 {
    let (a, b) = (flush_in(a, mode.denormals), flush_in(b, mode.denormals));
    let product = (value(a) * value(b)).to_bits();
    settle_nan2(finish(product, is_infinite(a) | is_infinite(b), mode), a, b)
}

/// `a * b + c` rounded once.
#[inline(always)]
pub fn fma(a: u16, b: u16, c: u16, mode: Mode) -> u16 {
    let (a, b, c) = (
        flush_in(a, mode.denormals),
        flush_in(b, mode.denormals),
        flush_in(c, mode.denormals),
    );
    let product = value(a) * value(b);
    let addend = value(c);
    let infinite = is_infinite(a) | is_infinite(b) | is_infinite(c);
    let plain = (product + addend).to_bits();
    let sum = if infinite | is_nan(a) | is_nan(b) | is_nan(c) {
        plain
    } else {
        odd_sum(product, addend)
    };
    settle_nan3(
        finish(zero_sum(sum, product, addend, mode.round), infinite, mode),
        a,
        b,
        c,
    )
}

/// `v_mad_f16` and `v_mac_f16` of gfx9: product and sum rounded separately; denormals always flushed.
#[inline(always)]
pub fn mad(a: u16, b: u16, c: u16, mode: Mode) -> u16 {
    let mode = Mode {
        denormals: Denormals::FLUSH,
        ..mode
    };
    add(mul(a, b, mode), c, mode)
}

/// Applies an integral rounding done in single precision, where it is exact.
#[inline(always)]
fn integral(x: u16, denormals: Denormals, round: impl Fn(f32) -> f32) -> u16 {
    let x = flush_in(x, denormals);
    settle_nan1(
        f16_from_f32_directed(round(value(x)).to_bits(), Round::NearestEven),
        x,
    )
}

/// Largest integral value not above `x`.
#[inline(always)]
pub fn floor(x: u16, denormals: Denormals) -> u16 {
    integral(x, denormals, f32::floor)
}

/// Smallest integral value not below `x`.
#[inline(always)]
pub fn ceil(x: u16, denormals: Denormals) -> u16 {
    integral(x, denormals, f32::ceil)
}

/// `x` without its fraction.
#[inline(always)]
pub fn trunc(x: u16, denormals: Denormals) -> u16 {
    integral(x, denormals, f32::trunc)
}

/// Nearest integral value, ties to even, whatever the rounding mode.
#[inline(always)]
pub fn rndne(x: u16, denormals: Denormals) -> u16 {
    integral(x, denormals, f32::round_ties_even)
}

/// `x - floor(x)`, kept below one; infinities give NaN, zeros give +0.
#[inline(always)]
pub fn fract(x: u16, denormals: Denormals) -> u16 {
    let x = flush_in(x, denormals);
    let r = f16_from_f32_directed((value(x) - value(x).floor()).to_bits(), Round::NearestEven);
    let below_one = if r >= ONE { ONE - 1 } else { r };
    flush_out(
        settle_nan1(if is_nan(r) { r } else { below_one }, x),
        denormals,
    )
}

/// `v_ldexp_f16`: the power is a signed 16-bit operand; rounded once.
#[inline(always)]
pub fn ldexp(x: u16, power: i16, mode: Mode) -> u16 {
    let x = flush_in(x, mode.denormals);
    // 2^±80 leaves every finite f16 a normal f32, and takes every one out of f16's range.
    let power = (power as i32).clamp(-80, 80);
    let factor = float32::value(((power + 127) as u32) << 23);
    settle_nan1(
        finish((value(x) * factor).to_bits(), is_infinite(x), mode),
        x,
    )
}

/// `v_frexp_mant_f16`: `x` scaled into [0.5, 1); zeros, infinities and NaNs (made quiet) pass.
#[inline(always)]
pub const fn frexp_mant(x: u16) -> u16 {
    let wide = float32::frexp_mant(f32_from_f16_exact(x));
    let r = f16_from_f32_directed(wide, Round::NearestEven);
    if is_nan(x) { quiet(x) } else { r }
}

/// `v_frexp_exp_i16_f16`; 0 for zeros, infinities and NaNs.
#[inline(always)]
pub const fn frexp_exp(x: u16) -> i16 {
    float32::frexp_exp(f32_from_f16_exact(x)) as i16
}

/// Output modifier: 1 times 2, 2 times 4, 3 times one half; denormal results and -0 become +0.
#[inline(always)]
pub fn omod(x: u16, omod: u8) -> u16 {
    let factor = match omod & 3 {
        0 => return x,
        1 => 2.0,
        2 => 4.0,
        _ => 0.5f32,
    };
    let r = flush(settle_nan1(
        f16_from_f32_directed((value(x) * factor).to_bits(), Round::NearestEven),
        x,
    ));
    if is_zero(r) { 0 } else { r }
}
