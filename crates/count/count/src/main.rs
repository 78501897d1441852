//! `luthier count` as a program of its own.

use clap::Parser;
use std::process::ExitCode;

/// Deterministic instruction counts and budgets of host programs.
#[derive(Parser)]
#[command(name = "luthier-count", version)]
struct Arguments {
    #[command(subcommand)]
    command: count::Command,
}

fn main() -> ExitCode {
    Arguments::parse().command.run()
}
