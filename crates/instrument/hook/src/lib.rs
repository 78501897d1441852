//! Hooks as relocatable templates: device functions compiled once and spliced anywhere by patching register fields.
//!
//! Entry types: [`Compiler`] (bitcode to [`Template`] or to a per-site [`Template`]), [`derive()`] (what machine code reads,
//! writes and needs, from its decoded bytes alone) and [`build_tool`] (a HIP file to a [`Bundle`]). A template that is not
//! provably harmless is refused, never repaired by trust in the compiler. Templates and their binding are in crate
//! `template`, whose names are exported here as well.
#![forbid(unsafe_code)]

mod compile;
mod derive;
mod error;
mod fields;
mod flow;
mod symbolic;
mod tool;

pub use compile::{Arg, Compiler, Request, Site};
pub use derive::{Declared, DeclaredPort, derive};
pub use error::{BuildError, CompileError, VerifyError};
pub use llvm_codegen::{
    Appended, Bitcode, File as CodegenFile, SplitError, link as link_bitcode,
    split as split_bitcode,
};
pub use template::{
    BindError, Binding, Bundle, BundleError, Clobbers, Entry, Global, Group, Patch, Port,
    RegisterFile, Relocation, SharedVariable, Template, bind, bind_into,
};
pub use tool::{HookList, Module, TARGETS, ToolRequest, Unit, build_modules, build_tool};
