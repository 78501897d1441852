//! From machine code to a template: groups, ports, clobbers and patches, all from decoded bytes, and every reason to refuse.

use crate::{
    Binding, Clobbers, Group, Patch, Port, RegisterFile, Relocation, SharedVariable, Template,
    VerifyError, bind,
    fields::{self, FieldBit, alignment, register_of},
    flow::Flow,
    symbolic,
};
use isa::{Decoder, Effects, Format, Inst, Known, Operand, Reg, RegKind, Traits};
use std::collections::{BTreeMap, BTreeSet};

/// The properties for which the code was compiled. They are compared with the code itself.
#[derive(Clone, Debug, Default)]
pub struct Declared {
    /// Name, file, first register, dwords, read, written.
    pub ports: Vec<DeclaredPort>,
    pub relocations: Vec<Relocation>,
    pub preserve_scc: bool,
    pub preserve_vcc: bool,
    /// Registers that the code must not write besides the inputs (a site's live registers).
    pub preserved: BTreeSet<(RegisterFile, u16)>,
    /// [`Template::stack`] and [`Template::shared`].
    pub stack: u32,
    pub shared: Vec<SharedVariable>,
}

/// A value that crosses the border, at the registers the compiler was told.
#[derive(Clone, Debug)]
pub struct DeclaredPort {
    pub name: String,
    pub file: RegisterFile,
    pub first: u16,
    pub dwords: u16,
    pub read: bool,
    pub written: bool,
}

type Register = (RegisterFile, u16);
/// Group of every register, and its offset there.
type GroupOffsets = BTreeMap<Register, (u16, u16)>;

fn file_of(kind: RegKind) -> Option<RegisterFile> {
    match kind {
        RegKind::Sgpr => Some(RegisterFile::Sgpr),
        RegKind::Vgpr => Some(RegisterFile::Vgpr),
        RegKind::Agpr => Some(RegisterFile::Agpr),
        _ => None,
    }
}

/// The kinds of instructions that no template may contain, with the reason.
#[rustfmt::skip]
const FORBIDDEN: &[(Traits, &str)] = &[
    (Traits::READS_PC,        "reads the program counter, which differs at every place"),
    (Traits::WRITES_HARDWARE, "changes a hardware register (luthier::write_mode changes MODE)"),
    (Traits::WRITES_MODE,     "changes MODE"),
    (Traits::INDEX_MODE,      "changes how registers are indexed"),
    (Traits::INDEXES_SCALARS, "indexes registers by M0"),
    (Traits::INDEXES_VECTORS, "indexes registers by M0"),
    (Traits::FORKS,           "forks control flow"),
    (Traits::JOINS,           "joins forked control flow"),
];

/// The single opcodes that no template may contain.
#[rustfmt::skip]
const FORBIDDEN_INSTRUCTIONS: &[(Known, &str)] = &[
    (Known::SSetvskip,   "makes vector instructions be skipped"),
    (Known::SSetVgprMsb, "changes how registers are numbered"),
    (Known::SSethalt,    "halts the wave"),
    (Known::SSetprio,    "changes the wave's priority"),
    (Known::SCodeEnd,    "is padding, not code"),
];

/// The effects that no template may have.
#[rustfmt::skip]
const FORBIDDEN_EFFECTS: &[(Effects, &str)] = &[
    (Effects::END,      "ends the program"),
    (Effects::CALL,     "calls a function"),
    (Effects::RETURN,   "leaves a trap handler"),
    (Effects::INDIRECT, "jumps to an address in a register"),
    (Effects::TRAP,     "traps"),
    (Effects::SENDMSG,  "sends a message"),
    (Effects::BARRIER,  "waits for other waves of the workgroup"),
];

/// Analyses `code`; refuses what is not provably harmless at any place of any kernel.
pub fn derive(
    decoder: &Decoder,
    code: &[u8],
    declared: &Declared,
) -> Result<Template, VerifyError> {
    derive_knowing(&fields::Known::default(), decoder, code, declared)
}

/// The same, with the fields that instructions of earlier code had.
pub(crate) fn derive_knowing(
    known: &fields::Known,
    decoder: &Decoder,
    code: &[u8],
    declared: &Declared,
) -> Result<Template, VerifyError> {
    let flow = Flow::new(decoder, code)?;
    let clobbers = examine(decoder, &flow, declared)?;
    let registers = Registers::collect(decoder, &flow, declared)?;
    let (groups, place) = registers.groups(decoder, declared)?;
    let even = even_vector_tuples(decoder);
    let mut limits: Vec<u16> = groups.iter().map(|group| group.limit).collect();
    let mut patches = Vec::new();
    for inst in &flow.instructions {
        let fields = known.fields(decoder, inst, even)?;
        for (operand, bits) in inst.operands.iter().zip(fields.iter()) {
            let Some(reg) = register_of(operand).filter(|_| !bits.is_empty()) else {
                continue;
            };
            let file = file_of(reg.kind).expect("a general register");
            let (group, offset) = place[&(file, reg.index)];
            let reach = bits.last().map_or(1, |field| 1u16 << (field.index_bit + 1));
            let limit = &mut limits[usize::from(group)];
            let beyond = groups[usize::from(group)]
                .width
                .saturating_sub(offset + u16::from(reg.width));
            *limit = (*limit).min(reach.saturating_add(u16::from(reg.width) - 1 + beyond));
            patches.extend(runs(bits, inst.pc as u32 * 8, group, offset));
        }
    }
    let mut groups = groups;
    for (group, limit) in groups.iter_mut().zip(limits) {
        group.limit = group.limit.min(limit);
    }
    patches.sort_by_key(|patch| (patch.bit, patch.length));
    patches.dedup();
    check_relocations(&flow, declared)?;
    let ports = declared.ports.iter().map(|port| Port {
        name: port.name.clone(),
        file: port.file,
        read: port.read,
        written: port.written,
        dwords: (0..port.dwords)
            .map(|dword| place.get(&(port.file, port.first + dword)).copied())
            .collect(),
    });
    let template = Template {
        target: decoder.target().name.to_owned(),
        wave_size: decoder.wave_size(),
        code: code.to_vec(),
        droppable_tail: droppable_tail(&flow),
        ports: ports.collect(),
        groups,
        clobbers,
        patches,
        relocations: declared.relocations.clone(),
        instructions: flow.instructions.len() as u32,
        stack: declared.stack,
        shared: declared.shared.clone(),
        reads_mode: reads_mode(&flow),
        counts_waves: false,
        constants: Vec::new(),
    };
    prove_patches(decoder, &template, &flow)?;
    Ok(template)
}

/// Returns `true` if anything depends on how floating-point numbers are rounded or on what becomes of small ones.
fn reads_mode(flow: &Flow) -> bool {
    flow.instructions.iter().any(|inst| {
        let implicit = inst.implicit_uses.iter();
        implicit.into_iter().any(|reg| reg.kind == RegKind::Mode)
    })
}

fn even_vector_tuples(decoder: &Decoder) -> bool {
    decoder.target().unified_register_file
}

fn registers_of(inst: &Inst) -> impl Iterator<Item = (Reg, bool)> {
    let explicit = inst.operands.iter().filter_map(|operand| match operand {
        Operand::Def(reg) => Some((*reg, true)),
        Operand::Use(reg) => Some((*reg, false)),
        Operand::Imm(_) | Operand::PcRel(_) => None,
    });
    let implicit_defs = inst.implicit_defs.iter().map(|reg| (*reg, true));
    explicit
        .chain(implicit_defs)
        .chain(inst.implicit_uses.iter().map(|reg| (*reg, false)))
}

/// Returns `true` if values without a register go to memory: to scratch or, where scratch is a buffer, to a buffer whose address
/// LLVM takes from the program counter.
fn spills(flow: &Flow) -> bool {
    let mut instructions = flow.instructions.iter();
    let asks = instructions.any(|inst| inst.op.has(Traits::READS_PC));
    let stores = |inst: &Inst| inst.effects.contains(Effects::STORE);
    flow.instructions.iter().any(|inst| match inst.format {
        Format::Scratch => stores(inst),
        Format::Mubuf => asks && stores(inst),
        _ => false,
    })
}

/// Special registers and instructions; gives the state that differs behind the code.
fn examine(decoder: &Decoder, flow: &Flow, declared: &Declared) -> Result<Clobbers, VerifyError> {
    if spills(flow) {
        return Err(VerifyError::Registers);
    }
    let mut clobbers = Clobbers::empty();
    for inst in &flow.instructions {
        let forbidden = |reason| VerifyError::Forbidden {
            offset: inst.pc,
            instruction: decoder.print(inst),
            reason,
        };
        for (traits, reason) in FORBIDDEN {
            if inst.op.has(*traits) {
                return Err(forbidden(reason));
            }
        }
        for (known, reason) in FORBIDDEN_INSTRUCTIONS {
            if inst.op.is(*known) {
                return Err(forbidden(reason));
            }
        }
        for (effect, reason) in FORBIDDEN_EFFECTS {
            if inst.effects.intersects(*effect) {
                return Err(forbidden(reason));
            }
        }
        if inst.format == Format::Scratch {
            return Err(forbidden(
                "uses scratch memory, which belongs to the application",
            ));
        }
        for (reg, written) in registers_of(inst) {
            match reg.kind {
                RegKind::Ttmp => return Err(forbidden("uses a trap temporary register")),
                // FLAT instructions list it for addresses in the scratch aperture; only naming it counts.
                RegKind::FlatScratch if inst.format != Format::Flat => {
                    return Err(forbidden("uses FLAT_SCRATCH"));
                }
                RegKind::XnackMask => return Err(forbidden("uses XNACK_MASK")),
                RegKind::Mode if written => return Err(forbidden("writes MODE")),
                RegKind::Scc if written => clobbers |= Clobbers::SCC,
                RegKind::Vcc if written => clobbers |= Clobbers::VCC,
                RegKind::M0 if written => clobbers |= Clobbers::M0,
                _ => {}
            }
        }
    }
    let findings = symbolic::examine(flow, decoder.wave_size());
    if let Some(index) = findings.widens {
        let inst = &flow.instructions[index];
        return Err(VerifyError::ExecWidened {
            offset: inst.pc,
            instruction: decoder.print(inst),
        });
    }
    if !findings.exec_restored {
        return Err(VerifyError::ExecChanged);
    }
    for (flag, preserved, asked, what) in [
        (
            Clobbers::SCC,
            findings.scc_preserved,
            declared.preserve_scc,
            "SCC",
        ),
        (
            Clobbers::VCC,
            findings.vcc_preserved,
            declared.preserve_vcc,
            "VCC",
        ),
    ] {
        if preserved {
            clobbers.remove(flag);
        } else if asked {
            return Err(VerifyError::NotPreserved { what });
        }
    }
    Ok(clobbers)
}

/// The general registers of the code.
#[derive(Default)]
struct Registers {
    /// Tuples as named: file, first, width.
    tuples: BTreeSet<(RegisterFile, u16, u8)>,
    written: BTreeSet<Register>,
    all_lanes: BTreeSet<Register>,
}

impl Registers {
    fn collect(
        decoder: &Decoder,
        flow: &Flow,
        declared: &Declared,
    ) -> Result<Registers, VerifyError> {
        let mut inputs = BTreeMap::new();
        for port in declared
            .ports
            .iter()
            .filter(|port| port.read && !port.written)
        {
            for dword in 0..port.dwords {
                inputs.insert((port.file, port.first + dword), &port.name);
            }
        }
        let mut found = Registers::default();
        for inst in &flow.instructions {
            for (reg, written) in registers_of(inst) {
                let Some(file) = file_of(reg.kind) else {
                    continue;
                };
                found.tuples.insert((file, reg.index, reg.width));
                if !written {
                    continue;
                }
                for index in reg.index..reg.index + u16::from(reg.width) {
                    let register = (file, index);
                    if let Some(port) = inputs.get(&register) {
                        return Err(VerifyError::WritesInput {
                            offset: inst.pc,
                            instruction: decoder.print(inst),
                            port: (*port).clone(),
                        });
                    }
                    if declared.preserved.contains(&register) {
                        return Err(VerifyError::WritesPadding {
                            offset: inst.pc,
                            instruction: decoder.print(inst),
                        });
                    }
                    found.written.insert(register);
                    if inst.effects.contains(Effects::IGNORES_EXEC) && file != RegisterFile::Sgpr {
                        found.all_lanes.insert(register);
                    }
                }
            }
        }
        Ok(found)
    }

    /// Overlapping tuples united, with the place of every register.
    fn groups(
        &self,
        decoder: &Decoder,
        declared: &Declared,
    ) -> Result<(Vec<Group>, GroupOffsets), VerifyError> {
        let even = even_vector_tuples(decoder);
        let target = decoder.target();
        let mut groups: Vec<Group> = Vec::new();
        for &(file, first, width) in &self.tuples {
            let end = first + u16::from(width);
            match groups.last_mut() {
                Some(group) if group.file == file && first < group.first + group.width => {
                    group.width = group.width.max(end - group.first);
                }
                _ => groups.push(Group {
                    file,
                    first,
                    width: u16::from(width),
                    alignment: 1,
                    limit: match file {
                        RegisterFile::Sgpr => target.sgpr_addressable,
                        RegisterFile::Vgpr | RegisterFile::Agpr => 256,
                    },
                    written: false,
                    preserved: false,
                    all_lanes: false,
                }),
            }
        }
        let mut place = BTreeMap::new();
        for (number, group) in groups.iter().enumerate() {
            for offset in 0..group.width {
                place.insert((group.file, group.first + offset), (number as u16, offset));
            }
        }
        for &(file, first, width) in &self.tuples {
            let kind = match file {
                RegisterFile::Sgpr => RegKind::Sgpr,
                RegisterFile::Vgpr => RegKind::Vgpr,
                RegisterFile::Agpr => RegKind::Agpr,
            };
            let (number, _) = place[&(file, first)];
            let group = &mut groups[usize::from(number)];
            // As compiled the tuple is aligned, so the group's first register decides as soon as it is aligned likewise.
            group.alignment = group.alignment.max(alignment(kind, width, even));
        }
        for group in &mut groups {
            let members = group.first..group.first + group.width;
            let member = |set: &BTreeSet<Register>| {
                members
                    .clone()
                    .any(|index| set.contains(&(group.file, index)))
            };
            let (written, all_lanes) = (member(&self.written), member(&self.all_lanes));
            let input = |index: &u16| {
                declared.ports.iter().any(|port| {
                    port.read
                        && !port.written
                        && port.file == group.file
                        && (port.first..port.first + port.dwords).contains(index)
                })
            };
            let inputs = members.clone().filter(|index| input(index)).count();
            if inputs != 0 && inputs != usize::from(group.width)
                || group.first % group.alignment != 0
            {
                return Err(VerifyError::MixedGroup {
                    file: group.file,
                    first: group.first,
                    end: members.end,
                });
            }
            group.written = written;
            group.all_lanes = all_lanes;
            group.preserved = inputs != 0;
        }
        Ok((groups, place))
    }
}

/// Field bits as runs of consecutive bits within one dword.
fn runs(bits: &[FieldBit], start: u32, group: u16, offset: u16) -> Vec<Patch> {
    let mut runs: Vec<Patch> = Vec::new();
    for field in bits {
        let bit = start + field.bit;
        match runs.last_mut() {
            Some(run)
                if run.bit + u32::from(run.length) == bit
                    && run.shift + run.length == field.index_bit
                    && !bit.is_multiple_of(32) =>
            {
                run.length += 1;
            }
            _ => runs.push(Patch {
                bit,
                group,
                offset,
                shift: field.index_bit,
                length: 1,
            }),
        }
    }
    runs
}

/// Every relocation fills the last dword of an instruction that has a literal.
fn check_relocations(flow: &Flow, declared: &Declared) -> Result<(), VerifyError> {
    const ABS32_LO: u32 = 1;
    const ABS32_HI: u32 = 2;
    for relocation in &declared.relocations {
        let at = u64::from(relocation.offset);
        let fills = flow.instructions.iter().any(|inst| {
            inst.size >= 8
                && inst.end() - 4 == at
                && inst
                    .operands
                    .iter()
                    .any(|operand| matches!(operand, Operand::Imm(_)))
        });
        if !fills || !matches!(relocation.kind, ABS32_LO | ABS32_HI) {
            return Err(VerifyError::Relocation {
                offset: at,
                kind: relocation.kind,
                symbol: relocation.symbol.clone(),
            });
        }
    }
    Ok(())
}

/// Bytes of the waits at the end, if no load into a register can be outstanding there.
fn droppable_tail(flow: &Flow) -> u32 {
    let waits = flow.instructions.iter().rev();
    let waits: Vec<&Inst> = waits
        .take_while(|inst| inst.effects.contains(Effects::WAIT))
        .collect();
    let Some(first) = flow.instructions.len().checked_sub(waits.len()) else {
        return 0;
    };
    // A branch behind the first wait would miss its target.
    let into = flow.successors[..first]
        .iter()
        .flatten()
        .any(|next| *next > first);
    if waits.is_empty() || into {
        return 0;
    }
    let pending = flow.solve(
        BTreeSet::<usize>::new(),
        |left, right| left | right,
        |index, inst, state| {
            let touched: Vec<Reg> = registers_of(inst).map(|(reg, _)| reg).collect();
            let meets = |load: &usize| {
                let loaded =
                    registers_of(&flow.instructions[*load]).filter(|(_, written)| *written);
                loaded.into_iter().any(|(reg, _)| {
                    touched.iter().any(|other| {
                        other.kind == reg.kind
                            && other.index < reg.index + u16::from(reg.width)
                            && reg.index < other.index + u16::from(other.width)
                    })
                })
            };
            // LLVM waits for a load before anything touches its result.
            let mut after: BTreeSet<usize> =
                state.iter().copied().filter(|load| !meets(load)).collect();
            let memory = inst
                .effects
                .intersects(Effects::SMEM | Effects::VMEM | Effects::LDS | Effects::SENDMSG);
            let loads = inst
                .operands
                .iter()
                .any(|operand| matches!(operand, Operand::Def(reg) if file_of(reg.kind).is_some()));
            if memory && loads {
                after.insert(index);
            }
            after
        },
    );
    match &pending[first] {
        Some(pending) if pending.is_empty() => waits.iter().map(|inst| u32::from(inst.size)).sum(),
        _ => 0,
    }
}

/// Binds to other registers, decodes, and compares every operand with what was meant.
fn prove_patches(decoder: &Decoder, template: &Template, flow: &Flow) -> Result<(), VerifyError> {
    for rotation in 0..3u16 {
        let binding = trial(template, rotation);
        let code = bind(template, &binding).expect("trial bindings respect alignment and limit");
        let bound = Flow::new(decoder, &code)?;
        for (before, after) in flow.instructions.iter().zip(&bound.instructions) {
            let unpatchable = |operand| VerifyError::Unpatchable {
                offset: before.pc,
                instruction: decoder.print(before),
                operand,
            };
            if before.opcode != after.opcode || before.operands.len() != after.operands.len() {
                return Err(unpatchable(0));
            }
            for (number, (old, new)) in before.operands.iter().zip(&after.operands).enumerate() {
                let good = match (register_of(old), register_of(new)) {
                    (Some(old), Some(new)) => renamed(template, &binding, old) == new,
                    (None, None) => old == new,
                    _ => false,
                };
                if !good {
                    return Err(unpatchable(number));
                }
            }
        }
    }
    Ok(())
}

fn renamed(template: &Template, binding: &Binding, mut reg: Reg) -> Reg {
    let file = file_of(reg.kind).expect("a general register");
    for (group, first) in template.groups.iter().zip(&binding.first) {
        if group.file == file && (group.first..group.first + group.width).contains(&reg.index) {
            reg.index = first + (reg.index - group.first);
            break;
        }
    }
    reg
}

/// Bindings whose indices together set and clear every bit: the lowest registers, the highest, and some between.
fn trial(template: &Template, rotation: u16) -> Binding {
    let first = template.groups.iter().enumerate().map(|(number, group)| {
        let highest = group.limit.saturating_sub(group.width);
        let wanted = match rotation {
            0 => 0,
            1 => highest,
            _ => (37 + 11 * number as u16).min(highest),
        };
        wanted / group.alignment * group.alignment
    });
    Binding {
        first: first.collect(),
        drop_tail: false,
    }
}
