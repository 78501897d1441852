//! The loop that runs a wave to its next stop.

use std::sync::Arc;

use gfx::Target;

use crate::{
    Counts, Fault, Memory, Program, Segment, SplitBarrier, Watch, Wave,
    micro_op::{MicroOp, flow},
    races::Races,
    shadow::Shadow,
    shell, spin, translate,
    watch::tell,
};

/// The requests that instructions may make of the device around the wave.
pub trait Host: Sync {
    /// `s_sendmsg`: message id and M0.
    fn send_message(&self, message: u32, m0: u32);
    /// Constant-rate counter (100 MHz) `elapsed` cycles after the dispatch began: `s_memrealtime`.
    fn real_time(&self, target: &Target, elapsed: u64) -> u64;
    /// Cycles of the engine clock of `target` at that time: `s_memtime`. Programs wait for multiples of the clock rate that they are told.
    fn core_time(&self, target: &Target, elapsed: u64) -> u64;
    /// The value, `elapsed` cycles later, of a clock that begins with a workgroup.
    fn since_start(&self, elapsed: u64) -> u64 {
        elapsed
    }
    /// The latest cycle of the dispatch that one of its waves has been shown.
    fn latest(&self, _target: &Target) -> u64 {
        0
    }
    /// `ds_gws_init`: prepares a wave barrier of the whole device that `count` more waves than one must reach.
    fn barrier_init(&self, _resource: u32, _count: u32) {}
    /// `ds_gws_barrier`: a wave arrives. The result is for [`Host::barrier_passed`]; `count` is for the next use.
    fn barrier_arrive(&self, _resource: u32, _count: u32) -> u64 {
        0
    }
    /// Returns `true` if all waves have come to the barrier that gave `ticket`.
    fn barrier_passed(&self, _resource: u32, _ticket: u64) -> bool {
        true
    }
    /// `ds_gws_sema_v` and `_br`: lets `count` waves pass a semaphore of the whole device, those that wait first.
    fn semaphore_release(&self, _resource: u32, _count: u32) {}
    /// `ds_gws_sema_release_all`: lets only those waves pass that wait now.
    fn semaphore_release_all(&self, _resource: u32) {}
    /// `ds_gws_sema_p`: a wave wants to pass. The result is for [`Host::semaphore_passed`].
    fn semaphore_wait(&self, _resource: u32) -> u64 {
        0
    }
    /// Returns `true` if the wave that got `ticket` may go on.
    fn semaphore_passed(&self, _resource: u32, _ticket: u64) -> bool {
        true
    }
    /// Returns `true` if the wave must let others run now, before its slice is used up. Asked every few hundred taken backward branches.
    fn wants_turn(&self) -> bool {
        false
    }
}

/// Everything outside the wave that instructions touch.
#[derive(Debug)]
pub struct Env<'a> {
    pub memory: Memory<'a>,
    /// LDS of the running workgroup.
    pub lds: Vec<u8>,
    /// Barrier of the running workgroup, on targets where arriving and waiting are two instructions.
    pub barrier: SplitBarrier,
    pub program: &'a Program,
    pub host: &'a dyn Host,
    pub counts: Counts,
    /// The accesses to LDS of the running workgroup, where races are looked for.
    pub races: Option<Box<Races>>,
    /// The shadow of the running workgroup, where the program has a planner.
    pub shadow: Option<Box<dyn Shadow>>,
    /// An observer of the instructions that waves execute.
    pub watch: Option<&'a mut (dyn Watch + 'static)>,
}

impl std::fmt::Debug for dyn Host + '_ {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Host")
    }
}

/// Why [`run`] returned. The wave can be run again after `Barrier`, `Slice` and `Sleep`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// `s_endpgm`.
    End,
    /// `s_barrier`, or `s_barrier_wait` at a barrier that is not open: see [`Wave::may_pass`].
    Barrier,
    /// The budget of taken backward branches is used up.
    Slice,
    /// `s_sleep`, a loop that only waits, and other hints that another wave should run.
    Sleep,
    /// Never returned by [`run`]: the instruction has to be tried again after a `Sleep`.
    Retry,
    Fault(Fault),
    /// `s_trap` with this id.
    Trap(u8),
    /// An instruction (its text and encoding) that is not implemented.
    Unsupported(String),
    /// Never returned by [`run`]: the waves of a workgroup wait for each other.
    Stuck,
    /// Control reached an address with no code.
    NoCode(u64),
}

impl Stop {
    /// Returns `true` if the wave goes on later.
    pub(crate) fn is_pause(&self) -> bool {
        matches!(
            self,
            Stop::Barrier | Stop::Slice | Stop::Sleep | Stop::Retry
        )
    }
}

/// Micro-ops that are called in a row, between two looks at how many there are.
pub(crate) const UNROLLED: usize = 8;

/// Runs `wave` until it stops, at the latest after `slice` taken backward branches. [`Wave::slice_left`] then holds the
/// rest of the slice.
pub fn run(wave: &mut Wave, env: &mut Env<'_>, slice: u32) -> Stop {
    match (env.program.looks_at_clock(), &env.watch) {
        (_, Some(_)) => run_watched(wave, env, slice),
        (true, None) => run_timed(wave, env, slice),
        (false, None) => run_slice::<false, false>(wave, env, slice),
    }
}

#[inline(never)]
fn run_watched(wave: &mut Wave, env: &mut Env<'_>, slice: u32) -> Stop {
    run_slice::<true, true>(wave, env, slice)
}

#[cold]
#[inline(never)]
fn run_timed(wave: &mut Wave, env: &mut Env<'_>, slice: u32) -> Stop {
    run_slice::<true, false>(wave, env, slice)
}

/// Returns `true` if the last micro-op has done nothing yet, because other waves have to come first.
#[inline]
pub(crate) fn is_retried(wave: &Wave, code: u32) -> bool {
    code == flow::STOP && wave.stop == Some(Stop::Retry)
}

/// Returns `true` if a run of micro-ops, of which the last one gave `code`, is over. Most writes of EXEC leave it as it is, in loops above all, and
/// what is counted for the run stays true.
#[inline(always)]
fn is_over(code: u32, wave: &Wave) -> bool {
    code != flow::EXEC_CHANGED || wave.has_other_lanes()
}

/// `TIMED`: with the wave's time, which code is spared that never asks for it. `WATCHED`: the watcher is told.
#[inline(always)]
fn run_slice<const TIMED: bool, const WATCHED: bool>(
    wave: &mut Wave,
    env: &mut Env<'_>,
    mut slice: u32,
) -> Stop {
    let mut watch = spin::Watch::new(slice);
    wave.takes_loops = !TIMED && !WATCHED;
    let stop = 'slice: loop {
        env.counts.enter(&wave.segment);
        if WATCHED && let Some(watch) = &mut env.watch {
            watch.enter(&wave.segment);
        }
        // SAFETY: the wave's segment is replaced below only, where this loop starts anew.
        let segment = unsafe { wave.lent_segment() };
        let ops: &[MicroOp] = &segment.ops;
        loop {
            let start = wave.next;
            let lanes = wave.active_lanes;
            let mut index = start;
            let code = 'run: loop {
                // Unrolled: with one call in the loop, the jump back and the prediction of the target cost more than many
                // an instruction's body. Segments end in padding, so one check of bounds does for all.
                let next: &[MicroOp; UNROLLED] = ops[index..].first_chunk().expect("padding");
                macro_rules! step {
                    ($($at:literal)+) => {$(
                        // SAFETY: of the wave's own segment.
                        let code = unsafe { shell::call(&next[$at], wave, env) };
                        if code != flow::NEXT && (TIMED || is_over(code, wave)) {
                            index += $at + 1;
                            break 'run code;
                        }
                    )+};
                }
                step!(0 1 2 3 4 5 6 7);
                index += UNROLLED;
            };
            let done = index - usize::from(is_retried(wave, code) || code == flow::LOOP);
            env.counts.retire(start, done, lanes);
            if TIMED {
                wave.clock.advance(segment.instructions(start, done));
            }
            if WATCHED {
                tell(wave, env, ops, (start, index), lanes, code);
            }
            match code {
                flow::EXEC_CHANGED => {
                    wave.sync_exec();
                    wave.next = index;
                }
                flow::BRANCH => {
                    if wave.next < index {
                        slice -= 1;
                        if slice <= watch.next
                            && let Some(stop) = watch.event(wave, env.host, index, slice)
                        {
                            break 'slice stop;
                        }
                    }
                }
                flow::LOOP => {
                    let budget = slice.saturating_sub(watch.next).max(1); // (Jumps use up the slice, too, and look at nothing.)
                    let left = translate::run_loop(wave, env, index - 1, budget);
                    slice -= budget - left.budget;
                    if let Some(stop) = left.stop(wave, env.host, &mut watch, slice) {
                        break 'slice stop;
                    }
                }
                flow::JUMP => {
                    slice = slice.saturating_sub(1).max(1);
                    wave.jumps(env);
                    if let Some(next) = segment.op_at(wave.next_pc) {
                        wave.next = next;
                        if slice == 1 {
                            break 'slice Stop::Slice;
                        }
                        continue;
                    }
                    wave.next = index;
                    match env.program.around(&mut env.memory, wave.next_pc) {
                        Some(next) => {
                            wave.enter(next);
                            wave.next = wave.segment.op_at(wave.next_pc).unwrap_or(0);
                        }
                        None => break 'slice wave.without_code(),
                    }
                    if slice == 1 {
                        break 'slice Stop::Slice;
                    }
                    // Code that looks at a clock may be found on the way.
                    if !TIMED && env.program.looks_at_clock() {
                        return run_timed(wave, env, slice);
                    }
                    break;
                }
                _ => break 'slice wave.stopped(index),
            }
        }
    };
    wave.slice_left = slice;
    stop
}

/// Executes the micro-ops that `op` of the wave's segment stands for. They are arithmetic and loads from LDS.
#[inline(never)]
pub(crate) fn one_by_one(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
    // SAFETY: these do not take a wave to another segment.
    let segment = unsafe { wave.lent_segment() };
    for op in segment.one_by_one(op) {
        // SAFETY: of the wave's own segment.
        let code = unsafe { shell::call(op, wave, env) };
        // They neither stop nor write EXEC.
        assert_eq!(code, flow::NEXT, "an instruction of several");
    }
    flow::NEXT
}

impl Wave {
    /// The code that it executes. A clone instead would make all threads write one count.
    ///
    /// # Safety
    /// The wave does not leave its segment as long as the result is used.
    #[inline(always)]
    pub(crate) unsafe fn lent_segment<'a>(&self) -> &'a Segment {
        // SAFETY: the wave keeps its segment alive until it leaves it.
        unsafe { &*Arc::as_ptr(&self.segment) }
    }

    /// Records why the wave stops; handlers return the result.
    #[cold]
    pub(crate) fn stop(&mut self, stop: Stop) -> u32 {
        self.stop = Some(stop);
        flow::STOP
    }

    /// The reason why it stopped at the micro-op before `index`, behind which it goes on, or at it if it has to be tried again.
    #[inline]
    pub(crate) fn stopped(&mut self, index: usize) -> Stop {
        self.next = self.stopped_inside.take().unwrap_or(index);
        match self.stop.take() {
            Some(Stop::Retry) => {
                self.next = index - 1;
                Stop::Sleep
            }
            stop => stop.unwrap_or(Stop::End),
        }
    }

    /// The reason why control went to where there is no code.
    #[cold]
    pub(crate) fn without_code(&mut self) -> Stop {
        self.stop.take().unwrap_or(Stop::NoCode(self.next_pc))
    }

    /// Address of the instruction that is next.
    pub fn next_address(&self) -> u64 {
        self.segment.pc_of(self.next)
    }

    /// Address of the instruction that a micro-operation of the code that it executes belongs to.
    pub(crate) fn pc_of(&self, op: &MicroOp) -> u64 {
        let ops = self.segment.ops.as_ptr_range();
        let at = std::ptr::from_ref(op);
        match ops.contains(&at) {
            true => {
                let bytes = at as usize - ops.start as usize;
                self.segment.pc_of(bytes / size_of::<MicroOp>())
            }
            // A link of a chain, which none of those who ask is.
            false => self.next_address(),
        }
    }

    /// Address of the instruction that stopped the wave last.
    pub fn stopped_at(&self) -> u64 {
        self.segment.pc_of(self.next.saturating_sub(1))
    }
}
