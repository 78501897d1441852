//! One workgroup: its waves, its LDS, and how they take turns.

use std::sync::Arc;

use gfx::Family;
use gpu::{
    Dispatch, Memory,
    clock::{self, Epoch},
    guard::guarded_parts,
    initial::InitialState,
};
use wave::{
    ClockWait, Env, Meetings, Preset, Segment, Shadow, SplitBarrier, Start, Stop, Wave,
    races::{Race, Races, Rules},
    run, step,
};

use crate::{
    aside::Pause,
    follow::{Beginning, Follower},
    gate::{Gated, Looking, Outlook, There, WaveThere},
    observe::{self, Observer},
    run::Run,
    schedule::Slots,
    watch::Watcher,
};

/// How much of a workgroup is executed in one turn, whatever its waves do: a kernel may wait for a workgroup that has not had its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slice {
    /// Backward branches that each wave may take.
    branches: u32,
    /// Barriers that the workgroup may pass.
    barriers: u32,
    /// Micro-operations that each wave may execute, if that is limited.
    micro_operations: Option<u32>,
}

impl Slice {
    /// The first turn: most workgroups end in it.
    pub const USUAL: Slice = Slice {
        branches: 20_000,
        barriers: 1_000,
        micro_operations: None,
    };
    /// A later turn. It is long enough that a change of workgroups costs little. It is short enough that workgroups which wait do not hold
    /// up the one that they wait for. The engine does not see all of them wait: tools make the loop longer, and write to memory in it.
    const LATER: Slice = Slice {
        branches: 250,
        barriers: 25,
        micro_operations: None,
    };
    /// As much as may hold up a thread that has other things to do.
    pub const MOMENT: Slice = Slice {
        branches: 100,
        barriers: 20,
        micro_operations: None,
    };

    /// Turns in which no workgroup has ended, after which turns become longer by one [`Slice::LATER`]. Where workgroups wait for each
    /// other, one ends in each round, so that these are workgroups with much to do.
    const PATIENT: u32 = 1024;

    /// A turn after the first one, for which a workgroup had this. `fruitless` turns are over since a workgroup has ended.
    pub fn later(self, fruitless: u32) -> Slice {
        if self != Slice::USUAL {
            return self;
        }
        let times = 1 + fruitless / Slice::PATIENT;
        let grown = |later: u32, usual: u32| later.saturating_mul(times).min(usual);
        Slice {
            branches: grown(Slice::LATER.branches, self.branches),
            barriers: grown(Slice::LATER.barriers, self.barriers),
            ..self
        }
    }

    /// A slice so short that waves are seen in the midst of their code, also where that has no loops.
    pub fn glance(micro_operations: u32) -> Slice {
        Slice {
            micro_operations: Some(micro_operations),
            ..Slice::MOMENT
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Ready,
    AtBarrier,
    Ended,
}

/// A started workgroup.
#[derive(Debug)]
pub(crate) struct Workgroup {
    pub index: u64,
    pub id: [u32; 3],
    waves: Vec<(Wave, State)>,
    /// When each wave may go on that waits for a time; empty if none has.
    paces: Vec<Pace>,
    lds: Vec<u8>,
    barrier: SplitBarrier,
    /// The facts for a checker of barriers, if there is one.
    looking: Option<Box<Looking>>,
    /// Its accesses to LDS, if races are looked for.
    races: Option<Box<Races>>,
    /// Its shadow, if there is a follower.
    shadow: Option<Box<dyn Shadow>>,
    /// How many vector and scalar registers its waves start with.
    preset: (usize, usize),
    /// Work-items in each dimension.
    shape: [u32; 3],
    /// To be given back.
    pub slots: Slots,
}

/// How a wave is kept from being ahead of the host when it waits for a time.
#[derive(Clone, Copy, Debug, Default)]
struct Pace {
    /// The wait began at this cycle of the dispatch, and at this nanosecond of the host.
    from: u64,
    began: u64,
    /// The wave goes on at this nanosecond of the host; 0: it does not wait.
    until: u64,
}

impl Pace {
    /// The wave has waited, and its time is at the end of `wait` already.
    fn put_off(&mut self, epoch: &Epoch, wait: ClockWait) {
        if self.until == 0 || self.from != wait.from {
            (self.from, self.began) = (wait.from, clock::nanoseconds());
        }
        self.until = self.began + epoch.nanoseconds(wait.to - wait.from);
    }

    /// Returns `true` if the wave has to wait still.
    fn waits(&self) -> bool {
        self.until != 0 && clock::nanoseconds() < self.until
    }
}

/// The outcome of a workgroup's turn.
pub(crate) enum Turn {
    Ended,
    /// Another workgroup should run.
    Again(Pause),
    Failed {
        wave: u32,
        pc: u64,
        stop: Stop,
    },
}

/// Buffers of ended workgroups, reused by the next one on the same thread.
#[derive(Default)]
pub(crate) struct WorkgroupBuffers {
    /// The thread's watcher, if its waves are watched.
    pub watcher: Option<Box<dyn Watcher>>,
    lds: Vec<u8>,
    races: Option<Box<Races>>,
    /// Waves stay where they are from workgroup to workgroup: moving their registers costs more than starting them.
    waves: Vec<UsedWaves>,
    /// By wave number, of the dispatch that is served, with the scalar registers that it gives.
    initial: Vec<(InitialState, Preset)>,
    /// The shape of the workgroup that `initial` is for.
    shape: Option<[u32; 3]>,
}

/// The waves of a workgroup that has ended.
#[derive(Default)]
struct UsedWaves {
    waves: Vec<(Wave, State)>,
    /// Slots and shape of their workgroup, if it was one of this dispatch. All that [`settle`] tells them depends on these alone.
    of: Option<(Slots, [u32; 3])>,
}

impl WorkgroupBuffers {
    /// Forgets what belongs to one dispatch.
    pub fn next_dispatch(&mut self, run: &Run) {
        self.initial.clear();
        self.shape = None;
        // Waves of one dispatch are alike, so that the first tells of all.
        self.waves.retain_mut(|used| {
            used.of = None;
            used.waves.first().is_none_or(|(wave, _)| {
                wave.vector_rows() == run.rows && wave.wave_size() == run.dispatch.wave_size
            })
        });
    }
}

/// Lets `wave` execute at most `count` micro-operations.
fn some_steps(wave: &mut Wave, env: &mut Env<'_>, count: u32) -> Stop {
    (0..count)
        .find_map(|_| step(wave, env))
        .unwrap_or(Stop::Slice)
}

/// The wave with this number in its workgroup sleeps: the time that it waits for, if it does, is noted in `paces`.
fn sleeps(paces: &mut Vec<Pace>, index: usize, wave: &mut Wave, env: &Env<'_>, epoch: &Epoch) {
    match wave.take_clock_wait() {
        Some(wait) => {
            let least = paces.len().max(index + 1);
            paces.resize_with(least, Pace::default);
            paces[index].put_off(epoch, wait);
        }
        // Its own leaps take it forward.
        None if wave.waits_asleep() => {}
        // It may have waited for a wave that is ahead of it.
        None => wave.catch_up(env.host.latest(env.program.config().target)),
    }
}

/// Barriers between two questions whether the workgroup must let others run.
const QUESTION: u32 = 10;

/// Logarithm of a number that no workgroup's waves, and its LDS, exceed.
const LARGEST_WAVES: u32 = 8;
/// The first of the two SGPRs that hold the address of scratch on gfx9.
const FLAT_SCRATCH: usize = 102;
/// TTMP7 to TTMP9.
const TTMPS: [usize; 3] = [115, 116, 117];

/// Fills the registers and the scratch memory of `wave`, and sets the registers that `initial` has values for, but for those of
/// [`set_changing`]. `place` tells apart what is filled.
#[cold]
fn fill_all(
    wave: &mut Wave,
    initial: &InitialState,
    dispatch: &Dispatch,
    memory: &Memory,
    place: u64,
) {
    let fill = memory.fill();
    let mut scratch = vec![0; dispatch.scratch.wave_bytes as usize];
    fill.bytes(!place, &mut scratch);
    // The first access says better what is wrong with it.
    let _ = memory.write_bytes(initial.scratch_address, &scratch);
    wave.fill(fill.words(place));
    for (register, lanes) in initial.vgprs.iter().enumerate() {
        wave.set_vgpr_row(register, lanes);
    }
    wave.set_first_sgprs(&initial.sgprs);
    TTMPS
        .iter()
        .for_each(|register| wave.set_sgpr(*register, 0));
}

/// Sets the scalar registers that differ from one workgroup to the next. Each has a first value already.
#[inline(always)]
fn set_changing(wave: &mut Wave, initial: &InitialState, dispatch: &Dispatch) {
    initial.each_changing_sgpr(|register, value| wave.set_sgpr(register, value));
    if dispatch.has_ids_in_ttmps() {
        let words = [initial.ttmp7, initial.ttmp8, initial.ttmp9];
        for (register, value) in TTMPS.into_iter().zip(words) {
            wave.set_sgpr(register, value);
        }
    }
    let target = dispatch.target;
    // (Since gfx10 these are no SGPRs.)
    if target.architected_flat_scratch && target.family == Family::Gfx9 {
        let address = initial.scratch_address;
        wave.set_sgpr(FLAT_SCRATCH, address as u32);
        wave.set_sgpr(FLAT_SCRATCH + 1, (address >> 32) as u32);
    }
}

/// Tells wave `index` what stays the same for every workgroup of this shape in these slots.
fn settle(
    wave: &mut Wave,
    initial: &InitialState,
    dispatch: &Dispatch,
    (slots, index): (Slots, u32),
) {
    wave.index_in_workgroup = index;
    wave.slot = dispatch.place(slots.0, index);
    wave.shared_aperture = gpu::dispatch::LDS_APERTURE_BASE;
    wave.private_aperture = gpu::dispatch::SCRATCH_APERTURE_BASE;
    wave.scratch_base = initial.scratch_address;
    wave.scratch_bytes_per_lane = dispatch.scratch_bytes_per_lane();
    wave.lds_bytes = dispatch.lds_bytes();
}

impl Workgroup {
    /// Sets up all waves of the workgroup with linear index `index`. It begins `elapsed` cycles after the dispatch.
    // Inlined where it is used, once: what it returns is large.
    #[inline(always)]
    pub fn start(
        run: &Run,
        segment: &Arc<Segment>,
        (index, elapsed): (u64, u64),
        slots: Slots,
        memory: &Memory,
        spare: &mut WorkgroupBuffers,
    ) -> Workgroup {
        let (dispatch, rows, kernarg) = (&run.dispatch, run.rows, &run.kernarg);
        let (id, workgroup) = (dispatch.workgroup(index), index);
        let shape = dispatch.workgroup_shape(id);
        let count = dispatch.waves(id);
        let fill = memory.fill();
        let is_filled = !fill.is_zero();
        let mut lds = std::mem::take(&mut spare.lds);
        lds.clear();
        lds.resize(dispatch.lds_bytes() as usize, 0);
        if is_filled {
            fill.bytes(workgroup << LARGEST_WAVES, &mut lds);
        }
        if spare.initial.len() < count as usize {
            let none = || (InitialState::default(), Preset::new(&[]));
            spare.initial.resize_with(count as usize, none);
        }
        let UsedWaves { mut waves, of } = spare.waves.pop().unwrap_or_default();
        waves.truncate(count as usize);
        // Most workgroups come to the place of one that was like them.
        let settled = !is_filled && spare.shape == Some(shape) && of == Some((slots, shape));
        spare.shape = Some(shape);
        let compute_die = dispatch.compute_die(workgroup);
        for (index, (initial, preset)) in (0..count).zip(&mut spare.initial) {
            let slot = slots.0 + index;
            if settled {
                dispatch.move_initial_state(initial, id, index, slot);
            } else if dispatch.renew_initial_state(initial, (id, shape), index, slot, kernarg) {
                *preset = Preset::new(&initial.sgprs);
            }
            if waves.len() == index as usize {
                let wave = Wave::new(segment.clone(), rows, dispatch.wave_size, initial.mode);
                waves.push((wave, State::Ready));
            }
            let (wave, state) = &mut waves[index as usize];
            *state = State::Ready;
            wave.begin(
                segment,
                &Start {
                    mode: initial.mode,
                    exec: initial.exec,
                    scalars: preset,
                    vectors: &initial.vgprs,
                },
            );
            if is_filled {
                let number = workgroup << LARGEST_WAVES | u64::from(index + 1);
                fill_all(wave, initial, dispatch, memory, number);
            }
            set_changing(wave, initial, dispatch);
            wave.begin_at(elapsed);
            wave.compute_die = compute_die;
            if !settled {
                settle(wave, initial, dispatch, (slots, index));
            }
        }
        let initial = spare.initial.first().map(|(initial, _)| initial);
        let preset = initial.map_or((0, 0), |initial| (initial.vgprs.len(), initial.sgprs.len()));
        Workgroup {
            index,
            id,
            paces: Vec::new(),
            waves,
            lds,
            barrier: SplitBarrier::new(count),
            looking: None,
            races: None,
            shadow: None,
            preset,
            shape,
            slots,
        }
    }

    /// From now on, the gate is told of what its waves meet at barriers, if there is one.
    pub fn look_at_barriers(&mut self, gate: Option<&Arc<Gated>>, dispatch: &Arc<Dispatch>) {
        let Some(gate) = gate else { return };
        let waves = self.waves.iter().map(|(wave, _)| wave);
        self.looking = Some(Box::new(Looking::new(gate, dispatch, waves)));
        self.barrier.be_watched();
    }

    /// From now on, its accesses to LDS are put in order by these rules, if that is wanted.
    pub fn look_for_races(&mut self, rules: Option<Rules>, spare: &mut WorkgroupBuffers) {
        if let Some(rules) = rules {
            let (bytes, waves) = (self.lds.len() as u32, self.waves.len() as u32);
            self.races = Races::new(spare.races.take(), bytes, waves, rules);
        }
    }

    /// From now on, the follower is shown what its waves execute, if there is one.
    pub fn be_followed(&mut self, follower: Option<&Arc<dyn Follower>>, dispatch: &Arc<Dispatch>) {
        let Some(follower) = follower else { return };
        let (vector_registers, scalar_registers) = self.preset;
        self.shadow = Some(follower.begin(&Beginning {
            dispatch,
            workgroup: self.id,
            waves: self.waves.iter().map(|(wave, _)| wave).collect(),
            vector_registers,
            scalar_registers,
            lds_bytes: self.lds.len(),
        }));
    }

    /// The races that were found since the last call.
    pub fn take_races(&mut self) -> Vec<Race> {
        let races = self.races.as_mut();
        races.map_or_else(Vec::new, |races| races.take_found())
    }

    /// The waves as they are, to one who looks.
    fn there(&self, looking: &Looking, barrier: &SplitBarrier) -> Vec<WaveThere> {
        let waves = self.waves.iter();
        let waves = waves.map(|(wave, state)| {
            let state = match state {
                State::AtBarrier => There::AtBarrier,
                State::Ended => There::Ended,
                State::Ready if wave.waits_for_workgroup() => There::Polls,
                State::Ready if wave.only_waits() => There::PollsMemory,
                State::Ready => There::Elsewhere,
            };
            looking.look(wave, state, barrier)
        });
        waves.collect()
    }

    /// All waves that have not ended have stopped, or some have. Says what they meet.
    #[cold]
    fn meet(&mut self, barrier: &mut SplitBarrier, all_stopped: bool) {
        let Some(mut looking) = self.looking.take() else {
            return;
        };
        for arrivals in barrier.take_opened() {
            let ended = self
                .waves
                .iter()
                .filter(|(_, state)| *state == State::Ended);
            let ended = ended.map(|(wave, _)| (wave.index_in_workgroup, wave.stopped_at()));
            looking.opened(self.id, &arrivals, ended);
        }
        let mut at = self.waves.iter();
        let usual = |(wave, state): &(Wave, State)| {
            *state == State::AtBarrier && !wave.is_at_split_barrier()
        };
        if all_stopped && at.any(usual) {
            let waves = self.there(&looking, barrier);
            looking.opens(self.id, waves);
        }
        self.looking = Some(looking);
    }

    /// Returns `true` if waves wait at a barrier, and all others wait for something that only those could do. If the host could do it, too,
    /// the gate is told when the wait lasts.
    #[cold]
    fn waits_for_itself(&mut self, barrier: &SplitBarrier) -> bool {
        let all_are = |waits: fn(&Wave) -> bool| {
            let mut waves = self.waves.iter();
            waves.all(|(wave, state)| *state != State::Ready || waits(wave))
        };
        let mut waves = self.waves.iter();
        let some_arrived = waves.any(|(_, state)| *state == State::AtBarrier);
        let idle = some_arrived && all_are(Wave::waits_for_workgroup);
        let only_wait = some_arrived && all_are(Wave::only_waits);
        let Some(looking) = &mut self.looking else {
            return false;
        };
        let is_stuck = looking.idles(idle, self.waves.iter().map(|(wave, _)| wave));
        let may_end = !idle || looking.counts();
        if looking.waits(only_wait && may_end)
            && let Some(looking) = &self.looking
        {
            looking.tell(self.id, Outlook::Waits, self.there(looking, barrier));
        }
        is_stuck
    }

    /// No wave will ever go on: the gate is told, and the kernel ends.
    #[cold]
    fn stuck(&self, barrier: &SplitBarrier) -> Turn {
        if let Some(looking) = &self.looking {
            looking.tell(self.id, Outlook::Stuck, self.there(looking, barrier));
        }
        let mut waves = self.waves.iter();
        let first = waves.find(|(_, state)| *state == State::AtBarrier);
        let (wave, pc) = first.map_or((0, 0), |(wave, _)| {
            (wave.index_in_workgroup, wave.stopped_at())
        });
        Turn::Failed {
            wave,
            pc,
            stop: Stop::Stuck,
        }
    }

    /// Cycles from the dispatch's beginning to the latest time of its waves.
    pub fn elapsed(&self) -> u64 {
        let times = self.waves.iter().map(|(wave, _)| wave.elapsed());
        times.max().unwrap_or(0)
    }

    /// Lets every wave run once to its next stop.
    pub fn turn(
        &mut self,
        env: &mut Env<'_>,
        observer: Option<&dyn Observer>,
        epoch: &Epoch,
        slice: Slice,
    ) -> Turn {
        if let Some(observer) = observer {
            observer.resumed();
        }
        std::mem::swap(&mut env.lds, &mut self.lds);
        std::mem::swap(&mut env.barrier, &mut self.barrier);
        std::mem::swap(&mut env.races, &mut self.races);
        std::mem::swap(&mut env.shadow, &mut self.shadow);
        for (wave, _) in &mut self.waves {
            wave.slice_left = slice.branches;
        }
        let turn = self.guarded_rounds(env, observer, epoch, slice);
        std::mem::swap(&mut env.races, &mut self.races);
        std::mem::swap(&mut env.shadow, &mut self.shadow);
        std::mem::swap(&mut env.barrier, &mut self.barrier);
        std::mem::swap(&mut env.lds, &mut self.lds);
        turn
    }

    /// [`Workgroup::rounds`] that a fault of the host ends.
    fn guarded_rounds(
        &mut self,
        env: &mut Env<'_>,
        observer: Option<&dyn Observer>,
        epoch: &Epoch,
        slice: Slice,
    ) -> Turn {
        let id = self.id;
        let turn = guarded_parts(self, |workgroup, scene| {
            workgroup.rounds(env, epoch, slice, |index, wave, env| {
                scene.enter(index, wave.code_range());
                let left = wave.slice_left;
                match (observer, slice.micro_operations) {
                    (Some(observer), _) => observe::run(wave, env, id, observer),
                    (None, None) => run(wave, env, left),
                    (None, Some(count)) => some_steps(wave, env, count),
                }
            })
        });
        turn.unwrap_or_else(|fault| {
            let (wave, _) = &mut self.waves[fault.part];
            let stop = wave.host_fault(&fault.words, fault.address, fault.write);
            Turn::Failed {
                wave: fault.part as u32,
                pc: wave.stopped_at(),
                stop,
            }
        })
    }

    /// [`Workgroup::turn`] with LDS and barrier in `env`; `go` lets a wave, whose number in the workgroup it gets, run to its next stop.
    fn rounds<'e>(
        &mut self,
        env: &mut Env<'e>,
        epoch: &Epoch,
        slice: Slice,
        mut go: impl FnMut(usize, &mut Wave, &mut Env<'e>) -> Stop,
    ) -> Turn {
        let mut barriers = slice.barriers;
        // An observer's waves must take their turns alike with tools and without.
        let observed = env.program.config().observed;
        let mut meetings = Meetings::new(if observed { 0 } else { barriers });
        let timed = env.program.looks_at_clock();
        loop {
            let (mut yielded, mut sliced) = (false, false);
            let mut all_ended = true;
            for (index, (wave, state)) in self.waves.iter_mut().enumerate() {
                if *state != State::Ready {
                    all_ended &= *state == State::Ended;
                    continue;
                }
                if self.paces.get(index).is_some_and(Pace::waits) {
                    (yielded, all_ended) = (true, false);
                    continue;
                }
                env.memory.be_in_allocator(wave.is_in_allocator());
                let stop = go(index, wave, env);
                if matches!(stop, Stop::End) {
                    *state = State::Ended;
                    env.barrier.leave();
                    continue;
                }
                all_ended = false;
                match stop {
                    Stop::Barrier => *state = State::AtBarrier,
                    Stop::Sleep => {
                        yielded = true;
                        sleeps(&mut self.paces, index, wave, env, epoch);
                    }
                    Stop::Slice => sliced = true,
                    stop => {
                        return Turn::Failed {
                            wave: index as u32,
                            pc: wave.stopped_at(),
                            stop,
                        };
                    }
                }
            }
            // Ended waves no longer take part in barriers.
            if all_ended {
                return Turn::Ended;
            }
            let all_stopped = self.waves.iter().all(|(_, state)| *state != State::Ready);
            self.check(env, all_stopped);
            if !self.open_barriers(&env.barrier, all_stopped, timed) {
                return self.nobody_goes_on(&env.barrier);
            }
            if sliced {
                return Turn::Again(Pause::Sliced);
            }
            if yielded {
                if self.looking.is_some() && self.waits_for_itself(&env.barrier) {
                    return self.stuck(&env.barrier);
                }
                return Turn::Again(self.doze());
            }
            barriers -= 1;
            if meetings.is_due(barriers)
                && all_stopped
                && self.meets(&mut meetings, &env.lds, barriers)
            {
                return Turn::Again(Pause::Waits);
            }
            if barriers.is_multiple_of(QUESTION) && (barriers == 0 || env.host.wants_turn()) {
                return Turn::Again(Pause::Sliced);
            }
        }
    }

    /// Waves wait at a barrier that will never open. The device stays responsive; with a checker it ends them.
    fn nobody_goes_on(&mut self, barrier: &SplitBarrier) -> Turn {
        match self.looking.is_some() {
            true => self.stuck(barrier),
            false => Turn::Again(Pause::Waits),
        }
    }

    /// Barriers are about to open: lets checkers look.
    fn check(&mut self, env: &mut Env<'_>, all_stopped: bool) {
        if self.looking.is_some() {
            self.meet(&mut env.barrier, all_stopped);
        }
        if let Some(races) = &mut env.races {
            self.order_accesses(races, &env.barrier, all_stopped);
        }
    }

    /// Waves are about to pass barriers that are open.
    #[cold]
    fn order_accesses(&self, races: &mut Races, barrier: &SplitBarrier, all_stopped: bool) {
        for (wave, state) in &self.waves {
            if *state != State::AtBarrier {
                continue;
            }
            let number = wave.index_in_workgroup;
            if !wave.is_at_split_barrier() {
                if all_stopped {
                    races.arrives(number);
                    races.passes(number);
                }
            } else if wave.would_pass(barrier) {
                races.passes(number);
            }
        }
    }

    /// Lets waves go on whose barrier is open; false if no wave can go on.
    fn open_barriers(&mut self, barrier: &SplitBarrier, all_stopped: bool, timed: bool) -> bool {
        // Barriers open when the last wave comes.
        let latest = match all_stopped && timed {
            true => self.elapsed(),
            false => 0,
        };
        let mut some_ready = false;
        for (wave, state) in &mut self.waves {
            let opens = match wave.is_at_split_barrier() {
                true => wave.may_pass(barrier),
                false => all_stopped,
            };
            if *state == State::AtBarrier && opens {
                *state = State::Ready;
                if timed {
                    wave.catch_up(latest.max(barrier.latest()));
                }
            }
            some_ready |= *state == State::Ready;
        }
        some_ready
    }

    /// Returns `true` if the waves only meet, as [`Meetings::look`] says.
    #[cold]
    fn meets(&self, meetings: &mut Meetings, lds: &[u8], left: u32) -> bool {
        let waves = self.waves.iter();
        let waves = waves.filter(|(_, state)| *state != State::Ended);
        let waves: Vec<&Wave> = waves.map(|(wave, _)| wave).collect();
        meetings.look(&waves, lds, left)
    }

    /// The outcome if some of its waves pause, and no other goes on.
    fn doze(&mut self) -> Pause {
        let paces = &self.paces;
        let is_pacing = |index: usize| paces.get(index).is_some_and(Pace::waits);
        let (mut waits, mut came) = (true, false);
        for (index, (wave, state)) in self.waves.iter_mut().enumerate() {
            if *state == State::Ready && !is_pacing(index) {
                waits &= wave.only_waits();
                came |= wave.came_to_wait();
            }
        }
        match (waits, came) {
            (true, false) => Pause::Waits,
            (true, true) => Pause::Came,
            (false, _) => Pause::Dozed,
        }
    }

    /// The next instruction of every wave that has not ended.
    pub fn places(&self) -> impl Iterator<Item = u64> {
        let waves = self.waves.iter();
        waves
            .filter(|(_, state)| *state != State::Ended)
            .map(|(wave, _)| wave.next_address())
    }

    /// Keeps the buffers for the next workgroup.
    #[inline(always)]
    pub fn recycle(self, spare: &mut WorkgroupBuffers) {
        spare.lds = self.lds;
        if self.races.is_some() {
            spare.races = self.races;
        }
        spare.waves.push(UsedWaves {
            of: Some((self.slots, self.shape)),
            waves: self.waves,
        });
        spare.waves.truncate(4);
    }
}

#[cfg(test)]
mod tests;
