//! WMMA and SWMMAC: every instruction in every layout, with random operands, signs and shifts of C. The expected elements are
//! sums in order of `k` by the host's scalar arithmetic, of values that `numerics` converts.

use numerics::{
    Denormals,
    convert::{self, Fp8},
    wmma::{Generation, INSTRUCTIONS, Input, Instruction, Output, Spot},
};
use vectors::{
    LANES, VectorRow, level,
    matrix::{
        Addend, Operands,
        layout::{Layout, SIDE},
        tile::Product,
    },
};

/// The first rows of A and B, of C, of the indices of a sparse A, and of D.
const INPUTS: [usize; 2] = [0, 8];
const C: usize = 16;
const INDEX: usize = 24;
const D: usize = 40;
const ROWS: usize = 64;
/// Instructions that RDNA 3 has.
const RDNA3: usize = 6;
/// Halves and singles with this word are ordinary.
const CONSTANT: u32 = 0x3f80_3c00;

/// The fields of an instruction.
#[derive(Clone, Copy, Debug)]
struct Fields {
    toggles: [u32; 2],
    signed: [bool; 2],
    absolute: bool,
    negative: bool,
    high: bool,
    constant: bool,
    saturates: bool,
}

impl Fields {
    /// Each choice of a field meets each of another one in some variant.
    fn new(variant: usize) -> Fields {
        let bit = |bit: usize| variant >> bit & 1 != 0;
        Fields {
            toggles: [
                [0, 0x8000_8000, 0x8000, 0x8000_0000][variant % 4],
                [0, 0x8000, 0x8000_8000, 0][variant / 2 % 4],
            ],
            signed: [bit(0), bit(1)],
            absolute: bit(0),
            negative: bit(1),
            high: bit(2),
            constant: bit(3),
            saturates: bit(2),
        }
    }
}

/// Rows with operands that are neither infinite nor NaNs, and whose sums are not either.
fn operands(instruction: &Instruction, mut seed: u32) -> Vec<VectorRow> {
    let mut rows = vec![VectorRow::ZERO; ROWS];
    for (row, words) in rows.iter_mut().enumerate() {
        for word in &mut words.0 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let random = seed ^ seed >> 15;
            let small_halves = random & 0x8fff_8fff | 0x3000_3000;
            let small_bfloats = random & 0x80ff_80ff | 0x3f00_3f00;
            *word = match (instruction.input, instruction.output) {
                _ if (INDEX..D).contains(&row) => random,
                (Input::F16, _) if row < C => small_halves,
                (Input::Bf16, _) if row < C => small_bfloats,
                (Input::Fp8 { .. }, _) if row < C => random & 0xb7b7_b7b7,
                (_, Output::I32) if row < C => random,
                // Near the limits, so that some sums saturate.
                (_, Output::I32) if random & 1 == 0 => random | 0x7fff_0000,
                (_, Output::I32) => random & 0x8000_ffff,
                (_, Output::F32) => random & 0x80ff_ffff | 0x3f00_0000,
                (_, Output::F16) => small_halves,
                (_, Output::Bf16) => small_bfloats,
            };
        }
    }
    rows
}

fn bits(rows: &[VectorRow], first: usize, spot: Spot, lane: usize) -> u32 {
    rows[first + spot.register as usize].0[SIDE * spot.group as usize + lane] >> spot.bit
}

/// The result of an instruction, element by element.
struct Expected<'a> {
    instruction: &'a Instruction,
    layout: &'a Layout,
    rows: &'a [VectorRow],
    fields: Fields,
}

impl Expected<'_> {
    /// The row of B that value `k` of a row of A belongs to.
    fn row_of_b(&self, row: usize, k: usize) -> usize {
        if !self.instruction.sparse {
            return k;
        }
        let index = bits(self.rows, INDEX, self.layout.index[k / 2], row);
        4 * (k / 2) + (index >> (2 * (k % 2)) & 3) as usize
    }

    fn c(&self, row: usize, column: usize) -> u32 {
        if self.fields.constant && !self.instruction.sparse {
            return CONSTANT;
        }
        let first = if self.instruction.sparse { D } else { C };
        bits(self.rows, first, self.spot(row), column)
    }

    /// The place of a row of C and D.
    fn spot(&self, row: usize) -> Spot {
        let spot = self.layout.output[row];
        let up = if self.fields.high {
            self.layout.output_shift
        } else {
            0
        };
        Spot {
            bit: spot.bit + up as u8,
            ..spot
        }
    }

    fn float(&self, side: usize, lane: usize, k: usize) -> f32 {
        let mut spot = self.layout.inputs[side][k];
        let bit = std::mem::take(&mut spot.bit);
        let word = bits(self.rows, INPUTS[side], spot, lane);
        let half = (word ^ self.fields.toggles[side]) >> bit;
        f32::from_bits(match self.instruction.input {
            Input::F16 => convert::f32_from_f16(half as u16, Denormals::KEEP),
            Input::Bf16 => half << 16,
            Input::Fp8 { a_is_bf8, b_is_bf8 } => {
                let format = match [a_is_bf8, b_is_bf8][side] {
                    true => Fp8::E5m2,
                    false => Fp8::E4m3,
                };
                format.to_f32((word >> bit) as u8)
            }
            Input::Iu8 | Input::Iu4 => unreachable!("integers"),
        })
    }

    fn integer(&self, side: usize, lane: usize, k: usize) -> i64 {
        let unused = 32 - self.instruction.input.bits();
        let word = bits(self.rows, INPUTS[side], self.layout.inputs[side][k], lane) << unused;
        match self.fields.signed[side] {
            true => i64::from(word as i32 >> unused),
            false => i64::from(word >> unused),
        }
    }

    /// The bits of an element of D.
    fn element(&self, row: usize, column: usize) -> u32 {
        let depth = self.layout.inputs[0].len();
        let c = self.c(row, column);
        if self.instruction.output == Output::I32 {
            let products = (0..depth).map(|k| self.integer(0, row, k) * self.integer(1, column, k));
            let sum = i64::from(c as i32) + products.sum::<i64>();
            let limits = (i64::from(i32::MIN), i64::from(i32::MAX));
            return match self.fields.saturates {
                true => sum.clamp(limits.0, limits.1) as u32,
                false => sum as u32,
            };
        }
        let single = match self.instruction.output {
            Output::F16 => convert::f32_from_f16(c as u16, Denormals::KEEP),
            Output::Bf16 => c << 16,
            _ => c,
        };
        let kept = if self.fields.absolute { !0 >> 1 } else { !0 };
        let sign = u32::from(self.fields.negative) << 31;
        let mut sum = f32::from_bits(single & kept ^ sign);
        for k in 0..depth {
            let b = self.float(1, column, self.row_of_b(row, k));
            sum = self.float(0, row, k).mul_add(b, sum);
        }
        match self.instruction.output {
            Output::F16 => u32::from(convert::f16_from_f32_nearest(sum.to_bits())),
            Output::Bf16 => u32::from(convert::bf16_from_f32(sum.to_bits())),
            _ => sum.to_bits(),
        }
    }
}

/// Tries one instruction in one layout; returns whether the product was done in vectors.
fn compare(instruction: &Instruction, layout: &Layout, fields: Fields, seed: u32) -> bool {
    let mut rows = operands(instruction, seed);
    let before = rows.clone();
    let base = rows.as_mut_ptr().cast::<u32>();
    // SAFETY: all of these are rows.
    let at = |row: usize| unsafe { base.add(LANES * row) };
    let expected = Expected {
        instruction,
        layout,
        rows: &before,
        fields,
    };
    let product = Product {
        instruction,
        layout,
        operands: Operands {
            inputs: INPUTS.map(|row| at(row).cast_const()),
            addend: match (instruction.sparse, fields.constant) {
                (true, _) => Addend::Rows(at(D)),
                (false, true) => Addend::Constant(CONSTANT),
                (false, false) => Addend::Rows(at(C)),
            },
            target: at(D),
        },
        index: at(INDEX),
        index_shift: 0,
        output_shift: if fields.high { layout.output_shift } else { 0 },
        toggles: fields.toggles,
        signed: fields.signed,
        absolute: fields.absolute,
        negative: fields.negative,
        saturates: fields.saturates,
    };
    // SAFETY: the host has the vectors, and the rows are there.
    if !unsafe { product.run() } {
        return false;
    }
    let used = !0 >> (32 - instruction.output.bits());
    for row in 0..SIDE {
        for column in 0..SIDE {
            let element = bits(&rows, D, expected.spot(row), column) & used;
            assert_eq!(
                element,
                expected.element(row, column),
                "{} row {row} column {column} with {fields:?}",
                instruction.name
            );
        }
    }
    true
}

#[test]
fn elements_are_sums_in_order_of_k() {
    if !level::has_avx512() {
        return;
    }
    for (number, instruction) in INSTRUCTIONS.iter().enumerate() {
        for generation in [Generation::Rdna3, Generation::Rdna4] {
            if generation == Generation::Rdna3 && number >= RDNA3 {
                continue;
            }
            for wave64 in [false, true] {
                let layout = Layout::new(instruction, generation, wave64);
                for variant in 0..16 {
                    let seed = (100 * number + variant) as u32;
                    let done = compare(instruction, &layout, Fields::new(variant), seed);
                    // The engine does integers of a sparse A.
                    let left = instruction.sparse && instruction.output == Output::I32;
                    assert_eq!(done, !left, "{}", instruction.name);
                }
            }
        }
    }
}
