//! Instructions as parts of runs.

use std::{collections::HashMap, io, sync::OnceLock};

use native::{
    Assembler, Executable, Failure, MOST_RESULTS, Nans, Operand, Routine, Sign, Source, Stencil,
};

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
    words: Words,
    nans: Nans,
}

/// The words of a result: their sources and their rows.
#[derive(Clone, Debug)]
enum Words {
    One(Vec<Operand>, u16),
    /// Both are computed before one is in its row.
    Pair([Vec<Operand>; 2], [u16; 2]),
}

/// Returns `true` if the host has the vectors that stencils are made of.
pub(super) fn host_is_able() -> bool {
    vectors::level::has_avx512()
}

impl Part {
    /// `None`: the instruction, or the form that it has here, is not for runs.
    pub fn new(shape: &VectorShape, op: &MicroOp) -> Option<Part> {
        let function = shape.function.and_then(|function| function())?;
        let stencil = stencils().get(&(function.code as usize, shape.source_count()))?;
        if !is_lane_wise(shape) || op.vector().control != Control::NONE {
            return None;
        }
        let count = shape.source_count();
        let is_float = |index: &usize| matches!(shape.sources[*index], Type::F32 | Type::PackedF32);
        let floats = (0..count).filter(is_float);
        let floats = floats.fold(0, |set, index| set | 1 << index);
        Some(Part {
            stencil,
            words: match shape.result {
                Type::PackedF32 => pair(op, count)?,
                _ => one(op, count, floats)?,
            },
            nans: match function.nans {
                rows::Nans::Exact => Nans::None,
                rows::Nans::InResult => Nans::InResult(floats),
                rows::Nans::InSources => Nans::InSources,
            },
        })
    }

    /// The rows that it writes.
    fn targets(&self) -> &[u16] {
        match &self.words {
            Words::One(_, target) => std::slice::from_ref(target),
            Words::Pair(_, targets) => targets,
        }
    }

    fn apply(&self, assembler: &mut Assembler) -> Result<(), Failure> {
        match &self.words {
            Words::One(sources, target) => {
                assembler.apply(self.stencil, sources, *target, self.nans)
            }
            Words::Pair([low, high], targets) => {
                assembler.apply_to_pair(self.stencil, [low, high], *targets, self.nans)
            }
        }
    }
}

/// Returns `true` if each lane's result depends on that lane alone, and is a word or a pair of singles.
fn is_lane_wise(shape: &VectorShape) -> bool {
    let is_word = |kind: &Type| match shape.result {
        Type::PackedF32 => *kind == Type::PackedF32,
        _ => matches!(kind, Type::B32 | Type::F32),
    };
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

/// The word of an instruction whose sources are words; those in `floats` may have signs.
fn one(op: &MicroOp, count: usize, floats: u8) -> Option<Words> {
    let signs = u32::from(floats) << modifier::NEG | u32::from(floats) << modifier::ABS;
    if op.vector().modifiers & !(MODIFIERS | signs) != 0 {
        return None;
    }
    let operand = |index: usize| {
        let bit = |base: u32| op.vector().modifier(base, index) != 0;
        let sign = match (bit(modifier::NEG), bit(modifier::ABS)) {
            (false, false) => Sign::Kept,
            (true, false) => Sign::Changed,
            (false, true) => Sign::Cleared,
            (true, true) => Sign::Set,
        };
        let source = source(op, index, 0)?;
        Some(Operand { source, sign })
    };
    let operands = (0..count).map(operand).collect::<Option<_>>()?;
    Some(Words::One(operands, op.dst))
}

/// Both words of an instruction on pairs of singles, whose sources are the words that op_sel and op_sel_hi name.
fn pair(op: &MicroOp, count: usize) -> Option<Words> {
    let selections = 7 << modifier::OP_SEL | 7 << modifier::OP_SEL_HI;
    if op.vector().modifiers & !(MODIFIERS | selections) != 0 {
        return None;
    }
    let word = |base: u32| {
        let operand = |index: usize| {
            // A constant is no pair of equal words.
            let is_pair = matches!(op.src[index].kind, SrcKind::Vector | SrcKind::Scalar);
            let source = source(op, index, op.vector().modifier(base, index) as u16)?;
            is_pair.then_some(Operand::from(source))
        };
        (0..count).map(operand).collect::<Option<Vec<_>>>()
    };
    let words = [word(modifier::OP_SEL)?, word(modifier::OP_SEL_HI)?];
    Some(Words::Pair(words, [op.dst, op.dst + 1]))
}

/// Word `word` of a source. EXEC changes while a run is done one by one, so that no instruction may read it.
fn source(op: &MicroOp, index: usize, word: u16) -> Option<Source> {
    let source = op.src[index];
    match source.kind {
        SrcKind::Vector => Some(Source::Row(source.index + word)),
        SrcKind::Scalar if ((source.index + word) as usize) < sreg::EXEC => {
            Some(Source::Scalar(source.index + word))
        }
        SrcKind::Scalar => None,
        kind if has_form(kind) => Some(Source::Constant(source.constant_value(1) as u32)),
        _ => None,
    }
}

/// Returns `true` if `next` can join `parts`.
pub(super) fn have_room(parts: &[Part], next: &Part) -> bool {
    let all = parts.iter().chain([next]);
    let mut targets: Vec<u16> = all.flat_map(|part| part.targets().to_vec()).collect();
    targets.sort_unstable();
    targets.dedup();
    parts.len() < LONGEST && targets.len() <= MOST_RESULTS
}

/// The host code of a run.
pub(super) fn assembled(parts: &[Part]) -> Option<Routine> {
    let mut assembler = Assembler::of_lanes(sreg::EXEC as u16);
    for part in parts {
        part.apply(&mut assembler).ok()?;
    }
    assembler.finish().ok()
}

/// Makes code that does nothing. The error is the host's.
pub(super) fn attempt() -> io::Result<()> {
    let routine = Assembler::new().finish().map_err(io::Error::other)?;
    Executable::new(&[routine]).map(drop)
}

/// The stencils of rows, by the address of their function, which rows with equal code share, and the number of sources. A row whose function is none stays with its handler.
fn stencils() -> &'static HashMap<(usize, usize), Stencil> {
    static STENCILS: OnceLock<HashMap<(usize, usize), Stencil>> = OnceLock::new();
    STENCILS.get_or_init(|| {
        let shapes = rows::all_rows().iter().filter_map(|row| row.vector_shape());
        let functions = shapes.filter_map(|shape| Some((shape, shape.function?()?)));
        let stencil = |(shape, function): (&VectorShape, rows::Function)| {
            let code = function.code as *const u8;
            // SAFETY: the function is of this program and takes vectors; a host with AVX-512 is x86-64, where code can be read.
            let stencil = unsafe { Stencil::read(code, shape.source_count()) };
            Some(((code as usize, shape.source_count()), stencil.ok()?))
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

/// The function of the row called `mnemonic` of which its stencil is made.
pub fn code_of(mnemonic: &str) -> Option<*const u8> {
    let row = rows::all_rows().iter();
    let mut row = row.filter(|row| row.mnemonic == mnemonic);
    let function = row.find_map(|row| row.vector_shape()?.function?())?;
    Some(function.code as *const u8)
}
