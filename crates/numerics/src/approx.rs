//! The hardware's approximate functions, modelled as nearly correctly rounded.
//!
//! Single-precision results are computed in double precision and rounded once, so they are within 0.5001 units in the
//! last place of the true value; the hardware promises one unit. Everything a compiler builds on top and calls correctly
//! rounded (division, square root) comes out exact for any reciprocal within one unit. Direct uses (`native_*`,
//! `-ffast-math`) may differ from silicon in the last bit. MODE's rounding does not apply.
//!
//! In single precision denormal operands count as zero and denormal results become zero, whatever MODE says. Half
//! precision handles denormals as MODE says; double precision reciprocals do too.
//!
//! The kernels are branch-free `f64` arithmetic without fused operations, so they give the same bits on every host and
//! vectorise. Coefficients are near-minimax fits made at 200 bits.

use crate::convert::{f16_from_f32_directed, f32_from_f16_exact};
use crate::float32::{self, flush, settle_nan1, value};
use crate::{Denormals, Round, float16, float64};

/// 2^f for |f| ≤ 1/2, to 2^-52. The second coefficient is a fit, not ln 2.
#[allow(clippy::approx_constant)]
const EXP2: [f64; 11] = [
    1.0,
    0.69314718055995,
    0.24022650695910097,
    0.05550410866444772,
    0.009618129107606888,
    0.0013333558230164974,
    0.0001540353044173605,
    1.5252657260200837e-05,
    1.321544258792169e-06,
    1.0208690299958306e-07,
    7.072585949269223e-09,
];

/// log2((1+s)/(1-s))/s in powers of s², for mantissas between √½ and √2.
const LOG2: [f64; 9] = [
    2.8853900817779268,
    0.9617966939259754,
    0.5770780163556936,
    0.412198583073463,
    0.32059890453872275,
    0.26230754780023596,
    0.22198981902561918,
    0.1911389922870324,
    0.191334029264787,
];

/// sin(2πt)/t in powers of t², for |t| ≤ 1/8.
const SIN: [f64; 7] = [
    core::f64::consts::TAU,
    -41.341702240399634,
    81.60524927594804,
    -76.70585970427454,
    42.058685020160894,
    -15.093804209987114,
    3.7808689593022957,
];

/// cos(2πt) in powers of t², for |t| ≤ 1/8.
const COS: [f64; 8] = [
    1.0,
    -19.739208802178716,
    64.93939402266795,
    -85.45681720652271,
    60.244641328867296,
    -26.426250908622137,
    7.903091687751697,
    -1.6968494702918826,
];

/// 1.5 * 2^52: adding it rounds a small number to an integer that can be read from the low bits.
const INTEGER: f64 = 6755399441055744.0;

#[inline(always)]
fn polynomial<const N: usize>(x: f64, coefficients: &[f64; N]) -> f64 {
    // Not a fold: an iterator adaptor that is not inlined would leave the caller's vector features behind.
    let mut sum = 0.0;
    let mut index = N;
    while index > 0 {
        index -= 1;
        sum = sum * x + coefficients[index];
    }
    sum
}

/// 2^`x` for |x| below 1000; NaN gives NaN.
#[inline(always)]
fn exp2_f64(x: f64) -> f64 {
    let shifted = x + INTEGER;
    let fraction = x - (shifted - INTEGER);
    // The low bits of `shifted` are the integer; shifted up they are an exponent.
    let scale = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    polynomial(fraction, &EXP2) * scale
}

/// log2 of a positive, finite, normal number.
#[inline(always)]
fn log2_f64(x: f64) -> f64 {
    // Subtracting √½ from the bits makes the exponent change at √½ instead of at 1.
    let offset = x
        .to_bits()
        .wrapping_sub(core::f64::consts::FRAC_1_SQRT_2.to_bits());
    let exponent = offset & 0xfff0_0000_0000_0000;
    let mantissa = f64::from_bits(x.to_bits().wrapping_sub(exponent));
    // Integer to float by way of the magic constant, which vectorises where a 64-bit conversion would not.
    let whole = f64::from_bits(
        INTEGER
            .to_bits()
            .wrapping_add((exponent as i64 >> 52) as u64),
    ) - INTEGER;
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    whole + s * polynomial(s * s, &LOG2)
}

/// Sine (`quarter` 0) or cosine (`quarter` 1) of `turns` full turns; exact multiples of a quarter give exact values.
#[inline(always)]
fn sine_of_turns(turns: f64, quarter: u64) -> f64 {
    // Beyond 2^24 every single is a whole number of turns.
    let small = if turns.abs() < 16777216.0 { turns } else { 0.0 };
    let turn = small - ((small + INTEGER) - INTEGER);
    let shifted = turn * 4.0 + INTEGER;
    let t = turn - (shifted - INTEGER) * 0.25;
    let quadrant = shifted.to_bits().wrapping_add(quarter);
    let u = t * t;
    let sine = t * polynomial(u, &SIN);
    let cosine = polynomial(u, &COS);
    let r = if quadrant & 1 == 0 { sine } else { cosine };
    let r = if quadrant & 2 == 0 { r } else { -r };
    // -0 becomes +0: the sign of zero is the caller's business.
    r + 0.0
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
    settle_nan1(((1.0 / (value(x) as f64).sqrt()) as f32).to_bits(), x)
}

/// `v_exp_f32`, `v_exp_legacy_f32`: 2^x.
#[inline(always)]
pub fn exp_f32(x: u32) -> u32 {
    let v = value(flush(x)) as f64;
    let v = if v > 200.0 { 200.0 } else { v };
    let v = if v < -200.0 { -200.0 } else { v };
    flush(settle_nan1((exp2_f64(v) as f32).to_bits(), x))
}

/// `v_log_f32`, `v_log_legacy_f32`: log2. Zeros give -infinity, negative numbers NaN.
#[inline(always)]
pub fn log_f32(x: u32) -> u32 {
    let x = flush(x);
    let number = (log2_f64(value(x) as f64) as f32).to_bits();
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

/// `v_sin_f32`: sine of `x` turns. Before gfx10 (`limited_range`) only |x| ≤ 256 is valid and others give 0.
#[inline(always)]
pub fn sin_f32(x: u32, limited_range: bool) -> u32 {
    let x = flush(x);
    let r = (sine_of_turns(value(x) as f64, 0) as f32).to_bits();
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
    let r = (sine_of_turns(value(x) as f64, 1) as f32).to_bits();
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
fn half(x: u16, denormals: Denormals, op: impl Fn(f64) -> f64) -> u16 {
    let x = float16::flush_in(x, denormals);
    let result = op(value(f32_from_f16_exact(x)) as f64);
    let r = f16_from_f32_directed(odd_single(result), Round::NearestEven);
    float16::flush_out(float16::settle_nan1(r, x), denormals)
}

/// `v_rcp_f16`.
#[inline(always)]
pub fn rcp_f16(x: u16, denormals: Denormals) -> u16 {
    half(x, denormals, |v| 1.0 / v)
}

/// `v_sqrt_f16`.
#[inline(always)]
pub fn sqrt_f16(x: u16, denormals: Denormals) -> u16 {
    half(x, denormals, f64::sqrt)
}

/// `v_rsq_f16`.
#[inline(always)]
pub fn rsq_f16(x: u16, denormals: Denormals) -> u16 {
    half(x, denormals, |v| 1.0 / v.sqrt())
}

/// `v_exp_f16`: 2^x.
#[inline(always)]
pub fn exp_f16(x: u16, denormals: Denormals) -> u16 {
    half(x, denormals, |v| {
        let v = if v > 100.0 { 100.0 } else { v };
        exp2_f64(if v < -100.0 { -100.0 } else { v })
    })
}

/// `v_log_f16`: log2.
#[inline(always)]
pub fn log_f16(x: u16, denormals: Denormals) -> u16 {
    half(x, denormals, |v| {
        let number = log2_f64(v);
        let r = if v == f64::INFINITY { v } else { number };
        let r = if v < 0.0 { f64::NAN } else { r };
        if v == 0.0 { f64::NEG_INFINITY } else { r }
    })
}

/// `v_sin_f16`: sine of `x` turns; `limited_range` as for [`sin_f32`].
#[inline(always)]
pub fn sin_f16(x: u16, denormals: Denormals, limited_range: bool) -> u16 {
    half(x, denormals, |v| {
        let r = if limited_range & (v.abs() > 256.0) {
            0.0
        } else {
            sine_of_turns(v, 0)
        };
        let r = if v.is_infinite() { f64::NAN } else { r };
        if v == 0.0 { v } else { r }
    })
}

/// `v_cos_f16`: cosine of `x` turns; `limited_range` as for [`cos_f32`].
#[inline(always)]
pub fn cos_f16(x: u16, denormals: Denormals, limited_range: bool) -> u16 {
    half(x, denormals, |v| {
        let r = if limited_range & (v.abs() > 256.0) {
            1.0
        } else {
            sine_of_turns(v, 1)
        };
        if v.is_infinite() { f64::NAN } else { r }
    })
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
