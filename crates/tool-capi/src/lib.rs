//! Tools with host code in C++: the other side of `include/luthier.h`.
//!
//! Entry type: [`with_host_code`]. A tool with host code is two files, `NAME.tool` with the hooks and `NAME.so` beside it. The
//! library gets a table of functions ([`table`], of [`structures`]) and is called at its begin and end and for every launch ([`library`]);
//! [`tool`] makes a [`luthier::Tool`] of that. What the compiler's start-up code registered ([`registered`]) tells hooks by
//! their handles, and puts the tool's variables where host code and hooks reach them ([`variables`]).

mod constructors;
mod inspecting;
mod library;
mod registered;
mod seen;
mod structures;
mod table;
mod tool;
mod variables;
mod visit;

pub use library::LibraryError;
/// What the header says as well, for a test that compares both.
pub use structures::STRUCTURES;
pub use table::ENTRIES;

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

/// The tool that was read from `path`, with the library beside it. Runs code of the tool's.
pub fn with_host_code(file: ToolFile, path: &Path) -> Result<Box<dyn Tool>, Error> {
    let library = library_of(path);
    if !library.exists() {
        let name = file.name().to_owned();
        return Err(Error::NoLibrary { name, library });
    }
    let library = library::Library::load(&library)?;
    Ok(Box::new(tool::LibraryTool::new(file, library)))
}

/// Where the host code of the tool in this file is.
pub fn library_of(tool: &Path) -> PathBuf {
    match tool
        .extension()
        .is_some_and(|extension| extension == SUFFIX)
    {
        true => tool.with_extension("so"),
        false => tool.to_owned(),
    }
}
