//! One dispatch in execution, shared by the threads that work on it.

use std::{
    collections::VecDeque,
    ops::Range,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use gpu::{Dispatch, Fault, Job};
use wave::{Counts, Program};

use crate::{classes, workgroup::Workgroup};

/// Locks without giving poison a meaning: a panicking thread leaves counters and queues consistent enough to finish.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

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
    next: AtomicU64,
    shared: Mutex<Shared>,
}

struct Shared {
    job: Option<Job>,
    suspended: VecDeque<Workgroup>,
    /// Workgroups taken by a thread that left before it started them, with their slots.
    returned: Vec<(Range<u64>, Vec<u32>)>,
    /// Threads between attach and detach.
    workers: usize,
    /// Workgroups that are neither ended nor unstarted.
    resident: u64,
    ended: u64,
    free_slots: Vec<u32>,
    counts: Counts,
    failed: Option<Fault>,
}

/// Most workgroups that a thread takes at once.
const LARGEST_BATCH: u64 = 32;

/// What a thread has finished since it last said so.
#[derive(Debug, Default)]
pub(crate) struct Ended {
    workgroups: u64,
    slots: Vec<u32>,
}

impl Ended {
    /// A workgroup has ended; its slots can be used again.
    pub fn add(&mut self, slots: &[u32]) {
        self.workgroups += 1;
        self.slots.extend_from_slice(slots);
    }
}

impl Shared {
    fn add(&mut self, ended: &mut Ended) {
        self.free_slots.append(&mut ended.slots);
        self.resident -= ended.workgroups;
        self.ended += std::mem::take(&mut ended.workgroups);
    }
}

/// What a thread may do next for a run.
pub(crate) enum Work {
    /// Start the workgroups with these linear indices, whose slots are taken, before doing anything else.
    Start(Range<u64>, Vec<u32>),
    Resume(Workgroup),
    /// Nothing now.
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
        Run {
            total: dispatch.workgroup_count(),
            dispatch,
            program,
            rows,
            kernarg,
            threads: threads as u64,
            next: AtomicU64::new(0),
            shared: Mutex::new(Shared {
                job: Some(job),
                suspended: VecDeque::new(),
                returned: Vec::new(),
                workers: 0,
                resident: 0,
                ended: 0,
                free_slots: (0..slots).rev().collect(),
                counts: Counts::new(),
                failed: None,
            }),
        }
    }

    pub fn workgroups(&self) -> u64 {
        self.total
    }

    pub fn attach(&self) {
        lock(&self.shared).workers += 1;
    }

    /// Leaves the run, handing in `counts`. True if the run is over and this was its last worker.
    ///
    /// The last [`Run::take`] must have handed in all ended workgroups.
    pub fn detach(&self, counts: &Counts) -> bool {
        let mut shared = lock(&self.shared);
        shared.counts.merge(counts);
        shared.workers -= 1;
        shared.workers == 0 && self.is_over(&shared)
    }

    fn is_over(&self, shared: &Shared) -> bool {
        shared.ended == self.total || shared.failed.is_some()
    }

    /// Whether a thread that attached now would find something to do.
    pub fn has_work(&self) -> bool {
        let shared = lock(&self.shared);
        shared.failed.is_none()
            && (!shared.suspended.is_empty()
                || !shared.returned.is_empty()
                || self.next.load(Ordering::Relaxed) < self.total)
    }

    /// The next piece of work: unstarted workgroups first as long as wave slots last, then the one set aside longest.
    /// `ended` is handed in and emptied.
    pub fn take(&self, ended: &mut Ended) -> Work {
        let mut shared = lock(&self.shared);
        shared.add(ended);
        let cancelled = shared.job.as_ref().is_none_or(Job::is_cancelled);
        if cancelled && shared.failed.is_none() {
            let why = "the queue was destroyed while the kernel ran";
            shared.failed = Some(stopped(&self.dispatch, why));
        }
        if shared.failed.is_some() {
            return Work::Nothing;
        }
        if let Some((indices, slots)) = shared.returned.pop() {
            return Work::Start(indices, slots);
        }
        let next = self.next.load(Ordering::Relaxed);
        let wanted = self.batch(next);
        // Waves of the first workgroup: none has more.
        let waves = self.dispatch.waves([0; 3]) as usize;
        let fitting = shared.free_slots.len() / waves.max(1);
        let count = wanted.min(fitting as u64);
        if count > 0 {
            let keep = shared.free_slots.len() - waves * count as usize;
            let slots = shared.free_slots.split_off(keep);
            self.next.store(next + count, Ordering::Relaxed);
            shared.resident += count;
            return Work::Start(next..next + count, slots);
        }
        match shared.suspended.pop_front() {
            Some(workgroup) => Work::Resume(workgroup),
            None => Work::Nothing,
        }
    }

    /// Hands `ended` in, and workgroups that were taken but not started.
    pub fn give_back(&self, ended: &mut Ended, unstarted: Range<u64>, slots: Vec<u32>) {
        let mut shared = lock(&self.shared);
        shared.add(ended);
        if !unstarted.is_empty() {
            shared.returned.push((unstarted, slots));
        }
    }

    /// How many workgroups a thread takes at once: few enough that all threads end at about the same time.
    fn batch(&self, next: u64) -> u64 {
        let left = self.total.saturating_sub(next);
        (left / (8 * self.threads))
            .clamp(1, LARGEST_BATCH)
            .min(left)
    }

    pub fn suspend(&self, workgroup: Workgroup) {
        lock(&self.shared).suspended.push_back(workgroup);
    }

    pub fn fail(&self, fault: Fault) {
        lock(&self.shared).failed.get_or_insert(fault);
    }

    /// Stops the kernel, which did nothing wrong.
    pub fn abandon(&self, why: &str) {
        self.fail(stopped(&self.dispatch, why));
    }

    /// Answers the job. Called once, by the last worker.
    pub fn finish(&self) {
        let (job, outcome) = {
            let mut shared = lock(&self.shared);
            let outcome = match shared.failed.take() {
                Some(fault) => Err(fault),
                None => Ok(classes::summarise(&shared.counts, self.wave_total())),
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
