//! The tool API: look at a compiled kernel, insert hooks at any instruction, change instructions, report.
//!
//! A tool is a HIP file with hooks and an implementation of [`Tool`]. [`Tool::instrument`] sees every kernel once, as a [`Kernel`] of
//! functions, blocks and instructions, and inserts hooks through [`Edit`]. [`Tool::finish`] gets the counters and variables back as
//! [`Results`] and prints. [`Declarative`] is a tool without host code: a description in the HIP file says what it does.
//!
//! Module `engine` is what runs tools: [`Engine`] composes those of a run for a [`session::Session`]. It is built on the modules
//! of the API; none of them knows it.
//!
//! ```
//! use luthier::{Edit, Kernel, Result, Results, Tool, ToolInfo};
//!
//! /// Counts wave instructions per kernel.
//! struct InstructionCount(luthier::ToolFile);
//!
//! impl Tool for InstructionCount {
//!     fn info(&self) -> ToolInfo<'_> {
//!         ToolInfo::new(&self.0)
//!     }
//!     fn instrument(&self, kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()> {
//!         let counter = edit.counters(1).at(0);
//!         for block in kernel.blocks() {
//!             // The instructions of the block that the user wants to hear of (`--site`).
//!             let chosen = edit.chosen(&block);
//!             edit.at_block(&block).count(counter, chosen)?;
//!         }
//!         Ok(())
//!     }
//!     fn finish(&self, results: &Results<'_>) -> Result<String> {
//!         let lines = results.kernels().map(|kernel| format!("{} {}\n", kernel.counters()[0], kernel.name()));
//!         Ok(lines.collect())
//!     }
//! }
//! ```
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod buffer;
mod code;
mod declarative;
mod description;
mod edit;
mod engine;
mod error;
mod executions;
mod file;
mod filter;
mod guard;
mod image;
mod kernel;
mod options;
mod parameters;
mod per_place;
mod printed;
mod private_buffer;
mod results;
pub mod rows;
mod tool;

pub use buffer::BUFFER_ARGUMENTS;
pub use code::Code;
pub use declarative::Declarative;
pub use description::{
    At, Description, Each, Insert, Kind, Parameter, ParameterKind, Print, Stream,
};
pub use edit::{Argument, Counter, Counters, Edit, InsertionPoint};
pub use engine::{BuiltInTools, Engine, KernelOutcome, Offline, WholeObjects};
pub use error::{Error, Result};
pub use file::{ToolFile, exports, has_host_code, is_marked, mark};
pub use filter::SiteFilter;
pub use image::{IMAGE_ARGUMENTS, names_texels};
/// Registers, operands and what instructions do, as views of code have them.
pub use isa;
pub use kernel::{Block, Function, Instruction, Kernel};
pub use options::Options;
pub use parameters::{LANES, check as check_arguments, wrong_number};
pub use records::{Event, Moment, Timeline};
pub use results::{DetachedResults, KernelResults, Results};
pub use rewrite::Lanes;
/// The JSON values that [`Tool::finish_json`] returns and [`Edit::attach`] takes.
pub use serde_json;
pub use session::{
    Config, Copied, Enqueued, Launch, Live, PacketBytes, Selection, selection::SETTINGS,
};
pub use tool::{Cache, Tool, ToolInfo, Wants};
pub use tool_abi::HookValue;
