//! Errors, each with the next step.

use std::path::PathBuf;
use std::process::ExitStatus;

/// An error of `luthier count`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{0}")]
    Options(#[from] host_count::OptionsError),
    #[error("cannot run {tool}: {source}; {hint}")]
    Tool {
        tool: String,
        source: std::io::Error,
        hint: &'static str,
    },
    #[error("{option} wants a value")]
    NoValue { option: String },
    #[error(
        "the runtime cannot be compiled for this target: its C library's headers may be missing (Debian: libc6-dev-ARCHITECTURE-cross):\n{message}"
    )]
    RuntimeTarget { message: String },
    #[error(
        "there is no runtime for {system}: objects can be made (-c) and their counts compared with `luthier count explain`, but programs cannot be linked"
    )]
    NoRuntime { system: &'static str },
    #[error("{tool} failed ({status}):\n{message}")]
    Failed {
        tool: String,
        status: ExitStatus,
        message: String,
    },
    #[error("{path}: {source}")]
    File {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error(
        "cannot find {name}; looked in {looked}; build it with `./dev build` (or `cargo build -p {package}`), or say where it is with {variable}"
    )]
    NotBuilt {
        name: &'static str,
        package: &'static str,
        variable: &'static str,
        looked: String,
    },
    #[error(
        "{path}: {source}; the compiled runtime is kept there: set LUTHIER_CACHE to a directory that can be written"
    )]
    Cache {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error(
        "the compiled runtime lacks {file} and cannot be put into place: {source}; remove {directory}, or set LUTHIER_CACHE to another directory"
    )]
    MissingRuntime {
        file: PathBuf,
        directory: PathBuf,
        source: std::io::Error,
    },
    #[error(
        "cannot find a directory for the compiled runtime: set LUTHIER_CACHE, XDG_CACHE_HOME or HOME"
    )]
    NoCache,
    #[error(
        "{program} reported no count: it was not built with `luthier count cc`, or was killed before it could be looked at"
    )]
    NoReport { program: String },
    #[error(
        "{path}: clang compiled nothing of it: name a C or C++ source file (what `luthier count cc` built is for `luthier count run`)"
    )]
    NoSource { path: PathBuf },
    #[error("{path}:{line}: {source}; `luthier count run --turns FILE` writes such files")]
    Turns {
        path: PathBuf,
        line: usize,
        source: serde_json::Error,
    },
    #[error(
        "{option} is for programs with a budget for each turn: add `--budget UNITS --budget-per turn`"
    )]
    NoTurns { option: &'static str },
    #[error("the replay of {path} differs: {what}")]
    Replay { path: PathBuf, what: String },
    #[error("{path}: {source}")]
    Report {
        path: PathBuf,
        source: crate::report::ReportError,
    },
    #[error(
        "{program} was built without `--per {per}`; build it with `luthier count cc --per {per}` to see counts per {per}"
    )]
    NotKept { program: String, per: &'static str },
}

impl Error {
    /// The lines of another program, if they are the end of the error.
    pub(crate) fn others(&self) -> Option<&str> {
        match self {
            Error::RuntimeTarget { message } | Error::Failed { message, .. } => Some(message),
            _ => None,
        }
    }
}

/// Attaches the path to an I/O error.
pub(crate) fn at(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.into();
    move |source| Error::File { path, source }
}
