//! Collects the profiles of instrumented GPU code from a running process.
//!
//! The [`Collector`] is told when code is loaded and unloaded. It finds the profile sections of each loaded image in up
//! to three independent ways, and copies the counters back. It adds them up by image and writes `.profraw` files that
//! LLVM's tools read. It reaches the device only through the [`Runtime`] trait; the HSA side lives in `drain-tool`.
//!
//! * [`image`] reads loaded ELF images, [`locate`] finds the sections, [`sums`] completes counters that waves gathered,
//!   [`collector`] holds the policy, [`naming`] and [`output`] make files, [`config`] names every setting.
//!
//! This crate writes files where [`config::Config`] says and nowhere else, and holds no global state.

#![forbid(unsafe_code)]

pub mod collector;
pub mod config;
mod fat_binary;
pub mod hiprtc;
pub mod image;
pub mod locate;
mod mappings;
pub mod naming;
pub mod output;
pub mod runtime;
pub mod sums;

pub use collector::{Collector, DumpReport};
pub use config::Config;
pub use image::Image;
pub use runtime::{Agent, LoadedObject, Runtime, RuntimeError, Symbol};
