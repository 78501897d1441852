//! HIP files to tools: templates of every hook for every target.
//!
//! Entry types: [`build`] (a HIP file) and [`ready`] (the tools that come with Luthier). Runs clang and LLVM's code generator,
//! so it never runs in an application's process.
#![forbid(unsafe_code)]

mod constructors;
pub mod example;
mod stock;

use hook::{Arg, BuildError, Bundle, Global, HookList, ToolRequest, Unit};
use luthier::{Description, Kind};
use std::{
    cell::RefCell,
    panic::resume_unwind,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};

pub use hook::TARGETS;
pub use stock::{Stock, from_library, module};

/// The headers that tools include.
const HEADERS: [(&str, &str); 4] = [
    (
        "luthier_device.h",
        include_str!("../../../../include/luthier_device.h"),
    ),
    (
        "luthier_hip_names.h",
        include_str!("../../../../include/luthier_hip_names.h"),
    ),
    ("luthier.h", include_str!("../../../../include/luthier.h")),
    (
        "luthier_hsa_events.h",
        include_str!("../../../../include/luthier_hsa_events.h"),
    ),
];
/// Start-up code of the host wants to register device code, which is not in the library.
const STUB: &str =
    "extern \"C\" { __attribute__((visibility(\"hidden\"))) char __hip_fatbin[16]; }";
/// Bytes of `luthier::ring` in `luthier_device.h`.
const RING: u64 = 56;
/// Variable with the description.
const DESCRIPTION: &str = "__luthier_description";
/// The hooks that the header itself defines: whether the first parameter is a reference, and how many there are behind it.
const OWN_HOOKS: [(&str, bool, usize); 4] = [
    ("__luthier_add", false, 2),
    ("__luthier_flush", false, 3),
    ("__luthier_of_workgroup", true, 3),
    ("__luthier_of_executions", true, 3),
];

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error("{file}: {source}")]
    Bundle {
        file: String,
        source: hook::BundleError,
    },
    #[error("{file}: {reason}")]
    Library { file: String, reason: String },
    #[error("{file}: in LUTHIER_TOOL: {source}")]
    Arguments {
        file: String,
        source: Box<luthier::Error>,
    },
    #[error(transparent)]
    Write(#[from] records::Error),
    #[error("{}: {source}", path.display())]
    File {
        path: PathBuf,
        source: std::io::Error,
    },
}

impl Error {
    /// The lines of a compiler, if they are the end of the error.
    pub fn compiler_said(&self) -> Option<&str> {
        match self {
            Error::Build(BuildError::Source { output, .. }) => Some(output),
            _ => None,
        }
    }
}

/// Builds the tool in `source` for `targets`; `clang` is `clang-22` or a path.
pub fn build(source: &Path, targets: &[&str], clang: &str) -> Result<Vec<u8>, Error> {
    templates(source, targets, clang, false)
}

/// The same of hooks that have no host code in the file: of a module, or of a tool in Rust.
pub fn build_module(source: &Path, targets: &[&str], clang: &str) -> Result<Vec<u8>, Error> {
    templates(source, targets, clang, true)
}

fn templates(source: &Path, targets: &[&str], clang: &str, part: bool) -> Result<Vec<u8>, Error> {
    let directory = header()?;
    let bundle = built(&source.display().to_string(), part, |hooks| {
        hook::build_tool(&ToolRequest {
            source,
            include: directory.path(),
            hooks,
            targets,
            clang,
        })
    })?;
    let checked = luthier::check_arguments(&bundle, &described(&bundle.globals)?);
    checked.map_err(|error| Error::Arguments {
        file: source.display().to_string(),
        source: Box::new(error),
    })?;
    bundle.to_bytes().map_err(|error| Error::Bundle {
        file: source.display().to_string(),
        source: error,
    })
}

/// The result of `build` for a tool, given its hooks. The variables that the description names may be in other units than the description, so
/// that a tool of several parts is checked as a whole.
fn built(
    file: &str,
    part: bool,
    build: impl FnOnce(&HookList<'_>) -> Result<Bundle, BuildError>,
) -> Result<Bundle, Error> {
    let records = RefCell::new(Vec::new());
    let bundle = build(&|unit| {
        records.borrow_mut().extend_from_slice(unit.records);
        hooks(unit, part)
    })?;
    let whole = Unit {
        globals: &bundle.globals,
        records: &records.into_inner(),
    };
    let description = described(&bundle.globals)?;
    let checked = check_variables(&description, &whole);
    // A module has neither description nor mark. Its hooks get the tool's rings as arguments.
    let is_tool =
        description_text(&bundle.globals).is_some() || luthier::is_marked(&bundle.globals);
    let checked = checked.and_then(|()| match is_tool {
        true => check_rings(&description, &whole),
        false => Ok(()),
    });
    checked.map_err(|reason| BuildError::Hooks {
        file: file.to_owned(),
        reason,
    })?;
    Ok(bundle)
}

/// Builds the shared library with a tool's host code, if the tool that [`build`] made has any; false if it has none.
pub fn build_host(source: &Path, tool: &[u8], output: &Path, clang: &str) -> Result<bool, Error> {
    let bundle = Bundle::from_bytes(tool).map_err(|error| Error::Bundle {
        file: source.display().to_string(),
        source: error,
    })?;
    if !luthier::has_host_code(&bundle.globals) {
        return Ok(false);
    }
    let headers = header()?;
    let stub = headers.path().join("stub.c");
    let wrote = std::fs::write(&stub, STUB);
    wrote.map_err(|source| Error::File {
        path: stub.clone(),
        source,
    })?;
    let compiled = std::process::Command::new(clang)
        .args(["-x", "hip", "--cuda-host-only", "-O2", "-std=c++17"])
        .args([
            "-nogpulib",
            "-nogpuinc",
            "-fPIC",
            "-shared",
            "-DLUTHIER_WITHOUT_HIP",
        ])
        // With the stub below, whose symbol has no suffix.
        .arg("-fuse-cuid=none")
        // Destructors would run on the application's thread at its end.
        .args(["-fno-c++-static-destructors", "-I"])
        .arg(headers.path())
        .arg(source)
        .args(["-x", "c++"])
        .arg(&stub)
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

/// Builds all tools that come with Luthier into `directory`, and the [`example`], several at a time, telling `progress` about each.
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
    let build_one = |tool: &tools::ReadyTool| -> Result<(), Error> {
        progress(tool.name);
        let source = sources.path().join(format!("{}.hip", tool.name));
        std::fs::write(&source, tool.source).map_err(|error| failed(&source, error))?;
        let bytes = build(&source, targets, clang)?;
        let path = directory.join(format!("{}.{}", tool.name, tools::SUFFIX));
        Ok(records::write_whole(&path, &bytes)?)
    };
    progress(example::OBJECT_FILE);
    example::build(directory, clang)?;
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

/// The text of the description.
fn description_text(globals: &[Global]) -> Option<String> {
    let described = globals.iter().find(|global| global.name == DESCRIPTION);
    let bytes = described.and_then(|global| global.initial.as_deref())?;
    let text = String::from_utf8_lossy(bytes);
    Some(text.trim_end_matches('\0').to_owned())
}

fn described(globals: &[Global]) -> Result<Description, Error> {
    let text = description_text(globals).unwrap_or_default();
    Description::parse("here", &text).map_err(|source| Error::Arguments {
        file: String::new(),
        source: Box::new(source),
    })
}

/// The hooks that the description among the variables names, those that host code inserts, and the header's own. If a unit
/// is `part` of a tool, another unit may say what the tool is.
fn hooks(unit: &Unit<'_>, part: bool) -> Result<Vec<(String, Vec<Arg>)>, String> {
    let globals = unit.globals;
    let text = description_text(globals);
    let exports = luthier::exports(globals);
    let marked = luthier::has_host_code(globals);
    if text.is_none() && !marked {
        return match part {
            true => Ok(Vec::new()),
            false => Err(
                "it has neither LUTHIER_TOOL(...), which names the hooks and where they go, nor \
                 MARK_LUTHIER_DEVICE_MODULE and LUTHIER_EXPORT_FUNC(HOOK), for host code that inserts them"
                    .to_owned(),
            ),
        };
    }
    if !exports.is_empty() && !luthier::is_marked(globals) && !part {
        return Err("a tool with host code says MARK_LUTHIER_DEVICE_MODULE once".to_owned());
    }
    let description = Description::parse("here", &text.unwrap_or_default()).map_err(told)?;
    if !part {
        check_variables(&description, unit)?;
    }
    let parameters = description.parameters().map_err(told)?;
    let own = OWN_HOOKS.map(|(hook, refers, scalars)| {
        let reference = refers.then_some(Arg::ScalarReference(1)).into_iter();
        let scalars = std::iter::repeat_n(Arg::Scalar, scalars);
        (hook.to_owned(), reference.chain(scalars).collect())
    });
    // Host code chooses the arguments of these hooks later. A hook with arguments therefore has a second variant, for
    // values of lanes.
    let mut exported = Vec::new();
    for (hook, count) in exports {
        if parameters.contains_key(&hook) {
            continue;
        }
        if count != 0 {
            let lanes = format!("{hook}{}", luthier::LANES);
            exported.push((lanes, vec![Arg::Vector; count]));
        }
        exported.push((hook, vec![Arg::Scalar; count]));
    }
    let described = parameters
        .into_iter()
        .map(|(hook, kinds)| (hook, kinds.into_iter().map(argument).collect()));
    Ok(described.chain(exported).chain(own).collect())
}

/// Refuses a description whose variables are not there, or are not what it takes them for.
fn check_variables(description: &Description, unit: &Unit<'_>) -> Result<(), String> {
    let find = |name: &str| unit.globals.iter().find(|global| global.name == name);
    let given = description.given_variables().map_err(told)?;
    let mut named = description.variables().chain(given.iter().map(|it| &**it));
    if let Some(name) = named.find(|name| find(name).is_none()) {
        return Err(format!(
            "LUTHIER_TOOL names a variable {name}, but there is none: is it marked LUTHIER_GLOBAL?"
        ));
    }
    let is_number = |global: &&Global| matches!(global.size, 4 | 8);
    let mut printed = description.printed().filter_map(find);
    if let Some(Global { name, .. }) = printed.find(|global| !is_number(global)) {
        return Err(format!(
            "LUTHIER_TOOL prints the variable {name}, which is no number of 4 or 8 bytes: print variables with one number each, or \
             use a stream or host code"
        ));
    }
    for stream in &description.stream {
        let ring = &stream.ring;
        if find(ring).is_some_and(|global| global.size < RING) {
            return Err(format!(
                "LUTHIER_TOOL has a stream of the variable {ring}, which is no luthier::ring: declare it `LUTHIER_GLOBAL luthier::ring {ring};`"
            ));
        }
        let said = stream.record_size();
        let mut appended = unit.records.iter().filter(|record| record.ring == *ring);
        if let Some(record) = appended.find(|record| Some(record.bytes) != said) {
            return Err(format!(
                "hooks append records of {} bytes to {ring}, and what LUTHIER_TOOL says of that stream makes {}: let `fields` name every part \
                 of the structure, or `bytes` be its size",
                record.bytes,
                said.unwrap_or_default()
            ));
        }
    }
    Ok(())
}

/// Refuses records that nothing takes.
fn check_rings(description: &Description, unit: &Unit<'_>) -> Result<(), String> {
    let taken = |ring: &str| description.stream.iter().any(|stream| stream.ring == ring);
    let own = |ring: &str| ring.starts_with("__luthier");
    let mut rings = unit.records.iter().map(|record| &*record.ring);
    match rings.find(|ring| !taken(ring) && !own(ring)) {
        Some(ring) => Err(format!(
            "hooks append records to {ring}, and LUTHIER_TOOL has no `stream` that takes them"
        )),
        None => Ok(()),
    }
}

/// The fault in a description, said of a file with another name.
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
        Kind::Literal => Arg::Literal,
    }
}
