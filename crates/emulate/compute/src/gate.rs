//! A checker of barriers is told which waves of a workgroup meet at each barrier.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use gpu::Dispatch;
use wave::{Arrival, Pose, SplitBarrier, Wave};

/// Is told of barriers at which not all lanes of all waves met at one instruction, and of those that never open. Calls come
/// from any thread.
pub trait Gate: Send + Sync {
    fn met(&self, dispatch: &Arc<Dispatch>, meeting: &Meeting);
}

/// The waves of a workgroup, when a barrier opens or nothing goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meeting {
    pub workgroup: [u32; 3],
    pub outlook: Outlook,
    pub waves: Vec<WaveThere>,
}

/// The future of the waves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outlook {
    /// The barrier opens.
    Opens,
    /// No wave can go on, ever.
    Stuck,
    /// Waves have long waited, in a loop, for a change of memory, and no workgroup of the device has gone on: only the host can help.
    Waits,
}

/// One wave of a meeting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaveThere {
    /// In the workgroup.
    pub wave: u32,
    pub state: There,
    /// The address of the instruction that it waits at, has arrived by, has ended with, or comes to next.
    pub pc: u64,
    /// Lanes that are on.
    pub exec: u64,
    /// Lanes that it began with and that are off.
    pub absent: u64,
    /// Lanes that are on and were off at the barrier before, and that barrier's address.
    pub returned: (u64, u64),
}

/// The state of a wave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum There {
    /// It is at the barrier, or has arrived there.
    AtBarrier,
    /// It has arrived at a split barrier that has not opened since it did so before.
    Again,
    /// It waits at a split barrier without having arrived.
    WaitsOnly,
    /// It is in a loop that only reads LDS.
    Polls,
    /// It is in a loop that only reads memory.
    PollsMemory,
    Ended,
    /// It has not come there.
    Elsewhere,
}

/// Turns in which a workgroup's waves do nothing but read LDS, before it is said that they wait for each other.
const IDLE: u32 = 200;
/// A loop with others in it does not pause at the same place each time. It comes back there in so many times as many turns, if it ever does.
const PATIENCE: u32 = 2;

/// The time without progress after which waves are said to wait for memory, perhaps for ever.
const LONG: Duration = Duration::from_secs(10);

/// The gate, and how often workgroups have gone on.
pub(crate) struct Gated {
    gate: Arc<dyn Gate>,
    progress: AtomicU64,
}

impl Gated {
    pub fn new(gate: Arc<dyn Gate>) -> Gated {
        Gated {
            gate,
            progress: AtomicU64::new(0),
        }
    }

    /// A workgroup has ended, or has done more than to wait.
    pub fn goes_on(&self) {
        self.progress.fetch_add(1, Ordering::Relaxed);
    }
}

/// The facts that a checker needs about the waves of a workgroup.
pub(crate) struct Looking {
    gate: Arc<Gated>,
    dispatch: Arc<Dispatch>,
    waves: Vec<Known>,
    idle: u32,
    /// The waves when they began to be idle.
    poses: Vec<Pose>,
    /// Idle waves come back with other registers, so that their loops may end by themselves.
    counts: bool,
    /// The time since which it waits for memory, and how often workgroups had gone on by then.
    waits: Option<(Instant, u64)>,
    has_told: bool,
}

impl std::fmt::Debug for Looking {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Looking")
    }
}

#[derive(Clone, Copy)]
struct Known {
    began: u64,
    /// Lanes that were off at the last barrier, and its address.
    missed: (u64, u64),
}

impl Looking {
    /// At waves that begin.
    pub fn new<'w>(
        gate: &Arc<Gated>,
        dispatch: &Arc<Dispatch>,
        waves: impl Iterator<Item = &'w Wave>,
    ) -> Looking {
        let known = waves.map(|wave| Known {
            began: wave.exec(),
            missed: (0, 0),
        });
        Looking {
            gate: gate.clone(),
            dispatch: dispatch.clone(),
            waves: known.collect(),
            idle: 0,
            poses: Vec::new(),
            counts: false,
            waits: None,
            has_told: false,
        }
    }

    fn there(&self, wave: u32, state: There, pc: u64, exec: u64) -> WaveThere {
        let known = self.waves[wave as usize];
        let (lanes, before) = known.missed;
        WaveThere {
            wave,
            state,
            pc,
            exec,
            absent: known.began & !exec,
            returned: (lanes & exec, before),
        }
    }

    /// A barrier opens for these waves.
    pub fn opens(&mut self, workgroup: [u32; 3], waves: Vec<WaveThere>) {
        let mut at = waves.iter().filter(|one| one.state == There::AtBarrier);
        let Some(first) = at.next() else { return };
        let is_usual = |one: &WaveThere| {
            one.state == There::AtBarrier
                && one.pc == first.pc
                && one.absent == 0
                && one.returned.0 == 0
        };
        if !waves.iter().all(is_usual) {
            self.tell(workgroup, Outlook::Opens, waves.clone());
        }
        for one in waves {
            if matches!(one.state, There::AtBarrier | There::Again) {
                self.waves[one.wave as usize].missed = (one.absent, one.pc);
            }
        }
    }

    /// A split barrier has opened, by these arrivals.
    pub fn opened(
        &mut self,
        workgroup: [u32; 3],
        arrivals: &[Arrival],
        ended: impl Iterator<Item = (u32, u64)>,
    ) {
        let mut waves: Vec<WaveThere> = Vec::new();
        for one in arrivals {
            let state = match waves.iter().any(|known| known.wave == one.wave) {
                true => There::Again,
                false => There::AtBarrier,
            };
            waves.push(self.there(one.wave, state, one.pc, one.exec));
        }
        // A wave that came last may have ended since.
        let came = |wave: u32| arrivals.iter().any(|one| one.wave == wave);
        let ended = ended.filter(|(wave, _)| !came(*wave));
        waves.extend(ended.map(|(wave, pc)| self.there(wave, There::Ended, pc, 0)));
        for wave in 0..self.waves.len() as u32 {
            if !waves.iter().any(|known| known.wave == wave) {
                waves.push(self.there(wave, There::Elsewhere, 0, 0));
            }
        }
        self.opens(workgroup, waves);
    }

    /// Waves wait, and the others wait for what only those could do. Returns `true` if that has lasted so long that it is certain: the others have
    /// the registers again that they had at the beginning.
    pub fn idles<'w>(&mut self, idle: bool, waves: impl Iterator<Item = &'w Wave>) -> bool {
        if !idle {
            (self.idle, self.counts) = (0, false);
            return false;
        }
        self.idle += 1;
        if self.idle == 1 {
            self.poses = waves.map(Pose::of).collect();
            return false;
        }
        if self.idle <= IDLE {
            return false;
        }
        let mut pairs = self.poses.iter().zip(waves);
        let stands = pairs.all(|(pose, wave)| pose.is_of(wave));
        if !stands && self.idle > PATIENCE * IDLE {
            (self.idle, self.counts) = (0, true);
        }
        stands
    }

    /// Idle waves were seen to change their registers.
    pub fn counts(&self) -> bool {
        self.counts
    }

    /// `waits`: waves wait at a barrier, and the others for memory. Returns `true`, once, if that has lasted for a long time.
    pub fn waits(&mut self, waits: bool) -> bool {
        let progress = self.gate.progress.load(Ordering::Relaxed);
        if !waits || self.has_told {
            self.waits = None;
            return false;
        }
        let (since, before) = *self.waits.get_or_insert_with(|| (Instant::now(), progress));
        if before != progress {
            self.waits = None;
            return false;
        }
        self.has_told = since.elapsed() > LONG;
        self.has_told
    }

    pub fn tell(&self, workgroup: [u32; 3], outlook: Outlook, waves: Vec<WaveThere>) {
        let meeting = Meeting {
            workgroup,
            outlook,
            waves,
        };
        self.gate.gate.met(&self.dispatch, &meeting);
    }

    /// A wave in this state, at the usual barrier or at a split one.
    pub fn look(&self, wave: &Wave, state: There, barrier: &SplitBarrier) -> WaveThere {
        let number = wave.index_in_workgroup;
        let (state, pc) = match state {
            There::AtBarrier if wave.is_at_split_barrier() => {
                let mut arrived = barrier.arrivals().iter();
                let has_arrived = arrived.any(|one| one.wave == number);
                match has_arrived {
                    true => (There::AtBarrier, wave.stopped_at()),
                    false => (There::WaitsOnly, wave.stopped_at()),
                }
            }
            There::AtBarrier | There::Ended => (state, wave.stopped_at()),
            other => (other, wave.next_address()),
        };
        let exec = match state {
            There::Ended => 0,
            _ => wave.exec(),
        };
        self.there(number, state, pc, exec)
    }
}
