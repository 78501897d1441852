//! Templates: hooks as relocatable machine code that is spliced anywhere by patching register fields.
//!
//! Entry types: [`Template`] (code with all it needs), [`bind()`] (registers into a template) and [`Bundle`] (a tool's
//! templates for all targets in one file). No compiler: templates are made by crate `hook`, when tools are built, and are all
//! that a process needs which is being instrumented.
#![forbid(unsafe_code)]

mod bind;
mod bundle;
mod code;
mod error;

pub use bind::{Binding, bind, bind_into};
pub use bundle::{Bundle, Entry, Global};
pub use code::{
    Clobbers, Group, Patch, Port, RegisterFile, Relocation, SharedVariable, Template, parameter,
};
pub use error::{BindError, BundleError};
