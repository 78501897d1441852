//! Instructions as parts of runs.

use std::{
    collections::{HashMap, HashSet},
    io,
    sync::OnceLock,
};

use native::{
    Assembler, Executable, Failure, Load, MOST_MASKS, MOST_RESULTS, Nans, Near, Operand, Routine,
    Sign, Source, Stencil,
};

use crate::{
    micro_op::{Control, Data, MicroOp, SrcKind, flow, modifier},
    ports::{Type, has_form},
    program::Lowered,
    rows::{self, Destination, Row, Shape, VectorShape},
    state::sreg,
};

use super::anchors::{self, Anchors, Sum};

/// Modifiers that say nothing about numbers of one word.
pub(crate) const MODIFIERS: u32 = modifier::VECTOR_ALU
    | modifier::VECTOR_RESULT
    | modifier::NO_IEEE
    | modifier::BOTH_HALVES
    | 7 << modifier::OP_SEL_HI;

/// Most instructions of a run.
const LONGEST: usize = 256;

/// An instruction that can be in a run.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Computes(Computation),
    Loads(Load),
}

/// Instructions that cost about the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// The result is a word for each lane.
    Word,
    /// The result has two words for each lane.
    Pair,
    /// One result is a mask.
    Mask,
    Loads,
}

/// An instruction that computes each lane by itself.
#[derive(Clone, Debug)]
pub(super) struct Computation {
    stencil: &'static Stencil,
    words: Words,
    /// The mask that it writes beside its result, and how.
    carry: Option<(&'static Stencil, u16)>,
    nans: Nans,
    /// It adds words, or sets bits of one.
    adds: Option<Adds>,
}

/// How an instruction adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Adds {
    Words,
    Bits,
}

impl Adds {
    /// How a row with this function does.
    fn of(code: rows::Code) -> Option<Adds> {
        static KNOWN: OnceLock<Vec<(usize, Adds)>> = OnceLock::new();
        let known = KNOWN.get_or_init(|| {
            let rows = [
                ("v_add_u32", Adds::Words),
                ("v_add_nc_u32", Adds::Words),
                ("v_or_b32", Adds::Bits),
            ];
            let code = |(name, adds)| Some((code_of(name)? as usize, adds));
            rows.into_iter().filter_map(code).collect()
        });
        let known = known.iter().find(|known| known.0 == code as usize);
        known.map(|known| known.1)
    }
}

/// The words of a result: their sources and their rows.
#[derive(Clone, Debug)]
enum Words {
    One(Vec<Operand>, u16),
    /// Both are computed before one is in its row.
    Pair([Vec<Operand>; 2], [u16; 2]),
    /// A number of two words, the second of which is another stencil's.
    Long(Vec<Operand>, &'static Stencil, [u16; 2]),
    /// A comparison.
    Mask(Vec<Operand>, u16),
}

/// Returns `true` if the host has the vectors that stencils are made of.
pub(super) fn host_is_able() -> bool {
    vectors::level::has_avx512()
}

impl Part {
    /// The part of a run that an instruction of `row` makes. `None`: it, or the form that it has here, is not for runs.
    pub fn new(row: &Row, lowered: &Lowered, groups: usize) -> Option<Part> {
        let op = &lowered.bare;
        match row.vector_shape() {
            Some(shape) => Computation::new(shape, op, groups).map(Part::Computes),
            None => lds_load(row, lowered).map(Part::Loads),
        }
    }

    /// The part that one of the two instructions of a dual one makes.
    pub fn half(shape: &VectorShape, op: &MicroOp, groups: usize) -> Option<Part> {
        Computation::new(shape, op, groups).map(Part::Computes)
    }

    /// How it is counted when the gain of a run is.
    pub fn sort(&self) -> Sort {
        match self {
            Part::Loads(_) => Sort::Loads,
            Part::Computes(one) => match one.words {
                Words::Mask(..) => Sort::Mask,
                Words::Pair(..) | Words::Long(..) => Sort::Pair,
                Words::One(..) if one.carry.is_some() => Sort::Mask,
                Words::One(..) => Sort::Word,
            },
        }
    }

    /// The rows that it writes.
    pub fn targets(&self) -> Vec<u16> {
        match self {
            Part::Computes(computation) => computation.targets().to_vec(),
            Part::Loads(load) => load.words.iter().map(|word| word.1).collect(),
        }
    }

    /// The rows that it reads.
    fn sources(&self) -> Vec<u16> {
        match self {
            Part::Computes(computation) => {
                let row = |operand: &Operand| match operand.source {
                    Source::Row(row) => Some(row),
                    _ => None,
                };
                computation.operands().filter_map(row).collect()
            }
            Part::Loads(load) => vec![load.address],
        }
    }

    /// The mask that it writes.
    pub fn mask(&self) -> Option<u16> {
        match self {
            Part::Computes(computation) => computation.mask(),
            Part::Loads(_) => None,
        }
    }

    /// The scalars that it reads as masks.
    fn mask_sources(&self) -> impl Iterator<Item = u16> {
        let operands = match self {
            Part::Computes(computation) => Some(computation.operands()),
            Part::Loads(_) => None,
        };
        let slot = |operand: &Operand| match operand.source {
            Source::Mask(slot) => Some(slot),
            _ => None,
        };
        operands.into_iter().flatten().filter_map(slot)
    }

    /// The scalars that it reads.
    fn scalars(&self) -> Vec<u16> {
        match self {
            Part::Computes(computation) => {
                let slot = |operand: &Operand| match operand.source {
                    Source::Scalar(slot) => Some(slot),
                    _ => None,
                };
                computation.operands().filter_map(slot).collect()
            }
            Part::Loads(_) => Vec::new(),
        }
    }

    /// The facts about it on which addresses depend.
    fn step(&self) -> anchors::Step<'_> {
        let (load, sum) = match self {
            Part::Computes(computation) => (None, computation.sum()),
            Part::Loads(load) => (Some(load), None),
        };
        let targets = self.targets();
        anchors::Step { load, sum, targets }
    }

    /// `near`: where it loads from, if it is a load near an anchor.
    fn apply(&self, assembler: &mut Assembler, near: Option<Near>) -> Result<(), Failure> {
        match self {
            Part::Computes(computation) => computation.apply(assembler),
            Part::Loads(load) => assembler.load(load, near),
        }
    }
}

/// A load from LDS, if there is a fast way for it in runs. One that may stop the wave is not for runs, because the code has stored the results
/// of groups of lanes by then. Neither is one with another micro-op in front.
fn lds_load(row: &Row, lowered: &Lowered) -> Option<Load> {
    let [op] = &lowered.ops[..] else {
        return None;
    };
    let Shape::Lds {
        data: Data::Plain,
        gds: false,
        ..
    } = row.shape
    else {
        return None;
    };
    let (_, elements, words, scale) = *LDS_LOADS.iter().find(|load| load.0 == row.mnemonic)?;
    let lds = op.lds();
    if lds.bounds().is_some() {
        return None;
    }
    let starts = match elements {
        1 => vec![lds.offset],
        _ => lds
            .offsets()
            .map(|offset| offset * 4 * words * scale)
            .to_vec(),
    };
    let bytes = starts
        .iter()
        .flat_map(|start| (0..words).map(move |word| start + 4 * word));
    Some(Load {
        address: op.src[0].index,
        words: bytes.zip(op.dst..).collect(),
    })
}

/// Loads from LDS: how many elements, words of each, and the unit of offsets in elements, where there are two.
const LDS_LOADS: &[(&str, u32, u32, u32)] = &[
    ("ds_read_b32", 1, 1, 0),
    ("ds_read_b64", 1, 2, 0),
    ("ds_read_b96", 1, 3, 0),
    ("ds_read_b128", 1, 4, 0),
    ("ds_read2_b32", 2, 1, 1),
    ("ds_read2_b64", 2, 2, 1),
    ("ds_read2st64_b32", 2, 1, 64),
    ("ds_read2st64_b64", 2, 2, 64),
];

impl Computation {
    fn new(shape: &VectorShape, op: &MicroOp, groups: usize) -> Option<Computation> {
        let function = shape.function.and_then(|function| function())?;
        let sources = stencil_sources(shape, &function);
        let stencil_of = |code: rows::Code| stencils().get(&(code as usize, sources));
        let stencil = stencil_of(function.code)?;
        let masks_fit = shape.mask_source == function.takes_mask
            && shape.mask_result == function.carry.is_some();
        let fits = function.high.is_some() || is_lane_wise(shape);
        if !fits || !masks_fit || op.vector().control != Control::NONE {
            return None;
        }
        let carry = match function.carry {
            // Nothing reads it.
            Some(_) if usize::from(op.vector().mask_dst) == sreg::SINK => None,
            Some(code) => Some((stencil_of(code)?, mask(op.vector().mask_dst, groups)?)),
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
            _ if let Some(high) = function.high => {
                let words = long_operands(op, &shape.sources)?;
                Words::Long(words, stencil_of(high)?, [op.dst, op.dst + 1])
            }
            _ => {
                let mut all = operands(op, count, floats)?;
                if function.takes_mask {
                    all.push(Source::Mask(mask(op.vector().mask_src, groups)?).into());
                }
                Words::One(all, op.dst)
            }
        };
        Some(Computation {
            stencil,
            words,
            carry,
            adds: Adds::of(function.code),
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
            Words::Pair(_, targets) | Words::Long(_, _, targets) => targets,
            Words::Mask(..) => &[],
        }
    }

    /// The mask that it writes.
    fn mask(&self) -> Option<u16> {
        match self.words {
            Words::Mask(_, target) => Some(target),
            _ => self.carry.map(|(_, mask)| mask),
        }
    }

    /// Its result as a row plus a constant, if it is one.
    fn sum(&self) -> Option<Sum> {
        let (Words::One(operands, to), None) = (&self.words, self.carry) else {
            return None;
        };
        let sets = self.adds? == Adds::Bits;
        match operands[..].first_chunk()?.map(|operand| operand.source) {
            [Source::Row(from), Source::Constant(bytes)]
            | [Source::Constant(bytes), Source::Row(from)] => Some(Sum {
                from,
                to: *to,
                bytes,
                sets,
            }),
            _ => None,
        }
    }

    /// All sources.
    fn operands(&self) -> impl Iterator<Item = &Operand> {
        let (first, second): (&[Operand], &[Operand]) = match &self.words {
            Words::One(sources, _) | Words::Mask(sources, _) | Words::Long(sources, ..) => {
                (sources, &[])
            }
            Words::Pair([low, high], _) => (low, high),
        };
        first.iter().chain(second)
    }

    fn apply(&self, assembler: &mut Assembler) -> Result<(), Failure> {
        match &self.words {
            Words::Mask(sources, target) => assembler.decide(self.stencil, sources, *target),
            Words::One(sources, target) if let Some((carry, mask)) = self.carry => {
                let targets = [Source::Row(*target), Source::Mask(mask)];
                assembler.apply_both([self.stencil, carry], sources, targets)
            }
            Words::Long(sources, high, targets) => {
                let targets = targets.map(Source::Row);
                assembler.apply_both([self.stencil, *high], sources, targets)
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
pub(crate) fn is_lane_wise(shape: &VectorShape) -> bool {
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
        let source = source(op, index, 0, 1)?;
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
            let source = source(op, index, op.vector().modifier(base, index) as u16, 2)?;
            is_pair.then_some(Operand::from(source))
        };
        (0..count).map(operand).collect::<Option<Vec<_>>>()
    };
    let words = [word(modifier::OP_SEL)?, word(modifier::OP_SEL_HI)?];
    Some(Words::Pair(words, [op.dst, op.dst + 1]))
}

/// All words of the sources of an instruction on longer numbers.
fn long_operands(op: &MicroOp, kinds: &[Type]) -> Option<Vec<Operand>> {
    if op.vector().modifiers & !MODIFIERS != 0 {
        return None;
    }
    let words = kinds.iter().enumerate().flat_map(|(index, kind)| {
        let words = kind.words() as u16;
        (0..words).map(move |word| source(op, index, word, words).map(Operand::from))
    });
    words.collect()
}

/// Word `word` of a source of `words`. EXEC changes while a run is done one by one, so that no instruction may read it.
fn source(op: &MicroOp, index: usize, word: u16, words: u16) -> Option<Source> {
    let source = op.src[index];
    match source.kind {
        SrcKind::Vector => Some(Source::Row(source.index + word)),
        SrcKind::Scalar if ((source.index + word) as usize) < sreg::EXEC => {
            Some(Source::Scalar(source.index + word))
        }
        SrcKind::Scalar => None,
        kind if has_form(kind) => {
            let value = source.constant_value(words.into());
            Some(Source::Constant((value >> (32 * word)) as u32))
        }
        _ => None,
    }
}

/// The rows, masks and scalars that a run uses, which decide whether the host has room for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Needs {
    parts: usize,
    /// Rows that it reads, and did not write before.
    reads: HashSet<u16>,
    writes: HashSet<u16>,
    masks: HashSet<u16>,
    /// Scalars that it reads.
    scalars: HashSet<u16>,
}

impl Needs {
    /// The same with one more instruction. `None`: there is no room for it.
    pub fn with(&self, parts: &[Part], groups: usize) -> Option<Needs> {
        let mut all = self.clone();
        for part in parts {
            let fresh = part
                .sources()
                .into_iter()
                .filter(|row| !all.writes.contains(row));
            all.reads.extend(fresh);
            all.writes.extend(part.targets());
            all.masks.extend(part.mask());
            all.scalars.extend(part.scalars());
            all.parts += 1;
        }
        // While a run is done one by one, masks have bits of both.
        let are_scalars = all.masks.iter().any(|&mask| {
            let mut words = mask..mask + mask_words(groups);
            words.any(|word| all.scalars.contains(&word))
        });
        let stay = all.reads.intersection(&all.writes).count() + all.masks.len();
        let fits = all.parts <= LONGEST && stay <= MOST_RESULTS && all.masks.len() <= MOST_MASKS;
        (fits && !are_scalars).then_some(all)
    }
}

/// Scalar instructions between those of a run, which are taken behind it.
#[derive(Clone, Debug, Default)]
pub(super) struct Riders {
    /// Their micro-ops.
    pub ops: Vec<usize>,
    reads: HashSet<u16>,
    writes: HashSet<u16>,
}

impl Riders {
    /// Adds an instruction that computes scalars of scalars, writes neither M0 nor EXEC, and does not stop the wave.
    pub fn add(&mut self, at: usize, row: &Row, lowered: &Lowered) -> Option<()> {
        let Shape::Scalar(shape) = &row.shape else {
            return None;
        };
        let [op] = &lowered.ops[..] else { return None };
        let result = op.dst..op.dst + shape.result.words() as u16;
        let stays = usize::from(result.end) <= sreg::M0 && op.after == flow::NEXT as u8;
        if !shape.pure || !stays {
            return None;
        }
        let mut reads = Vec::new();
        for (source, kind) in op.src.iter().zip(shape.sources) {
            match source.kind {
                SrcKind::Scalar => reads.extend(source.index..source.index + kind.words() as u16),
                // VCC may be behind it.
                SrcKind::Condition => return None,
                _ => {}
            }
        }
        self.ops.push(at);
        self.reads.extend(reads);
        self.writes.extend(result);
        Some(())
    }

    /// Returns `true` if the results are the same when they are executed behind `parts`, which come after them.
    pub fn may_wait_for(&self, parts: &[Part], groups: usize) -> bool {
        let words = |mask: u16| mask..mask + mask_words(groups);
        parts.iter().all(|part| {
            let mut written = part.mask().into_iter().flat_map(words);
            let read = part.mask_sources().flat_map(words).chain(part.scalars());
            !read.into_iter().any(|word| self.writes.contains(&word))
                && !written.any(|word| self.writes.contains(&word) || self.reads.contains(&word))
        })
    }
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
    let anchors = Anchors::of(parts.iter().map(Part::step));
    for (index, part) in parts.iter().enumerate() {
        for (number, anchor) in anchors.in_front_of(index) {
            assembler.look(number, anchor).ok()?;
        }
        part.apply(&mut assembler, anchors.near(index)).ok()?;
    }
    assembler.finish().ok()
}

/// Makes code that does nothing. The error is the host's.
pub(super) fn attempt() -> io::Result<()> {
    let routine = Assembler::new().finish().map_err(io::Error::other)?;
    Executable::new(&[routine]).map(drop)
}

/// The functions of a row.
fn codes(function: &rows::Function) -> impl Iterator<Item = rows::Code> + use<> {
    let codes = [Some(function.code), function.carry, function.high];
    codes.into_iter().flatten()
}

/// How many words the functions of a row take.
fn stencil_sources(shape: &VectorShape, function: &rows::Function) -> usize {
    let words = match function.high {
        Some(_) => shape.sources.iter().map(|kind| kind.words()).sum(),
        None => shape.source_count(),
    };
    words + usize::from(function.takes_mask)
}

/// The stencils of rows, by the address of their function, which rows with equal code share, and the number of sources. A row whose function is none stays with its handler.
fn stencils() -> &'static HashMap<(usize, usize), Stencil> {
    static STENCILS: OnceLock<HashMap<(usize, usize), Stencil>> = OnceLock::new();
    STENCILS.get_or_init(|| {
        let shapes = rows::all_rows().iter().filter_map(|row| row.vector_shape());
        let functions = shapes.filter_map(|shape| Some((shape, shape.function?()?)));
        let stencil = |(shape, function): (&VectorShape, rows::Function)| {
            let sources = stencil_sources(shape, &function);
            let codes = codes(&function);
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
        let sources = stencil_sources(shape, &function);
        let size = |code: rows::Code| {
            // SAFETY: as above.
            let stencil = unsafe { Stencil::read(code as *const u8, sources) };
            stencil.map(|stencil| stencil.instructions())
        };
        let size: Result<usize, _> = codes(&function).map(size).sum();
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
