//! The instructions that wait for stores that may be pending. All other waits cost nothing.
//!
//! Where control arrives from a register nothing is pending, since the engine settles stores at such jumps.

use std::collections::BTreeMap;

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
pub(super) fn pending_waits(config: &Config, found: &BTreeMap<u64, Fetched>) -> Vec<u64> {
    if !config.ordered {
        return Vec::new();
    }
    let family = config.target.family;
    let insts: Vec<(u64, Option<&Inst>)> = found
        .iter()
        .map(|(pc, fetched)| match fetched {
            Fetched::Inst(inst) => (*pc, Some(&**inst)),
            Fetched::Undecodable(_) => (*pc, None),
        })
        .collect();
    let known = || insts.iter().filter_map(|(_, inst)| *inst);
    let scalar_stores = known().any(|inst| stores(inst) && inst.effects.contains(Effects::SMEM));
    let mut pending = Pending {
        reached: vec![false; insts.len()],
        insts,
    };
    let storing = |(at, (_, inst)): (usize, &(u64, Option<&Inst>))| {
        inst.filter(|inst| stores(inst)).map(|_| at)
    };
    let mut work: Vec<usize> = pending
        .insts
        .iter()
        .enumerate()
        .filter_map(storing)
        .collect();
    let mut waiting = Vec::new();
    while let Some(at) = work.pop() {
        for next in pending.behind(at) {
            if std::mem::replace(&mut pending.reached[next], true) {
                continue;
            }
            match pending.insts[next] {
                (pc, Some(inst)) if waits(family, inst, scalar_stores) => waiting.push(pc),
                (_, Some(_)) => work.push(next),
                (_, None) => {}
            }
        }
    }
    waiting
}

/// The instructions of a segment in the order of their addresses, and which are reached with a store pending.
struct Pending<'a> {
    insts: Vec<(u64, Option<&'a Inst>)>,
    reached: Vec<bool>,
}

impl Pending<'_> {
    /// The instructions that may come next.
    fn behind(&self, at: usize) -> impl Iterator<Item = usize> + use<> {
        let inst = self.insts[at].1;
        let falls_through = |inst: &&Inst| {
            !inst.effects.intersects(Effects::END | Effects::RETURN)
                && (!inst.effects.contains(Effects::BRANCH)
                    || inst.effects.contains(Effects::CONDITIONAL))
        };
        let next = inst.filter(falls_through).map(Inst::end);
        let next = next.and_then(|end| match self.insts.get(at + 1) {
            Some((pc, _)) if *pc == end => Some(at + 1),
            _ => self.find(end),
        });
        let target = inst.and_then(Inst::target);
        let target = target.and_then(|target| self.find(target));
        next.into_iter().chain(target)
    }

    fn find(&self, address: u64) -> Option<usize> {
        let found = self.insts.binary_search_by_key(&address, |(pc, _)| *pc);
        found.ok()
    }
}
