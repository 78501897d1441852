//! The sources of an instruction as numbers, before it and after it.

use std::ops::Range;

use wave::Wave;

use super::{
    At, Class, Format, LANES, Origin, Row, Rule, Scene, Source, Taint, Taints, Vector, each,
};
use crate::{
    lanes::NONE,
    moves::{Dpp, Part},
    nan::{
        formats::Elements,
        meaning::{Numbers, Taken},
        step::Step,
    },
};

/// Registers as they were before an instruction, if need be.
pub(super) struct View<'a> {
    pub wave: &'a Wave,
    pub taints: &'a Taints,
    /// The instruction is done: what it has overwritten is here.
    pub saved: Option<(&'a Step, &'a [Row])>,
}

/// A word of a source.
struct Word {
    words: Words,
    format: Format,
    part: Part,
    /// The number of the source.
    index: usize,
    is_constant: bool,
}

enum Words {
    /// The word of each lane, the other word of a pair, and taints.
    Lanes(Box<(Row, Row, Row)>),
    /// The same for all lanes.
    All(u32, u32, Taint),
}

/// The sources of an instruction that are numbers.
pub(super) struct Sources(Vec<Word>);

impl Word {
    fn bits(&self, lane: usize) -> (u32, u32) {
        let (word, low) = match &self.words {
            Words::Lanes(rows) => (rows.0[lane], rows.1[lane]),
            Words::All(word, low, _) => (*word, *low),
        };
        match self.part {
            Part::WHOLE => (word, low),
            part => (part.read(word), low),
        }
    }

    fn numbers(&self, lane: usize) -> impl Iterator<Item = (u32, u32, Format)> + use<> {
        let (bits, low) = self.bits(lane);
        let format = self.format;
        let elements = Elements::in_bits(format, 0, self.part.width);
        let each = format.each(bits, elements);
        each.map(move |bits| (bits, low, format))
    }

    fn taint(&self, lane: usize) -> Taint {
        match &self.words {
            Words::Lanes(rows) => Taint(rows.2[lane]).of_word(rows.0[lane]),
            Words::All(word, _, taint) => taint.of_word(*word),
        }
    }
}

impl Sources {
    /// The sources of a lane that are no numbers.
    pub fn origin(&self, lane: usize) -> Origin {
        let mut origin = Origin::default();
        for word in &self.0 {
            let (bits, low) = word.bits(lane);
            let class = word.format.class(bits, low, Elements::ALL);
            if class != Class::Number {
                origin.add(class, word.taint(lane));
            }
        }
        origin
    }

    /// The bits, the other word and the format of all numbers of a lane in registers.
    pub fn in_registers(
        &self,
        taken: Range<usize>,
        lane: usize,
    ) -> impl Iterator<Item = (u32, u32, Format)> {
        let words = self.0.iter();
        let chosen = words.filter(move |word| !word.is_constant && taken.contains(&word.index));
        chosen.flat_map(move |word| word.numbers(lane))
    }

    /// The bits of the numbers of source `index` in a lane, the other word of a pair, and their format.
    pub fn numbers(&self, index: usize, lane: usize) -> impl Iterator<Item = (u32, u32, Format)> {
        let of_source = self.0.iter().filter(move |word| word.index == index);
        of_source.flat_map(move |word| word.numbers(lane))
    }
}

/// A row of registers; one that the wave does not have is zero.
pub(super) fn row_of(wave: &Wave, row: usize) -> &Row {
    match row < wave.vector_rows() {
        true => wave.vgpr_row(row),
        false => &NONE,
    }
}

/// A constant of 32 bits is the high word of a double.
fn of_constant(format: Format, value: i64) -> (u32, u32) {
    match format {
        Format::Double if value >> 32 == 0 => (value as u32, 0),
        Format::Double => ((value >> 32) as u32, value as u32),
        _ => (value as u32, 0),
    }
}

impl<'a> View<'a> {
    pub fn words(&self, row: usize) -> &'a Row {
        if let Some((step, saved)) = self.saved
            && let Ok(at) = step.overwritten.binary_search(&row)
            && let Some(words) = saved.get(at)
        {
            return words;
        }
        row_of(self.wave, row)
    }

    /// Reads the sources of an instruction that are numbers.
    pub fn sources(
        &self,
        sources: &[Source],
        dpp: Option<&Dpp>,
        (taken, count): (Taken, usize),
        exec: u64,
    ) -> Sources {
        let mut all = Vec::new();
        for (index, source) in sources.iter().take(count).enumerate() {
            let Some(format) = taken.of(index, source.part) else {
                continue;
            };
            let mut add = |words: Words| {
                all.push(Word {
                    words,
                    format,
                    part: source.part,
                    index,
                    is_constant: matches!(source.at, At::Constant(_)),
                });
            };
            let double = format == Format::Double;
            let dpp = dpp.filter(|_| index == 0);
            let first = usize::from(double);
            let each_word = (first..source.words).step_by(first + 1);
            match source.at {
                // An integer of a single word beside doubles, such as a shift, says nothing.
                At::Row(_) | At::Slot(_) if double && source.words == 1 => {}
                At::Scc => {}
                At::Constant(value) => {
                    let (word, low) = of_constant(format, value);
                    add(Words::All(word, low, Taint::NONE));
                }
                At::Slot(slot) => each_word.for_each(|word| {
                    let slot = slot + word;
                    let low = self.wave.sgpr(slot.saturating_sub(1));
                    let taint = self.taints.slot(slot);
                    add(Words::All(self.wave.sgpr(slot), low, taint));
                }),
                At::Row(row) => each_word.for_each(|word| {
                    let row = row + word;
                    let mut rows = (
                        *self.words(row),
                        *self.words(row.saturating_sub(1)),
                        *self.taints.row(row).unwrap_or(&NONE),
                    );
                    if let Some(dpp) = dpp {
                        rows.0 = dpp.apply(&rows.0, exec).0;
                        rows.1 = dpp.apply(&rows.1, exec).0;
                        rows.2 = dpp.apply(&rows.2, exec).0;
                    }
                    add(Words::Lanes(Box::new(rows)));
                }),
            }
        }
        Sources(all)
    }

    pub fn of_vector(&self, vector: &Vector, numbers: &Numbers, exec: u64) -> Sources {
        let taken = (numbers.taken, numbers.count);
        self.sources(&vector.sources, vector.dpp.as_deref(), taken, exec)
    }
}

impl Scene<'_> {
    /// Returns `true` if a source may be a value that an instruction made of numbers.
    pub(super) fn any_tainted(&self, vector: &Vector) -> bool {
        let taints = self.taints();
        let swapped = vector.destination.filter(|_| {
            matches!(vector.rule, Rule::Swap(_) | Rule::WriteLane) || vector.dpp.is_some()
        });
        let own = swapped.is_some_and(|(row, _)| taints.row(row).is_some());
        own || vector.sources.iter().any(|source| match source.at {
            At::Row(row) => (row..row + source.words).any(|row| taints.row(row).is_some()),
            At::Slot(slot) => (slot..slot + source.words).any(|slot| !taints.slot(slot).is_none()),
            _ => false,
        })
    }

    /// All words of sources, and of the old destination, that have taints.
    pub(super) fn tainted_words(&self, vector: &Vector) -> Vec<(u32, Taint)> {
        let mut all: Vec<(u32, Taint)> = Vec::new();
        let mut add = |word: u32, taint: Taint| {
            if !taint.is_none() && all.iter().all(|(known, _)| *known != word) {
                all.push((word, taint));
            }
        };
        let old = vector.destination.into_iter().map(|(row, words)| Source {
            at: At::Row(row),
            words,
            part: Part::WHOLE,
        });
        for source in vector.sources.iter().copied().chain(old) {
            match source.at {
                At::Row(row) => {
                    for row in row..row + source.words {
                        let Some(taints) = self.taints().row(row) else {
                            continue;
                        };
                        let words = self.view().words(row);
                        (0..LANES).for_each(|lane| add(words[lane], Taint(taints[lane])));
                    }
                }
                At::Slot(slot) => (slot..slot + source.words)
                    .for_each(|slot| add(self.wave.sgpr(slot), self.taints().slot(slot))),
                _ => {}
            }
        }
        all
    }

    /// The first taint among the sources of each lane.
    pub(super) fn own_lanes(&self, vector: &Vector, exec: u64) -> Box<Row> {
        let chosen = match (vector.rule, vector.mask) {
            (Rule::Select, Some(slot)) => Some(self.mask(slot)),
            _ => None,
        };
        let mut lanes = Box::new(NONE);
        for (index, source) in vector.sources.iter().enumerate() {
            for lane in each(exec) {
                let is_chosen =
                    chosen.is_none_or(|mask| (mask >> lane & 1 != 0) == (index == 1) && index < 2);
                if is_chosen && lanes[lane] == 0 {
                    lanes[lane] = self.taint_in(source, lane).0;
                }
            }
        }
        lanes
    }

    fn mask(&self, slot: usize) -> u64 {
        let high = match self.step.plan.mask_words {
            2 => u64::from(self.wave.sgpr(slot + 1)) << 32,
            _ => 0,
        };
        u64::from(self.wave.sgpr(slot)) | high
    }

    fn taint_in(&self, source: &Source, lane: usize) -> Taint {
        let taints = self.taints();
        let mut all = (0..source.words).map(|word| match source.at {
            At::Row(row) => Taint(taints.row(row + word).map_or(0, |row| row[lane])),
            At::Slot(slot) => taints.slot(slot + word),
            _ => Taint::NONE,
        });
        all.find(|one| !one.is_none()).unwrap_or_default()
    }
}
