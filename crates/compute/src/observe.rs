//! Execution that somebody watches, instruction by instruction.

use wave::{Env, Stop, Wave, step};

/// Sees waves before each instruction, and may change them. Calls come from one thread.
pub trait Observer: Send + Sync {
    /// `pc` is the instruction's address, `workgroup` the wave's workgroup.
    fn before(&self, workgroup: [u32; 3], wave: &mut Wave, pc: u64);
    /// Asked after every instruction: whether the kernel is to be stopped.
    fn has_enough(&self) -> bool {
        false
    }
}

/// Micro-ops after which another wave gets its turn. Larger than any stretch between barriers in a kernel that does not spin,
/// so that two executions of one kernel interleave their waves alike even if one has more instructions.
const TURN: u64 = 50_000_000;

/// Runs `wave` to its next stop.
pub(crate) fn run(
    wave: &mut Wave,
    env: &mut Env<'_>,
    workgroup: [u32; 3],
    observer: &dyn Observer,
) -> Stop {
    for _ in 0..TURN {
        if let Some(pc) = wave.next_instruction() {
            observer.before(workgroup, wave, pc);
            if observer.has_enough() {
                break;
            }
        }
        if let Some(stop) = step(wave, env) {
            return stop;
        }
    }
    Stop::Slice
}
