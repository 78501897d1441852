//! Workgroups that were started and set aside, in the order in which they go on.

use std::collections::BTreeMap;

/// Why a workgroup that has not ended was set aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pause {
    /// It works, and has had its share.
    Sliced,
    /// It paused of its own accord, and may have done anything before that.
    Dozed,
    /// It does nothing until memory or the time changes, and has worked before that.
    Came,
    /// It does nothing until memory or the time changes. A wave that sleeps in its loop may have worked before that.
    Waits,
}

/// Workgroups that worked and workgroups that waited take turns: however many wait, one that works has every other
/// turn.
pub(crate) struct Aside<T> {
    worked: Ring<T>,
    waited: Ring<T>,
    /// The last one that went on had worked.
    worked_last: bool,
}

/// Workgroups by linear index, each of which goes on once in a round. Rounds go up and down by turns: where each workgroup waits for its
/// neighbour, all of them go on in one of two rounds, whichever way they wait.
struct Ring<T> {
    all: BTreeMap<u64, T>,
    /// A round that goes up continues with the workgroups from here on, a round that goes down with the ones before
    /// it.
    turn: u64,
    is_going_down: bool,
}

impl<T> Ring<T> {
    fn new() -> Ring<T> {
        Ring {
            all: BTreeMap::new(),
            turn: 0,
            is_going_down: false,
        }
    }

    fn first(&self) -> Option<u64> {
        self.all.first_key_value().map(|(&index, _)| index)
    }

    fn next(&mut self) -> Option<T> {
        let index = self.next_of_round().or_else(|| {
            self.is_going_down = !self.is_going_down;
            self.turn = if self.is_going_down { u64::MAX } else { 0 };
            self.next_of_round()
        })?;
        self.turn = if self.is_going_down { index } else { index + 1 };
        self.all.remove(&index)
    }

    fn next_of_round(&self) -> Option<u64> {
        let next = match self.is_going_down {
            true => self.all.range(..self.turn).next_back(),
            false => self.all.range(self.turn..).next(),
        };
        next.map(|(&index, _)| index)
    }
}

impl<T> Aside<T> {
    pub fn new() -> Aside<T> {
        Aside {
            worked: Ring::new(),
            waited: Ring::new(),
            worked_last: false,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.worked.all.is_empty() && self.waited.all.is_empty()
    }

    /// How many there are if all of them waited.
    pub fn all_waited(&self) -> Option<usize> {
        self.worked.all.is_empty().then_some(self.waited.all.len())
    }

    pub fn insert(&mut self, index: u64, started: T, pause: Pause) {
        let ring = match pause {
            Pause::Sliced => &mut self.worked,
            Pause::Dozed | Pause::Came | Pause::Waits => &mut self.waited,
        };
        ring.all.insert(index, started);
    }

    /// The one with the lowest index, out of turn.
    pub fn take_first(&mut self) -> Option<T> {
        let lowest = |ring: &Ring<T>| ring.first().unwrap_or(u64::MAX);
        let ring = match lowest(&self.worked) < lowest(&self.waited) {
            true => &mut self.worked,
            false => &mut self.waited,
        };
        ring.all.pop_first().map(|(_, started)| started)
    }

    /// The one whose turn it is.
    pub fn take_next(&mut self) -> Option<T> {
        let choose_worked =
            !self.worked.all.is_empty() && (!self.worked_last || self.waited.all.is_empty());
        self.worked_last = choose_worked;
        match choose_worked {
            true => self.worked.next(),
            false => self.waited.next(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sets workgroups aside again as they were, and tells which of them had so many turns.
    fn turns(worked: &[u64], waited: &[u64], count: usize) -> Vec<u64> {
        let mut aside = Aside::new();
        for (indices, pause) in [(worked, Pause::Sliced), (waited, Pause::Waits)] {
            for &index in indices {
                aside.insert(index, (index, pause), pause);
            }
        }
        let turn = |_| {
            let (index, pause) = aside.take_next().unwrap();
            aside.insert(index, (index, pause), pause);
            index
        };
        (0..count).map(turn).collect()
    }

    #[test]
    fn one_that_works_has_every_other_turn_however_many_wait() {
        assert_eq!(turns(&[9], &[1, 2, 3], 8), [9, 1, 9, 2, 9, 3, 9, 3]);
    }

    #[test]
    fn each_goes_on_once_in_a_round() {
        assert_eq!(turns(&[], &[4, 5, 7], 9), [4, 5, 7, 7, 5, 4, 4, 5, 7]);
        assert_eq!(turns(&[4, 5, 7], &[], 6), [4, 5, 7, 7, 5, 4]);
        assert_eq!(turns(&[1, 3], &[2, 4], 8), [1, 2, 3, 4, 3, 4, 1, 2]);
    }

    /// Each waits for its neighbour, and works when that has ended.
    #[test]
    fn chains_in_both_directions_take_two_rounds_at_most() {
        const COUNT: u64 = 200;
        for goes_up in [true, false] {
            let mut aside = Aside::new();
            for index in 0..COUNT {
                aside.insert(index, index, Pause::Sliced);
            }
            let mut ended = 0;
            let mut turns = 0;
            while let Some(index) = aside.take_next() {
                turns += 1;
                let place = if goes_up { index } else { COUNT - 1 - index };
                match place == ended {
                    true => ended += 1,
                    false => aside.insert(index, index, Pause::Sliced),
                }
            }
            assert!(turns <= 2 * COUNT, "{turns}");
        }
    }

    #[test]
    fn the_first_is_the_lowest_of_both_kinds() {
        let mut aside = Aside::new();
        aside.insert(3, 3, Pause::Sliced);
        aside.insert(2, 2, Pause::Waits);
        aside.insert(5, 5, Pause::Waits);
        assert_eq!(aside.all_waited(), None);
        let order: Vec<i32> = std::iter::from_fn(|| aside.take_first()).collect();
        assert_eq!(order, [2, 3, 5]);
        assert!(aside.is_empty());
        assert_eq!(aside.all_waited(), Some(0));
    }
}
