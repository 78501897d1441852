//! `mem-trace`, `mem-coalesce` and `lds-conflicts`: where lanes access memory, and how well the lanes of an access fit together.

use crate::by_line;
use isa::Effects;
use luthier::{
    Argument, BUFFER_ARGUMENTS, Cache, Edit, IMAGE_ARGUMENTS, Instruction, Kernel, Result, Results,
    Tool, ToolFile, ToolInfo, names_texels,
};

/// The values that a hook needs to find the address of an access.
enum Access {
    /// Its address is a sum of registers.
    Plain,
    Buffer([Argument; BUFFER_ARGUMENTS]),
    Image([Argument; IMAGE_ARGUMENTS]),
}

impl Access {
    /// `None`: it accesses no memory by lane, or in a way that is not supported.
    fn classify(instruction: &Instruction<'_>) -> Option<Access> {
        if instruction.has_address() {
            return Some(Access::Plain);
        }
        let buffer = instruction.buffer_arguments().map(Access::Buffer);
        buffer.or_else(|| instruction.image_arguments().map(Access::Image))
    }

    /// An image instruction of which only the image is known.
    fn names_no_texels(&self) -> bool {
        matches!(self, Access::Image(arguments) if !names_texels(arguments))
    }
}

/// Says how many instructions there are of a kind that a tool has to tell about.
fn note(edit: &mut Edit<'_>, what: &str, count: usize) {
    if count != 0 {
        edit.note(format!("{what}: {count}"));
    }
}

/// Accesses with these effects; the kernel's notes say how many more there are.
fn accesses<'k>(
    kernel: &'k Kernel<'_>,
    edit: &mut Edit<'_>,
    concerns: impl Fn(Effects) -> bool,
) -> Vec<(Instruction<'k>, Access)> {
    let (mut known, mut left_out) = (Vec::new(), 0);
    for instruction in kernel.instructions() {
        if !instruction.is_vector_memory() || !concerns(instruction.effects()) {
            continue;
        }
        match Access::classify(&instruction) {
            Some(access) => known.push((instruction, access)),
            None => left_out += 1,
        }
    }
    note(
        edit,
        "accesses left out, relative to M0, by lane number or through registers that hooks cannot read",
        left_out,
    );
    known
}

/// The tool that streams every address to a file.
pub struct Trace(pub ToolFile);

impl Tool for Trace {
    fn info(&self) -> ToolInfo<'_> {
        ToolInfo::new(&self.0).cached(Cache::Always)
    }

    fn instrument(&self, kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()> {
        let accesses = accesses(kernel, edit, |_| true);
        let images = accesses
            .iter()
            .filter(|(_, access)| access.names_no_texels());
        note(
            edit,
            "image instructions recorded with where their image begins",
            images.count(),
        );
        for (instruction, access) in accesses {
            let place = edit.before(&instruction);
            match access {
                Access::Plain => place.call("record", [] as [Argument; 0])?,
                Access::Buffer(arguments) => place.call("record_buffer", arguments)?,
                Access::Image(arguments) => place.call("record_image", arguments)?,
            };
        }
        Ok(())
    }

    fn finish(&self, _results: &Results<'_>) -> Result<String> {
        Ok(String::new())
    }
}

pub struct Coalescing(pub ToolFile);

impl Tool for Coalescing {
    fn info(&self) -> ToolInfo<'_> {
        ToolInfo::new(&self.0).cached(Cache::Always)
    }

    fn instrument(&self, kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()> {
        let mut accesses = accesses(kernel, edit, |effects| !effects.contains(Effects::LDS));
        let all = accesses.len();
        accesses.retain(|(_, access)| !access.names_no_texels());
        note(
            edit,
            "image instructions left out, which name no texels",
            all - accesses.len(),
        );
        by_line::count_at(edit, accesses, 3, |edit, instruction, access, counter| {
            let place = edit.before(instruction);
            let counter = [Argument::from(counter)].into_iter();
            let placed = match access {
                Access::Plain => place.call("lines", counter),
                Access::Buffer(buffer) => place.call("buffer_lines", counter.chain(buffer)),
                Access::Image(image) => place.call("image_lines", counter.chain(image)),
            };
            placed.map(drop)
        })
    }

    fn finish(&self, results: &Results<'_>) -> Result<String> {
        by_line::report(
            results,
            self.0.name(),
            |&[accesses, lanes, lines]: &[u64; 3]| {
                let per_access = lines as f64 / accesses as f64;
                let text = format!(
                    "{per_access:>6.2} lines of 128 bytes an access, {:>5.1} lanes, {accesses:>10} accesses",
                    lanes as f64 / accesses as f64
                );
                (lines as f64, text)
            },
        )
    }

    fn finish_json(&self, results: &Results<'_>) -> Result<serde_json::Value> {
        by_line::json(results, &["accesses", "lanes", "lines"])
    }
}

pub struct BankConflicts(pub ToolFile);

impl Tool for BankConflicts {
    fn info(&self) -> ToolInfo<'_> {
        ToolInfo::new(&self.0).cached(Cache::Always)
    }

    fn instrument(&self, kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()> {
        let accesses = accesses(kernel, edit, |effects| effects.contains(Effects::LDS));
        by_line::count_at(edit, accesses, 2, |edit, instruction, _, counter| {
            let place = edit.before(instruction);
            place.call("conflicts", [Argument::from(counter)]).map(drop)
        })
    }

    fn finish(&self, results: &Results<'_>) -> Result<String> {
        by_line::report(results, self.0.name(), |&[accesses, cycles]: &[u64; 2]| {
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
