//! Which instrumenter the settings ask for.

use std::{env, path::Path, sync::Arc};

use luthier::{Tool, ToolFile};
use session::{Config, Identity, Instrumenter};

use crate::{guarded::Guarded, own, state};

/// The tools of `LUTHIER_TOOL`, or why there are none. `directory` has those that come with Luthier.
pub fn instrumenter(config: &Config, directory: &Path) -> Result<Arc<dyn Instrumenter>, String> {
    if let [tool] = config.tools.as_slice()
        && tool == "identity"
    {
        return Ok(Arc::new(Identity));
    }
    if let [tool] = config.tools.as_slice()
        && tool == tools::BUILT_IN
    {
        let output = config.output.clone();
        return Ok(Arc::new(luthier::BuiltInTools::new(
            tools::with_host_code,
            output,
        )));
    }
    let mut opened: Vec<Box<dyn Tool>> = Vec::new();
    for tool in &config.tools {
        if tools::is_library(tool) {
            opened.extend(own_tools(tool, config)?);
        } else {
            opened.push(named(tool, directory, config)?);
        }
    }
    let filter = env::var("LUTHIER_SITE").unwrap_or_default();
    let engine = luthier::Engine::new(opened, &filter, config.output.clone())
        .map_err(|error| error.to_string())?;
    Ok(Arc::new(engine))
}

/// A tool by name or path, with the host code in C++ that it may have.
fn named(tool: &str, directory: &Path, config: &Config) -> Result<Box<dyn Tool>, String> {
    let opened = tools::open(tool, directory).map_err(|error| error.to_string())?;
    if opened.file().exports().is_empty() {
        return Ok(opened);
    }
    let path = tool.to_owned();
    let made = Guarded::make(opened.name(), opened.file().clone(), config, move |file| {
        tool_capi::with_host_code(file, Path::new(&path)).map_err(|error| error.to_string())
    });
    Ok(Box::new(made?))
}

/// The tools with host code in Rust, which are in this library if it is the one that the user named.
fn own_tools(library: &str, config: &Config) -> Result<Vec<Box<dyn Tool>>, String> {
    let here = state::own_path().and_then(|path| path.canonicalize().ok());
    if Path::new(library).canonicalize().ok() != here {
        return Err(format!(
            "{library} has tools with host code in Rust and must be loaded in place of this library: name it with \
             `luthier run -t`, or in HSA_TOOLS_LIB"
        ));
    }
    let tools = own::tools();
    if tools.is_empty() {
        return Err(format!("{library} has no tools in it"));
    }
    let made = tools.iter().map(|tool| {
        let file = ToolFile::parse(tool.name, tool.file).map_err(|error| error.to_string())?;
        let make = tool.make;
        let made = Guarded::make(tool.name, file, config, move |file| Ok(make(file)))?;
        Ok(Box::new(made) as Box<dyn Tool>)
    });
    made.collect()
}
