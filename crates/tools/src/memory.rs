//! `mem-coalesce` and `lds-conflicts`: how well the lanes of an access fit together.

use crate::by_line;
use isa::Effects;
use luthier::{Argument, Edit, Instruction, Kernel, Result, Results, Tool, ToolFile};

pub struct Coalescing(pub ToolFile);

impl Tool for Coalescing {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn file(&self) -> &ToolFile {
        &self.0
    }

    fn instrument(&self, kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()> {
        let wanted = |instruction: &Instruction<'_>| {
            instruction.is_vector_memory() && !instruction.effects().contains(Effects::LDS)
        };
        let accesses: Vec<_> = kernel.instructions().filter(wanted).collect();
        by_line::count_at(edit, &accesses, 3, |edit, access, counter| {
            let place = edit.before(access);
            place.call("lines", [Argument::from(counter)]).map(drop)
        })
    }

    fn finish(&self, results: &Results<'_>) -> Result<String> {
        by_line::report(results, |&[accesses, lanes, lines]: &[u64; 3]| {
            let per_access = lines as f64 / accesses as f64;
            let text = format!(
                "{per_access:>6.2} lines of 128 bytes an access, {:>5.1} lanes, {accesses:>10} accesses",
                lanes as f64 / accesses as f64
            );
            (lines as f64, text)
        })
    }

    fn finish_json(&self, results: &Results<'_>) -> Result<serde_json::Value> {
        by_line::json(results, &["accesses", "lanes", "lines"])
    }
}

pub struct BankConflicts(pub ToolFile);

impl Tool for BankConflicts {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn file(&self) -> &ToolFile {
        &self.0
    }

    fn instrument(&self, kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()> {
        let wanted = |instruction: &Instruction<'_>| {
            instruction.is_memory() && instruction.effects().contains(Effects::LDS)
        };
        let accesses: Vec<_> = kernel.instructions().filter(wanted).collect();
        by_line::count_at(edit, &accesses, 2, |edit, access, counter| {
            let place = edit.before(access);
            place.call("conflicts", [Argument::from(counter)]).map(drop)
        })
    }

    fn finish(&self, results: &Results<'_>) -> Result<String> {
        by_line::report(results, |&[accesses, cycles]: &[u64; 2]| {
            let text = format!(
                "{:>6.2} turns an access, {accesses:>10} accesses",
                cycles as f64 / accesses as f64
            );
            (cycles as f64, text)
        })
    }

    fn finish_json(&self, results: &Results<'_>) -> Result<serde_json::Value> {
        by_line::json(results, &["accesses", "turns"])
    }
}
