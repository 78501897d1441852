//! Programs of GoogleTest: a shard of their tests, as far as time allows, and on with the rest when one of them ends the program.

use std::{collections::BTreeSet, fs, time::Duration};

use anyhow::{Context, Result};

use super::{
    limited::{self, Budget, End, Setting},
    order,
    tally::Tally,
};

/// The number of times that a program is started again behind a test that ended it.
const MOST_STARTS: usize = 20;
/// Bytes of one argument; Linux takes 128 KiB.
const MOST_ARGUMENT: usize = 100_000;
/// Lines of a failed test that are shown.
const MOST_LINES: usize = 6;

/// One shard of several, counted from 0.
#[derive(Clone, Copy)]
pub struct Shard {
    pub index: usize,
    pub count: usize,
}

/// A program, and how it wants to be run.
#[derive(Clone, Copy, Default)]
pub struct Program<'a> {
    pub file: &'a str,
    pub arguments: &'a [&'a str],
    /// Where it runs, if that matters to it.
    pub folder: Option<&'a str>,
    pub variables: &'a [(&'a str, &'a str)],
    /// The lines of tests that leave themselves out and end well.
    pub skips: &'a [&'a str],
    /// A test that prints nothing for so many seconds is ended and has failed; 0: it may take all the time there is.
    pub patience: u64,
}

/// The output of a run of a program so far.
#[derive(Default)]
struct Reader<'a> {
    skips: &'a [&'a str],
    /// The message of the running test when it left itself out.
    left_out: Option<String>,
    /// Tests of this start, when it has said so.
    total: Option<usize>,
    running: Option<(String, Vec<String>)>,
    done: BTreeSet<String>,
    tally: Tally,
}

impl Reader<'_> {
    fn line(&mut self, line: &str) {
        // Some print on without ending their line.
        let at = |mark: &str| line.find(mark).map(|at| line[at + mark.len()..].trim());
        if let Some(rest) = at("[==========] Running ") {
            let number = rest.split_whitespace().next();
            self.total = number.and_then(|number| number.parse().ok());
        } else if let Some(name) = at("[ RUN      ] ") {
            self.running = Some((name.to_owned(), Vec::new()));
            self.left_out = None;
        } else if let Some(rest) = at("[       OK ] ") {
            if self.end(rest) {
                match self.left_out.take() {
                    Some(reason) => self.tally.skip(first_word(rest), reason),
                    None => self.tally.passed += 1,
                }
            }
        } else if let Some(rest) = at("[  SKIPPED ] ") {
            let said = self.running.as_ref().and_then(|(_, said)| said.last());
            let reason = said.cloned().unwrap_or_default();
            if self.end(rest) {
                self.tally.skip(first_word(rest), reason);
            }
        } else if let Some(rest) = at("[  FAILED  ] ") {
            let said = self.running.as_ref().map(|(_, said)| said.join("\n"));
            if self.end(rest) {
                let name = first_word(rest);
                self.tally.failed.push((name, said.unwrap_or_default()));
            }
        } else if let Some((_, said)) = &mut self.running
            && !line.trim().is_empty()
        {
            if self.left_out.is_none() && self.skips.iter().any(|words| line.contains(words)) {
                // Behind the mark with which such programs begin their lines.
                let reason = line.rsplit("] ").next().unwrap_or(line);
                self.left_out = Some(reason.trim().to_owned());
            }
            if said.len() < MOST_LINES {
                said.push(line.to_owned());
            }
        }
    }

    /// Returns `true` if this is news: the summary at the end repeats what failed.
    fn end(&mut self, rest: &str) -> bool {
        self.running = None;
        let name = first_word(rest);
        name.contains('.') && self.done.insert(name)
    }
}

/// Returns `true` if a program that ended while no test ran ended in an unusual way. Usual is 0 or 1, after it has said how many tests
/// there are. A program has none if its test is that it compiles.
fn is_amiss(status: i32, total: Option<usize>) -> bool {
    !matches!(status, 0 | 1) || total.is_none()
}

/// The name before a parameter's value and the time.
fn first_word(text: &str) -> String {
    let end = text.find([',', ' ']).unwrap_or(text.len());
    text[..end].to_owned()
}

/// The option for the tests that a filter chooses, without those that are done.
fn without<'a>(filter: &str, done: impl IntoIterator<Item = &'a String>) -> String {
    let done: Vec<&str> = done.into_iter().map(String::as_str).collect();
    let separator = match (done.is_empty(), filter.contains('-')) {
        (true, _) => "",
        (false, true) => ":",
        (false, false) => "-",
    };
    format!("--gtest_filter={filter}{separator}{}", done.join(":"))
}

/// Runs one program.
pub fn run(
    setting: &Setting<'_>,
    program: &Program<'_>,
    filter: &str,
    shard: Shard,
    seconds: u64,
) -> Result<Tally> {
    let budget = Budget::new(seconds);
    let flags = crate::root().join(format!("target/rocm-{}.flags", std::process::id()));
    let mut reader = Reader {
        skips: program.skips,
        ..Reader::default()
    };
    let patience = match program.patience {
        0 => Duration::MAX,
        seconds => Duration::from_secs(seconds),
    };
    let mut total = None;
    for _ in 0..MOST_STARTS {
        let Some(left) = budget.left() else { break };
        let filter = without(filter, &reader.done);
        let mut command = match program.folder {
            Some(folder) => setting.command_in(left, folder, program.file),
            None => setting.command(left, program.file),
        };
        command
            .envs(program.variables.iter().copied())
            .args(program.arguments)
            .arg("--gtest_color=no")
            .args(order::of_tests(setting.seed));
        // Many names go to a file. rocBLAS reads no such file.
        if filter.len() < MOST_ARGUMENT {
            command.arg(filter);
        } else {
            fs::write(&flags, filter + "\n")
                .with_context(|| format!("cannot write {}", flags.display()))?;
            command.arg(format!("--gtest_flagfile={}", flags.display()));
        }
        command
            // rocBLAS says nothing of what passes otherwise.
            .env("GTEST_LISTENER", "PASS_LINE_IN_LOG");
        // A program that is started again must not deal the rest out anew.
        if shard.count > 1 {
            command
                .env("GTEST_TOTAL_SHARDS", shard.count.to_string())
                .env("GTEST_SHARD_INDEX", shard.index.to_string());
        }
        reader.total = None;
        let watched = limited::watched(command, patience, |line| reader.line(line))?;
        let errors = watched.errors;
        total = total.or(reader.total);
        match (watched.end, reader.running.take()) {
            (_, Some((name, mut said))) if watched.stuck => {
                said.push(format!("it said nothing for {} s", program.patience));
                reader.done.insert(name.clone());
                reader.tally.failed.push((name, said.join("\n")));
                if shard.count > 1 {
                    break;
                }
            }
            (End::Status(code), Some((name, mut said))) => {
                said.push(format!("the program ended with status {code}: {errors}"));
                reader.done.insert(name.clone());
                reader.tally.failed.push((name, said.join("\n")));
                if shard.count > 1 {
                    break;
                }
            }
            (End::Status(code), None) if is_amiss(code, reader.total) => {
                let said = format!("status {code} outside of a test: {errors}");
                reader.tally.failed.push((program.file.to_owned(), said));
                break;
            }
            _ => break,
        }
    }
    let _ = fs::remove_file(&flags);
    reader.tally.not_run = total.unwrap_or(0).saturating_sub(reader.done.len());
    Ok(reader.tally)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_without_tests_are_not_amiss() {
        let mut reader = Reader::default();
        assert!(is_amiss(0, reader.total), "it has said nothing");
        reader.line("[==========] Running 0 tests from 0 test suites.");
        assert!(!is_amiss(0, reader.total));
        assert!(!is_amiss(1, Some(3)), "some of its tests failed");
        assert!(is_amiss(139, Some(3)), "it crashed behind its last test");
    }

    #[test]
    fn tests_that_leave_themselves_out_are_not_passed() {
        let mut reader = Reader {
            skips: &["Skipping"],
            ..Reader::default()
        };
        for line in [
            "[ RUN      ] A.one",
            "[          ] Skipping test: one GPU only.",
            "[          ] Skipping test: again",
            "[       OK ] A.one (3 ms)",
            "[ RUN      ] A.two",
            "[       OK ] A.two (3 ms)",
            "[ RUN      ] A.three",
            "[          ] Skipping test: no room",
            "[  FAILED  ] A.three (3 ms)",
            "[ RUN      ] A.four",
            "a.cpp:3: Skipped",
            "no device",
            "[  SKIPPED ] A.four (0 ms)",
        ] {
            reader.line(line);
        }
        let tally = reader.tally;
        assert_eq!((tally.passed, tally.skipped, tally.failed.len()), (1, 2, 1));
        let reasons = [
            ("A.one", "Skipping test: one GPU only."),
            ("A.four", "no device"),
        ];
        let reasons = reasons.map(|(name, reason)| (name.to_owned(), reason.to_owned()));
        assert_eq!(tally.left_out, reasons);
    }

    #[test]
    fn every_test_counts_once() {
        let mut reader = Reader::default();
        for line in [
            "[==========] Running 4 tests from 2 test suites.",
            "[ RUN      ] A/0.one",
            "[       OK ] A/0.one (3 ms)",
            "[ RUN      ] A/0.two",
            "a.cpp:3: Failure",
            "[  FAILED  ] A/0.two, where TypeParam = int (1 ms)",
            "text[ RUN      ] B.three",
            "[  SKIPPED ] B.three (0 ms)",
            "[  FAILED  ] 1 test, listed below:",
            "[  FAILED  ] A/0.two, where TypeParam = int",
            "[ RUN      ] B.four",
        ] {
            reader.line(line);
        }
        assert_eq!((reader.total, reader.done.len()), (Some(4), 3));
        let tally = &reader.tally;
        assert_eq!((tally.passed, tally.skipped), (1, 1));
        let failed = ("A/0.two".to_owned(), "a.cpp:3: Failure".to_owned());
        assert_eq!(tally.failed, [failed]);
        assert_eq!(
            reader.running.map(|(name, _)| name).as_deref(),
            Some("B.four")
        );
    }
}
