//! The cost of counting beside other ways of counting: time and callgrind-instruction ratios to plain `clang-22 -O2`.
//!
//! Variants of a program run in turn, each directly after a plain run by which it is divided. The result is the median of these ratios over
//! all rounds, because a shared machine's speed changes faster than all variants have run once. Text is the program's own: that of an empty
//! program, built the same way, is subtracted. `cargo bench -p count` takes a quarter of an hour; `-- --help` says how to choose programs,
//! and how to build here and measure on another machine. Instruction ratios need valgrind, and text needs `size`; if they are missing, the
//! column stays empty. The benchmark fetches the sources that `tests/support/sources.rs` names.

mod build;
mod measure;
mod variants;

#[allow(dead_code, reason = "tests use the rest")]
#[path = "../../tests/support/mod.rs"]
mod support;

use clap::Parser;
use std::path::PathBuf;
use support::sources::{REAL, Real};

/// Ratios of counted programs to plain `clang-22 -O2`.
#[derive(Parser)]
struct Arguments {
    /// Interleaved runs of each variant
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Programs measured at the same time, each on a core of its own
    #[arg(long, default_value_t = 1)]
    side_by_side: usize,
    /// Leave out callgrind's instruction counts, which take most of the time
    #[arg(long)]
    no_instructions: bool,
    /// Only variants with TEXT, or one of several between `|`, in their names
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Build into DIR and measure nothing
    #[arg(long, value_name = "DIR", conflicts_with = "measure")]
    build: Option<PathBuf>,
    /// Measure what --build left in DIR, on this machine or another
    #[arg(long, value_name = "DIR")]
    measure: Option<PathBuf>,
    /// Cargo passes this to every benchmark
    #[arg(long, hide = true)]
    bench: bool,
    /// Programs to measure (default: all)
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(REAL.iter().map(|real| real.name)))]
    programs: Vec<String>,
}

fn main() {
    let arguments = Arguments::parse();
    let programs: Vec<&Real> = REAL
        .iter()
        .filter(|real| {
            arguments.programs.is_empty() || arguments.programs.iter().any(|name| name == real.name)
        })
        .collect();
    let scratch = tempfile::tempdir().unwrap();
    let directory = arguments
        .measure
        .as_deref()
        .or(arguments.build.as_deref())
        .unwrap_or(scratch.path());
    if arguments.measure.is_none() {
        build::all(&programs, directory, arguments.only.as_deref());
    }
    if arguments.build.is_none() {
        let how = measure::How {
            rounds: arguments.rounds,
            side_by_side: arguments.side_by_side,
            instructions: !arguments.no_instructions,
            only: arguments.only,
        };
        measure::all(&programs, directory, &how);
    }
}
