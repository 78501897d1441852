//! The shadow of one workgroup.

use std::sync::Arc;

use compute::{Beginning, Snapshot};
use gpu::Dispatch;
use wave::{Shadow, Wave};

use crate::{
    Line, Shared, Target,
    draw::Draws,
    flip::Flip,
    linear,
    sites::{Plan, Weight},
    spec::Place,
};

/// Instructions between two looks at the budget.
const BATCH: u64 = 1024;

pub(crate) struct OfWorkgroup {
    shared: Arc<Shared>,
    plans: Snapshot<Arc<Plan>>,
    dispatch: Arc<Dispatch>,
    workgroup: u64,
    /// Places of each wave so far; empty if a change is to be made.
    counts: Vec<u64>,
    /// LDS that the kernel asked for; there may be more.
    lds_bytes: usize,
    executed: u64,
    /// Executed instructions that were not taken off the budget yet.
    unspent: u64,
    /// The change to come, and the places of its wave before it.
    target: Option<(Target, u64)>,
    /// The change that is made before the wave's next instruction.
    chosen: Option<(u32, Flip)>,
}

impl std::fmt::Debug for OfWorkgroup {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("OfWorkgroup")
    }
}

impl OfWorkgroup {
    pub fn new(
        shared: Arc<Shared>,
        beginning: &Beginning<'_>,
        target: Option<Target>,
    ) -> OfWorkgroup {
        let counts = match shared.target {
            None => vec![0; beginning.waves.len()],
            Some(_) => Vec::new(),
        };
        OfWorkgroup {
            plans: shared.plans.with(0),
            dispatch: beginning.dispatch.clone(),
            workgroup: linear(beginning),
            counts,
            lds_bytes: beginning.dispatch.packet.group_segment_size as usize,
            executed: 0,
            unspent: 0,
            target: target.map(|target| (target.clone(), target.place.place)),
            chosen: None,
            shared,
        }
    }

    fn plan(&mut self, number: usize) -> &Plan {
        if self.plans.len() <= number {
            self.plans = self.shared.plans.with(number);
        }
        &self.plans[number]
    }

    fn spend(&mut self) {
        self.executed += self.unspent;
        self.shared.spend(std::mem::take(&mut self.unspent));
    }

    /// The wave with the change is about to execute an instruction.
    #[cold]
    fn look(&mut self, wave: &mut Wave, lds: &mut [u8], number: usize) -> bool {
        let mut exec = false;
        if let Some((_, flip)) = self
            .chosen
            .take_if(|(of, _)| *of == wave.index_in_workgroup)
        {
            exec = self.make(flip, wave, lds);
        }
        let Some((target, left)) = self.target.take() else {
            return exec;
        };
        if target.place.wave != wave.index_in_workgroup {
            self.target = Some((target, left));
            return exec;
        }
        let plan = self.plan(number);
        let count = plan.count(wave);
        if left >= count {
            self.target = Some((target, left - count));
            return exec;
        }
        let before = plan.before;
        let (plan, draws) = (plan.clone(), Draws::new(target.seed));
        let flip = Flip::choose(&plan, wave, left, self.shared.spec.model, draws);
        if before {
            return exec | self.make(flip, wave, lds);
        }
        self.chosen = Some((wave.index_in_workgroup, flip));
        exec
    }

    fn make(&self, flip: Flip, wave: &mut Wave, lds: &mut [u8]) -> bool {
        let own = self.lds_bytes.min(lds.len());
        let pc = flip.pc;
        let (mut struck, exec) = flip.make(wave, &mut lds[..own], self.dispatch.entry);
        struck.source = self.shared.sink.source(pc);
        self.shared.sink.tell(Line::Struck(struck));
        exec
    }
}

impl Shadow for OfWorkgroup {
    fn before(&mut self, _: &Wave, _: u32) {}

    fn change(&mut self, wave: &mut Wave, lds: &mut [u8], plan: u32) -> bool {
        self.unspent += 1;
        if self.unspent >= BATCH {
            self.spend();
        }
        let number = plan as usize;
        let wave_number = wave.index_in_workgroup as usize;
        if !self.counts.is_empty() {
            let plan = self.plan(number);
            if plan.weight != Weight::None {
                let count = plan.count(wave);
                let is_there = self.lds_bytes > 0 || self.shared.spec.place != Place::Lds;
                self.counts[wave_number] += if is_there { count } else { 0 };
            }
            return false;
        }
        if self.target.is_none() && self.chosen.is_none() {
            return false;
        }
        self.look(wave, lds, number)
    }
}

impl Drop for OfWorkgroup {
    fn drop(&mut self) {
        self.spend();
        if self.shared.target.is_none() {
            let counts = std::mem::take(&mut self.counts);
            let (dispatch, workgroup) = (&self.dispatch, self.workgroup);
            self.shared
                .counted(dispatch, workgroup, self.executed, counts);
        }
    }
}
