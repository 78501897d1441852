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
                "branches left out, because no register that hooks can read has the lanes before or after them, or because nothing in their block says how their lanes came about: {unknown}"
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

/// The registers that have the lanes before and after an instruction that takes some out of EXEC.
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

/// An instruction does this to a wave.
enum Passed {
    /// It takes lanes out of EXEC.
    Parts(Masks),
    /// It does or may do the same, but no register is known to have the lanes.
    PartsUnseen,
    Other,
}

/// A scalar register has these lanes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lanes {
    /// All that are in EXEC.
    All,
    /// Some of those that are in EXEC.
    Some,
    /// All that were in EXEC before the block changed it.
    Earlier,
}

/// It holds the scalar registers whose lanes are known on the way through a block.
#[derive(Default)]
struct Known(Vec<(Reg, Lanes)>);

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
        let (passed, made) = match instruction.decoded().op.has(Traits::COMPARES_TO_EXEC) {
            true => (self.of_comparison(stays), None),
            false => self.of_mask(instruction, lanes),
        };
        if instruction.writes_exec() {
            self.change_exec();
        }
        self.0.retain(|(reg, _)| stays(reg));
        self.0.extend(made);
        passed
    }

    /// Goes on to what is known when EXEC has changed.
    fn change_exec(&mut self) {
        self.0.retain(|(_, has)| *has != Lanes::Some);
        for (_, has) in &mut self.0 {
            *has = Lanes::Earlier;
        }
    }

    fn has(&self, reg: Reg) -> Option<Lanes> {
        let mut known = self.0.iter();
        let found = known.find(|(other, _)| *other == reg);
        found.map(|(_, has)| *has)
    }

    /// Says what a comparison does whose result becomes EXEC. Registers for which `stays` is false do not outlive it.
    fn of_comparison(&self, stays: impl Fn(&Reg) -> bool) -> Passed {
        let mut known = self.0.iter();
        let saved = known.find(|(reg, has)| *has == Lanes::All && stays(reg));
        saved.map_or(Passed::PartsUnseen, |(saved, _)| {
            Passed::Parts(Masks::Saved(*saved))
        })
    }

    /// Says what an instruction does that makes masks of lanes, and which register has known lanes then.
    fn of_mask(&self, instruction: &Instruction<'_>, lanes: u8) -> (Passed, Option<(Reg, Lanes)>) {
        let nothing = (Passed::Other, None);
        let mask = instruction.decoded().op.lane_mask();
        let Some(mask) = mask.filter(|mask| 32 * mask.dwords == lanes) else {
            return nothing;
        };
        let (mut to, mut from) = (None, Vec::new());
        for operand in instruction.operands() {
            match operand {
                Operand::Def(reg) => to = to.or(Some(reg)),
                Operand::Use(reg) => from.push(reg),
                // `s_or_saveexec_b64 s[4:5], -1` keeps EXEC in a register all the same.
                _ if mask.saves_exec => {}
                _ => return nothing,
            }
        }
        let Some(to) = to else { return nothing };
        if mask.saves_exec || mask.writes_exec {
            let takes = matches!(mask.logic, Logic::And | Logic::AndNotA);
            let saved = mask.saves_exec && is_readable(to);
            let passed = match (takes, saved) {
                (false, _) => Passed::Other,
                (true, true) => Passed::Parts(Masks::Saved(to)),
                (true, false) => Passed::PartsUnseen,
            };
            return (passed, saved.then_some((to, Lanes::Earlier)));
        }
        let has_exec = |reg: &Reg| reg.kind == RegKind::Exec || self.has(*reg) == Some(Lanes::All);
        let taken = match (mask.logic, &from[..]) {
            (Logic::Move, [from]) if has_exec(from) => {
                return (Passed::Other, is_readable(to).then_some((to, Lanes::All)));
            }
            (Logic::Move, [from]) if self.has(*from) == Some(Lanes::Earlier) => {
                return (
                    Passed::Other,
                    is_readable(to).then_some((to, Lanes::Earlier)),
                );
            }
            (Logic::Move, [from]) if self.has(*from) == Some(Lanes::Some) => Some((*from, false)),
            (Logic::And, [a, b]) if has_exec(a) => Some((*b, false)),
            (Logic::And, [a, b]) if has_exec(b) => Some((*a, false)),
            (Logic::AndNotB, [a, b]) if has_exec(a) => Some((*b, true)),
            (Logic::AndNotA, [a, b]) if has_exec(b) => Some((*a, true)),
            _ => None,
        };
        let takes_part = || {
            matches!(
                mask.logic,
                Logic::Move | Logic::And | Logic::AndNotA | Logic::AndNotB
            )
        };
        match (to.kind == RegKind::Exec, taken) {
            (true, Some((mask, negated))) if is_readable(mask) => {
                (Passed::Parts(Masks::Taken { mask, negated }), None)
            }
            (true, Some(_)) => (Passed::PartsUnseen, None),
            (true, None) if takes_part() => (Passed::PartsUnseen, None),
            (false, Some(_)) => (Passed::Other, is_readable(to).then_some((to, Lanes::Some))),
            (_, None) => nothing,
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
