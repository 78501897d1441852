//! Attributes of managed memory: what programs have asked for, and what they are told when they ask for it again.
//!
//! Host and device share one memory here, so nothing migrates; but a program may rely on reading what it has set. Kinds,
//! flags, defaults and how differing pages combine are those of the kernel driver's interface (`kfd_ioctl.h`).

use std::collections::BTreeMap;

use wave::Range;

/// Kinds of attributes.
#[rustfmt::skip]
mod kind {
    pub const PREFERRED_LOCATION: u32 = 0;
    pub const PREFETCH_LOCATION:  u32 = 1;
    pub const ACCESS:             u32 = 2;
    pub const ACCESS_IN_PLACE:    u32 = 3;
    pub const NO_ACCESS:          u32 = 4;
    pub const SET_FLAGS:          u32 = 5;
    pub const CLEAR_FLAGS:        u32 = 6;
    pub const GRANULARITY:        u32 = 7;
}

/// The node of a location that was never set, or on which pages differ.
const UNDEFINED_NODE: u32 = u32::MAX;
const HOST_ACCESS: u32 = 1;
const COHERENT: u32 = 2;
const DEFAULT_FLAGS: u32 = HOST_ACCESS | COHERENT;
/// Log2 of pages: 2 MiB.
const DEFAULT_GRANULARITY: u32 = 9;

/// The attribute, kind and value, that makes memory coarse-grained, which it is not by default.
pub const COARSE_GRAINED: (u32, u32) = (kind::CLEAR_FLAGS, COHERENT);

/// A kind that no driver knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is no kind of attribute of shared memory")]
pub struct UnknownKind(pub u32);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Attributes {
    preferred: u32,
    prefetched: u32,
    flags: u32,
    granularity: u32,
    /// Kind of access by node; missing: never set.
    access: BTreeMap<u32, u32>,
}

impl Default for Attributes {
    fn default() -> Attributes {
        Attributes {
            preferred: UNDEFINED_NODE,
            prefetched: UNDEFINED_NODE,
            flags: DEFAULT_FLAGS,
            granularity: DEFAULT_GRANULARITY,
            access: BTreeMap::new(),
        }
    }
}

impl Attributes {
    fn set(&mut self, kind: u32, value: u32) -> Result<(), UnknownKind> {
        match kind {
            kind::PREFERRED_LOCATION => self.preferred = value,
            kind::PREFETCH_LOCATION => self.prefetched = value,
            kind::ACCESS | kind::ACCESS_IN_PLACE | kind::NO_ACCESS => {
                self.access.insert(value, kind);
            }
            kind::SET_FLAGS => self.flags |= value,
            kind::CLEAR_FLAGS => self.flags &= !value,
            kind::GRANULARITY => self.granularity = value,
            other => return Err(UnknownKind(other)),
        }
        Ok(())
    }

    /// Kind of access that `node` has.
    fn access(&self, node: u32, pageable: bool) -> u32 {
        let unsaid = match pageable {
            true => kind::ACCESS,
            false => kind::NO_ACCESS,
        };
        self.access.get(&node).copied().unwrap_or(unsaid)
    }
}

/// Attributes by address. Ranges without an entry have the defaults.
#[derive(Debug, Default)]
pub struct Ranges {
    /// Start to end and attributes; entries do not overlap.
    entries: BTreeMap<u64, (u64, Attributes)>,
}

impl Ranges {
    /// Sets `(kind, value)` pairs on `start..end`.
    pub fn set(
        &mut self,
        start: u64,
        end: u64,
        attributes: &[(u32, u32)],
    ) -> Result<(), UnknownKind> {
        let mut probe = Attributes::default();
        for &(kind, value) in attributes {
            probe.set(kind, value)?;
        }
        self.split(start);
        self.split(end);
        let mut at = start;
        while at < end {
            let next = self.entries.range(at..end).next().map(|(&start, _)| start);
            let gap_end = next.unwrap_or(end);
            if at < gap_end {
                self.entries.insert(at, (gap_end, Attributes::default()));
            }
            at = next.map_or(end, |start| self.entries[&start].0);
        }
        for (_, (_, entry)) in self.entries.range_mut(start..end) {
            for &(kind, value) in attributes {
                entry.set(kind, value)?;
            }
        }
        Ok(())
    }

    /// Gives `start..end` the defaults.
    pub fn forget(&mut self, start: u64, end: u64) {
        self.split(start);
        self.split(end);
        let inside: Vec<u64> = self.entries.range(start..end).map(|(&at, _)| at).collect();
        for at in inside {
            self.entries.remove(&at);
        }
    }

    /// Answers `(kind, value)` questions about `start..end`, in place. For [`kind::ACCESS`], `value` is a node, and the answer replaces the
    /// kind. `pageable`: nodes have access to memory without attributes.
    pub fn get(
        &self,
        start: u64,
        end: u64,
        pageable: bool,
        questions: &mut [(u32, u32)],
    ) -> Result<(), UnknownKind> {
        let pieces = self.pieces(start, end);
        let common = |of: fn(&Attributes) -> u32| {
            let first = of(&pieces[0]);
            let differ = pieces.iter().any(|piece| of(piece) != first);
            if differ { UNDEFINED_NODE } else { first }
        };
        for (kind, value) in questions {
            match *kind {
                kind::PREFERRED_LOCATION => *value = common(|piece| piece.preferred),
                kind::PREFETCH_LOCATION => *value = common(|piece| piece.prefetched),
                kind::ACCESS => {
                    // The kinds are numbered from what a node likes best, but for the first two.
                    let order = [kind::ACCESS_IN_PLACE, kind::ACCESS, kind::NO_ACCESS];
                    let rank = |piece: &Attributes| {
                        order
                            .iter()
                            .position(|&kind| kind == piece.access(*value, pageable))
                    };
                    let worst = pieces.iter().filter_map(rank).max().unwrap_or(0);
                    *kind = order[worst];
                }
                kind::SET_FLAGS => *value = pieces.iter().fold(!0, |all, piece| all & piece.flags),
                kind::CLEAR_FLAGS => {
                    *value = pieces.iter().fold(!0, |all, piece| all & !piece.flags);
                }
                kind::GRANULARITY => {
                    let least = pieces.iter().map(|piece| piece.granularity).min();
                    *value = least.unwrap_or(DEFAULT_GRANULARITY);
                }
                other => return Err(UnknownKind(other)),
            }
        }
        Ok(())
    }

    /// The range with equal attributes around `address`, and whether it is fine-grained. `None` if it has no attributes.
    pub fn coherence(&self, address: u64) -> Option<(Range, bool)> {
        let (&start, (end, attributes)) = self.entries.range(..=address).next_back()?;
        let range = Range {
            start,
            end: *end,
            writable: true,
        };
        (address < *end).then_some((range, attributes.flags & COHERENT != 0))
    }

    /// True if `node` may use `address`, and the addresses around it for which the answer is the same. If access was given only to other
    /// nodes, it may not.
    pub fn access_of(&self, address: u64, node: u32, pageable: bool) -> (Range, bool) {
        let below = self.entries.range(..=address).next_back();
        if let Some((&start, (end, attributes))) = below
            && address < *end
        {
            let range = Range {
                start,
                end: *end,
                writable: true,
            };
            let is_given = |kind: &u32| *kind != kind::NO_ACCESS;
            let allowed = match attributes.access.get(&node) {
                Some(kind) => is_given(kind),
                None => pageable || !attributes.access.values().any(is_given),
            };
            return (range, allowed);
        }
        let range = Range {
            start: below.map_or(0, |(_, (end, _))| *end),
            end: (self.entries.range(address..).next()).map_or(u64::MAX, |(&start, _)| start),
            writable: true,
        };
        (range, true)
    }

    /// Makes `at` the border of two entries if it lies in one.
    fn split(&mut self, at: u64) {
        let Some((_, (end, attributes))) = self.entries.range_mut(..at).next_back() else {
            return;
        };
        if *end > at {
            let behind = (*end, attributes.clone());
            *end = at;
            self.entries.insert(at, behind);
        }
    }

    /// The attributes of the pieces of `start..end`; at least one.
    fn pieces(&self, start: u64, end: u64) -> Vec<Attributes> {
        let mut pieces = Vec::new();
        let mut at = start;
        let before = self.entries.range(..start).next_back();
        let inside = self.entries.range(start..end);
        for (&from, (to, attributes)) in before.into_iter().chain(inside) {
            if *to <= start {
                continue;
            }
            if from > at {
                pieces.push(Attributes::default());
            }
            pieces.push(attributes.clone());
            at = *to;
        }
        if at < end || pieces.is_empty() {
            pieces.push(Attributes::default());
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: u64 = 4096;
    const READ_MOSTLY: u32 = 0x20;

    fn ask(ranges: &Ranges, pages: std::ops::Range<u64>, kind: u32, value: u32) -> (u32, u32) {
        ask_as(false, ranges, pages, (kind, value))
    }

    fn ask_as(
        pageable: bool,
        ranges: &Ranges,
        pages: std::ops::Range<u64>,
        question: (u32, u32),
    ) -> (u32, u32) {
        let (start, end) = (pages.start * PAGE, pages.end * PAGE);
        let mut questions = [question];
        ranges.get(start, end, pageable, &mut questions).unwrap();
        questions[0]
    }

    fn tell(ranges: &mut Ranges, pages: std::ops::Range<u64>, kind: u32, value: u32) {
        ranges
            .set(pages.start * PAGE, pages.end * PAGE, &[(kind, value)])
            .unwrap();
    }

    #[test]
    fn what_was_set_is_told() {
        let mut ranges = Ranges::default();
        tell(&mut ranges, 4..8, kind::PREFERRED_LOCATION, 1);
        assert_eq!(ask(&ranges, 4..8, kind::PREFERRED_LOCATION, 0).1, 1);
        assert_eq!(ask(&ranges, 5..6, kind::PREFERRED_LOCATION, 0).1, 1);
        tell(&mut ranges, 4..8, kind::SET_FLAGS, READ_MOSTLY);
        assert_eq!(
            ask(&ranges, 4..8, kind::SET_FLAGS, 0).1,
            DEFAULT_FLAGS | READ_MOSTLY
        );
        tell(&mut ranges, 4..8, kind::CLEAR_FLAGS, READ_MOSTLY);
        assert_eq!(ask(&ranges, 4..8, kind::SET_FLAGS, 0).1, DEFAULT_FLAGS);
        assert_eq!(ask(&ranges, 4..8, kind::CLEAR_FLAGS, 0).1, !DEFAULT_FLAGS);
    }

    #[test]
    fn pages_that_differ_have_no_common_location() {
        let mut ranges = Ranges::default();
        tell(&mut ranges, 4..8, kind::PREFETCH_LOCATION, 1);
        for pages in [3..5, 7..9, 0..100, 20..21] {
            let answer = ask(&ranges, pages.clone(), kind::PREFETCH_LOCATION, 0);
            assert_eq!(answer.1, UNDEFINED_NODE, "{pages:?}");
        }
        tell(&mut ranges, 5..6, kind::PREFETCH_LOCATION, 0);
        assert_eq!(ask(&ranges, 4..5, kind::PREFETCH_LOCATION, 9).1, 1);
        assert_eq!(ask(&ranges, 5..6, kind::PREFETCH_LOCATION, 9).1, 0);
        assert_eq!(ask(&ranges, 6..8, kind::PREFETCH_LOCATION, 9).1, 1);
        assert_eq!(
            ask(&ranges, 4..8, kind::PREFETCH_LOCATION, 9).1,
            UNDEFINED_NODE
        );
        tell(&mut ranges, 2..10, kind::PREFETCH_LOCATION, 2);
        assert_eq!(ask(&ranges, 2..10, kind::PREFETCH_LOCATION, 9).1, 2);
    }

    #[test]
    fn a_range_is_as_accessible_as_its_worst_page() {
        let mut ranges = Ranges::default();
        assert_eq!(ask(&ranges, 4..8, kind::ACCESS, 1).0, kind::NO_ACCESS);
        tell(&mut ranges, 4..8, kind::ACCESS_IN_PLACE, 1);
        tell(&mut ranges, 6..8, kind::ACCESS, 1);
        assert_eq!(ask(&ranges, 4..6, kind::ACCESS, 1).0, kind::ACCESS_IN_PLACE);
        assert_eq!(ask(&ranges, 4..8, kind::ACCESS, 1).0, kind::ACCESS);
        assert_eq!(ask(&ranges, 4..9, kind::ACCESS, 1).0, kind::NO_ACCESS);
        assert_eq!(ask(&ranges, 4..8, kind::ACCESS, 2).0, kind::NO_ACCESS);
        tell(&mut ranges, 5..6, kind::NO_ACCESS, 1);
        assert_eq!(ask(&ranges, 4..8, kind::ACCESS, 1).0, kind::NO_ACCESS);
    }

    /// The answers are those with which `svm_range_get_attr` of the kernel driver begins in a process that retries.
    #[test]
    fn pageable_memory_is_accessible_until_somebody_says_otherwise() {
        let mut ranges = Ranges::default();
        let access = |ranges: &Ranges| ask_as(true, ranges, 4..8, (kind::ACCESS, 1)).0;
        assert_eq!(access(&ranges), kind::ACCESS);
        tell(&mut ranges, 4..6, kind::PREFERRED_LOCATION, 1);
        assert_eq!(access(&ranges), kind::ACCESS);
        tell(&mut ranges, 5..6, kind::NO_ACCESS, 1);
        assert_eq!(access(&ranges), kind::NO_ACCESS);
        tell(&mut ranges, 5..6, kind::ACCESS_IN_PLACE, 1);
        assert_eq!(access(&ranges), kind::ACCESS);
    }

    #[test]
    fn an_unknown_kind_changes_nothing() {
        let mut ranges = Ranges::default();
        let list = [(kind::SET_FLAGS, READ_MOSTLY), (8, 0)];
        assert_eq!(ranges.set(0, PAGE, &list), Err(UnknownKind(8)));
        assert_eq!(ask(&ranges, 0..1, kind::SET_FLAGS, 0).1, DEFAULT_FLAGS);
    }
}
