//! Products that gfx942 and gfx950 cut relative to the largest. The operands ask for each way in which the engine sums them: wide and
//! narrow ranges of exponents, denormals alone and beside normals, rows and columns of zeros. C is tiny, huge, of ordinary size, or no
//! number.

use std::process::Command;

use crate::harness::{AGPR_BASE, Machine, random::Random};
use numerics::{
    convert::Fp8,
    matrix::{Instruction, Kind, Model, Place, accumulate_bf16, accumulate_f16, accumulate_fp8},
};

/// Says to a child which extensions it leaves alone, see `wave::use_less`.
const LESS: &str = "LUTHIER_TEST_LESS";
/// Waves of each instruction.
const WAVES: usize = 60;
/// Target and mnemonic.
const INSTRUCTIONS: &[(&str, &str)] = &[
    ("gfx942", "v_mfma_f32_32x32x8_f16"),
    ("gfx942", "v_mfma_f32_16x16x16_f16"),
    ("gfx942", "v_mfma_f32_32x32x4_2b_f16"),
    ("gfx942", "v_mfma_f32_16x16x4_4b_bf16"),
    ("gfx942", "v_mfma_f32_32x32x8_bf16"),
    ("gfx942", "v_mfma_f32_32x32x16_fp8_fp8"),
    ("gfx942", "v_mfma_f32_16x16x32_bf8_fp8"),
    ("gfx950", "v_mfma_f32_16x16x32_f16"),
    ("gfx950", "v_mfma_f32_32x32x16_bf16"),
    ("gfx950", "v_mfma_f32_32x32x16_fp8_bf8"),
];

/// How the values of a wave are drawn.
struct Profile {
    /// Exponents of A and B: the lowest, and how many.
    exponents: [(u64, u64); 2],
    /// Zeros among a thousand elements of A and B.
    zeros: u64,
    /// Denormals among a thousand others of A, and of B.
    denormals: [u64; 2],
    /// Rows of A and columns of B that are zeros, as bits.
    empty: u64,
    /// Exponent fields of C.
    addends: (u64, u64),
    /// Special values among a hundred elements of C.
    special: u64,
}

impl Profile {
    /// For a format with `fields` exponent fields.
    fn new(random: &mut Random, fields: u64) -> Profile {
        let mut exponents = || {
            let most = fields.min([60, 200][random.below(2) as usize]);
            let width = [1, 2, most / 4, most / 2, most - 1][random.below(5) as usize].max(1);
            // About the field of one, not up to that of infinities.
            let lowest = (fields - most) / 2 + random.below(most - width);
            (lowest, width)
        };
        Profile {
            exponents: [exponents(), exponents()],
            zeros: [0, 0, 100, 900][random.below(4) as usize],
            denormals: [0; 2].map(|none| [none, none, 100, 1000][random.below(4) as usize]),
            empty: random.bits() & random.bits() & [0, !0][random.below(2) as usize],
            addends: [(100, 50), (1, 254), (127, 4), (60, 20), (150, 20), (0, 3)]
                [random.below(6) as usize],
            special: [0, 0, 10][random.below(3) as usize],
        }
    }

    fn element(
        &self,
        random: &mut Random,
        side: usize,
        [exponent_bits, fraction]: [u32; 2],
    ) -> u32 {
        if random.below(1000) < self.zeros {
            return 0;
        }
        let (lowest, count) = self.exponents[side];
        let is_denormal = random.below(1000) < self.denormals[side];
        let exponent = (lowest + random.below(count)) as u32 * u32::from(!is_denormal);
        let bits = random.bits() as u32;
        // Last bits are zeros now and then.
        let kept = !0 << ((bits >> 1 & 3 & (bits >> 3)) * fraction / 4);
        let size = exponent << fraction | bits >> 8 & ((1 << fraction) - 1) & kept;
        // A zero with a sign is a NaN to some.
        let sign = if size == 0 { 0 } else { bits & 1 };
        sign << (exponent_bits + fraction) | size
    }

    fn addend(&self, random: &mut Random) -> u32 {
        const SPECIAL: [u32; 12] = [
            0,
            0x8000_0000,
            1,
            0x8000_0001,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0001,
            0xffa0_0000,
            0x807f_ffff,
            0x7f7f_ffff,
            0xff7f_ffff,
            0x0080_0000,
        ];
        if random.below(100) < self.special {
            return SPECIAL[random.below(12) as usize];
        }
        let exponent = self.addends.0 + random.below(self.addends.1);
        (random.bits() >> 8) as u32 & 0x807f_ffff | (exponent as u32) << 23
    }
}

/// Bits of exponents and of fractions.
fn format(kind: Kind, side: usize) -> [u32; 2] {
    match kind {
        Kind::F16 => [5, 10],
        Kind::Fp8 { a_is_bf8, b_is_bf8 } if [a_is_bf8, b_is_bf8][side] => [5, 2],
        Kind::Fp8 { .. } => [4, 3],
        _ => [8, 7],
    }
}

fn sum(kind: Kind, c: u32, a: &[u32], b: &[u32], ocp: bool) -> u32 {
    let halves = |x: &[u32]| x.iter().map(|&x| x as u16).collect::<Vec<_>>();
    let bytes = |x: &[u32]| x.iter().map(|&x| x as u8).collect::<Vec<_>>();
    let eight = |is_bf8| match (ocp, is_bf8) {
        (false, false) => Fp8::E4m3Fnuz,
        (false, true) => Fp8::E5m2Fnuz,
        (true, false) => Fp8::E4m3,
        (true, true) => Fp8::E5m2,
    };
    match kind {
        Kind::F16 => accumulate_f16(Model::Mfma3, c, &halves(a), &halves(b)),
        Kind::Fp8 { a_is_bf8, b_is_bf8 } => {
            let [p, q] = [a_is_bf8, b_is_bf8].map(eight);
            accumulate_fp8(c, &bytes(a), p, &bytes(b), q)
        }
        _ => accumulate_bf16(Model::Mfma3, c, &halves(a), &halves(b)),
    }
}

/// One wave of an instruction: every element by its place and the sum of its kind.
fn check(target: &str, name: &str, random: &mut Random) {
    let instruction = Instruction::find(name).expect("a row");
    let (shape, kind) = (instruction.shape, instruction.kind);
    let bits = kind.input_bits();
    let inputs = (shape.inputs_per_lane() * bits / 32) as usize;
    let outputs = shape.outputs_per_lane() as usize;
    let profile = Profile::new(random, 1 << format(kind, 0)[0].min(format(kind, 1)[0]));
    let last = |first: usize| first + inputs - 1;
    let text = format!(
        "{name} a[0:{}], v[0:{}], v[8:{}], a[0:{0}]",
        outputs - 1,
        last(0),
        last(8)
    );
    let text = if inputs == 1 {
        text.replace("[0:0]", "0").replace("[8:8]", "8")
    } else {
        text
    };
    let mut machine = Machine::new(target, &text);
    let mut rows = [[0u32; 64]; 16];
    for (side, first) in [0, 8].into_iter().enumerate() {
        for (lane, word) in (0..inputs).flat_map(|row| (0..64).map(move |lane| (lane, first + row)))
        {
            let is_empty = profile.empty >> (lane % shape.m as usize + 32 * side) & 1 != 0;
            rows[word][lane] = (0..32 / bits).fold(0, |word, _| {
                let element = profile.element(random, side, format(kind, side));
                word << (bits % 32) | if is_empty { 0 } else { element }
            });
        }
    }
    for (row, words) in rows.iter().enumerate() {
        machine.vgpr(row, |lane| words[lane]);
    }
    let addends: Vec<[u32; 64]> = (0..outputs)
        .map(|_| std::array::from_fn(|_| profile.addend(random)))
        .collect();
    for (row, words) in addends.iter().enumerate() {
        machine.vgpr(AGPR_BASE + row, |lane| words[lane]);
    }
    machine.run();
    let at = |first: usize, place: Place| {
        let bit = place.position * bits;
        rows[first + (bit / 32) as usize][place.lane as usize] >> (bit % 32) & (!0 >> (32 - bits))
    };
    for block in 0..shape.blocks {
        for (row, column) in
            (0..shape.m).flat_map(|row| (0..shape.n).map(move |column| (row, column)))
        {
            let a: Vec<u32> = (0..shape.k)
                .map(|k| at(0, shape.a(row, k, block, 0, 0)))
                .collect();
            let b: Vec<u32> = (0..shape.k)
                .map(|k| at(8, shape.b(column, k, block, 0)))
                .collect();
            let place = shape.d(row, column, block);
            let (position, lane) = (place.position as usize, place.lane as usize);
            let c = addends[position][lane];
            let got = machine.wave.vgpr(AGPR_BASE + position, lane);
            let want = sum(kind, c, &a, &b, target == "gfx950");
            assert_eq!(
                got, want,
                "{target} {text}: {row}, {column} of {block}: {c:x} {a:x?} {b:x?}"
            );
        }
    }
}

/// The same with fewer of the host's extensions, in a process of its own.
#[test]
fn products_are_cut_alike_without_wide_vectors() {
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args([
            "--exact",
            "matrix_cuts::products_are_cut_as_the_device_does",
        ])
        .env(LESS, "2")
        .output()
        .expect("a child");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("1 passed"), "{text}");
}

#[test]
fn products_are_cut_as_the_device_does() {
    if let Ok(less) = std::env::var(LESS) {
        wave::use_less(less.parse().expect("a number"));
    }
    for (index, (target, name)) in INSTRUCTIONS.iter().enumerate() {
        let mut random = Random(index as u64);
        for _ in 0..WAVES {
            check(target, name, &mut random);
        }
    }
}
