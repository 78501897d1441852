//! Bugs in compiled AMD GPU code, as values that print as text or serialise.
//!
//! Entry types: [`waits::object`] looks for missing waits in one code object and tells a [`Sink`] of each [`Finding`];
//! [`waits::executed`], [`memory::accessed`], [`barriers::met`], [`races::raced`], [`global_races::raced`], [`copies::raced`],
//! [`init::used`], [`nan::made`] and [`leaks::leaked`] take what the emulated device found while a program ran;
//! [`Tally`] counts findings, drops none, and keeps as many as are to be shown; [`Suppressions`] takes out those that the
//! user knows. Pure: bytes in, values out.
#![forbid(unsafe_code)]

pub mod barriers;
mod code;
pub mod copies;
mod finding;
mod fingerprint;
pub mod global_races;
pub mod init;
pub mod leaks;
mod listing;
pub mod memory;
pub mod nan;
mod pairs;
pub mod races;
pub mod reads;
mod suppress;
mod tally;
mod text;
pub mod waits;

pub use finding::{
    Access, Allocation, Checker, Copies, Finding, Free, Grade, Kind, Leak, Line, Meeting, Place,
    Read, Sink, Unshown, WaveThere,
};
pub use suppress::{Bad, Suppressions, suppression};
pub use tally::{Selection, Tally};
pub use text::write_finding;
pub use waits::{Covered, Options};
