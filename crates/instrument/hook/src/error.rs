//! The errors of each step.

use crate::RegisterFile;

/// Machine code that cannot be a template. Offsets are bytes from its start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    #[error("its code at {offset:#x} does not decode: {reason}; {REPORT}")]
    Decode { offset: u64, reason: String },
    #[error("it contains `{instruction}`, which {reason}")]
    Forbidden {
        offset: u64,
        instruction: String,
        reason: &'static str,
    },
    #[error(
        "it keeps more values at a time than a wave has registers for; unroll less, or use values as soon as they are there"
    )]
    Registers,
    #[error("`{instruction}` writes {port}, an input that must stay as it is; {REPORT}")]
    WritesInput {
        offset: u64,
        instruction: String,
        port: String,
    },
    #[error("`{instruction}` writes a register that must stay as it is; {REPORT}")]
    WritesPadding { offset: u64, instruction: String },
    #[error(
        "LLVM joins an input with other values in {file:?} registers {first} to {}, which cannot be taken apart at a place; {REPORT}", end - 1
    )]
    MixedGroup {
        file: RegisterFile,
        first: u16,
        end: u16,
    },
    #[error(
        "it may leave other lanes on than were on before it; keep branches and loops that depend on lanes simpler"
    )]
    ExecChanged,
    #[error("`{instruction}` may turn on lanes that were off")]
    ExecWidened { offset: u64, instruction: String },
    #[error("it changes {what}, which the application still needs where it is inserted; {REPORT}")]
    NotPreserved { what: &'static str },
    #[error("the registers of `{instruction}` cannot be renamed (operand {operand}); {REPORT}")]
    Unpatchable {
        offset: u64,
        instruction: String,
        operand: usize,
    },
    #[error(
        "it refers to {symbol} in a way that cannot be filled in (relocation type {kind}); {REPORT}"
    )]
    Relocation {
        offset: u64,
        kind: u32,
        symbol: String,
    },
    #[error("the instructions of {target} cannot be decoded: {reason}")]
    Decoder { target: String, reason: String },
}

/// The next step where the hook's author can do nothing.
const REPORT: &str = "this is a limit of Luthier: please report it with the hook, which may work when it is written another way";

/// A hook that gives no template.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    #[error("the instructions of {target} cannot be decoded: {reason}")]
    Decoder { target: String, reason: String },
    #[error("hook {hook} for {target}: {source}")]
    Codegen {
        hook: String,
        target: String,
        source: llvm_codegen::Error,
    },
    /// `place`: the source line where the hook begins, with a colon and a space, or nothing.
    #[error("{place}hook {hook} for {target} cannot be inserted into kernels: {source}")]
    Verify {
        place: String,
        hook: String,
        target: String,
        source: Box<VerifyError>,
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
    #[error("unknown target {0}")]
    Target(String),
    /// `file`: the source with a colon and a space, or nothing where the cause names the line.
    #[error("{file}{source}")]
    Hook { file: String, source: CompileError },
    #[error(
        "{file}: the hook {hook} uses the variable {variable}, which no source of the tool defines; define it, marked LUTHIER_GLOBAL"
    )]
    Variable {
        file: String,
        hook: String,
        variable: String,
    },
    #[error(
        "the bitcode of {file} for {target}: {source}; bitcode of clang up to 22 is read, so compile a tool of a newer one with clang 22 (docs/tools)"
    )]
    Bitcode {
        file: String,
        target: String,
        source: llvm_codegen::Error,
    },
}

impl BuildError {
    /// A hook of this file does not compile.
    pub(crate) fn hook(file: &str, source: CompileError) -> BuildError {
        let file = match source.to_string().contains(file) {
            true => String::new(),
            false => format!("{file}: "),
        };
        BuildError::Hook { file, source }
    }
}
