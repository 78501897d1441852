//! `mem-trace`, `mem-coalesce` and `lds-conflicts`: where lanes access memory, and how well the lanes of an access fit together.

use crate::by_line;
use isa::Effects;
use luthier::{
    Argument, BUFFER_ARGUMENTS, Edit, IMAGE_ARGUMENTS, Instruction, Kernel, Result, Results, Tool,
    ToolFile,
};

/// What a hook needs to find out where an access goes.
enum Access {
    /// Its address is a sum of registers.
    Plain,
    Buffer([Argument; BUFFER_ARGUMENTS]),
    Image([Argument; IMAGE_ARGUMENTS]),
}

impl Access {
    /// `None`: it accesses no memory by lane, or in a way that nobody works out.
    fn of(instruction: &Instruction<'_>) -> Option<Access> {
        if instruction.has_address() {
            return Some(Access::Plain);
        }
        let buffer = instruction.buffer_arguments().map(Access::Buffer);
        buffer.or_else(|| instruction.image_arguments().map(Access::Image))
    }
}

/// Says how many instructions there are of a kind that a tool has to tell about.
fn note(
    kernel: &Kernel<'_>,
    edit: &mut Edit<'_>,
    what: &str,
    counted: impl Fn(&Instruction<'_>) -> bool,
) {
    let count = kernel.instructions().filter(counted).count();
    if count != 0 {
        edit.note(format!("{what}: {count}"));
    }
}

fn note_left_out(kernel: &Kernel<'_>, edit: &mut Edit<'_>, concerns: impl Fn(Effects) -> bool) {
    note(
        kernel,
        edit,
        "accesses left out, through buffer descriptors of gfx11 and later, relative to M0 or by lane number",
        |instruction| {
            instruction.is_vector_memory()
                && concerns(instruction.effects())
                && Access::of(instruction).is_none()
        },
    );
}

/// An image instruction of which only the image is known.
fn names_image(instruction: &Instruction<'_>) -> bool {
    instruction.image_arguments().is_some() && !instruction.names_texels()
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
        note_left_out(kernel, edit, |_| true);
        note(
            kernel,
            edit,
            "image instructions recorded with where their image begins",
            names_image,
        );
        for access in kernel.instructions() {
            let place = edit.before(&access);
            match Access::of(&access) {
                Some(Access::Plain) => place.call("record", [] as [Argument; 0])?,
                Some(Access::Buffer(arguments)) => place.call("record_buffer", arguments)?,
                Some(Access::Image(arguments)) => place.call("record_image", arguments)?,
                None => continue,
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
    fn name(&self) -> &str {
        self.0.name()
    }

    fn file(&self) -> &ToolFile {
        &self.0
    }

    fn instrument(&self, kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()> {
        let wanted = |instruction: &Instruction<'_>| {
            Access::of(instruction).is_some()
                && !names_image(instruction)
                && !instruction.effects().contains(Effects::LDS)
        };
        let accesses: Vec<_> = kernel.instructions().filter(wanted).collect();
        note_left_out(kernel, edit, |effects| !effects.contains(Effects::LDS));
        note(
            kernel,
            edit,
            "image instructions left out, which name no texels",
            names_image,
        );
        by_line::count_at(edit, &accesses, 3, |edit, access, counter| {
            let place = edit.before(access);
            let counter = Argument::from(counter);
            let counter = [counter].into_iter();
            let placed = match Access::of(access) {
                Some(Access::Buffer(buffer)) => place.call("buffer_lines", counter.chain(buffer)),
                Some(Access::Image(image)) => place.call("image_lines", counter.chain(image)),
                _ => place.call("lines", counter),
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
            instruction.has_address() && instruction.effects().contains(Effects::LDS)
        };
        let accesses: Vec<_> = kernel.instructions().filter(wanted).collect();
        note_left_out(kernel, edit, |effects| effects.contains(Effects::LDS));
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
