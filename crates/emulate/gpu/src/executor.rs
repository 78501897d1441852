//! The interface between the packet processor and the wave engine.
//!
//! The packet processor hands over each prepared dispatch as a [`Job`] and goes on with other queues; the executor runs
//! it on threads of its own and answers through the job, once. Jobs of different queues are in flight together and must
//! all make progress, because one kernel may wait for another or for the host.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use crate::{
    dispatch::Dispatch,
    fault::{Fault, FaultKind},
    order::Order,
};

/// Runs kernels.
pub trait Executor: Send + Sync {
    /// Gets ready to run kernels, before the first queue is made. Fails if the host gives not even one thread.
    fn start(&self) -> std::io::Result<()> {
        Ok(())
    }

    /// Takes a job and returns soon; the job may also be finished before this returns.
    fn submit(&self, job: Job);

    /// Code may have changed: forget everything decoded.
    fn invalidate_code(&self) {}

    /// A queue was suspended: returns when none of its kernels is executed any more, or after a moment.
    fn settle(&self, _queue: u64) {}

    /// A queue goes on, or goes away: jobs that were paused may have changed.
    fn resume(&self) {}

    /// Returns `true` if ROCr's own copy and fill shaders may be done natively instead of being submitted.
    fn native_blits(&self) -> bool {
        true
    }

    /// Returns `true` if dispatches should know [which ones have ended before them](crate::order).
    fn follows_order(&self) -> bool {
        false
    }

    /// A copy engine is about to write memory. Only said to an executor that [follows the order](Executor::follows_order).
    fn transfers(&self, _transfer: &Transfer<'_>) {}

    /// Counters of a device's barriers (global wave sync), which one dispatch may leave to the next; none if all are zero.
    fn barriers(&self, _node: u32) -> Vec<u32> {
        Vec::new()
    }

    /// Most waves of one dispatch that are resident at once: so many scratch slots are provided.
    fn resident_waves(&self) -> u32 {
        1024
    }
}

/// Memory that a copy engine is about to write.
#[derive(Clone, Copy, Debug)]
pub struct Transfer<'a> {
    /// The place of the copy among launches. A copy may have several pieces, which share it.
    pub order: &'a Arc<Order>,
    pub node: u32,
    /// The bytes come from here; None: the engine fills memory.
    pub from: Option<u64>,
    pub to: u64,
    pub bytes: u64,
}

/// Counts of a dispatch that was executed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub waves: u64,
    pub wave_instructions: u64,
    pub lane_instructions: u64,
    /// Per instruction class, in the executor's order.
    pub classes: Vec<ClassCount>,
    /// By AMD's names of counters; those that are 0 are left out.
    pub counters: Vec<(&'static str, u64)>,
    /// Instructions whose results may differ from a GPU's, by mnemonic.
    pub inexact: Vec<Inexact>,
    /// Per instruction, by address; empty unless the dispatch is [`Dispatch::counted`].
    pub instructions: Vec<InstructionCount>,
    /// Lanes of floating-point atomics that changed nothing, because the device cannot do them on memory of the host.
    pub lost_atomics: u64,
    /// Waves did nothing for a while but look whether memory has changed, so how much they executed depends on when it did.
    pub waited: bool,
}

impl From<&Counts> for counts::Executed {
    fn from(counts: &Counts) -> counts::Executed {
        let classes = counts.classes.iter().map(|one| {
            let both = counts::Class(one.wave_instructions, one.lane_instructions);
            (one.class.into(), both)
        });
        counts::Executed {
            waves: counts.waves,
            wave_instructions: counts.wave_instructions,
            lane_instructions: counts.lane_instructions,
            classes: classes.collect(),
        }
    }
}

/// Instructions of one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassCount {
    pub class: &'static str,
    pub wave_instructions: u64,
    pub lane_instructions: u64,
}

/// Executions of one mnemonic whose results no public source fixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inexact {
    /// Name of the reason.
    pub reason: &'static str,
    pub op: &'static str,
    pub wave_instructions: u64,
    pub lane_instructions: u64,
}

/// How often one instruction was executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstructionCount {
    pub pc: u64,
    pub wave_instructions: u64,
    pub lane_instructions: u64,
}

/// How a job ended.
pub type Outcome = Result<Counts, Fault>;

/// Called once with the outcome.
type Finish = Box<dyn FnOnce(Outcome) + Send>;

/// A dispatch to run, and the obligation to answer. A job dropped unanswered counts as an unsupported dispatch.
pub struct Job {
    pub dispatch: Arc<Dispatch>,
    cancelled: Arc<AtomicBool>,
    paused: Arc<AtomicBool>,
    finish: Option<Finish>,
}

impl Job {
    /// `finish` is called once, from whatever thread ends the job.
    pub fn new(dispatch: Arc<Dispatch>, cancelled: Arc<AtomicBool>, finish: Finish) -> Job {
        Job {
            dispatch,
            cancelled,
            paused: Arc::default(),
            finish: Some(finish),
        }
    }

    /// The same job, whose waves stand still as long as `paused` is set.
    pub fn pausing(self, paused: Arc<AtomicBool>) -> Job {
        let mut job = self;
        job.paused = paused;
        job
    }

    /// Whether the queue is suspended, for many threads to look at.
    pub fn paused(&self) -> Arc<AtomicBool> {
        self.paused.clone()
    }

    /// The queue is going away: stop soon and finish with any outcome.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// The flag behind [`Job::is_cancelled`], for other threads.
    pub fn cancelled(&self) -> Arc<AtomicBool> {
        self.cancelled.clone()
    }

    pub fn finish(mut self, outcome: Outcome) {
        if let Some(finish) = self.finish.take() {
            finish(outcome);
        }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        if let Some(finish) = self.finish.take() {
            finish(Err(Fault::of_dispatch(
                &self.dispatch,
                FaultKind::Unsupported,
                "the executor gave the dispatch up",
            )));
        }
    }
}

/// One finished dispatch, for statistics.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    pub dispatch: &'a Dispatch,
    /// Device ticks.
    pub start: u64,
    pub end: u64,
    pub outcome: &'a Outcome,
}

/// Receives what users want to know; called on the thread where it happened.
pub trait Observer: Send + Sync {
    /// A dispatch has finished, well or not.
    fn dispatch_finished(&self, record: &Record<'_>);

    /// The source of the instruction at `pc`: `file:line`, with the functions that it was inlined into, if that is known.
    fn source(&self, _pc: u64) -> Option<String> {
        None
    }

    /// Something went wrong that the user must read; one or several lines without a final newline.
    fn report(&self, message: &str);
}
