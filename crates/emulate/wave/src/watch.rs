//! An observer of waves at full speed, a stretch of code at a time.

use std::{ops::Range, sync::Arc};

use crate::{
    Env, Segment, Stop, Wave,
    micro_op::{MicroOp, flow},
};

/// Is told what waves have executed.
pub trait Watch {
    /// The next stretches are of this code.
    fn enter(&mut self, segment: &Arc<Segment>);
    /// A wave has executed these micro-ops one after the other, with so many lanes on. `number` is what the watcher gave the
    /// wave after its last stretch, or 0; the result is what it gives the wave now.
    fn executed(&mut self, number: u32, stretch: Range<usize>, lanes: u32) -> u32;
}

impl std::fmt::Debug for dyn Watch + '_ {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Watch")
    }
}

/// Tells the watcher of micro-ops `start..end`, of which the last one gave `code`.
#[inline(always)]
pub(crate) fn tell(
    wave: &mut Wave,
    env: &mut Env<'_>,
    ops: &[MicroOp],
    (start, end): (usize, usize),
    lanes: u32,
    code: u32,
) {
    let Some(watch) = &mut env.watch else {
        return;
    };
    let end = match code {
        flow::BRANCH if wave.next > end => match ops[end - 1].branch_target() {
            Some(target) if target as usize == wave.next => end,
            // An instruction of gfx9's index mode has executed those behind it.
            _ => wave.next,
        },
        flow::STOP if wave.stop == Some(Stop::Retry) => end - 1,
        flow::STOP => wave.stopped_inside.unwrap_or(end),
        _ => end,
    };
    wave.watched = watch.executed(wave.watched, start..end, lanes);
}
