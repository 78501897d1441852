//! HIP files to tools: templates of every hook for every target.
//!
//! Entry types: [`build`] (a HIP file) and [`ready`] (the tools that come with Luthier). Runs clang and LLVM's code generator,
//! so it never runs in an application's process.
#![forbid(unsafe_code)]

mod constructors;

use hook::{Arg, BuildError, Bundle, Global, ToolRequest};
use luthier::{Description, Kind};
use std::{
    panic::resume_unwind,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};

pub use hook::TARGETS;

/// The headers that tools include.
const HEADERS: [(&str, &str); 2] = [
    (
        "luthier_device.h",
        include_str!("../../../include/luthier_device.h"),
    ),
    ("luthier.h", include_str!("../../../include/luthier.h")),
];
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

/// Builds the shared library with a tool's host code, if the tool that [`build`] made has any; false if it has none.
pub fn build_host(source: &Path, tool: &[u8], output: &Path, clang: &str) -> Result<bool, Error> {
    let bundle = Bundle::from_bytes(tool).map_err(|error| Error::Bundle {
        file: source.display().to_string(),
        source: error,
    })?;
    if luthier::exports(&bundle.globals).is_empty() {
        return Ok(false);
    }
    let headers = header()?;
    let compiled = std::process::Command::new(clang)
        .args(["-x", "hip", "--cuda-host-only", "-O2", "-std=c++17"])
        .args(["-nogpulib", "-nogpuinc", "-fPIC", "-shared"])
        // Destructors would run on the application's thread at its end.
        .args(["-fno-c++-static-destructors", "-I"])
        .arg(headers.path())
        .arg(source)
        .arg("-o")
        .arg(output)
        .output()
        .map_err(|source| BuildError::Clang {
            program: clang.to_owned(),
            source,
        })?;
    if !compiled.status.success() {
        return Err(Error::Build(BuildError::Source {
            file: source.display().to_string(),
            target: "the host".to_owned(),
            output: String::from_utf8_lossy(&compiled.stderr).trim().to_owned(),
        }));
    }
    let failed = |source| Error::File {
        path: output.to_owned(),
        source,
    };
    let mut library = std::fs::read(output).map_err(failed)?;
    constructors::hide(&mut library);
    std::fs::write(output, library).map_err(failed)?;
    Ok(true)
}

/// Builds all tools that come with Luthier into `directory`, several at a time, telling `progress` about each.
pub fn ready(
    directory: &Path,
    targets: &[&str],
    clang: &str,
    progress: impl Fn(&str) + Sync,
) -> Result<(), Error> {
    let failed = |path: &Path, source| Error::File {
        path: path.to_path_buf(),
        source,
    };
    std::fs::create_dir_all(directory).map_err(|error| failed(directory, error))?;
    let sources = tempfile::tempdir().map_err(|error| failed(&std::env::temp_dir(), error))?;
    let build_one = |tool: &tools::Ready| -> Result<(), Error> {
        progress(tool.name);
        let source = sources.path().join(format!("{}.hip", tool.name));
        std::fs::write(&source, tool.source).map_err(|error| failed(&source, error))?;
        let bytes = build(&source, targets, clang)?;
        let path = directory.join(format!("{}.{}", tool.name, tools::SUFFIX));
        Ok(records::write_whole(&path, &bytes)?)
    };
    let next = AtomicUsize::new(0);
    let work = || -> Result<(), Error> {
        while let Some(tool) = tools::TOOLS.get(next.fetch_add(1, Ordering::Relaxed)) {
            build_one(tool)?;
        }
        Ok(())
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// A directory with the headers in it.
fn header() -> Result<tempfile::TempDir, Error> {
    let failed = |source| Error::File {
        path: std::env::temp_dir(),
        source,
    };
    let directory = tempfile::tempdir().map_err(failed)?;
    for (name, text) in HEADERS {
        std::fs::write(directory.path().join(name), text).map_err(failed)?;
    }
    Ok(directory)
}

/// The hooks that the description among the variables names, and the header's own.
fn hooks(globals: &[Global]) -> Result<Vec<(String, Vec<Arg>)>, String> {
    let text = globals
        .iter()
        .find(|global| global.name == DESCRIPTION)
        .and_then(|global| global.initial.as_deref())
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let exports = luthier::exports(globals);
    if text.is_none() && exports.is_empty() {
        return Err(
            "there is no LUTHIER_TOOL(...), which names the hooks and where they go".to_owned(),
        );
    }
    let text = text.unwrap_or_default();
    let description = Description::parse("here", text.trim_end_matches('\0')).map_err(told)?;
    let known = |name: &str| globals.iter().any(|global| global.name == name);
    if let Some(name) = description.variables().find(|name| !known(name)) {
        return Err(format!(
            "LUTHIER_TOOL names a variable {name}, but there is none: is it marked LUTHIER_GLOBAL?"
        ));
    }
    let parameters = description.parameters().map_err(told)?;
    let own = OWN_HOOKS.map(|(hook, parameters)| (hook.to_owned(), vec![Arg::Scalar; parameters]));
    let exported = exports
        .into_iter()
        .filter(|(hook, _)| !parameters.contains_key(hook))
        .map(|(hook, parameters)| (hook, vec![Arg::Scalar; parameters]))
        .collect::<Vec<_>>();
    let described = parameters
        .into_iter()
        .map(|(hook, kinds)| (hook, kinds.into_iter().map(argument).collect()));
    Ok(described.chain(exported).chain(own).collect())
}

/// What is wrong with a description, of a file that is named otherwise.
fn told(error: luthier::Error) -> String {
    match error {
        luthier::Error::Description { reason, .. } => format!("in LUTHIER_TOOL: {reason}"),
        other => other.to_string(),
    }
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
