//! An instruction as its registers and its numbers.

use isa::Inst;
use wave::Config;

use super::formats::{Meaning, meaning};
use crate::plan::{Action, Plan};

pub(super) struct Step {
    pub plan: Plan,
    /// The meanings of both halves, if it is a dual instruction; else the first counts.
    pub meanings: [Meaning; 2],
}

impl Step {
    /// None for what neither reads nor writes registers.
    pub fn of(config: &Config, inst: &Inst) -> Option<Step> {
        let plan = Plan::of(config, inst)?;
        let meanings = match (&plan.action, inst.op.halves()) {
            (Action::Dual(_), Some(halves)) => halves.map(|half| meaning(half.first_name())),
            _ => [meaning(inst.op.first_name()); 2],
        };
        Some(Step { plan, meanings })
    }

    /// Returns `true` if it computes with numbers that are not looked at.
    pub fn is_left_out(&self) -> bool {
        self.meanings.contains(&Meaning::NotLookedAt)
    }
}
