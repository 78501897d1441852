//! AMD GPU code objects: bytes in, values out.
//!
//! Entry types: [`CodeObject`] (one AMDGPU ELF: target, sections, symbols, kernels, loaded image), [`KernelDescriptor`]
//! and [`Metadata`] (what a kernel needs, by field), [`container::walk`] (every code object inside an executable, bundle or
//! archive), [`select::select`] (which of them a device runs), [`ElfEditor`] (change one and write it back),
//! [`replace::code_objects`] (a whole file with other code objects in it) and [`SourceLines`] (pc to file and line). Nothing
//! here touches a file, the environment or a global, and no input bytes may cause a panic.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod bundle;
mod bytes;
pub mod compressed;
pub mod container;
pub mod descriptor;
pub mod edit;
pub mod elf;
mod error;
mod line_map;
pub mod lines;
pub mod metadata;
mod parameters;
pub mod replace;
pub mod resources;
pub mod select;
mod target_id;

pub use container::{Entry, Found, each, walk};
pub use descriptor::KernelDescriptor;
pub use edit::ElfEditor;
pub use elf::{CodeObject, Kernel};
pub use error::{Error, Result};
pub use lines::{LineTables, Moved, SourceFrame, SourceLines};
pub use metadata::Metadata;
pub use parameters::SourceParameter;
pub use target_id::{Setting, TargetId};
