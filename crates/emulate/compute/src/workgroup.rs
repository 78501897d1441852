//! One workgroup: its waves, its LDS, and how they take turns.

use std::sync::Arc;

use gpu::{Dispatch, guard::guarded, initial::InitialState};
use wave::{Env, Segment, SplitBarrier, Stop, Wave, run};

use crate::{
    observe::{self, Observer},
    schedule::Slots,
};

/// How much of a workgroup is executed in one turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slice {
    /// Taken backward branches that a wave may do before another wave gets its turn.
    branches: u32,
    /// Barriers that it may pass.
    barriers: u32,
}

impl Slice {
    pub const USUAL: Slice = Slice {
        branches: 20_000,
        barriers: u32::MAX,
    };
    /// As much as may hold up whoever has other things to do.
    pub const MOMENT: Slice = Slice {
        branches: 100,
        barriers: 20,
    };

    /// Whether the rest is somebody else's.
    pub fn is_moment(self) -> bool {
        self.barriers != u32::MAX
    }
}

/// What registers hold until they are written. On hardware it is undefined; a kernel that relies on zeros works here and may fail there.
const UNDEFINED: u32 = 0;

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
    lds: Vec<u8>,
    barrier: SplitBarrier,
    /// To be given back.
    pub slots: Slots,
}

/// What a turn of a workgroup came to.
pub(crate) enum Turn {
    Ended,
    /// Somebody else should run; `asleep` if all waves did nothing but wait.
    Again {
        asleep: bool,
    },
    Failed {
        wave: u32,
        pc: u64,
        stop: Stop,
    },
}

/// Buffers of ended workgroups, reused by the next one on the same thread.
#[derive(Debug, Default)]
pub(crate) struct WorkgroupBuffers {
    lds: Vec<u8>,
    /// Waves stay where they are from workgroup to workgroup: moving their registers costs more than starting them.
    waves: Vec<Vec<(Wave, State)>>,
    /// By wave number, of the dispatch that is served.
    initial: Vec<InitialState>,
}

impl WorkgroupBuffers {
    /// Forgets what belongs to one dispatch.
    pub fn next_dispatch(&mut self) {
        self.initial.clear();
    }
}

impl Workgroup {
    /// Sets up all waves of the workgroup with linear index `index`.
    pub fn start(
        dispatch: &Dispatch,
        segment: &Arc<Segment>,
        rows: usize,
        index: u64,
        slots: Slots,
        kernarg: &[u32],
        spare: &mut WorkgroupBuffers,
    ) -> Workgroup {
        let (id, workgroup) = (dispatch.workgroup(index), index);
        let count = dispatch.waves(id);
        let lds_bytes = dispatch.lds_bytes();
        let mut lds = std::mem::take(&mut spare.lds);
        lds.clear();
        lds.resize(lds_bytes as usize, 0);
        if spare.initial.len() < count as usize {
            spare.initial.resize_with(count as usize, Default::default);
        }
        let mut waves = spare.waves.pop().unwrap_or_default();
        let fitting = |(wave, _): &(Wave, State)| {
            wave.vector_rows() == rows && wave.wave_size() == dispatch.wave_size
        };
        if !waves.iter().all(fitting) {
            waves.clear();
        }
        waves.truncate(count as usize);
        for (index, initial) in (0..count).zip(&mut spare.initial) {
            let slot = slots.0 + index;
            dispatch.renew_initial_state(initial, id, index, slot, kernarg);
            match waves.get_mut(index as usize) {
                Some((wave, _)) => wave.restart(segment, initial.mode, UNDEFINED),
                None => {
                    let wave = Wave::new(segment.clone(), rows, dispatch.wave_size, initial.mode);
                    waves.push((wave, State::Ready));
                }
            }
            let (wave, state) = &mut waves[index as usize];
            *state = State::Ready;
            for (register, &value) in initial.sgprs.iter().enumerate() {
                wave.set_sgpr(register, value);
            }
            for (register, lanes) in initial.vgprs.iter().enumerate() {
                wave.set_vgpr_row(register, lanes);
            }
            for (register, value) in [
                (115, initial.ttmp7),
                (116, initial.ttmp8),
                (117, initial.ttmp9),
            ] {
                wave.set_sgpr(register, value);
            }
            wave.set_exec(initial.exec);
            wave.index_in_workgroup = index;
            wave.slot = dispatch.place(slots.0, index);
            wave.compute_die = dispatch.compute_die(workgroup);
            wave.shared_aperture = gpu::dispatch::LDS_APERTURE_BASE;
            wave.private_aperture = gpu::dispatch::SCRATCH_APERTURE_BASE;
            wave.scratch_base = initial.scratch_address;
            wave.scratch_bytes_per_lane = dispatch.scratch.wave_bytes / dispatch.wave_size;
            wave.lds_bytes = lds_bytes;
        }
        Workgroup {
            index,
            id,
            waves,
            lds,
            barrier: SplitBarrier::new(count),
            slots,
        }
    }

    /// Lets every wave run once to its next stop.
    pub fn turn(
        &mut self,
        env: &mut Env<'_>,
        observer: Option<&dyn Observer>,
        slice: Slice,
    ) -> Turn {
        if let Some(observer) = observer {
            observer.resumed();
        }
        std::mem::swap(&mut env.lds, &mut self.lds);
        std::mem::swap(&mut env.barrier, &mut self.barrier);
        let turn = self.turn_in(env, observer, slice);
        std::mem::swap(&mut env.barrier, &mut self.barrier);
        std::mem::swap(&mut env.lds, &mut self.lds);
        turn
    }

    /// [`Workgroup::turn`] with LDS and barrier in `env`.
    fn turn_in(
        &mut self,
        env: &mut Env<'_>,
        observer: Option<&dyn Observer>,
        slice: Slice,
    ) -> Turn {
        let mut barriers = slice.barriers;
        loop {
            let (mut yielded, mut sliced) = (false, false);
            for (index, (wave, state)) in self.waves.iter_mut().enumerate() {
                if *state != State::Ready {
                    continue;
                }
                let stop = match observer {
                    None => {
                        let code = wave.code_range();
                        let stop = guarded(wave, code, |wave| run(wave, env, slice.branches));
                        match stop {
                            Ok(stop) => stop,
                            Err(fault) => wave.host_fault(&fault.words, fault.address, fault.write),
                        }
                    }
                    Some(observer) => observe::run(wave, env, self.id, observer),
                };
                match stop {
                    Stop::End => {
                        *state = State::Ended;
                        env.barrier.leave();
                    }
                    Stop::Barrier => *state = State::AtBarrier,
                    Stop::Sleep => yielded = true,
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
            if self.waves.iter().all(|(_, state)| *state == State::Ended) {
                return Turn::Ended;
            }
            let all_stopped = self.waves.iter().all(|(_, state)| *state != State::Ready);
            let mut some_ready = false;
            for (wave, state) in &mut self.waves {
                let opens = match wave.is_at_split_barrier() {
                    true => wave.may_pass(&env.barrier),
                    false => all_stopped,
                };
                if *state == State::AtBarrier && opens {
                    *state = State::Ready;
                }
                some_ready |= *state == State::Ready;
            }
            if !some_ready {
                // Waves wait at a barrier that nobody will open; the device stays responsive.
                return Turn::Again { asleep: true };
            }
            if yielded || sliced {
                return Turn::Again { asleep: !sliced };
            }
            let Some(left) = barriers.checked_sub(1) else {
                return Turn::Again { asleep: false };
            };
            barriers = left;
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
    pub fn recycle(self, spare: &mut WorkgroupBuffers) {
        spare.lds = self.lds;
        spare.waves.push(self.waves);
        spare.waves.truncate(4);
    }
}
