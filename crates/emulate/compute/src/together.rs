//! Several followers as one.

use std::sync::Arc;

use isa::Inst;
use wave::{Config, Planner, Shadow, Wave};

use crate::{
    follow::{Beginning, Follower},
    numbered::{Numbered, Snapshot},
};

/// Followers that each see what they planned for, in this order.
pub struct Together {
    all: Vec<Arc<dyn Follower>>,
    shared: Arc<Shared>,
}

/// The number that each planner has for an instruction.
type Plan = Arc<[Option<u32>]>;

struct Shared {
    planners: Vec<Arc<dyn Planner>>,
    plans: Numbered<Plan>,
}

impl Together {
    pub fn new(all: Vec<Arc<dyn Follower>>) -> Together {
        let planners = all.iter().map(|follower| follower.planner());
        Together {
            shared: Arc::new(Shared {
                planners: planners.collect(),
                plans: Numbered::default(),
            }),
            all,
        }
    }
}

impl Follower for Together {
    fn begin(&self, beginning: &Beginning<'_>) -> Box<dyn Shadow> {
        let shadows = self.all.iter().map(|follower| follower.begin(beginning));
        Box::new(Shadows {
            all: shadows.collect(),
            plans: self.shared.plans.with(0),
            shared: self.shared.clone(),
        })
    }

    fn planner(&self) -> Arc<dyn Planner> {
        self.shared.clone()
    }
}

impl Planner for Shared {
    fn plan(&self, config: &Config, inst: &Inst) -> Option<u32> {
        let planners = self.planners.iter();
        let plan: Plan = planners.map(|one| one.plan(config, inst)).collect();
        let is_planned = plan.iter().any(Option::is_some);
        is_planned.then(|| self.plans.add(plan))
    }
}

struct Shadows {
    all: Vec<Box<dyn Shadow>>,
    plans: Snapshot<Plan>,
    shared: Arc<Shared>,
}

impl std::fmt::Debug for Shadows {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.all.fmt(formatter)
    }
}

impl Shadow for Shadows {
    fn before(&mut self, wave: &Wave, plan: u32) {
        let number = plan as usize;
        if self.plans.len() <= number {
            self.plans = self.shared.plans.with(number);
        }
        let Shadows { all, plans, .. } = self;
        for (shadow, plan) in all.iter_mut().zip(plans[number].iter()) {
            if let Some(plan) = plan {
                shadow.before(wave, *plan);
            }
        }
    }
}
