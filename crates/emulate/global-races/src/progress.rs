//! How far a wave has come: what it has issued and waited for, and what it knows of others.

use std::ops::Range;

use smallvec::SmallVec;

use crate::{
    clock::{Clock, Entry},
    lines::{Everywhere, Gathered, Lines, Loaded},
    plan::Which,
    scope::{Emptied, Scope},
};

/// Outstanding operations, of which the hardware has no more.
const MOST: usize = 64;
/// Most waves have few operations of which something is to be known.
const FEW: usize = 4;

enum Issued {
    Store(u32),
    /// Stores up to this stamp are written back.
    WriteBack(u32),
    /// The value that is loaded says so much.
    Load(Clock),
    /// The host may have written the value that is loaded.
    OfHost,
}

pub(crate) struct Progress {
    pub number: u32,
    /// The waves of its workgroup.
    beside: Range<u32>,
    /// Grows with each store and at each barrier.
    pub stamp: u32,
    waited: u32,
    agent: u32,
    counts: [u32; 2],
    outstanding: SmallVec<[(Which, u32, Issued); FEW]>,
    /// Others did this before whatever the wave does now.
    pub ordered: Clock,
    /// The caches have nothing that is older.
    pub near: Clock,
    pub far: Clock,
    /// The same of the caches of all waves of the launch.
    pub everywhere: Everywhere,
    /// The lines that the wave has loaded into the nearest and the next cache since it last emptied them.
    pub loaded: [Loaded; 2],
    /// How often it has arrived at barriers of its workgroup and of the device.
    pub arrivals: [u64; 2],
    /// The meeting that it is about to leave.
    pub leaves: Option<Place>,
    /// A value has come that the host may have written, after all copies that have begun by now.
    pub heard: bool,
}

/// A meeting of waves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// The barrier of the workgroup, by its number.
    Workgroup(u64),
    /// A resource of the device, and the number of the meeting there; 0 for a semaphore.
    Device(u32, u64),
}

/// The knowledge that waves exchange when they meet.
#[derive(Default)]
pub(crate) struct Meeting {
    ordered: Clock,
    near: Clock,
    far: Clock,
    everywhere: Everywhere,
    /// The waves that came had loaded these lines.
    loaded: [Gathered; 2],
    /// Greater than those of the meetings before.
    pub number: u64,
}

impl Progress {
    pub fn new(number: u32, beside: Range<u32>) -> Progress {
        Progress {
            number,
            beside,
            stamp: 1,
            waited: 0,
            agent: 0,
            counts: [0; 2],
            outstanding: SmallVec::new(),
            ordered: Clock::default(),
            near: Clock::default(),
            far: Clock::default(),
            everywhere: Everywhere::default(),
            loaded: Default::default(),
            arrivals: [0; 2],
            leaves: None,
            heard: false,
        }
    }

    /// Another wave begins, in the same memory.
    pub fn begin(&mut self, number: u32, beside: Range<u32>) {
        let Progress {
            number: its,
            beside: waves,
            stamp,
            waited,
            agent,
            counts,
            outstanding,
            ordered,
            near,
            far,
            everywhere,
            loaded,
            arrivals,
            leaves,
            heard,
        } = self;
        (*its, *waves) = (number, beside);
        (*stamp, *waited, *agent) = (1, 0, 0);
        *counts = [0; 2];
        outstanding.clear();
        [ordered, near, far].into_iter().for_each(Clock::clear);
        everywhere.clear();
        loaded.iter_mut().for_each(Loaded::clear);
        *arrivals = [0; 2];
        (*leaves, *heard) = (None, false);
    }

    fn issue(&mut self, which: Which, issued: Option<Issued>) {
        self.counts[which] += 1;
        let number = self.counts[which];
        if let Some(issued) = issued {
            self.outstanding.push((which, number, issued));
        }
        if self.outstanding.len() > MOST {
            self.wait_until(which, MOST as u32 - 1);
        }
    }

    pub fn counts(&mut self, which: Which) {
        self.issue(which, None);
    }

    /// A wave is of the same workgroup.
    pub fn is_beside(&self, wave: u32) -> bool {
        self.beside.contains(&wave)
    }

    /// The least scope that this wave and another one have in common.
    pub fn scope_to(&self, wave: u32) -> Scope {
        match self.is_beside(wave) {
            true => Scope::Workgroup,
            false => Scope::Agent,
        }
    }

    /// A store, whose stamp it gives.
    pub fn stores(&mut self, which: Which) -> u32 {
        self.stamp += 1;
        let stamp = self.stamp;
        self.issue(which, Some(Issued::Store(stamp)));
        stamp
    }

    pub fn loads(&mut self, which: Which, learns: Option<Clock>) {
        self.issue(which, learns.map(Issued::Load));
    }

    /// The same operation as the last store brings a value.
    pub fn learns(&mut self, which: Which, clock: Clock) {
        let number = self.counts[which];
        self.outstanding.push((which, number, Issued::Load(clock)));
    }

    /// The host may have written what the last load brings. The wave knows no sooner than when it has the value: a copy may end before that.
    pub fn hears_host(&mut self, which: Which) {
        let number = self.counts[which];
        self.outstanding.push((which, number, Issued::OfHost));
    }

    pub fn writes_back(&mut self, which: Which) {
        self.issue(which, Some(Issued::WriteBack(self.stamp)));
    }

    fn wait_until(&mut self, which: Which, most: u32) {
        if self.outstanding.is_empty() {
            self.waited = self.stamp;
            return;
        }
        let done = self.counts[which].saturating_sub(most);
        let outstanding = std::mem::take(&mut self.outstanding);
        for (of, number, issued) in outstanding {
            if of != which || number > done {
                self.outstanding.push((of, number, issued));
                continue;
            }
            match issued {
                Issued::Store(_) => {}
                Issued::WriteBack(stamp) => {
                    self.agent = self.agent.max(stamp);
                    self.written_back();
                }
                Issued::Load(clock) => self.ordered.join(&clock),
                Issued::OfHost => self.heard = true,
            }
        }
        let mut stores = self
            .outstanding
            .iter()
            .filter_map(|(_, _, issued)| match issued {
                Issued::Store(stamp) => Some(*stamp),
                _ => None,
            });
        self.waited = stores.next().map_or(self.stamp, |oldest| oldest - 1);
    }

    /// A write-back is one for the whole cache: also for what the wave knows of the other waves beside it.
    fn written_back(&mut self) {
        for wave in self.beside.clone() {
            let entry = self.ordered.get(wave);
            if entry.agent < entry.waited {
                let agent = entry.waited;
                self.ordered.raise(wave, Entry { agent, ..entry });
            }
        }
    }

    /// Waits until no more than so many operations are outstanding.
    pub fn wait(&mut self, most: [Option<u32>; 2]) {
        for (which, most) in most.into_iter().enumerate() {
            if let Some(most) = most {
                self.wait_until(which, most);
            }
        }
    }

    pub fn invalidates(&mut self, caches: Emptied) {
        if caches.near {
            self.loaded[0].clear();
            self.near = self.ordered.clone();
        }
        if caches.far {
            self.loaded[1].clear();
            self.far = self.ordered.clone();
        }
    }

    /// The wave comes to a meeting of its workgroup.
    pub fn arrives_workgroup(&mut self, meeting: &mut Meeting, shares_near: bool) {
        self.arrives(meeting, shares_near);
        self.loaded.iter_mut().for_each(Loaded::tells);
    }

    /// The wave comes to a meeting of the device.
    pub fn arrives_device(&mut self, meeting: &mut Meeting) {
        self.arrives(meeting, false);
    }

    fn arrives(&mut self, meeting: &mut Meeting, shares_near: bool) {
        let mut own = self.entry(self.stamp);
        if shares_near {
            own.waited = own.issued;
        }
        meeting.ordered.join(&self.ordered);
        meeting.ordered.raise(self.number, own);
        meeting.near.join(&self.near);
        meeting.far.join(&self.far);
        meeting.everywhere.join(&self.everywhere);
        for (all, own) in meeting.loaded.iter_mut().zip(&self.loaded) {
            all.add(own);
        }
        self.stamp += 1;
    }

    /// The wave leaves a meeting of its workgroup.
    pub fn leaves_workgroup(&mut self, meeting: &mut Meeting, shares_near: bool) {
        self.ordered.join(&meeting.ordered);
        self.forgets_itself();
        self.everywhere.join(&meeting.everywhere);
        self.far.join(&meeting.far);
        if shares_near {
            self.near.join(&meeting.near);
        }
        for (own, all) in self.loaded.iter_mut().zip(&mut meeting.loaded) {
            all.give(own);
        }
    }

    /// The wave leaves a meeting of the device. If all had emptied their caches, these have nothing that is older than the meeting, but for
    /// the lines that were loaded since.
    pub fn leaves_device(&mut self, meeting: &mut Meeting, by_lines: bool) {
        self.ordered.join(&meeting.ordered);
        let loaded = meeting.loaded.each_mut().map(|all| all.lines().clone());
        if by_lines || loaded == <[Lines; 2]>::default() {
            self.everywhere.met(meeting.number, &self.ordered, &loaded);
        }
    }

    /// Others believe at a barrier that its stores are finished. The wave itself tells only of those that it has waited for.
    fn forgets_itself(&mut self) {
        if self.ordered.get(self.number).waited > self.waited {
            self.ordered.forget(self.number);
        }
    }

    /// The work that is done up to a stamp, as others learn of it.
    pub fn entry(&self, issued: u32) -> Entry {
        Entry {
            issued,
            waited: self.waited.min(issued),
            agent: self.agent.min(issued),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wave that has stored, loaded, waited, and met another one.
    fn busy() -> Progress {
        let mut wave = Progress::new(2, 0..4);
        let mut other = Clock::default();
        other.raise(40, wave.entry(1));
        let all = Emptied {
            near: true,
            far: true,
        };
        wave.stores(0);
        wave.loads(0, Some(other));
        wave.wait([Some(0); 2]);
        wave.invalidates(all);
        wave.loaded.iter_mut().for_each(|lines| lines.load(512));
        let mut meeting = Meeting::default();
        wave.arrives_workgroup(&mut meeting, true);
        wave.leaves_workgroup(&mut meeting, true);
        meeting.number = 1;
        wave.leaves_device(&mut meeting, true);
        wave.stores(1);
        wave.hears_host(1);
        wave.writes_back(1);
        wave.wait([None, Some(0)]);
        wave.stores(1);
        wave.arrivals = [3, 4];
        wave.leaves = Some(Place::Workgroup(3));
        wave
    }

    #[test]
    fn a_wave_in_the_memory_of_another_begins_anew() {
        let (mut again, mut new) = (busy(), Progress::new(9, 8..12));
        assert!(again.heard && !again.everywhere.is_empty() && !again.outstanding.is_empty());
        again.begin(9, 8..12);
        let [again, new] = [&mut again, &mut new].map(|wave| {
            let clocks = [&wave.ordered, &wave.near, &wave.far];
            let knows = clocks.map(|clock| (0..64).map(|of| clock.get(of)).collect::<Vec<_>>());
            (
                (wave.number, wave.beside.clone(), wave.stamp, wave.waited),
                (wave.agent, wave.counts, wave.outstanding.len()),
                (knows, wave.everywhere.is_empty()),
                wave.loaded.each_mut().map(|all| all.lines().clone()),
                (wave.arrivals, wave.leaves, wave.heard),
            )
        });
        assert!(again == new);
    }
}
