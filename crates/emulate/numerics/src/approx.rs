//! The hardware's approximate functions, modelled as nearly correctly rounded.
//!
//! Single-precision results are computed in double precision, once the argument is reduced, and rounded once, so they are
//! within 0.50001 units in the last place of the true value; the hardware promises one unit. Everything a compiler builds on top and calls correctly
//! rounded (division, square root) comes out exact for any reciprocal within one unit. Direct uses (`native_*`,
//! `-ffast-math`) may differ from silicon in the last bit. MODE's rounding does not apply.
//!
//! In single precision denormal operands count as zero and denormal results become zero, whatever MODE says. Half
//! precision handles denormals as MODE says; double precision reciprocals do too.
//!
//! The kernels are branch-free IEEE arithmetic, so they give the same bits on every host and vectorise.
//! Coefficients are minimax fits of the relative error, made with 45 digits.

use crate::convert::{f16_from_f32_directed, f32_from_f16_exact};
use crate::float32::{self, flush, settle_nan1, value};
use crate::{Denormals, Round, float16, float64};

/// 2^f for |f| ≤ 1/2, to 2^-43. The second coefficient is a fit, not ln 2.
#[allow(clippy::approx_constant)]
pub const EXP2: [f64; 10] = [
    1.0,
    0.6931471805585503,
    0.240226506958137,
    0.055504108739726804,
    0.0096181291591738,
    0.0013333547329490228,
    0.0001540345603581479,
    1.5258494078497533e-05,
    1.3255182921350214e-06,
    9.16794327880976e-08,
];

/// log2((1+s)/(1-s))/s in powers of s², for mantissas between √½ and √2, to 2^-45.
pub const LOG2: [f64; 6] = [
    2.88539008177785,
    0.9617966941133985,
    0.5770779423475113,
    0.41220925424588545,
    0.3199056154083462,
    0.28290139418567023,
];

/// sin(2πt)/t in powers of t², for |t| ≤ 1/8, to 2^-47.
const SIN: [f64; 6] = [
    6.283185307179558,
    -41.34170224027134,
    81.6052491812209,
    -76.70583405438039,
    42.0555397816912,
    -14.915812179853367,
];

/// cos(2πt) in powers of t², for |t| ≤ 1/8, to 2^-43.
const COS: [f64; 6] = [
    1.0,
    -19.73920880197711,
    64.93939384616984,
    -85.4567665702085,
    60.23826117391984,
    -26.05942568086209,
];

/// 1.5 * 2^23: adding it rounds a small number to an integer that can be read from the low bits.
pub const INTEGER: f32 = 12582912.0;

/// In pairs of terms: a chain half as long as one term after another, so that more is under way at once.
#[inline(always)]
fn polynomial<const N: usize>(x: f64, coefficients: &[f64; N]) -> f64 {
    const { assert!(N.is_multiple_of(2)) };
    // Not a fold: an iterator adaptor that is not inlined would leave the caller's vector features behind.
    let square = x * x;
    let mut index = N - 2;
    let mut sum = coefficients[index + 1].mul_add(x, coefficients[index]);
    while index > 0 {
        index -= 2;
        sum = sum.mul_add(
            square,
            coefficients[index + 1].mul_add(x, coefficients[index]),
        );
    }
    sum
}

/// 2^`x` for |x| below 2^21 as a number between √½ and √2, and the power of two to multiply it by in the low bits.
#[inline(always)]
fn exp2(x: f32) -> (f64, u32) {
    let shifted = x + INTEGER;
    let fraction = x - (shifted - INTEGER);
    (polynomial(fraction as f64, &EXP2), shifted.to_bits())
}

/// log2 of a positive, finite, normal number.
#[inline(always)]
fn log2(x: u32) -> f64 {
    // Subtracting √½ from the bits makes the exponent change at √½ instead of at 1.
    let offset = x.wrapping_sub(core::f32::consts::FRAC_1_SQRT_2.to_bits());
    let exponent = offset & 0xff80_0000;
    let mantissa = value(x.wrapping_sub(exponent)) as f64;
    let whole = (exponent as i32 >> 23) as f64;
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    s.mul_add(polynomial(s * s, &LOG2), whole)
}

/// Sine (`quarter` 0) or cosine (`quarter` 1) of `turns` full turns, and whether it is to be negated; exact multiples of a
/// quarter give exact values.
#[inline(always)]
fn sine_of_turns(turns: f32, quarter: u32) -> (f64, bool) {
    let turn = turns - turns.round_ties_even();
    let shifted = turn * 4.0 + INTEGER;
    let t = (turn - (shifted - INTEGER) * 0.25) as f64;
    let quadrant = shifted.to_bits().wrapping_add(quarter);
    let is_sine = quadrant & 1 == 0;
    // One polynomial, whose coefficients are chosen: to evaluate both and choose then takes longer.
    let mut coefficients = [0.0; SIN.len()];
    let mut index = 0;
    while index < SIN.len() {
        coefficients[index] = if is_sine { SIN[index] } else { COS[index] };
        index += 1;
    }
    let factor = if is_sine { t } else { 1.0 };
    (factor * polynomial(t * t, &coefficients), quadrant & 2 != 0)
}

/// `v_rcp_f32` and `v_rcp_iflag_f32`.
#[inline(always)]
pub fn rcp_f32(x: u32) -> u32 {
    flush(settle_nan1((1.0 / value(flush(x))).to_bits(), x))
}

/// `v_sqrt_f32`.
#[inline(always)]
pub fn sqrt_f32(x: u32) -> u32 {
    settle_nan1(value(flush(x)).sqrt().to_bits(), x)
}

/// `v_rsq_f32`. Both zeros keep their sign: -0 gives -infinity.
#[inline(always)]
pub fn rsq_f32(x: u32) -> u32 {
    let x = flush(x);
    let r = if x == float32::INFINITY {
        0
    } else {
        positive_rsq(x)
    };
    let r = if x > float32::INFINITY {
        float32::NAN
    } else {
        r
    };
    let r = if float32::is_zero(x) {
        x | float32::INFINITY
    } else {
        r
    };
    if float32::is_nan(x) {
        float32::quiet(x)
    } else {
        r
    }
}

/// 1/√x of a positive, finite, normal number, correctly rounded: there are few enough to have tried all. A guess from the
/// bits is made better by two of Newton's steps in single precision and by a series in its error, which is below 2^-16.
#[inline(always)]
fn positive_rsq(x: u32) -> u32 {
    let half = value(x) * -0.5;
    let mut guess = value(0x5f37_59df_u32.wrapping_sub(x >> 1));
    guess *= (half * guess).mul_add(guess, 1.5);
    guess *= (half * guess).mul_add(guess, 1.5);
    let (x, guess) = (value(x) as f64, guess as f64);
    let error = (x * -guess).mul_add(guess, 1.0);
    let series = error.mul_add(error.mul_add(0.3125, 0.375), 0.5);
    ((guess * error).mul_add(series, guess) as f32).to_bits()
}

/// `v_exp_f32`, `v_exp_legacy_f32`: 2^x.
#[inline(always)]
pub fn exp_f32(x: u32) -> u32 {
    let v = value(x);
    let (number, power) = exp2(v);
    let r = (number as f32).to_bits().wrapping_add(power << 23);
    let r = if v >= 128.0 { float32::INFINITY } else { r };
    let r = if v < -126.0 { 0 } else { r };
    if float32::is_nan(x) {
        float32::quiet(x)
    } else {
        r
    }
}

/// `v_log_f32`, `v_log_legacy_f32`: log2. Zeros give -infinity, negative numbers NaN.
#[inline(always)]
pub fn log_f32(x: u32) -> u32 {
    let x = flush(x);
    let number = (log2(x) as f32).to_bits();
    let r = if x == float32::INFINITY { x } else { number };
    let r = if x > float32::INFINITY {
        float32::NAN
    } else {
        r
    };
    let r = if float32::is_zero(x) {
        float32::SIGN | float32::INFINITY
    } else {
        r
    };
    if float32::is_nan(x) {
        float32::quiet(x)
    } else {
        r
    }
}

/// [`sine_of_turns`] rounded; zeros are +0, because their sign is the caller's business.
#[inline(always)]
fn single_of_turns(x: u32, quarter: u32) -> u32 {
    let (r, negative) = sine_of_turns(value(x), quarter);
    (value((r as f32).to_bits() ^ (negative as u32) << 31) + 0.0).to_bits()
}

/// `v_sin_f32`: sine of `x` turns. Before gfx10 (`limited_range`) only |x| ≤ 256 is valid and others give 0.
#[inline(always)]
pub fn sin_f32(x: u32, limited_range: bool) -> u32 {
    let x = flush(x);
    let r = single_of_turns(x, 0);
    let r = if limited_range & (float32::abs(x) > 256.0f32.to_bits()) {
        0
    } else {
        r
    };
    let r = if float32::is_zero(x) { x } else { r };
    let r = if float32::is_infinite(x) {
        float32::NAN
    } else {
        r
    };
    flush(settle_nan1(r, x))
}

/// `v_cos_f32`: cosine of `x` turns. Before gfx10 (`limited_range`) only |x| ≤ 256 is valid and others give 1.
#[inline(always)]
pub fn cos_f32(x: u32, limited_range: bool) -> u32 {
    let x = flush(x);
    let r = single_of_turns(x, 1);
    let r = if limited_range & (float32::abs(x) > 256.0f32.to_bits()) {
        float32::ONE
    } else {
        r
    };
    let r = if float32::is_infinite(x) {
        float32::NAN
    } else {
        r
    };
    flush(settle_nan1(r, x))
}

/// A double rounded to odd in single precision, so that the next rounding, to half, is the only one that counts.
#[inline(always)]
fn odd_single(x: f64) -> u32 {
    let nearest = x as f32;
    let too_large = (nearest.abs() as f64) > x.abs();
    let inexact = nearest as f64 != x;
    let toward_zero = if too_large {
        nearest.to_bits().wrapping_sub(1)
    } else {
        nearest.to_bits()
    };
    if inexact {
        toward_zero | 1
    } else {
        nearest.to_bits()
    }
}

/// Applies `op`, given the value and returning the unrounded result, to a half-precision operand.
#[inline(always)]
fn half(x: u16, denormals: Denormals, op: impl Fn(f32) -> f64) -> u16 {
    let x = float16::flush_in(x, denormals);
    let result = op(value(f32_from_f16_exact(x)));
    let r = f16_from_f32_directed(odd_single(result), Round::NearestEven);
    float16::flush_out(float16::settle_nan1(r, x), denormals)
}

/// `v_rcp_f16`.
#[inline(always)]
pub fn rcp_f16(x: u16, denormals: Denormals) -> u16 {
    half(
        x,
        denormals,
        #[inline(always)]
        |v| 1.0 / v as f64,
    )
}

/// `v_sqrt_f16`.
#[inline(always)]
pub fn sqrt_f16(x: u16, denormals: Denormals) -> u16 {
    half(
        x,
        denormals,
        #[inline(always)]
        |v| (v as f64).sqrt(),
    )
}

/// `v_rsq_f16`.
#[inline(always)]
pub fn rsq_f16(x: u16, denormals: Denormals) -> u16 {
    half(
        x,
        denormals,
        #[inline(always)]
        |v| 1.0 / (v as f64).sqrt(),
    )
}

/// `v_exp_f16`: 2^x.
#[inline(always)]
pub fn exp_f16(x: u16, denormals: Denormals) -> u16 {
    half(
        x,
        denormals,
        #[inline(always)]
        |v| {
            let v = if v > 100.0 { 100.0 } else { v };
            let (number, power) = exp2(if v < -100.0 { -100.0 } else { v });
            // The low bits become the exponent.
            number * f64::from_bits((power as u64).wrapping_add(1023) << 52)
        },
    )
}

/// `v_log_f16`: log2.
#[inline(always)]
pub fn log_f16(x: u16, denormals: Denormals) -> u16 {
    half(
        x,
        denormals,
        #[inline(always)]
        |v| {
            let number = log2(v.to_bits());
            let r = if v == f32::INFINITY { v as f64 } else { number };
            let r = if v < 0.0 { f64::NAN } else { r };
            if v == 0.0 { f64::NEG_INFINITY } else { r }
        },
    )
}

/// `v_sin_f16`: sine of `x` turns; `limited_range` as for [`sin_f32`].
#[inline(always)]
pub fn sin_f16(x: u16, denormals: Denormals, limited_range: bool) -> u16 {
    half(
        x,
        denormals,
        #[inline(always)]
        |v| {
            let r = double_of_turns(v, 0);
            let r = if limited_range & (v.abs() > 256.0) {
                0.0
            } else {
                r
            };
            let r = if v.is_infinite() { f64::NAN } else { r };
            if v == 0.0 { v as f64 } else { r }
        },
    )
}

/// `v_cos_f16`: cosine of `x` turns; `limited_range` as for [`cos_f32`].
#[inline(always)]
pub fn cos_f16(x: u16, denormals: Denormals, limited_range: bool) -> u16 {
    half(
        x,
        denormals,
        #[inline(always)]
        |v| {
            let r = double_of_turns(v, 1);
            let r = if limited_range & (v.abs() > 256.0) {
                1.0
            } else {
                r
            };
            if v.is_infinite() { f64::NAN } else { r }
        },
    )
}

/// [`sine_of_turns`]; zeros are +0.
#[inline(always)]
fn double_of_turns(x: f32, quarter: u32) -> f64 {
    let (r, negative) = sine_of_turns(x, quarter);
    (if negative { -r } else { r }) + 0.0
}

/// `v_rcp_f64`. The hardware gives about 24 good bits and compilers always refine; this one is correctly rounded.
#[inline(always)]
pub fn rcp_f64(x: u64, denormals: Denormals) -> u64 {
    let x = float64::flush_in(x, denormals);
    float64::flush_out(
        float64::settle_nan1((1.0 / float64::value(x)).to_bits(), x),
        denormals,
    )
}

/// `v_sqrt_f64`, correctly rounded; see [`rcp_f64`].
#[inline(always)]
pub fn sqrt_f64(x: u64, denormals: Denormals) -> u64 {
    let x = float64::flush_in(x, denormals);
    float64::settle_nan1(float64::value(x).sqrt().to_bits(), x)
}

/// `v_rsq_f64`, within one unit of the last place; see [`rcp_f64`].
#[inline(always)]
pub fn rsq_f64(x: u64, denormals: Denormals) -> u64 {
    let x = float64::flush_in(x, denormals);
    float64::settle_nan1((1.0 / float64::value(x).sqrt()).to_bits(), x)
}
