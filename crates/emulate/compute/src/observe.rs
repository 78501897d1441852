//! Observed execution, instruction by instruction.

use std::sync::Arc;

use gpu::Dispatch;
use wave::{Env, Stop, Wave, step};

/// Sees waves before each instruction, and may change them. Calls come from one thread.
pub trait Observer: Send + Sync {
    /// A workgroup gets its turn. All others that could run had one since its last.
    fn resumed(&self) {}
    /// The next calls of [`Observer::before`] are for this workgroup of this dispatch, by its linear index.
    fn chosen(&self, _dispatch: &Arc<Dispatch>, _workgroup: u64) {}
    /// A workgroup has ended, or will not go on.
    fn ended(&self, _dispatch: &Arc<Dispatch>, _workgroup: u64) {}
    /// `pc` is the instruction's address, `workgroup` the wave's workgroup.
    fn before(&self, workgroup: [u32; 3], wave: &mut Wave, pc: u64) -> Next;
    /// The reading of the device's clock, in its ticks; `None`: the time.
    fn time(&self) -> Option<u64> {
        None
    }
    /// Asked after a workgroup's turn: whether the kernel is to be stopped.
    fn has_enough(&self) -> bool {
        false
    }
}

/// The next step of a wave, as its observer wants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    GoOn,
    /// Executes this instruction, then another wave gets its turn.
    Yield,
    /// Executes nothing more.
    Stop,
}

/// Micro-ops without an instruction that the observer lets others run after: only inserted code that hangs needs so many.
const TURN: u64 = 50_000_000;

/// Runs `wave` to its next stop. The observer chooses which wave runs when, so that two executions of one kernel
/// interleave their waves alike even if one has more instructions.
pub(crate) fn run(
    wave: &mut Wave,
    env: &mut Env<'_>,
    workgroup: [u32; 3],
    observer: &dyn Observer,
) -> Stop {
    let mut next = Next::GoOn;
    for _ in 0..TURN {
        if let Some(pc) = wave.next_instruction() {
            if next == Next::Yield {
                break;
            }
            next = observer.before(workgroup, wave, pc);
            if next == Next::Stop {
                break;
            }
        }
        if let Some(stop) = step(wave, env) {
            return stop;
        }
    }
    Stop::Slice
}
