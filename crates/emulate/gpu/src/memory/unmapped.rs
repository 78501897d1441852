//! Shared virtual memory that the program unmaps. The kernel driver forgets what was said about such memory, so the next mapping at the same
//! addresses has no attributes.
//!
//! Any call of `munmap` may bring the news, also one in a signal handler or in an allocator. The emulator itself may call it while it changes
//! the map. [`Memory::unmapped`] therefore never waits and never allocates: if the map is in use, it notes the range. Every function that reads
//! shared ranges settles the notes first.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::{Map, Memory};

/// Ranges that can be noted at once. The map is never in use for so long.
const NOTES: usize = 64;
/// States of [`Note::start`] that are no addresses.
const FREE: u64 = 0;
const BEING_WRITTEN: u64 = 1;

struct Note {
    start: AtomicU64,
    end: AtomicU64,
}

/// Ranges that were unmapped while the map was in use.
pub(super) struct Notes {
    any: AtomicBool,
    notes: [Note; NOTES],
}

impl Default for Notes {
    fn default() -> Notes {
        Notes {
            any: AtomicBool::new(false),
            notes: [const {
                Note {
                    start: AtomicU64::new(FREE),
                    end: AtomicU64::new(0),
                }
            }; NOTES],
        }
    }
}

impl Notes {
    fn add(&self, start: u64, end: u64) {
        for note in &self.notes {
            let claimed = note.start.compare_exchange(
                FREE,
                BEING_WRITTEN,
                Ordering::Acquire,
                Ordering::Relaxed,
            );
            if claimed.is_ok() {
                note.end.store(end, Ordering::Relaxed);
                note.start.store(start, Ordering::Release);
                self.any.store(true, Ordering::SeqCst);
                return;
            }
        }
    }

    /// Takes the notes. The caller has the map for itself.
    fn take(&self) -> Vec<(u64, u64)> {
        if !self.any.swap(false, Ordering::SeqCst) {
            return Vec::new();
        }
        let mut taken = Vec::new();
        for note in &self.notes {
            let start = note.start.load(Ordering::Acquire);
            if start > BEING_WRITTEN {
                taken.push((start, note.end.load(Ordering::Relaxed)));
                note.start.store(FREE, Ordering::Release);
            }
        }
        taken
    }
}

impl Map {
    fn shares(&self, start: u64, end: u64) -> bool {
        let below = self.shared.range(..end).next_back();
        below.is_some_and(|(_, &shared_end)| start < shared_end)
    }

    /// Makes `start..end` memory that was never shared.
    fn forget(&mut self, start: u64, end: u64) {
        self.attributes.forget(start, end);
        while let Some((&from, &to)) = self.shared.range(..end).next_back()
            && start < to
        {
            self.shared.remove(&from);
            if from < start {
                self.shared.insert(from, start);
            }
            if end < to {
                self.shared.insert(end, to);
            }
        }
    }
}

impl Memory {
    /// The program is about to unmap `address..address + size`, or to map something else there.
    pub fn unmapped(&self, address: u64, size: u64) {
        let end = address.saturating_add(size);
        match self.map.try_read() {
            Ok(map) if !map.shares(address, end) => return,
            // The map is in use, or the range is shared: there is something to do, or there may be.
            _ => {}
        }
        self.notes.add(address, end);
        // Threads remember where they may go.
        self.generation.fetch_add(1, Ordering::SeqCst);
    }

    /// Forgets what was unmapped.
    pub(super) fn settle(&self) {
        if !self.notes.any.load(Ordering::SeqCst) {
            return;
        }
        let mut map = self.write();
        for (start, end) in self.notes.take() {
            map.forget(start, end);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::memory::PAGE;

    const FLAGS: u32 = 5;
    const ACCESS: u32 = 2;
    const EXECUTABLE: u32 = 4;
    const START: u64 = 0x60_0000;

    /// The pages of the first eight that have a flag of their own.
    fn set(memory: &Memory) -> Vec<u64> {
        let flag = |page: &u64| {
            let mut asked = [(FLAGS, 0)];
            memory
                .attributes(START + page * PAGE, PAGE, &mut asked)
                .unwrap();
            asked[0].1 & EXECUTABLE != 0
        };
        (0..8).filter(flag).collect()
    }

    fn shared() -> Memory {
        let memory = Memory::new(BTreeMap::new());
        let rows = [(FLAGS, EXECUTABLE), (ACCESS, 1)];
        memory.share(START, 8 * PAGE, &rows).unwrap();
        memory
    }

    #[test]
    fn unmapped_pages_are_forgotten_and_their_neighbours_are_not() {
        for (pages, left) in [
            (0..8, vec![]),
            (0..2, vec![2, 3, 4, 5, 6, 7]),
            (6..20, vec![0, 1, 2, 3, 4, 5]),
            (3..5, vec![0, 1, 2, 5, 6, 7]),
        ] {
            let memory = shared();
            memory.unmapped(START + pages.start * PAGE, (pages.end - pages.start) * PAGE);
            assert_eq!(set(&memory), left, "{pages:?}");
            for page in 0..8 {
                let is_shared = memory.is_shared(START + page * PAGE);
                assert_eq!(is_shared, left.contains(&page), "{pages:?}: {page}");
            }
        }
    }

    #[test]
    fn what_is_shared_again_later_stays() {
        let memory = shared();
        memory.unmapped(START, 4 * PAGE);
        memory.share(START, PAGE, &[(FLAGS, EXECUTABLE)]).unwrap();
        assert_eq!(set(&memory), [0, 4, 5, 6, 7]);
    }

    #[test]
    fn a_map_in_use_is_not_waited_for() {
        let memory = shared();
        let map = memory.write();
        memory.unmapped(START, PAGE);
        drop(map);
        assert_eq!(set(&memory), [1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn other_addresses_change_nothing() {
        let memory = shared();
        let before = memory.generation.load(Ordering::SeqCst);
        memory.unmapped(START - PAGE, PAGE);
        memory.unmapped(START + 8 * PAGE, PAGE);
        assert_eq!(memory.generation.load(Ordering::SeqCst), before);
        assert_eq!(set(&memory).len(), 8);
    }
}
