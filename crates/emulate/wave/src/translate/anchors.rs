//! Loads of a run whose addresses differ by constants. The code looks at the addresses of one and knows those of the others: see
//! [`native::Anchor`].

use std::collections::HashMap;

use native::{Anchor, Load, MOST_ANCHORS, Near};

use super::part::Part;

/// A result that is a row plus a constant, for each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sum {
    pub from: u16,
    pub to: u16,
    pub bytes: u32,
    /// It sets bits. It adds them where they are zero.
    pub sets: bool,
}

/// Constants are less than this, so that sums of some do not overflow.
const MOST_BYTES: u32 = 1 << 24;
/// Fewest loads for which an anchor pays.
const FEWEST: usize = 2;

/// The contents of a row from one write to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Value {
    row: u16,
    writes: usize,
}

/// Addresses that are a value plus some bytes, if the value has zeros in some bits.
#[derive(Clone, Copy, Debug)]
struct Address {
    value: Value,
    bytes: u32,
    zeros: u32,
}

impl Address {
    fn of(value: Value) -> Address {
        let (bytes, zeros) = (0, 0);
        Address {
            value,
            bytes,
            zeros,
        }
    }

    /// The address behind `sum`. `None`: nothing is known of it.
    fn plus(self, sum: &Sum) -> Option<Address> {
        let bytes = self.bytes.checked_add(sum.bytes)?;
        let zeros = match sum.sets {
            true => sum.bytes,
            false => self.zeros,
        };
        let is_known = bytes < MOST_BYTES && (!sum.sets || self.bytes == 0);
        is_known.then_some(Address {
            bytes,
            zeros,
            ..self
        })
    }
}

/// The rows of a run at one of its parts.
#[derive(Debug, Default)]
struct Rows {
    /// How often each was written.
    writes: HashMap<u16, usize>,
    /// The rows that are a value plus a constant.
    sums: HashMap<u16, Address>,
}

impl Rows {
    fn value(&self, row: u16) -> Value {
        let writes = self.writes.get(&row).copied().unwrap_or(0);
        Value { row, writes }
    }

    fn address(&self, row: u16) -> Address {
        let sum = self.sums.get(&row).copied();
        sum.unwrap_or_else(|| Address::of(self.value(row)))
    }

    /// Goes on to what comes behind `part`.
    fn pass(&mut self, part: &Part) {
        let sum = part.sum();
        let sum = sum.and_then(|sum| Some((sum.to, self.address(sum.from).plus(&sum)?)));
        for row in part.targets() {
            *self.writes.entry(row).or_default() += 1;
            self.sums.remove(&row);
        }
        self.sums.extend(sum);
    }
}

/// Loads from addresses that differ by constants.
#[derive(Debug)]
struct Group {
    value: Value,
    anchor: Anchor,
    /// Each load's part, and its bytes behind the anchor.
    loads: Vec<(usize, u32)>,
}

impl Group {
    fn new(value: Value) -> Group {
        let (row, reach, zeros) = (value.row, 0, 0);
        let anchor = Anchor { row, reach, zeros };
        let loads = Vec::new();
        Group {
            value,
            anchor,
            loads,
        }
    }

    fn add(&mut self, part: usize, load: &Load, address: Address) {
        /// Bytes of a word.
        const WORD: u32 = 4;
        let furthest = load.words.iter().map(|word| word.0).max().unwrap_or(0);
        let reach = address.bytes + furthest + WORD;
        self.anchor.reach = self.anchor.reach.max(reach);
        self.anchor.zeros |= address.zeros;
        self.loads.push((part, address.bytes));
    }
}

/// The anchors of a run, by number.
#[derive(Debug)]
pub(super) struct Anchors(Vec<Group>);

impl Anchors {
    pub fn of(parts: &[Part]) -> Anchors {
        let mut rows = Rows::default();
        let mut groups: Vec<Group> = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            if let Part::Loads(load) = part {
                let mut address = rows.address(load.address);
                let place = |groups: &[Group], value| {
                    let mut groups = groups.iter();
                    groups.position(|group| group.value == value)
                };
                let mut known = place(&groups, address.value);
                if known.is_none() && rows.value(address.value.row) != address.value {
                    // The row has changed since, and nothing has looked at it.
                    address = Address::of(rows.value(load.address));
                    known = place(&groups, address.value);
                }
                let at = known.unwrap_or_else(|| {
                    groups.push(Group::new(address.value));
                    groups.len() - 1
                });
                groups[at].add(index, load, address);
            }
            rows.pass(part);
        }
        groups.retain(|group| group.loads.len() >= FEWEST);
        groups.sort_by_key(|group| std::cmp::Reverse(group.loads.len()));
        groups.truncate(MOST_ANCHORS);
        Anchors(groups)
    }

    /// The anchors to look at in front of part `index`, with their numbers.
    pub fn in_front_of(&self, index: usize) -> impl Iterator<Item = (usize, &Anchor)> {
        let groups = self.0.iter().enumerate();
        let first = groups.filter(move |(_, group)| group.loads[0].0 == index);
        first.map(|(number, group)| (number, &group.anchor))
    }

    /// Where part `index` loads from, if it is a load near an anchor.
    pub fn near(&self, index: usize) -> Option<Near> {
        let mut groups = self.0.iter().enumerate();
        groups.find_map(|(anchor, group)| {
            let mut loads = group.loads.iter();
            let &(_, bytes) = loads.find(|(part, _)| *part == index)?;
            Some(Near { anchor, bytes })
        })
    }
}
