//! The last step for a hook at one place: its template, bound to registers, with all that has to be around it.
//!
//! Saves form a list of levels. They are emitted forward in front of the template and backward behind it, so every save has its
//! restore. Values go in behind the saves of their level and out before its restores.

use crate::allocate::{Allocated, RegisterRequest};
use crate::bind::Dword;
use crate::encode::Encodings;
use crate::entry::EntryValues;
use crate::instruction::{Instruction, InstructionSink, Op, VCC};
use crate::ir::{BoundTemplate, Code, HazardScope, Seam, SplicePoint};
use crate::memory::MemoryAccess;
use crate::port_copies::{PortCopies, PortCopy, copy_out, scalar_gap};
use crate::registers::{Home, RegisterPool};
use crate::save::Save;
use crate::values::supplied;
use crate::{HookVariants, Lanes, Refusal, Report, Value};
use lift::registers::{AGPR_BASE, RegisterSet, Span};
use lift::{FunctionIndex, LiveSet};
use template::{Binding, Clobbers, RegisterFile, Template};
use tool_abi::HookValue;

/// Facts about a place.
pub(crate) struct HookSite<'a> {
    pub function: FunctionIndex,
    pub spot: SplicePoint,
    /// Address of the instruction in the original.
    pub pc: u64,
    /// Number of the insertion.
    pub site: usize,
    pub wave_size: u8,
    pub live: LiveSet,
    /// Index mode of gfx9 is on, with these enables.
    pub indexing: Option<u8>,
    /// The instruction's memory access, without an address where no register holds it any more.
    pub memory: &'a dyn Fn() -> Option<MemoryAccess>,
}

pub(crate) use lift::registers::{M0 as M0_NUMBER, SCC as SCC_NUMBER};

/// A call that a plan wants.
#[derive(Clone, Copy)]
pub(crate) struct Call<'r, 'p> {
    /// Index in the plan's hooks.
    pub number: usize,
    pub hook: &'r HookVariants<'p>,
    pub arguments: &'r [(String, Value)],
    pub lanes: Lanes,
}

/// The tables with which the hooks of one kernel are lowered.
pub(crate) struct Lowering<'a, 'p> {
    pub codes: &'a Encodings,
    pub supply: &'a mut RegisterPool,
    pub entry: &'a EntryValues,
    /// [`crate::Plan::globals`]
    pub globals: &'p [String],
    pub report: &'a mut Report,
    /// VGPR whose lanes take spilled scalars, once there is one.
    pub spill: Option<u16>,
    /// MODE may be another than hooks are compiled for.
    pub foreign_mode: bool,
    /// Bytes from the start of a lane's scratch to where its VGPRs may be spilled, if they may.
    pub scratch: Option<u32>,
    /// How many of them.
    pub spill_slots: u16,
}

impl<'p> Lowering<'_, 'p> {
    /// Appends the code of a call.
    pub fn call(
        &mut self,
        call: Call<'_, 'p>,
        place: &HookSite<'_>,
        code: &mut Code<'p>,
    ) -> Result<(), Refusal> {
        let (template, mut wanted) = self.choose(&call, place)?;
        if template.code.is_empty() {
            return Ok(());
        }
        let ports = template.ports.iter();
        let mut dwords: Vec<Vec<Dword>> = ports
            .map(|port| self.dwords(call.hook, port, call.arguments, place))
            .collect::<Result<_, _>>()?;
        let accessed = |dword: &Dword| matches!(dword, Dword::Accessed(_));
        let memory = (dwords.iter().flatten().any(accessed))
            .then(|| (place.memory)())
            .flatten();
        let mut inputs = RegisterSet::default();
        for dword in dwords.iter().flatten() {
            dword.add_to(&mut inputs);
            if let (Dword::Accessed(_), Some(memory)) = (dword, &memory) {
                let spans = memory.registers().filter_map(Span::from_register);
                spans.for_each(|span| inputs.insert(span));
            }
        }
        for (port, dwords) in template.ports.iter().zip(&dwords) {
            let bound = port.dwords.iter().any(Option::is_some);
            wanted.address |= bound && dwords.iter().any(accessed);
            let stored = |dword: &Dword| matches!(dword, Dword::Kept(Home::Stored(_)));
            let in_lane =
                |dword: &Dword| matches!(dword, Dword::Kept(Home::Lane(..) | Home::Stored(_)));
            wanted.stored |= bound && dwords.iter().any(stored);
            wanted.keeps_scc |= dwords.contains(&Dword::Scc);
            wanted.writes_scc |= port.written && dwords.contains(&Dword::Scc);
            let to_vector = port.read && port.file == RegisterFile::Vgpr;
            let by_scalar = |dword: &Dword| in_lane(dword) || *dword == Dword::Mode;
            wanted.through |= to_vector && dwords.iter().any(by_scalar);
        }
        let hook = &call.hook.name;
        let chosen = self.allocate(hook, template, place, &dwords, inputs, wanted)?;
        if let Some(frame) = chosen.frame {
            for dword in dwords.iter_mut().flatten() {
                if let Dword::Kept(Home::Stored(lane)) = *dword {
                    *dword = Dword::Kept(Home::Lane(frame.vgpr, lane));
                }
            }
        }
        let copies = PortCopies::new(template, &dwords, &chosen.first);
        self.emit(&call, template, place, chosen, &copies, &memory, code)
    }

    /// The template, and what is to be saved around it.
    fn choose(
        &self,
        call: &Call<'_, 'p>,
        place: &HookSite<'_>,
    ) -> Result<(&'p Template, RegisterRequest), Refusal> {
        let live = &place.live;
        let keep_scc = live.scalars.contains(SCC_NUMBER);
        let keep_vcc = live.scalars.intersects_range(VCC, 2);
        let mut wanted = RegisterRequest {
            exec: call.lanes == Lanes::First,
            ..RegisterRequest::default()
        };
        let template = match call.hook.pick(keep_scc, keep_vcc) {
            Some(template) => template,
            None => {
                let template = call.hook.pick(false, false).ok_or(Refusal::BadPlan {
                    what: "a hook without a template: number",
                    index: call.number,
                })?;
                wanted.scc = keep_scc && template.clobbers.contains(Clobbers::SCC);
                wanted.vcc = keep_vcc && template.clobbers.contains(Clobbers::VCC);
                template
            }
        };
        // Registers that the hook is to change are not restored.
        let writes = |value: HookValue| {
            template.ports.iter().any(|port| {
                let given = call.arguments.iter().find(|(name, _)| *name == port.name);
                let bound = given.map(|(_, value)| *value);
                port.written && bound.or_else(|| supplied(&port.name)) == Some(value.into())
            })
        };
        wanted.scc &= !writes(HookValue::Scc);
        wanted.vcc &= !writes(HookValue::Vcc);
        wanted.m0 = template.clobbers.contains(Clobbers::M0) && live.scalars.contains(M0_NUMBER);
        wanted.mode = self.foreign_mode && template.reads_mode;
        Ok((template, wanted))
    }

    #[expect(clippy::too_many_arguments, reason = "the results of all steps before")]
    fn emit(
        &mut self,
        call: &Call<'_, 'p>,
        template: &'p Template,
        place: &HookSite<'_>,
        chosen: Allocated,
        copies: &PortCopies,
        memory: &Option<MemoryAccess>,
        code: &mut Code<'p>,
    ) -> Result<(), Refusal> {
        let codes = self.codes;
        let clobbers = registers(template, &chosen);
        let levels = Save::levels(&chosen, place, self.scratch);
        let is_plain = levels.iter().flatten().all(Save::is_scalar_move)
            && copies.inward.iter().all(PortCopy::is_scalar_move)
            && copies.outward.iter().all(PortCopy::is_scalar_move);
        let seam = code.enter();
        let start = code.items.len();
        let through = chosen.through;
        let [outer, middle, inner] = &levels;
        outer.iter().for_each(|save| save.save(codes, code));
        for copy in copies.inward.iter().filter(|copy| copy.is_scalar()) {
            self.copy_in(copy, through, code)?;
        }
        middle.iter().for_each(|save| save.save(codes, code));
        let sum = chosen.address.map(|with| copies.sum(with.sum));
        if let (Some(memory), Some(with), Some(sum)) = (memory, chosen.address, sum)
            && let Some(address) = &memory.address
        {
            address.compute(codes, sum, with.constant, with.carry, code);
        }
        for copy in copies.inward.iter().filter(|copy| !copy.is_scalar()) {
            match (copy.dword, sum) {
                (Dword::Accessed(half), Some(sum)) => copy.take_half(half, sum, code),
                _ => self.copy_in(copy, through, code)?,
            }
        }
        if copies.inward.iter().any(PortCopy::is_from_vector) {
            scalar_gap(codes, code);
        }
        inner.iter().for_each(|save| save.save(codes, code));
        // gfx12: what the template takes for settled has to be.
        if code.items.len() > start {
            fixed(codes, code, Op::WaitAlu);
        }
        let binding = Binding {
            first: chosen.first,
            drop_tail: true,
        };
        let bound = code.bind(BoundTemplate {
            template,
            hook: call.number,
            pc: place.pc,
            binding,
            literals: self.literals(call, template, place)?,
        });
        // A memory instruction of the template may still read a register that is restored.
        if levels.iter().any(|saves| !saves.is_empty()) || !copies.outward.is_empty() {
            fixed(codes, code, Op::SettleRegisters);
        }
        restore(inner, codes, code);
        for copy in copies.outward.iter().filter(|copy| !copy.is_scalar()) {
            copy_out(call.hook, copy, place, code)?;
        }
        restore(middle, codes, code);
        for copy in copies.outward.iter().filter(|copy| copy.is_scalar()) {
            copy_out(call.hook, copy, place, code)?;
        }
        restore(outer, codes, code);
        let meets = if is_plain {
            HazardScope::Template(bound)
        } else {
            HazardScope::All
        };
        code.leave(seam, Seam::new(place.function, place.spot, meets, clobbers));
        Ok(())
    }
}

/// Restores what was saved last first.
fn restore(saves: &[Save], codes: &Encodings, code: &mut Code<'_>) {
    saves
        .iter()
        .rev()
        .for_each(|save| save.restore(codes, code));
}

/// Registers that the code of a call reads or writes and that the application may know of.
fn registers(template: &Template, chosen: &Allocated) -> RegisterSet {
    let mut set = chosen.registers;
    for (group, first) in template.groups.iter().zip(&chosen.first) {
        set.insert(match group.file {
            RegisterFile::Sgpr => Span::Scalar(*first, group.width),
            RegisterFile::Vgpr => Span::Vector(*first, group.width),
            RegisterFile::Agpr => Span::Vector(AGPR_BASE + first, group.width),
        });
    }
    if template.clobbers.contains(Clobbers::VCC) {
        set.insert(Span::Scalar(VCC, 2));
    }
    if template.clobbers.contains(Clobbers::M0) {
        set.insert(Span::Scalar(M0_NUMBER, 1));
    }
    let spills = &chosen.spills;
    for (_, number) in &spills.scalars {
        set.insert(Span::Scalar(*number, 1));
    }
    if let Some(vgpr) = spills.lanes_of.filter(|_| !spills.scalars.is_empty()) {
        set.insert(Span::Vector(vgpr, 1));
    }
    set
}

/// An instruction, where the target has it.
pub(crate) fn fixed(codes: &Encodings, code: &mut dyn InstructionSink, op: Op) {
    if codes.has(op) {
        code.put(Instruction::fixed(op));
    }
}
