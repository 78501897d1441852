//! Tools in kernels that run without ROCm: for `luthier emulate` and `luthier demo`.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::Duration,
};

use anyhow::{Context, Result, bail};
use codeobj::CodeObject;
use launcher::libraries;
use luthier::{Config, Engine};
use stand_alone::{Counts, Prepared, StandAlone};
use tempfile::TempDir;

use crate::report::Pages;

/// Tools that a page about a launch is made of.
const FOR_A_PAGE: [&str; 5] = [
    "hotspots",
    "mem-coalesce",
    "lds-conflicts",
    "branch-divergence",
    "launch-log",
];

/// The questions about launches.
pub struct Wanted {
    pub tools: Vec<String>,
    /// Conditions on places, as of `--site`.
    pub site: String,
    /// Directory for what tools write.
    pub output: Option<PathBuf>,
    pub page: Option<PathBuf>,
    /// Heading of the page.
    pub title: String,
    /// The directory of source files that are named without one.
    pub sources: Option<PathBuf>,
}

/// A code object on an emulated device of its own, with tools.
pub struct Alone {
    inner: StandAlone,
    output: PathBuf,
    pages: Option<Pages>,
    _scratch: Option<TempDir>,
}

/// Host threads for the device.
pub fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

impl Wanted {
    /// Loads the object. Impossible options are errors before anything runs.
    pub fn open(mut self, object: Vec<u8>) -> Result<Alone> {
        if self.page.is_some() {
            match self.tools.is_empty() {
                true => self.tools = FOR_A_PAGE.map(str::to_owned).to_vec(),
                // (Counts of some instructions would be taken for those of all.)
                false if self.site.is_empty() => self.tools.push(FOR_A_PAGE[0].to_owned()),
                false => {}
            }
        }
        let tools = tools::open_all(&self.tools, &libraries::tools_directory()?)?;
        let target = CodeObject::parse(&object)?.target().target;
        let model = gpu::topology::Model::for_target(target);
        let product = model.map_or(target.name, |model| model.marketing_name);
        let pages = Pages::of_launches(&self.page, &self.title, self.sources)?;
        let scratch = match &self.output {
            Some(directory) => {
                outputs::make_directories(directory)
                    .with_context(|| format!("cannot make {}", directory.display()))?;
                None
            }
            None => Some(TempDir::with_prefix("luthier-launch-")?),
        };
        let output = self
            .output
            .as_deref()
            .or(scratch.as_ref().map(TempDir::path));
        let output = std::path::absolute(output.unwrap_or(Path::new(".")))?;
        let engine = Engine::new(tools, &self.site, Some(output.clone()))?;
        let engine = engine.temporary(self.output.is_none());
        let (mut config, _) = Config::read(|_| None::<String>);
        config.tools = self.tools;
        config.output = Some(output.clone());
        config.output_is_temporary = self.output.is_none();
        config.keep_objects = pages.is_some();
        config.choose(&self.site);
        Ok(Alone {
            inner: StandAlone::new(object, product, threads(), config, Arc::new(engine))?,
            output,
            pages,
            _scratch: scratch,
        })
    }
}

impl Alone {
    pub fn device(&self) -> &emulate::Device<'static> {
        self.inner.device()
    }

    pub fn launch(&self, prepared: &Prepared, limit: Option<Duration>) -> emulate::Result<Counts> {
        self.inner.launch(prepared, limit)
    }

    /// Says what the tools have to say, and writes the page.
    pub fn finish(&self) -> Result<()> {
        let Some((summary, text, problems)) = self.inner.finish() else {
            return Ok(());
        };
        if let [problem, ..] = problems.as_slice() {
            bail!("{problem}");
        }
        command::say!("{}", (summary.text() + &text).trim_end());
        match &self.pages {
            Some(pages) => pages.written(&self.output),
            None => Ok(()),
        }
    }
}
