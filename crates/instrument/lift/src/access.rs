//! The registers that one instruction reads and writes, and its effect on EXEC. Every analysis here rests on these facts.

use crate::registers::{FILE_SIZE, SGPR_COUNT, Span};
use isa::{Decoded, Effects, Logic, Operand, Reg, RegKind, Traits, numbers};
use smallvec::SmallVec;

/// Where the value of a vector register in one lane comes to be, by whether the lane is active, when an instruction writes
/// EXEC. Each flag says "a lane that is X before may be Y after": e.g. `active_to_inactive`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecChange {
    /// Some lane that was on may stay on.
    pub active_to_active: bool,
    /// Some lane that was on may be off then.
    pub active_to_inactive: bool,
    /// Some lane that was off may be on then.
    pub inactive_to_active: bool,
    /// Some lane that was off may stay off.
    pub inactive_to_inactive: bool,
}

impl ExecChange {
    const fn new(aa: bool, ai: bool, ia: bool, ii: bool) -> ExecChange {
        ExecChange {
            active_to_active: aa,
            active_to_inactive: ai,
            inactive_to_active: ia,
            inactive_to_inactive: ii,
        }
    }

    /// Anything may happen to any lane.
    pub const UNKNOWN: ExecChange = ExecChange::new(true, true, true, true);
    /// The new mask is part of the old one.
    pub const NARROW: ExecChange = ExecChange::new(true, true, false, true);
    /// The old mask is part of the new one.
    pub const WIDEN: ExecChange = ExecChange::new(true, false, true, true);
    /// All lanes are on then.
    pub const ALL: ExecChange = ExecChange::new(true, false, true, false);
    /// All lanes are off then.
    pub const NONE: ExecChange = ExecChange::new(false, true, false, true);
    /// Lanes that are on go off, and the others on.
    pub const SWAP: ExecChange = ExecChange::new(false, true, true, false);
    /// The new mask is part of the old one's complement.
    pub const OTHERS: ExecChange = ExecChange::new(false, true, true, true);
}

/// Register files that an instruction may access at an unknown index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Indexed {
    /// SGPRs.
    pub scalars: bool,
    /// VGPRs and AccVGPRs.
    pub vectors: bool,
}

/// Registers of one instruction.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// Registers that it reads.
    pub reads: SmallVec<[Span; 8]>,
    /// Registers that it writes.
    pub writes: SmallVec<[Span; 4]>,
    /// Every bit of what is written is overwritten (in active lanes, for vector registers).
    pub kills: bool,
    /// Values of inactive lanes may be read.
    pub reads_inactive: bool,
    /// Vector registers are written in all lanes.
    pub writes_inactive: bool,
    /// Register files that the instruction accesses at an unknown index.
    pub indexed: Indexed,
    /// The instruction's effect on EXEC, if it writes EXEC.
    pub exec: Option<ExecChange>,
}

/// The registers that reading a hardware register may show, besides MODE, which LLVM lists.
const BEHIND_GETREG: [RegKind; 2] = [RegKind::FlatScratch, RegKind::Scc];

impl Access {
    /// `indexing`: general-purpose index mode may be on (gfx9), so that vector operands are relative to M0.
    pub fn new(inst: &Decoded, wave_size: u8, indexing: bool) -> Access {
        let (op, effects) = (inst.op, inst.effects);
        let mut access = Access {
            kills: true,
            ..Access::default()
        };
        for operand in &inst.operands {
            match *operand {
                Operand::Def(reg) => access.write(reg),
                Operand::Use(reg) => access.read(reg),
                Operand::Imm(_) | Operand::PcRel(_) => {}
            }
        }
        inst.implicit_defs.iter().for_each(|reg| access.write(*reg));
        inst.implicit_uses.iter().for_each(|reg| access.read(*reg));

        let lane_control = Effects::DPP16 | Effects::DPP8;
        if effects.intersects(lane_control | Effects::PARTIAL_WRITE) || op.has(Traits::KEEPS) {
            access.kills = false;
        }
        let vector =
            effects.intersects(Effects::VALU | Effects::LDS) || inst.format == isa::Format::Ds;
        // Whether a disabled source lane is read differs between instructions and between families, so all may.
        let cross_lane = effects.intersects(lane_control) || vector && op.has(Traits::CROSS_LANE);
        let ignores_exec = effects.contains(Effects::IGNORES_EXEC);
        access.reads_inactive = cross_lane || ignores_exec;
        access.writes_inactive = ignores_exec;
        if cross_lane && !op.has(Traits::LANE_TO_SCALAR) {
            access.kills = false;
        }

        access.indexed = Indexed {
            scalars: op.has(Traits::INDEXES_SCALARS),
            vectors: op.has(Traits::INDEXES_VECTORS) || indexing && effects.contains(Effects::VALU),
        };
        if access.indexed != Indexed::default() {
            access.kills = false;
        }
        if op.has(Traits::READS_HARDWARE) {
            for kind in BEHIND_GETREG {
                access.read(Reg {
                    kind,
                    index: 0,
                    width: 2,
                    half: None,
                });
            }
        } else if effects.contains(Effects::TRAP) {
            // Trap handlers before code object v5 find the queue in s[0:1].
            access.reads.push(Span::Scalar(0, 2));
        }
        access.exec = exec_change(inst, wave_size);
        access
    }

    fn write(&mut self, reg: Reg) {
        self.writes.extend(Span::from_register(reg));
    }

    fn read(&mut self, reg: Reg) {
        // Sources that stand for a register.
        let (kind, width) = match (reg.kind, reg.index) {
            (RegKind::Source, numbers::VCCZ) => (RegKind::Vcc, 2),
            (RegKind::Source, numbers::EXECZ) => (RegKind::Exec, 2),
            (RegKind::Source, numbers::LDS_DIRECT) => (RegKind::M0, 1),
            _ => {
                self.reads.extend(Span::from_register(reg));
                return;
            }
        };
        self.reads.extend(Span::from_register(Reg {
            kind,
            index: 0,
            width,
            half: None,
        }));
    }

    /// Every register that the instruction names or may reach by index.
    pub fn named(&self) -> impl Iterator<Item = Span> + '_ {
        self.reads
            .iter()
            .chain(&self.writes)
            .copied()
            .chain(self.indexed.spans())
    }
}

impl Indexed {
    /// All registers within reach.
    pub fn spans(self) -> impl Iterator<Item = Span> {
        let scalars = self.scalars.then_some(Span::Scalar(0, SGPR_COUNT));
        let vectors = self.vectors.then_some(Span::Vector(0, FILE_SIZE));
        scalars.into_iter().chain(vectors)
    }
}

/// How the instruction relates the new EXEC to the old; `None` if it does not write EXEC.
fn exec_change(inst: &Decoded, wave_size: u8) -> Option<ExecChange> {
    let is_exec = |reg: &Reg| reg.kind == RegKind::Exec;
    let explicit = inst.operands.iter().find_map(|operand| match operand {
        Operand::Def(reg) if is_exec(reg) => Some(*reg),
        _ => None,
    });
    let implicit = inst.implicit_defs.iter().copied().find(is_exec);
    let written = explicit.or(implicit)?;
    if written.width < wave_size / 32 {
        return Some(ExecChange::UNKNOWN);
    }
    if inst.op.has(Traits::COMPARES_TO_EXEC) {
        // Disabled lanes get 0.
        return Some(ExecChange::NARROW);
    }
    let sources: SmallVec<[Source; 2]> = inst
        .operands
        .iter()
        .filter_map(|operand| match operand {
            Operand::Use(reg) if is_exec(reg) => Some(Source::Exec),
            Operand::Use(_) => Some(Source::Unknown),
            Operand::Imm(0) => Some(Source::Zeros),
            Operand::Imm(value)
                if *value as u32 == u32::MAX
                    && (*value as i32 as i64 == *value || wave_size == 32) =>
            {
                Some(Source::Ones)
            }
            Operand::Imm(_) => Some(Source::Unknown),
            Operand::Def(_) | Operand::PcRel(_) => None,
        })
        .collect();
    let Some(mask) = inst.op.lane_mask() else {
        return Some(ExecChange::UNKNOWN);
    };
    let source = |index: usize| sources.get(index).copied().unwrap_or(Source::Unknown);
    let second = if mask.saves_exec || mask.writes_exec {
        Source::Exec
    } else {
        source(1)
    };
    Some(combine(mask.logic, [source(0), second]))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Exec,
    Zeros,
    Ones,
    Unknown,
}

fn combine(logic: Logic, [first, second]: [Source; 2]) -> ExecChange {
    use Source::{Exec, Ones, Zeros};
    let either = |wanted| first == wanted || second == wanted;
    match logic {
        Logic::Move if first == Ones => ExecChange::ALL,
        Logic::Move if first == Zeros => ExecChange::NONE,
        Logic::Not if first == Exec => ExecChange::SWAP,
        Logic::WholeQuads if first == Exec => ExecChange::WIDEN,
        Logic::Or if either(Ones) => ExecChange::ALL,
        Logic::Or if either(Exec) => ExecChange::WIDEN,
        Logic::And if either(Exec) => ExecChange::NARROW,
        Logic::AndNotB if first == Exec => ExecChange::NARROW,
        Logic::AndNotB if second == Exec => ExecChange::OTHERS,
        Logic::AndNotA if second == Exec => ExecChange::NARROW,
        Logic::OrNotA if second == Exec => ExecChange::WIDEN,
        Logic::Xor if first == Ones && second == Exec || first == Exec && second == Ones => {
            ExecChange::SWAP
        }
        _ => ExecChange::UNKNOWN,
    }
}
