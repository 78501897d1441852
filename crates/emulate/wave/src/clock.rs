//! The device's time as a wave sees it.
//!
//! The time goes on with the instructions of the wave, not with the host's clock. An instruction takes one cycle, a
//! read of the clock takes [`READ`] more, and each unit of an `s_sleep` takes [`SLEEP`]. The difference of two reads
//! is therefore positive, the same every time, and the same on a busy host as on an idle one. A wave's time is
//! brought forward to another one's where it may see what that one did: at a barrier, when it goes on after a pause,
//! and where it invalidates caches.
//!
//! A wave that does nothing but look at the clock, or that sleeps between all of its looks, waits. Its time leaps by a small part of what it
//! has waited, and the wave pauses. The caller of [`crate::run`] can then keep it from being ahead of the host, so that a wait takes as long as its author meant.

use isa::Effects;

use crate::{Segment, Wave, engine::Env, micro_op::MicroOp};

/// Cycles that a look at a clock takes: more than one tick of the slowest clock on every target, so that two looks differ.
const READ: u64 = 40;
/// Cycles of one unit of `s_sleep`.
const SLEEP: u64 = 64;
/// Looks from one place, with nothing between, of a wave that waits; and how many more until the next leap.
const FIRST_LOOKS: u32 = 32;
const MORE_LOOKS: u32 = 8;
/// Instructions between two looks of a wave that only waits.
const NOTHING: u64 = 100;
/// Cycles of the first leap; later ones are this part of the time that was waited.
const LEAP: u64 = 2_000;
const PART: u64 = 32;
/// Most cycles of a leap of a wave that sleeps. It may also wait for something else, and may count cycles with few bits.
const DOZING_LEAP: u64 = 1 << 19;
/// Instructions after a look in which its loop ends.
const LONGEST: usize = 128;

/// The part of a wait that a wave has done, in cycles since its dispatch began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockWait {
    pub from: u64,
    pub to: u64,
}

/// A wave's time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock {
    /// Cycles since the dispatch began.
    elapsed: u64,
    /// The same when the workgroup began.
    began: u64,
    /// Instructions of the run of micro-operations in progress that `elapsed` has already.
    ahead: u64,
    /// Cycles slept, and those that others were ahead.
    slept: u64,
    /// It has slept since the last look; and between all of these looks.
    dozed: bool,
    dozes: bool,
    /// Micro-operation of the last look, the time then, and the cycles slept until then.
    place: Option<usize>,
    last: (u64, u64),
    /// Looks from there.
    looks: u32,
    /// Looks after which the wave waits.
    patience: u32,
    /// Time of the first of these looks.
    since: u64,
    /// For the caller of [`crate::run`].
    wait: Option<ClockWait>,
}

impl Clock {
    /// The wave has executed so many instructions.
    #[inline(always)]
    pub fn advance(&mut self, instructions: u64) {
        self.elapsed += instructions.saturating_sub(std::mem::take(&mut self.ahead));
    }

    pub fn elapsed(&self) -> u64 {
        self.elapsed
    }

    /// Another wave's time was at least this.
    pub fn catch_up(&mut self, elapsed: u64) {
        let behind = elapsed.saturating_sub(self.elapsed);
        self.elapsed += behind;
        self.slept += behind;
    }

    /// `s_sleep` for `units`.
    pub fn sleep(&mut self, units: u32) {
        let cycles = SLEEP * u64::from(units);
        self.elapsed += cycles;
        self.slept += cycles;
        self.dozed = true;
    }

    /// A look from micro-operation `place`; whether the wave has only waited for some time.
    fn look(&mut self, place: usize) -> bool {
        let (last, slept) = self.last;
        let between = (self.elapsed - last).saturating_sub(self.slept - slept + READ);
        if self.place == Some(place) && between <= NOTHING {
            self.looks += 1;
            self.dozes &= self.dozed;
        } else {
            self.place = Some(place);
            self.looks = 1;
            self.dozes = true;
            self.patience = FIRST_LOOKS;
            self.since = self.elapsed;
        }
        self.dozed = false;
        self.last = (self.elapsed, self.slept);
        self.elapsed += READ;
        self.looks >= self.patience
    }

    fn leap(&mut self) {
        let waited = self.elapsed - self.since;
        let leap = LEAP.max(waited / PART);
        self.looks = 0;
        (self.patience, self.elapsed) = match self.dozes {
            true => (1, self.elapsed + leap.min(DOZING_LEAP)),
            false => (MORE_LOOKS, self.elapsed + leap),
        };
        // The leap itself is no work.
        self.last = (self.elapsed - READ, self.slept);
        self.wait = Some(ClockWait {
            from: self.since,
            to: self.elapsed,
        });
    }
}

impl Segment {
    /// True if the loop around micro-operation `at` stores nothing, as far as can be seen. Then it only waits.
    fn only_looks(&self, at: usize) -> bool {
        let behind = self
            .insts
            .partition_point(|inst| (inst.op as usize) < at.saturating_add(1));
        let ends = self.insts[behind..].iter().take(LONGEST);
        let target = ends
            .filter(|inst| inst.effects.contains(Effects::BRANCH))
            .find_map(|inst| {
                let target = self.ops[inst.op as usize].branch_target()? as usize;
                (target <= at).then_some((target, inst.op as usize))
            });
        // A function with the look may be called in a loop.
        let Some((first, last)) = target else {
            return true;
        };
        let from = self
            .insts
            .partition_point(|inst| (inst.op as usize) < first);
        let body = self.insts[from..].iter();
        !body
            .take_while(|inst| inst.op as usize <= last)
            .any(|inst| inst.effects.intersects(Effects::STORE | Effects::ATOMIC))
    }
}

impl Wave {
    /// Cycles since its dispatch began, as the wave sees them.
    pub fn elapsed(&self) -> u64 {
        self.clock.elapsed()
    }

    /// The wave's workgroup begins so many cycles after the dispatch.
    #[inline]
    pub fn begin_at(&mut self, elapsed: u64) {
        (self.clock.elapsed, self.clock.began) = (elapsed, elapsed);
    }

    /// Cycles since its workgroup began, where the dispatch began so many ago.
    pub(crate) fn since_workgroup(&self, elapsed: u64) -> u64 {
        elapsed - self.clock.began
    }

    /// The wave's time is at least so many cycles.
    pub fn catch_up(&mut self, elapsed: u64) {
        self.clock.catch_up(elapsed);
    }

    /// Returns `true` if the wave sleeps between its looks, and its time leaps.
    pub fn waits_asleep(&self) -> bool {
        self.clock.dozes && self.clock.patience == 1
    }

    /// The wait that the wave paused in, if it only looks at the clock. It is told once.
    pub fn take_clock_wait(&mut self) -> Option<ClockWait> {
        self.clock.wait.take()
    }

    /// The time of a look at a clock by `op`, and whether the wave is to pause.
    pub(crate) fn look_at_clock(&mut self, op: &MicroOp, env: &Env<'_>) -> (u64, bool) {
        let first = self.segment.ops.as_ptr().addr();
        let place = (std::ptr::from_ref(op).addr() - first) / size_of::<MicroOp>();
        let before = self.segment.instructions(self.next, place);
        self.clock.elapsed += before.saturating_sub(self.clock.ahead);
        self.clock.ahead = before;
        let now = self.clock.elapsed;
        // An observer decides when others run.
        if !self.clock.look(place) || env.program.config().observed {
            return (now, false);
        }
        let waits = self.clock.dozes || self.segment.only_looks(place);
        match waits {
            true => self.clock.leap(),
            // It measures, and does not wait.
            false => self.clock.patience = u32::MAX,
        }
        (now, waits)
    }

    /// Brings the wave's time forward to what others have been shown.
    pub(crate) fn follow_others(&mut self, env: &Env<'_>) {
        let latest = env.host.latest(env.program.config().target);
        self.clock.catch_up(latest);
    }
}
