//! Sums inside matrix instructions: exact integers under every model, wide exact sums, and the published corner rules.

use crate::common::{Random, cases};
use numerics::convert::{Fp8, bf16_from_f32, f16_from_f32_nearest, f32_from_f16_exact};
use numerics::matrix::{
    Model, accumulate_bf16, accumulate_bf16_pairs, accumulate_f16, accumulate_f32, accumulate_f64,
    accumulate_fp8, accumulate_i8, accumulate_xf32,
};
use rustc_apfloat::{Float, FloatConvert, Round, ieee};

const MODELS: [Model; 3] = [Model::Mfma1, Model::Mfma2, Model::Mfma3];

fn half(x: f32) -> u16 {
    f16_from_f32_nearest(x.to_bits())
}

fn brain(x: f32) -> u16 {
    bf16_from_f32(x.to_bits())
}

fn f(x: f32) -> u32 {
    x.to_bits()
}

#[test]
fn small_integers_are_exact_everywhere() {
    let mut random = Random(41);
    for _ in 0..cases() / 20 {
        let mut draw = || {
            (0..16)
                .map(|_| (random.bits() % 15) as i32 - 7)
                .collect::<Vec<_>>()
        };
        let (a, b) = (draw(), draw());
        let c = (random.bits() % 1000) as i32 - 500;
        let want = a.iter().zip(&b).map(|(x, y)| x * y).sum::<i32>() + c;
        let map = |values: &[i32], convert: fn(f32) -> u16| {
            values
                .iter()
                .map(|&x| convert(x as f32))
                .collect::<Vec<_>>()
        };
        let single = |values: &[i32]| values.iter().map(|&x| f(x as f32)).collect::<Vec<_>>();
        let double = |values: &[i32]| {
            values
                .iter()
                .map(|&x| (x as f64).to_bits())
                .collect::<Vec<_>>()
        };
        let byte = |values: &[i32]| values.iter().map(|&x| x as u8).collect::<Vec<_>>();
        let eight = |values: &[i32]| {
            values
                .iter()
                .map(|&x| Fp8::E4m3Fnuz.from_f32(f(x as f32), false))
                .collect::<Vec<_>>()
        };
        // Zero sums are +0 unless everything was -0, which integers are not.
        let sum = f(want as f32);
        for model in MODELS {
            assert_eq!(
                accumulate_f16(model, f(c as f32), &map(&a, half), &map(&b, half)),
                sum,
                "{model:?}"
            );
            assert_eq!(
                accumulate_bf16(model, f(c as f32), &map(&a, brain), &map(&b, brain)),
                sum,
                "{model:?}"
            );
            assert_eq!(
                accumulate_bf16_pairs(model, f(c as f32), &map(&a, brain), &map(&b, brain)),
                sum,
                "{model:?}"
            );
        }
        assert_eq!(accumulate_f32(f(c as f32), &single(&a), &single(&b)), sum);
        assert_eq!(accumulate_xf32(f(c as f32), &single(&a), &single(&b)), sum);
        assert_eq!(
            accumulate_f64((c as f64).to_bits(), &double(&a), &double(&b)),
            (want as f64).to_bits()
        );
        assert_eq!(accumulate_i8(c as u32, &byte(&a), &byte(&b)), want as u32);
        assert_eq!(
            accumulate_fp8(
                f(c as f32),
                &eight(&a),
                Fp8::E4m3Fnuz,
                &eight(&b),
                Fp8::E4m3Fnuz
            ),
            sum
        );
    }
    assert_eq!(accumulate_i8(0x7fff_ffff, &[1], &[1]), 0x8000_0000);
}

#[test]
fn gfx908_rounds_an_exact_sum_once() {
    let mut random = Random(42);
    for _ in 0..cases() {
        let (mut a, mut b) = ([0u16; 4], [0u16; 4]);
        for x in a.iter_mut().chain(&mut b) {
            *x = random.f16();
            if *x & 0x7c00 == 0x7c00 {
                *x &= 0xbfff;
            }
        }
        // With C of this size every term fits the 113 bits of a quad without loss.
        let c = (random.bits() as u32 & 0x807f_ffff) | (random.bits() as u32 % 90 + 87) << 23;
        let quad = |bits: u32| {
            let mut exact = false;
            let value: ieee::Quad = ieee::Single::from_bits(bits as u128)
                .convert(&mut exact)
                .value;
            value
        };
        let mut sum = quad(c);
        for (&a, &b) in a.iter().zip(&b) {
            sum = sum
                .mul_add_r(
                    ieee::Quad::from_u128(1).value,
                    quad(0),
                    Round::NearestTiesToEven,
                )
                .value;
            let product = (quad(f32_from_f16_exact(a)) * quad(f32_from_f16_exact(b))).value;
            sum = (sum + product).value;
        }
        let mut exact = false;
        let want: ieee::Single = sum.convert(&mut exact).value;
        assert_eq!(
            accumulate_f16(Model::Mfma1, c, &a, &b) as u128,
            want.to_bits(),
            "{c:x} {a:x?} {b:x?}"
        );
    }
}

/// 2^-140, a denormal: `powi` divides by 2^140, which is infinite, unless the compiler knows the result.
const TINY: u32 = 1 << 9;

#[test]
fn gfx908_sums_of_any_span() {
    let huge = brain(2f32.powi(100));
    let minus_huge = brain(-2f32.powi(100));
    // 2^200 - 2^200 leaves what no intermediate rounding could keep.
    let c = TINY;
    assert_eq!(
        accumulate_bf16_pairs(Model::Mfma1, c, &[huge, minus_huge], &[huge, huge]),
        c
    );
    let tiny = brain(2f32.powi(-120));
    let sum = accumulate_bf16_pairs(
        Model::Mfma1,
        f(-1.0),
        &[tiny, brain(1.0)],
        &[brain(2f32.powi(-20)), brain(1.0)],
    );
    assert_eq!(sum, TINY);
    // Halfway plus a trace 230 binary orders down rounds up; halfway alone goes to even.
    let halfway = [brain(2f32.powi(-12)), tiny];
    let other = [brain(2f32.powi(-12)), brain(2f32.powi(-110))];
    assert_eq!(
        accumulate_bf16_pairs(Model::Mfma1, f(1.0), &halfway, &other),
        f(1.0) + 1
    );
    assert_eq!(
        accumulate_bf16_pairs(Model::Mfma1, f(1.0), &halfway[..1], &other[..1]),
        f(1.0)
    );
    let negative = [brain(-(2f32.powi(-12))), brain(-(2f32.powi(-120)))];
    assert_eq!(
        accumulate_bf16_pairs(Model::Mfma1, f(-1.0), &negative, &other),
        f(-1.0) + 1
    );
    // Overflow, infinities and NaN.
    assert_eq!(
        accumulate_bf16_pairs(Model::Mfma1, 0, &[huge], &[huge]),
        0x7f80_0000
    );
    let infinity = brain(f32::INFINITY);
    assert_eq!(
        accumulate_bf16_pairs(Model::Mfma1, 0xff80_0000, &[infinity], &[huge]),
        0x7fc0_0000
    );
    assert_eq!(
        accumulate_bf16_pairs(Model::Mfma1, 0, &[infinity], &[minus_huge]),
        0xff80_0000
    );
    // An exact tie between 1 + 2^-23 and 1 + 2^-22, reached through terms that cancel.
    let tie = [half(2f32.powi(-12)), half(32768.0), half(-32768.0)];
    let factors = [half(2f32.powi(-12)), half(32768.0), half(32768.0)];
    assert_eq!(
        accumulate_f16(Model::Mfma1, f(1.0) + 1, &tie, &factors),
        f(1.0) + 2
    );
    // Denormals are kept.
    assert_eq!(accumulate_f16(Model::Mfma1, 1, &[1], &[half(0.0)]), 1);
}

#[test]
fn gfx90a_rounds_every_step_and_flushes() {
    let mut random = Random(43);
    for _ in 0..cases() {
        let mut draw = || half((random.bits() as i32 as f32) * 2f32.powi(-24));
        let (a, b) = (
            [draw(), draw(), draw(), draw()],
            [draw(), draw(), draw(), draw()],
        );
        let c = (random.bits() as i32 as f32) * 2f32.powi(-20);
        let single = |x: u16| f32::from_bits(f32_from_f16_exact(x));
        let p = |i: usize| single(a[i]) * single(b[i]);
        let want = c + ((p(0) + p(1)) + (p(2) + p(3)));
        assert_eq!(accumulate_f16(Model::Mfma2, f(c), &a, &b), f(want));
        // Two products per step, and a last step with one.
        let (x, y) = (a.map(|x| brain(single(x))), b.map(|x| brain(single(x))));
        let q =
            |i: usize| f32::from_bits((x[i] as u32) << 16) * f32::from_bits((y[i] as u32) << 16);
        let want = (c + (q(0) + q(1))) + q(2);
        assert_eq!(
            accumulate_bf16_pairs(Model::Mfma2, f(c), &x[..3], &y[..3]),
            f(want)
        );
    }
    let one = half(1.0);
    // A denormal input or C is zero; a denormal partial sum too.
    assert_eq!(accumulate_f16(Model::Mfma2, 0, &[1], &[one]), 0);
    assert_eq!(accumulate_f16(Model::Mfma2, 0x8000_0001, &[0], &[one]), 0);
    let small = brain(2f32.powi(-70));
    assert_eq!(accumulate_bf16(Model::Mfma2, 0, &[small], &[small]), 0);
    assert_eq!(accumulate_bf16(Model::Mfma3, 0, &[small], &[small]), TINY);
}

#[test]
fn gfx942_truncates_products_and_floors_the_rest() {
    let h = |power: i32| half(2f32.powi(power));
    let run =
        |c: f32, a: &[u16], b: &[u16]| f32::from_bits(accumulate_f16(Model::Mfma3, f(c), a, b));
    let ulp = f32::EPSILON;
    // 24 fraction bits below the largest product survive; two halves of an ulp then make one.
    assert_eq!(
        run(0.0, &[h(0), h(-12), h(-12)], &[h(0), h(-12), h(-12)]),
        1.0 + ulp
    );
    assert_eq!(
        run(0.0, &[h(0), h(-12), h(-12)], &[h(0), h(-13), h(-13)]),
        1.0
    );
    // Truncation of products is toward zero for both signs.
    assert_eq!(
        run(0.0, &[h(0), half(-(2f32.powi(-12)))], &[h(0), h(-13)]),
        1.0
    );
    // C is rounded down: a negative trace counts as a whole unit, a positive one as nothing.
    assert_eq!(run(-(2f32.powi(-40)), &[h(0)], &[h(0)]), 1.0 - ulp / 2.0);
    assert_eq!(run(2f32.powi(-40), &[h(0)], &[h(0)]), 1.0);
    // The sum of products keeps 31 fraction bits below C.
    assert_eq!(run(1.0, &[h(-12), h(-13)], &[h(-12), h(-13)]), 1.0 + ulp);
    assert_eq!(run(1.0, &[h(-12)], &[h(-12)]), 1.0);
    // Products that overflow a single become infinite.
    let big = brain(2f32.powi(64));
    assert_eq!(
        accumulate_bf16(Model::Mfma3, 0, &[big], &[big]),
        0x7f80_0000
    );
    assert_eq!(
        accumulate_bf16(
            Model::Mfma3,
            0,
            &[big, big],
            &[big, brain(-(2f32.powi(64)))]
        ),
        0x7fc0_0000
    );
    // xf32 drops thirteen bits of each input.
    assert_eq!(
        accumulate_xf32(0, &[f(1.0 + 2f32.powi(-11))], &[f(3.0)]),
        f(3.0)
    );
    assert_eq!(
        accumulate_xf32(0, &[f(1.0 + 2f32.powi(-10))], &[f(3.0)]),
        f(3.0 + 3.0 * 2f32.powi(-10))
    );
}

#[test]
fn random_sums_stay_near_the_true_value() {
    let mut random = Random(44);
    for _ in 0..cases() / 10 {
        // Normal numbers only: gfx90a flushes the others.
        let mut draw = || (random.bits() as u16 & 0x83ff) | ((random.bits() % 5 + 12) << 10) as u16;
        let a: Vec<u16> = (0..16).map(|_| draw()).collect();
        let b: Vec<u16> = (0..16).map(|_| draw()).collect();
        let value = |x: u16| f32::from_bits(f32_from_f16_exact(x)) as f64;
        let terms: Vec<f64> = a
            .iter()
            .zip(&b)
            .map(|(&x, &y)| value(x) * value(y))
            .collect();
        let bound = terms.iter().map(|x| x.abs()).sum::<f64>() * 2f64.powi(-20);
        for model in MODELS {
            let got = f32::from_bits(accumulate_f16(model, 0, &a, &b)) as f64;
            assert!(
                (got - terms.iter().sum::<f64>()).abs() <= bound,
                "{model:?}"
            );
        }
    }
}

#[test]
fn gfx942_agrees_with_exact_rationals() {
    let hex = |text: &str| u32::from_str_radix(text, 16).unwrap();
    let mut checked = 0;
    for line in include_str!("data/mfma-gfx942.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
    {
        let (query, result) = line.split_once(" = ").unwrap();
        let (left, right) = query.split_once(" / ").unwrap();
        let mut words = left.split(' ');
        let (kind, c) = (words.next().unwrap(), hex(words.next().unwrap()));
        let a: Vec<u32> = words.map(hex).collect();
        let b: Vec<u32> = right.split(' ').map(hex).collect();
        let halves = |x: &[u32]| x.iter().map(|&x| x as u16).collect::<Vec<_>>();
        let bytes = |x: &[u32]| x.iter().map(|&x| x as u8).collect::<Vec<_>>();
        let eight = |p, q| accumulate_fp8(c, &bytes(&a), p, &bytes(&b), q);
        let got = match kind {
            "f16" => accumulate_f16(Model::Mfma3, c, &halves(&a), &halves(&b)),
            "bf16" => accumulate_bf16(Model::Mfma3, c, &halves(&a), &halves(&b)),
            "fp8_fp8" => eight(Fp8::E4m3Fnuz, Fp8::E4m3Fnuz),
            "bf8_fp8" => eight(Fp8::E5m2Fnuz, Fp8::E4m3Fnuz),
            "bf8_bf8" => eight(Fp8::E5m2Fnuz, Fp8::E5m2Fnuz),
            other => panic!("no model for {other}"),
        };
        assert_eq!(got, hex(result), "{line}: got {got:x}");
        checked += 1;
    }
    assert!(checked > 400);
}
