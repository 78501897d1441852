//! Results of the tests of a suite.

use std::{collections::BTreeMap, fmt::Write};

use super::known::Known;

/// Tests of one suite on one device.
#[derive(Default)]
pub struct Tally {
    pub passed: usize,
    /// Tests that the suite itself leaves out there.
    pub skipped: usize,
    /// The names of those that gave a reason, and the reason.
    pub left_out: Vec<(String, String)>,
    /// Patterns of tests that were not asked for, since they fit no emulated device, and why.
    pub unfit: Vec<(String, String)>,
    /// Tests for which there was no time.
    pub not_run: usize,
    /// Name, and what it said.
    pub failed: Vec<(String, String)>,
}

impl Tally {
    /// Counts a test that left itself out.
    pub fn skip(&mut self, name: String, reason: String) {
        self.skipped += 1;
        self.left_out.push((name, reason));
    }

    /// There was no test at all, not even one that is left out.
    pub fn is_empty(&self) -> bool {
        let named = [&self.failed, &self.left_out, &self.unfit];
        self.passed + self.skipped + self.not_run == 0 && named.iter().all(|names| names.is_empty())
    }

    pub fn add(&mut self, other: Tally) {
        self.passed += other.passed;
        self.skipped += other.skipped;
        self.left_out.extend(other.left_out);
        self.unfit.extend(other.unfit);
        self.not_run += other.not_run;
        self.failed.extend(other.failed);
    }
}

pub const HEAD: &str = "  suite       device    passed  failed  explained  skipped  not run";

/// Prints a row and what is not explained; returns how many tests that is.
pub fn report(suite: &str, device: &str, tally: &Tally, known: &Known) -> usize {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    let mut unexplained = Vec::new();
    for (test, said) in &tally.failed {
        match known.reason(suite, device, test) {
            Some(reason) => *reasons.entry(reason).or_default() += 1,
            None => unexplained.push((test, said)),
        }
    }
    println!(
        "  {suite:10}  {device:8}{:>8}{:>8}{:>11}{:>9}{:>9}",
        tally.passed,
        unexplained.len(),
        tally.failed.len() - unexplained.len(),
        tally.skipped,
        tally.not_run
    );
    for (reason, count) in reasons {
        println!("    {count} explained: {reason}");
    }
    let mut left_out: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (test, reason) in &tally.left_out {
        left_out.entry(reason).or_default().push(test);
    }
    for (reason, tests) in left_out {
        println!(
            "    {} left out: {reason} ({})",
            tests.len(),
            tests.join(", ")
        );
    }
    for (tests, reason) in &tally.unfit {
        println!("    not run: {tests}: {reason}");
    }
    for (test, said) in &unexplained {
        println!("    FAILED {test}");
        for line in said.lines() {
            println!("      {line}");
        }
    }
    unexplained.len()
}

/// A suite, what came of some of its tests, and why.
type Outcome = (String, &'static str, String);

/// The tests that did not pass, of several suites and devices, for a page of the documentation.
#[derive(Default)]
pub struct Table {
    /// Suite, device, and how many passed, failed, were explained, were left out and were not run.
    counts: Vec<(String, String, [usize; 5])>,
    /// The tests on each device.
    rows: BTreeMap<Outcome, BTreeMap<String, Vec<String>>>,
}

impl Table {
    pub fn add(&mut self, suite: &str, device: &str, tally: &Tally, known: &Known) {
        let explained = |name: &str| known.reason(suite, device, name);
        let mut unexplained = 0;
        let mut rows = Vec::new();
        for (name, _) in &tally.failed {
            let reason = explained(name);
            unexplained += usize::from(reason.is_none());
            rows.push(("fails", name, reason.unwrap_or("not explained")));
        }
        for (name, reason) in &tally.left_out {
            rows.push(("leaves itself out", name, reason));
        }
        for (name, reason) in &tally.unfit {
            rows.push(("is not run", name, reason));
        }
        for (outcome, name, reason) in rows {
            let key = (suite.to_owned(), outcome, reason.to_owned());
            let tests = self.rows.entry(key).or_default();
            tests
                .entry(device.to_owned())
                .or_default()
                .push(name.clone());
        }
        let counts = [
            tally.passed,
            unexplained,
            tally.failed.len() - unexplained,
            tally.skipped,
            tally.not_run,
        ];
        self.counts
            .push((suite.to_owned(), device.to_owned(), counts));
    }

    pub fn markdown(&self) -> String {
        let mut text = String::from(
            "| suite | device | passed | failed | failed with a reason | left out by the suite | not run |\n|---|---|---|---|---|---|---|\n",
        );
        for (suite, device, counts) in &self.counts {
            let counts = counts.map(|count| count.to_string()).join(" | ");
            let _ = writeln!(text, "| {suite} | {device} | {counts} |");
        }
        text.push_str(
            "\n| suite | test | devices | what comes of it | reason |\n|---|---|---|---|---|\n",
        );
        for ((suite, outcome, reason), devices) in &self.rows {
            // Devices with the same tests share a line.
            let mut alike: BTreeMap<&Vec<String>, Vec<&str>> = BTreeMap::new();
            for (device, tests) in devices {
                alike.entry(tests).or_default().push(device);
            }
            for (tests, devices) in alike {
                let tests: Vec<String> = tests.iter().map(|test| format!("`{test}`")).collect();
                let (tests, devices) = (tests.join(", "), devices.join(", "));
                let reason = reason.replace('|', "\\|");
                let _ = writeln!(
                    text,
                    "| {suite} | {tests} | {devices} | {outcome} | {reason} |"
                );
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_names_what_did_not_pass_and_why() {
        let known = Known::read().unwrap();
        let mut tally = Tally {
            passed: 7,
            ..Tally::default()
        };
        assert!(Tally::default().is_empty() && !tally.is_empty());
        tally.skip("A.two".to_owned(), "one GPU | only".to_owned());
        let mut table = Table::default();
        for device in ["gfx942", "gfx1100"] {
            table.add("kfdtest", device, &tally, &known);
        }
        tally.failed.push(("A.one".to_owned(), "said".to_owned()));
        table.add("kfdtest", "gfx1201", &tally, &known);
        let text = table.markdown();
        for line in [
            "| kfdtest | gfx942 | 7 | 0 | 0 | 1 | 0 |",
            "| kfdtest | gfx1201 | 7 | 1 | 0 | 1 | 0 |",
            "| kfdtest | `A.one` | gfx1201 | fails | not explained |",
            "| kfdtest | `A.two` | gfx1100, gfx1201, gfx942 | leaves itself out | one GPU \\| only |",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }
}
