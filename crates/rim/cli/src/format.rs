//! `--format` of commands that print tables.

use anyhow::Result;
use clap::ValueEnum;
use serde::Serialize;

/// How results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people; changes from version to version
    #[default]
    Text,
    /// One JSON value, as docs/schemas says
    Json,
}

/// Prints a value of JSON on standard output.
pub fn print_json(value: &impl Serialize) -> Result<()> {
    command::out!("{}", serde_json::to_string_pretty(value)?);
    Ok(())
}
