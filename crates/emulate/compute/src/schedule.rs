//! The choice of the workgroup that a thread executes next. It knows neither waves nor the device, so that it can be
//! tested alone.

use std::{collections::VecDeque, ops::Range};

use crate::{
    aside::{Aside, Pause},
    run::lock,
    sync::{AtomicBool, AtomicU64, Mutex, MutexGuard, Ordering},
};

/// Most workgroups that a thread takes at once.
const LARGEST_BATCH: u64 = 32;
/// Nothing that is read after an atomic here depends on who wrote it; what must be seen in order is behind the lock.
const ORDER: Ordering = Ordering::Relaxed;

/// Wave slots for one workgroup, which tell scratch memory apart: that many from the first one on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slots(pub u32);

/// The part of a dispatch that a thread holds between two workgroups.
#[derive(Debug, Default)]
pub(crate) struct ThreadWork {
    /// Workgroups that it is to start.
    unstarted: Range<u64>,
    /// For the next of them.
    slots: Option<Slots>,
    /// Workgroups that have ended since it last said so.
    ended: u64,
    /// The last thing that it did was to end one.
    just_ended: bool,
}

/// The next step of a thread.
#[derive(Debug)]
pub(crate) enum Work<T> {
    /// Start the workgroup with this linear index.
    Start(u64, Slots),
    Resume(T),
    /// Nothing now; the hand is empty.
    Nothing,
}

/// On cache lines of its own: threads read what is beside it for every workgroup.
#[repr(align(128))]
struct CachePadded<T>(T);

/// The workgroups of one dispatch; `T` is one that was started and set aside.
pub(crate) struct Schedule<T> {
    total: u64,
    /// Threads that may work on it.
    threads: u64,
    reuse: Reuse,
    /// `shared.returned` is not empty.
    returned: AtomicBool,
    /// `shared.suspended` is not empty.
    suspended: AtomicBool,
    /// First workgroup that no thread has taken.
    next: CachePadded<AtomicU64>,
    shared: CachePadded<Mutex<Shared<T>>>,
}

struct Shared<T> {
    suspended: Aside<T>,
    /// Workgroups taken by a thread that left or had no slots for them.
    returned: Vec<Range<u64>>,
    ended: u64,
    free_slots: FreeSlots,
}

/// The wave slots that a workgroup gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reuse {
    /// The slots that a workgroup has just left: few are ever used, and little scratch memory.
    Latest,
    /// The slots that were left first, after all that were never used: waves come to all compute units in turn, as on
    /// hardware.
    Earliest,
}

/// Sets of wave slots that no workgroup has. There are thousands of them, and most launches need few: those that no workgroup has had
/// are only counted.
struct FreeSlots {
    given_back: VecDeque<Slots>,
    /// Sets that no workgroup has had begin here.
    unused: u32,
    sets: u32,
    /// Slots of a set.
    waves: u32,
    reuse: Reuse,
}

impl FreeSlots {
    fn new(slots: u32, waves: u32, reuse: Reuse) -> FreeSlots {
        FreeSlots {
            given_back: VecDeque::new(),
            unused: 0,
            sets: slots / waves,
            waves,
            reuse,
        }
    }

    fn take(&mut self) -> Option<Slots> {
        match self.reuse {
            Reuse::Latest => self.given_back.pop_back().or_else(|| self.take_unused()),
            Reuse::Earliest => self.take_unused().or_else(|| self.given_back.pop_front()),
        }
    }

    fn take_unused(&mut self) -> Option<Slots> {
        let set = (self.unused < self.sets).then_some(self.unused)?;
        self.unused += 1;
        Some(Slots(set * self.waves))
    }

    fn give_back(&mut self, slots: Slots) {
        self.given_back.push_back(slots);
    }

    /// The slots that come after `slots`, which a workgroup has left.
    fn exchange(&mut self, slots: Slots) -> Slots {
        self.give_back(slots);
        self.take().unwrap_or(slots)
    }

    fn is_empty(&self) -> bool {
        self.given_back.is_empty() && self.unused == self.sets
    }
}

impl ThreadWork {
    /// The first unstarted workgroup, if there are slots for it.
    fn start<T>(&mut self) -> Option<Work<T>> {
        let slots = self.slots?;
        let index = self.unstarted.next()?;
        self.slots = None;
        Some(Work::Start(index, slots))
    }
}

impl<T> Schedule<T> {
    /// A schedule of `total` workgroups with `waves` waves each and together at most `slots` at a time.
    pub fn new(total: u64, waves: u32, slots: u32, threads: usize, reuse: Reuse) -> Schedule<T> {
        let waves = waves.max(1);
        Schedule {
            total,
            threads: threads as u64,
            reuse,
            returned: AtomicBool::new(false),
            suspended: AtomicBool::new(false),
            next: CachePadded(AtomicU64::new(0)),
            shared: CachePadded(Mutex::new(Shared {
                suspended: Aside::new(),
                returned: Vec::new(),
                ended: 0,
                free_slots: FreeSlots::new(slots, waves, reuse),
            })),
        }
    }

    fn shared(&self) -> MutexGuard<'_, Shared<T>> {
        lock(&self.shared.0)
    }

    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns `true` if all workgroups have ended, as far as the threads have said so: each does before it finds nothing to do.
    pub fn is_done(&self) -> bool {
        self.shared().ended == self.total
    }

    /// The workgroups that have been started, in order, if the hands of all threads are empty.
    pub fn started(&self) -> Vec<Range<u64>> {
        let shared = self.shared();
        let mut returned = shared.returned.clone();
        returned.sort_unstable_by_key(|range| range.start);
        let end = self.next.0.load(ORDER);
        returned.push(end..end);
        let mut from = 0;
        let mut started = Vec::with_capacity(returned.len());
        for unstarted in returned {
            started.push(from..unstarted.start);
            from = unstarted.end;
        }
        started.retain(|range| !range.is_empty());
        started
    }

    /// Returns `true` if a thread with an empty hand would find something to do.
    pub fn has_work(&self) -> bool {
        let shared = self.shared();
        let unstarted = || !shared.returned.is_empty() || self.next.0.load(ORDER) < self.total;
        !shared.suspended.is_empty() || !shared.free_slots.is_empty() && unstarted()
    }

    /// The next piece of work: unstarted workgroups first as long as wave slots last, then those set aside in turn. When a
    /// workgroup has ended, the first one set aside comes before all that: where each waits for the one before it, it can go on
    /// now, and whatever else is tried cannot.
    ///
    /// The first unstarted workgroup is never left waiting for slots that a later one gets, since workgroups may wait
    /// for those before them. Either its thread has slots, or its thread executes a workgroup before it that has them,
    /// or it is among the returned ones. Returned ones come first, and the thread that ends a workgroup that was set
    /// aside knows of them.
    pub fn take(&self, hand: &mut ThreadWork) -> Work<T> {
        let resume_first = std::mem::take(&mut hand.just_ended) && self.suspended.load(ORDER);
        if !resume_first && !self.returned.load(ORDER) && hand.slots.is_some() {
            if hand.unstarted.is_empty() {
                hand.unstarted = self.grab();
            }
            if let Some(work) = hand.start() {
                return work;
            }
        }
        self.take_shared(hand, resume_first)
    }

    /// [`Schedule::take`] where threads have to agree.
    #[cold]
    fn take_shared(&self, hand: &mut ThreadWork, resume_first: bool) -> Work<T> {
        let mut shared = self.shared();
        shared.ended += std::mem::take(&mut hand.ended);
        if resume_first && let Some(started) = self.resume(&mut shared, Aside::take_first) {
            return Work::Resume(started);
        }
        hand.slots = hand.slots.or_else(|| shared.free_slots.take());
        self.put_back(&mut shared, hand);
        if hand.slots.is_some() {
            let returned = &mut shared.returned;
            let first = (0..returned.len()).min_by_key(|&at| returned[at].start);
            hand.unstarted = match first {
                Some(first) => returned.swap_remove(first),
                None => self.grab(),
            };
            self.returned.store(!returned.is_empty(), ORDER);
            if let Some(work) = hand.start() {
                return work;
            }
            hand.slots
                .take()
                .into_iter()
                .for_each(|slots| shared.free_slots.give_back(slots));
        }
        match self.resume(&mut shared, Aside::take_next) {
            Some(started) => Work::Resume(started),
            None => Work::Nothing,
        }
    }

    /// The suspended workgroup that `choose` takes.
    fn resume(&self, shared: &mut Shared<T>, choose: fn(&mut Aside<T>) -> Option<T>) -> Option<T> {
        let chosen = choose(&mut shared.suspended);
        self.suspended.store(!shared.suspended.is_empty(), ORDER);
        chosen
    }

    /// A workgroup of the thread with this hand has ended; its slots can be used again.
    pub fn end(&self, slots: Slots, hand: &mut ThreadWork) {
        hand.ended += 1;
        hand.just_ended = true;
        let next = match self.reuse {
            Reuse::Latest => slots,
            // In one step: the first unstarted workgroup must not lose its slots to a later one.
            Reuse::Earliest => self.shared().free_slots.exchange(slots),
        };
        if let Some(more) = hand.slots.replace(next) {
            self.shared().free_slots.give_back(more);
        }
    }

    /// Sets a workgroup aside that the thread with this hand has executed. Its slots go with it, and in the same step those
    /// that had to wait for these slots are returned. How many are set aside, if all of them only waited in their last turns.
    pub fn suspend(
        &self,
        index: u64,
        started: T,
        pause: Pause,
        hand: &mut ThreadWork,
    ) -> Option<usize> {
        let mut shared = self.shared();
        shared.suspended.insert(index, started, pause);
        self.suspended.store(true, ORDER);
        if hand.slots.is_none() {
            self.put_back(&mut shared, hand);
        }
        shared.suspended.all_waited()
    }

    /// Empties the hand of a thread that leaves.
    pub fn give_back(&self, hand: &mut ThreadWork) {
        let mut shared = self.shared();
        shared.ended += std::mem::take(&mut hand.ended);
        hand.slots
            .take()
            .into_iter()
            .for_each(|slots| shared.free_slots.give_back(slots));
        self.put_back(&mut shared, hand);
    }

    fn put_back(&self, shared: &mut Shared<T>, hand: &mut ThreadWork) {
        if !hand.unstarted.is_empty() {
            shared.returned.push(std::mem::take(&mut hand.unstarted));
            self.returned.store(true, ORDER);
        }
    }

    /// Takes a batch of workgroups: few enough that all threads end at about the same time. Empty if none are left.
    fn grab(&self) -> Range<u64> {
        let batch = |next: u64| {
            let left = self.total - next;
            (left / (8 * self.threads))
                .clamp(1, LARGEST_BATCH)
                .min(left)
        };
        let grabbed = self.next.0.fetch_update(ORDER, ORDER, |next| {
            let count = batch(next);
            (count > 0).then_some(next + count)
        });
        grabbed.map_or(0..0, |next| next..next + batch(next))
    }
}

#[cfg(test)]
mod tests {
    use std::{
        thread,
        time::{Duration, Instant},
    };

    use super::*;

    const THREADS: usize = 8;
    const WORKGROUPS: u64 = 4000;

    /// Executes a dispatch in which workgroup `index` goes on when `may_end(index, ended)` says so, `ended` being how many have
    /// ended; with slots for 24 at a time. True if all did, each after one start.
    fn ends(may_end: fn(u64, u64) -> bool) -> bool {
        let all = [Reuse::Latest, Reuse::Earliest];
        all.into_iter().all(|reuse| ends_with(reuse, may_end))
    }

    fn ends_with(reuse: Reuse, may_end: fn(u64, u64) -> bool) -> bool {
        let schedule = Schedule::<(u64, Slots)>::new(WORKGROUPS, 4, 96, THREADS, reuse);
        let ended = AtomicU64::new(0);
        let started: Vec<AtomicBool> = (0..WORKGROUPS).map(|_| AtomicBool::new(false)).collect();
        let deadline = Instant::now() + Duration::from_secs(20);
        let work = || {
            let mut hand = ThreadWork::default();
            while Instant::now() < deadline {
                let (index, slots) = match schedule.take(&mut hand) {
                    Work::Start(index, slots) => {
                        assert!(!started[index as usize].swap(true, Ordering::SeqCst));
                        (index, slots)
                    }
                    Work::Resume(started) => started,
                    Work::Nothing if schedule.is_done() => return,
                    Work::Nothing => {
                        thread::yield_now();
                        continue;
                    }
                };
                if may_end(index, ended.load(Ordering::SeqCst)) {
                    ended.fetch_add(1, Ordering::SeqCst);
                    schedule.end(slots, &mut hand);
                } else {
                    schedule.suspend(index, (index, slots), Pause::Waits, &mut hand);
                    // Another thread may end it before this one asks for more.
                    thread::yield_now();
                }
            }
        };
        thread::scope(|scope| (0..THREADS).for_each(|_| drop(scope.spawn(work))));
        schedule.is_done()
    }

    #[test]
    fn workgroups_may_wait_for_those_before_them() {
        for _ in 0..20 {
            assert!(ends(|index, ended| ended >= index));
        }
    }

    #[test]
    fn the_first_unstarted_workgroup_gets_the_slots_that_come_free() {
        for reuse in [Reuse::Latest, Reuse::Earliest] {
            first_unstarted(reuse);
        }
    }

    fn first_unstarted(reuse: Reuse) {
        let schedule = Schedule::<Slots>::new(64, 1, 2, 1, reuse);
        let (mut one, mut two) = (ThreadWork::default(), ThreadWork::default());
        let started = |work| match work {
            Work::Start(index, slots) => (index, slots),
            other => panic!("{other:?}"),
        };
        let resumed = |work| match work {
            Work::Resume(slots) => slots,
            other => panic!("{other:?}"),
        };
        let (first, slots) = started(schedule.take(&mut one));
        let (later, later_slots) = started(schedule.take(&mut two));
        assert!(first == 0 && later > 1, "{later}");
        schedule.suspend(later, later_slots, Pause::Waits, &mut two);
        schedule.suspend(first, slots, Pause::Waits, &mut one);
        // Now, before it has asked for more, the first thread holds workgroup 1 and has no slots, the other one ends 0.
        let slots = resumed(schedule.take(&mut two));
        schedule.end(slots, &mut two);
        let later_slots = resumed(schedule.take(&mut two));
        schedule.suspend(later, later_slots, Pause::Waits, &mut two);
        assert_eq!(started(schedule.take(&mut two)).0, 1);
    }

    /// The slots that short workgroups have, one after the other on one thread.
    fn slots_of(reuse: Reuse) -> Vec<u32> {
        let schedule = Schedule::<()>::new(9, 2, 8, 1, reuse);
        let mut hand = ThreadWork::default();
        let mut all = Vec::new();
        while let Work::Start(_, slots) = schedule.take(&mut hand) {
            all.push(slots.0);
            schedule.end(slots, &mut hand);
        }
        assert!(schedule.is_done());
        all
    }

    #[test]
    fn short_workgroups_come_to_all_places_in_turn_or_stay_in_one() {
        assert_eq!(slots_of(Reuse::Latest), [0; 9]);
        assert_eq!(slots_of(Reuse::Earliest), [0, 2, 4, 6, 0, 2, 4, 6, 0]);
    }

    #[test]
    fn those_that_were_started_are_known_when_hands_are_empty() {
        let schedule = Schedule::<()>::new(640, 1, 64, 4, Reuse::Latest);
        let mut hands = [(); 3].map(|()| ThreadWork::default());
        let mut expected = Vec::new();
        for (hand, times) in hands.iter_mut().zip([5, 30, 1]) {
            for _ in 0..times {
                let Work::Start(index, slots) = schedule.take(hand) else {
                    panic!("there is more to start");
                };
                expected.push(index);
                schedule.end(slots, hand);
            }
        }
        hands.iter_mut().for_each(|hand| schedule.give_back(hand));
        expected.sort_unstable();
        let started: Vec<u64> = schedule.started().into_iter().flatten().collect();
        assert_eq!(started, expected);
        assert!(
            Schedule::<()>::new(9, 1, 9, 1, Reuse::Latest)
                .started()
                .is_empty()
        );
    }

    #[test]
    fn workgroups_may_wait_for_all_that_fit() {
        assert!(ends(|index, ended| index >= 24 || ended > 0 || index == 23));
    }

    #[test]
    fn nothing_is_lost_without_waiting() {
        assert!(ends(|_, _| true));
    }
}
