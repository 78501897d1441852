//! llama.cpp's `test-backend-ops`: every operator against the CPU backend, each for a part of the time. A shard has its part of the
//! cases of every operator, so that all of them get their turn.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};

use super::{
    google_test::Shard,
    limited::{self, Budget, End, Setting},
    tally::Tally,
};

const PROGRAM: &str = "/usr/libexec/x86_64-linux-gnu/llama.cpp-tests/test-backend-ops";
/// What llama.cpp calls the first GPU.
const GPU: &str = "ROCm0";
/// No operator takes more than this part of the whole time, for some have cases of minutes.
const PART: u64 = 8;

/// What a line says of a case: its text, and what came of it.
fn case<'a>(operator: &str, line: &'a str) -> Option<(&'a str, &'a str)> {
    let line = line.trim();
    line.strip_prefix(operator)?.strip_prefix('(')?;
    let end = line.rfind("): ")? + 1;
    Some((&line[..end], line[end + 2..].trim()))
}

/// The operators that there are cases of; `wanted` chooses some.
fn operators(setting: &Setting<'_>, wanted: &[String]) -> Result<Vec<String>> {
    let mut names = BTreeSet::new();
    let mut command = setting.environment.command(PROGRAM);
    command.arg("--list-ops");
    let (_, errors) = limited::lines(command, |line| {
        let name = line.trim();
        let is_name =
            |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_';
        if !name.is_empty() && name.chars().all(is_name) {
            names.insert(name.to_owned());
        }
    })?;
    ensure!(!names.is_empty(), "{PROGRAM} lists no operators: {errors}");
    for name in wanted {
        ensure!(names.contains(name), "there is no operator {name}");
    }
    names.retain(|name| wanted.is_empty() || wanted.contains(name));
    Ok(names.into_iter().collect())
}

/// Cases of an operator that the device has, as the test program names them.
fn cases(setting: &Setting<'_>, operator: &str, seconds: u64) -> Result<Vec<String>> {
    let mut cases = Vec::new();
    let mut command = setting.command(seconds, PROGRAM);
    command.args(["support", "-b", GPU, "-o", operator]);
    limited::lines(command, |line| {
        if let Some((name, "SUPPORTED")) = case(operator, line) {
            cases.push(name.to_owned());
        }
    })?;
    Ok(cases)
}

/// What chooses the operator, or its cases of the shard: some at a time, as many as an argument may have letters.
fn choices(operator: &str, cases: &[String], shard: Shard) -> Vec<String> {
    const LETTERS: usize = 30_000;
    if shard.count == 1 {
        return vec![operator.to_owned()];
    }
    let mut choices: Vec<String> = Vec::new();
    for case in cases.iter().skip(shard.index).step_by(shard.count) {
        match choices.last_mut() {
            Some(last) if last.len() + case.len() < LETTERS => {
                last.push(',');
                last.push_str(case);
            }
            _ => choices.push(case.clone()),
        }
    }
    choices
}

/// Runs a shard of the cases of every operator.
pub fn run(setting: &Setting<'_>, wanted: &[String], shard: Shard, seconds: u64) -> Result<Tally> {
    let budget = Budget::new(seconds);
    let operators = operators(setting, wanted)?;
    let most = (seconds / PART).max(seconds / operators.len().max(1) as u64);
    let mut tally = Tally::default();
    for operator in &operators {
        let Some(left) = budget.left() else {
            println!("    {operator} and what follows: not run");
            break;
        };
        let part = Budget::new(left.min(most));
        let known = match shard.count {
            1 => Vec::new(),
            _ => cases(setting, operator, left)?,
        };
        for choice in choices(operator, &known, shard) {
            let seconds = part.left().unwrap_or(0);
            if seconds == 0 || !one(setting, operator, &choice, seconds, &mut tally)? {
                break;
            }
        }
    }
    Ok(tally)
}

/// The operator's cases that `choice` stands for; whether there was time for all.
fn one(
    setting: &Setting<'_>,
    operator: &str,
    choice: &str,
    seconds: u64,
    tally: &mut Tally,
) -> Result<bool> {
    let mut seen = 0;
    let mut late_at = String::new();
    let before = (tally.passed, tally.failed.len());
    let mut command = setting.command(seconds, PROGRAM);
    command.args(["test", "-b", GPU, "-o", choice]);
    let (end, errors) = limited::lines(command, |line| {
        // A case is named before it runs, on the same line.
        late_at = line.trim().chars().take(200).collect();
        let Some((name, verdict)) = case(operator, line) else {
            return;
        };
        seen += 1;
        match verdict {
            "OK" => tally.passed += 1,
            _ if verdict.starts_with("not supported") => tally.skipped += 1,
            _ => tally.failed.push((name.to_owned(), verdict.to_owned())),
        }
    })?;
    match end {
        End::Status(0 | 1) => {}
        End::Status(code) => {
            let said = format!("ended with status {code} at {late_at}: {errors}");
            tally.failed.push((operator.to_owned(), said));
        }
        End::Late => {
            let (passed, failed) = (tally.passed - before.0, tally.failed.len() - before.1);
            println!(
                "    {operator}: cut off after {seconds} s, {seen} cases, {passed} right, {failed} wrong"
            );
            tally.not_run += 1;
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::{Shard, case, choices};

    #[test]
    fn shards_have_every_case_once() {
        let cases: Vec<String> = (0..2000).map(|k| format!("ADD(type=f32,k={k})")).collect();
        let mut all = Vec::new();
        for index in 0..3 {
            let chosen = choices("ADD", &cases, Shard { index, count: 3 });
            assert!(chosen.iter().all(|choice| choice.len() < 30_000));
            for choice in &chosen {
                let parts = choice.split_inclusive(')');
                all.extend(parts.map(|part| part.trim_start_matches(',').to_owned()));
            }
        }
        all.sort();
        let mut expected = cases.clone();
        expected.sort();
        assert_eq!(all, expected);
        let whole = choices("ADD", &cases, Shard { index: 0, count: 1 });
        assert_eq!(whole, ["ADD"]);
    }

    #[test]
    fn cases_have_a_name_and_a_verdict() {
        let line = "  ADD(type=f32,ne=[10,5,4,3],nf=1): OK";
        let name = "ADD(type=f32,ne=[10,5,4,3],nf=1)";
        assert_eq!(case("ADD", line), Some((name, "OK")));
        assert_eq!(case("ADD", "  ADD1(type=f32): OK"), None);
        assert_eq!(case("ADD", "  Backend ROCm0: OK"), None);
    }
}
