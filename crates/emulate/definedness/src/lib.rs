//! Finds uses of values that were never set.
//!
//! Each bit of each register, of LDS and of memory has a bit beside it that says it is undefined. Instructions hand these bits on as they
//! hand on values. Copies are silent; a value is *used* where it decides what happens: as an address, or as a condition.
//!
//! In the same way it follows results that a GPU may compute otherwise, from the instruction that makes them ([`Definedness::of_inexact`]).
//!
//! Entry type: [`Definedness`], a [`compute::Follower`]. All memory counts as defined but what [`Definedness::undefine`] names, the
//! registers, LDS and private memory that a wave starts with.
//!
//! [`nan`] follows values that are no numbers along the same plans.
#![forbid(unsafe_code)]

pub mod access;
mod inexact;
mod lanes;
mod lds;
mod memory;
mod moves;
pub mod nan;
mod packed;
mod plan;
#[cfg(test)]
mod random;
mod report;
mod rules;
mod shadow;
mod spans;
mod state;
mod whole;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use compute::{Beginning, Follower, Numbered, Planner};
use isa::Inst;
use wave::{Config, Shadow};

use inexact::Inexact;
use memory::{Memory, View};
use plan::{Listed, Plan};
use report::Reports;
pub use report::{Found, Origin, Sink, Use};
use shadow::{OfWorkgroup, Own};

/// Follows what is undefined through all kernels of a device.
pub struct Definedness {
    shared: Arc<Shared>,
}

/// The state of a device.
pub(crate) struct Shared {
    pub memory: Memory,
    pub reports: Reports,
    /// Only inexact results are followed. Without it, what nothing has set.
    pub inexact: Option<Inexact>,
    pub plans: Numbered<Listed>,
    /// Shadows of workgroups that have ended, for later ones.
    spare: Mutex<Vec<Own>>,
    /// Names of instructions that no rule follows, which were met.
    unfollowed: Mutex<std::collections::BTreeSet<&'static str>>,
}

impl Definedness {
    /// `sink` is told of uses.
    pub fn new(sink: Arc<dyn Sink>) -> Definedness {
        Definedness::of(sink, None)
    }

    /// Follows results that a GPU may compute otherwise, to memory too. Everything else counts as defined.
    pub fn of_inexact(sink: Arc<dyn Sink>) -> Definedness {
        Definedness::of(sink, Some(Inexact::default()))
    }

    fn of(sink: Arc<dyn Sink>, inexact: Option<Inexact>) -> Definedness {
        Definedness {
            shared: Arc::new(Shared {
                memory: Memory::default(),
                reports: Reports::new(sink),
                inexact,
                plans: Numbered::default(),
                spare: Mutex::default(),
                unfollowed: Mutex::default(),
            }),
        }
    }

    /// The bytes were allocated, and nothing has written them.
    pub fn undefine(&self, start: u64, bytes: u64) {
        self.shared.memory.undefine(start, bytes);
    }

    /// The bytes were written, or do not exist any more.
    pub fn define(&self, start: u64, bytes: u64) {
        self.shared.memory.define(start, bytes);
    }

    /// Something was written, and nothing says where: all memory of now counts as set.
    pub fn give_up(&self) {
        self.shared.memory.give_up();
    }

    /// The bytes at `from` were copied to `to`.
    pub fn copy(&self, to: u64, from: u64, bytes: u64) {
        self.shared.memory.copy(to, from, bytes);
    }

    /// The first undefined byte of these, and how many there are; `None` if all are defined.
    pub fn undefined_in(&self, start: u64, bytes: u64) -> Option<(u64, u64)> {
        self.shared.memory.undefined_in(start, bytes)
    }

    /// The undefined bits of so many bytes.
    pub fn undefined_bits(&self, start: u64, bytes: usize) -> Vec<u8> {
        let (memory, mut view) = (&self.shared.memory, View::new());
        let all = start..start + bytes as u64;
        all.map(|at| view.load(memory, at, 1) as u8).collect()
    }

    /// Names of executed instructions whose results count as defined for want of a rule.
    pub fn unfollowed(&self) -> Vec<&'static str> {
        lock(&self.shared.unfollowed).iter().copied().collect()
    }
}

impl Follower for Definedness {
    fn begin(&self, beginning: &Beginning<'_>) -> Box<dyn Shadow> {
        Box::new(OfWorkgroup::new(self.shared.clone(), beginning))
    }

    fn planner(&self) -> Arc<dyn Planner> {
        self.shared.clone()
    }
}

impl Planner for Shared {
    fn plan(&self, config: &Config, inst: &Inst) -> Option<u32> {
        let plan = match &self.inexact {
            Some(inexact) => inexact.plan(config, inst)?,
            None => Arc::new(Plan::of(config, inst)?),
        };
        Some(self.plans.add(Listed::new(plan)))
    }
}

impl Shared {
    #[cold]
    pub fn does_not_follow(&self, name: &'static str) {
        if lock(&self.unfollowed).insert(name) {
            self.reports.not_followed(name);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
