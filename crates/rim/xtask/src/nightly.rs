//! `cargo xtask nightly`: what takes too long for the gate, in one go. Each run appends a table to `docs/measurements/nightly.md`.

use std::{
    ffi::OsStr,
    fs::{self, File, OpenOptions},
    io::Write,
    mem,
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

use anyhow::{Context, Result, bail};

use crate::{command::said, root};

/// A part: its name, its words and the most minutes that it may take. The word `xtask` stands for this program: `cargo xtask` would build it
/// and what is below it anew, with the features of one package.
type Part = (&'static str, &'static [&'static str], u64);

#[rustfmt::skip]
const PARTS: &[Part] = &[
    ("gate",       &["xtask", "gate"], 60),
    // Programs of others, counted for real, take most of an hour.
    ("counted",    &["xtask", "gate", "--test", "count", "--", "--ignored", "real::"], 120),
    ("ignored",    &["xtask", "gate", "--lib", "--tests", "--", "--ignored", "--skip", "real::"], 90),
    ("attack",     &["xtask", "attack", "--seconds", "120"], 60),
    ("fill-1",     &["env", "LUTHIER_FILL=random:1", "cargo", "test", "--release", "--workspace", "--test", "run"], 60),
    ("fill-2",     &["env", "LUTHIER_FILL=random:2", "cargo", "test", "--release", "--workspace", "--test", "run"], 60),
    ("native",     &["env", "LUTHIER_NATIVE=1", "cargo", "test", "--release", "--workspace", "--test", "run"], 60),
    ("fuzz-native", &["env", "LUTHIER_NATIVE=1", "xtask", "fuzz", "device", "--seconds", "300"], 60),
    ("fuzz-rewrite", &["xtask", "fuzz", "rewrite", "--seconds", "300"], 60),
    ("fuzz-count", &["xtask", "fuzz", "count", "--seconds", "300"], 60),
    ("fuzz",       &["xtask", "fuzz", "--seconds", "300"], 120),
    ("sanitize",   &["xtask", "sanitize", "address"], 90),
    ("c",          &["xtask", "c", "--all"], 20),
    ("wheel",      &["xtask", "python"], 60),
    ("package",    &["xtask", "package", "--twice", "--no-wheel"], 60),
    ("release",    &["xtask", "release", "--unsigned", "--twice"], 90),
    ("ci",         &["xtask", "ci"], 60),
    ("installed",  &["xtask", "installed"], 90),
    ("lighthouse", &["xtask", "lighthouse"], 20),
    ("stacks-cupy",     &["xtask", "stacks", "cupy"], 60),
    ("stacks-hashcat",  &["xtask", "stacks", "hashcat"], 60),
    ("stacks-jax",      &["xtask", "stacks", "jax"], 60),
    ("stacks-llama",    &["xtask", "stacks", "llama"], 60),
    ("stacks-onnx",     &["xtask", "stacks", "onnx"], 60),
    ("stacks-opencl",   &["xtask", "stacks", "opencl"], 60),
    ("stacks-openmp",   &["xtask", "stacks", "openmp"], 60),
    ("stacks-rccl",     &["xtask", "stacks", "rccl"], 60),
    ("stacks-tinygrad", &["xtask", "stacks", "tinygrad"], 60),
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
    let page = root().join(PAGE);
    // It comes with the first row: a run that is stopped before that leaves nothing.
    let mut heading = heading()?;
    let mut complaints = Vec::new();
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
        // At once, so that a run that is stopped leaves what it has.
        let rows = mem::take(&mut heading) + &row(name, words, &result, minutes);
        append(&page, &rows)?;
        if result != "good" {
            complaints.push(format!("{name}: {result}; see {}", printed.display()));
        }
    }
    Ok(complaints)
}

/// Runs a part to its end: `good`, or what it came to.
fn part(words: &[&str], minutes: u64, printed: &Path) -> Result<String> {
    let file = File::create(printed).with_context(|| printed.display().to_string())?;
    let mut command = Command::new("timeout");
    command.args(["--kill-after=10", &format!("{minutes}m")]);
    let this = std::env::current_exe()?;
    let status = command
        .args(words.iter().map(|word| match *word {
            "xtask" => this.as_os_str(),
            word => OsStr::new(word),
        }))
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

/// The page, from the root, and the folder of the pages that parts write.
const PAGE: &str = "docs/measurements/nightly.md";
const MEASURED: &str = "docs/measurements";

/// The head of today's table, with the commit that is checked out, and whether files differ from it.
fn heading() -> Result<String> {
    let git = |words: &[&str]| said(Command::new("git").args(words).current_dir(root()));
    let date = said(Command::new("date").args(["-u", "+%Y-%m-%d"]))?;
    let commit = git(&["log", "-1", "--format=%h"])?;
    Ok(head_of_table(&date, &commit, has_changes(&root())?))
}

/// Returns `true` if tracked files of a checkout differ from its commit. Pages of measurements do not count: the last run may have changed them.
fn has_changes(checkout: &Path) -> Result<bool> {
    let mut git = Command::new("git");
    git.args(["status", "--porcelain", "--untracked-files=no"]);
    git.args(["--", ".", &format!(":(exclude){MEASURED}")]);
    Ok(!said(git.current_dir(checkout))?.is_empty())
}

fn head_of_table(date: &str, commit: &str, changed: bool) -> String {
    let changed = if changed { " with changes" } else { "" };
    format!(
        "\n## {date}, commit {commit}{changed}\n\n| part | command | result | minutes |\n|---|---|---|---|\n"
    )
}

/// Adds to the page, which stands in the documentation's summary.
fn append(page: &Path, text: &str) -> Result<()> {
    let file = OpenOptions::new().append(true).open(page);
    let mut file = file.with_context(|| page.display().to_string())?;
    file.write_all(text.as_bytes())
        .with_context(|| page.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_a_dated_table() {
        let head = head_of_table("2026-11-26", "abc", false);
        let expected = "\n## 2026-11-26, commit abc\n\n| part | command | result | minutes |\n|---|---|---|---|\n";
        assert_eq!(head, expected);
        let head = head_of_table("2026-11-26", "abc", true);
        assert!(head.starts_with("\n## 2026-11-26, commit abc with changes\n"));
        let row = row("fuzz", &["xtask", "fuzz"], "good", 12.34);
        assert_eq!(row, "| fuzz | `xtask fuzz` | good | 12.3 |\n");
    }

    #[test]
    fn the_page_is_there_to_be_appended_to() {
        let page = fs::read_to_string(root().join(PAGE)).unwrap();
        assert!(page.starts_with("# Nightly runs\n") && page.ends_with('\n'));
    }

    #[test]
    fn a_part_may_start_this_program_with_variables() {
        let printed = std::env::temp_dir().join(format!("nightly-{}", std::process::id()));
        let words = ["env", "LUTHIER_NATIVE=1", "xtask", "--list"];
        assert_eq!(part(&words, 1, &printed).unwrap(), "good");
        // This program is the one with the tests, which lists them.
        let said = fs::read_to_string(&printed).unwrap();
        fs::remove_file(&printed).unwrap();
        assert!(said.contains("a_part_may_start_this_program_with_variables: test"));
    }

    #[test]
    fn changes_of_the_page_are_no_changes() {
        let checkout = std::env::temp_dir().join(format!("nightly-git-{}", std::process::id()));
        let page = checkout.join(PAGE);
        fs::create_dir_all(page.parent().unwrap()).unwrap();
        let write = |path: &Path, text: &str| fs::write(path, text).unwrap();
        let git =
            |words: &[&str]| said(Command::new("git").args(words).current_dir(&checkout)).unwrap();
        write(&page, "before");
        write(&checkout.join("source"), "before");
        git(&["init", "-q"]);
        git(&["add", "."]);
        git(&[
            "-c",
            "user.name=n",
            "-c",
            "user.email=n@n",
            "commit",
            "-qm",
            "first",
        ]);
        write(&page, "after");
        let with_page = has_changes(&checkout).unwrap();
        write(&checkout.join("source"), "after");
        let with_source = has_changes(&checkout).unwrap();
        fs::remove_dir_all(&checkout).unwrap();
        assert_eq!((with_page, with_source), (false, true));
    }

    /// A part for each page of what people run: one of them can fail, or be run again, without the others.
    #[test]
    fn each_stack_is_a_part() {
        let stacks = PARTS.iter().filter_map(|(name, words, _)| {
            let page = name.strip_prefix("stacks-")?;
            assert_eq!(*words, ["xtask", "stacks", page]);
            Some(page.to_owned())
        });
        assert_eq!(
            stacks.collect::<Vec<_>>(),
            crate::stacks::pages_that_run().unwrap()
        );
    }

    #[test]
    fn unknown_parts_are_refused() {
        assert!(run(&["no-such-part".to_owned()]).is_err());
    }
}
