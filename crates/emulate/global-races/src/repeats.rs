//! Scalar loads that one wave repeats after the other, as those of a kernel's arguments. Cells keep the reads of the last two waves, so each wave would
//! change the cells of all dwords. The two reads are kept here until another instruction accesses the row.

use crate::{
    cells::{Dwords, ROW},
    records::Site,
};

/// A scalar load of whole dwords of one row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Load {
    pub site: Site,
    /// The row's address.
    pub row: u64,
    pub dwords: Dwords,
}

/// A wave and its stamp.
pub(crate) type Reader = (u32, u32);

/// A load that some wave has executed, and the reads of the last two waves, the newest first, that the cells lack. Without the newest one, the cells
/// lack nothing.
#[derive(Clone, Copy)]
struct Repeat {
    load: Load,
    readers: [Option<Reader>; 2],
}

const SLOTS: usize = 16;

/// Loads by the places of their instructions.
#[derive(Default)]
pub(crate) struct Repeats {
    all: [Option<Repeat>; SLOTS],
    /// A bit for the number of each row whose cells lack a read. Rows share bits.
    rows: u64,
}

fn slot(load: &Load) -> usize {
    load.site.pc as usize / 4 % SLOTS
}

fn bit(row: u64) -> u64 {
    1 << (row / ROW % 64)
}

impl Repeats {
    /// Returns `true` if the load is one whose reads are kept here. This one is kept as well then.
    #[inline]
    pub fn again(&mut self, load: &Load, reader: Reader) -> bool {
        let Some(Repeat {
            load: known,
            readers,
        }) = &mut self.all[slot(load)]
        else {
            return false;
        };
        let [Some(last), _] = readers else {
            return false;
        };
        if known != load {
            return false;
        }
        match last.0 == reader.0 {
            true => *last = reader,
            false => *readers = [Some(reader), Some(*last)],
        }
        true
    }

    /// Returns `true` if the load is the last one at its place, and thus may come again.
    pub fn is_known(&self, load: &Load) -> bool {
        self.all[slot(load)].is_some_and(|known| known.load == *load)
    }

    /// The load comes for the first time; its cells know of it. The load before it at its place must have been taken.
    pub fn meets(&mut self, load: &Load) {
        self.all[slot(load)] = Some(Repeat {
            load: *load,
            readers: [None; 2],
        });
    }

    /// The reads of this load are kept from this one on.
    pub fn keep(&mut self, load: &Load, reader: Reader) {
        self.all[slot(load)] = Some(Repeat {
            load: *load,
            readers: [Some(reader), None],
        });
        self.rows |= bit(load.row);
    }

    /// Returns `false` if no cell of the row lacks a read.
    #[inline]
    pub fn may_have(&self, address: u64) -> bool {
        self.rows & bit(address) != 0
    }

    /// Takes the reads, the oldest first, of a load of these dwords of a row that the cells lack.
    pub fn take(&mut self, row: u64, dwords: Dwords) -> Option<(Load, [Option<Reader>; 2])> {
        self.take_one(|load| load.row == row && load.dwords & dwords != 0)
    }

    /// The same for the load at the place of another one.
    pub fn take_slot(&mut self, load: &Load) -> Option<(Load, [Option<Reader>; 2])> {
        let number = slot(load);
        self.take_one(|known| slot(known) == number)
    }

    /// The same for any load.
    pub fn take_any(&mut self) -> Option<(Load, [Option<Reader>; 2])> {
        self.take_one(|_| true)
    }

    fn take_one(&mut self, is_it: impl Fn(&Load) -> bool) -> Option<(Load, [Option<Reader>; 2])> {
        let mut lacking = (self.all.iter_mut().flatten()).filter(|one| one.readers[0].is_some());
        let one = lacking.find(|one| is_it(&one.load))?;
        let [new, old] = std::mem::take(&mut one.readers);
        let taken = (one.load, [old, new]);
        let lacking = (self.all.iter().flatten()).filter(|one| one.readers[0].is_some());
        self.rows = lacking.fold(0, |all, one| all | bit(one.load.row));
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cell::Cell, report::Access, scope::Scope, state::State};

    /// A load of some dwords of two rows. Two instructions share a slot.
    fn load(next: &mut impl FnMut(u64) -> u64) -> Load {
        let dwords = [1, 3, 15, 0xf0, 0xff << 8, 3 << 30][next(6) as usize];
        Load {
            site: Site {
                dispatch: next(8) as u32 / 7,
                access: Access::Read,
                reach: Scope::Near,
                says: Scope::Near,
                synchronises: false,
                pc: 256 + 4 * u64::from(dwords % 7) + 4 * SLOTS as u64 * (next(8) / 7),
            },
            row: ROW * (2 + next(8) / 7 * 64),
            dwords,
        }
    }

    /// The waves and stamps of a cell's accesses, and the places of its reads.
    fn accesses(state: &State, cell: &Cell) -> Vec<(u32, u32, u64)> {
        let reads = cell.reads().map(|(id, _)| id);
        let written = Some(cell.writer()).filter(|id| *id != 0);
        let all = written.into_iter().chain(reads);
        all.map(|id| {
            let record = state.record(id);
            (record.wave, record.stamp, state.site(record).pc)
        })
        .collect()
    }

    /// Loads of few waves and writes between them, against a state whose cells know of each load at once.
    #[test]
    fn cells_know_of_kept_reads_when_they_are_looked_at() {
        let mut next = crate::random::numbers();
        let (mut kept, mut plain) = (State::of(1 << 20), State::of(1 << 20));
        let (mut count, mut last) = (0, load(&mut next));
        for stamp in 1..40_000 {
            if next(4) == 0 {
                last = load(&mut next);
            }
            let reader = (next(4) as u32, stamp);
            match next(32) {
                0 => {
                    let address = last.row + 4 * next(32);
                    let synchronises = next(4) == 0;
                    for state in [&mut kept, &mut plain] {
                        let id = state.records().add(reader.0, stamp, last.site, None);
                        let spot = state.spot(address);
                        let mut cell = state.cells.at(spot);
                        cell.write(id, 15, false, synchronises);
                        state.cells.set(spot, cell);
                    }
                }
                1 if next(8) == 0 => [&mut kept, &mut plain]
                    .into_iter()
                    .for_each(|state| state.anew(last.row, 4 * 20)),
                _ => {
                    plain.note(&last, [None, Some(reader)]);
                    match kept.repeats(&last, reader) {
                        true => count += 1,
                        false => {
                            kept.spot(last.row);
                            kept.note(&last, [None, Some(reader)]);
                        }
                    }
                }
            }
            if next(8) == 0 {
                let address = last.row + 4 * next(32);
                let [one, other] = [&mut kept, &mut plain].map(|state| {
                    let spot = state.spot(address);
                    let cell = state.cells.at(spot);
                    accesses(state, &cell)
                });
                assert_eq!(one, other, "{stamp}");
            }
        }
        assert!(count > 4000, "{count}");
    }

    /// One wave executes two loads of a row by turns, or one whose row another instruction looks at.
    #[test]
    fn a_wave_that_repeats_loads_has_few_records() {
        let mut next = crate::random::numbers();
        let loads = [(256, 3), (260, 15)].map(|(pc, dwords)| Load {
            site: Site {
                pc,
                ..load(&mut next).site
            },
            row: 2 * ROW,
            dwords,
        });
        for second in [0, 1] {
            let (mut state, mut kept) = (State::of(64), 0);
            for turn in 0..1000 {
                let reader = (turn % 2, 1);
                for load in [&loads[0], &loads[second]] {
                    match state.repeats(load, reader) {
                        true => kept += 1,
                        false => state.note(load, [None, Some(reader)]),
                    }
                    state.spot(2 * ROW);
                }
            }
            assert!(kept > 500, "{kept}");
            assert!(state.records().len() < 10, "{}", state.records().len());
            let cells = state.cells.numbers_in_use();
            assert!(cells <= 128, "{cells}");
        }
    }
}
