//! Makes the instrumenter that the settings ask for.

use std::{
    env, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use guest::library;
use luthier::{Tool, ToolFile};
use session::{Config, Identity, Instrumenter};

use crate::{
    contained,
    guarded::{Callbacks, Guarded},
    own,
};

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
        let built_in = luthier::BuiltInTools::new(tools::with_host_code, output, config.session);
        return Ok(Arc::new(built_in.temporary(config.output_is_temporary)));
    }
    let mut opened: Vec<Box<dyn Tool>> = Vec::new();
    let libraries = env::var(tools::LIBRARIES).unwrap_or_default();
    for (tool, name) in tools::distinct(&config.tools).chosen {
        if !tools::is_library(tool) {
            let library = tools::named_as(Path::new(tool), &libraries);
            opened.push(named(tool, &library, &name, directory, config)?);
        } else if tools::read_library(Path::new(tool))
            .is_ok_and(|library| tools::is_stock(&library))
        {
            let prepared = compile_hooks(Path::new(tool), &[], Duration::MAX)?;
            opened.push(named(
                &prepared.to_string_lossy(),
                Path::new(tool),
                &name,
                directory,
                config,
            )?);
        } else {
            opened.extend(own_tools(tool, &name, config)?);
        }
    }
    let filter = env::var("LUTHIER_SITE").unwrap_or_default();
    let engine = luthier::Engine::new(opened, &filter, config.output.clone())
        .map_err(|error| error.to_string())?;
    let engine = engine.strict(config.strict).session(config.session);
    Ok(Arc::new(engine.temporary(config.output_is_temporary)))
}

/// The path of the `luthier` command, from the folder of this library: in a build, and installed.
const COMMANDS: [&str; 3] = ["luthier", "../bin/luthier", "../../bin/luthier"];

/// The tool or module in a library from a HIP compiler, whose hooks another process compiles: no code generator comes into this one.
/// A command that has not ended after `limit` is ended.
fn compile_hooks(file: &Path, options: &[&str], limit: Duration) -> Result<PathBuf, String> {
    let own = library::own_path();
    let folder = own.as_deref().and_then(Path::parent);
    let folder = folder.ok_or("the folder of this library is unknown")?;
    let mut commands = COMMANDS.iter().map(|command| folder.join(command));
    let command = commands.find(|command| command.is_file()).ok_or_else(|| {
        format!(
            "compiling the hooks of {} needs the luthier command, which is not near {}",
            file.display(),
            folder.display()
        )
    })?;
    let failed = |error: io::Error| format!("cannot run {}: {error}", command.display());
    let mut child = Command::new(&command)
        .args(["tool", "compile-hooks"])
        .args(options)
        .arg(file)
        // It is no program to look into.
        .env_remove("HSA_TOOLS_LIB")
        .env_remove("LD_PRELOAD")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let began = Instant::now();
    // The command's messages fit into the pipes.
    while child.try_wait().map_err(failed)?.is_none() {
        if began.elapsed() > limit {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!(
                "compiling the hooks of {} takes longer than {limit:?} (see LUTHIER_BUILD_LIMIT)",
                file.display()
            ));
        }
        thread::sleep(LOOK);
    }
    let output = child.wait_with_output().map_err(failed)?;
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    match output.status.success() {
        true => Ok(said(&output.stdout).into()),
        false => Err(said(&output.stderr)
            .trim_start_matches("luthier: ")
            .to_owned()),
    }
}

/// Pause between looks at the command.
const LOOK: Duration = Duration::from_millis(5);

/// Compiles a module that host code of a tool loads. The time does not count against the tool's limit.
fn compile_module(module: &Path) -> Result<PathBuf, String> {
    let (config, _) = Config::read(|name| env::var(name).ok());
    contained::patiently(|| compile_hooks(module, &["--module"], config.build_limit))
}

/// A tool by name or path, with the host code in C++ that it may have; `given` is what the user named for it.
fn named(
    tool: &str,
    given: &Path,
    name: &str,
    directory: &Path,
    config: &Config,
) -> Result<Box<dyn Tool>, String> {
    let opened = tools::open_as(tool, name, directory).map_err(|error| error.to_string())?;
    let info = opened.info();
    if !info.file.has_host_code() {
        return Ok(opened);
    }
    let (path, given) = (tool.to_owned(), given.to_owned());
    let made = Guarded::make(
        info.name,
        info.file.clone(),
        config,
        &Callbacks::LIBRARY,
        move |file| {
            tool_capi::with_host_code(file, Path::new(&path), &given, compile_module)
                .map_err(|error| error.to_string())
        },
    );
    Ok(Box::new(made?))
}

/// The tools with host code in Rust, which are in this library if it is the one that the user named: all of them, or those that were
/// chosen. Messages about the library use `name`.
fn own_tools(library: &str, name: &str, config: &Config) -> Result<Vec<Box<dyn Tool>>, String> {
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
    let all = env::var(tools::OPTIONS).unwrap_or_default();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name).collect();
    let chosen = tools::chosen_of(&names, &tools::options_of(name, &all))
        .map_err(|reason| format!("{library} {reason}"))?;
    let made = tools.iter().filter_map(|tool| {
        let (_, options) = chosen.iter().find(|(chosen, _)| *chosen == tool.name)?;
        Some((tool, options))
    });
    let made = made.map(|(tool, options)| {
        let options = options.iter().map(|(key, value)| (key.as_str(), *value));
        let file = ToolFile::parse(tool.name, tool.file)
            .and_then(|file| file.with_options(options))
            .map_err(|error| error.to_string())?;
        let make = tool.make;
        let made = Guarded::make(tool.name, file, config, &Callbacks::RUST, move |file| {
            Ok(make(file))
        })?;
        Ok(Box::new(made) as Box<dyn Tool>)
    });
    made.collect()
}
