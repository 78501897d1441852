//! Errors of this crate, with LLVM's messages.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    Error,
    Warning,
    Note,
}

/// One message of LLVM or of the checks around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    /// Source file by the debug information; empty when unknown.
    pub file: String,
    /// Source line; 0 when unknown.
    pub line: u32,
    pub message: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line != 0 && !self.file.is_empty() {
            write!(formatter, "{}:{}: ", self.file, self.line)?;
        }
        formatter.write_str(&self.message)
    }
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot load the code generator: {reason}; install libllvm22 or run ./dev setup")]
    Library { reason: String },
    #[error("{}", first_error(.0))]
    Refused(Vec<Diagnostic>),
    #[error("LLVM wrote an object file that cannot be read: {0}")]
    Object(&'static str),
}

impl Error {
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            Error::Refused(diagnostics) => diagnostics,
            Error::Library { .. } | Error::Object(_) => &[],
        }
    }
}

fn first_error(diagnostics: &[Diagnostic]) -> String {
    let mut errors = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error);
    let first = errors.next().map_or_else(
        || "LLVM refused the hook without a reason".to_owned(),
        ToString::to_string,
    );
    match errors.count() {
        0 => first,
        more => format!("{first} (and {more} more)"),
    }
}
