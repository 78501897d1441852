//! HIP files to tools: templates of every hook for every target.
//!
//! Entry types: [`build`] (a HIP file) and [`ready`] (the tools that come with Luthier). Runs clang and LLVM's code generator,
//! so it never runs in an application's process.
#![forbid(unsafe_code)]

use hook::{Arg, BuildError, Global, ToolRequest};
use luthier::{Description, Kind};
use std::path::{Path, PathBuf};

pub use hook::TARGETS;

/// The header that hooks include.
const HEADER: &str = include_str!("../../../include/luthier_device.h");
const HEADER_NAME: &str = "luthier_device.h";
/// Variable with the description, and the hooks that the header itself defines with the number of their parameters.
const DESCRIPTION: &str = "__luthier_description";
const OWN_HOOKS: [(&str, usize); 2] = [("__luthier_add", 2), ("__luthier_flush", 3)];

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error("{file}: {source}")]
    Bundle {
        file: String,
        source: hook::BundleError,
    },
    #[error(transparent)]
    Write(#[from] records::Error),
    #[error("{}: {source}", path.display())]
    File {
        path: PathBuf,
        source: std::io::Error,
    },
}

/// Builds the tool in `source` for `targets`; `clang` is `clang-22` or a path.
pub fn build(source: &Path, targets: &[&str], clang: &str) -> Result<Vec<u8>, Error> {
    let directory = header()?;
    let bundle = hook::build_tool(&ToolRequest {
        source,
        include: directory.path(),
        hooks: &hooks,
        targets,
        clang,
    })?;
    bundle.to_bytes().map_err(|error| Error::Bundle {
        file: source.display().to_string(),
        source: error,
    })
}

/// Builds all tools that come with Luthier into `directory`, telling `progress` about each.
pub fn ready(
    directory: &Path,
    targets: &[&str],
    clang: &str,
    mut progress: impl FnMut(&str),
) -> Result<(), Error> {
    let failed = |path: &Path, source| Error::File {
        path: path.to_path_buf(),
        source,
    };
    std::fs::create_dir_all(directory).map_err(|error| failed(directory, error))?;
    let sources = tempfile::tempdir().map_err(|error| failed(&std::env::temp_dir(), error))?;
    for tool in tools::TOOLS {
        progress(tool.name);
        let source = sources.path().join(format!("{}.hip", tool.name));
        std::fs::write(&source, tool.source).map_err(|error| failed(&source, error))?;
        let bytes = build(&source, targets, clang)?;
        records::write_whole(
            &directory.join(format!("{}.{}", tool.name, tools::SUFFIX)),
            &bytes,
        )?;
    }
    Ok(())
}

/// A directory with the header in it.
fn header() -> Result<tempfile::TempDir, Error> {
    let failed = |source| Error::File {
        path: std::env::temp_dir(),
        source,
    };
    let directory = tempfile::tempdir().map_err(failed)?;
    std::fs::write(directory.path().join(HEADER_NAME), HEADER).map_err(failed)?;
    Ok(directory)
}

/// The hooks that the description among the variables names, and the header's own.
fn hooks(globals: &[Global]) -> Result<Vec<(String, Vec<Arg>)>, String> {
    let text = globals
        .iter()
        .find(|global| global.name == DESCRIPTION)
        .and_then(|global| global.initial.as_deref())
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        .ok_or("there is no LUTHIER_TOOL(...), which names the hooks and where they go")?;
    let description = Description::parse("here", text.trim_end_matches('\0'))
        .map_err(|error| error.to_string())?;
    let parameters = description
        .parameters()
        .map_err(|error| error.to_string())?;
    let own = OWN_HOOKS.map(|(hook, parameters)| (hook.to_owned(), vec![Arg::Scalar; parameters]));
    let described = parameters
        .into_iter()
        .map(|(hook, kinds)| (hook, kinds.into_iter().map(argument).collect()));
    Ok(described.chain(own).collect())
}

fn argument(kind: Kind) -> Arg {
    match kind {
        Kind::Scalar => Arg::Scalar,
        Kind::Vector => Arg::Vector,
        Kind::ScalarReference => Arg::ScalarReference(1),
        Kind::ScalarPairReference => Arg::ScalarReference(2),
        Kind::VectorReference => Arg::VectorReference(1),
    }
}
