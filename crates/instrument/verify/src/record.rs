//! The state of a wave before each instruction.

use crate::{
    calls::{Calls, Contexts},
    code::{Code, Places},
    digest::{AddressHalves, Digester, meaning},
    executed::in_lane,
    live::{Live, Part, RegisterRows},
    turns::{Branch, TurnSchedule, WavePace},
};
use emulate::{Next, Observer, Wave};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

/// A wave of a launch.
pub type WaveId = ([u32; 3], u32);

/// One look at a wave. There are many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Number of the instruction.
    pub site: u32,
    /// Digest of the live state: a number of 64 bits in halves, which need no alignment.
    digest: [u32; 2],
}

/// Every live part at one look.
pub type Snapshot = Vec<Held>;

/// The contents of a part of a wave's state.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    pub part: Part,
    pub value: u32,
    /// The original's address that it stands for, or the value.
    pub meant: u32,
}

/// When a run is over before the kernel ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StopCondition {
    /// Never.
    #[default]
    End,
    /// When all waves wait for something that none of them does, or the limit is reached.
    Enough,
    /// The place of another run: after this many branches of all waves.
    Branches(u64),
}

/// The clock counts branches and looks at it, so that it shows the same whenever the kernel does the same: where it starts, and
/// its steps.
const START: u64 = 1 << 40;
const STEP: u64 = 16;

/// The clock on the wall is asked after so many looks.
const LOOKS_PER_TIME: usize = 1024;

/// The settings for watching one execution of a kernel.
#[derive(Default)]
pub struct Watch {
    pub rows: Option<RegisterRows>,
    /// The code being executed.
    pub places: Places,
    pub until: StopCondition,
    pub undefined: Undefined,
    /// Keep a snapshot of this look.
    pub wanted: Option<(WaveId, usize)>,
    /// Overwrite what is dead, with values from this seed.
    pub poison: Option<u32>,
    /// Looks beyond this many are not taken, up to the next branch if only [`StopCondition::Enough`] was asked for.
    pub limit: usize,
    /// No observations are made after this moment either.
    pub deadline: Option<Instant>,
    pub seen: Observed,
}

/// Registers that hold no defined value when the kernel starts, and start with zero here. Other code for the kernel may get something
/// there, or compute something in them before the kernel's first instruction.
#[derive(Default)]
pub struct Undefined {
    pub scalars: Vec<u16>,
    /// The first VGPR, if any is; then all AccVGPRs are, too.
    pub vectors: Option<u16>,
}

/// The observations of one execution.
#[derive(Default)]
pub struct Observed {
    pub waves: BTreeMap<WaveId, Vec<Observation>>,
    pub snapshot: Option<Snapshot>,
    /// The wave that waits.
    pub stuck: Option<WaitingWave>,
    /// The wave that was looked at last before it was stopped.
    pub last: Option<WaveId>,
    /// The moment came.
    pub late: bool,
    /// It was stopped where it was to be.
    pub stopped: bool,
    /// Branches of all waves.
    pub branches: u64,
    /// More looks than the limit.
    pub too_long: bool,
    /// Looks at waves of which it is not known what is live, because they came to where no call leads.
    pub lost: u64,
}

impl Observed {
    /// Looks at a wave.
    pub fn wave(&self, id: &WaveId) -> &[Observation] {
        self.waves.get(id).map_or(&[], Vec::as_slice)
    }

    /// The condition on which another run has to end to be like this one.
    pub fn until(&self) -> StopCondition {
        match self.stopped {
            true => StopCondition::Branches(self.branches),
            false => StopCondition::End,
        }
    }
}

/// A wave that waits for something that no wave of the dispatch does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingWave {
    pub wave: WaveId,
    /// Instruction that read memory last, and where in the first active lane.
    pub reads: Option<(u32, u64)>,
}

/// One wave as it is watched.
struct Watched {
    id: WaveId,
    looks: Vec<Observation>,
    pace: WavePace,
    calls: Calls,
    halves: AddressHalves,
    reads: Option<(u32, u64)>,
}

/// A watch that goes on.
#[derive(Default)]
struct State {
    watch: Watch,
    waves: Vec<Watched>,
    numbers: BTreeMap<WaveId, usize>,
    /// Number of the wave that was looked at last.
    current: usize,
    turns: TurnSchedule,
    digester: Digester,
    contexts: Contexts,
    /// The time of the clock after [`START`].
    time: u64,
    taken: usize,
    over: bool,
}

/// The observer of a device; what it does can be changed between launches.
pub struct Recorder {
    pub code: Code,
    state: Mutex<State>,
}

impl Recorder {
    pub fn new(code: Code) -> Arc<Recorder> {
        Arc::new(Recorder {
            code,
            state: Mutex::default(),
        })
    }

    pub fn set(&self, watch: Watch) {
        let turns = TurnSchedule::new(watch.until == StopCondition::Enough);
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = State {
            watch,
            turns,
            contexts: Contexts::new(&self.code),
            ..State::default()
        };
    }

    pub fn take(&self) -> Observed {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State {
            watch,
            waves,
            turns,
            ..
        } = std::mem::take(&mut *state);
        Observed {
            waves: waves
                .into_iter()
                .map(|wave| (wave.id, wave.looks))
                .collect(),
            branches: turns.branches,
            ..watch.seen
        }
    }
}

impl Observer for Recorder {
    fn resumed(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.turns.resumed();
    }

    fn before(&self, workgroup: [u32; 3], wave: &mut Wave, pc: u64) -> Next {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.over {
            return Next::Stop;
        }
        let (Some(rows), Some(site)) = (state.watch.rows, state.watch.places.site(pc)) else {
            return Next::GoOn;
        };
        state.look(
            &self.code,
            rows,
            (workgroup, wave.index_in_workgroup),
            wave,
            site,
        )
    }

    fn time(&self) -> Option<u64> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        Some(START + state.time)
    }

    fn has_enough(&self) -> bool {
        self.state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .over
    }
}

impl State {
    fn look(
        &mut self,
        code: &Code,
        rows: RegisterRows,
        id: WaveId,
        wave: &mut Wave,
        number: u32,
    ) -> Next {
        let site = &code.sites[number as usize];
        let is_late = self.taken.is_multiple_of(LOOKS_PER_TIME)
            && self
                .watch
                .deadline
                .is_some_and(|moment| Instant::now() >= moment);
        self.watch.seen.late |= is_late;
        let is_full = self.taken >= self.watch.limit || self.watch.seen.late;
        if is_full && self.watch.until != StopCondition::Enough {
            self.watch.seen.too_long = true;
            self.over = true;
            return Next::Stop;
        }
        self.taken += 1;
        if self
            .waves
            .get(self.current)
            .is_none_or(|wave| wave.id != id)
        {
            self.turn_to(id);
        }
        let watched = &mut self.waves[self.current];
        let last = watched.looks.last();
        let last = last.map(|look| &code.sites[look.site as usize]);
        self.contexts.arrive(code, &mut watched.calls, last, site);
        let before = self.contexts.before(code, &watched.calls, site, rows, wave);
        self.watch.seen.lost += u64::from(!before.live.complete);
        if let Some(seed) = self.watch.poison
            && before.live.complete
        {
            overwrite_dead(&before.live, rows, wave, seed ^ site.pc as u32);
        }
        if watched.looks.is_empty() {
            start_with_zero(&self.watch.undefined, &before.live, rows, wave);
        }
        let places = &self.watch.places;
        let live = self
            .digester
            .of_live(&before.rowed, rows, wave, places, &watched.halves);
        if self.watch.wanted == Some((id, watched.looks.len())) {
            self.watch.seen.snapshot =
                Some(parts(&before.live, rows, wave, places, &watched.halves).collect());
        }
        if let Some(moves) = site.moves {
            watched.halves.moved(rows, wave, places, moves);
        }
        let again = site.retries && watched.looks.last().is_some_and(|look| look.site == number);
        watched.looks.push(Observation {
            site: number,
            digest: [live as u32, (live >> 32) as u32],
        });
        self.turns.seen(&mut watched.pace);
        // Time goes on, and with it those who wait for it.
        let changes = site.reads_clock || site.writes && wave.exec() != 0 && !again;
        if changes {
            self.turns.writes(&mut watched.pace);
        }
        if site.reads_clock || site.branches {
            self.time += STEP;
        }
        if let Some(address) = &site.reads {
            watched.reads = Some((number, address_of(address, wave)));
        }
        if !site.branches && !site.retries {
            return Next::GoOn;
        }
        let (next, same_since) = self.turns.branch(
            &mut watched.pace,
            Branch {
                site: number,
                live,
                complete: before.live.complete,
                all: || self.digester.of_all(rows, wave),
            },
        );
        let reads = watched.reads;
        let paces = self.waves.iter().map(|wave| &wave.pace);
        if same_since.is_some_and(|since| self.turns.are_stuck(since, paces)) {
            self.watch.seen.stuck = Some(WaitingWave { wave: id, reads });
            self.over = true;
        }
        if is_full || self.watch.until == StopCondition::Branches(self.turns.branches) {
            self.over = true;
        }
        if self.over {
            self.watch.seen.stopped = true;
            self.watch.seen.last = Some(id);
            return Next::Stop;
        }
        next
    }

    fn turn_to(&mut self, id: WaveId) {
        let next = self.waves.len();
        self.current = *self.numbers.entry(id).or_insert(next);
        if self.current == next {
            self.waves.push(Watched {
                id,
                looks: Vec::new(),
                pace: WavePace::default(),
                calls: Calls::default(),
                halves: AddressHalves::default(),
                reads: None,
            });
        }
    }
}

fn start_with_zero(undefined: &Undefined, live: &Live, rows: RegisterRows, wave: &mut Wave) {
    for &register in &undefined.scalars {
        if live.scalars.binary_search(&register).is_ok() {
            rows.write(wave, Part::Scalar(register), 0);
        }
    }
    let Some(first) = undefined.vectors else {
        return;
    };
    for &register in live.active.iter().chain(&live.inactive) {
        if register >= first
            && let Some(row) = rows.existing_row(wave, register)
        {
            wave.set_vgpr_row(row, &[0; _]);
        }
    }
}

/// The address in the first active lane.
fn address_of(address: &rewrite::Address, wave: &Wave) -> u64 {
    in_lane(address, wave, wave.exec().trailing_zeros() as usize & 63)
}

/// Live parts with their values, and with what those mean: a code address of the watched code is the one in the original that it stands for.
fn parts<'a>(
    live: &'a Live,
    rows: RegisterRows,
    wave: &'a Wave,
    places: &'a Places,
    halves: &'a AddressHalves,
) -> impl Iterator<Item = Held> + 'a {
    live.parts(wave.exec(), wave.wave_size())
        .filter_map(move |part| {
            let value = rows.read(wave, part)?;
            let meant = meaning(rows, wave, places, halves, part, value);
            Some(Held { part, value, meant })
        })
}

/// Puts rubbish where nothing is live.
fn overwrite_dead(live: &Live, rows: RegisterRows, wave: &mut Wave, seed: u32) {
    let exec = wave.exec();
    let mut value = seed | 1;
    let mut next = || {
        value ^= value << 13;
        value ^= value >> 17;
        value ^= value << 5;
        value
    };
    // VCC and what lies behind it has other uses; SGPRs that the program does not name may hold the trap handler's state.
    for index in 0..lift::registers::SGPR_COUNT {
        if live.scalars.binary_search(&index).is_err() {
            rows.write(wave, Part::Scalar(index), next());
        }
    }
    for register in 0..2 * lift::registers::FILE_SIZE {
        let Some(row) = rows.existing_row(wave, register) else {
            continue;
        };
        let active = live.active.binary_search(&register).is_ok();
        let inactive = live.inactive.binary_search(&register).is_ok();
        let dead = match (active, inactive) {
            (true, true) => continue,
            (true, false) => !exec,
            (false, true) => exec,
            (false, false) => u64::MAX,
        };
        let value = next();
        let mut lanes = *wave.vgpr_row(row);
        for (lane, old) in (0..wave.wave_size()).zip(&mut lanes) {
            if dead >> lane & 1 == 1 {
                *old = value.wrapping_mul(2 * lane + 1);
            }
        }
        wave.set_vgpr_row(row, &lanes);
    }
}
