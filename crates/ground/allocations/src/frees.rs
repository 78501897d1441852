//! Frees that are wrong.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::{
    callers::callers,
    facts::{self, Allocation, Event, Kind, known, new, taken, tell},
};

/// More arrays than a program has at a time; those that it has freed are forgotten then.
const MOST_ARRAYS: usize = 1 << 16;

static REFUSED: AtomicBool = AtomicBool::new(false);

/// From now on, HIP does not get calls that free what the program may not free: they fail.
///
/// HIP itself takes several of them for right. The block of a pool that is freed twice is in the pool twice, or in the pool and
/// given back to the system.
pub fn refuse() {
    REFUSED.store(true, Ordering::Relaxed);
}

pub(crate) fn are_refused() -> bool {
    REFUSED.load(Ordering::Relaxed)
}

/// The memory that a function frees, as HIP documents it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frees {
    /// Memory of devices: `hipFree`, which refuses host memory.
    Device,
    /// Host memory that HIP has allocated: `hipHostFree`, which refuses that of devices.
    Host,
    /// `hipHostUnregister`.
    Registered,
}

impl Frees {
    /// Returns `true` if memory of this kind is freed so. HSA has functions of its own to free its memory, and HIP's functions
    /// take it, too.
    fn takes(self, kind: Kind) -> bool {
        match kind {
            Kind::Hsa => true,
            Kind::Device | Kind::Managed | Kind::Stream | Kind::Pitched | Kind::Node => {
                self == Frees::Device
            }
            Kind::Pinned => self == Frees::Host,
            Kind::Registered => self == Frees::Registered,
            Kind::Array | Kind::Mapped | Kind::Imported | Kind::Variable | Kind::Heap => false,
        }
    }
}

/// Returns `true` if the program may not free what lies at this address with this function, which is then told of.
pub(crate) fn is_wrong(address: u64, by: &'static str, frees: Frees) -> bool {
    if address == 0 {
        return false;
    }
    let known = known();
    let tables = [&known.blocks, &known.regions];
    let found = tables.iter().find_map(|table| table.containing(address));
    let wrong = found.filter(|entry| {
        let one = &entry.allocation;
        // A graph that runs again allocates its memory again, at the same address.
        let freed = one.freed.is_some() && one.kind != Kind::Node;
        !entry.divided && (one.base != address || freed || !frees.takes(one.kind))
    });
    let wrong = wrong.map(|entry| entry.allocation.clone());
    drop(known);
    tell_of(wrong, address, by)
}

fn tell_of(wrong: Option<Allocation>, address: u64, by: &'static str) -> bool {
    if let Some(allocation) = &wrong {
        tell(&Event::WrongFree {
            address,
            by,
            allocation,
            callers: callers(),
        });
    }
    wrong.is_some()
}

/// HIP has made an array and calls it by this number. Its memory is there, if HIP has asked HSA for some.
pub(crate) fn array_given(name: u64, by: &'static str) {
    if name == 0 {
        return;
    }
    // Without HSA's entries, the name is all that is known.
    let (base, size) = facts::region_of_call().unwrap_or((name, 0));
    let array = new(base, size, Kind::Array, by);
    if size == 0 {
        tell(&Event::Allocated(&array));
    }
    let mut known = known();
    if known.arrays.len() >= MOST_ARRAYS {
        known.arrays.retain(|_, one| one.freed.is_none());
    }
    known.arrays.insert(name, array);
    drop(known);
    facts::given(base, size, Kind::Array, by, None);
}

/// HIP calls something else by this number, of which nothing is known.
pub(crate) fn array_unknown(name: u64) {
    known().arrays.remove(&name);
}

/// Returns `true` if the program has freed this array before, which is then told of.
pub(crate) fn is_wrong_array(name: u64, by: &'static str) -> bool {
    let array = known().arrays.get(&name).cloned();
    let wrong = array.filter(|one| one.freed.is_some());
    let base = wrong.as_ref().map_or(name, |one| one.base);
    tell_of(wrong, base, by)
}

/// A function of HIP is about to free this array.
pub(crate) fn array_about_to_leave(name: u64) {
    let base = known().arrays.get(&name).map(|one| one.base);
    facts::about_to_leave(base.unwrap_or_default());
}

/// The program has freed this array.
pub(crate) fn array_taken(name: u64) {
    let callers = callers();
    let mut known = known();
    let array = known.arrays.get_mut(&name);
    let array = array.map(|one| {
        one.freed = Some(callers);
        one.clone()
    });
    drop(known);
    match array {
        Some(one) if one.size == 0 => tell(&Event::Freed(&one)),
        Some(one) => taken(one.base),
        None => {}
    }
}
