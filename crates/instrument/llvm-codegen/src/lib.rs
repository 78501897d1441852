//! LLVM 22's AMDGPU code generator behind a small C interface, and safe Rust around that.
//!
//! Entry types: [`Bitcode`] (one module of a tool), [`Job`] (one compilation) and [`split`] (the modules in a `.llvmbc`
//! section). Used when tools are built, or by a process of its own; never in an application's process. The C++ part is a
//! shared object of its own, which this crate carries as bytes and loads when it is first needed. It brings Debian's
//! shared `libLLVM` along, whose symbols must not mix with the static LLVM libraries of `llvm-shim`.

mod bitcode;
mod error;
mod ffi;
mod job;
mod library;
mod object;
mod split;

pub use bitcode::{Appended, Bitcode, Global, link};
pub use error::{Diagnostic, Error, Severity};
pub use job::{Binding, Compiled, File, Job, Parameter, Shared};
pub use object::Relocation;
pub use split::{SplitError, split};
