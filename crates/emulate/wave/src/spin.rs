//! Loops that wait for another wave or for the host.
//!
//! A wave that only reads, and comes back to the same place with the same registers, changes nothing until memory does.
//! It gives its turn away: thousands of waves that wait for one would otherwise use up a whole time slice each before
//! that one goes on. The same is true if a few registers have grown by the same amount twice: the loop then counts its
//! turns, most likely for a tool. A search through zeros looks like that, too; it loses a little time, and never its
//! place.

use isa::{Effects, Traits};

use crate::{
    Segment, Stop, Wave,
    engine::Host,
    state::{LANES, ScalarFile, VectorRow},
};

/// Taken backward branches before the first look: loops that end sooner cost nothing.
const FIRST_LOOK: u32 = 32;
/// Micro-ops from the target of the branch to the branch. A waiting loop does little else, but tools may count it.
const LONGEST: usize = 128;
/// Words that may grow: some counters, and what they were added up in.
const MOST_STEPS: usize = 24;

/// Taken backward branches between two questions whether the wave must let others run.
const QUESTION: u32 = 512;

/// The state of the watch: what to do at some of a slice's branches, and whether the wave's registers are remembered for the next look.
pub(crate) struct Watch {
    /// Something happens when no more branches of the slice than these are left.
    pub next: u32,
    /// The next look takes place when so many branches of the slice are left.
    at: u32,
    /// The same of the next question.
    question: u32,
    /// Branches between the last three looks and these, twice as many each time.
    pause: u32,
    /// [`Wave::seen`] is of this watch.
    has_seen: bool,
}

/// The wave at the last look.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// The target of the branch.
    target: usize,
    scalars: ScalarFile,
    vectors: Vec<VectorRow>,
    /// How the registers differed from the look before.
    steps: Option<Steps>,
    /// The wave when it paused the last time.
    pause: Option<Box<Seen>>,
    /// It had worked before it paused.
    came: bool,
}

/// No loop begins there.
const NOWHERE: usize = usize::MAX;

/// Words and by how much they grew.
type Steps = Vec<(usize, u32)>;

impl Watch {
    pub fn new(slice: u32) -> Watch {
        let at = slice.saturating_sub(FIRST_LOOK);
        let question = slice.saturating_sub(QUESTION);
        Watch {
            next: at.max(question),
            at,
            question,
            pause: FIRST_LOOK,
            has_seen: false,
        }
    }

    /// Why the wave, which has just taken a branch from before `from` back to its next micro-op, stops there, if it does. `left` is
    /// what is left of the slice, at most [`Watch::next`].
    #[cold]
    #[inline(never)]
    pub fn event(
        &mut self,
        wave: &mut Wave,
        host: &dyn Host,
        from: usize,
        left: u32,
    ) -> Option<Stop> {
        if left == 0 {
            return Some(Stop::Slice);
        }
        if left <= self.at && self.look(wave, from, left) {
            return Some(Stop::Sleep);
        }
        if left <= self.question {
            self.question = left.saturating_sub(QUESTION);
            if host.wants_turn() {
                return Some(Stop::Slice);
            }
        }
        self.next = self.at.max(self.question);
        None
    }

    fn look(&mut self, wave: &mut Wave, from: usize, left: u32) -> bool {
        self.at = left - 1;
        let mut seen = wave.seen.take().unwrap_or_default();
        let mut is_back = false;
        match (self.has_seen, &seen.steps) {
            (false, _) if wave.only_reads(from) => {
                seen.renew(wave, None);
                self.has_seen = true;
            }
            (false, _) => self.look_later(),
            (true, known) => match (known, seen.steps(wave)) {
                (None, Some(steps)) => seen.renew(wave, Some(steps)),
                (Some(known), Some(steps)) if *known == steps => {
                    is_back = true;
                    seen.pauses(wave, &steps);
                }
                _ => self.look_later(),
            },
        }
        wave.seen = Some(seen);
        is_back
    }

    /// It works, for now.
    fn look_later(&mut self) {
        self.has_seen = false;
        self.pause *= 2;
        self.at = self.at.saturating_sub(self.pause);
    }
}

impl Seen {
    /// Makes it the wave as it is now, in the memory that it has.
    fn renew(&mut self, wave: &Wave, steps: Option<Steps>) {
        self.target = wave.next;
        self.scalars.0 = wave.scalars.0;
        self.vectors.clear();
        self.vectors
            .extend_from_slice(&wave.rows[..wave.temporaries]);
        self.steps = steps;
    }

    /// The wave pauses in a loop that counts with the registers of `counters`. If no others differ, it has done nothing but wait since it paused
    /// the last time.
    fn pauses(&mut self, wave: &Wave, counters: &Steps) {
        let counts = |word: usize| counters.iter().any(|(counter, _)| *counter == word);
        let waits_still = |pause: &Seen| {
            let changes = pause.steps(wave);
            changes.is_some_and(|changes| changes.iter().all(|(word, _)| counts(*word)))
        };
        self.came = !self.pause.as_deref().is_some_and(waits_still);
        self.pause.get_or_insert_default().renew(wave, None);
    }

    /// Another wave has its place.
    pub fn begin(&mut self) {
        self.came = false;
        if let Some(pause) = &mut self.pause {
            pause.target = NOWHERE;
        }
    }

    fn now(wave: &Wave) -> Seen {
        let mut seen = Seen::default();
        seen.renew(wave, None);
        seen
    }

    /// The changes since then; `None` if they are too many for a loop that waits.
    fn steps(&self, wave: &Wave) -> Option<Steps> {
        let mut steps = Steps::with_capacity(MOST_STEPS + LANES);
        let vectors = self.vectors.iter().zip(&*wave.rows);
        let rows = vectors.map(|(old, new)| (&old.0[..], &new.0[..]));
        let scalars = (&self.scalars.0[..], &wave.scalars.0[..]);
        for (row, (old, new)) in std::iter::once(scalars).chain(rows).enumerate() {
            if old == new {
                continue;
            }
            for (at, (old, new)) in old.iter().zip(new).enumerate() {
                if old != new {
                    // No row has so many words.
                    steps.push((row << 8 | at, new.wrapping_sub(*old)));
                }
            }
            if steps.len() > MOST_STEPS {
                return None;
            }
        }
        (self.target == wave.next).then_some(steps)
    }
}

/// The place of a wave, and its registers.
#[derive(Debug)]
pub struct Pose(Seen);

impl Pose {
    pub fn of(wave: &Wave) -> Pose {
        Pose(Seen::now(wave))
    }

    /// Returns `true` if the wave has them still, or again.
    pub fn is_of(&self, wave: &Wave) -> bool {
        self.0.steps(wave).is_some_and(|steps| steps.is_empty())
    }
}

impl Wave {
    /// Returns `true` if the loop from its next micro-op to before `from` is short, reads memory and stores nothing. (Atomic operations
    /// may belong to a tool, or to a lock that another wave holds.)
    fn only_reads(&self, from: usize) -> bool {
        self.segment.reads(self.next, from, Effects::ATOMIC)
    }

    /// The same for the loop that it is in, after it has paused in it.
    pub fn only_waits(&self) -> bool {
        let segment = &self.segment;
        let around = segment.loop_around(self.next);
        around.is_some_and(|(target, from)| segment.reads(target, from, Effects::ATOMIC))
    }

    /// Returns `true` if it had worked before it came to a loop that only waits. It is told once.
    pub fn came_to_wait(&mut self) -> bool {
        let seen = self.seen.as_mut();
        seen.is_some_and(|seen| std::mem::take(&mut seen.came))
    }

    /// The same as for `only_waits` if only its workgroup can change what it reads, which is in LDS.
    pub fn waits_for_workgroup(&self) -> bool {
        let segment = &self.segment;
        let around = segment.loop_around(self.next);
        around.is_some_and(|(target, from)| {
            segment.reads(target, from, Effects::ATOMIC) && segment.reads_lds_only(target, from)
        })
    }

    /// The same where the waves of its workgroup may write to each other.
    fn only_meets(&self) -> bool {
        let segment = &self.segment;
        let around = segment.loop_around(self.next);
        let harmless = Effects::ATOMIC | Effects::LDS;
        around.is_some_and(|(target, from)| segment.reads(target, from, harmless))
    }
}

impl Segment {
    /// Where the loop begins that has micro-operation `next`, and what comes behind its branch, if it ends soon.
    fn loop_around(&self, next: usize) -> Option<(usize, usize)> {
        let from = self.insts.partition_point(|inst| (inst.op as usize) < next);
        let rest = self.insts[from..].iter().take(LONGEST);
        let mut branches = rest.filter(|inst| inst.effects.contains(Effects::BRANCH));
        branches.find_map(|inst| {
            let target = self.ops[inst.op as usize].branch_target()? as usize;
            (target <= next).then_some((target, inst.op as usize + 1))
        })
    }

    /// Returns `true` if the loop from micro-operation `target` to before `from` accesses no memory but LDS. Behind a load that acquires, from
    /// gfx10 on, it may empty caches.
    fn reads_lds_only(&self, target: usize, from: usize) -> bool {
        let insts = &self.insts;
        let at = |op: usize| insts.partition_point(|inst| inst.pc < self.pc_of(op));
        let body = insts.get(at(target)..at(from - 1)).unwrap_or_default();
        let elsewhere = Effects::SMEM | Effects::VMEM;
        !body
            .iter()
            .any(|inst| inst.effects.intersects(elsewhere) && !inst.instruction.has(Traits::CACHE))
    }

    /// Returns `true` if the loop from micro-operation `target` to before `from` is short, reads memory, and stores nothing but by
    /// instructions that are also `harmless`.
    fn reads(&self, target: usize, from: usize, harmless: Effects) -> bool {
        let insts = &self.insts;
        let at = |op: usize| insts.partition_point(|inst| inst.pc < self.pc_of(op));
        let body = insts.get(at(target)..at(from - 1)).unwrap_or_default();
        let reads = |effects: Effects| effects.intersects(Effects::LOAD | Effects::ATOMIC_RETURN);
        let stores =
            |effects: Effects| effects.contains(Effects::STORE) && !effects.intersects(harmless);
        from - target <= LONGEST
            && body.iter().any(|inst| reads(inst.effects))
            && !body.iter().any(|inst| stores(inst.effects))
    }
}

/// The results of three looks in a row at a workgroup whose waves meet at barriers.
#[derive(Debug)]
pub struct Meetings {
    /// The next look takes place when so many barriers of the slice are left.
    at: u32,
    /// Barriers between the last three looks and these, twice as many each time.
    pause: u32,
    seen: Option<Met>,
}

/// The workgroup at the last look.
#[derive(Debug)]
struct Met {
    waves: Vec<Seen>,
    lds: Vec<u8>,
    /// Barriers until its waves are at the same place again at the latest.
    patience: u32,
}

impl Meetings {
    /// For a slice of so many barriers.
    pub fn new(barriers: u32) -> Meetings {
        Meetings {
            at: barriers.saturating_sub(FIRST_LOOK),
            pause: FIRST_LOOK,
            seen: None,
        }
    }

    /// Returns `true` if it is time for a look.
    pub fn is_due(&self, left: u32) -> bool {
        0 < left && left <= self.at
    }

    /// Returns `true` if the workgroup only waits. Its waves, which have just passed a barrier, then come there again and again with the
    /// same registers and the same LDS, but for a few counters. They write nothing that others may see.
    #[cold]
    pub fn look(&mut self, waves: &[&Wave], lds: &[u8], left: u32) -> bool {
        let Some(met) = &mut self.seen else {
            match waves.iter().all(|wave| wave.only_meets()) {
                true => self.seen = Some(Met::now(waves, lds)),
                false => self.look_later(left),
            }
            return false;
        };
        let is_back = |(seen, wave): (&Seen, &&Wave)| seen.target == wave.next;
        if !met.waves.iter().zip(waves).all(is_back) {
            met.patience -= 1;
            if met.patience == 0 {
                self.look_later(left);
            }
            return false;
        }
        match met.goes_on(waves, lds) {
            Some(verdict) => verdict,
            None => {
                self.look_later(left);
                false
            }
        }
    }

    /// It works, for now.
    fn look_later(&mut self, left: u32) {
        self.seen = None;
        self.pause *= 2;
        self.at = left.saturating_sub(self.pause);
    }
}

impl Met {
    /// Most barriers in a loop.
    const PATIENCE: u32 = 8;

    fn now(waves: &[&Wave], lds: &[u8]) -> Met {
        Met {
            waves: waves.iter().map(|wave| Seen::now(wave)).collect(),
            lds: lds.to_vec(),
            patience: Self::PATIENCE,
        }
    }

    /// `Some(true)` if all waves have taken the same step as the time before; `None` if one has done more than that.
    fn goes_on(&mut self, waves: &[&Wave], lds: &[u8]) -> Option<bool> {
        if waves.len() != self.waves.len() || lds != self.lds {
            return None;
        }
        let pairs = self.waves.iter().zip(waves);
        let steps: Vec<Steps> = pairs
            .map(|(seen, wave)| seen.steps(wave))
            .collect::<Option<_>>()?;
        let mut known = self.waves.iter().zip(&steps);
        if known.all(|(seen, steps)| seen.steps.as_ref() == Some(steps)) {
            return Some(true);
        }
        if self.waves.iter().any(|seen| seen.steps.is_some()) {
            return None;
        }
        *self = Met::now(waves, lds);
        for (seen, steps) in self.waves.iter_mut().zip(steps) {
            seen.steps = Some(steps);
        }
        Some(false)
    }
}
