//! A [`Tool`] whose host code is a library: its callbacks say what to insert and what each launch runs.

use crate::{
    allocations::{Heard, hear},
    counted::{self, Counted},
    library::{Library, thread_name},
    modules::Compile,
    seen::KernelView,
    table::{self, CURRENT},
    variables::Variables,
    visit::{Call, LaunchChoice, Point, Visit, VisitAction},
};
use aql::KernelDispatchPacket;
use luthier::{
    Argument, Cache, Code, Copied, Edit, Error, Kernel, Launch, Live, PacketBytes, Result, Results,
    Tool, ToolFile, ToolInfo, Wants, serde_json,
};
use std::{
    collections::{BTreeSet, HashMap},
    fmt::Write,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

/// The choice for a kernel whose callback failed before there was a variant.
const FAILED: u32 = u32::MAX;

/// The state of one kernel.
#[derive(Default)]
struct KernelState {
    seen: Option<Arc<KernelView>>,
    /// By name, in the order in which they were made: the first is choice 1.
    variants: Vec<(String, Arc<Vec<Call>>)>,
    /// The variant that launches run unless the tool says otherwise.
    choice: u32,
    failure: Option<String>,
}

/// By name and hash of the code object.
type Kernels = HashMap<(String, [u8; 32]), KernelState>;

/// See the module.
pub struct LibraryTool {
    file: ToolFile,
    hooks: Arc<Vec<(String, usize)>>,
    /// The events of the program's memory, if the tool wants to hear of them.
    heard: Option<Arc<Mutex<Heard>>>,
    library: Library,
    compile: Compile,
    variables: OnceLock<Arc<Variables>>,
    kernels: Mutex<Kernels>,
    problems: Mutex<BTreeSet<String>>,
}

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LibraryTool {
    pub fn new(file: ToolFile, library: Library, compile: Compile) -> LibraryTool {
        LibraryTool {
            hooks: Arc::new(file.exports().to_vec()),
            file,
            heard: library.wants_memory().then(hear),
            library,
            compile,
            variables: OnceLock::new(),
            kernels: Mutex::default(),
            problems: Mutex::default(),
        }
    }

    /// Tells the tool what has happened to memory.
    fn tell_of_memory(&self) {
        if let Some(heard) = &self.heard {
            let problems = Heard::tell(heard, |one| self.library.memory(one));
            lock(&self.problems).extend(problems);
        }
    }

    fn variant(&self, code: (&str, &[u8; 32]), choice: u32) -> Option<Arc<Vec<Call>>> {
        let kernels = lock(&self.kernels);
        let known = kernels.get(&(code.0.to_owned(), *code.1))?;
        let index = usize::try_from(choice).ok()?.checked_sub(1)?;
        Some(Arc::clone(&known.variants.get(index)?.1))
    }
}

/// Stores what the tool asked for, and returns the choice for this launch.
fn settle(known: &mut KernelState, visit: Visit, failed: Option<&String>) -> u32 {
    known.seen = visit.seen;
    if let Some(failure) = failed {
        known.failure = Some(failure.clone());
        return match known.choice {
            0 => FAILED,
            choice => choice,
        };
    }
    let position = |known: &KernelState, name: &str| {
        let found = known.variants.iter().position(|(known, _)| known == name);
        found.map(|index| index as u32 + 1)
    };
    match visit.wanted {
        LaunchChoice::Same => {}
        LaunchChoice::Original => known.choice = 0,
        LaunchChoice::Variant(name) => {
            known.choice = position(known, &name).unwrap_or_else(|| {
                known.variants.push((name, Arc::new(visit.calls)));
                known.variants.len() as u32
            });
        }
    }
    known.choice
}

impl Tool for LibraryTool {
    fn info(&self) -> ToolInfo<'_> {
        let wants = Wants {
            choices: true,
            launches: self.library.wants_ends() || self.library.wants_copies(),
            packets: self.library.wants_packets(),
        };
        ToolInfo::new(&self.file)
            .cached(Cache::ByKey)
            .wanting(wants)
    }

    fn modules(&self) -> Vec<&'static ToolFile> {
        let variables = self.variables.get();
        variables.map_or_else(Vec::new, |variables| variables.modules().files())
    }

    fn connect(&self, live: &Arc<dyn Live>) -> std::result::Result<(), String> {
        let registered = self.library.registered();
        let mut variables = Variables::new(self.file.clone(), Arc::clone(live), registered)?;
        variables.compile_with(self.compile);
        let variables = Arc::new(variables);
        let _ = self.variables.set(Arc::clone(&variables));
        let api = table::for_tool(&variables);
        let file = self.library.file();
        self.library
            .begin(api)
            .map_err(|problem| format!("{file}: {problem}"))
    }

    fn choose(&self, launch: &Launch<'_>, code: &Code, packet: &mut PacketBytes) -> u32 {
        let Some(variables) = self.variables.get() else {
            return 0;
        };
        self.tell_of_memory();
        let mut kernels = lock(&self.kernels);
        let key = (code.kernel().to_owned(), *code.object_hash());
        let known = kernels.entry(key).or_default();
        let visit = Visit {
            number: launch.number,
            device: launch.agent.number,
            queue: launch.queue,
            enqueued: launch.enqueued.map(|by| (by, thread_name(&by))),
            kernel_object: launch.kernel_object,
            code: code.clone(),
            seen: known.seen.clone(),
            variants: known
                .variants
                .iter()
                .map(|(name, _)| name.clone())
                .collect(),
            hooks: Arc::clone(&self.hooks),
            variables: Arc::clone(variables),
            calls: Vec::new(),
            wanted: LaunchChoice::Same,
        };
        let mut shown = KernelDispatchPacket::from_bytes(packet);
        CURRENT.set(Some(visit));
        let told = self.library.launched(&mut shown, code.kernel());
        // The requests of a callback that failed are dropped: they may be half of what it wanted.
        if told.is_ok() {
            *packet = shown.to_bytes();
        }
        let Some(visit) = CURRENT.take() else {
            return known.choice;
        };
        let failed = told.err();
        let choice = settle(known, visit, failed.as_ref());
        if let Some(problem) = failed.filter(|_| choice != FAILED) {
            lock(&self.problems).insert(problem);
        }
        choice
    }

    /// Everything that a variant depends on, which the callbacks have said before. A variant with a constant as wide as an
    /// address has no key, because the constant may be an address, which means nothing in another process.
    fn cache_key(&self, kernel: &str, object_hash: &[u8; 32], choice: u32) -> Option<Vec<u8>> {
        let calls = self.variant((kernel, object_hash), choice)?;
        let mut key = String::new();
        for call in &*calls {
            let arguments = match &call.deed {
                VisitAction::Hook { arguments, .. } => arguments.as_slice(),
                _ => &[],
            };
            for argument in arguments {
                if let Argument::Constant(value) = argument
                    && u32::try_from(*value).is_err()
                {
                    return None;
                }
            }
            writeln!(key, "{call:?}").ok()?;
        }
        Some(key.into_bytes())
    }

    fn instrument(&self, kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()> {
        let code = (kernel.name(), edit.object_hash());
        let Some(calls) = self.variant(code, edit.choice()) else {
            let kernels = lock(&self.kernels);
            let known = kernels.get(&(code.0.to_owned(), *code.1));
            let failure = known.and_then(|known| known.failure.clone());
            let failure =
                failure.unwrap_or_else(|| "no launch has asked for this variant".to_owned());
            return Err(Error::Tool(format!("{}: {failure}", self.file.name())));
        };
        let counters = calls.iter().map(|call| match call.deed {
            VisitAction::Count { counter, .. } => counter + 1,
            _ => 0,
        });
        let counters = edit.counters(counters.max().unwrap_or(0));
        let instructions: Vec<_> = kernel.instructions().collect();
        let blocks: Vec<_> = kernel.blocks().collect();
        for call in &*calls {
            let Some(instruction) = instructions.get(call.index) else {
                let reason = format!(
                    "{}: there is no instruction {}",
                    self.file.name(),
                    call.index
                );
                return Err(Error::Tool(reason));
            };
            let mut arguments = match &call.deed {
                VisitAction::Hook { arguments, .. } => arguments.clone(),
                _ => Vec::new(),
            };
            if let VisitAction::Hook { hook, .. } = &call.deed {
                for (index, argument) in arguments.iter_mut().enumerate() {
                    if let Argument::Register(reg) = argument {
                        let dwords = edit.parameter_dwords(hook, index)?;
                        reg.width = dwords.map_or(1, |dwords| dwords as u8);
                    }
                }
            }
            let place = match (&call.deed, call.point) {
                (VisitAction::AllOrNothing, _) => {
                    edit.all_or_nothing();
                    continue;
                }
                (VisitAction::Remove, _) => {
                    edit.remove(instruction);
                    continue;
                }
                (VisitAction::Replace(text), _) => {
                    edit.replace(instruction, text)?;
                    continue;
                }
                (_, Point::Before) => edit.before(instruction),
                (_, Point::After) => edit.after(instruction),
                (_, Point::Block) => edit.at_block(&instruction.block()),
                (_, Point::Edge(to)) => {
                    let to = blocks.get(to).map(|block| block.index());
                    let missing =
                        || Error::Tool(format!("{}: there is no such block", self.file.name()));
                    edit.edge(&instruction.block(), to.ok_or_else(missing)?)
                }
            };
            match &call.deed {
                VisitAction::Hook { hook, once, .. } => {
                    let place = if *once { place.once() } else { place };
                    place.call(hook, arguments)?;
                }
                VisitAction::Assembly(text) => {
                    place.assembly(text)?;
                }
                VisitAction::Count { counter, amount } => {
                    place.count(counters.at(*counter), *amount)?;
                }
                VisitAction::AllOrNothing | VisitAction::Remove | VisitAction::Replace(_) => {}
            }
        }
        Ok(())
    }

    fn copied(&self, copied: &Copied) {
        if let Err(problem) = self.library.copied(copied) {
            lock(&self.problems).insert(problem);
        }
    }

    fn ended(&self, launch: u64, start: u64, end: u64) {
        if let Err(problem) = self.library.ended(launch, start, end) {
            lock(&self.problems).insert(problem);
        }
    }

    fn packets(&self, queue: u64, device: u32, packets: &mut [[u8; 64]]) {
        if let Err(problem) = self.library.packets(queue, device, packets) {
            lock(&self.problems).insert(problem);
        }
    }

    fn records(&self, stream: &str, records: &[u8]) -> bool {
        self.library.records(stream, records)
    }

    fn finish(&self, results: &Results<'_>) -> Result<String> {
        self.tell_of_memory();
        let mut problems = std::mem::take(&mut *lock(&self.problems));
        counted::RESULTS.set(Some(Counted::collect(results)));
        problems.extend(self.library.end().err());
        counted::RESULTS.set(None);
        let file = self.library.file();
        let mut lines = String::new();
        if let Some(variables) = self.variables.get() {
            for report in variables.take_reports() {
                lines.push_str(&report);
                lines.push('\n');
            }
        }
        for problem in &problems {
            let _ = writeln!(lines, "{file}: {problem}");
        }
        Ok(lines)
    }

    fn finish_json(&self, _results: &Results<'_>) -> Result<serde_json::Value> {
        let variables = self.variables.get();
        Ok(variables.map_or(serde_json::Value::Null, |known| known.take_json()))
    }
}
