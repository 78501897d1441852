//! Products of matrices: each element of the result comes from a row of A, a column of B and an element of C.

use gfx::Family;
use isa::{Inst, fields::bits};
use numerics::{
    matrix::{self, Kind, Place, SPARSE, source_lane},
    wmma::{self, Generation, Input, Output},
};
use wave::Config;

use super::formats::{Elements, Format};
use crate::{
    lanes::LANES,
    plan::{At, Vector},
};

/// Registers that hold a matrix.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matrix {
    /// None of a constant.
    pub row: Option<usize>,
    pub words: usize,
    pub format: Format,
    pub constant: i64,
}

/// The places of elements in registers.
#[derive(Clone, Copy, Debug)]
enum Layout {
    Blocks {
        shape: matrix::Shape,
        cbsz: u32,
        abid: u32,
        /// The pattern in which lanes get B.
        blgp: u32,
    },
    /// Sixteen rows and sixteen columns.
    Wave {
        instruction: &'static wmma::Instruction,
        generation: Generation,
        /// `op_sel`: results are in the upper halves.
        upper: bool,
    },
}

#[derive(Clone, Debug)]
pub(super) struct Product {
    layout: Layout,
    pub a: Matrix,
    pub b: Matrix,
    pub c: Matrix,
    pub d: Matrix,
    pub lanes: usize,
}

/// Keys of rows of A and of columns of B, of all blocks.
pub(super) const KEYS: usize = 64;

/// An element of the result: its bits in a register, its row of A and its column of B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Element {
    pub elements: Elements,
    pub row: usize,
    pub column: usize,
}

/// A product whose elements are nowhere known.
#[derive(Debug)]
pub(super) struct Unknown;

fn of_eight(config: &Config, is_bf8: bool) -> Format {
    match (config.target.has_fnuz_fp8(), is_bf8) {
        (true, false) => Format::Fp8Unsigned,
        (true, true) => Format::Bf8Unsigned,
        (false, false) => Format::Fp8,
        (false, true) => Format::Bf8,
    }
}

/// The formats of A, B, and of C and D. None of integers.
fn of_kind(config: &Config, kind: Kind) -> Option<[Format; 3]> {
    let alike = |format| [format, format, Format::Single];
    Some(match kind {
        Kind::I8 => return None,
        Kind::F32 | Kind::Xf32 => alike(Format::Single),
        Kind::F16 => alike(Format::Half),
        Kind::Bf16 | Kind::Bf16Pairs => alike(Format::Brain),
        Kind::F64 => [Format::Double; 3],
        Kind::Fp8 { a_is_bf8, b_is_bf8 } => [
            of_eight(config, a_is_bf8),
            of_eight(config, b_is_bf8),
            Format::Single,
        ],
    })
}

fn of_wave(config: &Config, instruction: &wmma::Instruction) -> Option<[Format; 3]> {
    let output = match instruction.output {
        Output::F32 => Format::Single,
        Output::F16 => Format::Half,
        Output::Bf16 => Format::Brain,
        Output::I32 => return None,
    };
    let [a, b] = match instruction.input {
        Input::F16 => [Format::Half; 2],
        Input::Bf16 => [Format::Brain; 2],
        Input::Iu8 | Input::Iu4 => return None,
        Input::Fp8 { a_is_bf8, b_is_bf8 } => [a_is_bf8, b_is_bf8].map(|is| of_eight(config, is)),
    };
    Some([a, b, output])
}

impl Product {
    /// None of integers.
    pub fn of(config: &Config, inst: &Inst, vector: &Vector) -> Result<Option<Product>, Unknown> {
        let name = inst.op.first_name();
        let names = [name, inst.op.name()];
        let word = inst.words[0];
        let dense = names.into_iter().find_map(matrix::Instruction::find);
        let sparse = SPARSE.iter().find(|row| names.contains(&row.name));
        let of_wave_size = names.into_iter().find_map(wmma::Instruction::find);
        let blocks = |shape, [cbsz, abid, blgp]: [u32; 3]| Layout::Blocks {
            shape,
            cbsz,
            abid,
            blgp,
        };
        let (layout, formats, is_sparse) = match (dense, sparse, of_wave_size) {
            (Some(row), ..) => {
                let mut fields = [
                    bits(word, 10, 8),
                    bits(word, 14, 11),
                    bits(inst.words[1], 31, 29),
                ];
                if row.kind == Kind::F64 {
                    // These bits negate operands.
                    fields[2] = 0;
                }
                (blocks(row.shape, fields), of_kind(config, row.kind), false)
            }
            (_, Some(row), _) => (blocks(row.shape, [0; 3]), of_kind(config, row.kind), true),
            (.., Some(instruction)) => {
                let generation = match config.target.family {
                    Family::Gfx11 => Generation::Rdna3,
                    _ => Generation::Rdna4,
                };
                let layout = Layout::Wave {
                    instruction,
                    generation,
                    upper: bits(word, 13, 13) != 0,
                };
                (layout, of_wave(config, instruction), instruction.sparse)
            }
            _ => return Err(Unknown),
        };
        let Some([a, b, output]) = formats else {
            return Ok(None);
        };
        let (Some((first, words)), [from_a, from_b, third, ..]) =
            (vector.destination, &vector.sources[..])
        else {
            return Err(Unknown);
        };
        let matrix = |source: &crate::plan::Source, format| Matrix {
            row: match source.at {
                At::Row(row) => Some(row),
                _ => None,
            },
            words: source.words,
            format,
            constant: match source.at {
                At::Constant(value) => value,
                _ => 0,
            },
        };
        let d = Matrix {
            row: Some(first),
            words,
            format: output,
            constant: 0,
        };
        Ok(Some(Product {
            layout,
            a: matrix(from_a, a),
            b: matrix(from_b, b),
            // The third source of a sparse product says which elements of A there are.
            c: if is_sparse { d } else { matrix(third, output) },
            d,
            lanes: config.wave_size as usize,
        }))
    }

    /// The vector registers that it takes numbers from.
    pub fn rows(&self) -> impl Iterator<Item = usize> {
        let matrices = [self.a, self.b, self.c];
        matrices
            .into_iter()
            .flat_map(|one| one.row.map_or(0..0, |row| row..row + one.words))
    }

    /// Keys of the rows of A that this lane has elements of.
    pub fn row_of(&self, lane: usize) -> usize {
        match self.layout {
            Layout::Blocks { shape, .. } => lane % (shape.m * shape.blocks) as usize,
            Layout::Wave { .. } => lane % 16,
        }
    }

    /// The lane whose elements of B count as those of `lane`, and the key of their column.
    pub fn column_of(&self, lane: usize) -> (usize, usize) {
        match self.layout {
            Layout::Blocks { shape, blgp, .. } => (
                source_lane(lane as u32, blgp) as usize % LANES,
                lane % (shape.n * shape.blocks) as usize,
            ),
            Layout::Wave { .. } => (lane, lane % 16),
        }
    }

    /// The elements in a register of the result. The second register of a pair has it.
    pub fn elements(&self, word: usize, lane: usize) -> [Option<Element>; 2] {
        match self.layout {
            Layout::Blocks {
                shape, cbsz, abid, ..
            } => {
                let position = match self.d.format {
                    Format::Double if word.is_multiple_of(2) => return [None; 2],
                    Format::Double => word / 2,
                    _ => word,
                };
                let place = Place {
                    lane: lane as u32,
                    position: position as u32,
                };
                let [row, column, block] = shape.element(place);
                let from = shape.source_block(block, cbsz, abid);
                let element = Element {
                    elements: Elements::LOWEST,
                    row: (row + shape.m * from) as usize % KEYS,
                    column: (column + shape.n * block) as usize % KEYS,
                };
                [Some(element), None]
            }
            Layout::Wave {
                instruction,
                generation,
                upper,
            } => {
                let halves = self.d.format.bits() == 16;
                let one_half = halves && generation == Generation::Rdna3;
                [0, 1].map(|half| {
                    if half == 1 && !halves || one_half && (half == 1) != upper {
                        return None;
                    }
                    let bit = if one_half { 0 } else { 16 * half };
                    let spot = |row| instruction.output(generation, self.lanes == 64, row);
                    let row = (0..16).find(|row| {
                        let spot = spot(*row);
                        (spot.register as usize, spot.group as usize) == (word, lane / 16)
                            && spot.bit == bit
                    })?;
                    Some(Element {
                        elements: Elements(1 << half),
                        row: row as usize,
                        column: lane % 16,
                    })
                })
            }
        }
    }
}
