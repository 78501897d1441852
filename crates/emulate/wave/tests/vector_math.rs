//! Division: its steps with VCC, and the whole sequence against the host's IEEE arithmetic. Other values are in `exec`.

use crate::harness::cases::*;

#[rustfmt::skip]
#[test]
fn division_steps() {
    assert_eq!(mask(("gfx90a", 64), "v_div_scale_f32 v0, s[8:9], v12, v8, v12", 8, &[&[0], &[f(2f32.powi(127)), f(3.0)], &[f(1.0)]]), 0x5555_5555_5555_5555);
    check_with(GFX9, "v_div_fmas_f32 v0, v4, v8, v12", &[(&[f(2.0), f(3.0), f(1.0)], f(7.0 * 2f32.powi(-64))), (&[f(2.0), f(3.0), f(1.0)], f(7.0))], |m| { m.sgpr64(106, 0x5555_5555_5555_5555); });
    check_with(GFX9, "v_div_fmas_f64 v[0:1], v[4:5], v[8:9], v[12:13]", &[(&[d(2.0), d(3.0), d(1.0)], d(7.0 * 2f64.powi(-128))), (&[d(2.0), d(3.0), d(1.0)], d(7.0))], |m| { m.sgpr64(106, 0x5555_5555_5555_5555); });
}

/// The division sequence that LLVM emits, against the host's correctly rounded quotient.
#[test]
fn single_division_sequence_rounds_correctly() {
    let text = "v_div_scale_f32 v20, s[8:9], v8, v8, v4
        v_div_scale_f32 v21, vcc, v4, v8, v4
        v_rcp_f32_e32 v22, v20
        v_fma_f32 v23, -v20, v22, 1.0
        v_fma_f32 v22, v23, v22, v22
        v_mul_f32_e32 v23, v21, v22
        v_fma_f32 v24, -v20, v23, v21
        v_fma_f32 v23, v24, v22, v23
        v_fma_f32 v20, -v20, v23, v21
        v_div_fmas_f32 v20, v20, v22, v23
        v_div_fixup_f32 v0, v20, v8, v4";
    let mut state = 0x1234_5678_9abc_def0u64;
    let mut next = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 32) as u32
    };
    let pairs: Vec<[u64; 2]> = (0..4096)
        .map(|_| [u64::from(next()), u64::from(next())])
        .filter(|pair| pair.iter().all(|&x| !f32::from_bits(x as u32).is_nan()))
        .collect();
    let cases: Vec<(&[u64], u64)> = pairs
        .iter()
        .map(|pair| {
            let quotient = f32::from_bits(pair[0] as u32) / f32::from_bits(pair[1] as u32);
            (&pair[..], f(quotient))
        })
        .filter(|(_, quotient)| !f32::from_bits(*quotient as u32).is_nan())
        .collect();
    check(GFX9, text, &cases);
}

/// Reciprocals and roots of every half, which fast bodies round twice, against the host's doubles.
#[test]
fn reciprocals_and_roots_of_all_halves_are_correctly_rounded() {
    use numerics::{Round, convert::f16_from_f64, float16};
    let text = "v_rcp_f16_e32 v1, v0\nv_sqrt_f16_e32 v2, v0\nv_rsq_f16_e32 v3, v0";
    type Function = fn(f64) -> f64;
    let functions: [(&str, Function); 3] = [
        ("rcp", |x| 1.0 / x),
        ("sqrt", f64::sqrt),
        ("rsq", |x| 1.0 / x.sqrt()),
    ];
    for first in (0..=u16::MAX).step_by(64) {
        let mut m = crate::harness::Machine::new("gfx90a", text);
        let half = |lane: usize| first + lane as u16;
        m.vgpr(0, |lane| u32::from(half(lane)));
        m.run();
        for lane in 0..64 {
            let x = f64::from(float16::value(half(lane)));
            if x.is_nan() {
                continue;
            }
            for (at, (name, function)) in functions.iter().enumerate() {
                let result = function(x);
                let expected = match result.is_nan() {
                    true => float16::NAN,
                    false => f16_from_f64(result.to_bits(), Round::NearestEven),
                };
                let got = m.wave.vgpr(at + 1, lane);
                assert_eq!(got, u32::from(expected), "{name} {:#x}", half(lane));
            }
        }
    }
}
