//! What can go wrong, by step.

use crate::RegisterFile;

/// Machine code that cannot be a template. Offsets are bytes from its start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    #[error("the code at {offset:#x} does not decode: {reason}")]
    Decode { offset: u64, reason: String },
    #[error("`{instruction}` at {offset:#x} {reason}")]
    Forbidden {
        offset: u64,
        instruction: String,
        reason: &'static str,
    },
    #[error("`{instruction}` at {offset:#x} writes {port}, an input that must stay intact")]
    WritesInput {
        offset: u64,
        instruction: String,
        port: String,
    },
    #[error("`{instruction}` at {offset:#x} writes a register set aside as padding")]
    WritesPadding { offset: u64, instruction: String },
    #[error("registers {first}..{end} of {file:?} hold an input and something else in one tuple")]
    MixedGroup {
        file: RegisterFile,
        first: u16,
        end: u16,
    },
    #[error("EXEC behind the code differs from EXEC before it")]
    ExecChanged,
    #[error("`{instruction}` at {offset:#x} may activate lanes that were inactive")]
    ExecWidened { offset: u64, instruction: String },
    #[error("{what} was to survive, but differs behind the code")]
    NotPreserved { what: &'static str },
    #[error("operand {operand} of `{instruction}` at {offset:#x} has no register field of its own")]
    Unpatchable {
        offset: u64,
        instruction: String,
        operand: usize,
    },
    #[error("the relocation at {offset:#x} (type {kind}, {symbol}) does not fill a literal")]
    Relocation {
        offset: u64,
        kind: u32,
        symbol: String,
    },
    #[error("the instructions of {target} cannot be decoded: {reason}")]
    Decoder { target: String, reason: String },
}

/// A hook that gives no template.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    #[error("unknown target {0}")]
    Target(String),
    #[error("hook {hook} for {target}: {source}")]
    Codegen {
        hook: String,
        target: String,
        source: llvm_codegen::Error,
    },
    #[error("hook {hook} for {target} compiles to code that cannot be spliced: {source}")]
    Verify {
        hook: String,
        target: String,
        source: VerifyError,
    },
}

/// A tool that does not build.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    #[error("{file}: {reason}")]
    Hooks { file: String, reason: String },
    #[error("cannot run {program}: {source}; install clang-22 or run ./dev setup")]
    Clang {
        program: String,
        source: std::io::Error,
    },
    #[error("{file} does not compile for {target}:\n{output}")]
    Source {
        file: String,
        target: String,
        output: String,
    },
    #[error("{path}: {source}")]
    File {
        path: String,
        source: std::io::Error,
    },
    #[error(transparent)]
    Hook(#[from] CompileError),
    #[error(
        "the bitcode of {file} for {target}: {source}; bitcode of clang up to 22 is read, so compile a tool of a newer one with clang 22 (docs/tools)"
    )]
    Bitcode {
        file: String,
        target: String,
        source: llvm_codegen::Error,
    },
}
