//! Loads of what a kernel is given, such as its arguments: by addresses that stand in its registers when it begins.

use isa::{Effects, Operand, RegKind};
use luthier::{Instruction, Kernel};
use std::collections::{BTreeMap, HashSet};

/// A bit for each SGPR.
type Registers = u128;

const ALL: Registers = Registers::MAX;

/// Addresses of scalar loads at a constant distance from a pair of registers that no path has written before. Compilers know how far such a
/// load may go, and most kernels begin with some. None of a kernel whose arguments are in registers: these may be any addresses.
pub fn loads(kernel: &Kernel<'_>) -> HashSet<u64> {
    let descriptor = kernel.descriptor();
    let preloaded = descriptor.and_then(|one| one.get("kernarg_preload_spec_length"));
    let function = kernel.functions().find(|function| function.is_kernel());
    let function = function.filter(|one| one.unresolved().is_empty());
    let (Some(function), None | Some(0)) = (function, preloaded) else {
        return HashSet::new();
    };
    // By their numbers in the function, of which those that no path reaches have some, too.
    let blocks: BTreeMap<_, _> = function.blocks().map(|one| (one.index(), one)).collect();
    let mut written = BTreeMap::new();
    let mut todo: Vec<_> = blocks.keys().take(1).copied().collect();
    written.extend(todo.iter().map(|first| (*first, 0)));
    while let Some(index) = todo.pop() {
        let before = written.get(&index).copied().unwrap_or(ALL);
        let Some(block) = blocks.get(&index) else {
            return HashSet::new();
        };
        let behind = block
            .instructions()
            .fold(before, |all, one| all | writes(&one));
        for next in block.successors() {
            let known = written.get(&next.index()).copied();
            let met = known.unwrap_or(0) | behind;
            if known != Some(met) {
                written.insert(next.index(), met);
                todo.push(next.index());
            }
        }
    }
    let mut found = HashSet::new();
    for (index, block) in blocks {
        let mut all = written.get(&index).copied().unwrap_or(ALL);
        for instruction in block.instructions() {
            if base(&instruction).is_some_and(|base| base & all == 0) {
                found.insert(instruction.pc());
            }
            all |= writes(&instruction);
        }
    }
    found
}

fn bits(index: u16, width: u8) -> Registers {
    let mask = ALL.checked_shr(128 - u32::from(width).min(128));
    mask.unwrap_or(0).checked_shl(index.into()).unwrap_or(0)
}

/// SGPRs that an instruction may write.
fn writes(instruction: &Instruction<'_>) -> Registers {
    if instruction.effects().contains(Effects::CALL) {
        return ALL;
    }
    let operands = instruction.operands();
    let written = operands.iter().filter_map(|operand| match operand {
        Operand::Def(reg) if reg.kind == RegKind::Sgpr => Some(bits(reg.index, reg.width)),
        _ => None,
    });
    written.fold(0, |all, one| all | one)
}

/// The pair of SGPRs from which a scalar load takes its address, if no further one is added. Compilers name the register that is always 0
/// where they add nothing (gfx10 and later).
fn base(instruction: &Instruction<'_>) -> Option<Registers> {
    if !instruction.has_scalar_address() {
        return None;
    }
    let operands = instruction.operands();
    let mut used = operands.iter().filter_map(|operand| match operand {
        Operand::Use(reg) if reg.kind != RegKind::Null => Some(reg),
        _ => None,
    });
    let pair = used
        .next()
        .filter(|reg| reg.kind == RegKind::Sgpr && reg.width == 2)?;
    used.next().is_none().then(|| bits(pair.index, pair.width))
}
