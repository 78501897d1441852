//! One kernel, instrumented by all tools.

use crate::{
    Engine, Error, Kernel, Result,
    engine::{
        ToolData, built_in,
        recent::ObjectFacts,
        wanted::{CombinedPlan, made},
        whole,
    },
};
use codeobj::{CodeObject, SourceLines};
use lift::{FunctionIndex, Module};
use rewrite::{Kernels, Plan, Refusal, Rewritten};
use session::{Fit, Report, Request, Unmatched, Usage, Variant};

/// Environment variable: `rewrite` prints what each kernel is after each pass of rewriting.
const DUMP: &str = "LUTHIER_DUMP";

/// A kernel with everything in it, at no address yet.
pub(crate) struct BuiltKernel {
    pub rewritten: Rewritten,
    /// One for each tool.
    pub data: Vec<ToolData>,
    pub before: Usage,
    /// Remarks for the user.
    pub notes: Vec<String>,
    pub unmatched: Vec<Unmatched>,
    /// The variable that says whether a wave went to code that is not instrumented, if any can.
    pub left: Option<String>,
}

impl BuiltKernel {
    /// Variables of this kernel alone.
    pub fn variables(&self, engine: &Engine, source: Source<'_>) -> Vec<session::Global> {
        let kernel = &self.rewritten.kernel;
        let mut variables = engine.counters(kernel, source.hash, source.variant, &self.data);
        variables.extend(self.left.clone().map(left_variable));
        variables
    }
}

/// Bytes of [`BuiltKernel::left`].
const LEFT_SIZE: u64 = 4;

/// See [`Plan::left`].
pub(crate) fn left_variable(name: String) -> session::Global {
    session::Global {
        name,
        size: LEFT_SIZE,
        content: session::Content::Memory {
            kind: session::MemoryKind::Device,
            initial: Vec::new(),
        },
    }
}

/// Its name for a kernel, of which each variant has its own.
pub(crate) fn left_name(kernel: &str, source: Source<'_>) -> String {
    let hash = source.hash[..8].iter();
    let hash: String = hash.map(|byte| format!("{byte:02x}")).collect();
    let stack = source
        .stack_size
        .map_or(String::new(), |size| format!("/{size}"));
    format!("luthier/left@{kernel}#{hash}+{}{stack}", source.variant)
}

/// A code object to instrument kernels of.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub object: &'a CodeObject<'a>,
    /// SHA-256 of its bytes.
    pub hash: &'a [u8; 32],
    pub module: &'a Module,
    pub kernels: &'a Kernels,
    pub lines: Option<&'a SourceLines>,
    /// Why none of its kernels can be instrumented, see [`relocated`].
    pub refused: Option<&'a str>,
    /// The number of the kernel's variant, see [`Engine::choices`].
    pub variant: u64,
    /// See [`Request::stack_size`].
    pub stack_size: Option<u32>,
}

/// Answers a session's request.
pub(crate) fn variant(engine: &Engine, request: &Request<'_>) -> Result<Variant> {
    with_source(engine, request, |source, function, kernels| {
        let mut built = kernel(engine, source, function)?;
        let (bytes, patches) = rewrite::live_object_of(kernels, &built.rewritten, source.object)?;
        let descriptor = &built.rewritten.descriptor;
        Ok(Variant {
            object: bytes,
            kernel_symbol: format!("{}.kd", request.kernel),
            patches: patches.into_iter().map(patch).collect::<Result<_>>()?,
            private_segment_size: descriptor.private_segment_size(),
            group_segment_size: descriptor.group_segment_size(),
            fit: fit(source.object, &built.rewritten),
            tool_data: serde_json::to_vec(&built.data)?,
            globals: built.variables(engine, source),
            report: report(&mut built),
        })
    })
}

/// The code of the variant at `offset` bytes from its kernel's entry. The variant is made once more for that, because this is only needed
/// if something goes wrong.
pub(crate) fn place(engine: &Engine, request: &Request<'_>, offset: i64) -> Result<Option<String>> {
    with_source(engine, request, |source, function, _| {
        let kernel = Kernel::new(source.object, source.module, source.lines, function);
        let (rewritten, wanted) = made(engine, source, function, &kernel)?;
        let at = rewritten.entry.wrapping_add_signed(offset);
        let behind = rewritten.pcs.partition_point(|run| run.new <= at);
        let run = behind.checked_sub(1).map(|index| rewritten.pcs[index]);
        let Some(run) = run.filter(|_| at < rewritten.text.len() as u64) else {
            return Ok(None);
        };
        let pc = match run.length {
            0 => run.old,
            _ => run.old + (at - run.new),
        };
        let before = kernel.instructions().filter(|place| place.pc() <= pc);
        let Some(instruction) = before.max_by_key(|place| place.pc()) else {
            return Ok(None);
        };
        let mut text = format!("{} at {:#x}", instruction.mnemonic(), instruction.pc());
        if let Some((file, line)) = instruction.source() {
            text.push_str(&format!(" ({file}:{line})"));
        }
        let hooks = wanted.hooks_at(&instruction);
        Ok(Some(match (run.inserted, hooks.as_slice()) {
            (false, _) => format!("in the application's own code, {text}"),
            (true, []) => format!("in what counts, inserted at {text}"),
            (true, hooks) => format!("in {}, inserted at {text}", hooks.join(" or ")),
        }))
    })
}

/// Runs `act` on what is known of a request's code object, the kernel's function in it and all of its kernels.
fn with_source<T>(
    engine: &Engine,
    request: &Request<'_>,
    act: impl FnOnce(Source<'_>, FunctionIndex, &Kernels) -> Result<T>,
) -> Result<T> {
    let object = CodeObject::parse(request.object).map_err(Error::Object)?;
    if built_in::is_in(object.elf()) {
        // Addresses of the first tools' variables are not in its bytes: the loader fills them in.
        return Err(Error::Unsuitable(
            "its code object has tools in it already".to_owned(),
        ));
    }
    let recent = ObjectFacts::get_or_find(engine, &object, request.object_hash)?;
    let lines = recent.lines();
    let with = |module: &Module| {
        let source = Source {
            refused: recent.refused.as_deref(),
            kernels: &recent.kernels,
            object: &object,
            hash: request.object_hash,
            module,
            lines: lines.as_ref(),
            variant: request.choice,
            stack_size: request.stack_size,
        };
        let function = module
            .function(request.kernel)
            .ok_or_else(|| Error::NoKernel(request.kernel.to_owned()))?;
        act(source, function, &recent.kernels)
    };
    match Module::lift_alone(&object, request.kernel).map_err(Error::Lift)? {
        (module, true) => with(&module),
        (alone, false) => {
            // Before gigabytes are lifted for nothing.
            if let Some(function) = alone.function(request.kernel) {
                let descriptor = object
                    .kernel(request.kernel)
                    .map_err(Error::Object)?
                    .descriptor;
                rewrite::starts(&alone.functions[function], &descriptor)?;
            }
            drop(alone);
            let identity = (request.object_hash, request.object.len());
            whole::with(engine, &object, identity, with)
        }
    }
}

/// The object's metadata of its kernels.
pub(crate) fn kernels(object: &CodeObject<'_>) -> Result<Kernels> {
    Ok(Kernels::all(object)?)
}

/// Prints what the kernel is after each pass, if the environment asks for that.
pub(crate) fn rewritten(
    source: Source<'_>,
    function: FunctionIndex,
    plan: &Plan<'_>,
) -> std::result::Result<Rewritten, Refusal> {
    let (kernels, module) = (source.kernels, source.module);
    if std::env::var_os(DUMP).is_none_or(|wanted| wanted != "rewrite") {
        return rewrite::rewrite_of(kernels, module, function, plan);
    }
    let name = &module.functions[function].name;
    let mut print = |pass: &'static str, text: &str| eprintln!("{name} after {pass}:\n{text}");
    rewrite::rewrite_with_dumps(kernels, module, function, plan, &mut print)
}

/// Asks every tool and rewrites the kernel.
pub(crate) fn kernel(
    engine: &Engine,
    source: Source<'_>,
    function: FunctionIndex,
) -> Result<BuiltKernel> {
    let kernel = Kernel::new(source.object, source.module, source.lines, function);
    let (mut rewritten, wanted) = made(engine, source, function, &kernel)?;
    let empty = wanted.without_lanes(source);
    let CombinedPlan {
        data,
        mut notes,
        mut unmatched,
        ..
    } = wanted;
    notes.extend(empty);
    if rewritten.report.sites == 0 {
        let near = engine.filter.near(&kernel);
        if !near.is_empty() {
            let what = format!("{} holds at no place", engine.filter_text());
            unmatched.push(Unmatched { what, near });
        }
    }
    if let Some(lines) = source.lines {
        rewritten.find_lines(lines);
    }
    let before = source
        .object
        .kernel(kernel.name())
        .map(|kernel| Usage::from_descriptor(&kernel.descriptor))
        .unwrap_or_default();
    let name = left_name(kernel.name(), source);
    let symbol = rewrite::Symbol::Tool(name.clone());
    let leaves = (rewritten.relocations.iter()).any(|relocation| relocation.symbol == symbol);
    Ok(BuiltKernel {
        left: leaves.then_some(name),
        rewritten,
        data,
        before,
        notes,
        unmatched,
    })
}

/// The launches that the rewritten kernel fits.
fn fit(object: &CodeObject<'_>, rewritten: &Rewritten) -> Fit {
    match object.kernel(&rewritten.kernel) {
        Ok(before) => Fit::new(&before.descriptor, &rewritten.descriptor),
        Err(_) => Fit::default(),
    }
}

/// Why the code cannot be copied: the loader writes into it.
pub(crate) fn relocated(object: &CodeObject<'_>) -> Option<String> {
    let relocations = match object.dynamic_relocations() {
        Ok(relocations) => relocations,
        Err(error) => return Some(format!("cannot read its relocations: {error}")),
    };
    let sections = &object.elf().sections;
    let in_code = |offset: u64| {
        let code = sections.iter().filter(|section| section.is_code());
        let mut code = code.map(|section| offset.wrapping_sub(section.address) < section.size);
        code.any(|inside| inside)
    };
    let first = relocations
        .iter()
        .map(|relocation| relocation.offset)
        .filter(|&offset| in_code(offset))
        .min()?;
    Some(format!(
        "the loader writes an address into its code at {first:#x}, which a copy would not have; link it without `-z notext`"
    ))
}

fn patch(patch: rewrite::LivePatch) -> Result<session::Patch> {
    Ok(session::Patch {
        file_offset: patch.offset,
        kind: match patch.half {
            rewrite::AddressHalf::Low => session::PatchKind::Low32,
            rewrite::AddressHalf::High => session::PatchKind::High32,
        },
        symbol: match patch.symbol {
            rewrite::Symbol::Original(address) => session::Symbol::Original(address),
            rewrite::Symbol::Tool(name) => session::Symbol::Tool(name),
            rewrite::Symbol::Text(offset) => {
                let reason = format!("the new code's offset {offset:#x} is left for us to place");
                return Err(Error::Internal(reason));
            }
        },
        addend: patch.addend,
    })
}

/// The resources that the hooks cost.
pub(crate) fn report(built: &mut BuiltKernel) -> Report {
    let report = &built.rewritten.report;
    Report {
        before: built.before,
        after: Usage::from_descriptor(&built.rewritten.descriptor),
        sites: report.sites.into(),
        added_bytes: report.text_after.saturating_sub(report.text_before),
        notes: std::mem::take(&mut built.notes),
        left: built.left.clone(),
        unmatched: std::mem::take(&mut built.unmatched),
    }
}
