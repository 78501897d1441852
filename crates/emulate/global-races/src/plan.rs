//! The part that an instruction has in the order of accesses. It is found when the instruction is decoded.

use definedness::access::{self, Kind};
use gfx::Family;
use isa::{Counter, Effects, Format, Inst, Traits, Waits, fields::cache_policy};
use wave::Config;

use crate::scope::{Caches, Emptied, Scope, emptied, writes_back};

pub(crate) struct Plan {
    pub pc: u64,
    pub action: Action,
}

/// A counter of outstanding operations: that of loads, or that of stores. Before gfx10 there is one for both.
pub(crate) type Which = usize;
pub(crate) const LOADS: Which = 0;
pub(crate) const STORES: Which = 1;

pub(crate) enum Action {
    Access(Memory),
    /// An operation that only counts.
    Counts(Which),
    /// The most that may be outstanding afterwards.
    Wait([Option<u32>; 2]),
    WriteBack(Which),
    Invalidate(Emptied),
    Meets(Meets),
    /// An access that is not judged.
    Unknown(&'static str),
}

/// A place where waves wait for each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meets {
    pub at: At,
    pub arrives: bool,
    pub passes: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// The barrier of a workgroup.
    Workgroup,
    /// A barrier of the whole device. The number is added to the resource that M0 names.
    Device(u32),
    /// A semaphore of the whole device.
    Semaphore(u32),
}

/// Instructions of the whole device's barriers and semaphores: whether it is a barrier, and whether the wave arrives and passes.
const OF_DEVICE: &[(&str, bool, bool, bool)] = &[
    ("ds_gws_barrier", true, true, true),
    ("ds_gws_sema_v", false, true, false),
    ("ds_gws_sema_br", false, true, false),
    ("ds_gws_sema_release_all", false, true, false),
    ("ds_gws_sema_p", false, false, true),
];

/// The meaning of an atomic for a plain load of the same word before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Decides {
    /// It does its work with the newest value, and the loaded one may have said whether there is work.
    Perhaps,
    /// It fails if the loaded value is not the newest one.
    Surely,
}

/// Parts of the names of atomics that decide so.
const DECIDING: &[(&str, Decides)] = &[
    ("atomic_cmpswap", Decides::Surely),
    ("min", Decides::Perhaps),
    ("max", Decides::Perhaps),
    ("atomic_and", Decides::Perhaps),
    ("atomic_or", Decides::Perhaps),
];

/// An access to memory.
pub(crate) struct Memory {
    pub access: access::Access,
    pub is_scalar: bool,
    pub counts: Which,
    /// How far a store goes by itself, or where a load looks.
    pub reach: Scope,
    /// The scope that its bits name.
    pub says: Scope,
    /// It can be told from an access to data that only one wave uses.
    pub synchronises: bool,
    /// An atomic whose old value the wave gets.
    pub returns: bool,
    pub decides: Option<Decides>,
}

impl Plan {
    pub fn of(config: &Config, inst: &Inst) -> Option<Plan> {
        let action = action(config, inst)?;
        Some(Plan {
            pc: inst.pc,
            action,
        })
    }
}

fn action(config: &Config, inst: &Inst) -> Option<Action> {
    let family = config.target.family;
    let (name, effects) = (inst.op.first_name(), inst.effects);
    let policy = cache_policy(inst, config.target);
    let stores = if family == Family::Gfx9 {
        LOADS
    } else {
        STORES
    };
    if effects.contains(Effects::BARRIER) {
        let arrives = inst.op.has(Traits::ARRIVES);
        return Some(Action::Meets(Meets {
            at: At::Workgroup,
            arrives,
            passes: !arrives || name == "s_barrier",
        }));
    }
    if let Some((_, is_barrier, arrives, passes)) = OF_DEVICE.iter().find(|row| row.0 == name) {
        let offset = u32::from(isa::fields::Ds::decode(inst, family).offset());
        let at = match is_barrier {
            true => At::Device(offset),
            false => At::Semaphore(offset),
        };
        return Some(Action::Meets(Meets {
            at,
            arrives: *arrives,
            passes: *passes,
        }));
    }
    if let Some(caches) = emptied(name, policy) {
        return Some(Action::Invalidate(caches));
    }
    if writes_back(name, policy) {
        return Some(Action::WriteBack(stores));
    }
    match inst.op.waits() {
        Waits::Nothing => {}
        Waits::All => return Some(Action::Wait([Some(0); 2])),
        waits => return wait(waits, family, inst),
    }
    let elsewhere = Effects::VMEM | Effects::SMEM | Effects::FLAT;
    if !effects.intersects(elsewhere) || inst.op.has(Traits::CACHE) {
        return None;
    }
    if inst.format == Format::Scratch {
        let is_load = effects.contains(Effects::LOAD);
        return Some(Action::Counts(if is_load { LOADS } else { stores }));
    }
    let Some(access) = access::of(config, inst) else {
        return (!inst.op.has(Traits::NO_DATA)).then_some(Action::Unknown(name));
    };
    Some(Action::Access(memory(
        config,
        inst,
        access,
        (policy, stores),
    )))
}

fn wait(waits: Waits, family: Family, inst: &Inst) -> Option<Action> {
    let mut most = [None; 2];
    for field in waits.fields(family) {
        let which = match field.counter {
            Counter::Load => LOADS,
            Counter::Store => STORES,
            _ => continue,
        };
        let count = field.count(inst.constant());
        most[which] = (count < field.counter.capacity(family)).then_some(count);
    }
    (most != [None; 2]).then_some(Action::Wait(most))
}

fn memory(
    config: &Config,
    inst: &Inst,
    access: access::Access,
    (policy, stores): (usize, Which),
) -> Memory {
    let caches = Caches::of(config.target);
    let is_scalar = inst.format == Format::Smem;
    let returns = access.kind == Kind::Atomic && access.destination.is_some() && {
        let flat = matches!(inst.format, Format::Flat | Format::Global);
        let family = config.target.family;
        match flat {
            true => isa::fields::Flat::decode(inst, config.target, inst.format != Format::Flat).glc,
            false => inst.buffer(family).is_some_and(|fields| fields.glc),
        }
    };
    let (reach, says) = match access.kind {
        Kind::Load if is_scalar => (Scope::Near, Scope::Near),
        Kind::Load => (caches.loads[policy], caches.loads[policy]),
        Kind::Store => (caches.stores[policy], caches.stores_say[policy]),
        Kind::Atomic => (
            caches.atomics[policy].max(Scope::Workgroup),
            caches.atomics[policy],
        ),
    };
    let is_atomic = access.kind == Kind::Atomic;
    let name = inst.op.first_name();
    let mut deciding = DECIDING.iter().filter(|row| name.contains(row.0));
    let has_bits = caches.stores_say[0] == Scope::Near;
    Memory {
        is_scalar,
        counts: match access.kind {
            Kind::Load => LOADS,
            Kind::Atomic if returns => LOADS,
            _ => stores,
        },
        reach,
        says,
        synchronises: match access.kind {
            Kind::Load => says > Scope::Near,
            Kind::Store => has_bits && says > Scope::Near,
            Kind::Atomic => true,
        },
        returns,
        decides: deciding.next().map(|row| row.1).filter(|_| is_atomic),
        access,
    }
}
