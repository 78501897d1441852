//! `branch-divergence`: how often the lanes of a wave part.

use crate::by_line;
use isa::{Logic, Operand, Reg, RegKind, Traits};
use luthier::{
    Argument, Cache, Edit, HookValue, Instruction, Kernel, Result, Results, Tool, ToolFile,
    ToolInfo,
};

pub struct BranchDivergence(pub ToolFile);

impl Tool for BranchDivergence {
    fn info(&self) -> ToolInfo<'_> {
        ToolInfo::new(&self.0).cached(Cache::Always)
    }

    fn instrument(&self, kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()> {
        let (mut branches, mut unknown) = (Vec::new(), 0);
        for block in kernel.blocks() {
            let mut known = Known::default();
            for instruction in block.instructions() {
                match known.pass(&instruction, kernel.wave_size()) {
                    Passed::Parts(masks) => branches.push((instruction, masks)),
                    Passed::PartsUnseen if edit.chooses(&instruction) => unknown += 1,
                    Passed::PartsUnseen | Passed::Other => {}
                }
            }
        }
        if unknown != 0 {
            edit.note(format!(
                "branches left out, because no register that hooks can read has the lanes before or after them: {unknown}"
            ));
        }
        by_line::count_at(edit, branches, 2, |edit, branch, masks, counter| {
            masks.count(edit, branch, counter)
        })
    }

    fn finish(&self, results: &Results<'_>) -> Result<String> {
        by_line::report(
            results,
            self.0.name(),
            |&[executions, splits]: &[u64; 2]| {
                let share = splits as f64 * 100.0 / executions as f64;
                let text = format!("{share:>6.1} % of {executions:>10} waves split");
                (splits as f64, text)
            },
        )
    }

    fn finish_json(&self, results: &Results<'_>) -> Result<serde_json::Value> {
        by_line::json(results, &["executions", "splits"])
    }
}

/// Where the lanes before and after an instruction are that takes some out of EXEC.
#[derive(Clone, Copy)]
enum Masks {
    /// The register has EXEC as it was, once the instruction is executed.
    Saved(Reg),
    /// Before the instruction, the register has lanes that stay (or, if `negated`, that go), of those in EXEC.
    Taken { mask: Reg, negated: bool },
}

impl Masks {
    fn count(
        self,
        edit: &mut Edit<'_>,
        branch: &Instruction<'_>,
        counter: luthier::Counter,
    ) -> Result<()> {
        let exec = Argument::Value(HookValue::Exec);
        // Waves of 32 lanes have masks of one register.
        let of = |mask: Reg, short, long| if mask.width == 1 { short } else { long };
        match self {
            Masks::Saved(saved) => {
                let hook = of(saved, "split_32", "split");
                let arguments = [saved.into(), exec, counter.into()];
                edit.after(branch).once().call(hook, arguments).map(drop)
            }
            Masks::Taken { mask, negated } => {
                let hook = of(mask, "part_32", "part");
                let arguments = [exec, mask.into(), u32::from(negated).into(), counter.into()];
                edit.before(branch).once().call(hook, arguments).map(drop)
            }
        }
    }
}

/// What an instruction does to a wave.
enum Passed {
    /// It takes lanes out of EXEC.
    Parts(Masks),
    /// The same, but the lanes are in no register.
    PartsUnseen,
    Other,
}

/// What is known of scalar registers on the way through a block.
#[derive(Default)]
struct Known {
    /// Registers that have EXEC.
    copies: Vec<Reg>,
    /// Registers with some of EXEC's lanes.
    parts: Vec<Reg>,
}

impl Known {
    /// Goes on to what is known after the instruction.
    fn pass(&mut self, instruction: &Instruction<'_>, lanes: u8) -> Passed {
        let written = || {
            instruction
                .operands()
                .into_iter()
                .chain(instruction.implied())
        };
        let defined: Vec<Reg> = written()
            .filter_map(|operand| match operand {
                Operand::Def(reg) => Some(reg),
                _ => None,
            })
            .collect();
        let stays = |reg: &Reg| defined.iter().all(|other| !overlap(*reg, *other));
        if instruction.decoded().op.has(Traits::COMPARES_TO_EXEC) {
            self.copies.retain(stays);
            let saved = self.copies.first().copied();
            *self = Known::default();
            return saved.map_or(Passed::PartsUnseen, |saved| {
                Passed::Parts(Masks::Saved(saved))
            });
        }
        let (passed, copy, part) = self.of_mask(instruction, lanes);
        if instruction.writes_exec() {
            *self = Known::default();
        }
        self.copies.retain(stays);
        self.parts.retain(stays);
        self.copies.extend(copy);
        self.parts.extend(part);
        passed
    }

    /// What an instruction does that makes masks of lanes, and the register that has EXEC or some of its lanes then.
    fn of_mask(
        &self,
        instruction: &Instruction<'_>,
        lanes: u8,
    ) -> (Passed, Option<Reg>, Option<Reg>) {
        let nothing = (Passed::Other, None, None);
        let mask = instruction.decoded().op.lane_mask();
        let Some(mask) = mask.filter(|mask| 32 * mask.dwords == lanes) else {
            return nothing;
        };
        let (mut to, mut from) = (None, Vec::new());
        for operand in instruction.operands() {
            match operand {
                Operand::Def(reg) => to = to.or(Some(reg)),
                Operand::Use(reg) => from.push(reg),
                _ => return nothing,
            }
        }
        let Some(to) = to else { return nothing };
        if mask.saves_exec || mask.writes_exec {
            let takes = matches!(mask.logic, Logic::And | Logic::AndNotA);
            return match (takes, mask.saves_exec && is_readable(to)) {
                (false, _) => nothing,
                (true, true) => (Passed::Parts(Masks::Saved(to)), None, None),
                (true, false) => (Passed::PartsUnseen, None, None),
            };
        }
        let has_exec = |reg: &Reg| reg.kind == RegKind::Exec || self.copies.contains(reg);
        let taken = match (mask.logic, &from[..]) {
            (Logic::Move, [from]) if has_exec(from) => {
                let copy = is_readable(to).then_some(to);
                return (Passed::Other, copy, None);
            }
            (Logic::Move, [from]) if self.parts.contains(from) => Some((*from, false)),
            (Logic::And, [a, b]) if has_exec(a) => Some((*b, false)),
            (Logic::And, [a, b]) if has_exec(b) => Some((*a, false)),
            (Logic::AndNotB, [a, b]) if has_exec(a) => Some((*b, true)),
            (Logic::AndNotA, [a, b]) if has_exec(b) => Some((*a, true)),
            _ => None,
        };
        let Some((mask, negated)) = taken else {
            return nothing;
        };
        match (to.kind == RegKind::Exec, is_readable(mask)) {
            (true, true) => (Passed::Parts(Masks::Taken { mask, negated }), None, None),
            (true, false) => (Passed::PartsUnseen, None, None),
            (false, _) => (Passed::Other, None, is_readable(to).then_some(to)),
        }
    }
}

fn overlap(a: Reg, b: Reg) -> bool {
    let end = |reg: Reg| reg.index + u16::from(reg.width);
    a.kind == b.kind && a.index < end(b) && b.index < end(a)
}

/// Hooks can have it as an argument.
fn is_readable(reg: Reg) -> bool {
    matches!(reg.kind, RegKind::Sgpr | RegKind::Vcc)
}
