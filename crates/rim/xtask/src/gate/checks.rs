//! Checks of the gate besides tests. They run one after another while the tests run: many tests wait for a single compiler, and checks use
//! the processors that they leave free.

use std::{
    fs::{self, File},
    path::PathBuf,
    process::{Command, Stdio},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};

use crate::root;

/// Name and command of each check. `xtask` stands for this program. A check that takes longer than its seconds fails.
const CHECKS: &[(&str, &[&str], u64)] = &[
    ("lints", &["./dev", "lint"], 2400),
    ("sizes", &["xtask", "sizes"], 120),
    ("models", &["xtask", "model"], 300),
    ("python", &["xtask", "python", "--quick"], 1200),
    ("c", &["xtask", "c"], 300),
];

/// The result of one check.
#[derive(Debug)]
pub struct Check {
    pub name: &'static str,
    pub passed: bool,
    pub time: Duration,
    /// All that it printed.
    pub printed: PathBuf,
}

/// Starts the checks.
pub fn start(environment: Vec<(&'static str, PathBuf)>) -> JoinHandle<Result<Vec<Check>>> {
    std::thread::spawn(move || {
        let folder = root().join("target/gate");
        let mut checks = Vec::new();
        for (name, words, seconds) in CHECKS {
            let printed = folder.join(format!("{name}.txt"));
            let began = Instant::now();
            let passed = run(words, *seconds, &printed, &environment)
                .with_context(|| format!("cannot run the check `{name}`"))?;
            checks.push(Check {
                name,
                passed,
                time: began.elapsed(),
                printed,
            });
        }
        Ok(checks)
    })
}

fn run(
    words: &[&str],
    seconds: u64,
    printed: &PathBuf,
    environment: &[(&'static str, PathBuf)],
) -> Result<bool> {
    let file = File::create(printed)?;
    let mut command = Command::new("nice");
    command.args(["timeout", "--kill-after=10", &seconds.to_string()]);
    match words[0] {
        "xtask" => command.arg(std::env::current_exe()?),
        program => command.arg(program),
    };
    let status = command
        .args(&words[1..])
        .current_dir(root())
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(file)
        .status()?;
    if status.code() == Some(124) {
        let text = fs::read_to_string(printed)?;
        fs::write(printed, format!("{text}stopped after {seconds} s\n"))?;
    }
    Ok(status.success())
}
