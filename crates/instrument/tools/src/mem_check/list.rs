//! The list of what the program has allocated, as hooks read it.

use luthier::Live;
use std::collections::BTreeMap;

/// Ranges that a list has room for, as in the tool's HIP file.
const MOST: usize = 16384;

/// An event of a range of memory.
pub enum Change {
    Here { first: u64, end: u64 },
    Gone { first: u64, end: u64 },
}

/// Bytes of the widest access of a lane, as in the tool's HIP file.
const WIDEST: u64 = 16;

/// A range that no access is in. On the way to it from another range and back, nothing is in it either, as each half comes at once.
const EMPTY: [u64; 2] = [i64::MAX as u64, 0];

/// Bytes of a range.
const RANGE: u64 = 16;

#[derive(Default)]
pub struct List {
    /// First bytes, and what is behind the last ones.
    ranges: BTreeMap<u64, u64>,
    /// The devices have two lists, of which kernels read one: one that runs may still read the other. Number and length of the current one.
    current: Option<(u64, usize)>,
}

impl List {
    /// Tells the devices, in the variables for ranges and for the current list. Ranges that a list has no room for are not told.
    pub fn tell(
        &mut self,
        changes: Vec<Change>,
        live: &dyn Live,
        variables: &[String; 2],
    ) -> Result<(), String> {
        let is_same = changes.is_empty() && self.current.is_some();
        changes.into_iter().for_each(|change| self.change(change));
        if is_same {
            return Ok(());
        }
        let failed = |error| format!("the devices cannot be told of memory: {error}");
        let [ranges, current] = variables
            .each_ref()
            .map(|name| live.addresses(name).map_err(failed));
        // If there are too many ranges, the list lacks the highest ones. The host judges accesses outside of the list.
        let told = self.ranges.iter().take(MOST);
        let told: Vec<[u64; 2]> = told.map(|(first, end)| [first - 1, end - WIDEST]).collect();
        let before = self.current;
        let number = before.map_or(0, |(number, _)| 1 - number);
        let begin = |number: u64| 1 + number * MOST as u64;
        self.current = Some((number, told.len()));
        for (ranges, current) in ranges?.into_iter().zip(current?) {
            let write = |at, bytes: &[u8]| live.write(at, bytes).map_err(failed);
            write(ranges + RANGE * begin(number), &bytes_of(&told))?;
            let now = begin(number) << 32 | told.len() as u64;
            write(current, &now.to_le_bytes())?;
            // Places remember where their accesses were, also in the other list.
            if let Some((other, length)) = before {
                write(
                    ranges + RANGE * begin(other),
                    &bytes_of(&vec![EMPTY; length]),
                )?;
            }
        }
        Ok(())
    }

    fn change(&mut self, change: Change) {
        match change {
            Change::Gone { first, end } => self.clear(first, end),
            Change::Here { first, end } => {
                // A range that still lies there was freed without a call.
                self.clear(first, end);
                self.ranges.insert(first, end);
            }
        }
    }

    /// Removes all ranges of which a part lies there.
    fn clear(&mut self, first: u64, end: u64) {
        let over = self.ranges.range(..end).rev();
        let over = over.take_while(|(_, behind)| **behind > first);
        let over: Vec<u64> = over.map(|(start, _)| *start).collect();
        for start in over {
            self.ranges.remove(&start);
        }
    }
}

fn bytes_of(ranges: &[[u64; 2]]) -> Vec<u8> {
    let words = ranges.iter().flatten();
    words.flat_map(|word| word.to_le_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_new_takes_the_place_of_what_was_there() {
        let mut list = List::default();
        let here = |first, end| Change::Here { first, end };
        for change in [
            here(100, 200),
            here(300, 400),
            here(150, 320),
            here(500, 600),
        ] {
            list.change(change);
        }
        list.change(Change::Gone {
            first: 500,
            end: 600,
        });
        assert_eq!(list.ranges, BTreeMap::from([(150, 320)]));
    }
}
