//! Short cuts of vector rows against the arithmetic that they stand for: mostly ordinary values, now and then one that they
//! leave to it.

use crate::harness::{Machine, random::Random};
use numerics::{Denormals, approx, division, float16, float32};

/// The name of an instruction, and its function by bits.
type OfSingle = (&'static str, fn(u32) -> u32);

/// Waves of each instruction.
const WAVES: usize = 150;

/// Runs `text` on values that `draw` gives for v[2:3], v[4:5] and v[6:7] of each lane; `check` sees these, v[0:1] and the
/// lane's bit of s[8:9].
fn each(
    text: &str,
    mut draw: impl FnMut(&mut Random) -> [u64; 3],
    check: impl Fn([u64; 3], u64, bool),
) {
    let mut random = Random(text.len() as u64);
    for _ in 0..WAVES {
        let values: Vec<[u64; 3]> = (0..64).map(|_| draw(&mut random)).collect();
        let mut machine = Machine::new("gfx90a", text);
        for source in 0..3 {
            machine.vgpr64(2 + 2 * source, |lane| values[lane][source]);
        }
        machine.vgpr64(0, |_| 0).sgpr64(8, 0).sgpr64(106, 0).run();
        let mask = u64::from(machine.wave.sgpr(8)) | u64::from(machine.wave.sgpr(9)) << 32;
        for (lane, got) in machine.row64(0).into_iter().enumerate() {
            check(values[lane], got, mask >> lane & 1 != 0);
        }
    }
}

/// Halves whose product lies just beside the middle between two neighbours of C, or any.
fn factors_and_addend(random: &mut Random) -> [u16; 3] {
    let bits = random.bits();
    let small = bits as u16 & 31;
    let sign = (bits >> 8) as u16 & 0x8000;
    let ordinary = |bits: u64| bits as u16 & 0x83ff | (0x3000 + ((bits >> 20) as u16 & 0xc00));
    let beside = [
        (0x1000 + small) | sign,
        0x3c00 - 2 * small,
        0x3c00 | (bits >> 32) as u16 & 0x3ff,
    ];
    let any = [bits >> 3, bits >> 17, bits >> 31].map(ordinary);
    let drawn = if bits >> 60 < 8 { beside } else { any };
    drawn.map(|half| random.mostly(u64::from(half)) as u16)
}

fn fma(values: [u64; 3], shift: u32) -> u64 {
    let [a, b, c] = values.map(|x| (x >> shift) as u16);
    u64::from(float16::fma(a, b, c, float16::Mode::DEFAULT)) << shift
}

#[test]
fn half_precision_fma() {
    each(
        "v_fma_f16 v0, v2, v4, v6",
        |random| factors_and_addend(random).map(u64::from),
        |values, got, _| assert_eq!(got, fma(values, 0), "{values:x?}"),
    );
    each(
        "v_pk_fma_f16 v0, v2, v4, v6",
        |random| {
            let (low, high) = (factors_and_addend(random), factors_and_addend(random));
            [0, 1, 2].map(|i| u64::from(low[i]) | u64::from(high[i]) << 16)
        },
        |values, got, _| assert_eq!(got, fma(values, 0) | fma(values, 16), "{values:x?}"),
    );
}

#[test]
fn comparisons_of_64_bits() {
    for (name, holds) in [
        (
            "lt_i64",
            (|a, b| (a as i64) < b as i64) as fn(u64, u64) -> bool,
        ),
        ("ge_i64", |a, b| a as i64 >= b as i64),
        ("le_u64", |a, b| a <= b),
        ("gt_u64", |a, b| a > b),
        ("ne_u64", |a, b| a != b),
        ("eq_i64", |a, b| a == b),
    ] {
        each(
            &format!("v_cmp_{name} s[8:9], v[2:3], v[4:5]"),
            |random| {
                // Words out of few, so that either may be equal.
                let bits = random.bits();
                let word = |at: u32| {
                    [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff][(bits >> at & 0xff) as usize % 5]
                };
                [word(0) | word(8) << 32, word(16) | word(24) << 32, 0]
            },
            |[a, b, _], _, bit| assert_eq!(bit, holds(a, b), "{name} {a:x} {b:x}"),
        );
    }
}

#[test]
fn steps_of_division() {
    let single = |random: &mut Random| {
        let ordinary = random.bits() & 0x8fff_ffff | 0x3800_0000;
        random.mostly(ordinary) as u32
    };
    let double = |random: &mut Random| {
        let ordinary = random.bits() & 0x81ff_ffff_ffff_ffff | 0x3e00_0000_0000_0000;
        random.mostly(ordinary)
    };
    each(
        "v_div_scale_f32 v0, s[8:9], v2, v2, v6",
        |random| [single(random), 0, single(random)].map(u64::from),
        |[d, _, n], got, bit| {
            let (scaled, vcc) = division::scale_f32(d as u32, d as u32, n as u32, Denormals::KEEP);
            assert_eq!((got as u32, bit), (scaled, vcc), "{d:x} {n:x}");
        },
    );
    each(
        "v_div_scale_f64 v[0:1], s[8:9], v[6:7], v[2:3], v[6:7]",
        |random| [double(random), 0, double(random)],
        |[d, _, n], got, bit| {
            assert_eq!(
                (got, bit),
                division::scale_f64(n, d, n, Denormals::KEEP),
                "{d:x} {n:x}"
            );
        },
    );
    each(
        "v_div_fixup_f32 v0, v2, v4, v6",
        |random| [single(random), single(random), single(random)].map(u64::from),
        |values, got, _| {
            let [q, d, n] = values.map(|x| x as u32);
            assert_eq!(
                got as u32,
                division::fixup_f32(q, d, n, Denormals::KEEP),
                "{values:x?}"
            );
        },
    );
    each(
        "v_div_fixup_f64 v[0:1], v[2:3], v[4:5], v[6:7]",
        |random| [double(random), double(random), double(random)],
        |[q, d, n], got, _| {
            assert_eq!(
                got,
                division::fixup_f64(q, d, n, Denormals::KEEP),
                "{q:x} {d:x} {n:x}"
            );
        },
    );
}

/// Zeros of both signs, numbers that are often equal, now and then anything.
fn close_together(random: &mut Random) -> u32 {
    let bits = random.bits();
    let sign = (bits as u32) << 31;
    let number = match bits >> 8 & 3 {
        0 => 0,
        1 => 1.5f32.to_bits(),
        _ => 0x3f80_0000 | (bits >> 32) as u32 & 0x7f_ffff,
    };
    random.mostly(u64::from(number | sign)) as u32
}

#[test]
fn extremes_of_three() {
    type OfThree = fn(u32, u32, u32, bool, Denormals) -> u32;
    let singles: [(&str, OfThree); 3] = [
        ("min3", float32::min3),
        ("max3", float32::max3),
        ("med3", float32::med3),
    ];
    for (name, right) in singles {
        each(
            &format!("v_{name}_f32 v0, v2, v4, v6"),
            |random| [(); 3].map(|()| u64::from(close_together(random))),
            |values, got, _| {
                let [a, b, c] = values.map(|value| value as u32);
                let right = right(a, b, c, true, Denormals::KEEP);
                assert_eq!(got, u64::from(right), "{name} {values:x?}");
            },
        );
    }
    type OfThreeHalves = fn(u16, u16, u16, bool, Denormals) -> u16;
    let halves: [(&str, OfThreeHalves); 3] = [
        ("min3", float16::min3),
        ("max3", float16::max3),
        ("med3", float16::med3),
    ];
    for (name, right) in halves {
        each(
            &format!("v_{name}_f16 v0, v2, v4, v6"),
            |random| [(); 3].map(|()| u64::from((close_together(random) >> 16) as u16)),
            |values, got, _| {
                let [a, b, c] = values.map(|value| value as u16);
                let right = right(a, b, c, true, Denormals::KEEP);
                assert_eq!(got, u64::from(right), "{name} {values:x?}");
            },
        );
    }
}

/// Positive numbers of ordinary size, now and then anything, and the one whose root asks most of the first guess.
fn positive(random: &mut Random) -> u32 {
    let bits = random.bits();
    match bits >> 56 {
        0 => 0x403a_18e3,
        _ => random.mostly(bits & 0x0fff_ffff | 0x3800_0000) as u32,
    }
}

#[test]
fn functions_of_singles() {
    let functions: [OfSingle; 3] = [
        ("exp", approx::exp_f32),
        ("log", approx::log_f32),
        ("rsq", approx::rsq_f32),
    ];
    for (name, right) in functions {
        each(
            &format!("v_{name}_f32 v0, v2"),
            |random| {
                let sign = match name {
                    "exp" => (random.bits() as u32) << 31,
                    _ => 0,
                };
                [u64::from(positive(random) | sign), 0, 0]
            },
            |[x, ..], got, _| assert_eq!(got, u64::from(right(x as u32)), "{name} {x:x}"),
        );
    }
}

/// Lanes that are off hold zeros, of which the logarithm and the root are infinite, and keep their results.
#[test]
fn functions_with_lanes_off() {
    let exec = 0x0123_4567_fedc_ba98;
    let functions: [OfSingle; 3] = [
        ("exp", approx::exp_f32),
        ("log", approx::log_f32),
        ("rsq", approx::rsq_f32),
    ];
    for (name, right) in functions {
        let text = format!("v_{name}_f32 v0, v1");
        let mut machine = Machine::new("gfx90a", &text);
        let is_on = |lane: usize| exec >> lane & 1 != 0;
        let source = |lane: usize| match is_on(lane) {
            true => (0.25 + lane as f32).to_bits(),
            false => 0,
        };
        machine.exec(exec);
        machine.vgpr(1, source).run();
        machine.check(0, |lane| right(source(lane)));
    }
}

#[test]
fn exponentials_and_logarithms_of_all_halves() {
    for first in (0..=u16::MAX).step_by(64) {
        let mut machine = Machine::new("gfx90a", "v_exp_f16 v1, v0\nv_log_f16 v2, v0");
        let half = |lane: usize| first + lane as u16;
        machine.vgpr(0, |lane| u32::from(half(lane))).run();
        for lane in 0..64 {
            let x = half(lane);
            let got = [1, 2].map(|row| machine.wave.vgpr(row, lane));
            let right = [approx::exp_f16, approx::log_f16].map(|of| of(x, Denormals::KEEP));
            assert_eq!(got, right.map(u32::from), "{x:#x}");
        }
    }
}
