//! Suites under `luthier check`: the options of each start, and what all of them have found.

use std::{
    cell::Cell,
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use serde_json::Value;

/// Findings that are printed of each suite and device.
const MOST_SHOWN: usize = 20;

/// Checks that run beside a suite, and the folder for their reports.
pub struct Checks {
    /// Options of `luthier check`, such as `--all`.
    options: Vec<String>,
    folder: PathBuf,
    /// Starts so far.
    starts: Cell<usize>,
}

/// The findings of all starts, by what makes them one bug.
#[derive(Default)]
pub struct Found {
    starts: usize,
    reports: usize,
    kernels: u64,
    /// Kind, kernel and fingerprint; how often, and the message of the first.
    bugs: BTreeMap<[String; 3], (u64, String)>,
}

impl Checks {
    /// `names` are those of the options: `all`, or `races,init`.
    pub fn new(names: &str, suite: &str, device: &str) -> Result<Checks> {
        let folder = crate::root().join(format!("target/rocm-checks/{suite}-{device}"));
        if folder.exists() {
            fs::remove_dir_all(&folder)
                .with_context(|| format!("cannot remove {}", folder.display()))?;
        }
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(Checks {
            options: names.split(',').map(|name| format!("--{name}")).collect(),
            folder,
            starts: Cell::new(0),
        })
    }

    /// The arguments of `luthier` for the next start, without the device.
    pub fn arguments(&self) -> Vec<String> {
        let start = self.starts.get();
        self.starts.set(start + 1);
        let report = self.folder.join(format!("{start}.json"));
        let fixed = [
            "--error-exitcode",
            "0",
            "--print-limit",
            "1000",
            "--format",
            "json",
            "-o",
        ];
        let words = ["check".to_owned()].into_iter();
        let words = words.chain(self.options.iter().cloned());
        let words = words.chain(fixed.map(str::to_owned));
        words.chain([report.display().to_string()]).collect()
    }

    /// Reads the reports of all starts so far.
    pub fn found(&self) -> Result<Found> {
        let mut found = Found {
            starts: self.starts.get(),
            ..Found::default()
        };
        for start in 0..self.starts.get() {
            let report = self.folder.join(format!("{start}.json"));
            // A start whose time was over before it ended has none.
            if report.exists() {
                found.add(&report)?;
            }
        }
        Ok(found)
    }
}

impl Found {
    fn add(&mut self, report: &Path) -> Result<()> {
        let text = fs::read_to_string(report)
            .with_context(|| format!("cannot read {}", report.display()))?;
        let report: Value = serde_json::from_str(&text)
            .with_context(|| format!("{} is no JSON", report.display()))?;
        self.reports += 1;
        self.kernels += report["summary"]["run"].as_u64().unwrap_or(0);
        let findings = report["findings"].as_array().map_or(&[][..], Vec::as_slice);
        for finding in findings.iter().filter(|it| it["grade"] == "certain") {
            let text = |name: &str| finding[name].as_str().unwrap_or_default().to_owned();
            let key = ["kind", "function", "fingerprint"].map(text);
            let (times, message) = self.bugs.entry(key).or_default();
            *times += finding["times"].as_u64().unwrap_or(1);
            if message.is_empty() {
                *message = text("message");
            }
        }
        Ok(())
    }

    /// Prints what was found; returns how many bugs.
    pub fn report(&self) -> usize {
        let (kernels, bugs) = (self.kernels, self.bugs.len());
        println!("    checked: {kernels} kernels, {bugs} certain findings");
        let without = self.starts - self.reports;
        if without > 0 {
            println!(
                "    {without} of {} starts were ended before their report",
                self.starts
            );
        }
        for ([kind, kernel, fingerprint], (times, message)) in self.bugs.iter().take(MOST_SHOWN) {
            println!("    {kind} in {kernel} ({fingerprint}), {times} times: {message}");
        }
        if bugs > MOST_SHOWN {
            println!("    and {} more", bugs - MOST_SHOWN);
        }
        bugs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_have_reports_of_their_own_and_equal_bugs_are_one() {
        let name = format!("test-{}", std::process::id());
        let checks = Checks::new("races,init", &name, "gfx90a").unwrap();
        let report = |kind: &str, grade: &str| {
            format!(
                r#"{{"findings": [{{"kind": "{kind}", "grade": "{grade}", "function": "scan", "fingerprint": "12",
                    "times": 3, "message": "reads v1"}}], "summary": {{"run": 2}}}}"#
            )
        };
        for (kind, grade) in [
            ("lds-race", "certain"),
            ("lds-race", "certain"),
            ("undefined-read", "possible"),
        ] {
            let arguments = checks.arguments();
            assert_eq!(arguments[..3], ["check", "--races", "--init"]);
            fs::write(arguments.last().unwrap(), report(kind, grade)).unwrap();
        }
        // The time of this one was over.
        checks.arguments();
        let found = checks.found().unwrap();
        assert_eq!((found.starts, found.reports, found.kernels), (4, 3, 6));
        assert_eq!(found.bugs.len(), 1);
        assert_eq!(found.bugs.values().next().unwrap().0, 6);
        assert_eq!(found.report(), 1);
        fs::remove_dir_all(&checks.folder).unwrap();
    }
}
