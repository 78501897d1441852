//! `mem-trace`, `mem-coalesce` and `lds-conflicts`: where lanes access memory, and how well the lanes of an access fit together.

use crate::by_line;
use isa::Effects;
use luthier::{Argument, Edit, Instruction, Kernel, Result, Results, Tool, ToolFile};

/// Says how many accesses a tool that needs addresses cannot see.
fn note_left_out(kernel: &Kernel<'_>, edit: &mut Edit<'_>) {
    let left_out = kernel
        .instructions()
        .filter(|instruction| {
            instruction.is_vector_memory()
                && !instruction.has_address()
                && instruction.buffer_arguments().is_none()
        })
        .count();
    if left_out != 0 {
        edit.note(format!(
            "{left_out} accesses to images, or through buffer descriptors of gfx11 and later, are left out"
        ));
    }
}

/// The tool that streams every address to a file.
pub struct Trace(pub ToolFile);

impl Tool for Trace {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn file(&self) -> &ToolFile {
        &self.0
    }

    fn instrument(&self, kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()> {
        note_left_out(kernel, edit);
        for access in kernel.instructions() {
            let place = edit.before(&access);
            if access.has_address() {
                place.call("record", [] as [Argument; 0])?;
            } else if let Some(arguments) = access.buffer_arguments() {
                place.call("record_buffer", arguments)?;
            }
        }
        Ok(())
    }

    fn finish(&self, _results: &Results<'_>) -> Result<String> {
        Ok(String::new())
    }
}

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
            let known = instruction.has_address() || instruction.buffer_arguments().is_some();
            known && !instruction.effects().contains(Effects::LDS)
        };
        let accesses: Vec<_> = kernel.instructions().filter(wanted).collect();
        note_left_out(kernel, edit);
        by_line::count_at(edit, &accesses, 3, |edit, access, counter| {
            let place = edit.before(access);
            let counter = Argument::from(counter);
            let placed = match access.buffer_arguments() {
                None => place.call("lines", [counter]),
                Some(buffer) => place.call("buffer_lines", [counter].into_iter().chain(buffer)),
            };
            placed.map(drop)
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
