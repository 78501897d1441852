//! Uses of undefined values, each told once for its instruction.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
};

use gpu::Dispatch;
use isa::Op;

use crate::lock;

/// The way in which a value is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Use {
    /// It is an address, or a part of one.
    Address,
    /// It decides which way a wave goes, or which lanes go on.
    Condition,
    /// It is stored to memory that is there when the kernel has ended. Only inexact results are told of.
    Output,
}

/// The origin of an undefined value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Device memory, loaded by the instruction at `pc` from `address`.
    Memory { pc: u64, address: u64 },
    /// LDS, loaded by the instruction at `pc` from `address`.
    Lds { pc: u64, address: u64 },
    /// The wave's private memory, at the lane's `offset`, loaded by the instruction at `pc`.
    Private { pc: u64, offset: u64 },
    /// The instruction at `pc`, whose result a GPU may compute otherwise.
    Instruction { pc: u64, op: Op },
    /// A vector register that no instruction has written.
    Vector(u16),
    /// A scalar register that no instruction has written.
    Scalar(u16),
}

impl Origin {
    /// The address of the instruction that brought it into a register, if one did.
    pub fn pc(self) -> Option<u64> {
        match self {
            Origin::Memory { pc, .. }
            | Origin::Lds { pc, .. }
            | Origin::Private { pc, .. }
            | Origin::Instruction { pc, .. } => Some(pc),
            Origin::Vector(_) | Origin::Scalar(_) => None,
        }
    }
}

/// A use of an undefined value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    pub used: Use,
    /// The address of the instruction that uses it.
    pub pc: u64,
    pub op: Op,
    pub origin: Origin,
    pub workgroup: [u32; 3],
    pub wave: u32,
    /// The first lane; 0 for what all lanes share.
    pub lane: u32,
}

/// Is told of uses, by any thread.
pub trait Sink: Send + Sync {
    /// A use was met again, `times` times by now.
    fn used(&self, dispatch: &Arc<Dispatch>, found: &Found, times: u64);
    /// An instruction that no rule follows was executed: what it wrote counts as defined. Told once for each name.
    fn not_followed(&self, _name: &'static str) {}
}

/// An origin as registers have it beside them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OriginId(pub u32);

const VECTOR: u32 = 1 << 31;
const SCALAR: u32 = 1 << 30;

impl OriginId {
    pub fn vector(row: usize) -> OriginId {
        OriginId(VECTOR | row as u32)
    }

    pub fn scalar(slot: usize) -> OriginId {
        OriginId(SCALAR | slot as u32)
    }
}

/// The numbers of the origins of one instruction, by kind: one more than each, or zero.
#[derive(Default)]
pub(crate) struct Known([AtomicU32; 4]);

impl Known {
    pub fn id(&self, origin: Origin, reports: &Reports) -> OriginId {
        let (pc, kind) = match origin {
            Origin::Memory { pc, .. } => (pc, 0),
            Origin::Lds { pc, .. } => (pc, 1),
            Origin::Private { pc, .. } => (pc, 2),
            Origin::Instruction { pc, .. } => (pc, 3),
            Origin::Vector(row) => return OriginId::vector(row.into()),
            Origin::Scalar(slot) => return OriginId::scalar(slot.into()),
        };
        let own = &self.0[usize::from(kind)];
        match own.load(Relaxed) {
            0 => {
                let id = reports.id(pc, kind, origin);
                own.store(id.0 + 1, Relaxed);
                id
            }
            known => OriginId(known - 1),
        }
    }
}

/// A use of a value: what for, where, and the instruction that brought the value.
type Key = (Use, u64, Option<u64>);

pub(crate) struct Reports {
    sink: Arc<dyn Sink>,
    origins: Mutex<Origins>,
    /// How often each was met, by instruction and origin.
    times: Mutex<HashMap<Key, u64>>,
}

#[derive(Default)]
struct Origins {
    all: Vec<Origin>,
    /// By the instruction and whether it loads from memory, LDS or private memory.
    known: HashMap<(u64, u8), OriginId>,
}

impl Reports {
    pub fn new(sink: Arc<dyn Sink>) -> Reports {
        Reports {
            sink,
            origins: Mutex::default(),
            times: Mutex::default(),
        }
    }

    /// The number of an origin of a kind; each instruction has one for each kind of memory.
    fn id(&self, pc: u64, kind: u8, origin: Origin) -> OriginId {
        let mut origins = lock(&self.origins);
        let next = OriginId(origins.all.len() as u32);
        let id = *origins.known.entry((pc, kind)).or_insert(next);
        if id == next {
            origins.all.push(origin);
        }
        id
    }

    fn origin(&self, id: OriginId) -> Origin {
        match id.0 {
            id if id & VECTOR != 0 => Origin::Vector(id as u16),
            id if id & SCALAR != 0 => Origin::Scalar(id as u16),
            id => lock(&self.origins).all[id as usize],
        }
    }

    pub fn not_followed(&self, name: &'static str) {
        self.sink.not_followed(name);
    }

    /// Tells of a use.
    #[cold]
    pub fn tell(&self, dispatch: &Arc<Dispatch>, id: OriginId, found: impl Fn(Origin) -> Found) {
        let found = found(self.origin(id));
        let times = {
            let mut all = lock(&self.times);
            let key = (found.used, found.pc, found.origin.pc());
            let times = all.entry(key).or_default();
            *times += 1;
            *times
        };
        self.sink.used(dispatch, &found, times);
    }
}
