//! Memory of the program itself, which devices reach without having been told of it (XNACK).
//!
//! On hardware the device waits for a page that it misses, and the driver serves the fault from the program's mappings. Here device
//! addresses are the program's own, so there is nothing to serve. The map allows all addresses between the ranges that the device knows,
//! and the host's page tables decide at each access, inside [`crate::guard::guarded`]. Mappings that the program makes, protects and unmaps
//! therefore count at once, and nothing has to be remembered or forgotten.
//!
//! A recording must know which of that memory a launch uses. The memory can therefore be watched: devices then get it page by page, and
//! each page is kept as it was when a device first asked for it.

use std::{collections::BTreeMap, fmt, sync::PoisonError, sync::atomic::Ordering};

use wave::{ALIAS, AddressSpace, Range};

use super::{Map, Memory, PAGE};
use crate::guard::{WITHDRAWN, guarded};

/// No system maps anything below this address, and faults there count as bugs of the emulator.
const LOWEST: u64 = 1 << 16;

/// The program's mapping at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    pub readable: bool,
    pub writable: bool,
    /// The file, or what the system calls such memory (`[heap]`); empty if it has no name.
    pub name: String,
}

impl fmt::Display for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.readable, self.writable) {
            (true, true) => "may be used by now",
            (true, false) => "may only be read",
            (false, true) => "may only be written",
            (false, false) => "may not be accessed",
        })?;
        match self.name.is_empty() {
            true => Ok(()),
            false => write!(f, " ({})", self.name),
        }
    }
}

/// Pages by address.
pub type Pages = BTreeMap<u64, Box<[u8; PAGE as usize]>>;

/// Looks up what the program has at an address.
pub type LookUp = fn(u64) -> Option<Mapping>;

impl Memory {
    /// Lets devices reach all memory of the program, or not.
    pub fn set_pageable(&self, on: bool) {
        self.pageable.store(on, Ordering::Release);
        self.generation.fetch_add(1, Ordering::SeqCst);
    }

    /// Returns `true` if devices reach all memory of the program.
    pub fn is_pageable(&self) -> bool {
        self.pageable.load(Ordering::Acquire)
    }

    /// From now on, keeps pages of the program as they are when devices first reach them. False if another recording already does that.
    pub fn watch(&self) -> bool {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        if watched.is_some() {
            return false;
        }
        *watched = Some(Pages::new());
        drop(watched);
        // Threads must ask for each page.
        self.generation.fetch_add(1, Ordering::SeqCst);
        true
    }

    /// The pages that were kept since [`Memory::watch`].
    pub fn stop_watching(&self) -> Pages {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        watched.take().unwrap_or_default()
    }

    /// The range that devices get at an address that they do not know.
    pub(super) fn unknown(&self, address: u64) -> Option<Range> {
        let range = self.read().between(address)?;
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(pages) = &mut *watched else {
            return Some(range);
        };
        let page = address & !(PAGE - 1);
        if let std::collections::btree_map::Entry::Vacant(entry) = pages.entry(page) {
            let mut bytes = Box::new([0; PAGE as usize]);
            guarded(&mut bytes, |bytes| {
                // SAFETY: a page can be read completely or not at all, and a fault ends the copy. If another thread writes there meanwhile,
                // the copy has any bytes, which is allowed.
                unsafe { std::ptr::copy(page as *const u8, bytes.as_mut_ptr(), bytes.len()) };
            })
            .ok()?;
            entry.insert(bytes);
        }
        Some(Range {
            start: range.start.max(page),
            end: range.end.min(page + PAGE),
            ..range
        })
    }

    /// From now on, faults say what the program has at their address.
    pub fn look_up_mappings(&self, look_up: LookUp) {
        let _ = self.mappings.set(look_up);
    }

    /// Something was added at addresses that threads may remember as nothing in particular.
    pub(super) fn grown(&self) {
        if self.is_pageable() {
            self.generation.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Returns `true` if `address` is in memory that was allocated for devices or given to them.
    pub fn is_known(&self, address: u64) -> bool {
        self.known(address).is_some()
    }

    /// Like [`Memory::covers`], and also for memory of the program, if devices reach it. The memory may turn out to be unmapped, so this is
    /// only for work inside [`crate::guard::guarded`].
    pub fn reaches(&self, address: u64, size: u64, write: bool) -> Result<(), u64> {
        super::span(address, size, write, |at| self.find(at))
    }

    /// Returns `true` if devices may read what is at `address`, but not write it.
    pub fn is_read_only(&self, address: u64) -> bool {
        match self.known(address) {
            Some(_) => true,
            None => self
                .mapping(address)
                .is_some_and(|mapping| mapping.readable && !mapping.writable),
        }
    }

    /// The cause to add to a message about a fault of the host at `address`, besides what is mapped there. The host's page tables decide
    /// about the program's memory, so a fault there is like any other fault of the device.
    pub fn why_withdrawn(&self, address: u64) -> Option<&'static str> {
        (!self.is_pageable() || self.is_known(address)).then_some(WITHDRAWN)
    }

    /// For fault messages. None where only what devices know counts.
    pub(super) fn describe_mapping(&self, address: u64) -> Option<String> {
        if !self.is_pageable() || self.is_known(address) {
            return None;
        }
        // Freed memory, and memory behind the last byte that was asked for, is not the program's.
        self.read().between(address)?;
        Some(match self.mapping(address) {
            None => "nothing is mapped there".to_owned(),
            Some(mapping) => format!("memory of the program that {mapping}"),
        })
    }

    fn mapping(&self, address: u64) -> Option<Mapping> {
        let look_up = self.mappings.get().filter(|_| self.is_pageable())?;
        look_up(address)
    }
}

impl Map {
    /// The addresses around one that devices do not know, up to those that they know. None if they never reach it.
    pub(super) fn between(&self, address: u64) -> Option<Range> {
        let mut range = Range {
            start: LOWEST,
            end: ALIAS,
            writable: true,
        };
        let near = |below: Option<(u64, u64)>, above| below.into_iter().chain(above);
        let whole = |(start, region): (&u64, &super::Region)| (*start, region.end);
        let allocated = near(
            self.allocations.range(..=address).next_back().map(whole),
            self.allocations.range(address..).next().map(whole),
        );
        let pair = |(start, end): (&u64, &u64)| (*start, *end);
        let shared = near(
            self.shared.range(..=address).next_back().map(pair),
            self.shared.range(address..).next().map(pair),
        );
        // These may lie in one another.
        let registered = self.user.iter().map(whole);
        for (start, end) in allocated.chain(shared).chain(registered) {
            if end <= address {
                range.start = range.start.max(end);
            } else if start > address {
                range.end = range.end.min(start);
            } else {
                // Freed, or behind the last byte that was asked for.
                return None;
            }
        }
        (range.start <= address && address < range.end).then_some(range)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::memory::{PAGE, tests::request};

    fn pageable() -> Memory {
        let memory = Memory::new(BTreeMap::new());
        memory.set_pageable(true);
        memory
    }

    #[test]
    fn the_programs_memory_is_reached_only_where_that_is_on() {
        let word = Box::new(7_u32);
        let address = &raw const *word as u64;
        let memory = Memory::new(BTreeMap::new());
        assert_eq!(memory.find(address), None);
        let generation = memory.generation();
        memory.set_pageable(true);
        assert_ne!(memory.generation(), generation);
        assert_eq!(memory.reaches(address, 4, true), Ok(()));
        // Signals and rings lie in memory that was allocated for devices.
        assert_eq!(memory.covers(address, 4, true), Err(address));
        let mut bytes = [0; 4];
        assert_eq!(memory.read_bytes(address, &mut bytes), Ok(()));
        assert_eq!(u32::from_ne_bytes(bytes), 7);
        memory.set_pageable(false);
        assert_eq!(memory.find(address), None);
    }

    #[test]
    fn nothing_lies_at_null_or_above_the_hosts_addresses() {
        let memory = pageable();
        for address in [0, 8, LOWEST - 1, ALIAS, ALIAS | 0x10_0000, u64::MAX] {
            assert_eq!(memory.find(address), None, "{address:#x}");
        }
        assert!(memory.find(LOWEST).is_some() && memory.find(ALIAS - 1).is_some());
        assert_eq!(memory.reaches(ALIAS - 4, 8, false), Err(ALIAS));
    }

    #[test]
    fn ranges_end_at_what_devices_know() {
        let memory = pageable();
        let address = memory.allocate(request(3 * PAGE)).unwrap();
        let end = address + 3 * PAGE;
        assert_eq!(memory.find(address - 1).unwrap().end, address);
        assert_eq!(memory.find(end).unwrap().start, end);
        assert_eq!(memory.find(address).unwrap().start, address);
        memory.register_user(0x40_0010, 0x20, 0, false).unwrap();
        memory.share(0x60_0000, PAGE, &[]).unwrap();
        let between = memory.find(0x50_0000).unwrap();
        assert_eq!((between.start, between.end), (0x40_0030, 0x60_0000));
    }

    #[test]
    fn the_host_takes_away_only_what_devices_know() {
        let memory = pageable();
        let address = memory.allocate(request(PAGE)).unwrap();
        assert_eq!(memory.why_withdrawn(address), Some(WITHDRAWN));
        assert_eq!(memory.why_withdrawn(0x50_0000), None);
        memory.set_pageable(false);
        assert_eq!(memory.why_withdrawn(0x50_0000), Some(WITHDRAWN));
    }

    #[test]
    fn what_is_freed_or_too_far_stays_refused() {
        crate::guard::install();
        let memory = pageable();
        let address = memory.allocate(request(PAGE)).unwrap();
        memory.limit(address, 100).unwrap();
        assert_eq!(memory.reaches(address, 101, false), Err(address + 100));
        memory.retire(address).unwrap();
        assert_eq!(memory.find(address), None);
        memory.free(address).unwrap();
        // Now it is what the host has there, which is nothing.
        assert!(memory.find(address).is_some());
        assert_eq!(memory.read_bytes(address, &mut [0; 4]), Err(address));
    }

    #[test]
    fn threads_hear_of_what_comes_between() {
        let memory = pageable();
        let mut last = memory.generation();
        let mut changed = |what: &str| {
            let now = memory.generation();
            assert_ne!(now, last, "{what}");
            last = now;
        };
        memory.allocate(request(PAGE)).unwrap();
        changed("allocated");
        memory.register_user(0x40_0010, 0x20, 0, false).unwrap();
        changed("registered");
        memory.share(0x60_0000, PAGE, &[]).unwrap();
        changed("shared");
    }

    #[test]
    fn pages_are_kept_as_they_were_when_first_reached() {
        crate::guard::install();
        let memory = pageable();
        let other = Memory::new(BTreeMap::new());
        // This memory does not know the allocation, so for it the pages are the program's, with nothing behind them.
        let address = other.allocate(request(2 * PAGE)).unwrap();
        other.write_bytes(address + PAGE, b"before").unwrap();
        assert!(memory.find(address).unwrap().end > address + 2 * PAGE);
        let generation = memory.generation();
        assert!(memory.watch() && !memory.watch());
        assert_ne!(memory.generation(), generation);
        let found = memory.find(address + PAGE + 8).unwrap();
        let page = (address + PAGE, address + 2 * PAGE);
        assert_eq!((found.start, found.end), page);
        assert_eq!(memory.find(address + 2 * PAGE), None, "nothing is there");
        other.write_bytes(address + PAGE, b"behind").unwrap();
        assert!(memory.find(address + PAGE).is_some());
        let kept = memory.stop_watching();
        let kept: Vec<(u64, &[u8])> = kept.iter().map(|(at, page)| (*at, &page[..6])).collect();
        assert_eq!(kept, [(address + PAGE, &b"before"[..])]);
        assert!(memory.watch());
        assert!(memory.stop_watching().is_empty());
    }

    #[test]
    fn it_is_fine_grained_like_managed_memory() {
        let memory = pageable();
        let (range, remote) = memory.link(0x50_0000).unwrap();
        assert!(remote && range.start <= 0x50_0000 && 0x50_0000 < range.end);
        memory.register_user(0x50_0000, 0x1000, 0, false).unwrap();
        assert_eq!(memory.link(0x50_0000).map(|link| link.1), Some(false));
    }

    #[test]
    fn faults_say_what_the_program_has_there() {
        let memory = pageable();
        memory.look_up_mappings(|address| {
            (address < 0x70_0000).then(|| Mapping {
                readable: true,
                writable: false,
                name: "/lib/x.so".to_owned(),
            })
        });
        let said = memory.describe(0x50_0000);
        assert_eq!(
            said,
            "memory of the program that may only be read (/lib/x.so)"
        );
        assert!(memory.is_read_only(0x50_0000));
        assert_eq!(memory.describe(0x80_0000), "nothing is mapped there");
        assert_eq!(memory.describe(8), "no allocation near");
        let address = memory.allocate(request(PAGE)).unwrap();
        memory.limit(address, 100).unwrap();
        let said = memory.describe(address + 100);
        assert_eq!(
            said,
            format!("0 bytes past the end of 100 bytes at {address:#x}")
        );
        assert!(!memory.is_read_only(0x80_0000));
        memory.set_pageable(false);
        assert_eq!(memory.describe(0x50_0000), "no allocation near");
        assert!(!memory.is_read_only(0x50_0000));
    }
}
