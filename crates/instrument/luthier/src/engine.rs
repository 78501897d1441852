//! All tools of a run, composed, for a [`session::Session`].

use crate::{
    Cache, Code, Declarative, Error, KernelResults, Result, Results, SiteFilter, Tool, ToolFile,
    printed::{self, PartialMessages},
};
use gfx::Target;
use records::{Layout, Sink};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use session::{
    Agent, Content, Copied, Finish, Global, Instrumenter, Launch, Live, MemoryKind, PacketBytes,
    Refusal, Request, Variant, output::file_name,
};
use sha2::{Digest, Sha256};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

mod build;
mod built_in;
mod chosen;
mod compose;
mod lanes;
mod offline;
mod recent;
mod wanted;
mod whole;

pub use built_in::BuiltInTools;
pub use offline::{KernelOutcome, Offline};
use recent::ObjectFacts;
pub use whole::WholeObjects;
use whole::{Waiting, Whole};

/// The tools of a run.
///
/// ```
/// use luthier::{Engine, Result};
///
/// /// A code object with the hooks of a built tool in it, which `luthier tool build` makes.
/// fn instrumented(tool: &[u8], object: &[u8]) -> Result<Vec<u8>> {
///     let tool = Engine::declarative("count", tool)?;
///     let engine = Engine::new(vec![tool], "kind=memory", None)?;
///     Ok(engine.instrument_object(object, None)?.object)
/// }
/// assert!(instrumented(b"no tool", &[]).is_err());
/// ```
pub struct Engine {
    pub(crate) tools: Vec<Box<dyn Tool>>,
    pub(crate) filter: SiteFilter,
    filter_text: String,
    /// A place that cannot take a hook costs the whole kernel.
    pub(crate) strict: bool,
    /// Directory for files.
    output: Option<PathBuf>,
    temporary: bool,
    /// The number of the session in its process, from 1.
    session: u32,
    adopted: Mutex<Vec<InstrumentedKernel>>,
    sinks: Mutex<BTreeMap<String, Box<dyn Sink>>>,
    /// Why records got lost.
    problems: Mutex<BTreeSet<String>>,
    /// The last one first.
    pub(crate) recent: Mutex<Vec<Arc<ObjectFacts>>>,
    pub(crate) whole: Mutex<Whole>,
    pub(crate) waiting: Waiting,
    pub(crate) whole_objects: Arc<WholeObjects>,
    /// Messages that hooks print.
    printed: Mutex<PartialMessages>,
    /// Choices of the tools, one for each, that variants from 1 on stand for; variant 0: all tools say 1.
    combinations: Mutex<Vec<Vec<u32>>>,
}

/// Data that a tool needs again at the end. It is kept beside the variant in the cache.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ToolData {
    pub counters: usize,
    /// Places whose executions are counted, behind the tool's own counters.
    #[serde(default)]
    pub executions: usize,
    /// The tool's data, as JSON.
    pub data: Box<RawValue>,
}

impl Default for ToolData {
    fn default() -> ToolData {
        ToolData {
            counters: 0,
            executions: 0,
            data: RawValue::NULL.to_owned(),
        }
    }
}

/// A kernel that may have run instrumented.
struct InstrumentedKernel {
    kernel: String,
    object_hash: [u8; 32],
    variant: u64,
    /// One for each tool.
    tools: Vec<ToolData>,
}

impl Engine {
    /// `filter` is what the user gave with `--site` and the like.
    pub fn new(
        tools: Vec<Box<dyn Tool>>,
        filter_text: &str,
        output: Option<PathBuf>,
    ) -> Result<Engine> {
        Ok(Engine {
            tools,
            filter: filter_text.parse()?,
            filter_text: filter_text.to_owned(),
            strict: false,
            output,
            temporary: false,
            session: 1,
            adopted: Mutex::default(),
            sinks: Mutex::default(),
            problems: Mutex::default(),
            recent: Mutex::default(),
            whole: Mutex::default(),
            waiting: Waiting::default(),
            whole_objects: Arc::default(),
            combinations: Mutex::default(),
            printed: Mutex::default(),
        })
    }

    /// The cost of its kernels that need every kernel of their objects.
    pub fn whole_objects(&self) -> &WholeObjects {
        &self.whole_objects
    }

    /// If true, a place that cannot take a hook costs the whole kernel, instead of itself.
    pub fn strict(self, strict: bool) -> Engine {
        Engine { strict, ..self }
    }

    /// Sets the number of the session in its process, from 1. Names of files contain it.
    pub fn session(self, session: u32) -> Engine {
        Engine { session, ..self }
    }

    /// The output directory will be taken away: what tools would leave there for the user ([`Results::file`]) is not wanted.
    pub fn temporary(self, temporary: bool) -> Engine {
        Engine { temporary, ..self }
    }

    /// Why no kernel for `target` can be instrumented: a tool has hooks, but none for it. Known before looking at any kernel.
    pub fn lacks_hooks(&self, target: &'static Target) -> Option<String> {
        let generic = target.generic().map(|generic| generic.name);
        let fits = |made_for: &&str| *made_for == target.name || Some(*made_for) == generic;
        let tool = self.tools.iter().find(|tool| {
            let made_for = tool.info().file.targets();
            !made_for.is_empty() && !made_for.iter().any(fits)
        })?;
        let info = tool.info();
        Some(format!(
            "code for {}: tool {} has no hooks for it (built for {})",
            target.name,
            info.name,
            info.file.targets().join(", ")
        ))
    }

    /// The user's conditions on places.
    pub(crate) fn filter_text(&self) -> &str {
        &self.filter_text
    }

    /// The choice of each tool for a variant.
    pub(crate) fn choices(&self, variant: u64) -> Vec<u32> {
        let combinations = lock(&self.combinations);
        let known = usize::try_from(variant).ok().and_then(|variant| {
            let index = variant.checked_sub(1)?;
            combinations.get(index).cloned()
        });
        known.unwrap_or_else(|| vec![1; self.tools.len()])
    }

    /// The variant for these choices; `None`: the original.
    fn variant(&self, choices: Vec<u32>) -> Option<u64> {
        if choices.iter().all(|choice| *choice == 0) {
            return None;
        }
        if choices.iter().all(|choice| *choice == 1) {
            return Some(0);
        }
        let mut combinations = lock(&self.combinations);
        let known = combinations.iter().position(|known| *known == choices);
        let index = known.unwrap_or_else(|| {
            combinations.push(choices);
            combinations.len() - 1
        });
        Some(index as u64 + 1)
    }

    /// A tool that has nothing but its file.
    pub fn declarative(name: &str, bytes: &[u8]) -> Result<Box<dyn Tool>> {
        Ok(Box::new(Declarative(ToolFile::parse(name, bytes)?)))
    }
}

impl Instrumenter for Engine {
    fn name(&self) -> String {
        let names: Vec<_> = self.tools.iter().map(|tool| tool.info().name).collect();
        names.join(", ")
    }

    fn fingerprint(&self) -> Vec<u8> {
        let mut hash = Sha256::new();
        for tool in &self.tools {
            let info = tool.info();
            hash.update(info.name);
            hash.update([0]);
            hash.update(info.file.hash());
        }
        hash.update(&self.filter_text);
        hash.update([u8::from(self.strict)]);
        hash.finalize().to_vec()
    }

    fn globals(&self) -> Vec<Global> {
        let files = self.tools.iter().map(|tool| tool.info().file);
        files.flat_map(ToolFile::made_by_session).collect()
    }

    fn instrument(&self, request: &Request<'_>) -> std::result::Result<Variant, Refusal> {
        build::variant(self, request).map_err(Refusal::from)
    }

    fn adopt(&self, request: &Request<'_>, variant: &Variant) {
        let tools = serde_json::from_slice(&variant.tool_data).unwrap_or_default();
        self.know(request.kernel, request.object_hash, request.choice, tools);
    }

    fn key(&self, kernel: &str, object_hash: &[u8; 32], variant: u64) -> Option<Vec<u8>> {
        let mut key = self.fingerprint();
        for (tool, choice) in self.tools.iter().zip(self.choices(variant)) {
            // A tool that does not take part may depend on anything.
            let more = match choice {
                0 => Vec::new(),
                choice => match tool.info().cache {
                    Cache::Never => return None,
                    Cache::Always => Vec::new(),
                    Cache::ByKey => tool.cache_key(kernel, object_hash, choice)?,
                },
            };
            key.extend(choice.to_le_bytes());
            key.extend((more.len() as u64).to_le_bytes());
            key.extend(more);
        }
        Some(key)
    }

    fn connect(&self, live: Arc<dyn Live>) {
        for tool in &self.tools {
            if let Err(problem) = tool.connect(&live) {
                let problem = format!("tool {} does not work: {problem}", tool.info().name);
                lock(&self.problems).insert(problem);
            }
        }
    }

    fn choose(
        &self,
        launch: &Launch<'_>,
        request: &Request<'_>,
        code: &Arc<[u8]>,
        packet: &mut PacketBytes,
    ) -> Option<u64> {
        let mut kept = None;
        let choices = self
            .tools
            .iter()
            .map(|tool| match tool.info().wants.choices {
                false => 1,
                true => {
                    let code = || Code::new(request, code, &self.filter);
                    tool.choose(launch, kept.get_or_insert_with(code), packet)
                }
            });
        self.variant(choices.collect())
    }

    fn launch(&self, launch: &Launch<'_>) {
        for tool in &self.tools {
            tool.launch(launch);
        }
    }

    fn observes_launches(&self) -> bool {
        self.tools.iter().any(|tool| tool.info().wants.launches)
    }

    fn observes_packets(&self) -> bool {
        self.tools.iter().any(|tool| tool.info().wants.packets)
    }

    fn packets(&self, queue: u64, device: u32, packets: &mut [[u8; 64]]) {
        for tool in &self.tools {
            if tool.info().wants.packets {
                tool.packets(queue, device, packets);
            }
        }
    }

    fn place(&self, request: &Request<'_>, offset: i64) -> Option<String> {
        build::place(self, request, offset).ok()?
    }

    fn ended(&self, launch: u64, start: u64, end: u64) {
        for tool in &self.tools {
            tool.ended(launch, start, end);
        }
    }

    fn copied(&self, copied: &Copied) {
        for tool in &self.tools {
            tool.copied(copied);
        }
    }

    fn records(&self, _agent: &Agent, global: &str, records: &[u8]) {
        for tool in &self.tools {
            let modules = tool.modules().into_iter();
            let found = std::iter::once(tool.info().file)
                .chain(modules)
                .find_map(|file| file.stream(global));
            let Some((stream, layout)) = found else {
                continue;
            };
            if stream.ring == printed::RING {
                lock(&self.printed).take(global, records);
                continue;
            }
            if !tool.records(&stream.ring, records)
                && let Err(error) = self.to_file(global, stream, &layout, records)
            {
                lock(&self.problems).insert(error.to_string());
            }
        }
    }

    fn finish(&self, globals: &dyn Finish) -> String {
        self.make_output();
        let mut text = String::new();
        for (index, tool) in self.tools.iter().enumerate() {
            let read = |name: &str| read(globals, name);
            let results = Results {
                file: tool.info().file,
                kernels: self.kernels(index, globals),
                read: &read,
                output: self.output.as_deref(),
                temporary: self.temporary,
                session: self.session,
            };
            text.push_str(&format!("{}:\n", tool.info().name));
            match tool.finish(&results) {
                Ok(report) => text.push_str(&indented(&report)),
                Err(error) => text.push_str(&indented(&format!("failed: {error}"))),
            }
            if let Err(error) = self.to_json(tool.as_ref(), &results) {
                text.push_str(&indented(&error.to_string()));
            }
        }
        let mut streams = String::new();
        for (ring, sink) in std::mem::take(&mut *lock(&self.sinks)) {
            match sink.finish() {
                Ok(records) => streams.push_str(&format!("{ring}: {records} records written\n")),
                Err(error) => {
                    streams.push_str(&format!("{ring}: {error}\n"));
                    lock(&self.problems).remove(&error.to_string());
                }
            }
        }
        text.push_str(&section("streams", &streams));
        let problems: Vec<_> = lock(&self.problems).iter().cloned().collect();
        text.push_str(&section("problems", &problems.join("\n")));
        text
    }
}

/// Lines of a report. Their indentation tells them from what the program prints.
fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

/// A heading with lines below it; nothing if there are no lines.
fn section(heading: &str, text: &str) -> String {
    match text.is_empty() {
        true => String::new(),
        false => format!("{heading}:\n{}", indented(text)),
    }
}

impl Engine {
    /// A kernel may run instrumented from now on.
    pub(crate) fn know(
        &self,
        kernel: &str,
        object_hash: &[u8; 32],
        variant: u64,
        tools: Vec<ToolData>,
    ) {
        let mut adopted = lock(&self.adopted);
        let known = adopted.iter().any(|adopted| {
            adopted.kernel == kernel
                && adopted.object_hash == *object_hash
                && adopted.variant == variant
        });
        if !known {
            adopted.push(InstrumentedKernel {
                variant,
                kernel: kernel.to_owned(),
                object_hash: *object_hash,
                tools,
            });
        }
    }

    pub(crate) fn knows(&self, kernel: &str) -> bool {
        let adopted = lock(&self.adopted);
        adopted.iter().any(|adopted| adopted.kernel == kernel)
    }

    /// The variables with a kernel's counters, one for each tool that has any.
    pub(crate) fn counters(
        &self,
        kernel: &str,
        object_hash: &[u8; 32],
        variant: u64,
        data: &[ToolData],
    ) -> Vec<Global> {
        let tools = self.tools.iter().zip(data);
        tools
            .filter(|(_, data)| data.counters + data.executions != 0)
            .map(|(tool, data)| Global {
                name: tool.info().file.counters_name(kernel, object_hash, variant),
                size: (data.counters + data.executions) as u64 * 8,
                content: Content::Memory {
                    kind: MemoryKind::Device,
                    initial: Vec::new(),
                },
            })
            .collect()
    }

    /// Makes the output directory before the first file is written to it. The writer of the file reports errors. A temporary one is there
    /// until the command ends that made it.
    fn make_output(&self) {
        if let Some(directory) = &self.output
            && !self.temporary
        {
            let _ = outputs::make_directories(directory);
        }
    }

    /// Leaves the tool's results in the output directory as `NAME.json`.
    fn to_json(&self, tool: &dyn Tool, results: &Results<'_>) -> Result<()> {
        let value = tool.finish_json(results)?;
        let Some(directory) = self.output.as_deref().filter(|_| !value.is_null()) else {
            return Ok(());
        };
        // (The session says so.)
        if self.temporary && !directory.is_dir() {
            return Ok(());
        }
        let path = directory.join(file_name(
            &format!("{}.json", tool.info().name),
            self.session,
        ));
        let text = serde_json::to_vec_pretty(&value)?;
        outputs::write_apart(&path, &text)
            .map_err(|source| records::Error::File { path, source }.into())
    }

    fn to_file(
        &self,
        ring: &str,
        stream: &crate::Stream,
        layout: &Layout,
        bytes: &[u8],
    ) -> Result<()> {
        let mut sinks = lock(&self.sinks);
        if !sinks.contains_key(ring) {
            self.make_output();
            let directory = self.output.clone().unwrap_or_else(|| PathBuf::from("."));
            let path = directory.join(file_name(&stream.file, self.session));
            let sink = records::sink(&path, layout)?;
            sinks.insert(ring.to_owned(), sink);
        }
        if let Some(sink) = sinks.get_mut(ring) {
            sink.write(bytes)?;
        }
        Ok(())
    }

    /// Results of all kernels for the tool with this index.
    fn kernels(&self, tool: usize, globals: &dyn Finish) -> Vec<KernelResults> {
        let adopted = lock(&self.adopted);
        let kernels = adopted.iter().filter_map(|adopted| {
            let data = adopted.tools.get(tool)?;
            let name = self.tools[tool].info().file.counters_name(
                &adopted.kernel,
                &adopted.object_hash,
                adopted.variant,
            );
            let mut counters = vec![0u64; data.counters];
            let copies = match read(globals, &name) {
                Ok(copies) => copies,
                Err(error) => {
                    let demangled = demangle::readable(&adopted.kernel);
                    lock(&self.problems).insert(format!(
                        "what was counted in {demangled} is missing: {error}"
                    ));
                    return None;
                }
            };
            for copy in copies {
                for (sum, bytes) in counters.iter_mut().zip(copy.chunks_exact(8)) {
                    let more = u64::from_le_bytes(bytes.try_into().unwrap_or_default());
                    *sum = sum.wrapping_add(more);
                }
            }
            let mut kernel = KernelResults {
                launches: 0,
                all_launches: 0,
                target: None,
                is_ambiguous: false,
                name: adopted.kernel.clone(),
                object_hash: adopted.object_hash,
                counters,
                data: data.data.clone(),
            };
            kernel.complete(globals.kernels());
            Some(kernel)
        });
        let mut kernels = kernels.collect::<Vec<_>>();
        crate::results::tell_apart(&mut kernels);
        kernels
    }
}

fn read(globals: &dyn Finish, name: &str) -> Result<Vec<Vec<u8>>> {
    let copies = globals
        .agents()
        .iter()
        .flat_map(|agent| globals.global(agent, name));
    copies
        .map(|copy| copy.map_err(|error| Error::Variable(error.to_string())))
        .collect()
}

/// A tool that panicked must not take the others along.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
