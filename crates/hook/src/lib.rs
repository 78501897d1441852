//! Hooks as relocatable templates: device functions compiled once and spliced anywhere by patching register fields.
//!
//! Entry types: [`Compiler`] (bitcode to [`Template`] or to a per-site [`Template`]), [`Template::derive`] (what machine code
//! reads, writes and needs, from its decoded bytes alone), [`bind`] (registers into a template; no LLVM) and
//! [`build_tool`] with [`Bundle`] (a tool's templates for all targets in one file). A template that is not provably
//! harmless is refused, never repaired by trust in the compiler.
#![forbid(unsafe_code)]

mod bind;
mod bundle;
mod compile;
mod derive;
mod error;
mod fields;
mod flow;
mod symbolic;
mod template;
mod tool;

pub use bind::{Binding, bind, bind_into};
pub use bundle::{Bundle, Entry, Global};
pub use compile::{Arg, Compiler, Request, Site};
pub use derive::{Declared, DeclaredPort};
pub use error::{BindError, BuildError, BundleError, CompileError, VerifyError};
pub use llvm_codegen::{Bitcode, File as CodegenFile};
pub use template::{Clobbers, Group, Patch, Port, RegisterFile, Relocation, Template};
pub use tool::{TARGETS, ToolRequest, build_tool};
