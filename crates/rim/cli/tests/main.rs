//! The tests of `cli` in one program: `cargo test --release --workspace --test cli -- FILE::NAME`.

mod advice;
mod all;
mod barriers;
mod bisect;
mod check;
mod common;
mod demo;
mod descriptors;
mod doctor;
mod documentation;
mod executed;
mod faults;
mod fill;
mod frees;
#[cfg(feature = "full")]
mod hardware_check;
mod hooks;
mod init;
mod json;
mod large;
mod leaks;
mod limits;
mod memory;
mod nan;
mod native;
mod options;
mod outputs;
mod pmc;
mod progress;
mod races;
mod ranks;
mod reference;
mod room;
mod selections;
mod strict;
mod trace;
