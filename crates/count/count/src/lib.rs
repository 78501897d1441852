//! `luthier count`: builds programs that count the LLVM IR instructions they execute, runs them, and explains the numbers.
//!
//! This crate finds tools, starts processes, and reads and writes files. `host-count` decides what is counted. The plugin
//! (`host-count-pass`) and the runtime (`host-count-rt`) count.
#![forbid(unsafe_code)]

mod driver;
mod error;
mod explain;
mod front;
mod left_behind;
mod lint;
mod product;
mod report;
mod response;
mod rewrite;
mod run;
mod runtime;
mod sample;
mod toolchain;
mod turns;
mod waiting;

pub use error::Error;
pub use report::{Process, Report, ReportError};

use clap::{Args, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// The subcommands of `luthier count`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compile and link C like clang, with counting (use as CC)
    Cc(CompileArguments),
    /// Compile and link C++ like clang++, with counting (use as CXX)
    #[command(name = "c++", alias = "cxx")]
    Cxx(CompileArguments),
    /// Run a counted program and print what it executed
    Run(RunArguments),
    /// Show the cost of every block beside its source
    Explain(ExplainArguments),
    /// Warn of code whose count can differ from run to run or machine to machine
    Lint(ExplainArguments),
    /// Make bitcode count (for compilers that emit bitcode but load no plugin)
    Rewrite(RewriteArguments),
    /// Print the flags for driving clang or rustc yourself
    Flags(FlagsArguments),
}

/// The part of the program to count, and the places.
#[derive(Debug, Clone, Default, Args)]
pub struct CountArguments {
    /// Cost table: article (every instruction 1) or portable-1 (ABI artefacts 0)
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// Count before (start) or after (last) the optimiser
    #[arg(long, value_name = "start|last")]
    pub point: Option<String>,
    /// How increments are placed: tree, segment (reference), article, least (counts nothing, shows what calls cost)
    #[arg(long, value_name = "NAME")]
    pub placement: Option<String>,
    /// Keep counts per thread, function or line
    #[arg(long, value_name = "thread|function|line")]
    pub per: Option<String>,
    /// Check budgets at loop latches and function entries
    #[arg(long)]
    pub budget: bool,
    /// The limit may throw C++ exceptions (implies --budget)
    #[arg(long)]
    pub throw: bool,
}

impl CountArguments {
    /// The option line: what the environment says, then what the command line says.
    pub(crate) fn option_line(&self) -> Result<String, Error> {
        let mut words = Vec::new();
        if let Ok(line) = std::env::var(toolchain::OPTIONS_VARIABLE) {
            words.push(line);
        }
        let valued = [
            ("preset", &self.preset),
            ("point", &self.point),
            ("placement", &self.placement),
            ("per", &self.per),
        ];
        words.extend(
            valued
                .into_iter()
                .filter_map(|(key, value)| value.as_ref().map(|v| format!("{key}={v}"))),
        );
        if self.budget || self.throw {
            words.push("budget".into());
        }
        if self.throw {
            words.push("unwind".into());
        }
        let line = words.join(",");
        host_count::Options::parse(&line)?;
        Ok(line)
    }
}

/// Arguments of `cc` and `c++`.
#[derive(Debug, Args)]
pub struct CompileArguments {
    #[command(flatten)]
    pub count: CountArguments,
    /// Everything clang understands
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "CLANG ARGUMENTS"
    )]
    pub arguments: Vec<OsString>,
}

/// How to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    Json,
}

/// The threads or processes that share the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BudgetPer {
    /// All threads and processes of the run together.
    Run,
    /// Each thread.
    Thread,
    /// Each turn: from the moment when the program gets input until it waits for input again.
    Turn,
}

/// The subject of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Per {
    Function,
    Line,
}

/// Arguments of `run`.
#[derive(Debug, Args)]
pub struct RunArguments {
    /// Stop the program when all its threads and children together have executed this much (needs a program built with
    /// --budget)
    #[arg(long, value_name = "UNITS")]
    pub budget: Option<u64>,
    /// One budget for the whole run, one for each thread, or one for each turn of a program that reads its standard input and
    /// answers on its standard output
    #[arg(long, value_enum, default_value = "run", requires = "budget")]
    pub budget_per: BudgetPer,
    /// Write a line of JSON for each turn to this file: its input, its output and its units (with --budget-per turn)
    #[arg(long, value_name = "FILE")]
    pub turns: Option<PathBuf>,
    /// Take the input from this file of an earlier --turns, and compare the program's output and units (with --budget-per turn)
    #[arg(long, value_name = "FILE")]
    pub replay: Option<PathBuf>,
    /// End the process after this much wall-clock time, or, with --budget-per turn, after a turn that takes longer
    #[arg(long, value_name = "MILLISECONDS")]
    pub watchdog: Option<u64>,
    /// The program itself does not count, but libraries that it opens do: also count its threads and signal handlers
    #[arg(long)]
    pub preload: bool,
    /// List functions or source lines, most expensive first (needs a program built with the same --per)
    #[arg(long)]
    pub per: Option<Per>,
    /// Print at most this many rows of threads, functions or lines
    #[arg(long, default_value_t = 40)]
    pub top: usize,
    /// `json` has all data that the text shows
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// Write the result to this file, or to count.txt or count.json in this directory, instead of stderr
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The program and its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    pub program: Vec<OsString>,
}

/// Arguments of `explain` and `lint`.
#[derive(Debug, Args)]
#[command(
    after_help = "Options and arguments of `cc` also work here. The cost of a block follows from --preset and --point; the others change nothing."
)]
pub struct ExplainArguments {
    #[command(flatten)]
    pub count: CountArguments,
    /// `json` has all data that the text shows
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// A C or C++ source file
    pub file: PathBuf,
    /// Further clang arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub arguments: Vec<OsString>,
}

/// Arguments of `rewrite`.
#[derive(Debug, Args)]
pub struct RewriteArguments {
    #[command(flatten)]
    pub count: CountArguments,
    /// Bitcode (or textual IR) before optimisation
    pub input: PathBuf,
    /// The file for the counting bitcode, or a directory for it
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
}

/// For whom to print flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Tool {
    Clang,
    Rustc,
    Link,
    Include,
}

/// Arguments of `flags`.
#[derive(Debug, Args)]
pub struct FlagsArguments {
    /// clang: compile and link; link: the runtime; include: the header; rustc: for RUSTFLAGS
    #[arg(value_enum)]
    pub tool: Tool,
    /// Target triple of the runtime
    #[arg(long)]
    pub target: Option<String>,
}

impl Command {
    /// Does it; prints errors on stderr.
    pub fn run(self) -> ExitCode {
        let result = match self {
            Command::Cc(arguments) => driver::compile(toolchain::Language::C, &arguments),
            Command::Cxx(arguments) => driver::compile(toolchain::Language::Cxx, &arguments),
            Command::Run(arguments) => run::run(&arguments),
            Command::Explain(arguments) => explain::explain(&arguments),
            Command::Lint(arguments) => lint::lint(&arguments),
            Command::Rewrite(arguments) => rewrite::rewrite(&arguments),
            Command::Flags(arguments) => driver::flags(&arguments),
        };
        result.unwrap_or_else(|error| {
            let line = command::error_line(&error.to_string(), error.others());
            command::say!("luthier count: {line}");
            command::COUNT_FAILED.into()
        })
    }
}
