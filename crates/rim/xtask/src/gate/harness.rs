//! The output of a test program: the lines of Rust's test harness, which Luthier's own test programs print too.

use std::{collections::BTreeMap, time::Duration};

/// The result of one run of a test program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    pub passed: u64,
    pub failed: u64,
    pub ignored: u64,
    /// Names of the tests that failed.
    pub failures: Vec<String>,
}

const RESULT: &str = "test result: ";

/// Reads the end of a test program's output; `None` if the program ended before it said what came of its tests.
///
/// Tests may print anything, also lines of other harnesses, so that only the last result and the list before it count.
pub fn read(output: &str) -> Option<Said> {
    let lines: Vec<&str> = output.lines().collect();
    let last = lines.iter().rposition(|line| line.starts_with(RESULT))?;
    let mut said = counts(lines[last])?;
    if said.failed > 0 {
        let list = lines[..last]
            .iter()
            .rposition(|line| *line == "failures:")?;
        let names = lines[list + 1..last].iter();
        let names = names.map_while(|line| line.strip_prefix("    "));
        said.failures = names.map(str::to_owned).collect();
    }
    Some(said)
}

/// The test that a line says the end of.
pub fn ended(line: &str) -> Option<&str> {
    let (name, outcome) = line.strip_prefix("test ")?.split_once(" ... ")?;
    let is_end = ["ok", "FAILED"].contains(&outcome.trim_end());
    (is_end && !name.contains(' ')).then_some(name)
}

/// How many tests of a program have not ended, by what the program has printed so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Left(Option<usize>);

impl Left {
    /// Reads one more line.
    pub fn hear(&mut self, line: &str) {
        let announced = || {
            let (number, noun) = line.strip_prefix("running ")?.trim_end().split_once(' ')?;
            let is_header = ["test", "tests"].contains(&noun);
            is_header.then(|| number.parse().ok()).flatten()
        };
        match &mut self.0 {
            None => self.0 = announced(),
            Some(left) => *left -= usize::from(*left > 0 && is_over(line)),
        }
    }

    /// How many of its threads the program still uses; all, as long as it has not said how many tests there are.
    pub fn used(self, threads: usize) -> usize {
        self.0.map_or(threads, |left| left.min(threads))
    }
}

/// Returns `true` if a line says that a test has ended or is ignored.
fn is_over(line: &str) -> bool {
    let outcome = line
        .strip_prefix("test ")
        .and_then(|rest| rest.rsplit_once(" ... "));
    outcome.is_some_and(|(_, outcome)| {
        let outcome = outcome.trim_end();
        ["ok", "FAILED"].contains(&outcome) || outcome.starts_with("ignored")
    })
}

/// How long each test took, of the times at which tests ended since the program began.
///
/// The harness starts tests by their names, one as soon as another has ended, and says nothing when it starts one.
pub fn durations(ends: &[(String, Duration)], threads: usize) -> Vec<(Duration, String)> {
    let mut names: Vec<&str> = ends.iter().map(|(name, _)| &**name).collect();
    names.sort_unstable();
    let mut waiting = names.into_iter();
    let mut began: BTreeMap<&str, Duration> = BTreeMap::new();
    began.extend(
        waiting
            .by_ref()
            .take(threads)
            .map(|name| (name, Duration::ZERO)),
    );
    let mut durations = Vec::new();
    for (name, end) in ends {
        // A program with a harness of its own starts them in another order; it is left out.
        if let Some(began) = began.remove(&**name) {
            durations.push((end.saturating_sub(began), name.clone()));
        }
        began.extend(waiting.next().map(|name| (name, *end)));
    }
    durations
}

/// `test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 7 filtered out; finished in 0.01s`
fn counts(line: &str) -> Option<Said> {
    let (_, counts) = line.strip_prefix(RESULT)?.split_once(". ")?;
    let count = |word: &str| {
        let part = counts.split("; ").find(|part| part.ends_with(word))?;
        part.split(' ').next()?.parse().ok()
    };
    Some(Said {
        passed: count(" passed")?,
        failed: count(" failed")?,
        ignored: count(" ignored")?,
        failures: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recorded from cargo 1.95.
    const FAILED: &str = "
running 4 tests
test atomics::adds ... ok
test levels::child ... FAILED
test levels::all_levels_agree ... FAILED
test levels::slow ... ignored, takes minutes

failures:

---- levels::child stdout ----
running 1 test
failures:
    of_another_harness

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

thread 'levels::child' (5) panicked at crates/emulate/wave/tests/levels.rs:7:5:
boom
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace


failures:
    levels::all_levels_agree
    levels::child

test result: FAILED. 1 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 1.50s

";

    #[test]
    fn failures_are_named_and_counted() {
        let said = read(FAILED).unwrap();
        assert_eq!((said.passed, said.failed, said.ignored), (1, 2, 1));
        assert_eq!(said.failures, ["levels::all_levels_agree", "levels::child"]);
    }

    #[test]
    fn only_ends_of_tests_are_ends() {
        assert_eq!(ended("test atomics::adds ... ok"), Some("atomics::adds"));
        assert_eq!(ended("test a ... FAILED\n"), Some("a"));
        for line in [
            "test a ... ignored",
            "test result: ok. 3 passed",
            "tests ... ok",
            "test of two words ... ok",
        ] {
            assert_eq!(ended(line), None, "{line}");
        }
    }

    #[test]
    fn tests_that_are_left_are_counted() {
        let mut left = Left::default();
        left.hear("test a ... ok");
        assert_eq!(left.used(2), 2, "it has not said how many there are");
        for (line, used) in [
            ("running 4 tests\n", 2),
            ("test a ... ok\n", 2),
            ("printed by something\n", 2),
            ("test b - should panic ... ok\n", 2),
            ("test slow ... ignored, takes minutes\n", 1),
            ("running 7 tests\n", 1),
            ("test c ... FAILED\n", 0),
            ("test result: FAILED. 2 passed; 1 failed\n", 0),
        ] {
            left.hear(line);
            assert_eq!(left.used(2), used, "{line}");
        }
    }

    #[test]
    fn a_test_begins_when_another_has_ended() {
        // Two threads: `a` and `b` begin at once, `c` when `b` has ended, `d` when `a` has.
        let second = Duration::from_secs(1);
        let end = |name: &str, at: u32| (name.to_owned(), at * second);
        let ends = [end("b", 2), end("a", 5), end("d", 6), end("c", 9)];
        let took = |at: u32, name: &str| (at * second, name.to_owned());
        let expected = [took(2, "b"), took(5, "a"), took(1, "d"), took(7, "c")];
        assert_eq!(durations(&ends, 2), expected);
        assert_eq!(durations(&[], 2), []);
        // Not the harness's order.
        assert_eq!(durations(&[end("z", 1), end("a", 2)], 1), [took(2, "a")]);
    }

    #[test]
    fn success_has_no_failures() {
        let text = "failures:\n    printed by a test\ntest result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 7 filtered out; finished in 0.01s\n";
        let expected = Said {
            passed: 3,
            ignored: 1,
            ..Said::default()
        };
        assert_eq!(read(text), Some(expected));
    }

    #[test]
    fn a_program_that_died_says_nothing() {
        assert_eq!(read("running 2 tests\ntest a ... ok\n"), None);
        assert_eq!(read(""), None);
        assert_eq!(read("test result: nonsense\n"), None);
    }
}
