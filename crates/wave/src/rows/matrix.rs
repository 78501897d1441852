//! Matrix multiply-add (MFMA) and the moves between VGPRs and AccVGPRs.
//!
//! All 64 lanes of a matrix instruction take part whatever EXEC says, and MODE does not matter. Layouts and sums are
//! `numerics::matrix`'s.

use gfx::Matrix;
use numerics::convert::Fp8;
use numerics::matrix::{self, INSTRUCTIONS, Instruction, Kind, Model};

use super::{Row, Shape, VectorShape, vector_macros::map1};
use crate::{
    engine::Env,
    micro_op::{MicroOp, Src, SrcKind, flow},
    ports::*,
    shell::{self, Body, Form, VectorBody},
    state::Wave,
};

/// Most values of A or B that any instruction has: 32 rows of 16.
const MOST_INPUTS: usize = 512;

/// Control fields as decode packs them.
struct Controls {
    cbsz: u32,
    abid: u32,
    blgp: u32,
}

impl Controls {
    fn of(op: &MicroOp) -> Controls {
        Controls {
            cbsz: op.extra & 7,
            abid: op.extra >> 3 & 15,
            blgp: op.extra >> 7 & 7,
        }
    }
}

/// `bits` wide value `position` of what `lane` holds in the rows from `row` on.
#[inline(always)]
fn element(wave: &Wave, row: usize, lane: u32, position: u32, bits: u32) -> u64 {
    let bit = position * bits;
    let word = row + (bit / 32) as usize;
    let low = u64::from(wave.rows[word].0[lane as usize]);
    if bits == 64 {
        return low | u64::from(wave.rows[word + 1].0[lane as usize]) << 32;
    }
    (low >> (bit % 32)) & ((1 << bits) - 1)
}

/// Value of C at a place, or the inline constant.
#[inline(always)]
fn addend(wave: &Wave, op: &MicroOp, lane: u32, position: u32, bits: u32) -> u64 {
    let Src { index, kind } = op.src[2];
    if kind == SrcKind::Vector {
        element(wave, index as usize, lane, position, bits)
    } else {
        wave.uniform(op, 2)
    }
}

/// Computes every element of D with `sum(c, a, b)` over slices of `k` values.
#[inline(always)]
fn product<T: Copy + Default, C: Copy>(
    wave: &mut Wave,
    op: &MicroOp,
    instruction: &Instruction,
    blgp: u32,
    input: impl Fn(usize, u64) -> T,
    sum: impl Fn(u64, &[T], &[T]) -> C,
    output: impl Fn(C) -> u64,
) {
    let shape = instruction.shape;
    let controls = Controls::of(op);
    let (input_bits, output_bits) = (
        instruction.kind.input_bits(),
        instruction.kind.output_bits(),
    );
    let depth = shape.k as usize;
    let mut a = [T::default(); MOST_INPUTS];
    let mut b = [T::default(); MOST_INPUTS];
    let rows = [op.src[0].index as usize, op.src[1].index as usize];
    for block in 0..shape.blocks {
        for k in 0..shape.k {
            for row in 0..shape.m {
                let place = shape.a(row, k, block, controls.cbsz, controls.abid);
                let bits = element(wave, rows[0], place.lane, place.position, input_bits);
                a[((block * shape.m + row) * shape.k + k) as usize] = input(0, bits);
            }
            for column in 0..shape.n {
                let place = shape.b(column, k, block, blgp);
                let bits = element(wave, rows[1], place.lane, place.position, input_bits);
                b[((block * shape.n + column) * shape.k + k) as usize] = input(1, bits);
            }
        }
    }
    // D may overlap A and B, which are copied by now; C is read just before D is written at the same place.
    for block in 0..shape.blocks {
        for row in 0..shape.m {
            let left = (block * shape.m + row) as usize * depth;
            for column in 0..shape.n {
                let right = (block * shape.n + column) as usize * depth;
                let place = shape.d(row, column, block);
                let c = addend(wave, op, place.lane, place.position, output_bits);
                let d = output(sum(c, &a[left..left + depth], &b[right..right + depth]));
                let words = output_bits / 32;
                let first = op.dst as usize + (place.position * words) as usize;
                wave.rows[first].0[place.lane as usize] = d as u32;
                if words == 2 {
                    wave.rows[first + 1].0[place.lane as usize] = (d >> 32) as u32;
                }
            }
        }
    }
}

struct Product;

impl Body for Product {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let model = match env.program.config().target.matrix {
            Matrix::Mfma1 => Model::Mfma1,
            Matrix::Mfma2 => Model::Mfma2,
            _ => Model::Mfma3,
        };
        let instruction = &INSTRUCTIONS[op.attribute as usize];
        let blgp = Controls::of(op).blgp;
        let narrow = |c: u64| c as u32;
        match instruction.kind {
            Kind::F32 => product(
                wave,
                op,
                instruction,
                blgp,
                |_, x| x as u32,
                |c, a, b| matrix::accumulate_f32(narrow(c), a, b),
                u64::from,
            ),
            Kind::Xf32 => product(
                wave,
                op,
                instruction,
                blgp,
                |_, x| x as u32,
                |c, a, b| matrix::accumulate_xf32(narrow(c), a, b),
                u64::from,
            ),
            Kind::F16 => product(
                wave,
                op,
                instruction,
                blgp,
                |_, x| x as u16,
                |c, a, b| matrix::accumulate_f16(model, narrow(c), a, b),
                u64::from,
            ),
            Kind::Bf16 => product(
                wave,
                op,
                instruction,
                blgp,
                |_, x| x as u16,
                |c, a, b| matrix::accumulate_bf16(model, narrow(c), a, b),
                u64::from,
            ),
            Kind::Bf16Pairs => product(
                wave,
                op,
                instruction,
                blgp,
                |_, x| x as u16,
                |c, a, b| matrix::accumulate_bf16_pairs(model, narrow(c), a, b),
                u64::from,
            ),
            Kind::I8 => product(
                wave,
                op,
                instruction,
                blgp,
                |_, x| x as u8,
                |c, a, b| matrix::accumulate_i8(narrow(c), a, b),
                u64::from,
            ),
            Kind::Fp8 { a_is_bf8, b_is_bf8 } => {
                let format = |is_bf8| if is_bf8 { Fp8::E5m2Fnuz } else { Fp8::E4m3Fnuz };
                let formats = [format(a_is_bf8), format(b_is_bf8)];
                product(
                    wave,
                    op,
                    instruction,
                    blgp,
                    |_, x| x as u8,
                    |c, a, b| matrix::accumulate_fp8(narrow(c), a, formats[0], b, formats[1]),
                    u64::from,
                );
            }
            Kind::F64 => {
                // The BLGP bits negate A, B and C.
                let sign = |bit: u32| u64::from(blgp >> bit & 1) << 63;
                product(
                    wave,
                    op,
                    instruction,
                    0,
                    |side, x| x ^ sign(side as u32),
                    |c, a, b| matrix::accumulate_f64(c ^ sign(2), a, b),
                    |d| d,
                );
            }
        }
        flow::NEXT
    }
}

/// `v_accvgpr_read_b32`, `_write_b32`, `_mov_b32`: decode chose the files.
struct MoveAccumulator;

impl VectorBody for MoveAccumulator {
    const SOURCES: usize = 1;
    const MODE: bool = false;
    const HOT: bool = true;
    #[inline(always)]
    fn run<F: Form>(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        map1::<Self, F, B32, B32>(
            wave,
            op,
            env,
            #[inline(always)]
            |_, a| a,
        )
    }
}

/// Appends this file's rows.
pub(super) fn rows(rows: &mut Vec<Row>) {
    for (index, instruction) in INSTRUCTIONS.iter().enumerate() {
        let (shape, kind) = (instruction.shape, instruction.kind);
        let addend = match kind {
            Kind::F64 => Type::F64,
            Kind::I8 => Type::B32,
            _ => Type::F32,
        };
        let inputs = shape.inputs_per_lane() * kind.input_bits() / 32;
        let outputs = shape.outputs_per_lane() * kind.output_bits() / 32;
        for mnemonic in [instruction.name, instruction.name_gfx942] {
            if mnemonic.is_empty() {
                continue;
            }
            rows.push(Row {
                mnemonic,
                shape: Shape::Vector(VectorShape {
                    sources: [Type::B32, Type::B32, addend],
                    result: addend,
                    matrix_words: [inputs as u16, outputs as u16],
                    ..VectorShape::NONE
                }),
                handler: shell::handler::<Product>,
                width: 0,
                attribute: index as u16,
                changes_exec: false,
            });
        }
    }
    let moves = [
        ("v_accvgpr_read_b32", [true, false]),
        ("v_accvgpr_write_b32", [false, true]),
        ("v_accvgpr_mov_b32", [true, true]),
    ];
    for (mnemonic, accumulators) in moves {
        rows.push(Row::vector::<MoveAccumulator>(
            mnemonic,
            VectorShape {
                sources: [Type::B32, Type::None, Type::None],
                result: Type::B32,
                accumulators: Some(accumulators),
                ..VectorShape::NONE
            },
        ));
    }
}
