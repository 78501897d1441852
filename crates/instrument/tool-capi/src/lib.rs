//! Tools with host code in C++: the other side of `include/luthier.h`.
//!
//! Entry type: [`with_host_code`]. A tool with host code is two files, `NAME.tool` with the hooks and `NAME.so` beside it. The library
//! gets a table of functions ([`table`], see `tool-abi`) and is called at its begin and end and for every launch ([`library`]);
//! [`tool`] makes a [`luthier::Tool`] of that. [`registered`] keeps the handles of hooks that the compiler's start-up code registered.
//! [`counted`] has the counts of kernels. [`variables`] puts the tool's variables where host code and hooks reach them. [`modules`] are
//! further hooks and variables that the tool loads.

mod allocations;
mod constructors;
mod counted;
mod inspecting;
mod library;
mod memory;
mod modules;
mod registered;
mod seen;
mod sized;
mod table;
mod tool;
mod variables;
mod visit;

pub use library::LibraryError;
pub use modules::Compile;

use luthier::{Tool, ToolFile};
use std::path::{Path, PathBuf};
use tools::SUFFIX;

/// Why a tool cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Library(#[from] LibraryError),
    #[error(
        "tool {name} has host code, but {} is not beside it; build it again with `luthier tool build`",
        library.display()
    )]
    NoLibrary { name: String, library: PathBuf },
}

/// The tool that was read from `path`, with the library beside it; `compile` is for modules that it loads. Messages are about what the
/// user `named`. Runs code of the tool's.
pub fn with_host_code(
    file: ToolFile,
    path: &Path,
    named: &Path,
    compile: Compile,
) -> Result<Box<dyn Tool>, Error> {
    let library = beside(&file, path)?;
    let library = library::Library::load(&library, &library_of(named))?;
    Ok(Box::new(tool::LibraryTool::new(file, library, compile)))
}

/// The library with the host code of the tool that was read from `path`.
pub fn beside(file: &ToolFile, path: &Path) -> Result<PathBuf, Error> {
    let library = library_of(path);
    if library.exists() {
        return Ok(library);
    }
    let name = file.name().to_owned();
    Err(Error::NoLibrary { name, library })
}

/// Environment variable: the libraries of tools that wrap functions of HIP, with colons between them. They begin with it when the
/// program starts, if HIP is linked to that.
pub const WRAPS: &str = "LUTHIER_WRAPS";

/// Loads the libraries of a list as in [`WRAPS`] and has them wrap what they wrap. The error about a tool that cannot be loaded comes
/// later, where the tool is made. Runs code of the tools'.
pub fn wrap(libraries: &str) {
    for path in libraries.split(':').filter(|path| !path.is_empty()) {
        if let Ok(library) = library::Library::load(Path::new(path), Path::new(path)) {
            library.wrap();
        }
    }
}

/// The file with the host code of the tool in this file.
pub fn library_of(tool: &Path) -> PathBuf {
    match tool
        .extension()
        .is_some_and(|extension| extension == SUFFIX)
    {
        true => tool.with_extension("so"),
        false => tool.to_owned(),
    }
}
