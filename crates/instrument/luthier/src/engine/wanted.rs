//! The edits that tools request for a kernel, and as many of them as are possible.

use crate::{
    Edit, Engine, Error, Kernel, Result,
    engine::{
        ToolData,
        build::{Source, left_name, rewritten},
        compose::{self, Counting},
        lanes,
    },
    parameters::LANES,
};
use lift::{FunctionIndex, Module};
use rewrite::{Action, Insertion, Lanes, Plan, Refusal, Rewritten};
use serde_json::value::RawValue;
use session::Unmatched;
use std::collections::BTreeMap;

/// The kernel with the edits that the tools request, as far as they are possible. Every tool is asked once, however many attempts it takes.
/// If registers are scarce, counters count in memory. If a place cannot take a hook, it is left out, unless there are too many such places.
pub(crate) fn made<'k>(
    engine: &'k Engine,
    source: Source<'_>,
    function: FunctionIndex,
    kernel: &'k Kernel<'k>,
) -> Result<(Rewritten, CombinedPlan<'k>)> {
    if let Some(reason) = source.refused {
        return Err(Error::Unsuitable(reason.to_owned()));
    }
    let asked = Asked::collect(engine, kernel, source)?;
    // Without counters, both attempts would be the same.
    let to_memory = asked.counts().then(|| asked.clone());
    let mut wanted = asked.wanted(Counting::Registers, engine, source, function)?;
    let mut refusal = match rewritten(source, function, &wanted.plan) {
        Ok(rewritten) => return Ok((rewritten, wanted)),
        Err(refusal) => refusal,
    };
    if let Some(asked) = to_memory.filter(|_| refusal.lacks_registers()) {
        let mut other = asked.wanted(Counting::Memory, engine, source, function)?;
        let note = format!("counts in memory, not in registers: {refusal}");
        other.notes.push(note);
        let second = match rewritten(source, function, &other.plan) {
            Ok(rewritten) => return Ok((rewritten, other)),
            Err(refusal) => refusal,
        };
        // A refusal that names no place leaves nothing to leave out.
        if second.place().is_some() || refusal.place().is_none() {
            (wanted, refusal) = (other, second);
        }
    }
    // A caller that knows the launch asks again.
    let depends_on_launch = matches!(refusal, Refusal::DynamicStack);
    match engine.strict || depends_on_launch {
        true => Err(refusal.into()),
        false => with_places_left_out(source, function, wanted, refusal),
    }
}

/// Without the place that was refused first, and those that are then.
fn with_places_left_out<'k>(
    source: Source<'_>,
    function: FunctionIndex,
    mut wanted: CombinedPlan<'k>,
    mut refusal: Refusal,
) -> Result<(Rewritten, CombinedPlan<'k>)> {
    let mut left_out = Vec::new();
    while left_out.len() < MOST_LEFT_OUT
        && let Some(pc) = refusal.place()
        && leave_out(&mut wanted, source.module, pc)
    {
        left_out.push((pc, refusal));
        refusal = match rewritten(source, function, &wanted.plan) {
            Ok(rewritten) => {
                wanted.notes.extend(without(&left_out));
                return Ok((rewritten, wanted));
            }
            Err(refusal) => refusal,
        };
    }
    Err(refusal.into())
}

/// Without the hooks that ask for registers which the kernel does not have.
fn with_registers_there<'k>(
    mut wanted: CombinedPlan<'k>,
    engine: &Engine,
    source: Source<'_>,
    function: FunctionIndex,
) -> Result<CombinedPlan<'k>> {
    let plan = &wanted.plan;
    let absent = rewrite::absent_registers(source.kernels, source.module, function, plan)?;
    let Some((_, first)) = absent.first() else {
        return Ok(wanted);
    };
    let must_be = |(insertion, _): &(usize, Refusal)| match plan.insertions[*insertion].action {
        Action::Call { hook, .. } => wanted.tool_of(hook).is_some_and(|tool| tool.whole),
        _ => false,
    };
    let mut numbers: Vec<usize> = absent.iter().map(|(insertion, _)| *insertion).collect();
    numbers.dedup();
    let none_is_left = numbers.len() == plan.insertions.len() && plan.changes.is_empty();
    if engine.strict || none_is_left || absent.iter().any(must_be) {
        return Err(first.clone().into());
    }
    let mut at = 0;
    let mut left_out = numbers.iter().peekable();
    wanted.plan.insertions.retain(|_| {
        let stays = left_out.next_if(|number| **number == at).is_none();
        at += 1;
        stays
    });
    let mut places: Vec<(u64, Refusal)> = Vec::new();
    for (_, refusal) in absent {
        let pc = refusal.place().unwrap_or_default();
        if places.iter().all(|(known, _)| *known != pc) {
            places.push((pc, refusal));
        }
    }
    wanted.notes.extend(without(&places));
    Ok(wanted)
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
        "no hook at {pc:#x}{others}, which luthier run --strict would refuse: {reason}"
    ))
}

/// The tools' requests for a kernel.
#[derive(Clone)]
struct Asked<'k> {
    /// With the names of their tools.
    edits: Vec<(&'k str, Edit<'k>)>,
    data: Vec<ToolData>,
    notes: Vec<String>,
    unmatched: Vec<Unmatched>,
    stack_size: Option<u32>,
    /// See [`Plan::left`].
    left: String,
}

impl<'k> Asked<'k> {
    fn collect(
        engine: &'k Engine,
        kernel: &'k Kernel<'k>,
        source: Source<'_>,
    ) -> Result<Asked<'k>> {
        let mut asked = Asked {
            edits: Vec::new(),
            data: Vec::new(),
            notes: nowhere(engine, kernel).into_iter().collect(),
            unmatched: Vec::new(),
            stack_size: source.stack_size,
            left: left_name(kernel.name(), source),
        };
        let choices = engine.choices(source.variant);
        for (tool, choice) in engine.tools.iter().zip(choices) {
            if choice == 0 {
                asked.data.push(ToolData::default());
                continue;
            }
            let info = tool.info();
            let file = info.file;
            let counters = file.counters_name(kernel.name(), source.hash, source.variant);
            let mut edit = Edit::new(kernel, file, &engine.filter, counters, choice, *source.hash);
            edit.modules = tool.modules();
            tool.instrument(kernel, &mut edit)?;
            let unreached: Vec<String> = (edit.unreached.iter())
                .map(|(what, places)| format!("{what}: {}", places.len()))
                .collect();
            if !unreached.is_empty() {
                edit.note(format!(
                    "nothing is inserted behind {}; control does not reach the place after that instruction",
                    unreached.join(", ")
                ));
            }
            asked.data.push(ToolData {
                counters: edit.counters,
                executions: edit.counted_executions(),
                data: std::mem::replace(&mut edit.data, RawValue::NULL.to_owned()),
            });
            let remarks = std::mem::take(&mut edit.notes).into_iter();
            let remarks = remarks.map(|remark| format!("{}: {remark}", info.name));
            asked.notes.extend(remarks);
            asked.unmatched.append(&mut edit.unmatched);
            asked.edits.push((info.name, edit));
        }
        Ok(asked)
    }

    /// Returns `true` if any tool counts ([`crate::Place::count`]).
    fn counts(&self) -> bool {
        self.edits.iter().any(|(_, edit)| !edit.counts.is_empty())
    }

    /// All of it as one plan, without hooks that ask for registers which the kernel does not have.
    fn wanted(
        self,
        counting: Counting,
        engine: &Engine,
        source: Source<'_>,
        function: FunctionIndex,
    ) -> Result<CombinedPlan<'k>> {
        let mut plan = Plan {
            stack_size: self.stack_size,
            left: Some(self.left),
            ..Plan::default()
        };
        let mut tools = Vec::new();
        for (name, edit) in self.edits {
            let whole = edit.whole;
            compose::add(&mut plan, edit, counting)?;
            tools.push(ToolHooks {
                name,
                end: plan.hooks.len(),
                whole,
            });
        }
        let wanted = CombinedPlan {
            plan,
            data: self.data,
            notes: self.notes,
            unmatched: self.unmatched,
            tools,
        };
        with_registers_there(wanted, engine, source, function)
    }
}

/// A remark on a kernel that the user's `--site` leaves nothing of: a pattern that matches nowhere looks like a count of zero.
fn nowhere(engine: &Engine, kernel: &Kernel<'_>) -> Option<String> {
    let chosen = |at| engine.filter.allows(&at);
    (!engine.filter.is_empty() && !kernel.instructions().any(chosen))
        .then(|| session::NOWHERE.to_owned())
}

impl CombinedPlan<'_> {
    /// Remarks on hooks that count waves and stand where a wave may have no lane on.
    pub fn without_lanes(&self, source: Source<'_>) -> Vec<String> {
        let module = source.module;
        let mut facts: BTreeMap<FunctionIndex, lanes::SomeLane> = BTreeMap::new();
        let mut found: BTreeMap<usize, (usize, Vec<u64>)> = BTreeMap::new();
        for insertion in &self.plan.insertions {
            let Action::Call {
                hook,
                lanes: Lanes::Active,
                ..
            } = insertion.action
            else {
                continue;
            };
            let templates = self.plan.hooks.get(hook).map(|hook| &hook.templates);
            if !templates
                .is_some_and(|all| all.iter().any(|(_, _, template)| template.counts_waves))
            {
                continue;
            }
            let (places, empty) = found.entry(hook).or_default();
            *places += 1;
            let function = &module.functions[insertion.function];
            let facts = facts
                .entry(insertion.function)
                .or_insert_with(|| lanes::SomeLane::find(function));
            if !facts.is_on(function, insertion.inst, insertion.point) {
                empty.push(function.insts.pc(insertion.inst));
            }
        }
        let remark = |(hook, (places, empty)): (usize, (usize, Vec<u64>))| {
            let first = *empty.first()?;
            let at = match source
                .lines
                .and_then(|lines| module.source_line(lines, first))
            {
                Some((file, line)) => format!("{file}:{line} ({first:#x})"),
                None => format!("{first:#x}"),
            };
            let tool = self.tool_of(hook).map_or("a tool", |tool| tool.name);
            let name = &self.plan.hooks[hook].name;
            Some(format!(
                "{tool}: {name} counts waves, and at {} of its {places} places EXEC may be 0, the first at {at}: it counts nothing \
                 when it is; insert it with `once` and let it call `add` to count every wave",
                empty.len()
            ))
        };
        found.into_iter().filter_map(remark).collect()
    }
}

/// The requests of all tools for a kernel together.
pub(crate) struct CombinedPlan<'k> {
    pub plan: Plan<'k>,
    /// One for each tool.
    pub data: Vec<ToolData>,
    /// Remarks for the user.
    pub notes: Vec<String>,
    pub unmatched: Vec<Unmatched>,
    tools: Vec<ToolHooks<'k>>,
}

/// A tool's part of the plan.
struct ToolHooks<'k> {
    name: &'k str,
    /// The end of its hooks in those of the plan.
    end: usize,
    /// No hook may be left out.
    whole: bool,
}

impl CombinedPlan<'_> {
    fn tool_of(&self, hook: usize) -> Option<&ToolHooks<'_>> {
        self.tools.iter().find(|tool| hook < tool.end)
    }

    /// The hooks at an instruction, with their tools.
    pub fn hooks_at(&self, instruction: &crate::Instruction<'_>) -> Vec<String> {
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
