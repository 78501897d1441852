//! `luthier coverage`: build, run, report. Device code coverage and PGO profiles of HIP programs.
//!
//! * [`compile`] wraps the compiler, [`launch`] the program, [`report`] LLVM's merge and report tools;
//! * [`inspect`], [`verify`] and [`earlier`] look into what was written; [`llvm`] finds LLVM's tools.
#![forbid(unsafe_code)]

use std::{ffi::OsStr, process::ExitCode};

use anyhow::Context;
use clap::{Args, Subcommand};

mod compile;
mod earlier;
mod inspect;
mod launch;
mod llvm;
mod report;
mod verify;

/// The default directory to which `run` writes and in which the other commands look.
pub const DEFAULT_DIRECTORY: &str = "luthier-coverage";

/// Device code coverage and PGO profiles of HIP programs.
#[derive(Debug, Args)]
pub struct Command {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Compile with device counters: `luthier coverage build -- hipcc app.hip -o app`
    Build(compile::Build),
    /// Print the compiler flags that `build` adds, for build systems
    Flags(compile::Flags),
    /// Run a program and collect the profiles of its device code
    Run(launch::Run),
    /// Summarise coverage by file
    Report(report::Report),
    /// Show annotated sources
    Show(report::Show),
    /// Write annotated sources as HTML pages
    Html(report::Html),
    /// Write coverage in lcov's format
    Lcov(report::Lcov),
    /// Merge profiles into one `.profdata` file, for reports or `-fprofile-use`
    Merge(report::Merge),
    /// Show what a `.profraw` or `.profdata` file holds
    Inspect(inspect::Inspect),
    /// Check profiles and the images they belong to
    Verify(verify::Verify),
}

impl Command {
    /// The program that `run` is about to start and the device asked for, for checks that know devices.
    pub fn starts(&self) -> Option<(&OsStr, &str)> {
        match &self.action {
            Action::Run(run) => run.starts(),
            _ => None,
        }
    }

    /// Runs the command. `run` ends as the program does and `build` as the compiler does, the others as [`command::Status`] says.
    pub fn run(self) -> ExitCode {
        let outcome = match self.action {
            Action::Build(build) => build.run(),
            Action::Flags(flags) => flags.run(),
            Action::Run(run) => run.run(),
            Action::Report(report) => report.run(),
            Action::Show(show) => show.run(),
            Action::Html(html) => html.run(),
            Action::Lcov(lcov) => lcov.run(),
            Action::Merge(merge) => merge.run(),
            Action::Inspect(inspect) => inspect.run(),
            Action::Verify(verify) => verify.run(),
        };
        outcome.unwrap_or_else(|error| {
            let line = command::error_line(&format!("{error:#}"), command::Said::of(error.chain()));
            command::say!("luthier coverage: {line}");
            command::Status::Failed.into()
        })
    }
}

/// Prints to standard output. A reader that has seen enough (`| head`) is no error.
fn print(text: &str) -> anyhow::Result<()> {
    use std::io::Write;
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(text.as_bytes());
    match written.and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(error).context("cannot write to standard output")
        }
        _ => Ok(()),
    }
}
