//! Addresses of memory instructions that overwrite them: copied in front of the instruction, for hooks behind it, to registers that
//! nothing else of the kernel names.

use crate::instruction::{InstructionSink, SourceOperand};
use crate::ir::{Code, HazardScope, Item, Seam, SplicePoint};
use crate::memory::{Address, MemoryAccess};
use crate::registers::RegisterPool;
use crate::values::supplied;
use crate::{Action, Insertion, Plan, Point, Value};
use gfx::Family;
use isa::RegKind;
use lift::registers::Span;
use lift::{Function, FunctionIndex, InstIndex, Module, RegisterSet};
use std::collections::BTreeSet;
use template::RegisterFile;
use tool_abi::HookValue;

/// Instructions whose address is kept, and where.
#[derive(Default)]
pub(crate) struct KeptAddresses {
    sites: BTreeSet<(FunctionIndex, InstIndex)>,
    /// The first of two VGPRs.
    vector: Option<u16>,
    /// The first of three SGPRs, for a base and an offset.
    scalar: Option<u16>,
}

impl KeptAddresses {
    /// Takes registers out of `supply` for what hooks of the plan need, if there are any.
    pub fn new(plan: &Plan<'_>, module: &Module, supply: &mut RegisterPool) -> KeptAddresses {
        let mut kept = KeptAddresses::default();
        let (mut vectors, mut scalars) = (false, false);
        for insertion in plan.insertions.iter().filter(|at| wants_address(plan, at)) {
            let function = &module.functions[insertion.function];
            // Moves would be indexed.
            if function.indexing_before(insertion.inst) {
                continue;
            }
            let inst = function.insts.at(insertion.inst);
            let memory = MemoryAccess::decode(&inst, module.target.family);
            let gone = memory.map(|memory| overwritten(function, insertion.inst, &memory));
            if let Some(gone) = gone.filter(|gone| gone.vector || gone.scalar) {
                (vectors, scalars) = (vectors | gone.vector, scalars | gone.scalar);
                kept.sites.insert((insertion.function, insertion.inst));
            }
        }
        if vectors {
            kept.vector = supply.keep(RegisterFile::Vgpr, 2, 1, 0);
        }
        if scalars {
            kept.scalar = supply.keep(RegisterFile::Sgpr, 3, 2, 0);
        }
        kept
    }

    /// Copies the registers of an address that an instruction is about to overwrite, if a hook behind it needs them.
    pub fn copy(
        &self,
        module: &Module,
        index: FunctionIndex,
        spot: SplicePoint,
        code: &mut Code<'_>,
    ) {
        if !self.sites.contains(&(index, spot.inst)) {
            return;
        }
        let function = &module.functions[index];
        let inst = function.insts.at(spot.inst);
        let Some(memory) = MemoryAccess::decode(&inst, module.target.family) else {
            return;
        };
        let (Some(from), Some(to)) = (memory.address, self.moved(function, spot.inst, &memory))
        else {
            return;
        };
        code.push(Item::Inserted(function.insts.pc(spot.inst)));
        let seam = code.enter();
        let mut registers = RegisterSet::default();
        let named = memory.registers().filter_map(Span::from_register);
        named.for_each(|span| registers.insert(span));
        if let (Some((from, pair)), Some((to, _))) = (from.vector, to.vector)
            && from != to
        {
            for number in 0..1 + u16::from(pair) {
                code.move_vector(to + number, SourceOperand::Vector(from + number));
            }
        }
        if let (Some(from), Some(to)) = (from.scalar, to.scalar)
            && from != to
        {
            for number in 0..1 + u16::from(memory.address.is_some_and(|address| address.wide)) {
                code.move_scalar(to + number, SourceOperand::Scalar(from + number));
            }
        }
        if let (Some(from), Some(to)) = (from.scalar_offset, to.scalar_offset)
            && from != to
        {
            code.move_scalar(to, SourceOperand::Scalar(from));
        }
        let met = Seam::new(index, spot, HazardScope::All, registers);
        code.leave(seam, met);
    }

    /// The memory access of an instruction as the registers behind it describe it, without an address if the instruction overwrites
    /// it. `None` if the instruction accesses nothing.
    pub fn behind(
        &self,
        function: (FunctionIndex, &Function),
        inst: InstIndex,
        family: Family,
    ) -> Option<MemoryAccess> {
        let (index, function) = function;
        let memory = MemoryAccess::decode(&function.insts.at(inst), family)?;
        let gone = overwritten(function, inst, &memory);
        let address = match gone.vector || gone.scalar {
            false => memory.address,
            true if !self.sites.contains(&(index, inst)) => None,
            true => self.moved(function, inst, &memory),
        };
        Some(MemoryAccess { address, ..memory })
    }

    /// The address in the registers that keep it; `None` if there are none.
    fn moved(
        &self,
        function: &Function,
        inst: InstIndex,
        memory: &MemoryAccess,
    ) -> Option<Address> {
        let gone = overwritten(function, inst, memory);
        let mut address = memory.address?;
        if gone.vector {
            let (_, pair) = address.vector?;
            address.vector = Some((self.vector?, pair));
        }
        if gone.scalar {
            let first = self.scalar?;
            address.scalar = address.scalar.map(|_| first);
            address.scalar_offset = address.scalar_offset.map(|_| first + 2);
        }
        Some(address)
    }
}

/// The parts of an address that an instruction writes.
struct Overwritten {
    vector: bool,
    scalar: bool,
}

fn overwritten(function: &Function, inst: InstIndex, memory: &MemoryAccess) -> Overwritten {
    let mut written = RegisterSet::default();
    let writes = &function.access(inst).writes;
    writes.iter().for_each(|span| written.insert(*span));
    let touched = |kind: RegKind| {
        let mut registers = memory.registers().filter(|reg| reg.kind == kind);
        registers.any(|reg| written.touches(reg))
    };
    Overwritten {
        vector: touched(RegKind::Vgpr),
        scalar: touched(RegKind::Sgpr),
    }
}

/// True if a hook behind an instruction takes the address that the instruction accesses.
fn wants_address(plan: &Plan<'_>, insertion: &Insertion) -> bool {
    let Action::Call {
        hook, arguments, ..
    } = &insertion.action
    else {
        return false;
    };
    let address = Value::Supplied(HookValue::EffectiveAddress);
    let given = arguments.iter().any(|(_, value)| *value == address);
    let asked = || {
        let variants = plan.hooks.get(*hook);
        let templates = variants.into_iter().flat_map(|hook| &hook.templates);
        let mut ports = templates.flat_map(|(_, _, template)| &template.ports);
        ports.any(|port| supplied(&port.name) == Some(address))
    };
    insertion.point == Point::After && (given || asked())
}
