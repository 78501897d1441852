//! LLVM raw profiles (`.profraw`) as data: parse, validate, emit and merge versions 10 and 11.
//!
//! A raw profile is the memory image that an instrumented program leaves behind: counters, one record
//! per function, MC/DC bitmaps and the function names. The format has no self-description beyond a
//! version number, so every offset is a row of [`layout`]; an unknown version is refused, never guessed.
//!
//! * [`parse()`] reads a whole file (which may hold several profiles) by the rules of LLVM's own reader:
//!   what it accepts, `llvm-profdata` accepts.
//! * [`from_sections`] reads the sections of a loaded code object. It is lenient where the reader is not:
//!   a bad record is dropped and reported, the good ones survive. It also takes version 8, and makes version 10 of it.
//! * [`emit()`] writes a profile with a fresh layout; [`merge()`] adds one profile to another.
//!
//! This crate does no I/O, and no input makes it panic.

#![forbid(unsafe_code)]

mod bytes;
mod earlier;
pub mod emit;
pub mod error;
pub mod layout;
pub mod merge;
pub mod names;
pub mod parse;
pub mod profile;
pub mod sections;
pub mod values;

pub use emit::emit;
pub use error::Error;
pub use layout::{Layout, Version};
pub use merge::{MergeReport, merge, subtract};
pub use parse::{parse, parse_one};
pub use profile::{COUNT_LIMIT, Profile, Record};
pub use sections::{Dropped, Note, Region, Salvage, Sections, from_sections};
