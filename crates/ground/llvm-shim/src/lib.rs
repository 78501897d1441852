//! LLVM 22's AMDGPU machine-code layer behind a small C interface, and safe Rust around that.
//!
//! Entry types: [`Mc`] (decode, print, describe) and [`assemble`]. Only `isa` uses this crate. LLVM is linked statically
//! and its symbols stay hidden; no LLVM enumerator crosses the interface, only opcode and register *numbers* that mean
//! nothing without the [`Mc`] they came from.

mod assemble;
mod ffi;
mod mc;

pub use assemble::{AssemblyError, Diagnostic, Severity, assemble};
pub use ffi::MAX_OPERANDS;
pub use mc::{
    CreateError, DecodedInst, DecodedOperand, Mc, OpcodeDescription, RegisterDescription, WINDOW,
    flags, made,
};
