//! The waves of a workgroup, their barriers, and what they execute.

use std::{collections::BTreeMap, sync::Arc};

use compute::{Beginning, Snapshot};
use gpu::Dispatch;
use wave::{Shadow, Wave};

use crate::{
    Shared,
    accesses::{Instruction, Reads},
    clock::Clock,
    lock,
    plan::{Action, Plan},
    progress::Progress,
    report::{Found, Missing, Side},
};

/// Bits of the kernel descriptor: the workgroup runs on both compute units of a pair, or on compute units at will.
const WGP_MODE: u32 = 1 << 29;
const SPLIT: u32 = 1 << 16;

/// The knowledge that waves exchange at a barrier.
#[derive(Default)]
struct Meeting {
    ordered: Clock,
    near: Clock,
    far: Clock,
}

/// Two pairs of accesses with an equal key are alike.
type Alike = (Missing, bool, Side, Side);

/// Watches the waves of one workgroup.
pub(crate) struct OfWorkgroup {
    shared: Arc<Shared>,
    dispatch: Arc<Dispatch>,
    group: u32,
    /// Its waves have one cache and see each other's stores in order.
    shares_near: bool,
    /// None while an instruction is looked at.
    plans: Option<Snapshot<Plan>>,
    waves: Vec<(Progress, Reads)>,
    /// By the number of the barrier, counted from 1.
    meetings: BTreeMap<u64, Meeting>,
    found: BTreeMap<Alike, Found>,
}

impl std::fmt::Debug for OfWorkgroup {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("OfWorkgroup")
    }
}

fn shares_near(dispatch: &Dispatch) -> bool {
    let (target, descriptor) = (dispatch.target, &dispatch.descriptor);
    let both = target.has_work_group_processors() && descriptor.rsrc1 & WGP_MODE != 0;
    let split = target.unified_register_file && descriptor.rsrc3 & SPLIT != 0;
    !both && !split
}

impl OfWorkgroup {
    pub fn new(shared: Arc<Shared>, beginning: &Beginning<'_>) -> OfWorkgroup {
        let count = beginning.waves.len() as u32;
        let (group, first) = {
            let mut state = lock(&shared.state);
            let group = state.begin(beginning.dispatch, beginning.workgroup, count);
            (group, state.groups[group as usize].first_wave)
        };
        let all = first..first + count;
        let waves = all
            .clone()
            .map(|wave| (Progress::new(wave, all.clone()), Reads::default()));
        OfWorkgroup {
            dispatch: beginning.dispatch.clone(),
            group,
            shares_near: shares_near(beginning.dispatch),
            plans: Some(shared.plans.with(0)),
            waves: waves.collect(),
            meetings: BTreeMap::new(),
            found: BTreeMap::new(),
            shared,
        }
    }

    fn arrives(&mut self, wave: usize) {
        let (progress, _) = &mut self.waves[wave];
        progress.arrivals += 1;
        let number = progress.arrivals;
        let meeting = self.meetings.entry(number).or_default();
        let mut own = progress.entry(progress.stamp);
        if self.shares_near {
            own.waited = own.issued;
        }
        meeting.ordered.join(&progress.ordered);
        meeting.ordered.raise(progress.number, own);
        meeting.near.join(&progress.near);
        meeting.far.join(&progress.far);
        progress.stamp += 1;
        if self.meetings.len() > 2 {
            self.meetings.pop_first();
        }
    }

    /// The wave has passed the barrier that it last came to.
    fn passed(&mut self, wave: usize) {
        let (progress, _) = &mut self.waves[wave];
        progress.passes = false;
        if let Some(meeting) = self.meetings.get(&progress.arrivals) {
            progress.ordered.join(&meeting.ordered);
            progress.forgets_itself();
            progress.far.join(&meeting.far);
            if self.shares_near {
                progress.near.join(&meeting.near);
            }
        }
    }

    fn found(&mut self, found: Vec<Found>) {
        let mut new = Vec::new();
        for one in found {
            let place = |side: Side| Side {
                workgroup: [0; 3],
                wave: 0,
                ..side
            };
            let alike = (
                one.missing,
                one.certain,
                place(one.before),
                place(one.after),
            );
            match self.found.get_mut(&alike) {
                Some(known) => known.times += one.times,
                None => {
                    self.found.insert(alike, Found { times: 0, ..one });
                    new.push(one);
                }
            }
        }
        if !new.is_empty() {
            self.shared.sink.raced(&self.dispatch, &new);
        }
    }

    fn access(&mut self, wave: &Wave, pc: u64, memory: &crate::plan::Memory) {
        let (progress, reads) = &mut self.waves[wave.index_in_workgroup as usize];
        let shared = self.shared.clone();
        let mut state = lock(&shared.state);
        let instruction = Instruction {
            shared: &shared,
            memory,
            pc,
            wave,
            group: self.group,
            shares_near: self.shares_near,
        };
        let found = instruction.judge(&mut state, progress, reads);
        drop(state);
        if !found.is_empty() {
            self.found(found);
        }
    }
}

impl Shadow for OfWorkgroup {
    fn before(&mut self, wave: &Wave, plan: u32) {
        let number = plan as usize;
        // Put back below: a count of references would cost more than most instructions.
        let plans = match self.plans.take() {
            Some(plans) if number < plans.len() => plans,
            _ => self.shared.plans.with(number),
        };
        let plan = &*plans[number];
        let index = wave.index_in_workgroup as usize;
        if self.waves[index].0.passes {
            self.passed(index);
        }
        match &plan.action {
            Action::Access(memory) => self.access(wave, plan.pc, memory),
            Action::Counts(which) => self.waves[index].0.counts(*which),
            Action::Wait(most) => self.waves[index].0.wait(*most),
            Action::WriteBack(which) => self.waves[index].0.writes_back(*which),
            Action::Invalidate(caches) => self.waves[index].0.invalidates(*caches),
            Action::Barrier { arrives, passes } => {
                if *arrives {
                    self.arrives(index);
                }
                self.waves[index].0.passes |= *passes;
            }
            Action::Unknown(name) => {
                if lock(&self.shared.state).unknown.insert(name) {
                    self.shared.sink.not_judged(name);
                }
            }
        }
        self.plans = Some(plans);
    }
}

impl Drop for OfWorkgroup {
    fn drop(&mut self) {
        lock(&self.shared.state).end();
        let mut rest: Vec<Found> = self.found.values().copied().collect();
        rest.retain(|found| found.times != 0);
        if !rest.is_empty() {
            self.shared.sink.raced(&self.dispatch, &rest);
        }
    }
}
