//! Accesses to LDS with which loops wait for another wave: loads, exchanges and compare-and-swaps of one word, over and over.

use std::collections::{BTreeMap, HashSet};

use isa::{Effects, Inst, Operand, Reg};

use super::{Config, Fetched};

/// Instructions of the longest loop that may be one that waits. Compilers unroll none, and put other code beside it.
const LONGEST: usize = 64;
/// A loop that does such a thing waits with swaps alone.
const CHANGES: Effects = Effects::STORE
    .union(Effects::ATOMIC)
    .union(Effects::BARRIER);

/// Addresses of the accesses to LDS that loops wait with; none where no one looks for races.
///
/// The access is in a loop that does not change the register of its address. Loads are taken only from loops that change nothing in
/// memory and have no barrier. A load of the same word in front of such a loop is its first look.
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
        let only_reads = !body.iter().any(|one| one.effects.intersects(CHANGES));
        for one in body
            .iter()
            .filter(|one| one.effects.intersects(Effects::LDS | Effects::FLAT))
        {
            let waits = only_reads || swaps(one);
            if waits && !body.iter().any(|other| writes_address(other, one)) {
                polls.insert(one.pc);
                let before = found.range(..target).rev().take(LONGEST);
                polls.extend(first_look(one, before.filter_map(|(_, one)| inst(one))));
            }
        }
    }
    polls
}

/// The address of the load of the same word among the instructions in front of a loop, the last one first. Nothing between them changes the
/// word or the register of its address.
fn first_look(polls: &Inst, before: impl Iterator<Item = Box<Inst>>) -> Option<u64> {
    let mut before = before.take_while(|one| !one.effects.intersects(CHANGES));
    let same = |one: &Inst| one.op == polls.op && reads(one).eq(reads(polls));
    // A load whose result replaces its own address is no first look.
    before
        .find(|one| same(one) || writes_address(one, polls))
        .filter(|one| !writes_address(one, polls))
        .map(|one| one.pc)
}

/// Registers and numbers that say which word an instruction reads.
fn reads(inst: &Inst) -> impl Iterator<Item = &Operand> {
    let operands = inst.operands.iter();
    operands.filter(|operand| matches!(operand, Operand::Use(_) | Operand::Imm(_)))
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
