//! One dispatch in execution, shared by the threads that work on it.

use std::{
    collections::BTreeMap,
    ops::Range,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use gpu::{Dispatch, Fault, Job, clock::Epoch};
use wave::{Counts, Program};

use crate::{
    aside::Pause,
    classes,
    schedule::{Reuse, Schedule, Slots, ThreadWork, Work},
    workgroup::{Slice, Workgroup},
};

/// Most micro-operations of a glance, and the step from one glance to the next.
const LONGEST_GLANCE: u32 = 499;
const STRIDE: u32 = 193;
/// When so many turns in a row were over too soon, workgroups that start will hardly end in a long one: they are long themselves, or wait
/// for one that was set aside.
const MANY_SLICED: u32 = 4;
/// How long to wait at a time for threads that add up counts, and how often.
const MOMENT: Duration = Duration::from_millis(1);
const PATIENCE: u32 = 100;

/// Locks without giving poison a meaning: a panicking thread leaves counters and queues consistent enough to finish.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) struct Run {
    /// Counts are summed by counter and by what is not exact, too.
    detailed: bool,
    pub dispatch: Arc<Dispatch>,
    pub program: Arc<Program>,
    /// Vector register rows per wave.
    pub rows: usize,
    /// First dwords of the kernel arguments, for kernels that want them in SGPRs.
    pub kernarg: Vec<u32>,
    /// Workgroups are boxed when they are set aside: few are, and what is handed over for each stays small.
    pub schedule: Schedule<Box<Workgroup>>,
    /// When it began.
    pub epoch: Epoch,
    /// Cycles since then, as its threads have left it.
    time: AtomicU64,
    /// The latest of its cycles that a wave was shown.
    shown: AtomicU64,
    cancelled: Arc<AtomicBool>,
    /// The queue is suspended: no wave goes on.
    paused: Arc<AtomicBool>,
    /// A user wants to know where waves are.
    asked: AtomicBool,
    places: Mutex<BTreeMap<u64, u64>>,
    /// Glances at workgroups so far.
    glances: AtomicU32,
    /// `shared.failed` is something.
    failed: AtomicBool,
    /// A workgroup did nothing but wait.
    waited: AtomicBool,
    /// Turns since a workgroup has ended that were over before their workgroups had done what they can do.
    sliced: AtomicU32,
    shared: Mutex<Shared>,
}

struct Shared {
    job: Option<Job>,
    /// Threads between attach and detach.
    workers: usize,
    /// The sum of the counts that threads handed in, also when they left, without the counts that a thread is adding
    /// up now.
    counts: Option<Counts>,
    /// Threads that add them up.
    adding: usize,
    failed: Option<Fault>,
}

impl Run {
    pub fn new(
        job: Job,
        program: Arc<Program>,
        rows: usize,
        kernarg: Vec<u32>,
        resident_waves: u32,
        threads: usize,
        detailed: bool,
    ) -> Run {
        let dispatch = job.dispatch.clone();
        let slots = if dispatch.scratch.wave_bytes > 0 {
            dispatch.scratch.slots
        } else {
            resident_waves
        };
        // The first workgroup has as many waves as any other, or more.
        let waves = dispatch.waves([0; 3]);
        let slots = dispatch.resident_waves(slots).max(waves.min(slots));
        // A program that chooses compute units may look where its waves run.
        let reuse = match dispatch.units {
            Some(_) => Reuse::Earliest,
            None => Reuse::Latest,
        };
        Run {
            schedule: Schedule::new(dispatch.workgroup_count(), waves, slots, threads, reuse),
            epoch: Epoch::now(dispatch.target),
            time: AtomicU64::new(0),
            shown: AtomicU64::new(0),
            dispatch,
            detailed,
            program,
            rows,
            kernarg,
            cancelled: job.cancelled(),
            paused: job.paused(),
            asked: AtomicBool::new(false),
            places: Mutex::default(),
            glances: AtomicU32::new(0),
            failed: AtomicBool::new(false),
            waited: AtomicBool::new(false),
            sliced: AtomicU32::new(0),
            shared: Mutex::new(Shared {
                workers: 0,
                counts: None,
                adding: 0,
                failed: None,
                job: Some(job),
            }),
        }
    }

    /// The time at which a thread goes on, in cycles since the kernel began.
    pub fn time(&self) -> u64 {
        self.time.load(Ordering::Relaxed)
    }

    /// A wave is shown this time.
    pub fn show(&self, elapsed: u64) {
        if self.shown.load(Ordering::Relaxed) < elapsed {
            self.shown.fetch_max(elapsed, Ordering::Relaxed);
        }
    }

    /// The latest time that a wave was shown.
    pub fn latest(&self) -> u64 {
        self.shown.load(Ordering::Relaxed)
    }

    /// A thread leaves at this time.
    pub fn leave_at(&self, time: u64) {
        self.time.fetch_max(time, Ordering::Relaxed);
    }

    pub fn attach(&self) {
        lock(&self.shared).workers += 1;
    }

    /// Leaves the run, handing in `counts`. True if the run is over and this was its last worker. The thread's hand is empty.
    pub fn detach(&self, counts: Counts) -> bool {
        let mut shared = self.add(counts);
        shared.workers -= 1;
        let is_over = || shared.failed.is_some() || self.schedule.is_done();
        shared.workers == 0 && is_over()
    }

    /// Hands in what a thread has executed that goes on.
    pub fn hand_in(&self, counts: &mut Counts) {
        drop(self.add(std::mem::take(counts)));
    }

    fn add(&self, mut counts: Counts) -> MutexGuard<'_, Shared> {
        let mut shared = lock(&self.shared);
        while let Some(others) = shared.counts.take() {
            shared.adding += 1;
            // Not under the lock: threads that end together add up theirs two by two.
            drop(shared);
            counts.merge(&others);
            shared = lock(&self.shared);
            shared.adding -= 1;
        }
        shared.counts = Some(counts);
        shared
    }

    /// Returns the counts that were handed in so far, as soon as no thread adds any up.
    fn handed_in(&self) -> gpu::Counts {
        for _ in 0..PATIENCE {
            let shared = lock(&self.shared);
            if shared.adding == 0 {
                let counts = shared.counts.as_ref();
                return counts
                    .map_or_else(gpu::Counts::default, |counts| self.summarise(counts, None));
            }
            drop(shared);
            thread::sleep(MOMENT);
        }
        gpu::Counts::default()
    }

    /// Returns `true` if a thread that attached now would find something to do.
    pub fn has_work(&self) -> bool {
        !self.failed.load(Ordering::Relaxed) && !self.is_paused() && self.schedule.has_work()
    }

    /// The queue is suspended. One that goes away must still be noticed.
    fn is_paused(&self) -> bool {
        self.paused.load(Ordering::SeqCst) && !self.cancelled.load(Ordering::Relaxed)
    }

    /// Returns `true` if a thread works on it.
    pub fn is_attended(&self) -> bool {
        lock(&self.shared).workers != 0
    }

    /// The next work of the thread with this hand.
    pub fn take(&self, hand: &mut ThreadWork) -> Work<Box<Workgroup>> {
        if self.cancelled.load(Ordering::Relaxed) {
            self.abandon("the queue was destroyed while the kernel ran");
        }
        if self.failed.load(Ordering::Relaxed) || self.is_paused() {
            self.schedule.give_back(hand);
            return Work::Nothing;
        }
        self.schedule.take(hand)
    }

    /// From now on, notes where waves are whenever their workgroup has had a turn.
    pub fn ask_for_places(&self) {
        lock(&self.places).clear();
        self.asked.store(true, Ordering::Relaxed);
    }

    /// Returns `true` if anything was noted since.
    pub fn was_seen(&self) -> bool {
        !lock(&self.places).is_empty()
    }

    /// Waves by the address of their next instruction, as far as noted since; each counts for every turn that it had. And what was
    /// executed, by threads that have left or noted something.
    pub fn places(&self) -> (BTreeMap<u64, u64>, gpu::Counts) {
        self.asked.store(false, Ordering::Relaxed);
        let counts = self.handed_in();
        (std::mem::take(&mut lock(&self.places)), counts)
    }

    /// Returns `true` if turns are to end soon: a user waits for what [`Run::note`] notes, or the kernel is to stand still or to end.
    pub fn wants_turn(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
            || self.paused.load(Ordering::Relaxed)
            || self.cancelled.load(Ordering::Relaxed)
    }

    /// How much a workgroup that goes on, and is to have `usual` at first, executes in its turn.
    pub fn later_slice(&self, usual: Slice) -> Slice {
        usual.later(self.sliced.load(Ordering::Relaxed))
    }

    /// How much a workgroup that starts, and is to have `usual`, executes in its first turn.
    pub fn first_slice(&self, usual: Slice) -> Slice {
        if !self.asked.load(Ordering::Relaxed) {
            let sliced = self.sliced.load(Ordering::Relaxed);
            return match sliced < MANY_SLICED {
                true => usual,
                false => usual.later(sliced),
            };
        }
        // Another number each time, so that all places are seen that waves spend their time at.
        let glance = self.glances.fetch_add(1, Ordering::Relaxed);
        Slice::glance(1 + glance.wrapping_mul(STRIDE) % LONGEST_GLANCE)
    }

    /// A workgroup has had its turn, by a thread whose counts these are. If a user has asked, they are handed in.
    pub fn note(&self, workgroup: &Workgroup, counts: &mut Counts) {
        if !self.asked.load(Ordering::Relaxed) {
            return;
        }
        let mut places = lock(&self.places);
        for pc in workgroup.places() {
            *places.entry(pc).or_default() += 1;
        }
        drop(places);
        self.hand_in(counts);
    }

    /// `started`: the workgroups that have begun, if not all will.
    fn summarise(&self, counts: &Counts, started: Option<&[Range<u64>]>) -> gpu::Counts {
        gpu::Counts {
            waited: self.waited.load(Ordering::Relaxed),
            ..classes::summarise(counts, &self.dispatch, self.detailed, started)
        }
    }

    /// A workgroup of the thread with this hand has ended.
    pub fn ended(&self, slots: Slots, hand: &mut ThreadWork) {
        if self.sliced.load(Ordering::Relaxed) != 0 {
            self.sliced.store(0, Ordering::Relaxed);
        }
        self.schedule.end(slots, hand);
    }

    /// A workgroup has paused.
    pub fn paused(&self, pause: Pause) {
        if pause == Pause::Sliced {
            self.sliced.fetch_add(1, Ordering::Relaxed);
        }
        if matches!(pause, Pause::Came | Pause::Waits) && !self.waited.load(Ordering::Relaxed) {
            self.waited.store(true, Ordering::Relaxed);
        }
    }

    pub fn fail(&self, fault: Fault) {
        lock(&self.shared).failed.get_or_insert(fault);
        self.failed.store(true, Ordering::Relaxed);
    }

    /// Stops the kernel, which did nothing wrong.
    pub fn abandon(&self, why: &str) {
        let kind = gpu::FaultKind::Unsupported;
        self.fail(Fault::of_dispatch(&self.dispatch, kind, why));
    }

    /// Answers the job. Called once, by the last worker.
    pub fn finish(&self) {
        let (job, outcome) = {
            let mut shared = lock(&self.shared);
            let counts = shared.counts.take().unwrap_or_default();
            let outcome = match shared.failed.take() {
                Some(fault) => {
                    let executed = self.summarise(&counts, Some(&self.schedule.started()));
                    Err(Fault {
                        executed: Some(Box::new(executed)),
                        ..fault
                    })
                }
                None => Ok(self.summarise(&counts, None)),
            };
            (shared.job.take(), outcome)
        };
        if let Some(job) = job {
            job.finish(outcome);
        }
    }
}
