//! Matrix products for MFMA cases: small integers, for which every model of the sums agrees, in the layouts that AMD's matrix
//! instruction calculator prints (`--detail-instruction`).

use crate::{
    case::Location,
    registers::{AGPR_BASE, Registers},
};

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
    // OCP's formats, which gfx950 has.
    format("e4m3",  8, Some(7),    3),
    format("e5m2",  8, Some(15),   2),
    format("e2m3",  6, Some(1),    3),
    format("e3m2",  6, Some(3),    2),
    format("e2m1",  4, Some(1),    1),
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

/// Registers of the scales of A and B, and the byte of them that counts; the others are NaN.
const SCALES: [(usize, u32); 2] = [(40, 1), (41, 2)];
/// Register of the indices of a sparse A.
const INDICES: usize = 40;
/// The two of every four `k` that a sparse row holds.
const KEPT: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// `MxNxK[xBLOCKS] FORMAT [FORMAT OF B] [scaled | sparse SET]`: with scales in v40 and v41, or with half of A left out and indices
/// in a set of v40.
#[derive(Clone, Debug)]
pub struct Product {
    rows: usize,
    columns: usize,
    depth: usize,
    blocks: usize,
    inputs: [Format; 2],
    output: Format,
    scaled: bool,
    /// The set of the index register that is used.
    sparse: Option<usize>,
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
        let mut words = words.peekable();
        let b = match words.peek() {
            Some(&name) if name != "scaled" && name != "sparse" => {
                words.next();
                Format::find(name)?
            }
            _ => a,
        };
        let (scaled, sparse) = match words.next() {
            None => (false, None),
            Some("scaled") => (true, None),
            Some("sparse") => match words.next().unwrap_or_default().parse() {
                Ok(set) => (false, Some(set)),
                Err(error) => return Err(format!("set of indices: {error}")),
            },
            Some(other) => return Err(format!("unknown kind of product {other:?}")),
        };
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
            scaled,
            sparse,
        })
    }

    /// The two of every four `k` from `k` on that `row` holds.
    fn kept(&self, row: usize, k: usize) -> [usize; 2] {
        KEPT[(row + k / 4) % KEPT.len()]
    }

    fn a(&self, row: usize, k: usize, block: usize) -> i64 {
        if self.sparse.is_some() && !self.kept(row, k).contains(&(k % 4)) {
            return 0;
        }
        let number = 5 * row + 3 * k + 7 * block;
        // Five is no number of four bits.
        if self.inputs[0].bits == 4 {
            (number % 9) as i64 - 4
        } else {
            (number % 13) as i64 - 6
        }
    }

    fn b(&self, column: usize, k: usize, block: usize) -> i64 {
        let number = 7 * column + 2 * k + 3 * block;
        if self.inputs[1].bits == 4 {
            (number % 9) as i64 - 4
        } else {
            (number % 11) as i64 - 5
        }
    }

    /// The power of two that scales row (or column) `index` for the `k` of `block`.
    fn scale(&self, side: usize, index: usize, block: usize) -> u32 {
        if self.scaled {
            ((1 + side) * index + block) as u32 % 3
        } else {
            0
        }
    }

    /// The place of a value in gfx950's products of small formats. Values of eight bits lie in two halves.
    fn micro_place(&self, side: usize, index: usize, k: usize) -> (usize, usize) {
        let (size, bits) = ([self.rows, self.columns][side], self.inputs[side].bits);
        let (group, position) = if bits == 8 {
            let half = self.depth / 2;
            (k % half / 16, k / half * 16 + k % 16)
        } else {
            (k / 32, k % 32)
        };
        (index + size * group, position)
    }

    fn is_micro(&self) -> bool {
        matches!((self.rows, self.depth), (16, 128) | (32, 64)) && self.sparse.is_none()
    }

    /// Puts the kept values of a sparse A in place, and the register that says which they are.
    fn set_sparse(&self, all: &mut Registers, set: usize) {
        let format = self.inputs[0];
        let each = self.rows * self.depth / 128;
        let mut packed = vec![[0_u32; 64]; (each * format.bits as usize).div_ceil(32)];
        let ours = if each == 16 {
            !0
        } else {
            (1_u32 << (2 * each)) - 1
        };
        let mut indices = [!(ours << (2 * each * set)); 64];
        for (row, kept) in (0..self.rows).flat_map(|i| (0..self.depth / 2).map(move |k| (i, k))) {
            let lane = row + self.rows * (kept / each);
            let position = kept % each;
            let first = kept / 2 * 4;
            let index = self.kept(row, first)[kept % 2];
            let at = position * format.bits as usize;
            packed[at / 32][lane] |=
                (format.encode(self.a(row, first + index, 0)) as u32) << (at % 32);
            indices[lane] |= (index as u32) << (2 * (each * set + position));
        }
        for (word, lanes) in packed.iter().enumerate() {
            all.fill(INPUTS[0] + word, |lane| lanes[lane]);
        }
        all.fill(INDICES, |lane| indices[lane]);
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
    pub fn result(&self) -> Location {
        let words = self.blocks * self.rows * self.columns / 64 * self.output.bits as usize / 32;
        Location::Vector(AGPR_BASE, words)
    }

    pub fn set_inputs(&self, all: &mut Registers) {
        for (side, format) in self.inputs.into_iter().enumerate() {
            let size = [self.rows, self.columns][side];
            if let Some(set) = self.sparse.filter(|_| side == 0) {
                self.set_sparse(all, set);
                continue;
            }
            if self.scaled {
                let (register, byte) = SCALES[side];
                all.fill(register, |lane| {
                    let scale = 127 + self.scale(side, lane % size, lane / size);
                    !(0xff << (8 * byte)) | scale << (8 * byte)
                });
            }
            let value = [Product::a, Product::b][side];
            let each = self.blocks * size * self.depth / 64;
            let words = (each * format.bits as usize).div_ceil(32);
            let mut packed = vec![vec![0_u32; 64]; words];
            for block in 0..self.blocks {
                for (index, k) in (0..size).flat_map(|i| (0..self.depth).map(move |k| (i, k))) {
                    let (lane, position) = if self.is_micro() {
                        self.micro_place(side, index, k)
                    } else {
                        (index + size * (block + self.blocks * (k / each)), k % each)
                    };
                    let bits = format.encode(value(self, index, k, block));
                    let at = position * format.bits as usize;
                    packed[at / 32][lane] |= (bits << (at % 32)) as u32;
                    if at % 32 + format.bits as usize > 32 && format.bits < 32 {
                        packed[at / 32 + 1][lane] |= (bits >> (32 - at % 32)) as u32;
                    }
                    if format.bits == 64 {
                        packed[at / 32 + 1][lane] = (bits >> 32) as u32;
                    }
                }
            }
            for (word, lanes) in packed.iter().enumerate() {
                all.fill(INPUTS[side] + word, |lane| lanes[lane]);
            }
        }
        for (row, column, block) in self.elements() {
            let (register, lane) = self.place(row, column, block);
            let bits = self.output.encode(self.c(row, column, block));
            for word in 0..self.output.bits as usize / 32 {
                let part = (bits >> (32 * word)) as u32;
                all.set_vgpr(AGPR_BASE + register + word, lane, part);
            }
        }
    }

    /// Differences between D and what it should be.
    pub fn check(&self, all: &Registers) -> Vec<String> {
        let mut complaints = Vec::new();
        for (row, column, block) in self.elements() {
            let (register, lane) = self.place(row, column, block);
            let products = (0..self.depth).map(|k| {
                let scale = self.scale(0, row, k / 32) + self.scale(1, column, k / 32);
                (self.a(row, k, block) * self.b(column, k, block)) << scale
            });
            let expected = self
                .output
                .encode(products.sum::<i64>() + self.c(row, column, block));
            let word = |index: usize| {
                u64::from(all.vgpr(AGPR_BASE + register + index, lane)) << (32 * index)
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
