//! llama.cpp's `test-backend-ops`: every operator against the CPU backend, each for a part of the time. A shard has its part of the
//! cases of every operator, so that all of them get their turn. A case that takes too long is left out by itself.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use anyhow::{Result, ensure};

use super::{
    google_test::Shard,
    limited::{self, Budget, End, Setting},
    tally::Tally,
};

const PROGRAM: &str = "/usr/libexec/x86_64-linux-gnu/llama.cpp-tests/test-backend-ops";
/// llama.cpp's name for the first GPU.
const GPU: &str = "ROCm0";
/// No operator takes more than this part of the whole time, for some have thousands of cases.
const PART: u64 = 8;
/// How long a case may take; the first one, with the program's start.
const PATIENCE: Duration = Duration::from_secs(60);

/// The case in a line: its text, and its result.
fn case(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let end = line.rfind("): ")? + 1;
    operator(&line[..end])?;
    Some((&line[..end], line[end + 2..].trim()))
}

/// The operator of a case.
fn operator(text: &str) -> Option<&str> {
    let (name, _) = text.split_once('(')?;
    is_name(name).then_some(name)
}

fn is_name(text: &str) -> bool {
    let in_name =
        |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_';
    !text.is_empty() && text.chars().all(in_name)
}

/// Cases of one operator, in the order of the test program and each once, though that has some twice.
#[derive(Default)]
struct Cases {
    names: Vec<String>,
    /// Cases that the device does not support.
    unsupported: BTreeSet<String>,
}

impl Cases {
    fn add(&mut self, name: &str, verdict: &str) {
        if self.names.iter().any(|known| known == name) {
            return;
        }
        self.names.push(name.to_owned());
        if verdict != "SUPPORTED" {
            self.unsupported.insert(name.to_owned());
        }
    }

    /// The shard's part: the cases that the device has, and how many it has not.
    fn part(&self, shard: Shard) -> (Vec<String>, usize) {
        let part = self.names.iter().skip(shard.index).step_by(shard.count);
        let (without, with): (Vec<_>, Vec<_>) = part
            .cloned()
            .partition(|name| self.unsupported.contains(name));
        (with, without.len())
    }
}

/// Every operator with its cases; `wanted` chooses some.
fn listed(
    setting: &Setting<'_>,
    wanted: &[String],
    seconds: u64,
) -> Result<BTreeMap<String, Cases>> {
    let mut names = BTreeSet::new();
    let mut command = setting.environment.command(PROGRAM);
    command.arg("--list-ops");
    let (_, errors) = limited::lines(command, |line| {
        let name = line.trim();
        if is_name(name) {
            names.insert(name.to_owned());
        }
    })?;
    ensure!(!names.is_empty(), "{PROGRAM} lists no operators: {errors}");
    for name in wanted {
        ensure!(names.contains(name), "there is no operator {name}");
    }
    let mut operators: BTreeMap<String, Cases> = BTreeMap::new();
    let mut command = setting.command(seconds, PROGRAM);
    command.args(["support", "-b", GPU]);
    if !wanted.is_empty() {
        command.args(["-o", &wanted.join(",")]);
    }
    let (_, errors) = limited::lines(command, |line| {
        if let Some((name, verdict)) = case(line)
            && let Some(operator) = operator(name)
        {
            let cases = operators.entry(operator.to_owned()).or_default();
            cases.add(name, verdict);
        }
    })?;
    ensure!(
        !operators.is_empty(),
        "{PROGRAM} lists no cases on {}: {errors}",
        setting.device
    );
    Ok(operators)
}

/// The first cases, as many as an argument may have letters.
fn choice(cases: &[String]) -> &[String] {
    const LETTERS: usize = 30_000;
    let mut letters = 0;
    let fits = cases.iter().take_while(|case| {
        letters += case.len() + 1;
        letters <= LETTERS
    });
    &cases[..fits.count().max(1).min(cases.len())]
}

/// Runs a shard of the cases of every operator.
pub fn run(setting: &Setting<'_>, wanted: &[String], shard: Shard, seconds: u64) -> Result<Tally> {
    let budget = Budget::new(seconds);
    let operators = listed(setting, wanted, seconds)?;
    let most = (seconds / PART).max(seconds / operators.len().max(1) as u64);
    let mut tally = Tally::default();
    for (operator, cases) in &operators {
        let (mut waiting, unsupported) = cases.part(shard);
        tally.skipped += unsupported;
        let part = Budget::new(budget.left().unwrap_or(0).min(most));
        while !waiting.is_empty()
            && let Some(seconds) = part.left()
            && some(setting, &mut waiting, seconds, &mut tally)?
        {}
        if !waiting.is_empty() {
            println!("    {operator}: no time for {} cases", waiting.len());
            tally.not_run += waiting.len();
        }
    }
    Ok(tally)
}

/// Starts the program with the first of the waiting cases. Cases with a result, or in which the program ended, do not wait any more.
/// Returns whether another start makes sense.
fn some(
    setting: &Setting<'_>,
    waiting: &mut Vec<String>,
    seconds: u64,
    tally: &mut Tally,
) -> Result<bool> {
    let before = waiting.len();
    let chosen = choice(waiting).to_vec();
    let mut command = setting.command(seconds, PROGRAM);
    command.args(["test", "-b", GPU, "-o", &chosen.join(",")]);
    let watched = limited::watched(command, PATIENCE, |line| count(line, waiting, tally))?;
    // The program names a case with its verdict only. It keeps the order in which it lists them, so that it was in the first of those
    // that wait, if that one was chosen.
    let in_case = chosen.contains(waiting.first().unwrap_or(&String::new()));
    Ok(match (watched.stuck, watched.end, in_case) {
        (true, _, true) => {
            let name = waiting.remove(0);
            let limit = PATIENCE.as_secs();
            println!("    {name}: not run, it takes more than {limit} s");
            tally.not_run += 1;
            true
        }
        (true, _, false) | (false, End::Late, _) => false,
        (false, End::Status(0 | 1), _) => {
            // Cases that the program did not run although they were chosen would not run the next time either.
            waiting.retain(|case| {
                let unseen = chosen.contains(case);
                if unseen {
                    println!("    {case}: not run, the program leaves it out");
                    tally.not_run += 1;
                }
                !unseen
            });
            true
        }
        (false, End::Status(code), in_case) => {
            let said = format!("ended with status {code}: {}", watched.errors);
            let name = if in_case {
                waiting.remove(0)
            } else {
                format!("{PROGRAM}, behind its cases")
            };
            tally.failed.push((name, said));
            waiting.len() < before
        }
    })
}

/// Counts what a line says of a case that waits for it, which waits no more.
fn count(line: &str, waiting: &mut Vec<String>, tally: &mut Tally) {
    let Some((name, verdict)) = case(line) else {
        return;
    };
    let Some(at) = waiting.iter().position(|case| case == name) else {
        return;
    };
    let name = waiting.remove(at);
    match verdict {
        "OK" => tally.passed += 1,
        _ if verdict.starts_with("not supported") => tally.skipped += 1,
        _ => tally.failed.push((name, verdict.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some_cases(count: usize) -> Cases {
        let mut cases = Cases::default();
        for k in 0..count {
            let verdict = if k % 5 == 0 {
                "NOT SUPPORTED"
            } else {
                "SUPPORTED"
            };
            cases.add(&format!("ADD(type=f32,k={k})"), verdict);
        }
        cases
    }

    #[test]
    fn shards_have_every_case_once() {
        let mut cases = some_cases(2000);
        cases.add("ADD(type=f32,k=7)", "SUPPORTED");
        let (mut all, mut without) = (BTreeSet::new(), 0);
        for index in 0..3 {
            let (part, unsupported) = cases.part(Shard { index, count: 3 });
            assert!((532..=535).contains(&part.len()), "{}", part.len());
            without += unsupported;
            for case in part {
                assert!(all.insert(case));
            }
        }
        assert_eq!((all.len(), without), (1600, 400));
    }

    #[test]
    fn as_many_cases_are_chosen_as_an_argument_has_room_for() {
        let (cases, _) = some_cases(4000).part(Shard { index: 0, count: 1 });
        let chosen = choice(&cases);
        let letters = chosen.join(",").len();
        assert!((29_000..=30_000).contains(&letters), "{letters}");
        assert_eq!(choice(&cases[..3]), &cases[..3]);
        let long = ["ADD".repeat(20_000)];
        assert_eq!(choice(&long), &long);
        assert!(choice(&[]).is_empty());
    }

    #[test]
    fn cases_have_a_name_and_a_verdict() {
        let line = "  ADD(type=f32,ne=[10,5,4,3],nf=1): OK";
        let name = "ADD(type=f32,ne=[10,5,4,3],nf=1)";
        assert_eq!(case(line), Some((name, "OK")));
        assert_eq!(operator(name), Some("ADD"));
        assert_eq!(case("  Backend ROCm0: OK"), None);
        assert_eq!(case("  Device memory: 16 MB (16 MB free): x"), None);
    }

    #[test]
    fn a_case_counts_once_and_waits_no_more() {
        let mut waiting = ["A(k=1)", "A(k=2)", "A(k=3)", "A(k=4)"]
            .map(str::to_owned)
            .to_vec();
        let mut tally = Tally::default();
        for line in [
            "  A(k=2): OK",
            "  A(k=2): OK",
            "  A(k=9): OK",
            "  A(k=1): not supported [CPU]",
            "  A(k=4): [MUL] NMSE = 0.5 > 0.0000001 FAIL",
            "  A(k=3): ",
        ] {
            count(line, &mut waiting, &mut tally);
        }
        assert_eq!(waiting, ["A(k=3)"]);
        assert_eq!((tally.passed, tally.skipped), (1, 1));
        assert_eq!(tally.failed[0].0, "A(k=4)");
    }
}
