//! `cargo xtask nightly`: what takes too long for the gate, in one go. Each run appends a table to `docs/measurements/nightly.md`.

use std::{
    fs::{self, File, OpenOptions},
    io::Write,
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

use anyhow::{Context, Result, bail};

use crate::{command::said, root};

/// A part: its name, its words and the most minutes that it may take. The first word is a program; `xtask` stands for this one.
type Part = (&'static str, &'static [&'static str], u64);

#[rustfmt::skip]
const PARTS: &[Part] = &[
    ("gate",       &["xtask", "gate"], 60),
    ("ignored",    &["xtask", "gate", "--lib", "--tests", "--", "--ignored"], 180),
    ("attack",     &["xtask", "attack", "--seconds", "120"], 60),
    ("fill-1",     &["env", "LUTHIER_FILL=random:1", "cargo", "test", "--release", "--workspace", "--test", "run"], 60),
    ("fill-2",     &["env", "LUTHIER_FILL=random:2", "cargo", "test", "--release", "--workspace", "--test", "run"], 60),
    ("native",     &["env", "LUTHIER_NATIVE=1", "cargo", "test", "--release", "--workspace", "--test", "run"], 60),
    ("fuzz-native", &["env", "LUTHIER_NATIVE=1", "cargo", "xtask", "fuzz", "device", "--seconds", "300"], 60),
    ("fuzz",       &["xtask", "fuzz", "--seconds", "300"], 120),
    ("sanitize",   &["xtask", "sanitize", "address"], 90),
    ("c",          &["xtask", "c", "--all"], 20),
    ("wheel",      &["xtask", "python"], 60),
    ("package",    &["xtask", "package", "--twice", "--no-wheel"], 60),
    ("release",    &["xtask", "release", "--unsigned", "--twice"], 90),
    ("ci",         &["xtask", "ci"], 60),
    ("installed",  &["xtask", "installed"], 90),
    ("lighthouse", &["xtask", "lighthouse"], 20),
    ("stacks",     &["xtask", "stacks"], 120),
];

/// `[PART...]`: all of them without arguments. Suites of other releases of ROCm have names of their own: `./dev rocm`.
pub fn run(arguments: &[String]) -> Result<Vec<String>> {
    for name in arguments {
        if !PARTS.iter().any(|(part, ..)| part == name) {
            let parts: Vec<&str> = PARTS.iter().map(|(part, ..)| *part).collect();
            bail!("there is no part {name}; there are {}", parts.join(", "));
        }
    }
    let folder = root().join("target/nightly");
    fs::create_dir_all(&folder).context("cannot make target/nightly")?;
    let chosen = |name: &str| arguments.is_empty() || arguments.iter().any(|part| part == name);
    let (mut rows, mut complaints) = (Vec::new(), Vec::new());
    for (name, words, minutes) in PARTS.iter().filter(|(name, ..)| chosen(name)) {
        let printed = folder.join(format!("{name}.txt"));
        println!(
            "{name}: {} (prints to {})",
            words.join(" "),
            printed.display()
        );
        let began = Instant::now();
        let result = part(words, *minutes, &printed)?;
        let minutes = began.elapsed().as_secs_f64() / 60.0;
        println!("{name}: {result} after {minutes:.1} minutes");
        rows.push(row(name, words, &result, minutes));
        if result != "good" {
            complaints.push(format!("{name}: {result}; see {}", printed.display()));
        }
    }
    let date = said(Command::new("date").args(["-u", "+%Y-%m-%d"]))?;
    let commit = said(
        Command::new("git")
            .args(["log", "-1", "--format=%h"])
            .current_dir(root()),
    )?;
    append(
        &root().join("docs/measurements/nightly.md"),
        &table(&date, &commit, &rows),
    )?;
    Ok(complaints)
}

/// Runs a part to its end: `good`, or what it came to.
fn part(words: &[&str], minutes: u64, printed: &Path) -> Result<String> {
    let file = File::create(printed).with_context(|| printed.display().to_string())?;
    let mut command = Command::new("timeout");
    command.args(["--kill-after=10", &format!("{minutes}m")]);
    match words[0] {
        "xtask" => command.arg(std::env::current_exe()?),
        program => command.arg(program),
    };
    let status = command
        .args(&words[1..])
        .current_dir(root())
        .env("LUTHIER_TEST_LARGE", "1")
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(file)
        .status()
        .context("cannot run timeout")?;
    Ok(match status.code() {
        Some(0) => "good".to_owned(),
        Some(124) => format!("stopped after {minutes} minutes"),
        _ => format!("failed ({status})"),
    })
}

fn row(name: &str, words: &[&str], result: &str, minutes: f64) -> String {
    format!(
        "| {name} | `{}` | {result} | {minutes:.1} |\n",
        words.join(" ")
    )
}

fn table(date: &str, commit: &str, rows: &[String]) -> String {
    format!(
        "\n## {date}, commit {commit}\n\n| part | command | result | minutes |\n|---|---|---|---|\n{}",
        rows.concat()
    )
}

const HEAD: &str = "# Nightly runs\n\nEach run of `./dev nightly` appends a table: what takes too long for every change.\n";

fn append(path: &Path, table: &str) -> Result<()> {
    let folder = path.parent().context("a file has a folder")?;
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let head = if path.exists() { "" } else { HEAD };
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .with_context(|| path.display().to_string())?;
    file.write_all(format!("{head}{table}").as_bytes())
        .with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_a_dated_table() {
        let rows = [row("fuzz", &["xtask", "fuzz"], "good", 12.34)];
        let expected = "\n## 2026-11-26, commit abc\n\n| part | command | result | minutes |\n|---|---|---|---|\n\
            | fuzz | `xtask fuzz` | good | 12.3 |\n";
        assert_eq!(table("2026-11-26", "abc", &rows), expected);
    }

    #[test]
    fn unknown_parts_are_refused() {
        assert!(run(&["no-such-part".to_owned()]).is_err());
    }
}
