//! The `luthier` command.

mod advice;
mod ahead;
mod alone;
mod bisect;
mod built_in;
mod checking;
mod chosen;
mod compatibility;
mod demo;
mod doctor;
mod emulate;
mod fidelity;
mod format;
#[cfg(feature = "full")]
mod hardware_check;
mod include;
mod info;
mod inspect;
mod instrument;
mod known_devices;
mod ledger;
mod live;
mod manual;
mod merge;
mod misspelt;
mod pieces;
mod pmc;
mod privileged;
mod progress;
mod query;
mod ranks;
mod report;
mod run;
mod rust_tool;
mod status_line;
mod stock;
mod summary;
mod tool;
mod trace;
mod verify;
mod with_tools;

use std::{iter, path::Path, process::ExitCode};

use clap::{CommandFactory, Parser, Subcommand};
use command::Status;

/// See and change what compiled AMD GPU kernels do; run them without an AMD GPU.
#[derive(Parser)]
#[command(name = "luthier", version = env!("LUTHIER_VERSION"), arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

// The type of each command says what it does: a comment here would take the place of all of that in `--help`.
#[derive(Subcommand)]
enum Command {
    Demo(demo::Demo),
    Run(Box<run::Run>),
    Inspect(inspect::Inspect),
    Report(report::Report),
    Query(query::Query),
    Merge(merge::Merge),
    Instrument(instrument::Instrument),
    Verify(verify::Verify),
    Bisect(Box<bisect::Bisect>),
    Trace(Box<trace::Trace>),
    Check(checking::Check),
    Emulate(emulate::Emulate),
    #[cfg(feature = "full")]
    HardwareCheck(hardware_check::HardwareCheck),
    /// Count executed instructions of host programs, the same on every run, and hold them to budgets
    #[cfg(feature = "full")]
    #[command(subcommand)]
    Count(count::Command),
    /// Device code coverage and PGO profiles
    #[cfg(feature = "full")]
    Coverage(coverage::Command),
    Tool(tool::Tool),
    Doctor(doctor::Doctor),
    /// Print a script that lets a shell complete the words of this command
    Completions(manual::Completions),
    /// Write manual pages
    #[command(hide = true)]
    Manual(manual::Manual),
}

/// The checks of `luthier run`, for the program that `luthier coverage run` is about to start.
#[cfg(feature = "full")]
fn check(coverage: &coverage::Command) -> anyhow::Result<()> {
    if let Some((program, device)) = coverage.starts()
        && let Some(targets) = launcher::device::meaning(device)?
    {
        run::check(program, targets, None)?;
        if let Some(complaint) = known_devices::complaint(targets) {
            command::say!("luthier: {complaint}");
        }
    }
    Ok(())
}

/// Every error names the file it is about, once.
fn about(file: &Path, error: anyhow::Error) -> anyhow::Error {
    let name = file.display().to_string();
    match format!("{error:#}").contains(&name) {
        true => error,
        false => error.context(name),
    }
}

fn main() -> ExitCode {
    if let Some(message) = misspelt::option(&Cli::command(), std::env::args_os().skip(1)) {
        command::say!("luthier: {message}");
        return Status::Failed.into();
    }
    let command = match Cli::try_parse() {
        Ok(cli) => cli.command,
        Err(error) => match misspelt::told(&error) {
            Some(message) => {
                command::say!("luthier: {message}");
                return Status::Failed.into();
            }
            None => error.exit(),
        },
    };
    let result = match command {
        Command::Demo(demo) => demo.execute(),
        Command::Run(run) => run.execute(),
        Command::Inspect(inspect) => inspect.execute(),
        Command::Report(report) => report.execute(),
        Command::Query(query) => query.execute(),
        Command::Merge(merge) => merge.execute(),
        Command::Instrument(instrument) => instrument.execute(),
        Command::Verify(verify) => verify.execute(),
        Command::Bisect(bisect) => bisect.execute(),
        Command::Trace(trace) => trace.execute(),
        Command::Check(check) => check.execute(),
        Command::Emulate(emulate) => emulate.execute(),
        #[cfg(feature = "full")]
        Command::HardwareCheck(check) => check.execute(),
        #[cfg(feature = "full")]
        Command::Count(count) => return count.run(),
        #[cfg(feature = "full")]
        Command::Coverage(coverage) => match check(&coverage) {
            Ok(()) => return coverage.run(),
            Err(error) => Err(error),
        },
        Command::Tool(tool) => tool.execute(),
        Command::Doctor(doctor) => doctor.execute(),
        Command::Completions(completions) => completions.execute(Cli::command()),
        Command::Manual(manual) => manual.execute(Cli::command()),
    };
    match result {
        Ok(status) => status,
        Err(error) => {
            command::say!("luthier: {}", said(&error));
            Status::Failed.into()
        }
    }
}

/// An error as the user reads it: one line, and behind it the words of another program or where a kernel was.
fn said(error: &anyhow::Error) -> String {
    let told = told(error);
    match told.split_once('\n') {
        Some((line, places)) if tells_places(error, places) => {
            let all = iter::once(line).chain(places.lines());
            let all: Vec<String> = all.map(|one| command::error_line(one, None)).collect();
            all.join("\n")
        }
        _ => command::error_line(&told, others(error)),
    }
}

/// Returns `true` if the error ends with these lines about the place where a kernel was.
fn tells_places(error: &anyhow::Error, places: &str) -> bool {
    let mut texts = error
        .chain()
        .filter_map(of_a_kernel)
        .map(ToString::to_string);
    texts.any(|text| text.split_once('\n').is_some_and(|(_, own)| own == places))
}

/// Why a kernel did not end as it should, if that is the cause, or the error of a crate that hands it on as its own.
fn of_a_kernel<'e>(cause: &'e (dyn std::error::Error + 'static)) -> Option<&'e ::emulate::Error> {
    if let Some(::verify::Error::Emulate(error)) = cause.downcast_ref() {
        return Some(error);
    }
    if let Some(stand_alone::Error::Emulate(error)) = cause.downcast_ref() {
        return Some(error);
    }
    cause.downcast_ref()
}

/// An error and what caused it, each but once: some say their cause themselves.
fn told(error: &anyhow::Error) -> String {
    let mut told = String::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        if told.is_empty() {
            told = cause;
        } else if !told.contains(&cause) {
            told = format!("{told}: {cause}");
        }
    }
    told
}

/// The words of another program, if they stand at the end of the error.
fn others(error: &anyhow::Error) -> Option<&str> {
    let mut chain = error.chain();
    let compiled = || chain.find_map(|it| it.downcast_ref::<tool_build::Error>()?.compiler_said());
    command::Said::of(error.chain()).or_else(compiled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without_help(command: &clap::Command, path: &str, found: &mut Vec<String>) {
        let path = format!("{path} {}", command.get_name());
        for argument in command.get_arguments() {
            let hidden = argument.is_hide_set();
            if !hidden
                && argument
                    .get_help()
                    .is_none_or(|help| help.to_string().trim().is_empty())
            {
                found.push(format!("{path}: {}", argument.get_id()));
            }
        }
        if command.get_about().is_none() && !command.is_hide_set() {
            found.push(path.clone());
        }
        for inner in command.get_subcommands() {
            without_help(inner, &path, found);
        }
    }

    #[test]
    fn every_command_and_option_has_a_description() {
        let mut found = Vec::new();
        without_help(&Cli::command(), "", &mut found);
        assert!(found.is_empty(), "without a description: {found:#?}");
    }

    /// `-k` selects kernels by an expression, and `--format` takes the same words, wherever they are.
    #[test]
    fn one_word_means_one_thing() {
        fn walk(command: &clap::Command, see: &mut dyn FnMut(&clap::Command, &clap::Arg)) {
            command
                .get_arguments()
                .for_each(|argument| see(command, argument));
            command.get_subcommands().for_each(|inner| walk(inner, see));
        }
        walk(&Cli::command(), &mut |command, argument| {
            let place = format!("{} {}", command.get_name(), argument.get_id());
            if argument.get_short() == Some('k') || argument.get_long() == Some("kernel") {
                assert_eq!(argument.get_long(), Some("kernel"), "{place}");
                assert_eq!(argument.get_short(), Some('k'), "{place}");
                // NAME: what an expression has to fit alone.
                let names = argument.get_value_names().unwrap_or_default();
                assert!(
                    names == ["REGEX"] || names == ["NAME"],
                    "{place}: {names:?}"
                );
            }
            // A directory for many files, or a file, for which a directory does as well.
            if argument.get_short() == Some('o') || argument.get_long() == Some("output") {
                assert_eq!(argument.get_long(), Some("output"), "{place}");
                assert_eq!(argument.get_short(), Some('o'), "{place}");
                let names = argument.get_value_names().unwrap_or_default();
                let help = argument
                    .get_help()
                    .map(ToString::to_string)
                    .unwrap_or_default();
                assert!(help.to_lowercase().contains("directory"), "{place}: {help}");
                assert!(
                    names == ["DIR"] || names[0].starts_with("FILE"),
                    "{place}: {names:?}"
                );
            }
            if argument.get_long() == Some("format") {
                let words = argument.get_possible_values();
                let words: Vec<_> = words
                    .iter()
                    .map(|word| word.get_name().to_owned())
                    .collect();
                assert!(
                    words.starts_with(&["text".to_owned(), "json".to_owned()]),
                    "{place}: {words:?}"
                );
            }
        });
    }
}
