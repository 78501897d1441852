//! Bytes within the device's memory that are no data of the program: behind a variable, between rows, freed in a pool.
//!
//! Kernels of the program do not reach them. The runtime's own kernels do, and copies: they move whole rows and segments.

use std::{collections::BTreeMap, sync::atomic::Ordering};

use wave::{Range, host_address};

use super::{Map, Memory};

/// The accesses that are refused there, and the name of the place, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closing {
    /// Only writes are wrong.
    pub to_writes: bool,
    pub what: &'static str,
}

/// Ranges that do not overlap: first byte to end.
#[derive(Default)]
pub(super) struct Closed(BTreeMap<u64, (u64, Closing)>);

impl Closed {
    /// Takes a range out.
    pub(super) fn open(&mut self, start: u64, end: u64) {
        let Some(from) = self.first(start) else {
            return;
        };
        let within = self.0.range(from..end);
        let within = within.filter(|(_, (to, _))| *to > start);
        let within: Vec<_> = within
            .map(|(&from, &(to, what))| (from, to, what))
            .collect();
        for (from, to, what) in within {
            self.0.remove(&from);
            if from < start {
                self.0.insert(from, (start, what));
            }
            if end < to {
                self.0.insert(end, (to, what));
            }
        }
    }

    fn close(&mut self, start: u64, end: u64, closing: Closing) {
        if start < end {
            self.open(start, end);
            self.0.insert(start, (end, closing));
        }
    }

    /// Returns the start of the first range that could reach an address, which is the last one at or before it, or
    /// `None` if there is no range.
    fn first(&self, address: u64) -> Option<u64> {
        let before = self.0.range(..=address).next_back();
        (!self.0.is_empty()).then(|| before.map_or(address, |(from, _)| *from))
    }

    fn at(&self, address: u64) -> Option<(u64, u64, Closing)> {
        let (&from, &(to, closing)) = self.0.range(..=address).next_back()?;
        (address < to).then_some((from, to, closing))
    }

    /// The rest of a range around an address in it.
    fn clip(&self, address: u64, range: Range) -> Option<Range> {
        if self.0.is_empty() {
            return Some(range);
        }
        if let Some((from, to, closing)) = self.at(address) {
            return closing.to_writes.then_some(Range {
                start: range.start.max(from),
                end: range.end.min(to),
                writable: false,
            });
        }
        let below = self.0.range(..=address).next_back();
        let above = self.0.range(address..).next();
        Some(Range {
            start: below.map_or(range.start, |(_, (to, _))| range.start.max(*to)),
            end: above.map_or(range.end, |(from, _)| range.end.min(*from)),
            ..range
        })
    }
}

impl Map {
    pub(super) fn clip(&self, address: u64, range: Range) -> Option<Range> {
        let alias = address ^ host_address(address);
        let host = Range {
            start: range.start & !alias,
            end: range.end & !alias,
            ..range
        };
        let clipped = self.closed.clip(host_address(address), host)?;
        Some(Range {
            start: clipped.start | alias,
            end: clipped.end | alias,
            ..clipped
        })
    }
}

impl Memory {
    /// Kernels of the program do not reach these addresses of the host any more. Memory that is unmapped takes its closings with it.
    pub fn close(&self, start: u64, end: u64, closing: Closing) {
        self.write().closed.close(start, end, closing);
        self.generation.fetch_add(1, Ordering::SeqCst);
    }

    /// They reach them again.
    pub fn open(&self, start: u64, end: u64) {
        self.write().closed.open(start, end);
        self.generation.fetch_add(1, Ordering::SeqCst);
    }

    /// From now on, waves tell of memory that kernels allocate themselves.
    pub fn keep_account(&self, allocator: Box<dyn wave::Allocator>) {
        let _ = self.allocator.set(allocator);
        self.generation.fetch_add(1, Ordering::SeqCst);
    }

    /// The allocation around an address of the host: its first address, and the one behind it.
    pub fn around(&self, address: u64) -> Option<(u64, u64)> {
        let map = self.read();
        map.region(address)
            .map(|(start, region)| (start, region.end))
    }

    /// The closed range around an address.
    pub fn closing(&self, address: u64) -> Option<Closing> {
        let found = self.read().closed.at(host_address(address));
        found.map(|(_, _, closing)| closing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{ALIAS, AddressSpace, PAGE, tests::request};

    const PADDING: Closing = Closing {
        to_writes: false,
        what: "padding",
    };

    /// As a kernel of the program reaches memory.
    fn reach(memory: &Memory, address: u64, size: u64, write: bool) -> Result<(), u64> {
        let view = memory.seen_by(1);
        crate::memory::span(address, size, write, |at| view.find(at))
    }

    #[test]
    fn kernels_reach_what_is_open_and_no_more() {
        let memory = Memory::new(BTreeMap::new());
        let at = memory.allocate(request(PAGE)).unwrap();
        let reaches = |offset: u64, size| reach(&memory, at + offset, size, true);
        let generation = memory.generation();
        memory.close(at + 100, at + 256, PADDING);
        assert_ne!(memory.generation(), generation);
        assert_eq!(reaches(0, 100), Ok(()));
        assert_eq!(reaches(96, 8), Err(at + 100));
        assert_eq!(reaches(255, 1), Err(at + 255));
        assert_eq!(reaches(256, PAGE - 256), Ok(()));
        // The runtime's kernels, the host's copies, and code.
        let of_runtime = memory.seen_by(1).as_runtime();
        assert_eq!(
            of_runtime.find(at + 100).map(|range| range.end),
            Some(at + PAGE)
        );
        assert_eq!(memory.seen_by(1).reaches(at, PAGE, true), Ok(()));
        assert_eq!(memory.covers(at, PAGE, true), Ok(()));
        assert!(memory.seen_by(1).find_code(at + 200).is_some());
        assert_eq!(memory.closing(at + 100), Some(PADDING));
        // Other memory within it.
        memory.open(at + 128, at + 160);
        assert_eq!(reaches(128, 32), Ok(()));
        assert_eq!(reaches(127, 1), Err(at + 127));
        assert_eq!(reaches(160, 1), Err(at + 160));
        memory.open(at, at + PAGE);
        assert_eq!(reaches(0, PAGE), Ok(()));
        // The memory that is there next is not the memory that was closed.
        memory.close(at, at + 8, PADDING);
        memory.free(at).unwrap();
        assert_eq!(memory.closing(at), None);
    }

    #[test]
    fn what_is_closed_to_writes_can_be_read() {
        let memory = Memory::new(BTreeMap::new());
        let at = memory.allocate(request(PAGE)).unwrap();
        let closing = Closing {
            to_writes: true,
            ..PADDING
        };
        memory.close(at + 64, at + 128, closing);
        let reaches = |offset: u64, write| reach(&memory, at + offset, 4, write);
        assert_eq!(reaches(64, false), Ok(()));
        assert_eq!(reaches(64, true), Err(at + 64));
        assert_eq!(reaches(62, true), Err(at + 64));
        assert_eq!(reaches(128, true), Ok(()));
    }

    #[test]
    fn registered_memory_is_closed_under_both_its_names() {
        let memory = Memory::new(BTreeMap::new());
        memory.register_user(0x10_0000, PAGE, 0, false).unwrap();
        memory.close(0x10_0074, 0x10_1000, PADDING);
        for alias in [0, ALIAS] {
            let reaches = |at: u64| reach(&memory, at | alias, 4, true);
            assert_eq!(reaches(0x10_0070), Ok(()));
            assert_eq!(reaches(0x10_0074), Err(0x10_0074 | alias));
        }
    }
}
