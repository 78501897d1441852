//! Results of the tests of a suite.

use super::known::Known;

/// Tests of one suite on one device.
#[derive(Default)]
pub struct Tally {
    pub passed: usize,
    /// Tests that the suite itself leaves out there.
    pub skipped: usize,
    /// Tests for which there was no time.
    pub not_run: usize,
    /// Name, and what it said.
    pub failed: Vec<(String, String)>,
}

impl Tally {
    pub fn add(&mut self, other: Tally) {
        self.passed += other.passed;
        self.skipped += other.skipped;
        self.not_run += other.not_run;
        self.failed.extend(other.failed);
    }
}

pub const HEAD: &str = "  suite       device    passed  failed  explained  skipped  not run";

/// Prints a row and what is not explained; returns how many tests that is.
pub fn report(suite: &str, device: &str, tally: &Tally, known: &Known) -> usize {
    let mut reasons: std::collections::BTreeMap<&str, usize> = Default::default();
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
    for (test, said) in &unexplained {
        println!("    FAILED {test}");
        for line in said.lines() {
            println!("      {line}");
        }
    }
    unexplained.len()
}
