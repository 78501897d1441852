//! Instructions as parts of runs.

use std::{collections::HashMap, io, sync::OnceLock};

use native::{
    Assembler, Executable, Failure, MOST_MASKS, MOST_RESULTS, Nans, Operand, Routine, Sign, Source,
    Stencil,
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
    /// The mask that it writes beside its result, and how.
    carry: Option<(&'static Stencil, u16)>,
    nans: Nans,
}

/// The words of a result: their sources and their rows.
#[derive(Clone, Debug)]
enum Words {
    One(Vec<Operand>, u16),
    /// Both are computed before one is in its row.
    Pair([Vec<Operand>; 2], [u16; 2]),
    /// A comparison.
    Mask(Vec<Operand>, u16),
}

/// Returns `true` if the host has the vectors that stencils are made of.
pub(super) fn host_is_able() -> bool {
    vectors::level::has_avx512()
}

impl Part {
    /// `None`: the instruction, or the form that it has here, is not for runs.
    pub fn new(shape: &VectorShape, op: &MicroOp, groups: usize) -> Option<Part> {
        let function = shape.function.and_then(|function| function())?;
        let sources = shape.source_count() + usize::from(function.takes_mask);
        let stencil = stencils().get(&(function.code as usize, sources))?;
        let masks_fit = shape.mask_source == function.takes_mask
            && shape.mask_result == function.carry.is_some();
        if !is_lane_wise(shape) || !masks_fit || op.vector().control != Control::NONE {
            return None;
        }
        let carry = match function.carry {
            Some(code) => {
                let stencil = stencils().get(&(code as usize, sources))?;
                Some((stencil, mask(op.vector().mask_dst, groups)?))
            }
            None => None,
        };
        let count = shape.source_count();
        let is_float = |index: &usize| matches!(shape.sources[*index], Type::F32 | Type::PackedF32);
        let floats = (0..count).filter(is_float);
        let floats = floats.fold(0, |set, index| set | 1 << index);
        let words = match (shape.destination, shape.result) {
            (Destination::Mask, _) => {
                let target = mask(op.vector().mask_dst, groups)?;
                Words::Mask(operands(op, count, floats)?, target)
            }
            (_, Type::PackedF32) => pair(op, count)?,
            _ => {
                let mut all = operands(op, count, floats)?;
                if function.takes_mask {
                    all.push(Source::Mask(mask(op.vector().mask_src, groups)?).into());
                }
                Words::One(all, op.dst)
            }
        };
        Some(Part {
            stencil,
            words,
            carry,
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
            Words::Mask(..) => &[],
        }
    }

    /// The mask that it writes.
    pub fn mask(&self) -> Option<u16> {
        match self.words {
            Words::Mask(_, target) => Some(target),
            _ => self.carry.map(|(_, mask)| mask),
        }
    }

    /// Returns `true` if it reads a word of `mask` as a scalar.
    fn reads_as_scalar(&self, mask: u16, groups: usize) -> bool {
        let words = mask..mask + mask_words(groups);
        let is_word = |operand: &Operand| matches!(operand.source, Source::Scalar(slot) if words.contains(&slot));
        match &self.words {
            Words::One(sources, _) | Words::Mask(sources, _) => sources.iter().any(is_word),
            Words::Pair(both, _) => both.iter().flatten().any(is_word),
        }
    }

    fn apply(&self, assembler: &mut Assembler) -> Result<(), Failure> {
        match &self.words {
            Words::Mask(sources, target) => assembler.decide(self.stencil, sources, *target),
            Words::One(sources, target) if let Some((carry, mask)) = self.carry => {
                assembler.apply_and_decide([self.stencil, carry], sources, *target, mask)
            }
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
    let is_result = match shape.destination {
        Destination::Vector => is_word(&shape.result),
        Destination::Mask => true,
        Destination::Scalar => false,
    };
    is_result
        && shape.sources[..shape.source_count()].iter().all(is_word)
        && !shape.writes_exec
        && !shape.keep_high
        && !shape.high_half
        && shape.accumulators.is_none()
        && shape.moved_source.is_none()
}

/// How many scalars a mask has.
fn mask_words(groups: usize) -> u16 {
    groups as u16 / 2
}

/// The mask in the scalars from `slot` on, if runs may have it: EXEC changes while a run is done one by one.
fn mask(slot: u16, groups: usize) -> Option<u16> {
    let words = mask_words(groups);
    let is_usual = slot.is_multiple_of(words) && usize::from(slot + words) <= sreg::M0;
    is_usual.then_some(slot)
}

/// Sources that are words; those in `floats` may have signs.
fn operands(op: &MicroOp, count: usize, floats: u8) -> Option<Vec<Operand>> {
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
    (0..count).map(operand).collect()
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
pub(super) fn have_room(parts: &[Part], next: &Part, groups: usize) -> bool {
    let all = || parts.iter().chain([next]);
    let rows = distinct(all().flat_map(|part| part.targets().to_vec()));
    let masks = masks(all());
    // While a run is done one by one, masks have bits of both.
    let are_scalars = masks
        .iter()
        .any(|&mask| all().any(|part| part.reads_as_scalar(mask, groups)));
    parts.len() < LONGEST
        && rows.len() + masks.len() <= MOST_RESULTS
        && masks.len() <= MOST_MASKS
        && !are_scalars
}

/// The masks that `parts` write.
pub(super) fn masks<'a>(parts: impl IntoIterator<Item = &'a Part>) -> Vec<u16> {
    distinct(parts.into_iter().filter_map(Part::mask))
}

fn distinct(numbers: impl Iterator<Item = u16>) -> Vec<u16> {
    let mut numbers: Vec<u16> = numbers.collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The host code of a run for waves with `groups` groups of lanes.
pub(super) fn assembled(parts: &[Part], groups: usize) -> Option<Routine> {
    let mut assembler = Assembler::of_lanes(sreg::EXEC as u16, groups);
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
            let sources = shape.source_count() + usize::from(function.takes_mask);
            let codes = [Some(function.code), function.carry].into_iter().flatten();
            let read = move |code: rows::Code| {
                let code = code as *const u8;
                // SAFETY: the function is of this program and takes vectors; a host with AVX-512 is x86-64, where code can be read.
                let stencil = unsafe { Stencil::read(code, sources) };
                Some(((code as usize, sources), stencil.ok()?))
            };
            codes.filter_map(read)
        };
        functions.flat_map(stencil).collect()
    })
}

/// The rows with functions on host vectors, and for each how many host instructions it has, or why it has no host code.
pub fn report() -> Vec<(&'static str, Result<usize, String>)> {
    let rows = rows::all_rows().iter();
    let report = |row: &'static rows::Row| {
        let shape = row.vector_shape()?;
        let function = shape.function?()?;
        let sources = shape.source_count() + usize::from(function.takes_mask);
        let codes = [Some(function.code), function.carry].into_iter().flatten();
        let size = |code: rows::Code| {
            // SAFETY: as above.
            let stencil = unsafe { Stencil::read(code as *const u8, sources) };
            stencil.map(|stencil| stencil.instructions())
        };
        let size: Result<usize, _> = codes.map(size).sum();
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
