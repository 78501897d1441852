//! One hook at one place: registers, values, and the code around the template.

use crate::encode::{Codes, EXEC, Op, Source, VCC, Write};
use crate::entry::{EntryValues, assemble};
use crate::memory::MemoryAccess;
use crate::mode;
use crate::supply::{Free, Home, Supply, Taken};
use crate::{Half, HookVariants, Lanes, Refusal, Relocation, Report, Symbol, Value};
use gfx::Family;
use isa::{Reg, RegKind};
use lift::registers::{AGPR_BASE, RegisterSet, SGPR_COUNT, Span};
use lift::{COUNTERS, LiveSet, Pending};
use template::{Binding, Clobbers, Port, RegisterFile, Template, bind_into};

/// What is known about a place.
pub(crate) struct Place<'a> {
    /// Address of the instruction in the original.
    pub pc: u64,
    /// Number of the insertion.
    pub site: usize,
    pub wave_size: u8,
    pub live: LiveSet,
    /// Memory operations on their way, if anybody wants to know.
    pub pending: &'a dyn Fn() -> Pending,
    /// Index mode of gfx9 is on, with these enables.
    pub indexing: Option<u8>,
    /// What the instruction accesses, if its registers still have the address.
    pub memory: &'a dyn Fn() -> Option<MemoryAccess>,
}

/// What one splice did.
#[derive(Default)]
pub(crate) struct Spliced<'t> {
    /// Vector registers and scalars that the code reads or writes and that the application knows of.
    pub touched: RegisterSet,
    /// The template's code, if nothing but scalar moves is around it.
    pub own: Option<&'t [u8]>,
}

/// Numbers in [`lift::registers::ScalarSet`].
pub(crate) const SCC_NUMBER: u16 = 128;
const M0_NUMBER: u16 = 124;

pub(crate) struct Splicer<'a> {
    pub codes: &'a Codes,
    pub supply: &'a mut Supply,
    pub entry: &'a EntryValues,
    /// Registers that the application names.
    pub named: RegisterSet,
    /// [`crate::Plan::globals`]
    pub globals: &'a [String],
    pub report: &'a mut Report,
    /// VGPR whose lanes take saved scalars, once there is one.
    pub spill: Option<u16>,
    /// MODE may be another than hooks are compiled for.
    pub foreign_mode: bool,
    /// Bytes from the start of a lane's scratch to where its VGPRs may be put aside, if they may.
    pub scratch: Option<u32>,
}

/// Where a dword of a port comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dword {
    Constant(u32),
    /// Half of the address of a tool's variable, by its number in the plan, plus so many bytes.
    Address(usize, Half, u32),
    /// A register of the application.
    Application(RegisterFile, u16),
    /// Where a value from kernel entry is.
    Kept(Home),
    /// SGPR-like by encoding: EXEC, VCC, M0.
    Special(u16),
    Scc,
    /// Half of the address that each lane accesses.
    Accessed(Half),
}

struct Copy {
    file: RegisterFile,
    register: u16,
    dword: Dword,
}

impl Splicer<'_> {
    /// Appends the code of a call.
    pub fn call<'t>(
        &mut self,
        hook: &HookVariants<'t>,
        arguments: &[(String, Value)],
        lanes: Lanes,
        place: &Place<'_>,
        code: &mut Vec<u8>,
        relocations: &mut Vec<Relocation>,
    ) -> Result<Spliced<'t>, Refusal> {
        let live = &place.live;
        let wide = usize::from(place.wave_size / 32) as u16;
        let keep_scc = live.scalars.contains(SCC_NUMBER);
        let keep_vcc = live.scalars.intersects_range(VCC, 2);
        let (template, save_scc, save_vcc) = match hook.pick(keep_scc, keep_vcc) {
            Some(template) => (template, false, false),
            None => {
                let template = hook.pick(false, false).ok_or(Refusal::BadPlan {
                    what: "a hook without a template: number",
                    index: 0,
                })?;
                (
                    template,
                    keep_scc && template.clobbers.contains(Clobbers::SCC),
                    keep_vcc && template.clobbers.contains(Clobbers::VCC),
                )
            }
        };
        if template.code.is_empty() {
            return Ok(Spliced::default());
        }
        // What the hook is to change is not put back.
        let writes = |value: Value| {
            template.ports.iter().any(|port| {
                let given = arguments.iter().find(|(name, _)| *name == port.name);
                let bound = given
                    .map(|(_, value)| *value)
                    .or_else(|| supplied(&port.name));
                port.written && bound == Some(value)
            })
        };
        let save_scc = save_scc && !writes(Value::Scc);
        let save_vcc = save_vcc && !writes(Value::Vcc);
        let save_m0 = template.clobbers.contains(Clobbers::M0) && live.scalars.contains(M0_NUMBER);
        let widen = lanes == Lanes::First;

        let dwords: Vec<Vec<Dword>> = template
            .ports
            .iter()
            .map(|port| self.dwords(hook, port, arguments, place))
            .collect::<Result<_, _>>()?;
        let mut work = Work {
            hook,
            template,
            place,
            first: vec![None; template.groups.len()],
            free: self.supply.all(),
            dead_given: false,
            saved: Vec::new(),
            spill: None,
            saved_lanes: Vec::new(),
            in_scratch: Vec::new(),
            in_use: self.supply.kept_scalars,
            in_use_vectors: self.supply.kept_vectors,
            inputs: RegisterSet::default(),
            used: RegisterSet::default(),
            widen,
        };
        let accessed = |dword: &Dword| matches!(dword, Dword::Accessed(_));
        let memory = (dwords.iter().flatten().any(accessed))
            .then(|| (place.memory)())
            .flatten();
        for dword in dwords.iter().flatten() {
            touch(&mut work.inputs, *dword);
            if let (Dword::Accessed(_), Some(memory)) = (dword, &memory) {
                let spans = memory.registers().filter_map(Span::of);
                spans.for_each(|span| work.inputs.insert(span));
            }
        }
        let inputs = work.inputs;
        work.bind_in_place(&dwords, self.codes.target.family >= Family::Gfx12);
        for index in 0..template.groups.len() {
            if work.first[index].is_none() {
                let group = &template.groups[index];
                let first = self.take(
                    &mut work,
                    group.file,
                    group.width,
                    group.alignment,
                    group.limit,
                    group.all_lanes,
                )?;
                work.first[index] = Some(first);
            }
        }
        let foreign_mode = self.foreign_mode && template.reads_mode;
        let mut scratch = |wanted: bool, width: u16| {
            wanted
                .then(|| {
                    self.take(
                        &mut work,
                        RegisterFile::Sgpr,
                        width,
                        width,
                        SGPR_COUNT,
                        false,
                    )
                })
                .transpose()
        };
        let scc = scratch(save_scc, 1)?;
        let vcc = scratch(save_vcc, wide)?;
        let m0 = scratch(save_m0, 1)?;
        let exec = scratch(widen, wide)?;
        let mode = scratch(foreign_mode, 1)?;
        let addresses = template.ports.iter().zip(&dwords).any(|(port, dwords)| {
            let is_address = |dword: &Dword| matches!(dword, Dword::Accessed(_));
            port.dwords.iter().any(Option::is_some) && dwords.iter().any(is_address)
        });
        // A constant, and carries of the lanes.
        let constant = scratch(addresses, 1)?;
        let carry = scratch(addresses, wide)?;
        let lanes_to_vectors = template.ports.iter().zip(&dwords).any(|(port, dwords)| {
            let in_lane = |dword: &Dword| matches!(dword, Dword::Kept(Home::Lane(..)));
            port.read && port.file == RegisterFile::Vgpr && dwords.iter().any(in_lane)
        });
        let through = scratch(lanes_to_vectors, 1)?;
        let sum = addresses
            .then(|| self.take(&mut work, RegisterFile::Vgpr, 2, 2, 256, false))
            .transpose()?;
        let scratch_at = (!work.in_scratch.is_empty())
            .then(|| self.take(&mut work, RegisterFile::Sgpr, 1, 1, SGPR_COUNT, false))
            .transpose()?;
        let Work {
            first,
            saved,
            spill,
            saved_lanes,
            in_scratch,
            used,
            ..
        } = work;
        let first: Vec<u16> = first.into_iter().flatten().collect();

        // What goes in and out that is not bound in place.
        let mut inward = Vec::new();
        let mut outward = Vec::new();
        let mut touched = inputs;
        // A load may still be on its way to a register that is dead.
        touched.unite(&used);
        for (port, dwords) in template.ports.iter().zip(&dwords) {
            for (place, dword) in port.dwords.iter().zip(dwords) {
                let Some((group, offset)) = *place else {
                    continue;
                };
                let register = first[usize::from(group)] + offset;
                touch(&mut touched, *dword);
                let in_place = matches!(*dword, Dword::Application(file, number) if file == port.file && number == register)
                    || *dword == Dword::Kept(Home::Scalar(register))
                        && port.file == RegisterFile::Sgpr;
                if in_place {
                    continue;
                }
                let copy = || Copy {
                    file: port.file,
                    register,
                    dword: *dword,
                };
                if port.read {
                    inward.push(copy());
                }
                if port.written {
                    outward.push(copy());
                }
            }
        }
        // Whatever it binds to that the application may know of.
        for (group, first) in template.groups.iter().zip(&first) {
            let base = match group.file {
                RegisterFile::Sgpr => {
                    touched.insert(Span::Scalar(*first, group.width));
                    continue;
                }
                RegisterFile::Vgpr => 0,
                RegisterFile::Agpr => AGPR_BASE,
            };
            touched.insert(Span::Vector(base + first, group.width));
        }
        if template.clobbers.contains(Clobbers::VCC) {
            touched.insert(Span::Scalar(VCC, 2));
        }
        if template.clobbers.contains(Clobbers::M0) {
            touched.insert(Span::Scalar(M0_NUMBER, 1));
        }
        for (_, number) in &saved {
            touched.insert(Span::Scalar(*number, 1));
        }
        if let Some(spill) = spill.filter(|_| !saved.is_empty()) {
            touched.insert(Span::Vector(spill, 1));
        }

        let codes = self.codes;
        self.waits(&touched, place, code);
        let prefix = code.len();
        if place.indexing.is_some() {
            code.extend_from_slice(codes.bytes(Op::IndexOff));
        }
        // First: those below may go to registers that are free only now.
        if let Some(spill) = spill {
            for (lane, number) in &saved {
                code.write_lane(codes, spill, *lane, *number);
            }
        }
        if let Some(register) = scc {
            let (one, zero) = (Source::Constant(1), Source::Constant(0));
            code.scalar2(codes, Op::SCselectB32, register, one, zero);
        }
        if let Some(register) = vcc {
            for half in 0..wide {
                code.move_scalar(codes, register + half, Source::Scalar(VCC + half));
            }
        }
        if let Some(register) = m0 {
            code.move_scalar(codes, register, Source::Scalar(codes.m0()));
        }
        for (vgpr, scalar) in &saved_lanes {
            code.read_lane(codes, *scalar, *vgpr, 0);
        }
        for copy in inward.iter().filter(|copy| copy.file == RegisterFile::Sgpr) {
            self.copy_in(copy, through, code, relocations)?;
        }
        if let Some(register) = exec {
            first_lane_only(codes, wide, register, code);
        }
        let aside = scratch_at.map(|register| Aside {
            register,
            offset: self.scratch.unwrap_or(0),
            vgprs: &in_scratch,
        });
        if let Some(aside) = &aside {
            aside.store(codes, code)?;
        }
        if let (Some(memory), Some(sum), Some(constant), Some(carry)) =
            (&memory, sum, constant, carry)
            && let Some(address) = &memory.address
        {
            address.compute(codes, [sum, sum + 1], constant, carry, code);
        }
        for copy in inward.iter().filter(|copy| copy.file != RegisterFile::Sgpr) {
            if let (Dword::Accessed(half), Some(sum)) = (copy.dword, sum) {
                let from = sum + u16::from(half == Half::High);
                code.move_vector(codes, copy.register, Source::Vector(from));
                continue;
            }
            self.copy_in(copy, through, code, relocations)?;
        }
        let from_vector = |copy: &Copy| {
            let in_vector = matches!(
                copy.dword,
                Dword::Application(RegisterFile::Vgpr, _) | Dword::Kept(Home::Lane(..))
            );
            copy.file == RegisterFile::Sgpr && in_vector
        };
        if inward.iter().any(from_vector) {
            scalar_gap(codes, code);
        }

        if let Some(register) = mode {
            code.extend(mode::enter(codes, register)?);
        }
        // gfx12: what the template takes for settled has to be.
        if code.len() > prefix {
            code.extend_from_slice(codes.bytes(Op::WaitAlu));
        }
        let start = code.len();
        let binding = Binding {
            first,
            drop_tail: true,
        };
        bind_into(template, &binding, code).map_err(|error| Refusal::Bind {
            hook: hook.name.clone(),
            pc: place.pc,
            reason: error.to_string(),
        })?;
        relocations.extend(template.relocations.iter().map(|relocation| Relocation {
            offset: start as u64 + u64::from(relocation.offset),
            half: if relocation.kind == 1 {
                Half::Low
            } else {
                Half::High
            },
            symbol: Symbol::Tool(relocation.symbol.clone()),
            addend: relocation.addend,
        }));

        if let Some(register) = mode {
            code.extend(mode::leave(codes, register)?);
        }
        for copy in outward
            .iter()
            .filter(|copy| copy.file != RegisterFile::Sgpr)
        {
            self.copy_out(hook, copy, place, code)?;
        }
        if let Some(aside) = &aside {
            aside.load(codes, code)?;
        }
        if let Some(register) = exec {
            restore_exec(codes, wide, register, code);
        }
        for copy in outward
            .iter()
            .filter(|copy| copy.file == RegisterFile::Sgpr)
        {
            self.copy_out(hook, copy, place, code)?;
        }
        for (vgpr, scalar) in &saved_lanes {
            code.write_lane(codes, *vgpr, 0, *scalar);
        }
        if let Some(register) = m0 {
            code.move_scalar(codes, codes.m0(), Source::Scalar(register));
        }
        if let Some(register) = vcc {
            for half in 0..wide {
                code.move_scalar(codes, VCC + half, Source::Scalar(register + half));
            }
        }
        if let Some(register) = scc {
            code.compare(
                codes,
                Op::SCmpLgU32,
                Source::Scalar(register),
                Source::Constant(0),
            );
        }
        // Last, though before vector registers are indexed again.
        if let Some(spill) = spill {
            for (lane, number) in &saved {
                code.read_lane(codes, *number, spill, *lane);
            }
        }
        if !saved.is_empty() {
            code.extend_from_slice(codes.bytes(Op::WaitAlu));
        }
        if let Some(enables) = place.indexing {
            code.extend(codes.index_on(enables));
        }
        let vectors = inward.iter().chain(&outward).any(|copy| {
            let scalar = |file| file == RegisterFile::Sgpr;
            let from = match copy.dword {
                Dword::Application(file, _) => scalar(file),
                Dword::Kept(Home::Lane(..)) => false,
                _ => true,
            };
            !(scalar(copy.file) && from)
        });
        let plain = !vectors
            && saved.is_empty()
            && saved_lanes.is_empty()
            && in_scratch.is_empty()
            && m0.is_none()
            && mode.is_none()
            && place.indexing.is_none();
        let kept = template.code.len() - template.droppable_tail as usize;
        Ok(Spliced {
            touched,
            own: plain.then(|| &template.code[..kept]),
        })
    }

    /// Waits for operations on their way that write what inserted code reads or overwrites, or read what it overwrites.
    pub fn waits(&mut self, touched: &RegisterSet, place: &Place<'_>, code: &mut Vec<u8>) {
        // Nothing is on its way to registers that the application does not know.
        let known = !touched.scalars.intersection(&self.named.scalars).is_empty()
            || !touched.vectors.intersection(&self.named.vectors).is_empty();
        if !known {
            return;
        }
        let pending = (place.pending)();
        let meets = |set: &RegisterSet| {
            !set.scalars.intersection(&touched.scalars).is_empty()
                || !set.vectors.intersection(&touched.vectors).is_empty()
        };
        for counter in COUNTERS {
            let reads = counter == lift::Counter::Export && meets(&pending.read());
            if reads || meets(&pending.written_by(counter)) {
                code.extend_from_slice(self.codes.wait(counter));
                self.report.seam_waits += 1;
            }
        }
    }

    /// So many SGPRs, from an even number, and VGPRs likewise, where nothing of the application is alive.
    pub fn borrow_at_end(&mut self, scalars: u16, vectors: u16) -> Result<(u16, u16), Refusal> {
        let mut free = self.supply.all_at_end();
        let mut borrow = |file, width| {
            let first = free.take(file, width, 2, 256);
            first.ok_or_else(|| Refusal::Registers {
                what: "adding counters to memory",
                reason: format!("no {width} {file:?} registers are free"),
            })
        };
        let first = (
            borrow(RegisterFile::Sgpr, scalars)?,
            borrow(RegisterFile::Vgpr, vectors)?,
        );
        self.supply.use_up(RegisterFile::Sgpr, first.0 + scalars);
        self.supply.use_up(RegisterFile::Vgpr, first.1 + vectors);
        Ok(first)
    }

    fn take(
        &mut self,
        work: &mut Work<'_>,
        file: RegisterFile,
        width: u16,
        alignment: u16,
        limit: u16,
        all_lanes: bool,
    ) -> Result<u16, Refusal> {
        if !work.dead_given {
            if let Some(first) = work.free.take(file, width, alignment, limit) {
                self.supply.use_up(file, first + width);
                work.use_up(file, first, width);
                return Ok(first);
            }
            work.dead_given = true;
            let limits = self.supply.allocated;
            work.give_dead(limits);
        }
        // Dead ones are free now, too; where all lanes are written, those that are dead in all lanes.
        let mut free = work.free.clone();
        if all_lanes || work.widen {
            for number in work.half_dead() {
                free.withhold(number.0, number.1, 1);
            }
        }
        if let Some(first) = free.take(file, width, alignment, limit) {
            work.free.withhold(file, first, width);
            work.use_up(file, first, width);
            self.supply.use_up(file, first + width);
            return Ok(first);
        }
        if file == RegisterFile::Sgpr
            && let Some(first) = self.save_scalars(work, width, alignment, limit)
        {
            return Ok(first);
        }
        if file == RegisterFile::Vgpr && work.widen && !all_lanes {
            let state = work.clone();
            match self.save_first_lanes(work, width, alignment, limit) {
                Err(_) if self.scratch.is_some() => *work = state,
                result => return result,
            }
        }
        if file == RegisterFile::Vgpr
            && !all_lanes
            && let Some(first) = self.save_in_scratch(work, width, alignment, limit)
        {
            return Ok(first);
        }
        Err(Refusal::NoRegisters {
            hook: work.hook.name.clone(),
            pc: work.place.pc,
            file,
            width,
        })
    }

    /// Live SGPRs that are put aside in lanes of a VGPR.
    fn save_scalars(
        &mut self,
        work: &mut Work<'_>,
        width: u16,
        alignment: u16,
        limit: u16,
    ) -> Option<u16> {
        if self.spill.is_none() {
            // Not one that was already chosen for something else at this place.
            let mut free = self.supply.all();
            for (number, _) in (0..).zip(&work.in_use_vectors).filter(|(_, used)| **used) {
                free.withhold(RegisterFile::Vgpr, number, 1);
            }
            self.spill = free
                .take(RegisterFile::Vgpr, 1, 1, 256)
                .and_then(|first| self.supply.keep(RegisterFile::Vgpr, 1, 1, first));
        }
        if work.spill.is_none() {
            // One that is dead in all lanes at this place will do as well.
            work.spill = self.spill.or_else(|| {
                let mut dead = work.free.clone();
                for (file, number) in work.half_dead() {
                    dead.withhold(file, number, 1);
                }
                dead.take(RegisterFile::Vgpr, 1, 1, 256)
            });
        }
        let spill = work.spill?;
        work.free.withhold(RegisterFile::Vgpr, spill, 1);
        work.use_up(RegisterFile::Vgpr, spill, 1);
        self.supply.use_up(RegisterFile::Vgpr, spill + 1);
        let next = work.saved.len() as u16;
        if next + width > u16::from(work.place.wave_size) {
            return None;
        }
        let limit = limit.min(self.codes.target.sgpr_addressable);
        let first = first_run(&work.in_use, width, alignment, limit)?;
        for offset in 0..width {
            work.saved.push((next + offset, first + offset));
        }
        // One of several may be dead, and must not be given out again.
        work.free.withhold(RegisterFile::Sgpr, first, width);
        work.use_up(RegisterFile::Sgpr, first, width);
        self.report.saved_scalars += u32::from(width);
        Some(first)
    }

    /// Live VGPRs of which a hook in lane 0 uses lane 0 only, which is put aside in SGPRs.
    fn save_first_lanes(
        &mut self,
        work: &mut Work<'_>,
        width: u16,
        alignment: u16,
        limit: u16,
    ) -> Result<u16, Refusal> {
        let limit = limit.min(self.supply.allocated.1);
        let first = first_run(&work.in_use_vectors, width, alignment, limit);
        let first = first.ok_or_else(|| Refusal::NoRegisters {
            hook: work.hook.name.clone(),
            pc: work.place.pc,
            file: RegisterFile::Vgpr,
            width,
        })?;
        work.use_up(RegisterFile::Vgpr, first, width);
        work.free.withhold(RegisterFile::Vgpr, first, width);
        for vgpr in first..first + width {
            let scalar = self.take(work, RegisterFile::Sgpr, 1, 1, SGPR_COUNT, false)?;
            work.saved_lanes.push((vgpr, scalar));
        }
        self.report.saved_lanes += u32::from(width);
        Ok(first)
    }

    /// Live VGPRs that are put aside in scratch, in the lanes that the hook runs in.
    fn save_in_scratch(
        &mut self,
        work: &mut Work<'_>,
        width: u16,
        alignment: u16,
        limit: u16,
    ) -> Option<u16> {
        self.scratch?;
        if work.in_scratch.len() + usize::from(width) > usize::from(SCRATCH_SLOTS) {
            return None;
        }
        let limit = limit.min(self.supply.allocated.1);
        let first = first_run(&work.in_use_vectors, width, alignment, limit)?;
        work.use_up(RegisterFile::Vgpr, first, width);
        work.free.withhold(RegisterFile::Vgpr, first, width);
        work.in_scratch.extend(first..first + width);
        self.report.saved_vectors += u32::from(width);
        Some(first)
    }

    /// Where the dwords of a port come from or go to.
    fn dwords(
        &self,
        hook: &HookVariants<'_>,
        port: &Port,
        arguments: &[(String, Value)],
        place: &Place<'_>,
    ) -> Result<Vec<Dword>, Refusal> {
        let refused = |reason| Refusal::NoValue {
            hook: hook.name.clone(),
            port: port.name.clone(),
            pc: place.pc,
            reason,
        };
        if let Some(name) = port.name.strip_prefix("lds:") {
            let first = self.entry.shared.get(name).copied();
            let first = first.ok_or_else(|| refused("the kernel's entry does not keep it"))?;
            return Ok(vec![Dword::Kept(first)]);
        }
        let given = arguments.iter().find(|(name, _)| *name == port.name);
        let value = match given {
            Some((_, value)) => *value,
            None => supplied(&port.name).ok_or_else(|| {
                refused("the insertion gives no value for it, and it is none that every place has")
            })?,
        };
        let count = port.dwords.len();
        let constant = |value: u64| -> Vec<Dword> {
            (0..count)
                .map(|index| {
                    let shifted = value.checked_shr(32 * index as u32).unwrap_or(0);
                    Dword::Constant(shifted as u32)
                })
                .collect()
        };
        let special = |first: u16| -> Vec<Dword> {
            let wide = usize::from(place.wave_size / 32);
            (0..count)
                .map(|index| {
                    if index < wide {
                        Dword::Special(first + index as u16)
                    } else {
                        Dword::Constant(0)
                    }
                })
                .collect()
        };
        let kept = |first: Option<Home>, registers: u16| {
            let first = first.ok_or_else(|| refused("the kernel's entry does not keep it"))?;
            let dword = |index: usize| {
                if index < usize::from(registers) {
                    Dword::Kept(first.dword(index as u16))
                } else {
                    Dword::Constant(0)
                }
            };
            Ok((0..count).map(dword).collect())
        };
        Ok(match value {
            Value::Constant(value) => constant(value),
            Value::Site => constant(place.site as u64),
            Value::Pc => constant(place.pc),
            Value::Register(reg) => {
                return application(reg, count)
                    .ok_or_else(|| refused("it is no register that can be bound, or too narrow"));
            }
            Value::ToolAddress { global, addend } => {
                let halves = [Half::Low, Half::High];
                let dword = |index: usize| match halves.get(index) {
                    Some(half) => Dword::Address(global, *half, addend),
                    None => Dword::Constant(0),
                };
                (0..count).map(dword).collect()
            }
            Value::Exec => special(EXEC),
            Value::Vcc => special(VCC),
            Value::Scc => {
                let mut dwords = constant(0);
                if let Some(first) = dwords.first_mut() {
                    *first = Dword::Scc;
                }
                dwords
            }
            Value::KernargPointer => return kept(self.entry.kernarg, 2),
            Value::DispatchPointer => return kept(self.entry.dispatch, 2),
            Value::ImplicitArgumentPointer => return kept(self.entry.implicit, 2),
            Value::Stack => return kept(self.entry.stack, 2),
            Value::DispatchId => return kept(self.entry.dispatch_id, 2),
            Value::WorkitemId(dimension) => {
                let register = self.entry.workitem.get(usize::from(dimension)).copied();
                let register = register.flatten();
                let register =
                    register.ok_or_else(|| refused("the kernel's entry does not keep it"))?;
                vec![Dword::Application(RegisterFile::Vgpr, register)]
            }
            Value::M0 => {
                let modern = self.codes.target.family >= Family::Gfx11;
                vec![Dword::Special(if modern { M0_GFX11 } else { M0 })]
            }
            Value::WorkgroupId(dimension) => {
                let register = self.entry.workgroup.get(usize::from(dimension)).copied();
                return kept(register.flatten(), 1);
            }
            Value::AccessSize | Value::AccessKind | Value::EffectiveAddress => {
                let memory = (place.memory)().ok_or_else(|| {
                    refused("the instruction accesses no memory, or has overwritten its address")
                })?;
                match value {
                    Value::AccessSize => constant(memory.size.into()),
                    Value::AccessKind => constant(memory.kind.into()),
                    _ if memory.address.is_none() => {
                        return Err(refused("its address is not a sum of registers"));
                    }
                    _ => vec![Dword::Accessed(Half::Low), Dword::Accessed(Half::High)],
                }
            }
        })
    }

    /// `through`: an SGPR, where a VGPR takes a value out of a lane.
    fn copy_in(
        &self,
        copy: &Copy,
        through: Option<u16>,
        code: &mut Vec<u8>,
        relocations: &mut Vec<Relocation>,
    ) -> Result<(), Refusal> {
        let codes = self.codes;
        let to = copy.register;
        match (copy.file, copy.dword) {
            (file, Dword::Address(global, half, addend)) => {
                let name = self.globals.get(global).ok_or(Refusal::BadPlan {
                    what: "global",
                    index: global,
                })?;
                if file == RegisterFile::Sgpr {
                    code.move_literal(codes, to, 0);
                } else {
                    code.move_vector_literal(codes, to, 0);
                }
                relocations.push(Relocation {
                    offset: code.len() as u64 - 4,
                    half,
                    symbol: Symbol::Tool(name.clone()),
                    addend: i64::from(addend),
                });
            }
            (RegisterFile::Sgpr, Dword::Application(RegisterFile::Vgpr, from)) => {
                code.first_lane(codes, to, from);
            }
            (RegisterFile::Sgpr, Dword::Kept(Home::Lane(vgpr, lane))) => {
                code.read_lane(codes, to, vgpr, lane);
            }
            (RegisterFile::Vgpr, Dword::Kept(Home::Lane(vgpr, lane))) => {
                let through = through.ok_or(Refusal::BadPlan {
                    what: "a value in a lane, for a VGPR: number",
                    index: usize::from(to),
                })?;
                code.read_lane(codes, through, vgpr, lane);
                scalar_gap(codes, code);
                code.move_vector(codes, to, Source::Scalar(through));
            }
            (RegisterFile::Sgpr, dword) => code.move_scalar(codes, to, source(dword)),
            (RegisterFile::Vgpr, Dword::Application(RegisterFile::Agpr, from)) => {
                code.three(codes, Op::VAccRead, to, 256 + from, 0);
            }
            (RegisterFile::Vgpr, dword) => code.move_vector(codes, to, source(dword)),
            // Hooks get no inputs there.
            (RegisterFile::Agpr, _) => {}
        }
        Ok(())
    }

    fn copy_out(
        &self,
        hook: &HookVariants<'_>,
        copy: &Copy,
        place: &Place<'_>,
        code: &mut Vec<u8>,
    ) -> Result<(), Refusal> {
        let codes = self.codes;
        let from = copy.register;
        match (copy.file, copy.dword) {
            (
                RegisterFile::Sgpr,
                Dword::Application(RegisterFile::Sgpr, to) | Dword::Special(to),
            ) => {
                code.move_scalar(codes, to, Source::Scalar(from));
            }
            (RegisterFile::Sgpr, Dword::Application(RegisterFile::Vgpr, to)) => {
                code.move_vector(codes, to, Source::Scalar(from));
            }
            (RegisterFile::Vgpr, Dword::Application(RegisterFile::Vgpr, to)) => {
                code.move_vector(codes, to, Source::Vector(from));
            }
            (RegisterFile::Vgpr, Dword::Application(RegisterFile::Agpr, to)) => {
                code.three(codes, Op::VAccWrite, to, 256 + from, 0);
            }
            (RegisterFile::Vgpr, Dword::Application(RegisterFile::Sgpr, to)) => {
                code.first_lane(codes, to, from);
            }
            (RegisterFile::Sgpr, Dword::Scc) => {
                let (value, zero) = (Source::Scalar(from), Source::Constant(0));
                code.compare(codes, Op::SCmpLgU32, value, zero);
            }
            // The high half of a mask of 32 lanes.
            (RegisterFile::Sgpr, Dword::Constant(_)) => {}
            _ => {
                return Err(Refusal::NoValue {
                    hook: hook.name.clone(),
                    port: "an output".to_owned(),
                    pc: place.pc,
                    reason: "what the hook writes has no register to go to",
                });
            }
        }
        Ok(())
    }
}

/// Behind instructions of the vector unit that wrote SGPRs.
fn scalar_gap(codes: &Codes, code: &mut Vec<u8>) {
    for op in [Op::ScalarGap, Op::WaitAlu] {
        if codes.has(op) {
            code.extend_from_slice(codes.bytes(op));
        }
    }
}

/// EXEC into a register (pair), then lane 0 alone.
fn first_lane_only(codes: &Codes, wide: u16, register: u16, code: &mut Vec<u8>) {
    let op = if wide == 2 { Op::SMovB64 } else { Op::SMovB32 };
    code.scalar1(codes, op, register, Source::Scalar(EXEC));
    code.scalar1(codes, op, EXEC, Source::Constant(1));
}

fn restore_exec(codes: &Codes, wide: u16, register: u16, code: &mut Vec<u8>) {
    let op = if wide == 2 { Op::SMovB64 } else { Op::SMovB32 };
    code.scalar1(codes, op, EXEC, Source::Scalar(register));
}

/// Values that every place has, by port name.
pub(crate) fn supplied(port: &str) -> Option<Value> {
    const NAMES: &[(&str, Value)] = &[
        ("site", Value::Site),
        ("pc", Value::Pc),
        ("exec", Value::Exec),
        ("effective_address", Value::EffectiveAddress),
        ("access_size", Value::AccessSize),
        ("access_kind", Value::AccessKind),
        ("scc", Value::Scc),
        ("vcc", Value::Vcc),
        ("stack", Value::Stack),
        ("kernarg_ptr", Value::KernargPointer),
        ("dispatch_ptr", Value::DispatchPointer),
        ("implicitarg_ptr", Value::ImplicitArgumentPointer),
        ("dispatch_id", Value::DispatchId),
        ("workgroup_id_x", Value::WorkgroupId(0)),
        ("workgroup_id_y", Value::WorkgroupId(1)),
        ("workgroup_id_z", Value::WorkgroupId(2)),
        ("workitem_id_x", Value::WorkitemId(0)),
        ("workitem_id_y", Value::WorkitemId(1)),
        ("workitem_id_z", Value::WorkitemId(2)),
        ("m0", Value::M0),
    ];
    const FILES: &[(&str, RegKind)] = &[
        ("sgpr", RegKind::Sgpr),
        ("vgpr", RegKind::Vgpr),
        ("agpr", RegKind::Agpr),
    ];
    if let Some((_, value)) = NAMES.iter().find(|row| row.0 == port) {
        return Some(*value);
    }
    let (file, number) = port.split_once(':')?;
    let (_, kind) = FILES.iter().find(|row| row.0 == file)?;
    Some(Value::Register(Reg {
        kind: *kind,
        index: number.parse().ok()?,
        width: 1,
        half: None,
    }))
}

fn source(dword: Dword) -> Source {
    match dword {
        // These are written by instructions of their own.
        Dword::Address(..) | Dword::Accessed(_) | Dword::Kept(Home::Lane(..)) => {
            Source::Constant(0)
        }
        Dword::Constant(value) => Source::Constant(value),
        Dword::Application(RegisterFile::Vgpr | RegisterFile::Agpr, number) => {
            Source::Vector(number)
        }
        Dword::Application(RegisterFile::Sgpr, number)
        | Dword::Kept(Home::Scalar(number))
        | Dword::Special(number) => Source::Scalar(number),
        Dword::Scc => Source::Scc,
    }
}

fn touch(set: &mut RegisterSet, dword: Dword) {
    match dword {
        Dword::Application(RegisterFile::Sgpr, number) | Dword::Special(number) => {
            set.insert(Span::Scalar(number, 1));
        }
        Dword::Application(RegisterFile::Vgpr, number) => set.insert(Span::Vector(number, 1)),
        Dword::Application(RegisterFile::Agpr, number) => {
            set.insert(Span::Vector(AGPR_BASE + number, 1));
        }
        Dword::Constant(_)
        | Dword::Address(..)
        | Dword::Kept(_)
        | Dword::Scc
        | Dword::Accessed(_) => {}
    }
}

/// The dwords of an application's register.
fn application(reg: Reg, count: usize) -> Option<Vec<Dword>> {
    if usize::from(reg.width) < count || reg.half.is_some() {
        return None;
    }
    let file = match reg.kind {
        RegKind::Sgpr => Some(RegisterFile::Sgpr),
        RegKind::Vgpr => Some(RegisterFile::Vgpr),
        RegKind::Agpr => Some(RegisterFile::Agpr),
        _ => None,
    };
    let special = match reg.kind {
        RegKind::Vcc => Some(VCC),
        RegKind::Exec => Some(EXEC),
        _ => None,
    };
    (0..count as u16)
        .map(|index| match (file, special) {
            (Some(file), _) => Some(Dword::Application(file, reg.index + index)),
            (_, Some(base)) => Some(Dword::Special(base + reg.index + index)),
            _ => None,
        })
        .collect()
}

/// VGPRs in scratch around a template.
struct Aside<'a> {
    /// SGPR for the address.
    register: u16,
    /// Bytes from the start of a lane's scratch.
    offset: u32,
    vgprs: &'a [u16],
}

impl Aside<'_> {
    fn store(&self, codes: &Codes, code: &mut Vec<u8>) -> Result<(), Refusal> {
        code.move_scalar(codes, self.register, Source::Constant(self.offset));
        self.each(
            codes,
            code,
            |name, vgpr, at| format!("{name} off, v{vgpr}, {at}"),
            "store",
        )
    }

    fn load(&self, codes: &Codes, code: &mut Vec<u8>) -> Result<(), Refusal> {
        // The template may have left its own accesses unfinished; those to one address stay in order.
        self.each(
            codes,
            code,
            |name, vgpr, at| format!("{name} v{vgpr}, off, {at}"),
            "load",
        )?;
        code.extend_from_slice(codes.wait(lift::Counter::Load));
        Ok(())
    }

    fn each(
        &self,
        codes: &Codes,
        code: &mut Vec<u8>,
        line: impl Fn(&str, u16, &str) -> String,
        what: &str,
    ) -> Result<(), Refusal> {
        let width = if codes.target.family >= Family::Gfx11 {
            "b32"
        } else {
            "dword"
        };
        for (slot, vgpr) in self.vgprs.iter().enumerate() {
            let at = format!("s{} offset:{}", self.register, 4 * slot);
            code.extend(assemble(
                codes,
                &line(&format!("scratch_{what}_{width}"), *vgpr, &at),
            )?);
        }
        Ok(())
    }
}

/// How scalar operands name M0.
const M0: u16 = 124;
const M0_GFX11: u16 = 125;

/// VGPRs that can be in scratch at a time.
pub(crate) const SCRATCH_SLOTS: u16 = 64;

/// The choice of registers for one splice.
#[derive(Clone)]
struct Work<'a> {
    hook: &'a HookVariants<'a>,
    template: &'a Template,
    place: &'a Place<'a>,
    first: Vec<Option<u16>>,
    free: Taken,
    dead_given: bool,
    /// Lane of the spill register, SGPR.
    saved: Vec<(u16, u16)>,
    /// The VGPR of those lanes.
    spill: Option<u16>,
    /// VGPR whose lane 0 is put aside, SGPR that has it.
    saved_lanes: Vec<(u16, u16)>,
    /// VGPRs that are put aside in scratch.
    in_scratch: Vec<u16>,
    /// SGPRs that cannot be put aside here.
    in_use: Free,
    /// VGPRs that are not free here even if dead.
    in_use_vectors: Free,
    inputs: RegisterSet,
    /// All that were chosen so far.
    used: RegisterSet,
    widen: bool,
}

/// The first `width` registers in a row, all below `limit`, that are not in use.
fn first_run(in_use: &[bool], width: u16, alignment: u16, limit: u16) -> Option<u16> {
    let mut starts = (0..(limit + 1).saturating_sub(width)).step_by(usize::from(alignment.max(1)));
    starts.find(|&start| !in_use[usize::from(start)..usize::from(start + width)].contains(&true))
}

impl Work<'_> {
    fn use_up(&mut self, file: RegisterFile, first: u16, width: u16) {
        let range = usize::from(first)..usize::from(first + width);
        match file {
            RegisterFile::Sgpr => {
                self.used.insert(Span::Scalar(first, width));
                self.in_use[range].fill(true);
            }
            RegisterFile::Vgpr => {
                self.used.insert(Span::Vector(first, width));
                self.in_use_vectors[range].fill(true);
            }
            RegisterFile::Agpr => self.used.insert(Span::Vector(AGPR_BASE + first, width)),
        }
    }

    /// Binds groups that hold nothing but inputs to the registers where these are.
    fn bind_in_place(&mut self, dwords: &[Vec<Dword>], copy_scalars: bool) {
        for number in self.inputs.scalars.iter() {
            self.in_use[usize::from(number)] = true;
        }
        for number in self.inputs.vectors.iter().filter(|n| *n < AGPR_BASE) {
            self.in_use_vectors[usize::from(number)] = true;
        }
        for (index, group) in self.template.groups.iter().enumerate() {
            let mut first = None;
            let mut covered = 0;
            let mut possible = true;
            for (port, dwords) in self.template.ports.iter().zip(dwords) {
                for (place, dword) in port.dwords.iter().zip(dwords) {
                    let Some((_, offset)) = place.filter(|place| usize::from(place.0) == index)
                    else {
                        continue;
                    };
                    covered += 1;
                    let number = match *dword {
                        Dword::Application(file, number) if file == group.file => {
                            possible &= !group.written || port.written;
                            possible &= !(copy_scalars && file == RegisterFile::Sgpr);
                            number
                        }
                        Dword::Kept(Home::Scalar(number)) if group.file == RegisterFile::Sgpr => {
                            possible &= !group.written;
                            number
                        }
                        _ => {
                            possible = false;
                            continue;
                        }
                    };
                    let Some(start) = number.checked_sub(offset) else {
                        possible = false;
                        continue;
                    };
                    possible &= *first.get_or_insert(start) == start;
                }
            }
            let Some(start) = first.filter(|_| possible && covered == group.width) else {
                continue;
            };
            if start % group.alignment.max(1) == 0 && start + group.width <= group.limit {
                self.first[index] = Some(start);
                self.use_up(group.file, start, group.width);
            }
        }
    }

    /// Adds the registers that are dead here.
    fn give_dead(&mut self, allocated: (u16, u16)) {
        let live = &self.place.live;
        for number in 0..allocated.0 {
            let named = self.in_use[usize::from(number)];
            if !live.scalars.contains(number) && !named {
                self.free.give(RegisterFile::Sgpr, number);
            }
        }
        for number in 0..allocated.1 {
            let taken = self.in_use_vectors[usize::from(number)];
            if !live.active.contains(number) && !taken {
                self.free.give(RegisterFile::Vgpr, number);
            }
        }
    }

    /// Registers whose inactive lanes are live.
    fn half_dead(&self) -> impl Iterator<Item = (RegisterFile, u16)> + '_ {
        let live = self.place.live.inactive.iter();
        live.filter(|number| *number < AGPR_BASE)
            .map(|number| (RegisterFile::Vgpr, number))
    }
}
