//! Accesses to LDS with which loops wait for another wave: loads, exchanges and compare-and-swaps of one word, over and over.

use std::collections::{BTreeMap, HashSet};

use isa::{Effects, Inst, Operand, Reg, RegKind, Traits};

use super::{Config, Fetched};

/// Instructions of the longest loop that may be one that waits. Compilers unroll none, and put other code beside it.
const LONGEST: usize = 64;
/// A loop that does such a thing waits with swaps alone.
const CHANGES: Effects = Effects::STORE
    .union(Effects::ATOMIC)
    .union(Effects::BARRIER);

/// Addresses of the accesses to LDS that loops wait with; none where no one looks for races.
///
/// The access is in a loop that leaves the register of its address as it is, or computes the same address each time. Loads are taken only
/// from loops that change nothing in memory and have no barrier. The same access in front of a loop is its first look: compilers put the first
/// turn of a loop there.
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
        for (one, stays) in body.iter().zip(addresses_that_stay(&body)) {
            let accesses = one.effects.intersects(Effects::LDS | Effects::FLAT);
            if accesses && stays && (only_reads || swaps(one)) {
                polls.insert(one.pc);
                let before = found.range(..target).rev().take(LONGEST);
                polls.extend(first_look(one, before.filter_map(|(_, one)| inst(one))));
            }
        }
    }
    polls
}

/// The address of the same load or swap among the instructions in front of a loop, the last one first. Nothing between them changes memory or
/// the register of the address.
fn first_look(polls: &Inst, mut before: impl Iterator<Item = Box<Inst>>) -> Option<u64> {
    let same = |one: &Inst| one.op == polls.op && reads(one).eq(reads(polls));
    let decides =
        |one: &Inst| same(one) || writes_address(one, polls) || one.effects.intersects(CHANGES);
    // A load whose result replaces its own address is no first look.
    before
        .find(|one| decides(one))
        .filter(|one| same(one) && !writes_address(one, polls))
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

/// The first register that an access names to read, which is that of its address.
fn address(access: &Inst) -> Option<&Reg> {
    named_uses(access).next()
}

/// Returns `true` if `other` writes the register of the address of `access`.
fn writes_address(other: &Inst, access: &Inst) -> bool {
    address(access).is_none_or(|address| {
        let mut written = definitions(other).flat_map(units);
        written.any(|unit| units(address).any(|one| one == unit))
    })
}

fn named_uses(inst: &Inst) -> impl Iterator<Item = &Reg> {
    inst.operands.iter().filter_map(|operand| match operand {
        Operand::Use(register) => Some(register),
        _ => None,
    })
}

/// All registers that an instruction reads, but EXEC and MODE, which nearly all do.
fn uses(inst: &Inst) -> impl Iterator<Item = &Reg> {
    let implicit = inst.implicit_uses.iter();
    let implicit = implicit.filter(|reg| !matches!(reg.kind, RegKind::Exec | RegKind::Mode));
    named_uses(inst).chain(implicit)
}

fn definitions(inst: &Inst) -> impl Iterator<Item = &Reg> {
    let named = inst.operands.iter().filter_map(|operand| match operand {
        Operand::Def(register) => Some(register),
        _ => None,
    });
    named.chain(&inst.implicit_defs)
}

/// 32 bits of a register.
type Unit = (RegKind, u16);

fn units(register: &Reg) -> impl Iterator<Item = Unit> + use<> {
    let Reg {
        kind, index, width, ..
    } = *register;
    (index..index + u16::from(width)).map(move |index| (kind, index))
}

/// For each instruction of a loop, whether its address is the same in all iterations.
///
/// Registers may be computed anew each time, of the same values: LLVM 15 puts the base of LDS together in the loop that reads a volatile
/// variable by FLAT. In a loop without other branches, a load may then take the register of its own address.
fn addresses_that_stay(body: &[Box<Inst>]) -> Vec<bool> {
    let mut varying = HashSet::new();
    loop {
        let before = varying.len();
        pass(body, &mut varying, false);
        if varying.len() == before {
            break;
        }
    }
    let branches = body
        .iter()
        .filter(|one| one.effects.contains(Effects::BRANCH));
    let is_straight = branches.count() == 1;
    pass(body, &mut varying, is_straight)
}

/// Adds registers whose value may differ in the next iteration. With `clears`, removes a register that an instruction computes of equal values
/// for all lanes that the loop has. Returns for each instruction whether the register of its address stays the same.
fn pass(body: &[Box<Inst>], varying: &mut HashSet<Unit>, clears: bool) -> Vec<bool> {
    let all: HashSet<Unit> = body
        .iter()
        .flat_map(|one| definitions(one))
        .flat_map(units)
        .collect();
    let (mut written, mut narrowed) = (HashSet::new(), false);
    let mut look = |one: &Inst| {
        let stays = |address| !units(address).any(|unit| varying.contains(&unit));
        let address_stays = address(one).is_some_and(stays);
        let is_of_last = |unit: Unit| all.contains(&unit) && !written.contains(&unit);
        let varies = !one.effects.intersects(Effects::SALU | Effects::VALU)
            || one
                .effects
                .intersects(Effects::LOAD | Effects::PARTIAL_WRITE)
            || one.op.has(Traits::READS_HARDWARE)
            || uses(one)
                .flat_map(units)
                .any(|unit| varying.contains(&unit) || is_of_last(unit));
        for unit in definitions(one).flat_map(units) {
            written.insert(unit);
            if varies {
                varying.insert(unit);
            } else if clears && !narrowed {
                varying.remove(&unit);
            }
            narrowed |= unit.0 == RegKind::Exec;
        }
        address_stays
    };
    body.iter().map(|one| look(one)).collect()
}
