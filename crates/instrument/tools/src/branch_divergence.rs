//! `branch-divergence`: how often the lanes of a wave part.

use crate::by_line;
use isa::{Operand, Reg, RegKind};
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
        let branches: Vec<_> = kernel
            .instructions()
            .filter_map(|instruction| saved_exec(&instruction).map(|saved| (instruction, saved)))
            .collect();
        by_line::count_at(edit, branches, 2, |edit, branch, saved, counter| {
            // Waves of 32 lanes save one register.
            let hook = if saved.width == 1 {
                "split_32"
            } else {
                "split"
            };
            let arguments = [
                saved.into(),
                Argument::Value(HookValue::Exec),
                counter.into(),
            ];
            edit.after(branch).once().call(hook, arguments).map(drop)
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

/// The register with EXEC as it was, of an instruction that takes lanes out of it (`s_and_saveexec_b64` and its like).
fn saved_exec(instruction: &Instruction<'_>) -> Option<Reg> {
    let mask = instruction.decoded().op.lane_mask();
    if !mask.is_some_and(|mask| mask.saves_exec) {
        return None;
    }
    match *instruction.decoded().operands.first()? {
        Operand::Def(reg) if reg.kind == RegKind::Sgpr => Some(reg),
        _ => None,
    }
}
