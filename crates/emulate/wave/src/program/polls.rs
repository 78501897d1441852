//! Accesses to LDS with which loops wait for another wave: loads, exchanges and compare-and-swaps of one word, over and over.

use std::collections::{BTreeMap, HashSet};

use isa::{Effects, Inst, Operand, Reg};

use super::{Config, Fetched};

/// Instructions of the longest loop that may be one that waits. Compilers unroll none, and put other code beside it.
const LONGEST: usize = 64;

/// Addresses of the accesses to LDS that loops wait with; none where no one looks for races.
///
/// The access is in a loop that does not change the register of its address. Loads are taken only from loops that change nothing in
/// memory and have no barrier.
pub(super) fn polling(config: &Config, found: &BTreeMap<u64, Fetched>) -> HashSet<u64> {
    let mut polls = HashSet::new();
    if !config.races {
        return polls;
    }
    let inst = |fetched: &'_ Fetched| match fetched {
        Fetched::Inst(inst) => Some(inst.clone()),
        Fetched::Undecodable(_) => None,
    };
    for branch in found.values().filter_map(inst) {
        let Some(target) = branch.target().filter(|target| *target <= branch.pc) else {
            continue;
        };
        let body: Vec<_> = found
            .range(target..=branch.pc)
            .filter_map(|(_, one)| inst(one))
            .collect();
        if body.len() > LONGEST {
            continue;
        }
        let changes = Effects::STORE | Effects::ATOMIC | Effects::BARRIER;
        let only_reads = !body.iter().any(|one| one.effects.intersects(changes));
        for one in body
            .iter()
            .filter(|one| one.effects.intersects(Effects::LDS | Effects::FLAT))
        {
            let waits = only_reads || swaps(one);
            if waits && !body.iter().any(|other| writes_address(other, one)) {
                polls.insert(one.pc);
            }
        }
    }
    polls
}

/// Returns `true` for an atomic that a lock can be taken with.
fn swaps(inst: &Inst) -> bool {
    let name = inst.op.name();
    let takes = ["cmpst", "cmpswap", "wrxchg", "storexchg", "atomic_swap"];
    inst.effects.contains(Effects::ATOMIC) && takes.iter().any(|word| name.contains(word))
}

/// Returns `true` if `other` writes the first register that `access` reads, which is that of its address.
fn writes_address(other: &Inst, access: &Inst) -> bool {
    let read = access.operands.iter().find_map(|operand| match operand {
        Operand::Use(register) => Some(*register),
        _ => None,
    });
    let Some(address) = read else { return true };
    let overlaps = |register: &Reg| {
        let ends = |register: &Reg| register.index + u16::from(register.width);
        register.kind == address.kind
            && register.index < ends(&address)
            && address.index < ends(register)
    };
    other.operands.iter().any(|operand| match operand {
        Operand::Def(register) => overlaps(register),
        _ => false,
    })
}
