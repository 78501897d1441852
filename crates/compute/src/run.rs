//! One dispatch in execution, shared by the threads that work on it.

use std::{
    collections::VecDeque,
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
    total: u64,
    next: AtomicU64,
    shared: Mutex<Shared>,
}

struct Shared {
    job: Option<Job>,
    suspended: VecDeque<Workgroup>,
    /// Threads between attach and detach.
    workers: usize,
    /// Workgroups that are neither ended nor unstarted.
    resident: u64,
    ended: u64,
    free_slots: Vec<u32>,
    counts: Counts,
    failed: Option<Fault>,
}

/// What a thread may do next for a run.
pub(crate) enum Work {
    /// Start the workgroup with this linear index; scratch slots are taken.
    Start(u64, Vec<u32>),
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
            next: AtomicU64::new(0),
            shared: Mutex::new(Shared {
                job: Some(job),
                suspended: VecDeque::new(),
                workers: 0,
                resident: 0,
                ended: 0,
                free_slots: (0..slots).rev().collect(),
                counts: Counts::new(),
                failed: None,
            }),
        }
    }

    pub fn attach(&self) {
        lock(&self.shared).workers += 1;
    }

    /// Leaves the run, handing in `counts`. True if the run is over and this was its last worker.
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
            && (!shared.suspended.is_empty() || self.next.load(Ordering::Relaxed) < self.total)
    }

    /// The next piece of work: unstarted workgroups first as long as wave slots last, then the one set aside longest.
    pub fn take(&self) -> Work {
        let mut shared = lock(&self.shared);
        let cancelled = shared.job.as_ref().is_none_or(Job::is_cancelled);
        if cancelled && shared.failed.is_none() {
            shared.failed = Some(cancelled_fault(&self.dispatch));
        }
        if shared.failed.is_some() {
            return Work::Nothing;
        }
        let next = self.next.load(Ordering::Relaxed);
        if next < self.total {
            let waves = self.dispatch.waves(self.dispatch.workgroup(next)) as usize;
            if shared.free_slots.len() >= waves {
                let keep = shared.free_slots.len() - waves;
                let slots = shared.free_slots.split_off(keep);
                self.next.store(next + 1, Ordering::Relaxed);
                shared.resident += 1;
                return Work::Start(next, slots);
            }
        }
        match shared.suspended.pop_front() {
            Some(workgroup) => Work::Resume(workgroup),
            None => Work::Nothing,
        }
    }

    pub fn suspend(&self, workgroup: Workgroup) {
        lock(&self.shared).suspended.push_back(workgroup);
    }

    /// A workgroup has ended; its slots can be used again.
    pub fn ended(&self, slots: &[u32]) {
        let mut shared = lock(&self.shared);
        shared.free_slots.extend_from_slice(slots);
        shared.resident -= 1;
        shared.ended += 1;
    }

    pub fn fail(&self, fault: Fault) {
        lock(&self.shared).failed.get_or_insert(fault);
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

fn cancelled_fault(dispatch: &Dispatch) -> Fault {
    Fault::of_dispatch(
        dispatch,
        gpu::FaultKind::Unsupported,
        "the queue was destroyed while the kernel ran",
    )
}
