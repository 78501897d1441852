//! Words that are nearly those of the command line.
//!
//! Commands that start a program pass everything behind its name to the program. An unknown option before the name would be taken for the
//! program, so it is looked for first.

use std::ffi::OsString;

use clap::{Arg, Command, error::ErrorKind};

/// The error for the first unknown option before the name of a program that a command starts.
pub fn option(root: &Command, words: impl Iterator<Item = OsString>) -> Option<String> {
    let mut command = root.clone();
    command.build();
    let mut command = &command;
    // Words that are no text are no options.
    let mut words = words.map(|word| word.into_string().unwrap_or_default());
    while command.has_subcommands() {
        command = command.find_subcommand(words.next()?)?;
    }
    if !starts_a_program(command) {
        return None;
    }
    while let Some(word) = words.next() {
        if word == "--" || word == "-" || !word.starts_with('-') {
            return None;
        }
        let (given, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word.as_str(), None),
        };
        let known = match given.strip_prefix("--") {
            Some(name) => long(command, name),
            None => short(command, given),
        };
        let Some(argument) = known else {
            let names = names(command);
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let meant = tools::nearest(given, &names);
            let meant = meant.map_or(String::new(), |name| format!(", did you mean `{name}`?"));
            return Some(format!("unknown option `{given}`{meant}"));
        };
        let attached = value.is_some() || !given.starts_with("--") && given.len() > 2;
        if argument.get_action().takes_values() && !attached && !argument.is_require_equals_set() {
            words.next();
        }
    }
    None
}

/// A complaint about the command line, in one line; `None` if the user asked for help, or gave no command at all.
pub fn told(error: &clap::Error) -> Option<String> {
    if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return None;
    }
    let text = error.render().to_string();
    let mut told = String::new();
    // The paragraphs about the usage and about `--help` say nothing about the mistake.
    for paragraph in text.split("\n\n") {
        let words: Vec<&str> = paragraph.split_whitespace().collect();
        match words.split_first() {
            Some((&"error:", words)) => told += &words.join(" "),
            Some((&"tip:", words)) => told += &format!("; {}", advice(words)),
            _ => {}
        }
    }
    Some(told)
}

/// The advice about a mistake. Behind `--`, where clap would have a negative number, it would be a program or a file.
fn advice(words: &[&str]) -> String {
    let number = match words {
        ["to", "pass", quoted, ..] => quoted.trim_matches('\''),
        _ => "",
    };
    match number.strip_prefix('-') {
        Some(digits) if digits.starts_with(|one: char| one.is_ascii_digit()) => {
            format!("to give it to an option, write OPTION={number}")
        }
        _ => words.join(" "),
    }
}

/// Returns `true` if everything behind the options is a program and its arguments.
fn starts_a_program(command: &Command) -> bool {
    let mut positionals = command.get_positionals();
    positionals.any(|argument| argument.get_id() == "program" || argument.get_id() == "command")
}

fn long<'a>(command: &'a Command, name: &str) -> Option<&'a Arg> {
    command.get_arguments().find(|argument| {
        argument.get_long() == Some(name)
            || argument
                .get_all_aliases()
                .is_some_and(|all| all.contains(&name))
    })
}

fn short<'a>(command: &'a Command, given: &str) -> Option<&'a Arg> {
    let letter = given.chars().nth(1)?;
    command
        .get_arguments()
        .find(|argument| argument.get_short() == Some(letter))
}

fn names(command: &Command) -> Vec<String> {
    let long = command
        .get_arguments()
        .filter_map(|argument| argument.get_long());
    long.map(|name| format!("--{name}")).collect()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn said(line: &str) -> Option<String> {
        option(&crate::Cli::command(), line.split(' ').map(OsString::from))
    }

    #[test]
    fn unknown_options_are_named() {
        for (line, expected) in [
            (
                "run --devise gfx90a -- ./app",
                "unknown option `--devise`, did you mean `--device`?",
            ),
            (
                "run --devise=gfx90a ./app",
                "unknown option `--devise`, did you mean `--device`?",
            ),
            (
                "run --device gfx90a --statz ./app",
                "unknown option `--statz`, did you mean `--stats`?",
            ),
            ("run -t instr-count -z ./app", "unknown option `-z`"),
            (
                "run -tinstr-count --lunch 1 ./app",
                "unknown option `--lunch`, did you mean `--launch`?",
            ),
            (
                "coverage run --devise gfx90a ./app",
                "unknown option `--devise`, did you mean `--device`?",
            ),
            (
                "count run --bugdet 5 ./app",
                "unknown option `--bugdet`, did you mean `--budget`?",
            ),
        ] {
            assert_eq!(said(line).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn a_complaint_is_one_line() {
        for (line, expected) in [
            (
                "luthier inspect",
                Some("the following required arguments were not provided: <FILE>..."),
            ),
            (
                "luthier check --format yaml --init ./app",
                Some(
                    "invalid value 'yaml' for '--format <FORMAT>' [possible values: text, json, sarif, junit]",
                ),
            ),
            (
                "luthier emulate --threads 3 a.co",
                Some(
                    "unexpected argument '--threads' found; to pass '--threads' as a value, use '-- --threads'",
                ),
            ),
            (
                "luthier check --runs -1 --inject bit ./app",
                Some("unexpected argument '-1' found; to give it to an option, write OPTION=-1"),
            ),
            ("luthier --help", None),
            ("luthier help run", None),
            ("luthier --version", None),
            ("luthier", None),
        ] {
            let error = crate::Cli::command().try_get_matches_from(line.split(' '));
            let told = told(&error.unwrap_err());
            assert_eq!(told.as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn what_is_known_or_the_programs_own_is_not() {
        for line in [
            "run --device gfx90a -- ./app --devise",
            "run --strict ./app --lunch",
            "run --strict=memory -t a -t b --stats ./app -z",
            "run -- --odd-name",
            "run --help",
            "run -k --odd ./app",
            "count cc --devise a.c",
            "count run --format json ./app -x",
            "emulate --nonsense",
            "inspect a",
            "",
            "run",
        ] {
            assert_eq!(said(line), None, "{line}");
        }
    }
}
