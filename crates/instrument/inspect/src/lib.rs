//! The contents of a HIP executable, library, bundle or code object, as a value that prints as text or serialises.
//!
//! Entry types: [`inspect`] (bytes and [`Options`] to a [`Report`]), [`Report::write_text`] and [`Report::write_dot`]; for files
//! larger than memory, [`stream`] to a [`TextWriter`], and [`write_json`].
//! Nothing here reads files or the environment.
#![forbid(unsafe_code)]

mod blocks;
mod code;
mod dot;
mod json;
mod report;
mod stream;
mod text;

pub use blocks::{Block, Exit};
pub use code::{Function, Line, What};
pub use codeobj::lines::SourceFrame;
pub use json::write_json;
pub use report::{KernelReport, ObjectReport, Occupancy, Registers, Report, SymbolReport};
pub use stream::Part;
pub use text::TextWriter;

use regex::Regex;
use std::collections::BTreeSet;

/// The parts to report besides the summary.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Only kernels and functions with a name, mangled or not, in which this is found.
    pub name_filter: Option<Regex>,
    /// Only kernels and functions with exactly these names; none of them being there is no error.
    pub names: Option<BTreeSet<String>>,
    /// Only code objects for this processor, such as `gfx90a`.
    pub target_filter: Option<String>,
    pub symbols: bool,
    /// Every instruction, with its source line where there is one.
    pub disassembly: bool,
    /// Basic blocks and their edges.
    pub blocks: bool,
    /// How often each mnemonic occurs.
    pub histogram: bool,
}

impl Options {
    /// Everything there is.
    pub fn all() -> Options {
        Options {
            symbols: true,
            disassembly: true,
            blocks: true,
            histogram: true,
            ..Options::default()
        }
    }

    fn wants_code(&self) -> bool {
        self.disassembly || self.blocks || self.histogram
    }

    fn selects(&self, name: &str) -> bool {
        self.name_filter
            .as_ref()
            .is_none_or(|pattern| pattern.is_match(name))
    }
}

/// Why there is nothing to report.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{name}: {cause}")]
    Input { name: String, cause: codeobj::Error },
    #[error("{name}: no code object for {wanted}; it has {available}")]
    NoSuchTarget {
        name: String,
        wanted: String,
        available: String,
    },
    #[error("{name}: no kernel or function whose name fits {wanted:?}; it has {available}")]
    NoSuchKernel {
        name: String,
        wanted: String,
        available: String,
    },
}

/// Looks into `bytes`, which came from a file called `name`. Parts that cannot be read are listed in
/// [`Report::problems`]; it is an error if nothing can, or if a filter leaves nothing.
pub fn inspect(bytes: &[u8], name: &str, options: &Options) -> Result<Report, Error> {
    stream::build(bytes, name, options)
}

/// [`inspect`] for files of any size: tells `each` of what is found, in the order of the file, until it says that it has enough
/// (false). With an error nothing has been told but [`Part::Other`] and [`Part::Problem`].
pub fn stream(
    bytes: &[u8],
    name: &str,
    options: &Options,
    each: &mut dyn FnMut(Part) -> bool,
) -> Result<(), Error> {
    stream::stream(bytes, name, options, each)
}
