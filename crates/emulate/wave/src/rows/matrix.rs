//! Matrix multiply-add (MFMA) and the moves between VGPRs and AccVGPRs.
//!
//! All 64 lanes of a matrix instruction take part whatever EXEC says, and MODE does not matter. Layouts and sums are
//! `numerics::matrix`'s. Decoding chooses a [`Plan`] for the instruction on the target: shape, formats and rule of accumulation.
//! A product is first tried in vectors of 512 bits (`vectors::matrix`), where the operands allow it; `rules` has the other way.

use std::sync::OnceLock;

use gfx::Matrix;
use numerics::{
    convert::Fp8,
    matrix::{INSTRUCTIONS, Kind, Model, Shape as Matrices},
};
#[cfg(target_arch = "x86_64")]
use vectors::matrix::{Addend, Operands, Sources, ordinary::Plan as Way};

use super::{Row, Shape, VectorShape, loops::map1};
#[cfg(target_arch = "x86_64")]
use crate::micro_op::SrcKind;
use crate::{
    engine::{Env, Stop},
    micro_op::{Handler, MicroOp, flow},
    ports::*,
    shell::{self, Body, Form, VectorBody},
    state::Wave,
};
use rules::{
    Aligned, BfloatPairs, Bfloats, Bytes, Cut, Doubles, Eights, Halves, RoundedBfloats,
    RoundedHalves, RoundedPairs, Rule, Singles,
};

mod aligned;
mod micro;
mod rules;
mod sparse;
mod terms;

/// The eight-bit formats of A and B, each `bf8` or `fp8`.
fn eight_bit_formats(generation: Matrix, are_bf8: [bool; 2]) -> [Fp8; 2] {
    are_bf8.map(|is_bf8| match (generation == Matrix::Mfma3, is_bf8) {
        (true, false) => Fp8::E4m3Fnuz,
        (true, true) => Fp8::E5m2Fnuz,
        (false, false) => Fp8::E4m3,
        (false, true) => Fp8::E5m2,
    })
}

/// How an instruction makes its products on one generation of devices.
struct Plan {
    shape: Matrices,
    model: Model,
    /// Formats of A and B where these are eight-bit floats.
    eight: [Fp8; 2],
    /// The operations of vectors of 512 bits.
    #[cfg(target_arch = "x86_64")]
    way: Option<Way>,
    handler: Handler,
}

/// Generations that have these instructions.
const GENERATIONS: [(Matrix, Model); 4] = [
    (Matrix::Mfma1, Model::Mfma1),
    (Matrix::Mfma2, Model::Mfma2),
    (Matrix::Mfma3, Model::Mfma3),
    (Matrix::Mfma4, Model::Mfma3),
];

/// The plans of all instructions, those for each generation one after the other.
fn plans() -> &'static [Plan] {
    static PLANS: OnceLock<Vec<Plan>> = OnceLock::new();
    PLANS.get_or_init(|| {
        let of_generation = |(generation, model)| {
            INSTRUCTIONS.iter().map(move |instruction| {
                let kind = instruction.kind;
                let eight = match kind {
                    Kind::Fp8 { a_is_bf8, b_is_bf8 } => {
                        eight_bit_formats(generation, [a_is_bf8, b_is_bf8])
                    }
                    _ => [Fp8::E4m3; 2],
                };
                macro_rules! handler {
                    ($rule:ty) => {
                        shell::wide_handler::<Product<$rule>>()
                    };
                }
                Plan {
                    shape: instruction.shape,
                    model,
                    eight,
                    #[cfg(target_arch = "x86_64")]
                    way: Way::new(kind, model, eight),
                    handler: rules::with_rule!((kind, model), handler),
                }
            })
        };
        GENERATIONS.into_iter().flat_map(of_generation).collect()
    })
}

/// The plan of `instruction` on devices of `generation`: its number, and the handler of micro-ops that have it.
pub(crate) fn plan(instruction: u16, generation: Matrix) -> Option<(u16, Handler)> {
    let index = GENERATIONS
        .iter()
        .position(|(with, _)| *with == generation)?;
    let number = index * INSTRUCTIONS.len() + instruction as usize;
    Some((number as u16, plans()[number].handler))
}

/// The product in vectors of 512 bits, if the operands allow it.
///
/// # Safety
/// The host has the vectors.
#[cfg(target_arch = "x86_64")]
unsafe fn in_vectors(wave: &mut Wave, op: &MicroOp, shape: &Matrices, way: Way) -> bool {
    // No place of C may be written before it is read.
    let words = shape.outputs_per_lane() as u16;
    let (c, d) = (op.src[2].index, op.dst);
    let is_vector = op.src[2].kind == SrcKind::Vector;
    if is_vector && c != d && c < d + words && d < c + words {
        return false;
    }
    let rows = |index: u16| wave.rows[index as usize..].as_ptr().cast::<u32>();
    let operands = Operands {
        inputs: [rows(op.src[0].index), rows(op.src[1].index)],
        addend: if is_vector {
            Addend::Rows(rows(c))
        } else {
            Addend::Constant(wave.uniform32(op, 2))
        },
        target: wave.rows[d as usize..].as_mut_ptr().cast(),
    };
    let sources = Sources {
        cbsz: op.mfma().cbsz(),
        abid: op.mfma().abid(),
    };
    // SAFETY: the caller's promise; decoding checked that all registers of the operands exist, and C and D are the same or apart.
    unsafe { way.product(operands, shape, sources) }
}

struct Product<R>(std::marker::PhantomData<R>);

impl<R: Rule> Body for Product<R> {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let plan = &plans()[op.mfma().instruction as usize];
        #[cfg(target_arch = "x86_64")]
        if let Some(way) = plan.way
            && op.mfma().blgp() == 0
            && wave.avx512
            // SAFETY: the host has the vectors.
            && unsafe { in_vectors(wave, op, &plan.shape, way) }
        {
            return flow::NEXT;
        }
        R::run(wave, op, plan);
        flow::NEXT
    }
}

/// Stands for a product until decoding has found its plan.
struct Unplanned;

impl Body for Unplanned {
    fn run(wave: &mut Wave, _: &MicroOp, _: &mut Env<'_>) -> u32 {
        wave.stop(Stop::Unsupported(
            "a matrix product of another generation".into(),
        ))
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
                    instruction: index as u16,
                    ..VectorShape::NONE
                }),
                handler: shell::handler::<Unplanned>,
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
    micro::rows(rows);
    sparse::rows(rows);
}
