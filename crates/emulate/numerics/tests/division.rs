//! Whole divisions built from the steps, in the order the compiler emits them, against the host's IEEE division.

use crate::common::{Random, cases};
use numerics::division::{
    fixup_f16, fixup_f32, fixup_f64, fmas_f32, fmas_f64, scale_f32, scale_f64,
};
use numerics::{Denormals, Round, convert, float16, float32, float64};

const KEEP: Denormals = Denormals::KEEP;
const NEAREST: Round = Round::NearestEven;
const ONE32: u32 = 0x3f80_0000;
const ONE64: u64 = 0x3ff0_0000_0000_0000;

/// `v_rcp_f32` as any hardware might give it: flushed, and `error` units off.
fn reciprocal32(x: u32, error: i32) -> u32 {
    let exact = float32::flush((1.0 / f32::from_bits(float32::flush(x))).to_bits());
    let normal = float32::class(exact, 1 << 3 | 1 << 8);
    let nudged = exact.wrapping_add(error as u32);
    if normal && float32::class(nudged, 1 << 3 | 1 << 8) {
        nudged
    } else {
        exact
    }
}

fn divide32(n: u32, d: u32, error: i32) -> u32 {
    let fma = |a, b, c| float32::fma(a, b, c, KEEP);
    let (scaled_d, _) = scale_f32(d, d, n, KEEP);
    let (scaled_n, vcc) = scale_f32(n, d, n, KEEP);
    let minus_d = float32::neg(scaled_d);
    let r = reciprocal32(scaled_d, error);
    let e = fma(minus_d, r, ONE32);
    let r = fma(e, r, r);
    let q = float32::mul(scaled_n, r, KEEP);
    let e = fma(minus_d, q, scaled_n);
    let q = fma(e, r, q);
    let e = fma(minus_d, q, scaled_n);
    fixup_f32(fmas_f32(e, r, q, vcc, KEEP, NEAREST), d, n, KEEP)
}

fn divide64(n: u64, d: u64, kept_bits: u32) -> u64 {
    let fma = |a, b, c| float64::fma(a, b, c, KEEP);
    let (scaled_d, _) = scale_f64(d, d, n, KEEP);
    let (scaled_n, vcc) = scale_f64(n, d, n, KEEP);
    let minus_d = float64::neg(scaled_d);
    let r = (1.0 / f64::from_bits(scaled_d)).to_bits() & (u64::MAX << (52 - kept_bits));
    let r = fma(r, fma(minus_d, r, ONE64), r);
    let r = fma(r, fma(minus_d, r, ONE64), r);
    let q = float64::mul(scaled_n, r, KEEP);
    let e = fma(minus_d, q, scaled_n);
    fixup_f64(fmas_f64(e, r, q, vcc, KEEP, NEAREST), d, n, KEEP)
}

#[test]
fn single_division_is_correctly_rounded() {
    let mut random = Random(11);
    for i in 0..cases() {
        // Uniform bits reach every exponent pair; the favoured generator reaches the corners.
        let (n, d) = if i & 1 == 0 {
            (random.bits() as u32, random.bits() as u32)
        } else {
            (random.f32(), random.f32())
        };
        let want = f32::from_bits(n) / f32::from_bits(d);
        // Just below a power of two the iteration cannot repair a reciprocal that starts low (Markstein's exception), so
        // there only the correctly rounded one is promised to work.
        let hard = d & float32::FRACTION == float32::FRACTION;
        let error = if hard {
            0
        } else {
            (random.bits() % 3) as i32 - 1
        };
        let got = divide32(n, d, error);
        if want.is_nan() {
            assert!(float32::is_nan(got), "{n:#x}/{d:#x}");
        } else {
            assert_eq!(got, want.to_bits(), "{n:#x}/{d:#x} with rcp {error:+} ulp");
        }
    }
}

#[test]
fn single_division_with_denormal_operands_and_quotients() {
    let mut random = Random(12);
    for _ in 0..cases() {
        let d = random.bits() as u32;
        // A quotient near or below the smallest normal.
        let target = f32::from_bits((random.bits() as u32 % 0x0180_0000).max(1));
        let n = (target as f64 * f32::from_bits(d) as f64) as f32;
        let want = n / f32::from_bits(d);
        if !want.is_nan() {
            assert_eq!(
                divide32(n.to_bits(), d, 0),
                want.to_bits(),
                "{:#x}/{d:#x}",
                n.to_bits()
            );
        }
        let small = random.bits() as u32 & 0x807f_ffff;
        for (n, d) in [(small, random.bits() as u32), (random.bits() as u32, small)] {
            let want = f32::from_bits(n) / f32::from_bits(d);
            if !want.is_nan() {
                assert_eq!(divide32(n, d, 0), want.to_bits(), "{n:#x}/{d:#x}");
            }
        }
    }
}

#[test]
fn double_division_is_correctly_rounded() {
    let mut random = Random(13);
    for i in 0..cases() {
        let (n, d) = match i % 4 {
            0 => (random.bits(), random.bits()),
            1 => (random.f64(), random.f64()),
            2 => (random.bits(), random.bits() & 0x800f_ffff_ffff_ffff),
            // A quotient near or below the smallest normal.
            _ => {
                let d = random.bits() & 0xdfff_ffff_ffff_ffff;
                let target = f64::from_bits(random.bits() % 0x0040_0000_0000_0000);
                ((target * f64::from_bits(d)).to_bits(), d)
            }
        };
        let want = f64::from_bits(n) / f64::from_bits(d);
        let hard = d & float64::FRACTION == float64::FRACTION;
        for kept_bits in [if hard { 52 } else { 24 }, 52] {
            let got = divide64(n, d, kept_bits);
            if want.is_nan() {
                assert!(float64::is_nan(got));
            } else {
                assert_eq!(
                    got,
                    want.to_bits(),
                    "{n:#x}/{d:#x} with {kept_bits} bits of rcp"
                );
            }
        }
    }
}

#[test]
fn half_division_goes_through_single() {
    let mut random = Random(14);
    for _ in 0..cases() {
        let (n, d) = (random.f16(), random.f16());
        let r = reciprocal32(convert::f32_from_f16_exact(d), 0);
        let q = float32::mul(convert::f32_from_f16_exact(n), r, KEEP);
        // The compiler corrects the product once before converting.
        let minus_d = float32::neg(convert::f32_from_f16_exact(d));
        let e = float32::fma(minus_d, q, convert::f32_from_f16_exact(n), KEEP);
        let q = float32::fma(e, r, q, KEEP);
        let got = fixup_f16(convert::f16_from_f32(q, KEEP, NEAREST, false), d, n, KEEP);
        let quotient = float16::value(n) / float16::value(d);
        if quotient.is_nan() {
            assert!(float16::is_nan(got));
        } else {
            assert_eq!(
                got,
                convert::f16_from_f32_nearest(quotient.to_bits()),
                "{n:#x}/{d:#x}"
            );
        }
    }
}

#[test]
fn the_fast_scaled_fma_equals_exact_arithmetic() {
    use numerics::soft::{F32, Value, multiply};
    let mut random = Random(15);
    for _ in 0..cases() {
        let (a, b, c) = (random.f32(), random.f32(), random.f32());
        let vcc = random.bits() & 3 != 0;
        let power = match (vcc, float32::abs(c) >= 0x4000_0000) {
            (false, _) => 0,
            (true, true) => 64,
            (true, false) => -64,
        };
        let scale = |value| match value {
            Value::Finite(exact) => Value::Finite(exact.scaled(power)),
            other => other,
        };
        let product = scale(multiply(F32.unpack(a as u64), F32.unpack(b as u64)));
        let want = F32.add_values(product, scale(F32.unpack(c as u64)), NEAREST) as u32;
        let got = fmas_f32(a, b, c, vcc, KEEP, NEAREST);
        if float32::is_nan(want) {
            assert!(float32::is_nan(got));
        } else {
            assert_eq!(got, want, "{a:#x} {b:#x} {c:#x} {vcc}");
        }
    }
}

#[test]
fn published_step_values() {
    let f = f32::to_bits;
    // Hardware runs: 1.0 over 2^127 needs no denominator scaling but sets VCC.
    assert_eq!(
        scale_f32(f(1.0), f(2f32.powi(127)), f(1.0), KEEP),
        (f(1.0), true)
    );
    // 2^-126 over 1.0: the numerator is scaled and VCC set.
    assert_eq!(
        scale_f32(f(2f32.powi(-126)), f(1.0), f(2f32.powi(-126)), KEEP),
        (f(2f32.powi(-62)), true)
    );
    // Zero operands give NaN and VCC.
    let (bits, vcc) = scale_f32(0, 0, f(1.0), KEEP);
    assert!(float32::is_nan(bits) && vcc);
    // The manual's exponent distance from which the quotient may overflow: 96, and 768 in double precision.
    for (power, far) in [(95, false), (96, true)] {
        let n = f(2f32.powi(power));
        assert_eq!(scale_f32(n, f(1.0), n, KEEP), (n, far));
        let scaled = f(if far { 2f32.powi(64) } else { 1.0 });
        assert_eq!(scale_f32(f(1.0), f(1.0), n, KEEP), (scaled, far));
    }
    for (power, far) in [(767, false), (768, true)] {
        let n = 2f64.powi(power).to_bits();
        assert_eq!(scale_f64(n, ONE64, n, KEEP), (n, far));
    }
    // With VCC the result is scaled up when the addend is at least 2 in magnitude, else down.
    assert_eq!(
        fmas_f32(f(1.0), f(1.0), f(3.0), true, KEEP, NEAREST),
        f(4.0 * 2f32.powi(64))
    );
    assert_eq!(
        fmas_f32(f(1.0), f(1.0), f(1.0), true, KEEP, NEAREST),
        f(2.0 * 2f32.powi(-64))
    );
    assert_eq!(
        fmas_f32(f(1.0), f(1.0), f(1.0), false, KEEP, NEAREST),
        f(2.0)
    );
    // Special quotients.
    assert_eq!(fixup_f32(f(9.0), 0, 0, KEEP), 0xffc0_0000);
    assert_eq!(
        fixup_f32(f(9.0), 0xff80_0000, 0x7f80_0000, KEEP),
        0xffc0_0000
    );
    assert_eq!(fixup_f32(f(9.0), 0x8000_0000, f(1.0), KEEP), 0xff80_0000);
    assert_eq!(fixup_f32(f(9.0), 0xff80_0000, f(1.0), KEEP), 0x8000_0000);
    assert_eq!(fixup_f32(f(-9.0), f(3.0), f(1.0), KEEP), f(9.0));
    assert_eq!(fixup_f32(0x7fc0_0000, f(-3.0), f(1.0), KEEP), 0xff80_0000);
    assert_eq!(fixup_f32(f(1.0), f(1.0), 0x7f80_0001, KEEP), 0x7fc0_0001);
    assert_eq!(fixup_f64(0, 0, 0, KEEP), 0xfff8_0000_0000_0000);
    assert_eq!(fixup_f16(0, 0, 0, KEEP), 0xfe00);
}
