//! Assembling text.

use crate::{
    ffi,
    mc::{append, into_text},
};
use std::ffi::{c_char, c_void};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    Error,
    Warning,
    Note,
}

/// One message of the assembler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    /// From 1; 0 when LLVM names no place.
    pub line: u32,
    /// From 1; 0 when LLVM names no place.
    pub column: u32,
    pub message: String,
}

/// The text does not assemble. At least one diagnostic is an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssemblyError {
    pub diagnostics: Vec<Diagnostic>,
}

struct Collected {
    object: Vec<u8>,
    diagnostics: Vec<Diagnostic>,
}

/// Assembles `text` to an ELF relocatable object. Directives that read files find none.
pub fn assemble(cpu: &str, features: &str, text: &str) -> Result<Vec<u8>, AssemblyError> {
    let mut collected = Collected {
        object: Vec::new(),
        diagnostics: Vec::new(),
    };
    // SAFETY: pointers and lengths describe live strings; both sinks get the collector they expect and are called only
    // during this call, on this thread.
    let assembled = unsafe {
        ffi::luthier_mc_assemble(
            cpu.as_ptr().cast(),
            cpu.len(),
            features.as_ptr().cast(),
            features.len(),
            text.as_ptr().cast(),
            text.len(),
            collect_object,
            collect_diagnostic,
            (&raw mut collected).cast(),
        )
    };
    if assembled == 0 {
        return Err(AssemblyError {
            diagnostics: collected.diagnostics,
        });
    }
    Ok(collected.object)
}

unsafe extern "C" fn collect_object(user: *mut c_void, bytes: *const c_char, length: usize) {
    // SAFETY: `user` is the collector of `assemble`, `bytes` is readable for `length` by the sink's contract.
    unsafe {
        append(
            (&raw mut (*user.cast::<Collected>()).object).cast(),
            bytes,
            length,
        )
    }
}

unsafe extern "C" fn collect_diagnostic(
    user: *mut c_void,
    severity: u32,
    line: u32,
    column: u32,
    message: *const c_char,
    length: usize,
) {
    let mut text = Vec::new();
    // SAFETY: `message` is readable for `length` bytes, `text` is the vector that `append` expects, and `user` is the collector that
    // `assemble` passed.
    let collected = unsafe {
        append((&raw mut text).cast(), message, length);
        &mut *user.cast::<Collected>()
    };
    let severity = match severity {
        ffi::SEVERITY_ERROR => Severity::Error,
        ffi::SEVERITY_WARNING => Severity::Warning,
        _ => Severity::Note,
    };
    collected.diagnostics.push(Diagnostic {
        severity,
        line,
        column,
        message: into_text(text),
    });
}
