//! A follower gives each workgroup a shadow, which is shown every instruction that it planned for.

use std::sync::Arc;

use gpu::Dispatch;
use isa::Inst;
use wave::{Config, Planner, Shadow, Wave};

use crate::{run::lock, sync::Mutex};

/// A workgroup that begins.
#[derive(Debug)]
pub struct Beginning<'a> {
    pub dispatch: &'a Arc<Dispatch>,
    pub workgroup: [u32; 3],
    /// In their order, before their first instruction.
    pub waves: Vec<&'a Wave>,
    /// The first vector and scalar registers that waves start with have so many; all others hold nothing that programs may count on.
    pub vector_registers: usize,
    pub scalar_registers: usize,
    pub lds_bytes: usize,
}

/// Makes shadows, by any thread.
pub trait Follower: Send + Sync {
    /// The shadow of a workgroup that begins.
    fn begin(&self, beginning: &Beginning<'_>) -> Box<dyn Shadow>;
    /// The planner of its shadows.
    fn planner(&self) -> Arc<dyn Planner>;
}

/// Two followers side by side.
pub struct Followers {
    both: [Arc<dyn Follower>; 2],
    plans: Arc<Pairs>,
}

/// Plans of two planners for one instruction.
type Pair = [Option<u32>; 2];

struct Pairs {
    planners: [Arc<dyn Planner>; 2],
    /// Those of all instructions, and those of some time ago for all workgroups.
    all: Mutex<Vec<Pair>>,
    snapshot: Mutex<Arc<Vec<Pair>>>,
}

impl Followers {
    pub fn new(both: [Arc<dyn Follower>; 2]) -> Followers {
        let planners = both.each_ref().map(|follower| follower.planner());
        Followers {
            both,
            plans: Arc::new(Pairs {
                planners,
                all: Mutex::default(),
                snapshot: Mutex::default(),
            }),
        }
    }
}

impl Follower for Followers {
    fn begin(&self, beginning: &Beginning<'_>) -> Box<dyn Shadow> {
        Box::new(Shadows {
            both: self
                .both
                .each_ref()
                .map(|follower| follower.begin(beginning)),
            known: lock(&self.plans.snapshot).clone(),
            plans: self.plans.clone(),
        })
    }

    fn planner(&self) -> Arc<dyn Planner> {
        self.plans.clone()
    }
}

impl Planner for Pairs {
    fn plan(&self, config: &Config, inst: &Inst) -> Option<u32> {
        let pair = self.planners.each_ref().map(|one| one.plan(config, inst));
        if pair == [None; 2] {
            return None;
        }
        let mut all = lock(&self.all);
        all.push(pair);
        Some(all.len() as u32 - 1)
    }
}

/// The shadows of two followers.
#[derive(Debug)]
struct Shadows {
    both: [Box<dyn Shadow>; 2],
    known: Arc<Vec<Pair>>,
    plans: Arc<Pairs>,
}

impl std::fmt::Debug for Pairs {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Pairs")
    }
}

impl Shadow for Shadows {
    fn before(&mut self, wave: &Wave, plan: u32) {
        if self.known.len() <= plan as usize {
            let mut snapshot = lock(&self.plans.snapshot);
            if snapshot.len() <= plan as usize {
                *snapshot = Arc::new(lock(&self.plans.all).clone());
            }
            self.known = snapshot.clone();
        }
        let pair = self.known[plan as usize];
        for (shadow, plan) in self.both.iter_mut().zip(pair) {
            if let Some(plan) = plan {
                shadow.before(wave, plan);
            }
        }
    }
}
