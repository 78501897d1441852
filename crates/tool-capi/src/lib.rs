//! Tools with host code in C++: the other side of `include/luthier.h`.
//!
//! Entry type: [`open`], which takes whatever a user names as a tool. A tool with host code is two files, `NAME.tool` with the
//! hooks and `NAME.so` beside it. The library gets a table of functions ([`table`]) and is called at its begin and end and for
//! every launch ([`library`]); [`tool`] makes a [`luthier::Tool`] of that.

mod library;
mod table;
mod tool;

pub use library::LibraryError;

use luthier::Tool;
use std::path::{Path, PathBuf};
use tools::{OpenError, SUFFIX};

/// Why a tool cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Library(#[from] LibraryError),
    #[error(
        "tool {name} has host code, but {} is not beside it; build it again with `luthier tool build`",
        library.display()
    )]
    NoLibrary { name: String, library: PathBuf },
}

/// A tool by name, from `directory`, or by path, with the host code it has.
pub fn open(tool: &str, directory: &Path) -> Result<Box<dyn Tool>, Error> {
    let opened = tools::open(tool, directory)?;
    if opened.file().exports().is_empty() {
        return Ok(opened);
    }
    let library = library_of(Path::new(tool));
    if !library.exists() {
        let name = opened.name().to_owned();
        return Err(Error::NoLibrary { name, library });
    }
    let library = library::Library::load(&library)?;
    Ok(Box::new(tool::LibraryTool::new(
        opened.file().clone(),
        library,
    )?))
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
