//! The instructions that wait for stores that may be pending. All other waits cost nothing.
//!
//! Where control arrives from a register nothing is pending, since the engine settles stores at such jumps.

use std::collections::{BTreeMap, HashSet};

use gfx::Family;
use isa::{Counter, Effects, Inst, Traits, Waits};

use super::{Config, Fetched};

/// Returns `true` if `inst` waits for vector stores, or for scalar ones where there are such.
fn waits(family: Family, inst: &Inst, scalar_stores: bool) -> bool {
    if inst.op.waits() != Waits::ByFamily {
        return inst.op.has(Traits::WRITES_BACK);
    }
    let fields = inst.op.waits().fields(family).iter();
    fields
        .filter(|field| field.count(inst.constant()) < field.counter.capacity(family))
        .any(|field| match field.counter {
            // Vector stores count like loads before gfx10.
            Counter::Load => family == Family::Gfx9,
            Counter::Data => scalar_stores && family < Family::Gfx11,
            _ => false,
        })
}

fn stores(inst: &Inst) -> bool {
    let writes = Effects::STORE | Effects::ATOMIC;
    let elsewhere = Effects::VMEM | Effects::SMEM | Effects::FLAT | Effects::SCRATCH;
    inst.effects.intersects(writes) && inst.effects.intersects(elsewhere)
}

/// Addresses of the instructions of a segment at which a store may be pending for which they wait; none where no observer asks.
pub(super) fn pending_waits(config: &Config, found: &BTreeMap<u64, Fetched>) -> HashSet<u64> {
    if !config.ordered {
        return HashSet::new();
    }
    let family = config.target.family;
    let insts = || {
        found.iter().filter_map(|(pc, fetched)| match fetched {
            Fetched::Inst(inst) => Some((*pc, &**inst)),
            Fetched::Undecodable(_) => None,
        })
    };
    let scalar_stores =
        insts().any(|(_, inst)| stores(inst) && inst.effects.contains(Effects::SMEM));
    // Instructions that are reached with a store pending.
    let mut reached = HashSet::new();
    let mut work: Vec<&Inst> = insts()
        .map(|(_, inst)| inst)
        .filter(|inst| stores(inst))
        .collect();
    while let Some(inst) = work.pop() {
        let falls_through = !inst.effects.intersects(Effects::END | Effects::RETURN)
            && (!inst.effects.contains(Effects::BRANCH)
                || inst.effects.contains(Effects::CONDITIONAL));
        let next = falls_through.then(|| inst.end());
        for pc in next.into_iter().chain(inst.target()) {
            let Some(Fetched::Inst(next)) = found.get(&pc) else {
                continue;
            };
            if reached.insert(pc) && !waits(family, next, scalar_stores) {
                work.push(next);
            }
        }
    }
    reached.retain(|pc| match &found[pc] {
        Fetched::Inst(inst) => waits(family, inst, scalar_stores),
        Fetched::Undecodable(_) => false,
    });
    reached
}
