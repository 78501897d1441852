//! The accesses of all workgroups that run.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{Arc, Weak},
};

use gpu::Dispatch;

use crate::{
    cells::{Cell, Cells, OTHERS, RecordId},
    clock::{Clock, Entry},
    plan::Decides,
    progress::Meeting,
    report::{Access, Found},
    scope::Scope,
};

/// An instruction that a wave has executed.
pub(crate) struct Record {
    pub wave: u32,
    pub group: u32,
    pub stamp: u32,
    pub access: Access,
    pub reach: Scope,
    pub says: Scope,
    pub synchronises: bool,
    pub pc: u64,
    /// A write: what its wave had done, and what it knew.
    pub own: Entry,
    pub known: Clock,
}

/// A workgroup.
pub(crate) struct Group {
    pub dispatch: u32,
    pub workgroup: [u32; 3],
    pub first_wave: u32,
}

/// A word that waves change by atomics.
#[derive(Default)]
pub(crate) struct Word {
    /// The knowledge that it hands on.
    pub clock: Clock,
    /// Writes that the clock lacks.
    pub writers: Vec<RecordId>,
}

/// Records that are kept at a time.
const MOST_RECORDS: usize = 1 << 25;
/// Writers of a word that no wave has read since.
const MOST_WRITERS: usize = 1 << 12;

#[derive(Default)]
pub(crate) struct State {
    pub cells: Cells,
    pub records: Vec<Record>,
    pub words: HashMap<u64, Word>,
    /// Earlier writers of some bytes of a dword, which the last writer has not written.
    parts: HashMap<u64, Vec<(RecordId, u8)>>,
    pub groups: Vec<Group>,
    /// The meetings at resources of the device, by launch and resource, and then by number.
    meetings: BTreeMap<(u32, u32), BTreeMap<u64, Meeting>>,
    /// Names of instructions whose accesses are not judged.
    pub unknown: HashSet<&'static str>,
    /// How often all accesses were forgotten.
    pub era: u32,
    /// Plain loads of words about which an atomic of the same wave decided.
    decided: HashMap<u64, Decides>,
    /// Plain reads beside atomics.
    held: Vec<(Arc<Dispatch>, Found)>,
    dispatches: Vec<Weak<Dispatch>>,
    waves: u32,
    live: usize,
}

impl State {
    /// A workgroup begins: its number.
    pub fn begin(&mut self, dispatch: &Arc<Dispatch>, workgroup: [u32; 3], waves: u32) -> u32 {
        let of = |known: &Weak<Dispatch>| Weak::as_ptr(known) == Arc::as_ptr(dispatch);
        let number = match self.dispatches.iter().position(of) {
            Some(number) => number,
            None => {
                if self.live == 0 {
                    self.forget();
                    self.groups.clear();
                    self.meetings.clear();
                    self.decided.clear();
                    self.dispatches.clear();
                    self.waves = 0;
                }
                self.dispatches.push(Arc::downgrade(dispatch));
                self.dispatches.len() - 1
            }
        };
        self.live += 1;
        self.groups.push(Group {
            dispatch: number as u32,
            workgroup,
            first_wave: self.waves,
        });
        self.waves += waves;
        self.groups.len() as u32 - 1
    }

    /// A meeting of the launch of a workgroup. Waves are never two meetings behind others.
    pub fn meeting(&mut self, group: u32, resource: u32, number: u64) -> &mut Meeting {
        let dispatch = self.groups[group as usize].dispatch;
        let meetings = self.meetings.entry((dispatch, resource)).or_default();
        meetings.retain(|known, _| *known == 0 || *known + 2 > number);
        meetings.entry(number).or_default()
    }

    /// An atomic decided about the word that the instruction at `pc` had loaded.
    pub fn decided(&mut self, pc: u64, decides: Decides) {
        let known = self.decided.entry(pc).or_insert(decides);
        *known = (*known).max(decides);
    }

    /// Keeps a plain read beside an atomic until it is known whether the read matters.
    pub fn hold(&mut self, dispatch: &Arc<Dispatch>, found: Found) {
        let mut known = self.held.iter_mut();
        match known.find(|(of, known)| Arc::ptr_eq(of, dispatch) && known.alike() == found.alike())
        {
            Some((_, known)) => known.times += found.times,
            None => self.held.push((dispatch.clone(), found)),
        }
    }

    /// A workgroup ends. With the last one the findings come that were held back.
    pub fn end(&mut self, deciding: bool) -> Vec<(Arc<Dispatch>, Found)> {
        self.live -= 1;
        if self.live != 0 {
            return Vec::new();
        }
        let mut held = std::mem::take(&mut self.held);
        if !deciding {
            return held;
        }
        held.retain_mut(|(_, found)| {
            let decides = found
                .read_beside_atomic()
                .and_then(|pc| self.decided.get(&pc));
            found.certain &= decides.is_none();
            decides != Some(&Decides::Surely)
        });
        held
    }

    /// No access is known any more.
    fn forget(&mut self) {
        self.era += 1;
        self.cells.clear();
        self.records.clear();
        self.words.clear();
        self.parts.clear();
    }

    /// Keeps a record. When there are too many, the older ones are given up.
    pub fn keep(&mut self, record: Record) -> RecordId {
        if self.records.len() >= MOST_RECORDS {
            self.forget();
        }
        self.records.push(record);
        self.records.len() as RecordId
    }

    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id as usize - 1]
    }

    pub fn group(&self, record: &Record) -> &Group {
        &self.groups[record.group as usize]
    }

    /// All that a word tells whose last writer is `writer`.
    pub fn told(&mut self, address: u64, writer: RecordId) -> Clock {
        let mut clock = match self.words.get_mut(&address) {
            Some(word) => {
                fold(word, &self.records);
                return word.clock.clone();
            }
            None => Clock::default(),
        };
        tell(&mut clock, self.record(writer));
        clock
    }

    /// Bytes of a dword that had this cell were written. Returns `OTHERS` if there are bytes that other waves have written before.
    pub fn divided(&mut self, address: u64, cell: &Cell, id: RecordId, bytes: u8) -> u8 {
        let left = match cell.writer {
            0 => 0,
            writer if writer == id => 0,
            _ => cell.bytes[0] & !OTHERS & !bytes,
        };
        let had = cell.bytes[0] & OTHERS != 0;
        if left == 0 && !had {
            return 0;
        }
        let parts = self.parts.entry(address).or_default();
        if !had {
            parts.clear();
        }
        parts.iter_mut().for_each(|(_, mask)| *mask &= !bytes);
        parts.retain(|(_, mask)| *mask != 0);
        if left != 0 {
            parts.push((cell.writer, left));
        }
        if parts.is_empty() { 0 } else { OTHERS }
    }

    /// The writers of some of these bytes before the last one.
    pub fn writers(&self, address: u64, cell: &Cell, bytes: u8) -> Vec<RecordId> {
        if cell.bytes[0] & OTHERS == 0 {
            return Vec::new();
        }
        let parts = self.parts.get(&address).into_iter().flatten();
        let parts = parts.filter(|(_, mask)| mask & bytes != 0);
        parts.map(|(writer, _)| *writer).collect()
    }

    /// A word was written. An atomic hands on what was told before.
    pub fn wrote(&mut self, address: u64, before: RecordId, id: RecordId, atomic: bool) {
        if !atomic {
            self.words.remove(&address);
            return;
        }
        let word = self.words.entry(address).or_insert_with(|| Word {
            clock: Clock::default(),
            writers: (before != 0).then_some(before).into_iter().collect(),
        });
        if word.writers.last() != Some(&id) {
            word.writers.push(id);
        }
        if word.writers.len() > MOST_WRITERS {
            fold(word, &self.records);
        }
    }
}

fn tell(clock: &mut Clock, record: &Record) {
    clock.join(&record.known);
    clock.raise(record.wave, record.own);
}

fn fold(word: &mut Word, records: &[Record]) {
    for id in word.writers.drain(..) {
        tell(&mut word.clock, &records[id as usize - 1]);
    }
}
