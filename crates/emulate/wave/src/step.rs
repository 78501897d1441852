//! One micro-op at a time, for those who look at the wave between instructions. [`crate::run`] is the fast way.

use crate::{Env, Stop, Wave, engine::is_retried, micro_op::flow, shell, watch::tell};

impl Wave {
    /// Address of the instruction that comes next; `None` within an instruction that consists of several micro-ops.
    pub fn next_instruction(&self) -> Option<u64> {
        let pc = self.segment.pc_of(self.next);
        (self.segment.op_at(pc) == Some(self.next)).then_some(pc)
    }
}

/// Executes the next micro-op; `None` if the wave can go on at once.
pub fn step(wave: &mut Wave, env: &mut Env<'_>) -> Option<Stop> {
    let segment = wave.segment.clone();
    env.counts.enter(&segment);
    let start = wave.next;
    wave.takes_loops = false;
    let lanes = wave.exec().count_ones();
    let op = segment.ops.get(start)?;
    // SAFETY: of the wave's own segment.
    let code = unsafe { shell::call(op, wave, env) };
    let done = start + usize::from(!is_retried(wave, code));
    env.counts.retire(start, done, lanes);
    wave.clock.advance(segment.instructions(start, done));
    if let Some(watch) = &mut env.watch {
        watch.enter(&segment);
        tell(wave, env, &segment.ops, (start, start + 1), lanes, code);
    }
    match code {
        flow::NEXT => wave.next = start + 1,
        flow::EXEC_CHANGED => {
            wave.sync_exec();
            wave.next = start + 1;
        }
        flow::BRANCH => {}
        flow::JUMP => {
            wave.jumps(env);
            match segment.op_at(wave.next_pc) {
                Some(next) => wave.next = next,
                None => match env.program.around(&mut env.memory, wave.next_pc) {
                    Some(next) => {
                        wave.enter(next);
                        wave.next = wave.segment.op_at(wave.next_pc).unwrap_or(0);
                    }
                    None => {
                        wave.next = start + 1;
                        return Some(wave.without_code());
                    }
                },
            }
        }
        _ => return Some(wave.stopped(start + 1)),
    }
    None
}
