//! Matrix products for MFMA cases: small integers, for which every model of the sums agrees, in the layouts that AMD's matrix
//! instruction calculator prints (`--detail-instruction`).

use super::Place;
use crate::harness::{AGPR_BASE, Machine};

/// First rows of A and B.
const INPUTS: [usize; 2] = [0, 16];

/// How numbers are encoded: bits, exponent bias and mantissa bits; no bias for integers.
#[derive(Clone, Copy, Debug)]
struct Format {
    name: &'static str,
    bits: u32,
    bias: Option<i32>,
    mantissa: u32,
}

const fn format(name: &'static str, bits: u32, bias: Option<i32>, mantissa: u32) -> Format {
    Format {
        name,
        bits,
        bias,
        mantissa,
    }
}

#[rustfmt::skip]
const FORMATS: &[Format] = &[
    format("f64",  64, Some(1023), 52),
    format("f32",  32, Some(127),  23),
    format("f16",  16, Some(15),   10),
    format("bf16", 16, Some(127),  7),
    // The eight-bit floats of gfx942 have no negative zero and a bias of one more than usual.
    format("fp8",   8, Some(8),    3),
    format("bf8",   8, Some(16),   2),
    format("i8",    8, None,       0),
    format("i32",  32, None,       0),
];

impl Format {
    fn find(name: &str) -> Result<Format, String> {
        let found = FORMATS.iter().find(|format| format.name == name);
        found
            .copied()
            .ok_or_else(|| format!("unknown number format {name:?}"))
    }

    /// `value`, which the format holds exactly.
    fn encode(self, value: i64) -> u64 {
        let Some(bias) = self.bias else {
            return value as u64 & (u64::MAX >> (64 - self.bits));
        };
        if value == 0 {
            return 0;
        }
        let size = value.unsigned_abs();
        let exponent = size.ilog2();
        let fraction = match self.mantissa.checked_sub(exponent) {
            Some(shift) => (size ^ 1 << exponent) << shift,
            None => {
                assert_eq!(size.trailing_zeros(), exponent, "{value} is not exact");
                0
            }
        };
        u64::from(value < 0) << (self.bits - 1)
            | ((exponent as i32 + bias) as u64) << self.mantissa
            | fraction
    }
}

/// `MxNxK[xBLOCKS] FORMAT [FORMAT OF B]`.
#[derive(Clone, Debug)]
pub struct Product {
    rows: usize,
    columns: usize,
    depth: usize,
    blocks: usize,
    inputs: [Format; 2],
    output: Format,
}

impl Product {
    pub fn parse(text: &str) -> Result<Product, String> {
        let mut words = text.split_whitespace();
        let sizes: Result<Vec<usize>, _> = words
            .next()
            .unwrap_or_default()
            .split('x')
            .map(str::parse)
            .collect();
        let sizes = sizes.map_err(|error| format!("sizes: {error}"))?;
        let (rows, columns, depth, blocks) = match sizes[..] {
            [rows, columns, depth] => (rows, columns, depth, 1),
            [rows, columns, depth, blocks] => (rows, columns, depth, blocks),
            _ => return Err("expected MxNxK or MxNxKxBLOCKS".to_owned()),
        };
        let a = Format::find(words.next().unwrap_or_default())?;
        let b = words.next().map_or(Ok(a), Format::find)?;
        let output = match a.name {
            "f64" => "f64",
            "i8" => "i32",
            _ => "f32",
        };
        Ok(Product {
            rows,
            columns,
            depth,
            blocks,
            inputs: [a, b],
            output: Format::find(output)?,
        })
    }

    fn a(&self, row: usize, k: usize, block: usize) -> i64 {
        ((5 * row + 3 * k + 7 * block) % 13) as i64 - 6
    }

    fn b(&self, column: usize, k: usize, block: usize) -> i64 {
        ((7 * column + 2 * k + 3 * block) % 11) as i64 - 5
    }

    fn c(&self, row: usize, column: usize, block: usize) -> i64 {
        ((row + 3 * column + 5 * block) % 9) as i64 - 4
    }

    /// Number of the first value's register in C and D, and lane.
    fn place(&self, row: usize, column: usize, block: usize) -> (usize, usize) {
        match (self.rows, self.output.bits) {
            (32, _) => (
                16 * block + 4 * (row / 8) + row % 4,
                32 * (row / 4) % 64 + column,
            ),
            (16, 64) => (2 * (row / 4), 16 * (row % 4) + column),
            (16, _) => (4 * block + row % 4, 16 * (row / 4) + column),
            (_, 64) => (0, 16 * (row % 4) + 4 * block + column),
            (_, _) => (row, 4 * block + column),
        }
    }

    fn elements(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        let (rows, columns) = (self.rows, self.columns);
        (0..self.blocks * rows * columns).map(move |index| {
            (
                index / columns % rows,
                index % columns,
                index / columns / rows,
            )
        })
    }

    /// Registers of C and D.
    pub fn result(&self) -> Place {
        let words = self.blocks * self.rows * self.columns / 64 * self.output.bits as usize / 32;
        Place::Vector(AGPR_BASE, words)
    }

    pub fn set_inputs(&self, machine: &mut Machine) {
        for (side, format) in self.inputs.into_iter().enumerate() {
            let size = [self.rows, self.columns][side];
            let value = [Product::a, Product::b][side];
            let each = self.blocks * size * self.depth / 64;
            let words = (each * format.bits as usize).div_ceil(32);
            let mut packed = vec![vec![0_u32; 64]; words];
            for block in 0..self.blocks {
                for (index, k) in (0..size).flat_map(|i| (0..self.depth).map(move |k| (i, k))) {
                    let lane = index + size * (block + self.blocks * (k / each));
                    let bits = format.encode(value(self, index, k, block));
                    let at = k % each * format.bits as usize;
                    packed[at / 32][lane] |= (bits << (at % 32)) as u32;
                    if format.bits == 64 {
                        packed[at / 32 + 1][lane] = (bits >> 32) as u32;
                    }
                }
            }
            for (word, lanes) in packed.iter().enumerate() {
                machine.vgpr(INPUTS[side] + word, |lane| lanes[lane]);
            }
        }
        for (row, column, block) in self.elements() {
            let (register, lane) = self.place(row, column, block);
            let bits = self.output.encode(self.c(row, column, block));
            for word in 0..self.output.bits as usize / 32 {
                let part = (bits >> (32 * word)) as u32;
                machine
                    .wave
                    .set_vgpr(AGPR_BASE + register + word, lane, part);
            }
        }
    }

    /// Differences between D and what it should be.
    pub fn check(&self, machine: &Machine) -> Vec<String> {
        let mut complaints = Vec::new();
        for (row, column, block) in self.elements() {
            let (register, lane) = self.place(row, column, block);
            let products =
                (0..self.depth).map(|k| self.a(row, k, block) * self.b(column, k, block));
            let expected = self
                .output
                .encode(products.sum::<i64>() + self.c(row, column, block));
            let word = |index: usize| {
                u64::from(machine.wave.vgpr(AGPR_BASE + register + index, lane)) << (32 * index)
            };
            let found = (0..self.output.bits as usize / 32).fold(0, |all, index| all | word(index));
            if found != expected {
                complaints.push(format!(
                    "D[{row}][{column}] of block {block} is {found:#x}, not {expected:#x}"
                ));
            }
        }
        complaints.truncate(3);
        complaints
    }
}
