//! Loads of a run whose addresses differ by constants. The code looks at the addresses of one and knows those of the others: see
//! [`native::Anchor`].

use std::collections::HashMap;

use native::{Anchor, Load, MOST_ANCHORS, Near};

/// An instruction of a run, as far as addresses depend on it.
#[derive(Clone, Debug, Default)]
pub(super) struct Step<'p> {
    pub load: Option<&'p Load>,
    pub sum: Option<Sum>,
    /// The rows that it writes.
    pub targets: Vec<u16>,
}

/// A result that is a row plus a constant, for each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sum {
    pub from: u16,
    pub to: u16,
    pub bytes: u32,
    /// It sets bits. It adds them where they are zero.
    pub sets: bool,
}

/// Bytes of a word.
const WORD: u32 = 4;
/// Local memory has no more bytes: a load beyond is outside, and a look that has to reach there would find its other loads outside, too.
const MOST_BYTES: u32 = 160 << 10;
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

    /// Goes on to what comes behind `step`.
    fn pass(&mut self, step: &Step<'_>) {
        let sum = step.sum;
        let sum = sum.and_then(|sum| Some((sum.to, self.address(sum.from).plus(&sum)?)));
        for &row in &step.targets {
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

    fn add(&mut self, part: usize, reach: u32, address: Address) {
        self.anchor.reach = self.anchor.reach.max(reach);
        self.anchor.zeros |= address.zeros;
        self.loads.push((part, address.bytes));
    }
}

/// The anchors of a run, by number.
#[derive(Debug)]
pub(super) struct Anchors(Vec<Group>);

impl Anchors {
    pub fn of<'p>(steps: impl IntoIterator<Item = Step<'p>>) -> Anchors {
        let mut rows = Rows::default();
        let mut groups: Vec<Group> = Vec::new();
        for (index, step) in steps.into_iter().enumerate() {
            if let Some(load) = step.load {
                let end = load.words.iter().map(|word| word.0).max().unwrap_or(0) + WORD;
                let mut address = rows.address(load.address);
                let place = |groups: &[Group], value| {
                    let mut groups = groups.iter();
                    groups.position(|group| group.value == value)
                };
                let mut known = place(&groups, address.value);
                let has_changed = rows.value(address.value.row) != address.value;
                if known.is_none() && has_changed || address.bytes + end > MOST_BYTES {
                    // The row has changed since, and nothing has looked at it; or no look covers the load.
                    address = Address::of(rows.value(load.address));
                    known = place(&groups, address.value);
                }
                let at = known.unwrap_or_else(|| {
                    groups.push(Group::new(address.value));
                    groups.len() - 1
                });
                groups[at].add(index, address.bytes + end, address);
            }
            rows.pass(&step);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Row `to` becomes row `from` plus a constant.
    fn adds(from: u16, bytes: u32, to: u16) -> Step<'static> {
        let sets = false;
        let sum = Some(Sum {
            from,
            to,
            bytes,
            sets,
        });
        Step { sum, ..writes(to) }
    }

    fn sets(from: u16, bytes: u32, to: u16) -> Step<'static> {
        let mut step = adds(from, bytes, to);
        step.sum.as_mut().unwrap().sets = true;
        step
    }

    fn writes(row: u16) -> Step<'static> {
        Step {
            targets: vec![row],
            ..Step::default()
        }
    }

    /// Loads a word from row `address`.
    fn loads(address: u16) -> Step<'static> {
        let load = Load {
            address,
            words: vec![(0, 100)],
        };
        Step {
            load: Some(Box::leak(Box::new(load))),
            ..writes(100)
        }
    }

    /// The row of a load's anchor and how often it was written; the bytes from there; the reach of the anchor and its zeros.
    type Found = (u16, usize, u32, u32, u32);

    /// The place of each load that is near an anchor.
    fn found(steps: &[Step<'static>]) -> Vec<Option<Found>> {
        let anchors = Anchors::of(steps.iter().cloned());
        let places = (0..steps.len()).filter(|place| steps[*place].load.is_some());
        let near = |place| {
            let near = anchors.near(place)?;
            let Group { value, anchor, .. } = &anchors.0[near.anchor];
            let (row, writes) = (value.row, value.writes);
            Some((row, writes, near.bytes, anchor.reach, anchor.zeros))
        };
        places.map(near).collect()
    }

    #[test]
    fn sums_of_one_row_share_an_anchor() {
        let steps = [adds(0, 64, 1), loads(1), adds(1, 16, 2), loads(2), loads(0)];
        let near = |bytes| Some((0, 0, bytes, 84, 0));
        assert_eq!(found(&steps), [near(64), near(80), near(0)]);
    }

    #[test]
    fn a_row_that_is_written_is_another_value() {
        // The sum is of the old value: nothing has looked at that when its first load comes.
        let steps = [adds(0, 64, 1), writes(0), loads(1), loads(0), loads(1)];
        let first = Some((1, 1, 0, 4, 0));
        assert_eq!(found(&steps), [first, None, first]);
        // Something has.
        let steps = [loads(0), adds(0, 64, 1), writes(0), loads(1)];
        assert_eq!(
            found(&steps),
            [Some((0, 0, 0, 68, 0)), Some((0, 0, 64, 68, 0))]
        );
        // A row that becomes itself plus a constant.
        let steps = [loads(0), adds(0, 8, 0), loads(0), adds(0, 8, 0), loads(0)];
        let near = |bytes| Some((0, 0, bytes, 20, 0));
        assert_eq!(found(&steps), [near(0), near(8), near(16)]);
        // The sum itself is overwritten.
        let steps = [loads(0), adds(0, 8, 1), writes(1), loads(1), loads(0)];
        let near = Some((0, 0, 0, 4, 0));
        assert_eq!(found(&steps), [near, None, near]);
    }

    #[test]
    fn bits_are_a_sum_where_nothing_was_added_before() {
        let near = |bytes, reach| Some((0, 0, bytes, reach, 64));
        let steps = [loads(0), sets(0, 64, 1), loads(1)];
        assert_eq!(found(&steps), [near(0, 68), near(64, 68)]);
        // A sum of these.
        let steps = [loads(0), sets(0, 64, 1), adds(1, 4, 2), loads(2)];
        assert_eq!(found(&steps), [near(0, 72), near(68, 72)]);
        // The bits of a sum are not known to be zero.
        let steps = [loads(0), adds(0, 4, 1), sets(1, 64, 2), loads(2)];
        assert_eq!(found(&steps), [None, None]);
    }

    #[test]
    fn loads_beyond_local_memory_have_no_part_in_a_look() {
        let steps = [loads(0), adds(0, MOST_BYTES - 4, 1), loads(1)];
        let near = |bytes| Some((0, 0, bytes, MOST_BYTES, 0));
        assert_eq!(found(&steps), [near(0), near(MOST_BYTES - 4)]);
        for bytes in [MOST_BYTES - 3, MOST_BYTES, 1 << 31, u32::MAX] {
            let steps = [loads(0), adds(0, bytes, 1), loads(1)];
            assert_eq!(found(&steps), [None, None], "{bytes}");
        }
    }

    #[test]
    fn the_rows_with_most_loads_have_the_anchors() {
        let rows = [0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 4];
        let steps = rows.map(loads);
        let anchors = found(&steps).into_iter().flatten();
        let rows: Vec<u16> = anchors.map(|near| near.0).collect();
        assert_eq!(rows, [2, 2, 2, 3, 3, 3, 4, 4, 4, 4]);
    }
}
