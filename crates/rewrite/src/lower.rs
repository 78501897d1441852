//! The last step for a hook at one place: its template, bound to registers, with all that has to be around it.
//!
//! What is saved is a list of levels, emitted forward in front of the template and backward behind it, and so every save has its
//! restore. Values go in behind the saves of their level and out before its restores.

use crate::allocate::{Allocated, Wanted};
use crate::bind::Dword;
use crate::encode::Codes;
use crate::entry::EntryValues;
use crate::instruction::{Instruction, Op, Source, VCC, Write};
use crate::ir::{Bound, Code, Item, Meets, Seam, Spot};
use crate::memory::MemoryAccess;
use crate::registers::{Home, Supply};
use crate::save::Save;
use crate::values::supplied;
use crate::{Half, HookVariants, Lanes, Refusal, Report, Symbol, Value};
use lift::registers::{AGPR_BASE, RegisterSet, Span};
use lift::{FunctionIndex, LiveSet};
use template::{Binding, Clobbers, RegisterFile, Template};

/// What is known about a place.
pub(crate) struct Place<'a> {
    pub function: FunctionIndex,
    pub spot: Spot,
    /// Address of the instruction in the original.
    pub pc: u64,
    /// Number of the insertion.
    pub site: usize,
    pub wave_size: u8,
    pub live: LiveSet,
    /// Index mode of gfx9 is on, with these enables.
    pub indexing: Option<u8>,
    /// What the instruction accesses, if its registers still have the address.
    pub memory: &'a dyn Fn() -> Option<MemoryAccess>,
}

/// Numbers in [`lift::registers::ScalarSet`].
pub(crate) const SCC_NUMBER: u16 = 128;
const M0_NUMBER: u16 = 124;

/// A call that a plan wants.
#[derive(Clone, Copy)]
pub(crate) struct Call<'r, 'p> {
    /// Index in the plan's hooks.
    pub number: usize,
    pub hook: &'r HookVariants<'p>,
    pub arguments: &'r [(String, Value)],
    pub lanes: Lanes,
}

/// What hooks of one kernel are lowered with.
pub(crate) struct Lowering<'a, 'p> {
    pub codes: &'a Codes,
    pub supply: &'a mut Supply,
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
}

/// A dword of a port that is not bound in place.
struct Copy {
    file: RegisterFile,
    register: u16,
    dword: Dword,
}

impl Copy {
    fn is_scalar(&self) -> bool {
        self.file == RegisterFile::Sgpr
    }

    /// Whether it takes nothing but moves of scalars.
    fn is_scalar_move(&self) -> bool {
        let from_scalar = match self.dword {
            Dword::Application(file, _) => file == RegisterFile::Sgpr,
            Dword::Kept(Home::Lane(..)) => false,
            _ => true,
        };
        self.is_scalar() && from_scalar
    }

    /// Whether a vector instruction writes an SGPR.
    fn is_from_vector(&self) -> bool {
        let in_vector = matches!(
            self.dword,
            Dword::Application(RegisterFile::Vgpr, _) | Dword::Kept(Home::Lane(..))
        );
        self.is_scalar() && in_vector
    }
}

/// What goes into a template and what comes out that is not bound in place.
#[derive(Default)]
struct Copies {
    inward: Vec<Copy>,
    outward: Vec<Copy>,
}

impl<'p> Lowering<'_, 'p> {
    /// Appends the code of a call.
    pub fn call(
        &mut self,
        call: Call<'_, 'p>,
        place: &Place<'_>,
        code: &mut Code<'p>,
    ) -> Result<(), Refusal> {
        let (template, mut wanted) = self.choose(&call, place)?;
        if template.code.is_empty() {
            return Ok(());
        }
        let ports = template.ports.iter();
        let dwords: Vec<Vec<Dword>> = ports
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
                let spans = memory.registers().filter_map(Span::of);
                spans.for_each(|span| inputs.insert(span));
            }
        }
        for (port, dwords) in template.ports.iter().zip(&dwords) {
            let bound = port.dwords.iter().any(Option::is_some);
            wanted.address |= bound && dwords.iter().any(accessed);
            let in_lane = |dword: &Dword| matches!(dword, Dword::Kept(Home::Lane(..)));
            let to_vector = port.read && port.file == RegisterFile::Vgpr;
            wanted.through |= to_vector && dwords.iter().any(in_lane);
        }
        let hook = &call.hook.name;
        let chosen = self.allocate(hook, template, place, &dwords, inputs, wanted)?;
        let copies = Copies::of(template, &dwords, &chosen.first);
        self.emit(&call, template, place, chosen, &copies, &memory, code)
    }

    /// The template, and what is to be saved around it.
    fn choose(
        &self,
        call: &Call<'_, 'p>,
        place: &Place<'_>,
    ) -> Result<(&'p Template, Wanted), Refusal> {
        let live = &place.live;
        let keep_scc = live.scalars.contains(SCC_NUMBER);
        let keep_vcc = live.scalars.intersects_range(VCC, 2);
        let mut wanted = Wanted {
            exec: call.lanes == Lanes::First,
            ..Wanted::default()
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
        // What the hook is to change is not put back.
        let writes = |value: Value| {
            template.ports.iter().any(|port| {
                let given = call.arguments.iter().find(|(name, _)| *name == port.name);
                let bound = given.map(|(_, value)| *value);
                port.written && bound.or_else(|| supplied(&port.name)) == Some(value)
            })
        };
        wanted.scc &= !writes(Value::Scc);
        wanted.vcc &= !writes(Value::Vcc);
        wanted.m0 = template.clobbers.contains(Clobbers::M0) && live.scalars.contains(M0_NUMBER);
        wanted.mode = self.foreign_mode && template.reads_mode;
        Ok((template, wanted))
    }

    #[expect(clippy::too_many_arguments, reason = "the results of all steps before")]
    fn emit(
        &mut self,
        call: &Call<'_, 'p>,
        template: &'p Template,
        place: &Place<'_>,
        chosen: Allocated,
        copies: &Copies,
        memory: &Option<MemoryAccess>,
        code: &mut Code<'p>,
    ) -> Result<(), Refusal> {
        let codes = self.codes;
        let clobbers = registers(template, &chosen);
        let levels = Save::levels(&chosen, place, self.scratch);
        let is_plain = levels.iter().flatten().all(Save::is_scalar_move)
            && copies.inward.iter().all(Copy::is_scalar_move)
            && copies.outward.iter().all(Copy::is_scalar_move);
        let seam = code.enter();
        let start = code.items.len();
        let through = chosen.through;
        let [outer, middle, inner] = &levels;
        outer.iter().for_each(|save| save.save(codes, code));
        for copy in copies.inward.iter().filter(|copy| copy.is_scalar()) {
            self.copy_in(copy, through, code)?;
        }
        middle.iter().for_each(|save| save.save(codes, code));
        if let (Some(memory), Some(with)) = (memory, chosen.address)
            && let Some(address) = &memory.address
        {
            let sum = [with.sum, with.sum + 1];
            address.compute(codes, sum, with.constant, with.carry, code);
        }
        for copy in copies.inward.iter().filter(|copy| !copy.is_scalar()) {
            if let (Dword::Accessed(half), Some(with)) = (copy.dword, chosen.address) {
                let from = with.sum + u16::from(half == Half::High);
                code.move_vector(copy.register, Source::Vector(from));
                continue;
            }
            self.copy_in(copy, through, code)?;
        }
        if copies.inward.iter().any(Copy::is_from_vector) {
            scalar_gap(codes, code);
        }
        inner.iter().for_each(|save| save.save(codes, code));
        // gfx12: what the template takes for settled has to be.
        if code.items.len() > start {
            fixed(codes, code, Op::WaitAlu);
        }
        let bound = code.bound.len() as u32;
        code.push(Item::Template(bound));
        code.bound.push(Bound {
            template,
            hook: call.number,
            pc: place.pc,
            binding: Binding {
                first: chosen.first,
                drop_tail: true,
            },
        });
        inner
            .iter()
            .rev()
            .for_each(|save| save.restore(codes, code));
        for copy in copies.outward.iter().filter(|copy| !copy.is_scalar()) {
            copy_out(call.hook, copy, place, code)?;
        }
        middle
            .iter()
            .rev()
            .for_each(|save| save.restore(codes, code));
        for copy in copies.outward.iter().filter(|copy| copy.is_scalar()) {
            copy_out(call.hook, copy, place, code)?;
        }
        outer
            .iter()
            .rev()
            .for_each(|save| save.restore(codes, code));
        let meets = if is_plain {
            Meets::Template(bound)
        } else {
            Meets::All
        };
        code.leave(seam, Seam::new(place.function, place.spot, meets, clobbers));
        Ok(())
    }

    /// `through`: an SGPR, where a VGPR takes a value out of a lane.
    fn copy_in(
        &self,
        copy: &Copy,
        through: Option<u16>,
        code: &mut Code<'p>,
    ) -> Result<(), Refusal> {
        let to = copy.register;
        match (copy.file, copy.dword) {
            (file, Dword::Address(global, half, addend)) => {
                let name = self.globals.get(global).ok_or(Refusal::BadPlan {
                    what: "global",
                    index: global,
                })?;
                let symbol = Symbol::Tool(name.clone());
                let address = Source::Address(code.address(half, symbol, addend.into()));
                if file == RegisterFile::Sgpr {
                    code.move_scalar(to, address);
                } else {
                    code.move_vector(to, address);
                }
            }
            (RegisterFile::Sgpr, Dword::Application(RegisterFile::Vgpr, from)) => {
                code.first_lane(to, from);
            }
            (RegisterFile::Sgpr, Dword::Kept(Home::Lane(vgpr, lane))) => {
                code.read_lane(to, vgpr, lane);
            }
            (RegisterFile::Vgpr, Dword::Kept(Home::Lane(vgpr, lane))) => {
                let through = through.ok_or(Refusal::BadPlan {
                    what: "a value in a lane, for a VGPR: number",
                    index: usize::from(to),
                })?;
                code.read_lane(through, vgpr, lane);
                scalar_gap(self.codes, code);
                code.move_vector(to, Source::Scalar(through));
            }
            (RegisterFile::Sgpr, dword) => code.move_scalar(to, dword.operand()),
            (RegisterFile::Vgpr, Dword::Application(RegisterFile::Agpr, from)) => {
                code.vector(Op::VAccRead, to, &[Source::Vector(from)]);
            }
            (RegisterFile::Vgpr, dword) => code.move_vector(to, dword.operand()),
            // Hooks get no inputs there.
            (RegisterFile::Agpr, _) => {}
        }
        Ok(())
    }
}

impl Copies {
    fn of(template: &Template, dwords: &[Vec<Dword>], first: &[u16]) -> Copies {
        let mut copies = Copies::default();
        for (port, dwords) in template.ports.iter().zip(dwords) {
            for (place, &dword) in port.dwords.iter().zip(dwords) {
                let Some((group, offset)) = *place else {
                    continue;
                };
                let register = first[usize::from(group)] + offset;
                let file = port.file;
                let in_place = dword == Dword::Application(file, register)
                    || dword == Dword::Kept(Home::Scalar(register)) && file == RegisterFile::Sgpr;
                if in_place {
                    continue;
                }
                let copy = || Copy {
                    file,
                    register,
                    dword,
                };
                if port.read {
                    copies.inward.push(copy());
                }
                if port.written {
                    copies.outward.push(copy());
                }
            }
        }
        copies
    }
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

fn copy_out(
    hook: &HookVariants<'_>,
    copy: &Copy,
    place: &Place<'_>,
    code: &mut Code<'_>,
) -> Result<(), Refusal> {
    let from = copy.register;
    match (copy.file, copy.dword) {
        (RegisterFile::Sgpr, Dword::Application(RegisterFile::Sgpr, to) | Dword::Special(to)) => {
            code.move_scalar(to, Source::Scalar(from));
        }
        (RegisterFile::Sgpr, Dword::Application(RegisterFile::Vgpr, to)) => {
            code.move_vector(to, Source::Scalar(from));
        }
        (RegisterFile::Vgpr, Dword::Application(RegisterFile::Vgpr, to)) => {
            code.move_vector(to, Source::Vector(from));
        }
        (RegisterFile::Vgpr, Dword::Application(RegisterFile::Agpr, to)) => {
            code.vector(Op::VAccWrite, to, &[Source::Vector(from)]);
        }
        (RegisterFile::Vgpr, Dword::Application(RegisterFile::Sgpr, to)) => {
            code.first_lane(to, from);
        }
        (RegisterFile::Sgpr, Dword::Scc) => {
            code.compare(Op::SCmpLgU32, Source::Scalar(from), Source::Constant(0));
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

/// An instruction, where the target has it.
pub(crate) fn fixed(codes: &Codes, code: &mut dyn Write, op: Op) {
    if codes.has(op) {
        code.put(Instruction::fixed(op));
    }
}

/// Behind instructions of the vector unit that wrote SGPRs.
pub(crate) fn scalar_gap(codes: &Codes, code: &mut dyn Write) {
    fixed(codes, code, Op::ScalarGap);
    fixed(codes, code, Op::WaitAlu);
}
