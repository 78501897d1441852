//! Eight-bit floats against their definitions and a brute-force search for the nearest value.

use crate::common::{Random, cases};
use numerics::convert::Fp8;

const FORMATS: [Fp8; 4] = [Fp8::E4m3Fnuz, Fp8::E5m2Fnuz, Fp8::E4m3, Fp8::E5m2];

fn value(format: Fp8, x: u8) -> f32 {
    f32::from_bits(format.to_f32(x))
}

#[test]
fn defining_values() {
    #[rustfmt::skip]
    let rows = [
        (Fp8::E4m3,     0x7e, 448.0),     (Fp8::E4m3,     0x01, 2f32.powi(-9)),  (Fp8::E4m3,     0x38, 1.0),
        (Fp8::E5m2,     0x7b, 57344.0),   (Fp8::E5m2,     0x01, 2f32.powi(-16)), (Fp8::E5m2,     0x3c, 1.0),
        (Fp8::E4m3Fnuz, 0x7f, 240.0),     (Fp8::E4m3Fnuz, 0x01, 2f32.powi(-10)), (Fp8::E4m3Fnuz, 0x40, 1.0),
        (Fp8::E5m2Fnuz, 0x7f, 57344.0),   (Fp8::E5m2Fnuz, 0x01, 2f32.powi(-17)), (Fp8::E5m2Fnuz, 0x40, 1.0),
        (Fp8::E5m2,     0x7c, f32::INFINITY), (Fp8::E5m2, 0xfc, f32::NEG_INFINITY), (Fp8::E4m3, 0x80, -0.0),
    ];
    for (format, bits, want) in rows {
        assert_eq!(format.to_f32(bits), want.to_bits(), "{format:?} {bits:#x}");
    }
    for (format, bits) in [
        (Fp8::E4m3, 0x7f),
        (Fp8::E4m3, 0xff),
        (Fp8::E5m2, 0x7d),
        (Fp8::E4m3Fnuz, 0x80),
        (Fp8::E5m2Fnuz, 0x80),
    ] {
        assert!(value(format, bits).is_nan());
    }
    for format in FORMATS {
        for x in 0..=255u8 {
            let single = format.to_f32(x);
            if !f32::from_bits(single).is_nan() {
                assert_eq!(format.from_f32(single, false), x, "{format:?} {x:#x}");
                assert_eq!(
                    format.from_f32_stochastic(single, u32::MAX, false),
                    x,
                    "{format:?} {x:#x}"
                );
            }
        }
    }
}

#[test]
fn overflow_and_special_operands() {
    let f = f32::to_bits;
    // gfx950 hardware: f32 to bf8 overflow is infinity without FP16_OVFL.
    assert_eq!(Fp8::E5m2.from_f32(f(1e9), false), 0x7c);
    assert_eq!(Fp8::E5m2.from_f32(f(-1e9), true), 0xfb);
    assert_eq!(Fp8::E4m3.from_f32(f(1e9), true), 0x7e);
    assert_eq!(Fp8::E4m3.from_f32(f(464.0), true), 0x7e);
    assert_eq!(Fp8::E4m3.from_f32(f(1e9), false) & 0x7f, 0x7f);
    assert_eq!(Fp8::E4m3Fnuz.from_f32(f(1e9), true), 0x7f);
    assert_eq!(Fp8::E4m3Fnuz.from_f32(f(1e9), false), 0x80);
    assert_eq!(Fp8::E4m3Fnuz.from_f32(f(-0.0), false), 0);
    assert_eq!(Fp8::E4m3Fnuz.from_f32(f(-1e-9), false), 0);
    assert_eq!(Fp8::E4m3.from_f32(f(-1e-9), false), 0x80);
    assert_eq!(Fp8::E5m2.from_f32(f(f32::NAN), true) & 0x7f, 0x7f);
}

#[test]
fn rounds_to_the_nearest_value() {
    let mut random = Random(51);
    for format in FORMATS {
        let finite: Vec<(u8, f32)> = (0..128)
            .map(|x| (x, value(format, x)))
            .filter(|(_, v)| v.is_finite())
            .collect();
        let largest = finite.last().unwrap().1;
        for _ in 0..cases() / 40 {
            let x = f32::from_bits(
                (random.bits() as u32 & 0x007f_ffff) | (random.bits() as u32 % 40 + 104) << 23,
            );
            if x > largest {
                continue;
            }
            let distance = |v: f32| (v as f64 - x as f64).abs();
            let best = finite
                .iter()
                .min_by(|p, q| {
                    distance(p.1)
                        .total_cmp(&distance(q.1))
                        .then((p.0 & 1).cmp(&(q.0 & 1)))
                })
                .unwrap();
            assert_eq!(
                format.from_f32(x.to_bits(), false),
                best.0,
                "{format:?} {x}"
            );
            // Stochastic rounding gives a neighbour, in proportion to the distance.
            let below = finite.iter().rev().find(|(_, v)| *v <= x).unwrap();
            let noise = random.bits() as u32;
            let got = format.from_f32_stochastic(x.to_bits(), noise, true);
            if below.0 as usize + 1 < finite.len() {
                let above = finite[below.0 as usize + 1];
                let part = (x as f64 - below.1 as f64) / (above.1 as f64 - below.1 as f64);
                let threshold = 1.0 - noise as f64 / 4294967296.0;
                if (part - threshold).abs() > 1e-6 {
                    assert_eq!(
                        got,
                        if part >= threshold { above.0 } else { below.0 },
                        "{format:?} {x} {noise:#x}"
                    );
                }
            }
        }
    }
}
