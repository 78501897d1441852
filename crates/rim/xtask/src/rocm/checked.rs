//! Suites under `luthier check`: the options of each start, and what all of them have found.

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use serde_json::Value;

use super::{known::Known, tally::Tally};
use crate::measured::Table;

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
    /// The kernels of each start, once each.
    kernels: u64,
    /// Kind, kernel and fingerprint of each.
    bugs: BTreeMap<[String; 3], Seen>,
    possible: u64,
    /// The instructions that the checks did not judge.
    unjudged: BTreeSet<String>,
}

/// A bug that was found.
#[derive(Default)]
struct Seen {
    times: u64,
    /// The message of the first.
    message: String,
    /// The text of the instructions that it stands for.
    instructions: Vec<String>,
}

/// The table of the documentation that tells of suites under checks.
pub const CHECKED: Table = Table {
    page: "docs/check/suites.md",
    head: "| suite | devices | versions | tests | kernels | certain | explained | possible | not judged | why | date |\n\
     |---|---|---|---|---|---|---|---|---|---|---|\n",
};

/// Members of a report's summary that name instructions which a check passes over, and what the table calls it.
const PASSED_OVER: [(&str, &str); 3] = [
    ("not_followed", "undefined values through"),
    ("not_looked_at", "NaN of"),
    ("not_ordered", "global races of"),
];

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
        let summary = &report["summary"];
        self.kernels += summary["run"].as_u64().unwrap_or(0);
        self.possible += summary["possible"]["different"].as_u64().unwrap_or(0);
        for (member, what) in PASSED_OVER {
            let names = summary[member].as_array().map_or(&[][..], Vec::as_slice);
            let names = names.iter().filter_map(Value::as_str);
            self.unjudged
                .extend(names.map(|name| format!("{what} `{name}`")));
        }
        for problem in summary["problems"].as_array().into_iter().flatten() {
            let reason = problem["reason"].as_str().unwrap_or("a file was not read");
            self.unjudged.insert(reason.to_owned());
        }
        let findings = report["findings"].as_array().map_or(&[][..], Vec::as_slice);
        for finding in findings.iter().filter(|it| it["grade"] == "certain") {
            let text = |name: &str| finding[name].as_str().unwrap_or_default().to_owned();
            let key = ["kind", "function", "fingerprint"].map(text);
            let seen = self.bugs.entry(key).or_default();
            seen.times += finding["times"].as_u64().unwrap_or(1);
            if seen.message.is_empty() {
                let instructions = ["producer", "consumer"].map(|side| &finding[side]["text"]);
                let instructions = instructions.into_iter().filter_map(Value::as_str);
                seen.instructions = instructions.map(str::to_owned).collect();
                seen.message = text("message");
            }
        }
        Ok(())
    }

    /// Prints what was found; returns how many bugs have no explanation.
    pub fn report(&self, device: &str, known: &Known) -> usize {
        let (explained, unexplained) = self.by_reason(device, known);
        let (kernels, bugs) = (self.kernels, self.bugs.len());
        println!(
            "    checked: {kernels} kernels, {bugs} certain findings, {} of them not explained, {} possible ones",
            unexplained.len(),
            self.possible
        );
        let without = self.starts - self.reports;
        if without > 0 {
            println!(
                "    {without} of {} starts were ended before their report",
                self.starts
            );
        }
        for what in &self.unjudged {
            println!("    not judged: {what}");
        }
        for (reason, count) in explained {
            println!("    {count} explained: {reason}");
        }
        for ([kind, kernel, fingerprint], seen) in unexplained.iter().take(MOST_SHOWN) {
            let Seen { times, message, .. } = seen;
            println!("    {kind} in {kernel} ({fingerprint}), {times} times: {message}");
        }
        if unexplained.len() > MOST_SHOWN {
            println!("    and {} more", unexplained.len() - MOST_SHOWN);
        }
        unexplained.len()
    }

    /// How many bugs each reason explains, and the bugs without one.
    fn by_reason<'k>(
        &self,
        device: &str,
        known: &'k Known,
    ) -> (BTreeMap<&'k str, usize>, Vec<Bug<'_>>) {
        let (mut explained, mut unexplained) = (BTreeMap::new(), Vec::new());
        for bug in &self.bugs {
            let [kind, kernel, _] = bug.0;
            match known.finding(kind, device, kernel, &bug.1.instructions) {
                Some(reason) => *explained.entry(reason).or_default() += 1,
                None => unexplained.push(bug),
            }
        }
        (explained, unexplained)
    }

    /// The cells of a row of `CHECKED` between the devices and the date.
    pub fn cells(&self, device: &str, known: &Known, versions: &str, tally: &Tally) -> Vec<String> {
        let (explained, unexplained) = self.by_reason(device, known);
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        for [kind, ..] in self.bugs.keys() {
            *kinds.entry(kind).or_default() += 1;
        }
        let listed = |of: Vec<String>| match of.is_empty() {
            true => "0".to_owned(),
            false => of.join(", "),
        };
        let kinds = kinds
            .iter()
            .map(|(kind, count)| format!("{count} `{kind}`"));
        let mut why: Vec<&str> = explained.keys().copied().collect();
        let without = self.starts - self.reports;
        let lost = format!("{without} of {} starts left no report", self.starts);
        if without > 0 {
            why.push(&lost);
        }
        let unjudged: Vec<&str> = self.unjudged.iter().map(String::as_str).collect();
        let ran = tally.passed + tally.failed.len();
        vec![
            versions.to_owned(),
            format!("{ran}, {} wrong", tally.failed.len()),
            self.kernels.to_string(),
            listed(kinds.collect()),
            (self.bugs.len() - unexplained.len()).to_string(),
            self.possible.to_string(),
            unjudged.join("; "),
            why.join("; "),
        ]
    }
}

/// The key of a bug, and the findings that have it.
type Bug<'f> = (&'f [String; 3], &'f Seen);

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
                    "times": 3, "message": "reads v1"}}],
                    "summary": {{"run": 2, "possible": {{"different": 5}}, "not_ordered": ["s_atomic_add"]}}}}"#
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
        assert_eq!(found.bugs.values().next().unwrap().times, 6);
        let known = Known::read().unwrap();
        assert_eq!(found.report("gfx90a", &known), 1);
        let tally = Tally {
            passed: 7,
            ..Tally::default()
        };
        let expected = [
            "rocprim 6",
            "7, 0 wrong",
            "6",
            "1 `lds-race`",
            "0",
            "15",
            "global races of `s_atomic_add`",
            "1 of 4 starts left no report",
        ];
        let cells = found.cells("gfx90a", &known, "rocprim 6", &tally);
        assert_eq!(cells, expected);
        // Between the first two columns and the date.
        let columns = CHECKED.head.lines().next().unwrap().matches(" |").count();
        assert_eq!(columns, cells.len() + 3);
        fs::remove_dir_all(&checks.folder).unwrap();
    }
}
