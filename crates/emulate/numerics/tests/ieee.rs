//! IEEE operations in all four directions against LLVM's APFloat.

use crate::common::{Random, cases};
use numerics::{Denormals, Round, convert, float16, float32, float64};
use rustc_apfloat::{Float, FloatConvert, Round as ApRound, ieee};

const KEEP: Denormals = Denormals::KEEP;
const ROUNDS: [(Round, ApRound); 4] = [
    (Round::NearestEven, ApRound::NearestTiesToEven),
    (Round::Up, ApRound::TowardPositive),
    (Round::Down, ApRound::TowardNegative),
    (Round::Zero, ApRound::TowardZero),
];

/// Expected NaN: the first NaN operand made quiet, else the positive default.
fn expected_nan(operands: &[u64], mantissa: u32, exponent: u32) -> u64 {
    let infinity = ((1u64 << exponent) - 1) << mantissa;
    let magnitude = (1u64 << (mantissa + exponent)) - 1;
    let quiet = 1u64 << (mantissa - 1);
    operands
        .iter()
        .find(|x| *x & magnitude > infinity)
        .map_or(infinity | quiet, |x| x | quiet)
}

macro_rules! against_apfloat {
    ($test:ident, $module:ident, $bits:ty, $ap:ty, $generate:ident, $mode:expr) => {
        #[test]
        fn $test() {
            let mut random = Random(1);
            for _ in 0..cases() {
                let (a, b, c) = (random.$generate(), random.$generate(), random.$generate());
                let (x, y, z) = (
                    <$ap>::from_bits(a as u128),
                    <$ap>::from_bits(b as u128),
                    <$ap>::from_bits(c as u128),
                );
                for (round, ap) in ROUNDS {
                    let (add, sub, mul, fma) = $mode(a, b, c, round);
                    let check = |name: &str, got: $bits, want: $ap, operands: &[u64]| {
                        let want = if want.is_nan() {
                            expected_nan(operands, $module::MANTISSA_BITS, $module::EXPONENT_BITS)
                        } else {
                            want.to_bits() as u64
                        };
                        assert_eq!(
                            got as u64, want,
                            "{name} {round:?} {a:#x} {b:#x} {c:#x}: {got:#x} not {want:#x}"
                        );
                    };
                    let pair = [a as u64, b as u64];
                    check("add", add, x.add_r(y, ap).value, &pair);
                    check(
                        "sub",
                        sub,
                        x.sub_r(y, ap).value,
                        &[a as u64, $module::neg(b) as u64],
                    );
                    check("mul", mul, x.mul_r(y, ap).value, &pair);
                    check(
                        "fma",
                        fma,
                        x.mul_add_r(y, z, ap).value,
                        &[a as u64, b as u64, c as u64],
                    );
                }
            }
        }
    };
}

against_apfloat!(half, float16, u16, ieee::Half, f16, |a, b, c, round| {
    let mode = float16::Mode {
        round,
        ..float16::Mode::DEFAULT
    };
    (
        float16::add(a, b, mode),
        float16::sub(a, b, mode),
        float16::mul(a, b, mode),
        float16::fma(a, b, c, mode),
    )
});

against_apfloat!(single, float32, u32, ieee::Single, f32, |a, b, c, round| (
    float32::add_round(a, b, KEEP, round),
    float32::sub_round(a, b, KEEP, round),
    float32::mul_round(a, b, KEEP, round),
    float32::fma_round(a, b, c, KEEP, round)
));

against_apfloat!(double, float64, u64, ieee::Double, f64, |a, b, c, round| (
    float64::add_round(a, b, KEEP, round),
    float64::sub_round(a, b, KEEP, round),
    float64::mul_round(a, b, KEEP, round),
    float64::fma_round(a, b, c, KEEP, round)
));

#[test]
fn ldexp_rounds_once() {
    let mut random = Random(2);
    for _ in 0..cases() {
        let power = match random.bits() % 3 {
            0 => random.bits() as i32,
            1 => (random.bits() % 400) as i32 - 200,
            _ => (random.bits() % 4400) as i32 - 2200,
        };
        let (h, f, d) = (random.f16(), random.f32(), random.f64());
        for (round, ap) in ROUNDS {
            let short = power.clamp(-32768, 32767);
            let want = ieee::Half::from_bits(h as u128).scalbn_r(short, ap);
            let mode = float16::Mode {
                round,
                ..float16::Mode::DEFAULT
            };
            if !want.is_nan() {
                assert_eq!(
                    float16::ldexp(h, short as i16, mode) as u128,
                    want.to_bits(),
                    "{h:#x} {power} {round:?}"
                );
            }
            let want = ieee::Single::from_bits(f as u128).scalbn_r(power, ap);
            if !want.is_nan() {
                assert_eq!(
                    float32::ldexp_round(f, power, KEEP, round) as u128,
                    want.to_bits(),
                    "{f:#x} {power} {round:?}"
                );
            }
            let want = ieee::Double::from_bits(d as u128).scalbn_r(power, ap);
            if !want.is_nan() {
                assert_eq!(
                    float64::ldexp_round(d, power, KEEP, round) as u128,
                    want.to_bits(),
                    "{d:#x} {power} {round:?}"
                );
            }
        }
    }
}

#[test]
fn half_conversions_are_exhaustively_right() {
    for x in 0..=u16::MAX {
        let mut inexact = false;
        let want: ieee::Single = ieee::Half::from_bits(x as u128).convert(&mut inexact).value;
        let want = if want.is_nan() {
            want.to_bits() | 0x40_0000
        } else {
            want.to_bits()
        };
        assert_eq!(convert::f32_from_f16_exact(x) as u128, want, "{x:#x}");
    }
    let mut random = Random(3);
    for i in 0..cases() * 4 {
        // Half the cases sit in or around the binary16 range.
        let x = if i & 1 == 0 {
            random.f32()
        } else {
            (random.bits() as u32 & 0x807f_ffff) | (random.bits() as u32 % 48 + 98) << 23
        };
        for (round, ap) in ROUNDS {
            let mut inexact = false;
            let value = ieee::Single::from_bits(x as u128);
            let want: ieee::Half = value.convert_r(ap, &mut inexact).value;
            let got = convert::f16_from_f32(x, KEEP, round, false);
            if want.is_nan() {
                assert!(float16::is_nan(got) && !float16::is_signalling(got));
            } else {
                assert_eq!(got as u128, want.to_bits(), "{x:#x} {round:?}");
            }
            let clamped = convert::f16_from_f32(x, KEEP, round, true);
            if float16::is_infinite(got) && !float32::is_infinite(x) {
                assert_eq!(float16::abs(clamped), 0x7bff);
            } else {
                assert_eq!(clamped, got);
            }
            let brain = convert::bf16_from_f32_round(x, round);
            let want = value.to_bits();
            if !float32::is_nan(x) && (want as u32).trailing_zeros() >= 16 {
                assert_eq!(convert::f32_from_bf16(brain), x);
            }
        }
    }
}

#[test]
fn single_double_conversions() {
    let mut random = Random(4);
    for _ in 0..cases() {
        let (f, d) = (random.f32(), random.f64());
        let near = float64::value(convert::f64_from_f32(f, KEEP))
            * (1.0 + (random.bits() as u32 as f64) * 1e-18);
        for d in [d, near.to_bits()] {
            for (round, ap) in ROUNDS {
                let mut inexact = false;
                let want: ieee::Single = ieee::Double::from_bits(d as u128)
                    .convert_r(ap, &mut inexact)
                    .value;
                let got = convert::f32_from_f64(d, KEEP, KEEP, round);
                if want.is_nan() {
                    assert!(float32::is_nan(got) && !float32::is_signalling(got));
                } else {
                    assert_eq!(got as u128, want.to_bits(), "{d:#x} {round:?}");
                }
            }
        }
        if float32::is_nan(f) {
            assert_eq!(
                convert::f64_from_f32(f, KEEP) >> 29 & 0x7f_ffff,
                (f & 0x7f_ffff | 0x40_0000) as u64
            );
        } else {
            assert_eq!(
                convert::f32_from_f64(convert::f64_from_f32(f, KEEP), KEEP, KEEP, Round::Down),
                f
            );
        }
    }
}

#[test]
fn integers_to_float_in_all_directions() {
    let mut random = Random(5);
    for _ in 0..cases() {
        let x = (random.bits() >> (32 + random.bits() % 32)) as u32;
        for (round, ap) in ROUNDS {
            let want = ieee::Single::from_u128_r(x as u128, ap).value.to_bits();
            assert_eq!(convert::f32_from_u32_round(x, round) as u128, want);
            let want = ieee::Single::from_i128_r(x as i32 as i128, ap)
                .value
                .to_bits();
            assert_eq!(convert::f32_from_i32_round(x, round) as u128, want);
            let want = ieee::Half::from_i128_r(x as i16 as i128, ap)
                .value
                .to_bits();
            assert_eq!(convert::f16_from_i16(x as u16, round) as u128, want);
            let want = ieee::Half::from_u128_r(x as u16 as u128, ap)
                .value
                .to_bits();
            assert_eq!(convert::f16_from_u16(x as u16, round, false) as u128, want);
        }
    }
}

#[test]
fn rounding_to_integral_and_fract() {
    let mut random = Random(6);
    for _ in 0..cases() {
        let (h, f, d) = (random.f16(), random.f32(), random.f64());
        let directions = [
            (
                ApRound::TowardNegative,
                float16::floor(h, KEEP),
                float32::floor(f, KEEP),
                float64::floor(d, KEEP),
            ),
            (
                ApRound::TowardPositive,
                float16::ceil(h, KEEP),
                float32::ceil(f, KEEP),
                float64::ceil(d, KEEP),
            ),
            (
                ApRound::TowardZero,
                float16::trunc(h, KEEP),
                float32::trunc(f, KEEP),
                float64::trunc(d, KEEP),
            ),
            (
                ApRound::NearestTiesToEven,
                float16::rndne(h, KEEP),
                float32::rndne(f, KEEP),
                float64::rndne(d, KEEP),
            ),
        ];
        for (ap, half, single, double) in directions {
            let want = ieee::Half::from_bits(h as u128).round_to_integral(ap).value;
            let nan = expected_nan(&[h as u64], 10, 5);
            assert_eq!(
                half as u64,
                if want.is_nan() {
                    nan
                } else {
                    want.to_bits() as u64
                }
            );
            let want = ieee::Single::from_bits(f as u128)
                .round_to_integral(ap)
                .value;
            let nan = expected_nan(&[f as u64], 23, 8);
            assert_eq!(
                single as u64,
                if want.is_nan() {
                    nan
                } else {
                    want.to_bits() as u64
                }
            );
            let want = ieee::Double::from_bits(d as u128)
                .round_to_integral(ap)
                .value;
            let nan = expected_nan(&[d], 52, 11);
            assert_eq!(
                double,
                if want.is_nan() {
                    nan
                } else {
                    want.to_bits() as u64
                }
            );
        }
    }
    // LLVM folds llvm.amdgcn.fract of -2^-30 to the largest value below one.
    assert_eq!(
        float32::fract((-(2f32.powi(-30))).to_bits(), KEEP),
        0x3f7f_ffff
    );
    assert_eq!(float32::fract(0x8000_0000, KEEP), 0);
    assert_eq!(float32::fract(float32::INFINITY, KEEP), float32::NAN);
    assert_eq!(
        float32::fract((-1.25f32).to_bits(), KEEP),
        0.75f32.to_bits()
    );
}
