//! Approximate functions against values computed at high precision elsewhere, and their special cases.

use crate::common;

use numerics::{Denormals, approx, convert, float16, float32, float64};

const KEEP: Denormals = Denormals::KEEP;
const INF: u32 = 0x7f80_0000;
const NAN: u32 = 0x7fc0_0000;

type Row = (&'static str, fn(u32) -> u32, u32, u32);

/// Distance between a single and a true value, in units of the single's last place.
fn units(got: u32, truth: f64) -> f64 {
    let exponent = ((got >> 23 & 0xff) as i32).max(1);
    (f32::from_bits(got) as f64 - truth).abs() / 2f64.powi(exponent - 150)
}

#[test]
fn single_functions_are_within_half_a_unit() {
    let hex = |text: &str| u64::from_str_radix(text, 16).unwrap();
    let mut worst = std::collections::BTreeMap::<&str, f64>::new();
    for line in include_str!("data/transcendental.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
    {
        let (call, result) = line.split_once(" = ").unwrap();
        let (operation, operand) = call.split_once(' ').unwrap();
        let (x, truth) = (hex(operand) as u32, f64::from_bits(hex(result)));
        let got = match operation {
            "exp" => approx::exp_f32(x),
            "log" => approx::log_f32(x),
            "rcp" => approx::rcp_f32(x),
            "rsq" => approx::rsq_f32(x),
            "sqrt" => approx::sqrt_f32(x),
            "sin" => approx::sin_f32(x, false),
            "cos" => approx::cos_f32(x, false),
            other => panic!("no function for {other}"),
        };
        let error = units(got, truth);
        assert!(error <= 0.50001, "{line}: {got:x} is {error} units off");
        let entry = worst.entry(operation).or_default();
        *entry = entry.max(error);
    }
    assert_eq!(worst.len(), 7);
}

#[test]
fn single_functions_against_the_c_library() {
    let mut random = common::Random(21);
    for _ in 0..common::cases() {
        let x = random.bits() as u32 & 0x7fff_ffff;
        if (float32::MIN_NORMAL..INF).contains(&x) {
            assert!(
                units(approx::log_f32(x), (f32::from_bits(x) as f64).log2()) <= 0.50001,
                "log {x:#x}"
            );
        }
        let y = (random.bits() as u32 & 0x80ff_ffff)
            | (0x3800_0000 + ((random.bits() as u32) << 23 & 0x0b00_0000));
        if f32::from_bits(y).abs() < 125.0 {
            assert!(
                units(approx::exp_f32(y), (f32::from_bits(y) as f64).exp2()) <= 0.50001,
                "exp {y:#x}"
            );
        }
    }
}

/// Returns `true` if `r` is the nearest single to 1/sqrt(x), decided in integers: the midpoints around r bracket the true value.
fn rsq_is_nearest(x: u32, r: u32) -> bool {
    let parts = |bits: u32| {
        (
            ((bits & 0x7f_ffff) | 0x80_0000) as u128,
            (bits >> 23) as i32 - 150,
        )
    };
    let (m, e) = parts(x);
    let (n, f) = parts(r);
    // Compare (2n±1)^2 * m * 2^(e + 2f - 2) with 1.
    let power = -(e + 2 * f - 2);
    let one = 1u128 << power;
    (2 * n - 1).pow(2) * m <= one && (2 * n + 1).pow(2) * m >= one
}

#[test]
fn reciprocal_square_root_is_correctly_rounded() {
    // Two binades are all there is; the stride samples them and NUMERICS_CASES above 16 million makes it exhaustive.
    let stride = (33_554_432 / common::cases()).max(1);
    for x in (0x3f80_0000..0x4080_0000u32).step_by(stride as usize) {
        let r = approx::rsq_f32(x);
        assert!(rsq_is_nearest(x, r), "{x:#x} gave {r:#x}");
    }
}

#[test]
fn single_specials() {
    let f = f32::to_bits;
    #[rustfmt::skip]
    let rows: [Row; 38] = [
        ("rcp",  approx::rcp_f32,  0,            INF),
        ("rcp",  approx::rcp_f32,  0x8000_0000,  0xff80_0000),
        ("rcp",  approx::rcp_f32,  INF,          0),
        ("rcp",  approx::rcp_f32,  0xff80_0000,  0x8000_0000),
        ("rcp",  approx::rcp_f32,  0x7f00_0000,  0), // 2^127, seen on hardware
        ("rcp",  approx::rcp_f32,  0x0040_0000,  INF), // 2^-127, seen on hardware
        ("rcp",  approx::rcp_f32,  0x8000_0001,  0xff80_0000),
        ("rcp",  approx::rcp_f32,  0x7f80_0001,  0x7fc0_0001),
        ("sqrt", approx::sqrt_f32, 0x8000_0000,  0x8000_0000),
        ("sqrt", approx::sqrt_f32, f(-1.0),      NAN),
        ("sqrt", approx::sqrt_f32, INF,          INF),
        ("sqrt", approx::sqrt_f32, 0x0000_0001,  0),
        ("sqrt", approx::sqrt_f32, f(16.0),      f(4.0)),
        ("rsq",  approx::rsq_f32,  0,            INF),
        ("rsq",  approx::rsq_f32,  0x8000_0000,  0xff80_0000),
        ("rsq",  approx::rsq_f32,  f(-1.0),      NAN),
        ("rsq",  approx::rsq_f32,  INF,          0),
        ("rsq",  approx::rsq_f32,  f(4.0),       f(0.5)),
        ("exp",  approx::exp_f32,  0,            f(1.0)),
        ("exp",  approx::exp_f32,  INF,          INF),
        ("exp",  approx::exp_f32,  0xff80_0000,  0),
        ("exp",  approx::exp_f32,  f(128.0),     INF),
        ("exp",  approx::exp_f32,  f(127.0),     f(2f32.powi(127))),
        ("exp",  approx::exp_f32,  f(-126.0),    0x0080_0000),
        ("exp",  approx::exp_f32,  f(-126.5),    0),
        ("exp",  approx::exp_f32,  f(-3.4e38),   0),
        ("exp",  approx::exp_f32,  0xffc0_0001,  0xffc0_0001),
        ("exp",  approx::exp_f32,  0x0000_0001,  f(1.0)),
        ("log",  approx::log_f32,  0,            0xff80_0000),
        ("log",  approx::log_f32,  0x8000_0000,  0xff80_0000),
        ("log",  approx::log_f32,  0x0000_0001,  0xff80_0000),
        ("log",  approx::log_f32,  f(-1.0),      NAN),
        ("log",  approx::log_f32,  0xff80_0000,  NAN),
        ("log",  approx::log_f32,  INF,          INF),
        ("log",  approx::log_f32,  f(1.0),       0),
        ("log",  approx::log_f32,  f(8.0),       f(3.0)),
        ("log",  approx::log_f32,  0x0080_0000,  f(-126.0)),
        ("log",  approx::log_f32,  0xffc0_0001,  0xffc0_0001),
    ];
    for (name, function, x, want) in rows {
        assert_eq!(function(x), want, "{name} {x:#x}");
    }
    #[rustfmt::skip]
    let turns = [
        // x           sin          cos
        (0x8000_0000,  0x8000_0000, f(1.0)),
        (f(0.25),      f(1.0),      0),
        (f(0.5),       0,           f(-1.0)),
        (f(-0.25),     f(-1.0),     0),
        (f(0.75),      f(-1.0),     0),
        (f(1e30),      0,           f(1.0)),
        (INF,          NAN,         NAN),
        (0x7f80_0001,  0x7fc0_0001, 0x7fc0_0001),
    ];
    for (x, sine, cosine) in turns {
        assert_eq!(approx::sin_f32(x, false), sine, "sin {x:#x}");
        assert_eq!(approx::cos_f32(x, false), cosine, "cos {x:#x}");
    }
    assert_eq!(approx::sin_f32(f(256.25), true), 0);
    assert_eq!(approx::cos_f32(f(256.5), true), f(1.0));
    assert_eq!(approx::sin_f32(f(256.25), false), f(1.0));
}

#[test]
fn half_functions_are_correctly_rounded_everywhere() {
    let round = |x: f64| convert::f16_from_f64(x.to_bits(), numerics::Round::NearestEven);
    for x in 0..=u16::MAX {
        let v = float16::value(x) as f64;
        if v.is_nan() {
            for got in [
                approx::rcp_f16(x, KEEP),
                approx::log_f16(x, KEEP),
                approx::sin_f16(x, KEEP, true),
            ] {
                assert_eq!(got, float16::quiet(x));
            }
            continue;
        }
        let check = |name: &str, got: u16, want: f64| {
            let expected = if want.is_nan() {
                float16::NAN
            } else {
                round(want)
            };
            assert_eq!(got, expected, "{name} {x:#x}");
        };
        check("rcp", approx::rcp_f16(x, KEEP), 1.0 / v);
        check("sqrt", approx::sqrt_f16(x, KEEP), v.sqrt());
        check("rsq", approx::rsq_f16(x, KEEP), 1.0 / v.sqrt());
        check("exp", approx::exp_f16(x, KEEP), v.exp2());
        check("log", approx::log_f16(x, KEEP), v.log2());
        if v.is_finite() && v != 0.0 && (v * 4.0).fract() != 0.0 {
            let turn = v - v.round_ties_even();
            check(
                "sin",
                approx::sin_f16(x, KEEP, false),
                (turn * std::f64::consts::TAU).sin(),
            );
            check(
                "cos",
                approx::cos_f16(x, KEEP, false),
                (turn * std::f64::consts::TAU).cos(),
            );
        }
    }
    assert_eq!(approx::rcp_f16(1, Denormals::FLUSH), 0x7c00);
    assert_eq!(approx::rcp_f16(1, KEEP), 0x7c00);
    assert_eq!(approx::sqrt_f16(1, KEEP), 0x0c00);
}

#[test]
fn double_functions() {
    let f = f64::to_bits;
    assert_eq!(approx::rcp_f64(f(-0.0), KEEP), f(f64::NEG_INFINITY));
    assert_eq!(approx::rcp_f64(f(3.0), KEEP), f(1.0 / 3.0));
    assert_eq!(approx::rsq_f64(f(-1.0), KEEP), float64::NAN);
    assert_eq!(approx::rsq_f64(f(4.0), KEEP), f(0.5));
    assert_eq!(approx::sqrt_f64(f(2.0), KEEP), f(std::f64::consts::SQRT_2));
    assert_eq!(approx::sqrt_f64(f(-2.0), KEEP), float64::NAN);
    assert_eq!(approx::rcp_f64(1, Denormals::FLUSH), f(f64::INFINITY));
}
