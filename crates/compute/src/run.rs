//! One dispatch in execution, shared by the threads that work on it.

use std::{
    collections::BTreeMap,
    ops::Range,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use gpu::{Dispatch, Fault, Job};
use wave::{Counts, Program};

use crate::{classes, workgroup::Workgroup};

/// Locks without giving poison a meaning: a panicking thread leaves counters and queues consistent enough to finish.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// On cache lines of its own: threads read what is beside it for every workgroup.
#[repr(align(128))]
struct Apart<T>(T);

pub(crate) struct Run {
    pub dispatch: Arc<Dispatch>,
    pub program: Arc<Program>,
    /// Vector register rows per wave.
    pub rows: usize,
    /// First dwords of the kernel arguments, for kernels that want them in SGPRs.
    pub kernarg: Vec<u32>,
    /// Threads that may work on it.
    threads: u64,
    total: u64,
    cancelled: Arc<AtomicBool>,
    /// `shared.failed` is something.
    failed: AtomicBool,
    /// `shared.returned` is not empty.
    returned: AtomicBool,
    /// `shared.suspended` is not empty.
    suspended: AtomicBool,
    /// First workgroup that no thread has taken.
    next: Apart<AtomicU64>,
    shared: Apart<Mutex<Shared>>,
}

struct Shared {
    job: Option<Job>,
    /// By linear index.
    suspended: BTreeMap<u64, Workgroup>,
    /// Behind the suspended workgroup that was resumed last in turn.
    turn: u64,
    /// Workgroups taken by a thread that left or had no slots for them.
    returned: Vec<Range<u64>>,
    /// Threads between attach and detach.
    workers: usize,
    ended: u64,
    free_slots: Vec<Slots>,
    /// Of the threads that have left, unless one is just adding its own.
    counts: Option<Counts>,
    failed: Option<Fault>,
}

/// Most workgroups that a thread takes at once.
const LARGEST_BATCH: u64 = 32;

/// Wave slots for one workgroup, which tell scratch memory apart: that many from the first one on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slots(pub u32);

/// What a thread holds of a run between two workgroups.
#[derive(Debug, Default)]
pub(crate) struct Hand {
    /// Workgroups that it is to start.
    unstarted: Range<u64>,
    /// For the next of them.
    slots: Option<Slots>,
    /// Workgroups that have ended since it last said so.
    ended: u64,
    /// The last thing that it did was to end one.
    just_ended: bool,
}

impl Hand {
    /// A workgroup has ended; its slots can be used again. Returns slots that are too many.
    #[must_use]
    pub fn end(&mut self, slots: Slots) -> Option<Slots> {
        self.ended += 1;
        self.just_ended = true;
        self.slots.replace(slots)
    }

    /// The first unstarted workgroup, if there are slots for it.
    fn start(&mut self) -> Option<Work> {
        let slots = self.slots?;
        let index = self.unstarted.next()?;
        self.slots = None;
        Some(Work::Start(index, slots))
    }
}

/// What a thread may do next for a run.
pub(crate) enum Work {
    /// Start the workgroup with this linear index.
    Start(u64, Slots),
    Resume(Workgroup),
    /// Nothing now; the hand is empty.
    Nothing,
}

impl Run {
    pub fn new(
        job: Job,
        program: Arc<Program>,
        rows: usize,
        kernarg: Vec<u32>,
        resident_waves: u32,
        threads: usize,
    ) -> Run {
        let dispatch = job.dispatch.clone();
        let slots = if dispatch.scratch.wave_bytes > 0 {
            dispatch.scratch.slots
        } else {
            resident_waves
        };
        // Of the first workgroup: none has more.
        let waves = dispatch.waves([0; 3]).max(1);
        let free_slots = (0..slots / waves).rev().map(|set| Slots(set * waves));
        Run {
            total: dispatch.workgroup_count(),
            dispatch,
            program,
            rows,
            kernarg,
            threads: threads as u64,
            cancelled: job.cancelled(),
            failed: AtomicBool::new(false),
            returned: AtomicBool::new(false),
            suspended: AtomicBool::new(false),
            next: Apart(AtomicU64::new(0)),
            shared: Apart(Mutex::new(Shared {
                suspended: BTreeMap::new(),
                turn: 0,
                returned: Vec::new(),
                workers: 0,
                ended: 0,
                free_slots: free_slots.collect(),
                counts: None,
                failed: None,
                job: Some(job),
            })),
        }
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        lock(&self.shared.0)
    }

    pub fn workgroups(&self) -> u64 {
        self.total
    }

    pub fn attach(&self) {
        self.shared().workers += 1;
    }

    /// Leaves the run, handing in `counts`. True if the run is over and this was its last worker.
    ///
    /// The last [`Run::take`] must have found nothing, or [`Run::give_back`] have emptied the hand.
    pub fn detach(&self, mut counts: Counts) -> bool {
        loop {
            let mut shared = self.shared();
            let Some(others) = shared.counts.take() else {
                shared.counts = Some(counts);
                shared.workers -= 1;
                return shared.workers == 0 && self.is_over(&shared);
            };
            // Not under the lock: threads that end together add up theirs two by two.
            drop(shared);
            counts.merge(&others);
        }
    }

    fn is_over(&self, shared: &Shared) -> bool {
        shared.ended == self.total || shared.failed.is_some()
    }

    /// Whether a thread that attached now would find something to do.
    pub fn has_work(&self) -> bool {
        let shared = self.shared();
        let unstarted = || !shared.returned.is_empty() || self.left() > 0;
        shared.failed.is_none()
            && (!shared.suspended.is_empty() || !shared.free_slots.is_empty() && unstarted())
    }

    /// The next piece of work: unstarted workgroups first as long as wave slots last, then those set aside in turn. When a
    /// workgroup has ended, the first one set aside comes before all that: where each waits for the one before it, it can go on
    /// now, and whatever else is tried cannot.
    ///
    /// Of all unstarted workgroups the first one is never left waiting for slots that a later one gets, since workgroups may
    /// wait for those before them: either its thread has slots, if only in the workgroup that it executes, or it is among the
    /// returned ones, which come first.
    pub fn take(&self, hand: &mut Hand) -> Work {
        let order = Ordering::Relaxed;
        let resume_first = std::mem::take(&mut hand.just_ended) && self.suspended.load(order);
        let plain = !resume_first
            && !self.failed.load(order)
            && !self.cancelled.load(order)
            && !self.returned.load(order)
            && hand.slots.is_some();
        if plain {
            if hand.unstarted.is_empty() {
                hand.unstarted = self.grab();
            }
            if let Some(work) = hand.start() {
                return work;
            }
        }
        self.take_shared(hand, resume_first)
    }

    /// [`Run::take`] where threads have to agree.
    #[cold]
    fn take_shared(&self, hand: &mut Hand, resume_first: bool) -> Work {
        let mut shared = self.shared();
        shared.ended += std::mem::take(&mut hand.ended);
        if self.cancelled.load(Ordering::Relaxed) && shared.failed.is_none() {
            let why = "the queue was destroyed while the kernel ran";
            self.set_failed(&mut shared, stopped(&self.dispatch, why));
        }
        if shared.failed.is_some() {
            return Work::Nothing;
        }
        if resume_first && let Some(workgroup) = self.resume(&mut shared, 0) {
            return Work::Resume(workgroup);
        }
        hand.slots = hand.slots.or_else(|| shared.free_slots.pop());
        self.put_back(&mut shared, &mut hand.unstarted);
        if hand.slots.is_some() {
            let returned = &mut shared.returned;
            let first = (0..returned.len()).min_by_key(|&at| returned[at].start);
            hand.unstarted = match first {
                Some(first) => returned.swap_remove(first),
                None => self.grab(),
            };
            self.returned.store(!returned.is_empty(), Ordering::Relaxed);
            if let Some(work) = hand.start() {
                return work;
            }
            shared.free_slots.extend(hand.slots.take());
        }
        let turn = shared.turn;
        match self.resume(&mut shared, turn) {
            Some(workgroup) => {
                shared.turn = workgroup.index + 1;
                Work::Resume(workgroup)
            }
            None => Work::Nothing,
        }
    }

    /// The first suspended workgroup from `index` on, or else of all.
    fn resume(&self, shared: &mut Shared, index: u64) -> Option<Workgroup> {
        let suspended = &mut shared.suspended;
        let next = suspended.range(index..).next();
        let index = *next.or_else(|| suspended.first_key_value())?.0;
        let workgroup = suspended.remove(&index);
        self.suspended
            .store(!suspended.is_empty(), Ordering::Relaxed);
        workgroup
    }

    /// Empties the hand of a thread that leaves.
    pub fn give_back(&self, hand: &mut Hand) {
        let mut shared = self.shared();
        shared.ended += std::mem::take(&mut hand.ended);
        shared.free_slots.extend(hand.slots.take());
        self.put_back(&mut shared, &mut hand.unstarted);
    }

    fn put_back(&self, shared: &mut Shared, unstarted: &mut Range<u64>) {
        if !unstarted.is_empty() {
            shared.returned.push(std::mem::take(unstarted));
            self.returned.store(true, Ordering::Relaxed);
        }
    }

    /// Slots that a thread has no use for.
    pub fn free(&self, slots: Slots) {
        self.shared().free_slots.push(slots);
    }

    /// Workgroups that no thread has taken.
    fn left(&self) -> u64 {
        self.total - self.next.0.load(Ordering::Relaxed)
    }

    /// Takes a batch of workgroups: few enough that all threads end at about the same time. Empty if none are left.
    fn grab(&self) -> Range<u64> {
        let order = Ordering::Relaxed;
        let batch = |next: u64| {
            let left = self.total - next;
            (left / (8 * self.threads))
                .clamp(1, LARGEST_BATCH)
                .min(left)
        };
        let grabbed = self.next.0.fetch_update(order, order, |next| {
            let count = batch(next);
            (count > 0).then_some(next + count)
        });
        grabbed.map_or(0..0, |next| next..next + batch(next))
    }

    pub fn suspend(&self, workgroup: Workgroup) {
        let mut shared = self.shared();
        shared.suspended.insert(workgroup.index, workgroup);
        self.suspended.store(true, Ordering::Relaxed);
    }

    pub fn fail(&self, fault: Fault) {
        self.set_failed(&mut self.shared(), fault);
    }

    fn set_failed(&self, shared: &mut Shared, fault: Fault) {
        shared.failed.get_or_insert(fault);
        self.failed.store(true, Ordering::Relaxed);
    }

    /// Stops the kernel, which did nothing wrong.
    pub fn abandon(&self, why: &str) {
        self.fail(stopped(&self.dispatch, why));
    }

    /// Answers the job. Called once, by the last worker.
    pub fn finish(&self) {
        let (job, outcome) = {
            let mut shared = self.shared();
            let outcome = match shared.failed.take() {
                Some(fault) => Err(fault),
                None => {
                    let counts = shared.counts.take().unwrap_or_default();
                    Ok(classes::summarise(&counts, self.wave_total()))
                }
            };
            (shared.job.take(), outcome)
        };
        if let Some(job) = job {
            job.finish(outcome);
        }
    }

    fn wave_total(&self) -> u64 {
        // All workgroups have the inner shape except those at the upper edges; count by dimension classes.
        let [x, y, z] = self.dispatch.workgroups;
        let edges = |count: u32| {
            if count > 1 {
                vec![(0, u64::from(count) - 1), (count - 1, 1)]
            } else {
                vec![(0, 1)]
            }
        };
        let mut total = 0;
        for (x, times_x) in edges(x) {
            for (y, times_y) in edges(y) {
                for (z, times_z) in edges(z) {
                    total +=
                        u64::from(self.dispatch.waves([x, y, z])) * times_x * times_y * times_z;
                }
            }
        }
        total
    }
}

fn stopped(dispatch: &Dispatch, why: &str) -> Fault {
    Fault::of_dispatch(dispatch, gpu::FaultKind::Unsupported, why)
}
