//! Instructions as parts of runs.

use std::{collections::HashMap, io, sync::OnceLock};

use native::{Assembler, Executable, MOST_RESULTS, Nans, Routine, Source, Stencil};

use crate::{
    micro_op::{Control, MicroOp, SrcKind, modifier},
    ports::{Type, has_form},
    rows::{self, Destination, VectorShape},
    state::sreg,
};

/// Modifiers that say nothing about numbers of one word.
const MODIFIERS: u32 = modifier::VECTOR_ALU
    | modifier::VECTOR_RESULT
    | modifier::NO_IEEE
    | modifier::BOTH_HALVES
    | 7 << modifier::OP_SEL_HI;

/// Most instructions of a run.
const LONGEST: usize = 256;

/// An instruction that can be in a run.
#[derive(Clone, Debug)]
pub(super) struct Part {
    stencil: &'static Stencil,
    sources: Vec<Source>,
    target: u16,
    nans: Nans,
}

/// Returns `true` if the host has the vectors that stencils are made of.
pub(super) fn host_is_able() -> bool {
    vectors::level::has_avx512()
}

impl Part {
    /// `None`: the instruction, or the form that it has here, is not for runs.
    pub fn new(shape: &VectorShape, op: &MicroOp) -> Option<Part> {
        let function = shape.function.and_then(|function| function())?;
        let stencil = stencils().get(&(function.code as usize))?;
        let plain = is_lane_wise(shape)
            && op.vector().control == Control::NONE
            && op.vector().modifiers & !MODIFIERS == 0;
        if !plain {
            return None;
        }
        let sources = (0..shape.source_count()).map(|index| source(op, index));
        let floats = (0..shape.source_count()).filter(|&index| shape.sources[index] == Type::F32);
        Some(Part {
            stencil,
            sources: sources.collect::<Option<_>>()?,
            target: op.dst,
            nans: match function.nans {
                rows::Nans::Exact => Nans::None,
                rows::Nans::InResult => {
                    Nans::InResult(floats.fold(0, |set, index| set | 1 << index))
                }
                rows::Nans::InSources => Nans::InSources,
            },
        })
    }
}

/// Returns `true` if each lane's result is a word that depends on words of that lane alone.
fn is_lane_wise(shape: &VectorShape) -> bool {
    let is_word = |kind: &Type| matches!(kind, Type::B32 | Type::F32);
    shape.destination == Destination::Vector
        && is_word(&shape.result)
        && shape.sources[..shape.source_count()].iter().all(is_word)
        && !shape.mask_source
        && !shape.mask_result
        && !shape.writes_exec
        && !shape.keep_high
        && !shape.high_half
        && shape.accumulators.is_none()
        && shape.moved_source.is_none()
}

/// EXEC changes while a run is done one by one, so that no instruction may read it.
fn source(op: &MicroOp, index: usize) -> Option<Source> {
    let source = op.src[index];
    match source.kind {
        SrcKind::Vector => Some(Source::Row(source.index)),
        SrcKind::Scalar if (source.index as usize) < sreg::EXEC => {
            Some(Source::Scalar(source.index))
        }
        SrcKind::Scalar => None,
        kind if has_form(kind) => Some(Source::Constant(source.constant_value(1) as u32)),
        _ => None,
    }
}

/// Returns `true` if `next` can join `parts`.
pub(super) fn have_room(parts: &[Part], next: &Part) -> bool {
    let mut targets: Vec<u16> = parts.iter().chain([next]).map(|part| part.target).collect();
    targets.sort_unstable();
    targets.dedup();
    parts.len() < LONGEST && targets.len() <= MOST_RESULTS
}

/// The host code of a run.
pub(super) fn assembled(parts: &[Part]) -> Option<Routine> {
    let mut assembler = Assembler::new();
    for part in parts {
        let applied = assembler.apply(part.stencil, &part.sources, part.target, part.nans);
        applied.ok()?;
    }
    assembler.finish().ok()
}

/// Makes code that does nothing. The error is the host's.
pub(super) fn attempt() -> io::Result<()> {
    let routine = Assembler::new().finish().map_err(io::Error::other)?;
    Executable::new(&[routine]).map(drop)
}

/// The stencils of rows, by the address of their function. A row whose function is none stays with its handler.
fn stencils() -> &'static HashMap<usize, Stencil> {
    static STENCILS: OnceLock<HashMap<usize, Stencil>> = OnceLock::new();
    STENCILS.get_or_init(|| {
        let shapes = rows::all_rows().iter().filter_map(|row| row.vector_shape());
        let functions = shapes.filter_map(|shape| Some((shape, shape.function?()?)));
        let stencil = |(shape, function): (&VectorShape, rows::Function)| {
            let code = function.code as *const u8;
            // SAFETY: the function is of this program and takes vectors; a host with AVX-512 is x86-64, where code can be read.
            let stencil = unsafe { Stencil::read(code, shape.source_count()) };
            Some((code as usize, stencil.ok()?))
        };
        functions.filter_map(stencil).collect()
    })
}

/// The rows with functions on host vectors, and for each how many host instructions it has, or why it has no host code.
pub fn report() -> Vec<(&'static str, Result<usize, String>)> {
    let rows = rows::all_rows().iter();
    let report = |row: &'static rows::Row| {
        let shape = row.vector_shape()?;
        let function = shape.function?()?;
        // SAFETY: as above.
        let stencil = unsafe { Stencil::read(function.code as *const u8, shape.source_count()) };
        let size = stencil.map(|stencil| stencil.instructions());
        Some((row.mnemonic, size.map_err(|why| why.to_string())))
    };
    rows.filter_map(report).collect()
}
