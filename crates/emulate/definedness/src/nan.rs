//! Finds instructions that make NaN or infinity of numbers, if the result gets into memory or is compared.
//!
//! Compilers make NaN on purpose, such as in divisions, and select another value afterwards. An instruction is therefore a finding only
//! when its result, or a value that was computed from it, is stored to memory or compared. The kernel did not make a value that comes from
//! memory, from an argument or from a constant.
//!
//! Entry type: [`Nans`], a [`compute::Follower`].

mod formats;
mod meaning;
mod origins;
mod product;
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
use formats::Class;
use shadow::OfWorkgroup;
use step::Step;

/// The way in which a value is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Use {
    /// It is stored to memory. LDS and private memory do not count.
    Stored,
    /// It is compared with another number. Only NaN counts: it makes the comparison fail.
    Compared,
    /// It is what the instruction made. Only values at the limits of their formats count.
    Made,
}

/// The kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    Nan,
    Infinity,
    /// The largest number of a format, or the limit of integers, of a number that is out of range, or an integer of NaN.
    Saturated,
    /// A number so small that it has less precision, made of numbers that have all of theirs.
    Denormal,
    /// Zero instead of a number that is too small.
    Underflow,
}

impl Value {
    fn of(class: Class) -> Option<Value> {
        match class {
            Class::Number => None,
            Class::Infinity => Some(Value::Infinity),
            Class::Nan => Some(Value::Nan),
        }
    }
}

/// The kinds that the check looks for beside NaN and infinity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Conversions of numbers that are out of range.
    pub saturated: bool,
    /// Results that are denormals, or zero because they are too small.
    pub denormals: bool,
}

/// A value that an instruction made of numbers, and that is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    pub used: Use,
    /// The value that is used.
    pub value: Value,
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
    wanted: Wanted,
    steps: Numbered<Arc<Step>>,
    not_looked_at: Mutex<BTreeSet<&'static str>>,
}

impl Nans {
    /// `sink` is told of uses.
    pub fn new(sink: Arc<dyn Sink>, wanted: Wanted) -> Nans {
        Nans {
            shared: Arc::new(Shared {
                sink,
                wanted,
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
        Some(self.steps.add(Arc::new(Step::of(config, inst)?)))
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
