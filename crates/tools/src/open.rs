//! Tools by name or path.

use crate::TOOLS;
use luthier::{Declarative, Tool, ToolFile};
use std::path::{Path, PathBuf};

/// In place of a tool's name: look at what is in the program already.
pub const BUILT_IN: &str = "built-in";
/// Ending of a built tool.
pub const SUFFIX: &str = "tool";

#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(
        "no tool {name}: there is {known}, and no file of that name; build one with `luthier tool build`"
    )]
    Unknown { name: String, known: String },
    #[error("no tool {0} comes with Luthier; for the file that lies here, say -t ./{0}.{SUFFIX}")]
    Here(String),
    #[error("tool {name} is not built ({}): run `./dev build`, or `luthier tool build --ready`", path.display())]
    NotBuilt { name: String, path: PathBuf },
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{0} is a library with host code, which only `luthier run` can call")]
    Library(String),
    #[error(transparent)]
    Tool(#[from] luthier::Error),
}

/// The name under which a tool reports: of a path, the file's without its ending.
pub fn name_of(tool: &str) -> String {
    match Path::new(tool).file_stem() {
        Some(stem) if is_path(tool) => stem.to_string_lossy().into_owned(),
        _ => tool.to_owned(),
    }
}

/// A tool by name, from `directory`, or by path.
pub fn open(tool: &str, directory: &Path) -> Result<Box<dyn Tool>, OpenError> {
    if is_library(tool) {
        return Err(OpenError::Library(tool.to_owned()));
    }
    let name = name_of(tool);
    let ready = TOOLS.iter().find(|ready| ready.name == name);
    let path = if is_path(tool) {
        PathBuf::from(tool)
    } else if ready.is_some() {
        directory.join(format!("{name}.{SUFFIX}"))
    } else if Path::new(&format!("{name}.{SUFFIX}")).is_file() {
        return Err(OpenError::Here(name));
    } else {
        let names: Vec<_> = TOOLS.iter().map(|ready| ready.name).collect();
        let known = names.join(", ");
        return Err(OpenError::Unknown { name, known });
    };
    let bytes = std::fs::read(&path).map_err(|source| match (source.kind(), ready) {
        (std::io::ErrorKind::NotFound, Some(_)) => OpenError::NotBuilt {
            name: name.clone(),
            path: path.clone(),
        },
        _ => OpenError::Unreadable {
            path: path.clone(),
            source,
        },
    })?;
    Ok(with_host_code(ToolFile::parse(&name, &bytes)?))
}

/// The tool with this file: one of ours if it has the name of one, else a declarative one.
pub fn with_host_code(file: ToolFile) -> Box<dyn Tool> {
    match TOOLS.iter().find(|ready| ready.name == file.name()) {
        Some(ready) => (ready.make)(file),
        None => Box::new(Declarative(file)),
    }
}

/// Whether this names a library that has tools with host code in Rust.
pub fn is_library(tool: &str) -> bool {
    tool.ends_with(".so")
}

/// Where a tool of ours lies in `directory`, if this is the name of one.
pub fn ready_path(tool: &str, directory: &Path) -> Option<PathBuf> {
    let known = TOOLS.iter().any(|ready| ready.name == tool);
    known.then(|| directory.join(format!("{tool}.{SUFFIX}")))
}

fn is_path(tool: &str) -> bool {
    tool.contains('/') || tool.ends_with(&format!(".{SUFFIX}"))
}

/// Whether a text is what `--site` takes.
pub fn check_filter(text: &str) -> Result<(), OpenError> {
    text.parse::<luthier::SiteFilter>()?;
    Ok(())
}
