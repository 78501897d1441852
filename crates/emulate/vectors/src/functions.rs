//! Approximate functions of `numerics::approx` on whole vectors of the host: the same results, bit by bit, of numbers that are not special.

// The trait of hosts says once what it asks of callers.
#![allow(clippy::missing_safety_doc)]

use numerics::approx::{EXP2, INTEGER, LOG2};

use crate::host::Host;

/// The polynomial as `numerics::approx` evaluates it: in pairs of terms.
#[inline(always)]
unsafe fn polynomial<H: Host, const N: usize>(x: H::Double, coefficients: &[f64; N]) -> H::Double {
    const { assert!(N.is_multiple_of(2)) };
    // SAFETY: the callers' promise about the host.
    unsafe {
        let coefficient = |index: usize| H::splat64(coefficients[index].to_bits());
        let square = H::mul64(x, x);
        let mut index = N - 2;
        let mut sum = H::fma64(coefficient(index + 1), x, coefficient(index));
        while index > 0 {
            index -= 2;
            let pair = H::fma64(coefficient(index + 1), x, coefficient(index));
            sum = H::fma64(sum, square, pair);
        }
        sum
    }
}

/// 2^`x`; no `x` may be a NaN.
#[inline(always)]
pub unsafe fn exp2<H: Host>(x: H::Single) -> H::Single {
    // SAFETY: the caller keeps what [`Host`] asks.
    unsafe { exp2_rounded::<H, false>(x) }
}

/// The same for halves, with the last bit set if anything was lost ("round to odd"): rounding to halves is then the only one that counts.
#[inline(always)]
pub unsafe fn exp2_of_halves<H: Host>(x: H::Single) -> H::Single {
    // SAFETY: the caller keeps what [`Host`] asks.
    unsafe { exp2_rounded::<H, true>(x) }
}

#[inline(always)]
unsafe fn exp2_rounded<H: Host, const TO_ODD: bool>(x: H::Single) -> H::Single {
    // SAFETY: the callers' promise about the host.
    unsafe {
        // Larger powers become infinity as 2^128 does, and smaller ones zero as 2^-127 does.
        let x = H::min(x, H::splat(128.0_f32.to_bits()));
        let x = H::max(x, H::splat((-127.0_f32).to_bits()));
        let integer = H::splat(INTEGER.to_bits());
        let shifted = H::add(x, integer);
        let fraction = H::halves_doubled(H::sub(x, H::sub(shifted, integer)));
        let exact = [
            polynomial::<H, _>(fraction[0], &EXP2),
            polynomial::<H, _>(fraction[1], &EXP2),
        ];
        let mut numbers = H::halves_singled(exact);
        if TO_ODD {
            let rounded = H::halves_doubled(numbers);
            let error = H::halves_singled([
                H::sub64(exact[0], rounded[0]),
                H::sub64(exact[1], rounded[1]),
            ]);
            numbers = H::to_odd(numbers, error);
        }
        H::flushed(H::raised(numbers, shifted))
    }
}

/// The binary logarithm of positive normal numbers; a NaN for everything else. Logarithms of halves may be rounded again: a test tries all.
#[inline(always)]
pub unsafe fn log2<H: Host>(x: H::Single) -> H::Single {
    // SAFETY: the caller keeps what [`Host`] asks.
    unsafe {
        let [mantissas, wholes] = H::split(x);
        let (mantissas, wholes) = (H::halves_doubled(mantissas), H::halves_doubled(wholes));
        let logarithms = H::halves_singled([
            log2_of_parts::<H>(mantissas[0], wholes[0]),
            log2_of_parts::<H>(mantissas[1], wholes[1]),
        ]);
        H::of_normal(logarithms, x)
    }
}

/// The binary logarithms of mantissas, plus whole numbers.
#[inline(always)]
unsafe fn log2_of_parts<H: Host>(mantissas: H::Double, wholes: H::Double) -> H::Double {
    // SAFETY: the callers' promise about the host.
    unsafe {
        let one = H::splat64(1.0_f64.to_bits());
        let s = H::div64(H::sub64(mantissas, one), H::add64(mantissas, one));
        H::fma64(s, polynomial::<H, _>(H::mul64(s, s), &LOG2), wholes)
    }
}

/// Half of a number's bits, subtracted from this, make about the bits of 1/√ of the number. Few constants near it will do: with the usual one,
/// 0x5f3759df, one number of two binades has a wrong last bit.
const FIRST_GUESS: u32 = 0x5f37_59e3;

/// 1/√`x` of positive normal numbers, correctly rounded; a NaN for everything else.
#[inline(always)]
pub unsafe fn reciprocal_root<H: Host>(x: H::Single) -> H::Single {
    // SAFETY: the caller keeps what [`Host`] asks.
    unsafe {
        let single = |value: f32| H::splat(value.to_bits());
        let half = H::mul(x, single(-0.5));
        let mut guess = H::less_half(FIRST_GUESS, x);
        for _ in 0..3 {
            let factor = H::fma(H::mul(half, guess), guess, single(1.5));
            guess = H::mul(guess, factor);
        }
        // The error is 1 - x * guess², nearly exact: it takes the product x * guess in two parts.
        let high = H::mul(x, guess);
        let low = H::fma(x, guess, H::sub(single(0.0), high));
        let error = H::fma(H::sub(single(0.0), high), guess, single(1.0));
        let error = H::fma(H::sub(single(0.0), low), guess, error);
        let series = H::mul(error, H::fma(error, single(0.375), single(0.5)));
        H::of_normal(H::fma(guess, series, guess), x)
    }
}
