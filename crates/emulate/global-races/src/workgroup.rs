//! The waves of a workgroup, their barriers, and what they execute.

use std::{collections::BTreeMap, sync::Arc};

use compute::{Beginning, Snapshot};
use gpu::Dispatch;
use isa::numbers::M0;
use wave::{Shadow, Wave};

use crate::{
    Shared,
    accesses::{Instruction, Membership, Reads},
    lock,
    plan::{Action, At, Meets, Plan},
    progress::{Meeting, Place, Progress},
    report::{Alike, Found, Told},
};

/// Bits of the kernel descriptor: the workgroup runs on both compute units of a pair, or on compute units at will.
const WGP_MODE: u32 = 1 << 29;
const SPLIT: u32 = 1 << 16;

/// Watches the waves of one workgroup.
pub(crate) struct OfWorkgroup {
    shared: Arc<Shared>,
    dispatch: Arc<Dispatch>,
    group: Membership,
    /// None while an instruction is looked at.
    plans: Option<Snapshot<Arc<Plan>>>,
    waves: Vec<(Progress, Reads)>,
    /// By the number of the barrier, counted from 1.
    meetings: BTreeMap<u64, Meeting>,
    found: BTreeMap<Alike, Told>,
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
        let (group, first, mut waves) = {
            let mut state = lock(&shared.state);
            let group = state.begin(beginning.dispatch, beginning.workgroup, count);
            let first = state.groups[group as usize].first_wave;
            (group, first, state.spare.pop().unwrap_or_default())
        };
        let all = first..first + count;
        waves.truncate(count as usize);
        for ((progress, _), wave) in waves.iter_mut().zip(all.clone()) {
            progress.begin(wave, all.clone());
        }
        let more = all.clone().skip(waves.len());
        waves.extend(more.map(|wave| (Progress::new(wave, all.clone()), Reads::default())));
        OfWorkgroup {
            dispatch: beginning.dispatch.clone(),
            group: Membership {
                number: group,
                shares_near: shares_near(beginning.dispatch),
            },
            plans: Some(shared.plans.with(0)),
            waves,
            meetings: BTreeMap::new(),
            found: BTreeMap::new(),
            shared,
        }
    }

    /// A wave comes to a meeting, or waits there still.
    fn meets(&mut self, wave: &Wave, meets: &Meets) {
        let of_device = meets.at != At::Workgroup;
        if wave.is_at_device_barrier() || of_device && !self.shared.rules.meetings {
            return;
        }
        let index = wave.index_in_workgroup as usize;
        let (progress, _) = &mut self.waves[index];
        let resource = |offset: u32| (wave.sgpr(usize::from(M0)) >> 16).wrapping_add(offset) & 0x3f;
        let place = match meets.at {
            At::Workgroup => {
                progress.arrivals[0] += u64::from(meets.arrives);
                Place::Workgroup(progress.arrivals[0])
            }
            At::Device(offset) => {
                progress.arrivals[1] += 1;
                Place::Device(resource(offset), progress.arrivals[1])
            }
            At::Semaphore(offset) => Place::Device(resource(offset), 0),
        };
        if meets.arrives {
            match place {
                Place::Workgroup(number) => {
                    let meeting = self.meetings.entry(number).or_default();
                    progress.arrives_workgroup(meeting, self.group.shares_near);
                    if self.meetings.len() > 2 {
                        self.meetings.pop_first();
                    }
                }
                Place::Device(resource, number) => {
                    let mut state = lock(&self.shared.state);
                    progress.arrives_device(state.meeting(self.group.number, resource, number));
                }
            }
        }
        if meets.passes {
            progress.leaves = Some(place);
        }
    }

    /// The wave has left the meeting that it last came to.
    fn left(&mut self, wave: usize, place: Place) {
        let (progress, _) = &mut self.waves[wave];
        progress.leaves = None;
        match place {
            Place::Workgroup(number) => {
                if let Some(meeting) = self.meetings.get_mut(&number) {
                    progress.leaves_workgroup(meeting, self.group.shares_near);
                }
            }
            Place::Device(resource, number) => {
                let mut state = lock(&self.shared.state);
                let meeting = state.meeting(self.group.number, resource, number);
                progress.leaves_device(meeting, self.shared.rules.lines);
            }
        }
    }

    fn found(&mut self, found: Vec<Found>) {
        let mut new = Vec::new();
        for one in found {
            if one.read_beside_atomic().is_some() {
                let mut state = lock(&self.shared.state);
                new.extend(state.beside_atomic(&self.dispatch, one));
                continue;
            }
            match self.found.get_mut(&one.alike()) {
                Some(told) => new.extend(told.again()),
                None => {
                    self.found.insert(one.alike(), Told::new(one));
                    new.push(one);
                }
            }
        }
        if !new.is_empty() {
            self.shared.sink.raced(&new);
        }
    }

    fn access(&mut self, wave: &Wave, pc: u64, memory: &crate::plan::Memory) {
        let (progress, reads) = &mut self.waves[wave.index_in_workgroup as usize];
        let shared = &*self.shared;
        let mut state = lock(&shared.state);
        let instruction = Instruction {
            shared,
            memory,
            pc,
            wave,
            group: &self.group,
        };
        let found = instruction.judge(&mut state, progress, reads);
        let revised = std::mem::take(&mut state.revised);
        drop(state);
        for (before, now) in revised {
            shared.sink.took_back(&before);
            if let Some(now) = now {
                shared.sink.raced(&[now]);
            }
        }
        if !found.is_empty() {
            self.found(found);
        }
    }
}

impl Shadow for OfWorkgroup {
    #[inline]
    fn before(&mut self, wave: &Wave, plan: u32) {
        let number = plan as usize;
        // Put back below: a count of references would cost more than most instructions.
        let plans = match self.plans.take() {
            Some(plans) if number < plans.len() => plans,
            _ => self.shared.plans.with(number),
        };
        let plan = &*plans[number];
        let index = wave.index_in_workgroup as usize;
        if let Some(place) = self.waves[index].0.leaves
            && !wave.is_at_device_barrier()
        {
            self.left(index, place);
        }
        match &plan.action {
            Action::Access(memory) if self.shared.rules.heap && wave.is_in_allocator() => {
                if !memory.is_scalar {
                    self.waves[index].0.counts(memory.counts);
                }
            }
            Action::Access(memory) => self.access(wave, plan.pc, memory),
            Action::Counts(which) => self.waves[index].0.counts(*which),
            Action::Wait(most) => {
                let progress = &mut self.waves[index].0;
                progress.wait(*most);
                if std::mem::take(&mut progress.heard) {
                    progress.ordered.join(&lock(&self.shared.state).copies);
                }
            }
            Action::WriteBack(which) => self.waves[index].0.writes_back(*which),
            Action::Invalidate(caches) => self.waves[index].0.invalidates(*caches),
            Action::Meets(meets) => self.meets(wave, meets),
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
        let held = {
            let mut state = lock(&self.shared.state);
            state.spare.push(std::mem::take(&mut self.waves));
            state.end()
        };
        for found in held {
            self.shared.sink.raced(&[found]);
        }
        let rest: Vec<Found> = self.found.values().filter_map(Told::rest).collect();
        if !rest.is_empty() {
            self.shared.sink.raced(&rest);
        }
    }
}
