//! AMD GPU instructions: decode, encode, print, operands and effects.
//!
//! Entry types: [`Decoder`] (bytes to [`Inst`]) and [`Assembler`]. This is the only crate that knows LLVM opcode numbers;
//! everything above it speaks [`Op`]s, [`Format`]s and [`Operand`]s. It never reads files, clocks or the environment.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod assembler;
mod decoder;
mod effects;
mod error;
pub mod fields;
mod fixups;
mod format;
mod ignored;
mod inst;
mod intern;
mod lazy;
mod malformed;
mod names;
pub mod numbers;
mod op;
mod opcode;
mod printed;
mod registers;
mod shape;

pub use assembler::Assembler;
pub use decoder::{DecodeAll, Decoder};
pub use error::{AssembleError, DecodeError, Error, Message};
pub use fields::{Depctr, SdwaDestination};
pub use inst::{Decoded, Effects, Format, Inst, Operand, Reg, RegKind};
pub use names::first_name;
pub use op::{
    COUNTERS, Counter, CounterField, Data, Known, LaneMask, Logic, Op, Product, Traits, Waits,
};
