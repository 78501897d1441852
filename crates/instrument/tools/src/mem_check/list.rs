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

#[derive(Default)]
pub struct List {
    /// First bytes, and what is behind the last ones.
    ranges: BTreeMap<u64, u64>,
    /// Addresses of two lists, of which kernels read one: one that runs may still read the other.
    places: Option<[u64; 2]>,
    current: usize,
    /// Words of the longest list so far.
    longest: usize,
}

impl List {
    /// Tells the devices, in the variable of this name. A list without room for all is not told, and its problem is the error.
    pub fn tell(
        &mut self,
        changes: Vec<Change>,
        live: &dyn Live,
        variable: &str,
    ) -> Result<(), String> {
        let is_same = changes.is_empty() && self.places.is_some();
        changes.into_iter().for_each(|change| self.change(change));
        if is_same {
            return Ok(());
        }
        let failed = |error| format!("the devices cannot be told of memory: {error}");
        let places = match self.places {
            Some(places) => places,
            None => {
                let bytes = 8 * (2 + 2 * MOST);
                let made = [live.shared(bytes), live.shared(bytes)];
                let [first, second] = made;
                let places = [first.map_err(failed)?, second.map_err(failed)?];
                *self.places.insert(places)
            }
        };
        self.current ^= 1;
        let place = places[self.current];
        // If there are too many ranges, the list lacks the highest ones. The host judges accesses outside of the list.
        let ranges = || self.ranges.iter().take(MOST);
        let mut words = vec![ranges().count() as u64, 0];
        words.extend(ranges().flat_map(|(first, end)| [*first, end - first]));
        // Kernels may look at a place where a range was.
        self.longest = self.longest.max(words.len());
        words.resize(self.longest, 0);
        live.write(place, &bytes_of(&words)).map_err(failed)?;
        for at in live.addresses(variable).map_err(failed)? {
            live.write(at, &place.to_le_bytes()).map_err(failed)?;
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

fn bytes_of(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
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
