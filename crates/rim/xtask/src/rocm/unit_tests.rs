//! Programs of Thrust's own unit tests: each runs all of its tests and says at its end how many there were of which kind.

use anyhow::Result;

use super::{
    google_test::Shard,
    limited::{self, Budget, End, Setting},
    tally::Tally,
};

/// No program takes more than so many times its part of the time that is left.
const MOST_PARTS: u64 = 4;
/// Lines of a program with failures that are shown.
const MOST_LINES: usize = 12;

/// How many tests of a program were wrong and right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Totals {
    failures: usize,
    errors: usize,
    passes: usize,
}

/// The line in which a program says it: `Totals: 0 failures, 0 known failures, 0 errors, and 8 passes.`
fn totals(line: &str) -> Option<Totals> {
    let rest = line.trim().strip_prefix("Totals: ")?;
    let count = |what: &str| {
        rest.split(", ").find_map(|part| {
            let part = part.trim_start_matches("and ").trim_end_matches('.');
            let (number, name) = part.split_once(' ')?;
            let plural = name.strip_prefix(what);
            let is_it = plural.is_some_and(|ending| ["", "s", "es"].contains(&ending));
            is_it.then(|| number.parse().ok())?
        })
    };
    Some(Totals {
        failures: count("failure")?,
        errors: count("error")?,
        passes: count("pass")?,
    })
}

/// Runs a shard of the programs one after the other: tests of these names, or all without any.
pub fn run(
    setting: &Setting<'_>,
    files: &[String],
    only: &[String],
    shard: Shard,
    seconds: u64,
) -> Result<Tally> {
    let budget = Budget::new(seconds);
    let mut tally = Tally::default();
    let mine = files.iter().enumerate();
    let mine = mine.filter(|(number, _)| number % shard.count == shard.index);
    let mine: Vec<&String> = mine.map(|(_, file)| file).collect();
    for (number, file) in mine.iter().enumerate() {
        let Some(left) = budget.left() else {
            println!("    {file} and what follows: not run");
            break;
        };
        let (mut seen, mut said) = (None, Vec::new());
        let most = (left * MOST_PARTS / (mine.len() - number) as u64).clamp(1, left);
        let mut command = setting.command(most, file);
        command.args(only);
        let (end, errors) = limited::lines(command, |line| {
            seen = seen.or(totals(line));
            if line.contains("FAIL") || line.contains("ERROR") {
                said.push(line.to_owned());
            }
        })?;
        said.truncate(MOST_LINES);
        said.push(errors);
        match (end, seen) {
            (End::Late, _) => {
                println!("    {file}: cut off");
                tally.not_run += 1;
            }
            (End::Status(status), Some(seen)) => {
                tally.passed += seen.passes;
                if seen.failures + seen.errors > 0 || status != 0 {
                    said.insert(0, format!("status {status}: {seen:?}"));
                    tally.failed.push(((*file).clone(), said.join("\n")));
                }
            }
            // Some only have to compile.
            (End::Status(0), None) => tally.passed += 1,
            (End::Status(status), None) => {
                said.insert(0, format!("status {status}, without a total"));
                tally.failed.push(((*file).clone(), said.join("\n")));
            }
        }
    }
    Ok(tally)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_read() {
        let line = "Totals: 1 failure, 0 known failures, 2 errors, and 8 passes.";
        let expected = Totals {
            failures: 1,
            errors: 2,
            passes: 8,
        };
        assert_eq!(totals(line), Some(expected));
        let line = "Totals: 0 failures, 3 known failures, 1 error, and 1 pass.";
        let expected = Totals {
            failures: 0,
            errors: 1,
            passes: 1,
        };
        assert_eq!(totals(line), Some(expected));
        assert_eq!(totals("Running 8 unit tests."), None);
    }
}
