//! One kernel, instrumented by all tools.

use crate::{
    Edit, Engine, Error, Kernel, Result,
    engine::{
        ToolData, built_in,
        compose::{self, Counting},
        recent::ObjectFacts,
    },
    parameters::LANES,
};
use codeobj::{CodeObject, SourceLines};
use lift::{FunctionIndex, Module};
use rewrite::{Action, Insertion, Kernels, Plan, Refusal, Rewritten};
use serde_json::value::RawValue;
use session::{Report, Request, Usage, Variant};

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
    /// Which of the kernel's variants, see [`Engine::choices`].
    pub variant: u64,
}

/// Answers a session's request.
pub(crate) fn variant(engine: &Engine, request: &Request<'_>) -> Result<Variant> {
    with_source(engine, request, |source, function, kernels| {
        let mut built = kernel(engine, source, function)?;
        let (bytes, patches) = rewrite::live_object_of(kernels, &built.rewritten, source.object)
            .map_err(|refusal| Error::Tool(refusal.to_string()))?;
        let descriptor = &built.rewritten.descriptor;
        Ok(Variant {
            object: bytes,
            kernel_symbol: format!("{}.kd", request.kernel),
            patches: patches.into_iter().map(patch).collect::<Result<_>>()?,
            private_segment_size: descriptor.private_segment_size(),
            group_segment_size: descriptor.group_segment_size(),
            tool_data: serde_json::to_vec(&built.data)?,
            globals: engine.counters(
                request.kernel,
                request.object_hash,
                request.choice,
                &built.data,
            ),
            report: report(&mut built),
        })
    })
}

/// What the variant has so many bytes behind the entry of its kernel. It is made once more for that: nobody wants to know as long
/// as all goes well.
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
    let object = CodeObject::parse(request.object)
        .map_err(|error| Error::Tool(format!("cannot read the code object: {error}")))?;
    if built_in::is_in(object.elf()) {
        // Addresses of the first tools' variables are not in its bytes: the loader fills them in.
        return Err(Error::Tool(
            "its code object has tools in it already".to_owned(),
        ));
    }
    let module = Module::lift_kernel(&object, request.kernel)
        .map_err(|error| Error::Tool(format!("cannot lift the kernel: {error}")))?;
    let recent = ObjectFacts::get_or_find(engine, &object, request.object_hash)?;
    let lines = recent.lines();
    let source = Source {
        refused: recent.refused.as_deref(),
        kernels: &recent.kernels,
        object: &object,
        hash: request.object_hash,
        module: &module,
        lines: lines.as_ref(),
        variant: request.choice,
    };
    let function = module
        .function(request.kernel)
        .ok_or_else(|| Error::Tool("the code object has no code for it".to_owned()))?;
    act(source, function, &recent.kernels)
}

/// What the object says of its kernels.
pub(crate) fn kernels(object: &CodeObject<'_>) -> Result<Kernels> {
    Kernels::all(object).map_err(|refusal| Error::Tool(refusal.to_string()))
}

/// Prints what the kernel is after each pass, if the environment asks for that.
fn rewritten(
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
    let (mut rewritten, CombinedPlan { data, notes, .. }) =
        made(engine, source, function, &kernel)?;
    if let Some(lines) = source.lines {
        rewritten.find_lines(lines);
    }
    let before = source
        .object
        .kernel(kernel.name())
        .map(|kernel| Usage::of(&kernel.descriptor))
        .unwrap_or_default();
    Ok(BuiltKernel {
        rewritten,
        data,
        before,
        notes,
    })
}

/// The kernel with what the tools want done to it, as far as that can be done.
fn made<'k>(
    engine: &'k Engine,
    source: Source<'_>,
    function: FunctionIndex,
    kernel: &'k Kernel<'k>,
) -> Result<(Rewritten, CombinedPlan<'k>)> {
    let module = source.module;
    if let Some(reason) = source.refused {
        return Err(Error::Tool(reason.to_owned()));
    }
    // Places that cannot take a hook cost themselves alone, if they are not too many.
    let attempt = |counting, most: usize| -> Result<(Rewritten, CombinedPlan<'k>)> {
        let mut wanted = wanted(engine, kernel, source, counting)?;
        let mut left_out = Vec::new();
        loop {
            let refusal = match rewritten(source, function, &wanted.plan) {
                Ok(rewritten) => {
                    wanted.notes.extend(without(&left_out));
                    return Ok((rewritten, wanted));
                }
                Err(refusal) => refusal,
            };
            let place = refusal.place().filter(|_| left_out.len() < most);
            match place.filter(|pc| leave_out(&mut wanted, module, *pc)) {
                Some(pc) => left_out.push((pc, refusal)),
                None => return Err(Error::Tool(refusal.to_string())),
            }
        }
    };
    let in_memory = |first: Error| {
        let (rewritten, mut wanted) = attempt(Counting::Memory, 0)?;
        let note = format!("counts in memory, not in registers: {first}");
        wanted.notes.push(note);
        Ok((rewritten, wanted))
    };
    let whole = attempt(Counting::Registers, 0).or_else(in_memory);
    match whole {
        Err(_) if !engine.strict => attempt(Counting::Registers, MOST_LEFT_OUT),
        whole => whole,
    }
}

/// Places of a kernel that may be left out. Each costs another attempt.
const MOST_LEFT_OUT: usize = 256;

/// Takes out all hooks at an instruction; false if there are none, or if one must not be missing.
fn leave_out(wanted: &mut CombinedPlan<'_>, module: &Module, pc: u64) -> bool {
    let hook_there = |insertion: &Insertion| {
        let insts = &module.functions[insertion.function].insts;
        match insertion.action {
            Action::Call { hook, .. } if insts.pc(insertion.inst) == pc => Some(hook),
            _ => None,
        }
    };
    let mut there = wanted.plan.insertions.iter().filter_map(hook_there);
    if there.any(|hook| wanted.tool_of(hook).is_some_and(|tool| tool.whole)) {
        return false;
    }
    let insertions = &mut wanted.plan.insertions;
    let before = insertions.len();
    insertions.retain(|insertion| hook_there(insertion).is_none());
    insertions.len() < before
}

/// A remark on places that got no hook.
fn without(left_out: &[(u64, Refusal)]) -> Option<String> {
    let (pc, reason) = left_out.first()?;
    let others = match left_out.len() - 1 {
        0 => String::new(),
        others => format!(" and {others} more places"),
    };
    Some(format!(
        "no hook at {pc:#x}{others}, which --strict would refuse: {reason}"
    ))
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

/// What all tools together want done to a kernel.
struct CombinedPlan<'k> {
    plan: Plan<'k>,
    data: Vec<ToolData>,
    notes: Vec<String>,
    tools: Vec<ToolHooks<'k>>,
}

/// A tool's part of the plan.
struct ToolHooks<'k> {
    name: &'k str,
    /// Where its hooks end in those of the plan.
    end: usize,
    /// No hook may be left out.
    whole: bool,
}

impl CombinedPlan<'_> {
    fn tool_of(&self, hook: usize) -> Option<&ToolHooks<'_>> {
        self.tools.iter().find(|tool| hook < tool.end)
    }

    /// The hooks at an instruction, with their tools.
    fn hooks_at(&self, instruction: &crate::Instruction<'_>) -> Vec<String> {
        let there = self.plan.insertions.iter().filter(|insertion| {
            insertion.function == instruction.function().index()
                && insertion.inst == instruction.index()
        });
        let mut names: Vec<String> = Vec::new();
        for insertion in there {
            let Action::Call { hook, .. } = insertion.action else {
                continue;
            };
            let tool = self.tool_of(hook).map_or("", |tool| tool.name);
            let hook = &self.plan.hooks[hook].name;
            let hook = hook.strip_suffix(LANES).unwrap_or(hook);
            let name = format!("hook {hook} of tool {tool}");
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

fn wanted<'k>(
    engine: &'k Engine,
    kernel: &'k Kernel<'k>,
    source: Source<'_>,
    counting: Counting,
) -> Result<CombinedPlan<'k>> {
    let mut plan = Plan::default();
    let (mut data, mut tools) = (Vec::new(), Vec::new());
    let mut notes: Vec<String> = computed(kernel).into_iter().collect();
    let choices = engine.choices(source.variant);
    for (tool, choice) in engine.tools.iter().zip(choices) {
        if choice == 0 {
            data.push(ToolData::default());
            continue;
        }
        let file = tool.file();
        let counters = file.counters_name(kernel.name(), source.hash, source.variant);
        let mut edit = Edit::new(kernel, file, &engine.filter, counters, choice, *source.hash);
        tool.instrument(kernel, &mut edit)?;
        if edit.unreached != 0 {
            let places = edit.unreached;
            edit.note(format!(
                "nothing is inserted behind the end of the program (s_endpgm), where control never comes: {places} places"
            ));
        }
        data.push(ToolData {
            counters: edit.counters,
            data: std::mem::replace(&mut edit.data, RawValue::NULL.to_owned()),
        });
        let remarks = std::mem::take(&mut edit.notes).into_iter();
        notes.extend(remarks.map(|remark| format!("{}: {remark}", tool.name())));
        let whole = edit.whole;
        compose::add(&mut plan, edit, counting)?;
        tools.push(ToolHooks {
            name: tool.name(),
            end: plan.hooks.len(),
            whole,
        });
    }
    Ok(CombinedPlan {
        plan,
        data,
        notes,
        tools,
    })
}

/// A remark on calls whose targets are only known at run time: they are led to instrumented functions as far as those are
/// known to be called through pointers.
fn computed(kernel: &Kernel<'_>) -> Option<String> {
    let functions = kernel.functions();
    let calls: usize = functions.map(|function| function.unresolved().len()).sum();
    (calls != 0).then(|| {
        format!("{calls} jumps to computed addresses: a function that nothing else refers to runs uninstrumented")
    })
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
                return Err(Error::Tool(reason));
            }
        },
        addend: patch.addend,
    })
}

/// What it cost.
pub(crate) fn report(built: &mut BuiltKernel) -> Report {
    let report = &built.rewritten.report;
    Report {
        before: built.before,
        after: Usage::of(&built.rewritten.descriptor),
        sites: report.sites.into(),
        added_bytes: report.text_after.saturating_sub(report.text_before),
        notes: std::mem::take(&mut built.notes),
    }
}
