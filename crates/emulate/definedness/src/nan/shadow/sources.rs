//! Sources that are no numbers.

use super::{At, Class, Format, LANES, Numbers, Row, Rule, Scene, Source, Taint, Vector, each};
use crate::{
    lanes::NONE,
    moves::{Dpp, Part},
    nan::formats::Taken,
};

/// The sources of an instruction that are no numbers.
#[derive(Clone, Default)]
pub(super) struct Gathered {
    /// The first of each lane that an instruction of the kernel made.
    taints: Option<Box<Row>>,
    /// Lanes with such a source that is NaN.
    pub tainted_nan: u64,
    /// Lanes with a source from elsewhere.
    pub nan: u64,
    pub infinity: u64,
}

impl Gathered {
    pub fn taint(&self, lane: usize) -> Taint {
        self.taints
            .as_ref()
            .map_or(Taint::NONE, |all| Taint(all[lane]))
    }

    /// Lane 0 gets what the first lane of `exec` has.
    pub fn in_first_lane(&self, exec: u64) -> Gathered {
        let first = exec.trailing_zeros() as usize % LANES;
        let bit = |mask: u64| mask >> first & 1;
        Gathered {
            taints: self
                .taints
                .as_ref()
                .map(|all| Box::new([all[first]; LANES])),
            tainted_nan: bit(self.tainted_nan),
            nan: bit(self.nan),
            infinity: bit(self.infinity),
        }
    }

    fn add(&mut self, lane: usize, class: Class, taint: Taint) {
        let bit = 1 << lane;
        if taint.is_none() {
            match class {
                Class::Number => {}
                Class::Infinity => self.infinity |= bit,
                Class::Nan => self.nan |= bit,
            }
            return;
        }
        if class == Class::Nan {
            self.tainted_nan |= bit;
        }
        let all = self.taints.get_or_insert_with(|| Box::new(NONE));
        if all[lane] == 0 {
            all[lane] = taint.0;
        }
    }
}

/// A constant of 32 bits is the high word of a double.
fn of_constant(taken: Taken, value: i64) -> Class {
    match taken {
        Taken::One(format @ Format::Double) if value >> 32 == 0 => {
            format.class(value as u32, 0, super::Halves::Both)
        }
        taken => taken.class(
            match taken {
                Taken::One(Format::Double) => (value >> 32) as u32,
                _ => value as u32,
            },
            value as u32,
        ),
    }
}

impl Scene<'_> {
    fn words(&self, row: usize) -> &Row {
        match row < self.wave.vector_rows() {
            true => self.wave.vgpr_row(row),
            false => &NONE,
        }
    }

    /// The sources of an instruction that computes, and the lanes that write.
    pub(super) fn gather(
        &self,
        sources: &[Source],
        dpp: Option<&Dpp>,
        numbers: Numbers,
        exec: u64,
    ) -> (Gathered, u64) {
        let mut all = Gathered::default();
        let count = if numbers.first_only { 1 } else { usize::MAX };
        for (index, source) in sources.iter().take(count).enumerate() {
            let dpp = dpp.filter(|_| index == 0);
            let double = numbers.taken == Taken::One(Format::Double);
            match source.at {
                // An integer of a single word beside doubles, such as a shift, says nothing.
                At::Row(_) | At::Slot(_) if double && source.words == 1 => {}
                At::Constant(value) => {
                    let class = of_constant(numbers.taken, value);
                    if class != Class::Number {
                        each(exec).for_each(|lane| all.add(lane, class, Taint::NONE));
                    }
                }
                At::Scc => {}
                _ => {
                    let first = if double { 1 } else { 0 };
                    for word in (first..source.words).step_by(first + 1) {
                        self.add_word(&mut all, numbers.taken, (source, word), dpp, exec);
                    }
                }
            }
        }
        let mask = dpp.map_or(exec, |dpp| dpp.apply(&NONE, exec).1);
        (all, mask)
    }

    /// Adds a word of a source.
    fn add_word(
        &self,
        all: &mut Gathered,
        taken: Taken,
        (source, word): (&Source, usize),
        dpp: Option<&Dpp>,
        exec: u64,
    ) {
        let (mut words, low, mut taints) = match source.at {
            At::Row(row) => (
                *self.words(row + word),
                self.words(row + word.saturating_sub(1)),
                self.taints().row(row + word).copied(),
            ),
            At::Slot(slot) => {
                let slot = slot + word;
                let taint = self.taints().slot(slot);
                let class = taken.class(
                    source.part.read(self.wave.sgpr(slot)),
                    self.wave.sgpr(slot.saturating_sub(1)),
                );
                if class != Class::Number {
                    let taint = taint.of_word(self.wave.sgpr(slot));
                    each(exec).for_each(|lane| all.add(lane, class, taint));
                }
                return;
            }
            _ => return,
        };
        if let Some(dpp) = dpp {
            words = dpp.apply(&words, exec).0;
            taints = taints.map(|row| dpp.apply(&row, exec).0);
        }
        for lane in each(exec) {
            let word = words[lane];
            let part = match source.part {
                Part::WHOLE => word,
                part => part.read(word),
            };
            let class = taken.class(part, low[lane]);
            if class != Class::Number {
                let taint = taints.map_or(Taint::NONE, |row| Taint(row[lane]).of_word(word));
                all.add(lane, class, taint);
            }
        }
    }

    /// Returns `true` if a source may be a value that an instruction made of numbers.
    pub(super) fn any_tainted(&self, vector: &Vector) -> bool {
        let taints = self.taints();
        let swapped = vector.destination.filter(|_| {
            matches!(vector.rule, Rule::Swap | Rule::WriteLane) || vector.dpp.is_some()
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
                        let words = self.words(row);
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
