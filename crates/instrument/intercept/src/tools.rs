//! Which instrumenter the settings ask for.

use std::{env, path::Path, process::Command, sync::Arc};

use hsa_tool::library;
use luthier::{Tool, ToolFile};
use session::{Config, Identity, Instrumenter};

use crate::{guarded::Guarded, own};

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
    for (tool, name) in tools::distinct(&config.tools).chosen {
        if !tools::is_library(tool) {
            opened.push(named(tool, &name, directory, config)?);
        } else if std::fs::read(tool).is_ok_and(|library| tools::is_stock(&library)) {
            let prepared = prepared(tool)?;
            opened.push(named(&prepared, &name, directory, config)?);
        } else {
            opened.extend(own_tools(tool, config)?);
        }
    }
    let filter = env::var("LUTHIER_SITE").unwrap_or_default();
    let engine = luthier::Engine::new(opened, &filter, config.output.clone())
        .map_err(|error| error.to_string())?;
    let strict = env::var_os("LUTHIER_STRICT").is_some_and(|value| value == "1");
    Ok(Arc::new(engine.strict(strict)))
}

/// Where the `luthier` command lies, from the folder of this library: in a build, and installed.
const COMMANDS: [&str; 3] = ["luthier", "../bin/luthier", "../../bin/luthier"];

/// The tool in a library from a HIP compiler, whose hooks another process compiles: no code generator comes into this one.
fn prepared(library: &str) -> Result<String, String> {
    let own = library::own_path();
    let folder = own.as_deref().and_then(Path::parent);
    let folder = folder.ok_or("the folder of this library is unknown")?;
    let mut commands = COMMANDS.iter().map(|command| folder.join(command));
    let command = commands.find(|command| command.is_file()).ok_or_else(|| {
        format!(
            "{library} needs the luthier command to compile its hooks, which is not near {}",
            folder.display()
        )
    })?;
    let output = Command::new(&command)
        .args(["tool", "compile-hooks", library])
        // It is no program to look into.
        .env_remove("HSA_TOOLS_LIB")
        .env_remove("LD_PRELOAD")
        .output()
        .map_err(|error| format!("cannot run {}: {error}", command.display()))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
    }
}

/// A tool by name or path, with the host code in C++ that it may have.
fn named(
    tool: &str,
    name: &str,
    directory: &Path,
    config: &Config,
) -> Result<Box<dyn Tool>, String> {
    let opened = tools::open_as(tool, name, directory).map_err(|error| error.to_string())?;
    if !opened.file().has_host_code() {
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
    let here = library::own_path().and_then(|path| path.canonicalize().ok());
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
        let all = env::var(tools::OPTIONS).unwrap_or_default();
        let file = ToolFile::parse(tool.name, tool.file)
            .and_then(|file| file.with_options(tools::options_of(tool.name, &all)))
            .map_err(|error| error.to_string())?;
        let make = tool.make;
        let made = Guarded::make(tool.name, file, config, move |file| Ok(make(file)))?;
        Ok(Box::new(made) as Box<dyn Tool>)
    });
    made.collect()
}
