//! Instructions that waves have executed. There are many records, and accesses look at those of other waves: four share a line of the host's caches.

use std::collections::HashMap;

use crate::{
    cell::RecordId,
    clock::{Clock, Entry},
    report::Access,
    scope::Scope,
};

/// An instruction that a wave has executed.
#[derive(Clone, Copy)]
pub(crate) struct Record {
    pub wave: u32,
    pub stamp: u32,
    site: u32,
    /// A write: the number of what its wave knew, counted from 1; 0: a read.
    known: u32,
}

/// An instruction of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Site {
    pub dispatch: u32,
    pub access: Access,
    pub reach: Scope,
    pub says: Scope,
    pub synchronises: bool,
    pub pc: u64,
}

/// Copies have no instructions.
pub(crate) const NO_CODE: u64 = 0;

impl Site {
    /// An engine of the device makes the access, not a wave.
    pub fn is_copy(&self) -> bool {
        self.pc == NO_CODE
    }
}

/// The things that a wave had done and knew when it wrote.
struct Known {
    own: Entry,
    others: Clock,
}

/// More than the instructions of most loops that access memory.
const RECENT: usize = 64;

pub(crate) struct Records {
    all: Vec<Record>,
    sites: Vec<Site>,
    numbers: HashMap<Site, u32>,
    /// Numbers of sites that may be those of instructions at such places.
    recent: [u32; RECENT],
    known: Vec<Known>,
}

impl Default for Records {
    fn default() -> Records {
        Records {
            all: Vec::new(),
            sites: Vec::new(),
            numbers: HashMap::new(),
            recent: [0; RECENT],
            known: Vec::new(),
        }
    }
}

impl Records {
    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn clear(&mut self) {
        self.all.clear();
        self.sites.clear();
        self.numbers.clear();
        self.known.clear();
    }

    /// A wave has executed an instruction. If that writes, others may learn what the wave had done and knew.
    pub fn add(
        &mut self,
        wave: u32,
        stamp: u32,
        site: Site,
        known: Option<(Entry, &Clock)>,
    ) -> RecordId {
        let record = Record {
            wave,
            stamp,
            site: self.number(site),
            known: known.map_or(0, |(own, others)| self.known(own, others)),
        };
        self.all.push(record);
        self.all.len() as RecordId
    }

    fn number(&mut self, site: Site) -> u32 {
        let recent = &mut self.recent[site.pc as usize / 4 % RECENT];
        if self.sites.get(*recent as usize) == Some(&site) {
            return *recent;
        }
        let next = self.sites.len() as u32;
        *recent = *self.numbers.entry(site).or_insert(next);
        if *recent == next {
            self.sites.push(site);
        }
        *recent
    }

    /// Waves that do alike know alike: the last one is looked at first.
    fn known(&mut self, own: Entry, others: &Clock) -> u32 {
        let is_it = |known: &Known| known.own == own && known.others.is_same(others);
        if !self.known.last().is_some_and(is_it) {
            let others = others.clone();
            self.known.push(Known { own, others });
        }
        self.known.len() as u32
    }

    pub fn get(&self, id: RecordId) -> &Record {
        &self.all[id as usize - 1]
    }

    pub fn site(&self, record: &Record) -> &Site {
        &self.sites[record.site as usize]
    }

    /// Adds all that a write tells to what is known.
    pub fn tell(&self, id: RecordId, clock: &mut Clock) {
        let record = self.get(id);
        let Some(known) = self.known.get((record.known as usize).wrapping_sub(1)) else {
            return;
        };
        clock.join(&known.others);
        clock.raise(record.wave, known.own);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes tell what their waves knew, and records have their sites: of more instructions than are remembered, in any sequence.
    #[test]
    fn records_are_what_was_added() {
        let mut records = Records::default();
        let mut next = crate::random::numbers();
        for round in 0..3 {
            let mut clocks = vec![Clock::default(); 3];
            let mut plain = Vec::new();
            for stamp in 1..3000u32 {
                let site = Site {
                    dispatch: next(3) as u32,
                    access: [Access::Read, Access::Write][next(2) as usize],
                    reach: Scope::Agent,
                    says: Scope::Near,
                    synchronises: next(2) == 0,
                    pc: 4 * next(100),
                };
                let (at, wave) = (next(3) as usize, next(200) as u32);
                let own = Entry {
                    issued: next(2) as u32,
                    waited: next(2) as u32,
                    agent: next(2) as u32,
                };
                if next(5) == 0 {
                    clocks[at].raise(1000 + wave, own);
                }
                let writes = site.access == Access::Write;
                let known = writes.then_some((own, &clocks[at]));
                let id = records.add(wave, stamp, site, known);
                plain.push((id, (wave, stamp), site, own, clocks[at].clone()));
            }
            for (id, (wave, stamp), site, own, known) in plain {
                let record = records.get(id);
                assert!((record.wave, record.stamp) == (wave, stamp), "{round}");
                assert!(*records.site(record) == site, "{round}: {id}");
                let mut told = Clock::default();
                records.tell(id, &mut told);
                let writes = site.access == Access::Write;
                let expected = if writes { own } else { Entry::default() };
                assert_eq!(told.get(wave), expected, "{round}: {id}");
                for other in 1000..1200 {
                    let entry = if writes {
                        known.get(other)
                    } else {
                        Entry::default()
                    };
                    assert_eq!(told.get(other), entry, "{round}: {id}");
                }
            }
            records.clear();
        }
    }
}
