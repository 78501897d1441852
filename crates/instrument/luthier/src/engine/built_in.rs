//! Tools that were put into code objects on disk: what they leave in the object, and how a run finds it again.

use crate::{
    Engine, Error, KernelOutcome, Result, Tool, ToolFile,
    engine::{ToolData, build::left_variable, lock},
};
use codeobj::{
    CodeObject,
    elf::{Elf, SymbolSection},
};
use serde::{Deserialize, Serialize};
use session::{
    Agent, BuiltIn, Finish, Global, Instrumenter, Launch, Refusal, Report, Request, Variant,
};
use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
};

/// Section of an instrumented code object that says what is in it.
pub(crate) const SECTION: &str = ".luthier";
/// Raised when the contents change incompatibly.
const VERSION: u32 = 2;
/// Unpacked bytes; more is damage.
const LARGEST: usize = 1 << 30;

/// The description that an instrumented code object contains.
#[derive(Serialize, Deserialize)]
pub(crate) struct Manifest {
    version: u32,
    /// SHA-256 of the object as it was.
    hash: [u8; 32],
    tools: Vec<BuiltInTool>,
    kernels: Vec<BuiltInKernel>,
}

#[derive(Serialize, Deserialize)]
struct BuiltInTool {
    name: String,
    /// The built tool without its hooks.
    file: Vec<u8>,
}

#[derive(Serialize, Deserialize)]
struct BuiltInKernel {
    name: String,
    result: std::result::Result<Report, String>,
    /// One for each tool; none if it was refused.
    tools: Vec<ToolData>,
}

impl Manifest {
    pub fn new(engine: &Engine, hash: [u8; 32]) -> Result<Manifest> {
        let tools = engine.tools.iter().map(|tool| {
            Ok(BuiltInTool {
                name: tool.info().file.name().to_owned(),
                file: tool.info().file.without_hooks()?,
            })
        });
        Ok(Manifest {
            version: VERSION,
            hash,
            tools: tools.collect::<Result<_>>()?,
            kernels: Vec::new(),
        })
    }

    pub fn add(&mut self, outcome: &KernelOutcome, tools: Vec<ToolData>) {
        self.kernels.push(BuiltInKernel {
            name: outcome.name.clone(),
            result: outcome
                .result
                .clone()
                .map_err(|refusal| refusal.to_string()),
            tools,
        });
    }

    /// The bytes of the section [`SECTION`].
    pub fn pack(&self) -> Result<Vec<u8>> {
        let text = serde_json::to_vec(self)?;
        zstd::bulk::compress(&text, 3).map_err(|error| Error::Internal(error.to_string()))
    }

    fn read(object: &[u8]) -> Option<Result<Manifest>> {
        let elf = Elf::parse(object).ok()?;
        let packed = elf.section(SECTION)?.data;
        let damaged = |reason: String| Error::Section {
            section: SECTION,
            reason,
        };
        let read = zstd::bulk::decompress(packed, LARGEST.min(packed.len().saturating_mul(4096)))
            .map_err(|error| damaged(error.to_string()))
            .and_then(|text| {
                serde_json::from_slice::<Manifest>(&text)
                    .map_err(|error| damaged(error.to_string()))
            });
        Some(match read {
            Ok(manifest) if manifest.version != VERSION => Err(damaged(format!(
                "version {}; known is {VERSION}",
                manifest.version
            ))),
            read => read,
        })
    }
}

/// Returns `true` if a code object has tools in it.
pub(crate) fn is_in(object: &Elf<'_>) -> bool {
    object.section(SECTION).is_some()
}

/// Names of the tools in a code object.
pub(crate) fn tools_in(object: &[u8]) -> Vec<String> {
    let manifest = Manifest::read(object).and_then(Result::ok);
    let tools = manifest.into_iter().flat_map(|manifest| manifest.tools);
    tools.map(|tool| tool.name).collect()
}

/// Gives a tool's file its host code.
type ToolFactory = Box<dyn Fn(ToolFile) -> Box<dyn Tool> + Send + Sync>;

/// Reads what tools count that are in code objects already; puts in nothing itself.
pub struct BuiltInTools {
    make: ToolFactory,
    output: Option<PathBuf>,
    temporary: bool,
    session: u32,
    /// One for each set of tools.
    engines: Mutex<Vec<Arc<Engine>>>,
    problems: Mutex<Vec<String>>,
}

impl BuiltInTools {
    /// `make` gives a tool's file its host code; `output` is the directory for what tools write, if they may, and `session` is for
    /// [`Engine::session`].
    pub fn new(
        make: impl Fn(ToolFile) -> Box<dyn Tool> + Send + Sync + 'static,
        output: Option<PathBuf>,
        session: u32,
    ) -> BuiltInTools {
        BuiltInTools {
            make: Box::new(make),
            output,
            temporary: false,
            session,
            engines: Mutex::default(),
            problems: Mutex::default(),
        }
    }

    /// As [`Engine::temporary`].
    pub fn temporary(self, temporary: bool) -> BuiltInTools {
        BuiltInTools { temporary, ..self }
    }

    fn engine(&self, tools: &[BuiltInTool]) -> Result<Arc<Engine>> {
        let files = tools
            .iter()
            .map(|tool| ToolFile::parse(&tool.name, &tool.file))
            .collect::<Result<Vec<_>>>()?;
        let mut engines = lock(&self.engines);
        let same = |engine: &&Arc<Engine>| {
            let known = engine.tools.iter().map(|tool| tool.info().file);
            known
                .map(|file| (file.name(), file.hash()))
                .eq(files.iter().map(|file| (file.name(), file.hash())))
        };
        if let Some(engine) = engines.iter().find(same) {
            return Ok(Arc::clone(engine));
        }
        let tools = files.into_iter().map(&self.make).collect();
        let engine = Engine::new(tools, "", self.output.clone())?;
        let engine = engine.session(self.session).temporary(self.temporary);
        let engine = Arc::new(engine);
        engines.push(Arc::clone(&engine));
        Ok(engine)
    }

    fn register(&self, object: &[u8], manifest: Manifest) -> Result<BuiltIn> {
        let engine = self.engine(&manifest.tools)?;
        let parsed = CodeObject::parse(object).map_err(Error::Object)?;
        let mut built_in = BuiltIn::default();
        let mut declared = engine.globals();
        for kernel in manifest.kernels {
            declared.extend(engine.counters(&kernel.name, &manifest.hash, 0, &kernel.tools));
            if let Ok(report) = &kernel.result {
                declared.extend(report.left.clone().map(left_variable));
                engine.know(&kernel.name, &manifest.hash, 0, kernel.tools);
            }
            built_in.kernels.insert(kernel.name, kernel.result);
        }
        let place = |global: Global| {
            let symbols = parsed.dynamic_symbols().iter();
            let mut symbols = symbols.filter(|symbol| symbol.section != SymbolSection::Undefined);
            let symbol = symbols.find(|symbol| symbol.name == global.name)?;
            Some((global, symbol.value))
        };
        built_in.globals = declared.into_iter().filter_map(place).collect();
        Ok(built_in)
    }

    fn each(&self, act: impl FnMut(&Arc<Engine>)) {
        let engines = lock(&self.engines).clone();
        engines.iter().for_each(act);
    }
}

impl Instrumenter for BuiltInTools {
    fn name(&self) -> String {
        let mut names: Vec<String> = Vec::new();
        self.each(|engine| names.push(engine.name()));
        names.dedup();
        match names.is_empty() {
            true => "built-in tools".to_owned(),
            false => format!("{} (built in)", names.join(", ")),
        }
    }

    fn fingerprint(&self) -> Vec<u8> {
        Vec::new()
    }

    fn builds(&self) -> bool {
        false
    }

    fn built_in(&self, object: &[u8]) -> Option<BuiltIn> {
        let registered =
            Manifest::read(object)?.and_then(|manifest| self.register(object, manifest));
        match registered {
            Ok(built_in) => Some(built_in),
            Err(error) => {
                lock(&self.problems)
                    .push(format!("the tools in a code object do not work: {error}"));
                None
            }
        }
    }

    fn instrument(&self, _request: &Request<'_>) -> std::result::Result<Variant, Refusal> {
        Err(Refusal::Tool(
            "only tools that are built in are looked at".to_owned(),
        ))
    }

    fn launch(&self, launch: &Launch<'_>) {
        self.each(|engine| {
            if engine.knows(launch.kernel) {
                engine.launch(launch);
            }
        });
    }

    fn records(&self, agent: &Agent, global: &str, records: &[u8]) {
        self.each(|engine| engine.records(agent, global, records));
    }

    fn finish(&self, globals: &dyn Finish) -> String {
        let mut text = String::new();
        self.each(|engine| text.push_str(&engine.finish(globals)));
        for problem in &*lock(&self.problems) {
            text.push_str(&format!("{problem}\n"));
        }
        text
    }
}
