//! Values published for real hardware, ISA manuals' special cases, and LLVM's constant folds.

use crate::common;

use numerics::{Condition, Denormals, convert, float16, float32, float64};

const KEEP: Denormals = Denormals::KEEP;
const FLUSH: Denormals = Denormals::FLUSH;
const QUIET: u32 = 0x7fc0_0000;

type Relation = fn(f32, f32) -> bool;

fn f(x: f32) -> u32 {
    x.to_bits()
}

#[test]
fn min_and_max_of_gfx9() {
    use float32::{max, min};
    #[rustfmt::skip]
    let rows = [
        // a            b            ieee   min          max
        (0x0000_0000,  0x8000_0000, true,  0x8000_0000, 0x0000_0000),
        (0x8000_0000,  0x0000_0000, true,  0x8000_0000, 0x0000_0000),
        (0x7f8a_5a5a,  0x7f8a_5a5a, true,  0x7fca_5a5a, 0x7fca_5a5a),
        (0x7fca_5a5a,  f(1.0),      true,  f(1.0),      f(1.0)),
        (f(1.0),       0x7fca_5a5a, true,  f(1.0),      f(1.0)),
        (f(1.0),       0x7f8a_5a5a, true,  0x7fca_5a5a, 0x7fca_5a5a),
        (f(1.0),       0x7f8a_5a5a, false, f(1.0),      f(1.0)),
        (0x7f8a_5a5a,  0x7fc0_0001, false, 0x7fc0_0001, 0x7fc0_0001),
        (f(-2.0),      f(3.0),      true,  f(-2.0),     f(3.0)),
        (0x0000_0001,  0x8000_0001, true,  0x8000_0001, 0x0000_0001),
        (0xff80_0000,  0x7f80_0000, true,  0xff80_0000, 0x7f80_0000),
    ];
    for (a, b, ieee, least, greatest) in rows {
        assert_eq!(min(a, b, ieee, KEEP), least, "min {a:#x} {b:#x} {ieee}");
        assert_eq!(max(a, b, ieee, KEEP), greatest, "max {a:#x} {b:#x} {ieee}");
    }
    assert_eq!(min(1, 0x8000_0001, true, FLUSH), 0x8000_0000);
}

#[test]
fn median_special_cases() {
    use float32::med3;
    let (one, two, three) = (f(1.0), f(2.0), f(3.0));
    assert_eq!(med3(three, one, two, true, KEEP), two);
    // Hardware runs: NaN makes it the smallest, also for IEEE=0 with the NaN last.
    assert_eq!(med3(QUIET, one, two, true, KEEP), one);
    assert_eq!(med3(two, three, QUIET, false, KEEP), two);
    // Signed zeros are ordered.
    assert_eq!(med3(0x8000_0000, 0x8000_0000, 0, false, KEEP), 0x8000_0000);
    assert_eq!(med3(0, 0, 0x8000_0000, false, KEEP), 0);
    // IEEE=1: a signalling NaN in S2 comes out quiet, one in S0 or S1 yields S2.
    assert_eq!(med3(one, two, 0x7f80_0001, true, KEEP), 0x7fc0_0001);
    assert_eq!(med3(0x7f80_0001, two, three, true, KEEP), three);
    assert_eq!(med3(one, 0x7f80_0001, three, true, KEEP), three);
}

#[test]
fn minimum_and_maximum_of_gfx12() {
    use float32::{max_num, maximum, min_num, minimum};
    assert_eq!(min_num(0x7f80_0001, f(1.0), KEEP), f(1.0));
    assert_eq!(max_num(0x7f80_0001, 0x7fc0_0002, KEEP), 0x7fc0_0001);
    assert_eq!(minimum(f(1.0), 0x7fc0_0002, KEEP), 0x7fc0_0002);
    assert_eq!(minimum(0x7fc0_0002, 0x7f80_0001, KEEP), 0x7fc0_0001);
    assert_eq!(maximum(0x8000_0000, 0, KEEP), 0);
    assert_eq!(minimum(0, 0x8000_0000, KEEP), 0x8000_0000);
}

#[test]
fn legacy_products() {
    use float32::{fma_legacy, mul_legacy};
    assert_eq!(mul_legacy(0x8000_0000, f(5.0), KEEP), 0);
    assert_eq!(mul_legacy(0x7f80_0000, 0, KEEP), 0);
    assert_eq!(mul_legacy(QUIET, 0x8000_0000, KEEP), 0);
    assert_eq!(mul_legacy(f(-2.0), f(5.0), KEEP), f(-10.0));
    assert_eq!(fma_legacy(0, QUIET, 0x8000_0000, KEEP), 0);
    assert_eq!(fma_legacy(0, QUIET, f(4.0), KEEP), f(4.0));
    // A denormal counts as zero only where inputs are flushed.
    assert_eq!(mul_legacy(1, 0x7f80_0000, FLUSH), 0);
    assert_eq!(mul_legacy(1, 0x7f80_0000, KEEP), 0x7f80_0000);
}

#[test]
fn unfused_multiply_add_rounds_twice() {
    let (a, b) = (f(1.0 + f32::EPSILON), f(1.0 - f32::EPSILON));
    assert_eq!(float32::mad(a, b, f(-1.0)), 0);
    assert_ne!(float32::fma(a, b, f(-1.0), KEEP), 0);
    assert_eq!(float32::mad(1, f(1.0), 0), 0);
    assert_eq!(
        float16::mad(0x3c01, 0x3bfe, 0xbc00, float16::Mode::DEFAULT),
        0
    );
}

#[test]
fn classes_see_raw_bits() {
    #[rustfmt::skip]
    let rows = [
        (0x7f80_0001u32, 0), (0x7fc0_0000, 1), (0xff80_0000, 2), (0xbf80_0000, 3), (0x8000_0001, 4),
        (0x8000_0000,    5), (0x0000_0000, 6), (0x007f_ffff, 7), (0x0080_0000, 8), (0x7f80_0000, 9),
        (0xff80_0001,    0), (0xffc0_0000, 1),
    ];
    for (x, class) in rows {
        for bit in 0..10 {
            assert_eq!(
                float32::class(x, 1 << bit),
                bit == class,
                "{x:#x} bit {bit}"
            );
        }
    }
    assert!(float16::class(0x0001, 1 << 7) && float64::class(0x8000_0000_0000_0000, 1 << 5));
}

#[test]
fn comparisons_follow_ieee() {
    #[rustfmt::skip]
    let rows: [(Condition, Relation); 16] = [
        (Condition::F,   |_, _| false),                 (Condition::LT,  |a, b| a < b),
        (Condition::EQ,  |a, b| a == b),                (Condition::LE,  |a, b| a <= b),
        (Condition::GT,  |a, b| a > b),                 (Condition::LG,  |a, b| a.partial_cmp(&b).is_some_and(|o| o.is_ne())),
        (Condition::GE,  |a, b| a >= b),                (Condition::O,   |a, b| !a.is_nan() && !b.is_nan()),
        (Condition::U,   |a, b| a.is_nan() || b.is_nan()), (Condition::NGE, |a, b| a.partial_cmp(&b).is_none_or(|o| o.is_lt())),
        (Condition::NLG, |a, b| a.partial_cmp(&b).is_none_or(|o| o.is_eq())), (Condition::NGT, |a, b| a.partial_cmp(&b).is_none_or(|o| o.is_le())),
        (Condition::NLE, |a, b| a.partial_cmp(&b).is_none_or(|o| o.is_gt())), (Condition::NEQ, |a, b| a != b),
        (Condition::NLT, |a, b| a.partial_cmp(&b).is_none_or(|o| o.is_ge())), (Condition::TRU, |_, _| true),
    ];
    let mut random = common::Random(7);
    for _ in 0..common::cases() {
        let (a, b) = (
            random.f32(),
            if random.bits() & 7 == 0 {
                0x8000_0000
            } else {
                random.f32()
            },
        );
        for (condition, expected) in rows {
            let want = expected(f32::from_bits(a), f32::from_bits(b));
            assert_eq!(
                float32::compare(condition, a, b, KEEP),
                want,
                "{condition:?} {a:#x} {b:#x}"
            );
        }
    }
    assert!(float32::compare(Condition::EQ, 1, 0x8000_0000, FLUSH));
    assert!(!float32::compare(Condition::EQ, 1, 0x8000_0000, KEEP));
}

#[test]
fn frexp_rebuilds_its_input() {
    let mut random = common::Random(8);
    for _ in 0..common::cases() {
        let (h, s, d) = (random.f16(), random.f32(), random.f64());
        let finite = |magnitude: u64, infinity: u64| magnitude < infinity && magnitude != 0;
        if finite(float32::abs(s) as u64, float32::INFINITY as u64) {
            let m = f32::from_bits(float32::frexp_mant(s));
            assert!((0.5..1.0).contains(&m.abs()), "{s:#x}");
            assert_eq!(
                (m as f64 * 2f64.powi(float32::frexp_exp(s))) as f32,
                f32::from_bits(s)
            );
        }
        if finite(float16::abs(h) as u64, float16::INFINITY as u64) {
            let m = float16::value(float16::frexp_mant(h));
            assert!((0.5..1.0).contains(&m.abs()), "{h:#x}");
            assert_eq!(
                m * 2f32.powi(float16::frexp_exp(h) as i32),
                float16::value(h)
            );
        }
        if finite(float64::abs(d), float64::INFINITY) {
            let m = float64::frexp_mant(d);
            assert!((0.5..1.0).contains(&f64::from_bits(m).abs()), "{d:#x}");
            assert_eq!(float64::ldexp(m, float64::frexp_exp(d), KEEP), d);
        }
    }
    assert_eq!(
        (
            float32::frexp_mant(0x8000_0000),
            float32::frexp_exp(0x8000_0000)
        ),
        (0x8000_0000, 0)
    );
    assert_eq!(
        (
            float32::frexp_mant(0xff80_0000),
            float32::frexp_exp(0xff80_0000)
        ),
        (0xff80_0000, 0)
    );
}

#[test]
fn output_modifiers() {
    assert_eq!(float32::clamp(QUIET, true), 0);
    assert_eq!(float32::clamp(QUIET, false), QUIET);
    assert_eq!(float32::clamp(0x8000_0000, true), 0);
    assert_eq!(float32::clamp(f(-3.0), true), 0);
    assert_eq!(float32::clamp(f(3.0), true), f(1.0));
    assert_eq!(float32::clamp(f(0.25), true), f(0.25));
    assert_eq!(float32::clamp(0xff80_0000, true), 0);
    assert_eq!(float32::clamp(0x7f80_0000, true), f(1.0));
    assert_eq!(float32::omod(f(3.0), 1), f(6.0));
    assert_eq!(float32::omod(f(3.0), 2), f(12.0));
    assert_eq!(float32::omod(f(3.0), 3), f(1.5));
    assert_eq!(float32::omod(0x8000_0000, 1), 0);
    assert_eq!(float16::omod(0x4200, 1), 0x4600);
}

#[test]
fn denormal_mode_bits() {
    assert_eq!(Denormals::from_mode(0), FLUSH);
    assert_eq!(
        Denormals::from_mode(1),
        Denormals {
            flush_inputs: false,
            flush_outputs: true
        }
    );
    assert_eq!(
        Denormals::from_mode(2),
        Denormals {
            flush_inputs: true,
            flush_outputs: false
        }
    );
    assert_eq!(Denormals::from_mode(3), KEEP);
    // 2^-126 * 0.5 is a denormal result; 1 is a denormal operand.
    for (field, product, sum) in [
        (0, 0, 0),
        (1, 0, 0),
        (2, 0x0040_0000, 0),
        (3, 0x0040_0000, 1),
    ] {
        let mode = Denormals::from_mode(field);
        assert_eq!(float32::mul(0x0080_0000, f(0.5), mode), product);
        assert_eq!(float32::add(1, 0, mode), sum);
        assert_eq!(
            float32::mul(0x8000_0001, f(2f32.powi(100)), mode) == 0x8000_0000,
            field & 1 == 0
        );
    }
}

#[test]
fn float_to_integer_saturates() {
    #[rustfmt::skip]
    let rows = [
        // x              i32          u32
        (f(1.9),          1,           1),
        (f(-1.9),         -1i32 as u32, 0),
        (f(3e9),          0x7fff_ffff, 3_000_000_000),
        (f(5e9),          0x7fff_ffff, 0xffff_ffff),
        (f(-5e9),         0x8000_0000, 0),
        (QUIET,           0,           0),
        (0x7f80_0000,     0x7fff_ffff, 0xffff_ffff),
        (0xff80_0000,     0x8000_0000, 0),
    ];
    for (x, signed, unsigned) in rows {
        assert_eq!(convert::i32_from_f32(x), signed, "{x:#x}");
        assert_eq!(convert::u32_from_f32(x), unsigned, "{x:#x}");
        let wide = convert::f64_from_f32(x, KEEP);
        assert_eq!(convert::i32_from_f64(wide), signed, "{x:#x}");
        assert_eq!(convert::u32_from_f64(wide), unsigned, "{x:#x}");
    }
    assert_eq!(convert::i16_from_f16(0x7c00), 0x7fff);
    assert_eq!(convert::u16_from_f16(0xc000), 0);
    assert_eq!(convert::u16_from_f16(0x7bff), 65504);
    assert_eq!(convert::i16_from_f16(0xc100), -2i16 as u16);
    assert_eq!(convert::i32_from_f32_nearest(f(2.5)), 3);
    assert_eq!(convert::i32_from_f32_nearest(f(-2.5)), -2i32 as u32);
    assert_eq!(convert::i32_from_f32_floor(f(-2.25)), -3i32 as u32);
}

#[test]
fn packed_conversions() {
    // LLVM folds cvt.pkrtz(70000.0, -70000.0) to the largest finite values.
    assert_eq!(
        convert::pkrtz_f16_f32(f(70000.0), f(-70000.0), KEEP),
        0xfbff_7bff
    );
    assert_eq!(
        convert::pkrtz_f16_f32(f(1.0), f(65535.0), KEEP),
        0x7bff_3c00
    );
    assert_eq!(convert::pkrtz_f16_f32(0x7f80_0000, 0, KEEP), 0x7c00);
    assert_eq!(convert::pk_i16_i32(40000, -40000i32 as u32), 0x8000_7fff);
    assert_eq!(convert::pk_u16_u32(70000, 5), 0x0005_ffff);
    assert_eq!(convert::pk_i16_f32(f(1e9), f(-1.5)), 0xffff_7fff);
    assert_eq!(convert::pk_u16_f32(f(1e9), f(-1.5)), 0x0000_ffff);
    assert_eq!(convert::pknorm_i16_f32(f(1.0), f(-1.0)), 0x8001_7fff);
    assert_eq!(convert::pknorm_i16_f32(f(9.0), QUIET), 0x0000_7fff);
    assert_eq!(convert::pknorm_u16_f32(f(0.5), f(-1.0)), 0x0000_8000);
    assert_eq!(convert::pknorm_u16_f16(0x3c00, 0x3800), 0x8000_ffff);
    let nearest = numerics::Round::NearestEven;
    assert_eq!(
        convert::pk_u8_f32(f(2.5), 1, 0xaabb_ccdd, KEEP, nearest),
        0xaabb_02dd
    );
    assert_eq!(
        convert::pk_u8_f32(f(300.0), 7, 0, KEEP, nearest),
        0xff00_0000
    );
    assert_eq!(convert::f32_from_byte(0x1234_5678, 2), f(52.0));
    let offsets = [0.0, 0.0625, 0.125, 0.1875, 0.25, 0.3125, 0.375, 0.4375];
    for (i, offset) in offsets.into_iter().enumerate() {
        assert_eq!(convert::f32_from_i4_offset(i as u32), f(offset));
        assert_eq!(convert::f32_from_i4_offset(i as u32 + 8), f(offset - 0.5));
    }
}
