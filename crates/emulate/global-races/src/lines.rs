//! Lines of memory that lie in caches, and what the caches of all waves have for certain.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::{
    cells::ROW,
    clock::{Clock, Entry},
};

/// Lines that were loaded into a cache since it was last emptied. Waves of a workgroup share them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lines {
    /// These, in order.
    Some(Arc<[u64]>),
    /// The wave has loaded so many lines that any may be among them.
    Many,
}

/// More lines than code without optimisation loads between its invalidation and its barrier.
const MOST: usize = 256;
/// Lines that a wave of a streaming kernel loads. More of them lie elsewhere.
const FEW: usize = 8;

impl Default for Lines {
    fn default() -> Lines {
        Lines::Some(Arc::default())
    }
}

impl Lines {
    /// More lines, in order. Some may be there already.
    fn add(&mut self, lines: &[u64]) {
        let Lines::Some(known) = self else {
            return;
        };
        // The known lines before this one are in `all`, if any line is new.
        let (mut all, mut next) = (Vec::new(), 0);
        for line in lines {
            let before = match known[next..].binary_search(line) {
                Ok(_) => continue,
                Err(before) => next + before,
            };
            if all.is_empty() {
                all.reserve_exact(known.len() + lines.len());
            }
            all.extend_from_slice(&known[next..before]);
            all.push(*line);
            next = before;
        }
        if all.is_empty() {
            return;
        }
        all.extend_from_slice(&known[next..]);
        *self = match all.len() <= MOST {
            true => Lines::Some(all.into()),
            false => Lines::Many,
        };
    }

    fn is_none(&self) -> bool {
        matches!(self, Lines::Some(known) if known.is_empty())
    }

    pub fn has(&self, address: u64) -> bool {
        match self {
            Lines::Some(known) => known.binary_search(&(address / ROW)).is_ok(),
            Lines::Many => true,
        }
    }

    /// Returns `true` if both are one in memory.
    fn is_same(&self, other: &Lines) -> bool {
        match (self, other) {
            (Lines::Some(known), Lines::Some(others)) => Arc::ptr_eq(known, others),
            (Lines::Many, Lines::Many) => true,
            _ => false,
        }
    }

    pub fn join(&mut self, other: &Lines) {
        match other {
            _ if self.is_same(other) => {}
            _ if self.is_within(other) => *self = other.clone(),
            Lines::Some(lines) => self.add(lines),
            Lines::Many => *self = Lines::Many,
        }
    }

    fn is_within(&self, other: &Lines) -> bool {
        match (self, other) {
            (_, Lines::Many) => true,
            (Lines::Many, _) => false,
            (Lines::Some(known), Lines::Some(others)) => are_among(known, others),
        }
    }
}

/// Both are in order.
fn are_among(lines: &[u64], others: &[u64]) -> bool {
    let mut rest = others.iter();
    lines.len() <= others.len()
        && lines
            .iter()
            .all(|line| rest.find(|other| *other >= line) == Some(line))
}

/// The lines that a wave has loaded. Few waves come to a barrier where they matter, so they are put in order once for a workgroup and its barrier.
#[derive(Default)]
pub(crate) struct Loaded {
    ordered: Lines,
    /// The last ones, as they came.
    new: SmallVec<[u64; FEW]>,
    /// The number of new ones that are known at the meeting of the workgroup to which the wave came last.
    told: usize,
}

impl Loaded {
    /// The line of an address was loaded.
    pub fn load(&mut self, address: u64) {
        let line = address / ROW;
        if matches!(self.ordered, Lines::Many) || self.new.last() == Some(&line) {
            return;
        }
        if self.new.len() >= MOST {
            self.lines();
        }
        self.new.push(line);
    }

    /// The cache is empty.
    pub fn clear(&mut self) {
        if !self.ordered.is_none() {
            self.ordered = Lines::default();
        }
        self.new.clear();
        self.told = 0;
    }

    pub fn lines(&mut self) -> &Lines {
        if !self.new.is_empty() {
            self.new.sort_unstable();
            self.new.dedup();
            self.ordered.add(&self.new);
            self.new.clear();
            self.told = 0;
        }
        &self.ordered
    }

    /// The wave has come to a meeting of its workgroup, which knows all its lines.
    pub fn tells(&mut self) {
        self.told = self.new.len();
    }
}

/// The lines of the waves that came to a meeting.
#[derive(Default)]
pub(crate) struct Gathered {
    /// The lines in order that the first wave brought.
    first: Lines,
    all: Loaded,
}

impl Gathered {
    pub fn add(&mut self, own: &Loaded) {
        let all = &mut self.all;
        if all.ordered == Lines::default() && all.new.is_empty() {
            self.first = own.ordered.clone();
        }
        all.ordered.join(&own.ordered);
        all.new.extend_from_slice(&own.new);
        if all.new.len() > MOST {
            all.lines();
        }
    }

    /// A wave leaves the meeting of its workgroup to which it came last.
    pub fn give(&mut self, own: &mut Loaded) {
        let all = self.all.lines();
        match own.ordered.is_same(&self.first) {
            true => own.ordered = all.clone(),
            false => own.ordered.join(all),
        }
        own.new.drain(..own.told);
        own.told = 0;
    }

    pub fn lines(&mut self) -> &Lines {
        self.all.lines()
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

    pub fn clear(&mut self) {
        self.0.clear();
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
    use std::collections::BTreeSet;

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
        let mut loaded = Loaded::default();
        addresses.iter().for_each(|address| loaded.load(*address));
        loaded.lines().clone()
    }

    #[test]
    fn too_many_lines_are_any_lines() {
        let mut all = Loaded::default();
        for line in (0..MOST as u64).rev() {
            all.load(line * ROW + 5);
            all.load(line * ROW);
        }
        let last = ROW * MOST as u64;
        assert!(all.lines().has(last - 1) && !all.lines().has(last));
        all.load(last);
        assert!(all.lines().has(ROW * 5000));
    }

    /// Waves that load, empty their caches and meet, also at a meeting of the device, against plain sets. Up to so many lines are loaded.
    #[test]
    fn loaded_lines_are_those_of_plain_sets() {
        type Plain = BTreeSet<u64>;
        let known = |plain: &Plain| match plain.len() > MOST {
            true => Lines::Many,
            false => Lines::Some(plain.iter().copied().collect()),
        };
        let mut next = crate::random::numbers();
        for distinct in [40, MOST as u64, MOST as u64 + 1, 5000] {
            let mut waves: [(Loaded, Plain); 4] = Default::default();
            let mut device = (Gathered::default(), Plain::new());
            for step in 0..500 {
                let mut act = |(own, plain): &mut (Loaded, Plain)| {
                    for _ in 0..next(20) {
                        let line = next(distinct);
                        own.load(line * ROW + next(ROW));
                        plain.insert(line);
                    }
                    match next(40) {
                        0 => {
                            own.clear();
                            plain.clear();
                        }
                        1 => {
                            device.0.add(own);
                            device.1.extend(&*plain);
                        }
                        2 => assert!(*own.lines() == known(plain), "{distinct}: {step}"),
                        _ => {}
                    }
                };
                let mut meeting = (Gathered::default(), Plain::new());
                for wave in &mut waves {
                    act(wave);
                    meeting.0.add(&wave.0);
                    wave.0.tells();
                    meeting.1.extend(&wave.1);
                    // Between its two halves of a barrier.
                    act(wave);
                }
                for wave in &mut waves {
                    meeting.0.give(&mut wave.0);
                    wave.1.extend(&meeting.1);
                    act(wave);
                }
                assert!(*meeting.0.lines() == known(&meeting.1));
                assert!(*device.0.lines() == known(&device.1));
            }
            for (own, plain) in &mut waves {
                assert!(*own.lines() == known(plain), "{distinct}");
            }
        }
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
