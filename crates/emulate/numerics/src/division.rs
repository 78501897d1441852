//! `v_div_scale`, `v_div_fmas` and `v_div_fixup`: the steps around a reciprocal that make division correctly rounded.
//!
//! The published pseudocode is wrong in three places: the format in which "denormal" is decided, the direction of one scaling, and the
//! factor in fmas. This module has the corrected rules. The tests build whole divisions out of them.

use crate::soft::{F32, F64, Format, Value, multiply};
use crate::{Denormals, Round, float16, float32, float64};

/// Numbers that differ between the formats.
struct Limits {
    format: Format,
    /// Power of two by which scaling moves a value.
    step: i32,
    /// Exponent distance from which the quotient may overflow an intermediate.
    far: i32,
    /// Numerators with this exponent field or less lose bits.
    small: i32,
    /// Exponent distance below which the quotient underflows whatever the fractions are.
    underflow: i32,
}

const SINGLE: Limits = Limits {
    format: F32,
    step: 64,
    far: 96,
    small: 23,
    underflow: -150,
};
const DOUBLE: Limits = Limits {
    format: F64,
    step: 128,
    far: 768,
    small: 53,
    underflow: -1075,
};

/// How to scale the selected operand, and the lane's VCC bit.
#[derive(Clone, Copy)]
struct Scaling {
    /// Power of two to scale by; `None` makes the result NaN.
    power: Option<i32>,
    vcc: bool,
}

impl Limits {
    #[inline(always)]
    const fn exponent(&self, x: u64) -> i32 {
        ((x & self.format.infinity()) >> self.format.mantissa) as i32
    }

    #[inline(always)]
    const fn magnitude(&self, x: u64) -> u64 {
        x & (self.format.sign() - 1)
    }

    /// The rule that applies to `selected`, which is the same bits as `denominator` or `numerator`. First match wins.
    #[inline(always)]
    const fn scaling(&self, selected: u64, denominator: u64, numerator: u64) -> Scaling {
        let up = Some(self.step);
        let down = Some(-self.step);
        let keep = Some(0);
        let is_denominator = selected == denominator;
        let is_numerator = selected == numerator;
        let top = (1 << self.format.exponent) - 1;
        let (d, n) = (self.exponent(denominator), self.exponent(numerator));
        let finite = d != top && n != top;
        let reciprocal_denormal = finite && d >= top - 2;
        let quotient_denormal = finite && n - d <= self.format.min_exponent();
        let zero = self.magnitude(denominator) == 0 || self.magnitude(numerator) == 0;
        let (power, vcc) = if zero {
            (None, true)
        } else if n - d >= self.far {
            (if is_denominator { up } else { keep }, true)
        } else if d == 0 {
            (up, false)
        } else if reciprocal_denormal && quotient_denormal {
            (if is_denominator { down } else { keep }, true)
        } else if reciprocal_denormal {
            (down, false)
        } else if quotient_denormal {
            (if is_numerator { up } else { keep }, true)
        } else if n <= self.small {
            (up, false)
        } else {
            (keep, false)
        };
        Scaling { power, vcc }
    }

    /// `a * b + c`, times 2^±step inside the single rounding when `vcc`.
    #[inline(always)]
    fn fmas(&self, a: u64, b: u64, c: u64, vcc: bool, round: Round) -> u64 {
        let format = self.format;
        let power = if !vcc {
            0
        } else if self.exponent(c) > -format.min_exponent() + 1 {
            self.step
        } else {
            -self.step
        };
        let scale = |value| match value {
            Value::Finite(exact) => Value::Finite(exact.scaled(power)),
            other => other,
        };
        let product = scale(multiply(format.unpack(a), format.unpack(b)));
        format.add_values(product, scale(format.unpack(c)), round)
    }

    /// The quotient with special cases put right.
    #[inline(always)]
    const fn fixup(&self, quotient: u64, denominator: u64, numerator: u64) -> u64 {
        let format = self.format;
        let infinity = format.infinity();
        let quiet = 1 << (format.mantissa - 1);
        let sign = (denominator ^ numerator) & format.sign();
        let (q, d, n) = (
            self.magnitude(quotient),
            self.magnitude(denominator),
            self.magnitude(numerator),
        );
        if n > infinity {
            numerator | quiet
        } else if d > infinity {
            denominator | quiet
        } else if (d == 0 && n == 0) || (d == infinity && n == infinity) {
            // The one place where the generated NaN is negative.
            format.sign() | format.nan()
        } else if d == 0 || n == infinity {
            sign | infinity
        } else if d == infinity || n == 0 {
            sign
        } else if self.exponent(numerator) - self.exponent(denominator) < self.underflow {
            // "Underflow" is what rounding a tiny nonzero quotient to nearest gives.
            sign
        } else if q > infinity {
            sign | infinity
        } else {
            sign | q
        }
    }
}

/// `v_div_scale_f32`: `selected` must be `denominator` or `numerator`. Returns the scaled operand and the VCC bit.
#[inline(always)]
pub fn scale_f32(
    selected: u32,
    denominator: u32,
    numerator: u32,
    denormals: Denormals,
) -> (u32, bool) {
    let s = float32::flush_in(selected, denormals);
    let d = float32::flush_in(denominator, denormals);
    let n = float32::flush_in(numerator, denormals);
    let scaling = SINGLE.scaling(s as u64, d as u64, n as u64);
    match scaling.power {
        None => (float32::NAN, scaling.vcc),
        Some(0) => (float32::flush_out(s, denormals), scaling.vcc),
        Some(power) => (float32::ldexp(s, power, denormals), scaling.vcc),
    }
}

/// `v_div_scale_f64`.
#[inline(always)]
pub fn scale_f64(
    selected: u64,
    denominator: u64,
    numerator: u64,
    denormals: Denormals,
) -> (u64, bool) {
    let s = float64::flush_in(selected, denormals);
    let d = float64::flush_in(denominator, denormals);
    let n = float64::flush_in(numerator, denormals);
    let scaling = DOUBLE.scaling(s, d, n);
    match scaling.power {
        None => (float64::NAN, scaling.vcc),
        Some(0) => (float64::flush_out(s, denormals), scaling.vcc),
        Some(power) => (float64::ldexp(s, power, denormals), scaling.vcc),
    }
}

/// `v_div_fmas_f32`: fma, scaled back when `vcc`; the scaling happens before the one rounding.
#[inline(always)]
pub fn fmas_f32(a: u32, b: u32, c: u32, vcc: bool, denormals: Denormals, round: Round) -> u32 {
    let a = float32::flush_in(a, denormals);
    let b = float32::flush_in(b, denormals);
    let c = float32::flush_in(c, denormals);
    let r = if round == Round::NearestEven {
        fmas_nearest(a, b, c, vcc)
    } else {
        SINGLE.fmas(a as u64, b as u64, c as u64, vcc, round) as u32
    };
    float32::flush_out(float32::settle_nan3(r, a, b, c), denormals)
}

/// The product is exact in double precision, the sum is made odd there if it is not, and scaling is exact, so the
/// conversion is the only rounding.
#[inline(always)]
fn fmas_nearest(a: u32, b: u32, c: u32, vcc: bool) -> u32 {
    let product = float32::value(a) as f64 * float32::value(b) as f64;
    let addend = float32::value(c) as f64;
    let sum = product + addend;
    let part = sum - product;
    let error = (product - (sum - part)) + (addend - part);
    let inexact = (error > 0.0) | (error < 0.0);
    let too_large = (error < 0.0) != (sum < 0.0);
    let toward_zero = sum.to_bits().wrapping_sub((inexact & too_large) as u64);
    let odd = f64::from_bits(toward_zero | inexact as u64);
    let back = if float32::abs(c) >= 2.0f32.to_bits() {
        18446744073709551616.0
    } else {
        1.0 / 18446744073709551616.0
    };
    ((odd * if vcc { back } else { 1.0 }) as f32).to_bits()
}

/// `v_div_fmas_f64`.
#[inline(always)]
pub fn fmas_f64(a: u64, b: u64, c: u64, vcc: bool, denormals: Denormals, round: Round) -> u64 {
    if !vcc {
        return float64::fma_round(a, b, c, denormals, round);
    }
    let a = float64::flush_in(a, denormals);
    let b = float64::flush_in(b, denormals);
    let c = float64::flush_in(c, denormals);
    let r = DOUBLE.fmas(a, b, c, vcc, round);
    float64::flush_out(float64::settle_nan3(r, a, b, c), denormals)
}

/// `v_div_fixup_f32`: operands are the quotient, the denominator and the numerator.
#[inline(always)]
pub fn fixup_f32(quotient: u32, denominator: u32, numerator: u32, denormals: Denormals) -> u32 {
    let q = float32::flush_in(quotient, denormals) as u64;
    let d = float32::flush_in(denominator, denormals) as u64;
    let n = float32::flush_in(numerator, denormals) as u64;
    float32::flush_out(SINGLE.fixup(q, d, n) as u32, denormals)
}

/// `v_div_fixup_f64`.
#[inline(always)]
pub fn fixup_f64(quotient: u64, denominator: u64, numerator: u64, denormals: Denormals) -> u64 {
    let q = float64::flush_in(quotient, denormals);
    let d = float64::flush_in(denominator, denormals);
    let n = float64::flush_in(numerator, denormals);
    float64::flush_out(DOUBLE.fixup(q, d, n), denormals)
}

/// `v_div_fixup_f16`. There is no underflow rule in this format: the quotient is computed in single precision.
#[inline(always)]
pub fn fixup_f16(quotient: u16, denominator: u16, numerator: u16, denormals: Denormals) -> u16 {
    const HALF: Limits = Limits {
        format: crate::soft::F16,
        step: 0,
        far: 0,
        small: 0,
        underflow: -64,
    };
    let [q, d, n] =
        [quotient, denominator, numerator].map(|x| float16::flush_in(x, denormals) as u64);
    float16::flush_out(HALF.fixup(q, d, n) as u16, denormals)
}
