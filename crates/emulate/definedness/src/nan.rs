//! Finds instructions that make NaN or infinity of numbers, if the result gets into memory or is compared.
//!
//! Compilers make NaN on purpose, such as in divisions, and select another value afterwards. An instruction is therefore a finding only
//! when its result, or a value that was computed from it, is stored to memory or compared. The kernel did not make a value that comes from
//! memory, from an argument or from a constant.
//!
//! Entry type: [`Nans`], a [`compute::Follower`].

mod formats;
mod shadow;
mod step;
mod taints;

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use compute::{Beginning, Follower, Numbered, Planner};
use gpu::Dispatch;
use isa::Inst;
use wave::{Config, Shadow};

use crate::lock;
pub use formats::Class;
use shadow::OfWorkgroup;
use step::Step;

/// The way in which a value is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Use {
    /// It is stored to memory. LDS and private memory do not count.
    Stored,
    /// It is compared with another number. Only NaN counts: it makes the comparison fail.
    Compared,
}

/// A value that an instruction made of numbers, and that is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    pub used: Use,
    /// The value that is used.
    pub value: Class,
    /// The address of the instruction that made the first value that is no number.
    pub made: u64,
    /// The address of the instruction that uses it.
    pub pc: u64,
    pub workgroup: [u32; 3],
    pub wave: u32,
    /// The first lane.
    pub lane: u32,
    /// The number of lanes.
    pub lanes: u32,
    /// The address that it is stored to.
    pub address: Option<u64>,
}

/// Is told of uses, by any thread.
pub trait Sink: Send + Sync {
    fn met(&self, dispatch: &Arc<Dispatch>, found: &Found);
    /// An instruction was executed whose numbers are not looked at. Told once for each name.
    fn not_looked_at(&self, _name: &'static str) {}
}

/// Follows values that are no numbers through all kernels of a device.
pub struct Nans {
    shared: Arc<Shared>,
}

struct Shared {
    sink: Arc<dyn Sink>,
    steps: Numbered<Step>,
    not_looked_at: Mutex<BTreeSet<&'static str>>,
}

impl Nans {
    /// `sink` is told of uses.
    pub fn new(sink: Arc<dyn Sink>) -> Nans {
        Nans {
            shared: Arc::new(Shared {
                sink,
                steps: Numbered::default(),
                not_looked_at: Mutex::default(),
            }),
        }
    }
}

impl Follower for Nans {
    fn begin(&self, beginning: &Beginning<'_>) -> Box<dyn Shadow> {
        Box::new(OfWorkgroup::new(self.shared.clone(), beginning))
    }

    fn planner(&self) -> Arc<dyn Planner> {
        self.shared.clone()
    }
}

impl Planner for Shared {
    fn plan(&self, config: &Config, inst: &Inst) -> Option<u32> {
        Some(self.steps.add(Step::of(config, inst)?))
    }
}

impl Shared {
    #[cold]
    fn does_not_look_at(&self, name: &'static str) {
        if lock(&self.not_looked_at).insert(name) {
            self.sink.not_looked_at(name);
        }
    }
}
