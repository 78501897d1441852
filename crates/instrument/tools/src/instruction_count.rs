//! `instr-count`: wave and lane instructions of every kernel.

use luthier::rows::{self, Section};
use luthier::{
    Argument, Cache, Edit, HookValue, Instruction, Kernel, Result, Results, Tool, ToolFile,
    ToolInfo,
};

pub struct InstructionCount(pub ToolFile);

impl Tool for InstructionCount {
    fn info(&self) -> ToolInfo<'_> {
        ToolInfo::new(&self.0).cached(Cache::Always)
    }

    fn instrument(&self, kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()> {
        let counters = edit.counters(2);
        for block in kernel.blocks() {
            let chosen = edit.chosen(&block);
            edit.at_block(&block).count(counters.at(0), chosen)?;
            // EXEC is the same throughout a stretch.
            let instructions: Vec<Instruction<'_>> = block.instructions().collect();
            for stretch in instructions.split_inclusive(|instruction| instruction.writes_exec()) {
                let chosen = stretch.iter().filter(|at| edit.chooses(at)).count() as u32;
                if chosen == 0 {
                    continue;
                }
                let arguments = [
                    Argument::Value(HookValue::Exec),
                    chosen.into(),
                    counters.at(1).into(),
                ];
                let place = edit.before(&stretch[0]).for_others().once();
                place.call("lanes", arguments)?;
            }
        }
        Ok(())
    }

    fn finish(&self, results: &Results<'_>) -> Result<String> {
        let head = format!("{:>16} {:>18}  kernel", "wave", "lane instructions");
        let rows = results.kernels().map(|kernel| {
            let [waves, lanes] = [kernel.counters()[0], kernel.counters()[1]];
            (
                waves as f64,
                format!("{waves:>16} {lanes:>18}  {}", kernel.label()),
            )
        });
        let rows = rows.collect();
        Ok(rows::most_important(
            &[Section { head, rows }],
            results,
            self.0.name(),
        ))
    }

    fn finish_json(&self, results: &Results<'_>) -> Result<serde_json::Value> {
        let kernels = results.kernels().map(|kernel| counts::OfTool {
            kernel: kernel.name().to_owned(),
            object: kernel.object().to_owned(),
            launches: kernel.launches(),
            wave_instructions: kernel.counters()[0],
            lane_instructions: kernel.counters()[1],
        });
        Ok(serde_json::json!(kernels.collect::<Vec<_>>()))
    }
}
