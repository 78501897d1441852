//! Where the packet processor and the wave engine meet.
//!
//! The packet processor hands over each prepared dispatch as a [`Job`] and goes on with other queues; the executor runs
//! it on threads of its own and answers through the job, once. Jobs of different queues are in flight together and must
//! all make progress, because one kernel may wait for another or for the host.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use crate::dispatch::Dispatch;

/// Runs kernels.
pub trait Executor: Send + Sync {
    /// Takes a job and returns soon; the job may also be finished before this returns.
    fn submit(&self, job: Job);

    /// Code may have changed: forget everything decoded.
    fn invalidate_code(&self) {}

    /// Whether ROCr's own copy and fill shaders may be done natively instead of being submitted.
    fn native_blits(&self) -> bool {
        true
    }

    /// Most waves of one dispatch that are resident at once: so many scratch slots are provided.
    fn resident_waves(&self) -> u32 {
        1024
    }
}

/// What a dispatch executed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub waves: u64,
    pub wave_instructions: u64,
    pub lane_instructions: u64,
    /// Per instruction class, in the executor's order.
    pub classes: Vec<ClassCount>,
}

/// Instructions of one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassCount {
    pub class: &'static str,
    pub wave_instructions: u64,
    pub lane_instructions: u64,
}

/// Why a kernel stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// A global, flat, scalar or instruction access to memory the device may not touch.
    Memory { address: u64, write: bool },
    /// An address in no aperture, or beyond the LDS or scratch aperture.
    Aperture { address: u64 },
    /// A misaligned access where the instruction demands alignment.
    Unaligned { address: u64 },
    /// An encoding the target does not have.
    IllegalInstruction,
    /// An instruction of the target that the emulator does not execute.
    Unsupported,
    /// `s_trap`, for instance from a failed assertion.
    Trap { id: u32 },
}

/// A kernel's fault with everything known about the place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    pub pc: u64,
    /// Disassembly of the instruction at `pc`; empty if unknown.
    pub instruction: String,
    pub workgroup: [u32; 3],
    /// Wave within the workgroup.
    pub wave: u32,
    pub lane: Option<u32>,
    /// Anything else worth saying, such as a source line.
    pub detail: Option<String>,
}

impl Fault {
    /// A fault of the dispatch as a whole, not of one of its instructions.
    pub fn of_dispatch(dispatch: &Dispatch, kind: FaultKind, detail: impl Into<String>) -> Fault {
        Fault {
            kind,
            pc: dispatch.entry,
            instruction: String::new(),
            workgroup: [0; 3],
            wave: 0,
            lane: None,
            detail: Some(detail.into()),
        }
    }
}

/// How a job ended.
pub type Outcome = Result<Counts, Fault>;

/// Called once with the outcome.
type Finish = Box<dyn FnOnce(Outcome) + Send>;

/// A dispatch to run, and the obligation to answer. A job dropped unanswered counts as an unsupported dispatch.
pub struct Job {
    pub dispatch: Arc<Dispatch>,
    cancelled: Arc<AtomicBool>,
    finish: Option<Finish>,
}

impl Job {
    /// `finish` is called once, from whatever thread ends the job.
    pub fn new(dispatch: Arc<Dispatch>, cancelled: Arc<AtomicBool>, finish: Finish) -> Job {
        Job {
            dispatch,
            cancelled,
            finish: Some(finish),
        }
    }

    /// The queue is going away: stop soon and finish with any outcome.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
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

    /// Something went wrong that the user must read; one or several lines without a final newline.
    fn report(&self, message: &str);
}
