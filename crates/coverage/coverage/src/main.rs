//! `luthier-coverage`: the `coverage` subcommand on its own.

use std::process::ExitCode;

use clap::Parser;

#[derive(Parser)]
#[command(name = "luthier-coverage", version, about)]
struct Arguments {
    #[command(flatten)]
    command: coverage::Command,
}

fn main() -> ExitCode {
    Arguments::parse().command.run()
}
