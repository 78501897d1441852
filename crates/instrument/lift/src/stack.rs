//! Decides if a kernel's descriptor covers all of the stack that its calls may need.
//!
//! LLVM marks a kernel as one with a stack of dynamic size as soon as it calls a function that is not proven to call itself
//! never, which without optimization is every function. The fixed size then holds all the same what the calls that are there
//! need, one in the other.

use crate::function::{Function, FunctionIndex};
use crate::module::Module;
use isa::{Decoded, Known, Operand, Reg, RegKind};
use std::collections::BTreeSet;

/// The stack pointer of LLVM's calling convention ("Non-Kernel Functions" of its AMDGPU usage).
const STACK_POINTER: u16 = 32;
/// Frame pointer and base pointer, from which a function restores what it found.
const POINTERS: std::ops::RangeInclusive<u16> = 32..=34;

impl Module {
    /// Returns `true` if no function of the kernel calls itself, calls an unknown function, or allocates an amount that it
    /// computes.
    pub fn stack_is_fixed(&self, kernel: FunctionIndex) -> bool {
        let functions: BTreeSet<_> = self.closure(kernel).into_iter().collect();
        let each = || functions.iter().map(|&index| &self.functions[index]);
        !each().any(Function::goes_anywhere)
            && each().all(moves_stack_by_constants)
            && !self.calls_in_circles(functions)
    }

    fn calls_in_circles(&self, mut left: BTreeSet<FunctionIndex>) -> bool {
        loop {
            let calls_on = |index: &FunctionIndex| !self.callees(*index).is_disjoint(&left);
            let callers: BTreeSet<_> = left.iter().copied().filter(calls_on).collect();
            if callers.len() == left.len() {
                return !left.is_empty();
            }
            left = callers;
        }
    }
}

fn moves_stack_by_constants(function: &Function) -> bool {
    (0..function.insts.len()).all(|index| {
        let inst = function.insts.at(index);
        !writes_stack_pointer(&inst) || is_by_constant(&inst)
    })
}

fn is_one(reg: &Reg, numbers: std::ops::RangeInclusive<u16>) -> bool {
    reg.kind == RegKind::Sgpr && reg.width == 1 && numbers.contains(&reg.index)
}

fn writes_stack_pointer(inst: &Decoded) -> bool {
    let named = inst.operands.iter().filter_map(|operand| match operand {
        Operand::Def(reg) => Some(reg),
        _ => None,
    });
    named.chain(&inst.implicit_defs).any(|reg| {
        let numbers = reg.index..reg.index + u16::from(reg.width);
        reg.kind == RegKind::Sgpr && numbers.contains(&STACK_POINTER)
    })
}

fn is_by_constant(inst: &Decoded) -> bool {
    let moves = matches!(
        inst.op.known(),
        Some(
            Known::SMovB32
                | Known::SMovkI32
                | Known::SAddI32
                | Known::SAddU32
                | Known::SAddkI32
                | Known::SSubI32
                | Known::SSubU32
        )
    );
    let known = |operand: &Operand| match operand {
        Operand::Def(reg) => is_one(reg, STACK_POINTER..=STACK_POINTER),
        Operand::Use(reg) => is_one(reg, POINTERS),
        Operand::Imm(_) => true,
        Operand::PcRel(_) => false,
    };
    moves && inst.operands.iter().all(known)
}
