//! Small floats under scales, against values worked out in the host's doubles.

use crate::common::{Random, cases};
use numerics::convert::{
    Fp8, Micro, Wide, f16_from_f32_stochastic, f32_from_f16_exact, next_random, scale_of_f32,
};

const FORMATS: [Micro; 5] = [
    Micro::E4m3,
    Micro::E5m2,
    Micro::E2m3,
    Micro::E3m2,
    Micro::E2m1,
];

/// Exponent bits, fraction bits, bias and largest finite magnitude, as OCP's specification tabulates them.
fn layout(format: Micro) -> (u32, u32, i32, u8) {
    match format {
        Micro::E4m3 => (4, 3, 7, 0x7e),
        Micro::E5m2 => (5, 2, 15, 0x7b),
        Micro::E2m3 => (2, 3, 1, 0x1f),
        Micro::E3m2 => (3, 2, 3, 0x1f),
        Micro::E2m1 => (2, 1, 1, 0x7),
    }
}

/// The value of magnitude `x`, from the definition of the format.
fn magnitude(format: Micro, x: u8) -> f64 {
    let (_, fraction_bits, bias, _) = layout(format);
    let field = i32::from(x >> fraction_bits);
    let fraction = f64::from(x & ((1 << fraction_bits) - 1)) / f64::from(1 << fraction_bits);
    if field == 0 {
        fraction * 2f64.powi(1 - bias)
    } else {
        (1.0 + fraction) * 2f64.powi(field - bias)
    }
}

fn wide_value(x: u32, wide: Wide) -> f64 {
    let single = match wide {
        Wide::F32 => x,
        Wide::F16 => f32_from_f16_exact(x as u16),
        Wide::Bf16 => x << 16,
    };
    f64::from(f32::from_bits(single))
}

#[test]
fn values_of_the_formats() {
    #[rustfmt::skip]
    let largest = [(Micro::E2m1, 0x7, 6.0), (Micro::E2m3, 0x1f, 7.5), (Micro::E3m2, 0x1f, 28.0), (Micro::E4m3, 0x7e, 448.0), (Micro::E5m2, 0x7b, 57344.0)];
    for (format, bits, value) in largest {
        assert_eq!(format.widen(bits, Wide::F32, 127), f32::to_bits(value));
    }
    for format in FORMATS {
        let (exponent_bits, fraction_bits, _, last) = layout(format);
        for x in 0..=last {
            for (scale, factor) in [(127, 1.0), (130, 8.0), (100, 2f64.powi(-27))] {
                let want = (magnitude(format, x) * factor) as f32;
                assert_eq!(format.widen(x, Wide::F32, scale), want.to_bits());
                let negative = x | 1 << (exponent_bits + fraction_bits);
                assert_eq!(format.widen(negative, Wide::F32, scale), (-want).to_bits());
                assert_eq!(format.narrow(want.to_bits(), Wide::F32, scale, false), x);
            }
        }
        assert!(f32::from_bits(format.widen(1, Wide::F32, 255)).is_nan());
    }
}

#[test]
fn narrowing_is_to_nearest_even_of_what_the_scale_leaves() {
    let mut random = Random(950);
    for wide in [Wide::F32, Wide::F16, Wide::Bf16] {
        for format in FORMATS {
            let (_, _, _, last) = layout(format);
            for _ in 0..cases() / 100 {
                let x = match wide {
                    Wide::F32 => random.float(23, 8) as u32,
                    Wide::F16 => random.float(10, 5) as u32,
                    Wide::Bf16 => random.float(7, 8) as u32,
                };
                let value = wide_value(x, wide);
                if !value.is_finite() || value == 0.0 {
                    continue;
                }
                // A scale that brings the value near the format's range.
                let scale = (value.abs().log2() as i32 + 127 + (random.bits() % 12) as i32 - 6)
                    .clamp(0, 254);
                let scaled = value.abs() * 2f64.powi(127 - scale);
                let best = (0..=last)
                    .min_by(|&p, &q| {
                        let distance = |x: u8| (magnitude(format, x) - scaled).abs();
                        distance(p)
                            .total_cmp(&distance(q))
                            .then((p & 1).cmp(&(q & 1)))
                    })
                    .unwrap();
                let got = format.narrow(x, wide, scale as u8, true);
                let sign = u8::from(value < 0.0) << (format.bits() - 1);
                assert_eq!(got, sign | best, "{format:?} {wide:?} {x:#x} scale {scale}");
            }
        }
    }
}

#[test]
fn overflow_infinity_and_nan() {
    let f = f32::to_bits;
    for (value, fp8, bf8, six, four) in [
        (f(1e9), 0x7f, 0x7c, 0x1f, 0x7),
        (f(f32::INFINITY), 0x7f, 0x7c, 0x1f, 0x7),
        (f(f32::NEG_INFINITY), 0xff, 0xfc, 0x3f, 0xf),
        (f(f32::NAN), 0x7f, 0x7f, 0x1f, 0x7),
    ] {
        let all = FORMATS.map(|format| format.narrow(value, Wide::F32, 127, false));
        assert_eq!(all, [fp8, bf8, six, six, four]);
    }
    assert_eq!(Micro::E4m3.narrow(f(1e9), Wide::F32, 127, true), 0x7e);
    assert_eq!(Micro::E5m2.narrow(f(-1e9), Wide::F32, 127, true), 0xfb);
    // A scale of NaN makes everything NaN, or the largest number where there is none.
    assert_eq!(Micro::E2m1.narrow(f(1.0), Wide::F32, 255, false), 0x7);
    assert_eq!(Micro::E4m3.narrow(f(-1.0), Wide::F32, 255, false), 0xff);
    // 448 * 2^120 is beyond singles and halves.
    assert_eq!(Micro::E4m3.widen(0x7e, Wide::F32, 247), f(f32::INFINITY));
    assert_eq!(Micro::E4m3.widen(0xfe, Wide::F16, 135), 0xfc00);
    assert_eq!(scale_of_f32(f(8.0)), 130);
}

#[test]
fn stochastic_rounding_gives_a_neighbour_in_proportion() {
    let mut random = Random(77);
    for format in FORMATS {
        let (_, fraction_bits, bias, last) = layout(format);
        for _ in 0..cases() / 100 {
            let noise = random.bits() as u32;
            let x = (random.bits() as u32 & 0x007f_ffff) | (127 - random.bits() as u32 % 3) << 23;
            let value = f64::from(f32::from_bits(x));
            if value < 2f64.powi(1 - bias) {
                continue;
            }
            let below = (0..=last)
                .rev()
                .find(|&q| magnitude(format, q) <= value)
                .unwrap();
            if below == last {
                continue;
            }
            let step = magnitude(format, below + 1) - magnitude(format, below);
            let part = (value - magnitude(format, below)) / step;
            // The random bits that count are those that meet bits of the single.
            let threshold =
                f64::from(noise >> (9 + fraction_bits)) / f64::from(1 << (23 - fraction_bits));
            let want = below + u8::from(part + threshold >= 1.0);
            let got = format.narrow_stochastic(x, Wide::F32, 127, noise, false);
            assert_eq!(got, want, "{format:?} {value} {noise:#x}");
            // A scale moves nothing but the exponent.
            let scaled = f32::to_bits(value as f32 * 32.0);
            assert_eq!(
                format.narrow_stochastic(scaled, Wide::F32, 132, noise, false),
                want
            );
        }
    }
    // Below the smallest normal number of fp4, 1.0: 0.75 lies half way from 0.5 to 1.
    for (noise, want) in [(0, 1), (0x7fff_ffff, 1), (0x8000_0000, 2)] {
        assert_eq!(
            Micro::E2m1.narrow_stochastic(f32::to_bits(0.75), Wide::F32, 127, noise, false),
            want
        );
        assert_eq!(
            Micro::E2m1.narrow_stochastic(0x3a00, Wide::F16, 127, noise, false),
            want
        );
        assert_eq!(
            Micro::E2m1.narrow_stochastic(0x3f40, Wide::Bf16, 127, noise, false),
            want
        );
    }
    // A half of 1 + 2^-11: the lower half of the noise cuts, the upper carries.
    let x = f32::to_bits(1.0 + 2f32.powi(-11));
    assert_eq!(f16_from_f32_stochastic(x, 0x7fff_ffff, false), 0x3c00);
    assert_eq!(f16_from_f32_stochastic(x, 0x8000_0000, false), 0x3c01);
    let x = f32::to_bits(65535.0);
    assert_eq!(f16_from_f32_stochastic(x, 0xffff_ffff, false), 0x7c00);
    assert_eq!(f16_from_f32_stochastic(x, 0xffff_ffff, true), 0x7bff);
    assert_eq!(f16_from_f32_stochastic(x, 0, false), 0x7bff);
}

#[test]
fn random_numbers_follow_the_manual() {
    for (x, next) in [
        (1, 2),
        (0x8000_0000, 0xc5),
        (0xffff_ffff, 0xffff_ff3b),
        (0x4000_0001, 0x8000_0002),
    ] {
        assert_eq!(next_random(x), next);
    }
}

#[test]
fn eight_bit_formats_agree_with_the_unscaled_conversions() {
    for x in 0..=255u8 {
        for (micro, fp8) in [(Micro::E4m3, Fp8::E4m3), (Micro::E5m2, Fp8::E5m2)] {
            let single = fp8.to_f32(x);
            if !f32::from_bits(single).is_nan() {
                assert_eq!(micro.widen(x, Wide::F32, 127), single);
            }
        }
    }
}
