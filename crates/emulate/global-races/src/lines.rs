//! Lines of memory that lie in caches, and what the caches of all waves have for certain.

use crate::{
    cells::ROW,
    clock::{Clock, Entry},
};

/// Lines that were loaded into a cache since it was last emptied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lines {
    /// These, in order.
    Some(Vec<u64>),
    /// The wave has loaded so many lines that any may be among them.
    Many,
}

/// More lines than code without optimisation loads between its invalidation and its barrier.
const MOST: usize = 256;

impl Default for Lines {
    fn default() -> Lines {
        Lines::Some(Vec::new())
    }
}

impl Lines {
    /// The line of an address was loaded.
    pub fn load(&mut self, address: u64) {
        self.add(address / ROW);
    }

    fn add(&mut self, line: u64) {
        let Lines::Some(known) = self else {
            return;
        };
        match known.binary_search(&line) {
            Ok(_) => {}
            Err(_) if known.len() == MOST => *self = Lines::Many,
            Err(at) => known.insert(at, line),
        }
    }

    pub fn has(&self, address: u64) -> bool {
        match self {
            Lines::Some(known) => known.binary_search(&(address / ROW)).is_ok(),
            Lines::Many => true,
        }
    }

    pub fn join(&mut self, other: &Lines) {
        match other {
            Lines::Some(lines) => lines.iter().for_each(|line| self.add(*line)),
            Lines::Many => *self = Lines::Many,
        }
    }

    fn is_within(&self, other: &Lines) -> bool {
        match (self, other) {
            (_, Lines::Many) => true,
            (Lines::Many, _) => false,
            (Lines::Some(known), Lines::Some(others)) => {
                known.iter().all(|line| others.binary_search(line).is_ok())
            }
        }
    }
}

/// A meeting of the device behind which the caches of all waves have nothing that is older, but for some lines.
#[derive(Clone)]
struct Layer {
    meeting: u64,
    clock: Clock,
    /// By cache, the nearest first.
    but: [Lines; 2],
}

/// A point in time: the caches of all waves of the launch have nothing that is older.
#[derive(Clone, Default)]
pub(crate) struct Everywhere(Vec<Layer>);

/// Meetings that are known at a time. Each later one takes the place of those that have all its lines.
const MOST_LAYERS: usize = 4;

impl Everywhere {
    /// All waves of the launch met at `meeting`, and knew this. These lines lay in their caches.
    pub fn met(&mut self, meeting: u64, clock: &Clock, but: &[Lines; 2]) {
        if but.contains(&Lines::Many) {
            return;
        }
        self.add(&Layer {
            meeting,
            clock: clock.clone(),
            but: but.clone(),
        });
    }

    fn add(&mut self, layer: &Layer) {
        let mut same = self.0.iter_mut();
        if let Some(known) = same.find(|known| known.meeting == layer.meeting) {
            known.clock.join(&layer.clock);
            known.but.clone_from(&layer.but);
            return;
        }
        let is_within = |known: &Layer| {
            let mut both = layer.but.iter().zip(&known.but);
            known.meeting < layer.meeting && both.all(|(new, old)| new.is_within(old))
        };
        self.0.retain(|known| !is_within(known));
        if self.0.len() == MOST_LAYERS {
            self.0.remove(0);
        }
        self.0.push(layer.clone());
    }

    pub fn join(&mut self, other: &Everywhere) {
        other.0.iter().for_each(|layer| self.add(layer));
    }

    /// Nothing is known of any cache.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns `true` for the nearest and for the next cache if it has nothing at the address that is older than what `is_known` finds in a clock for a
    /// wave.
    pub fn has(&self, address: u64, wave: u32, is_known: impl Fn(Entry) -> bool) -> [bool; 2] {
        let mut all = [false; 2];
        for layer in &self.0 {
            let knows = is_known(layer.clock.get(wave));
            for (one, but) in all.iter_mut().zip(&layer.but) {
                *one |= knows && !but.has(address);
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(stamp: u32) -> Clock {
        let mut clock = Clock::default();
        clock.raise(
            3,
            Entry {
                issued: stamp,
                ..Entry::default()
            },
        );
        clock
    }

    fn lines(addresses: &[u64]) -> Lines {
        let mut lines = Lines::default();
        addresses.iter().for_each(|address| lines.load(*address));
        lines
    }

    #[test]
    fn too_many_lines_are_any_lines() {
        let mut all = Lines::default();
        for line in (0..MOST as u64).rev() {
            all.load(line * ROW + 5);
            all.load(line * ROW);
        }
        assert!(all.has(ROW * MOST as u64 - 1) && !all.has(ROW * MOST as u64));
        all.load(ROW * MOST as u64);
        assert!(all.has(ROW * 5000));
    }

    #[test]
    fn a_line_that_lay_in_a_cache_is_as_old_as_the_meeting_before() {
        let mut everywhere = Everywhere::default();
        everywhere.met(1, &clock(10), &[lines(&[512]), Lines::default()]);
        everywhere.met(2, &clock(20), &[lines(&[1024]), lines(&[1024])]);
        everywhere.met(3, &clock(30), &[Lines::default(), Lines::Many]);
        let newest = |address: u64| {
            let upto = |stamp: u32| everywhere.has(address, 3, |entry| entry.issued >= stamp);
            let most = |cache: usize| (1..=40).filter(|stamp| upto(*stamp)[cache]).count();
            [most(0), most(1)]
        };
        assert_eq!(newest(0), [20, 20]);
        assert_eq!(newest(512), [20, 20]);
        assert_eq!(newest(1024 + 8), [10, 10]);
        let mut other = Everywhere::default();
        other.met(5, &clock(7), &[Lines::default(), Lines::default()]);
        other.join(&everywhere);
        assert_eq!(other.has(512, 3, |entry| entry.issued >= 20), [true; 2]);
    }
}
