//! Frameworks that compile kernels by themselves and launch them through HIP, from Python: a script's results on the emulated GPU and
//! without one.

use std::{path::Path, process::Command};

use anyhow::{Result, ensure};

use super::{
    limited::{self, End, Setting},
    tally::Tally,
};

/// What Python needs for a suite beside what the release has.
pub struct Script {
    /// The framework's name, under which it is imported.
    pub name: &'static str,
    /// The release of it that the script is written for, as pip takes it.
    pub requirement: &'static str,
    /// Prints lines of a name and a number; with DEV=CPU what they should be.
    pub text: &'static str,
}

/// Where they are inside, each in a folder of its own.
const FOLDER: &str = "opt";
const LIBRARIES: &str = "/usr/lib/x86_64-linux-gnu";
/// Results may differ by so much, for sums go in another order.
const TOLERANCE: f64 = 1e-4;

type Results = Vec<(String, f64)>;

/// Compares every result of a script.
pub fn run(setting: &Setting<'_>, script: &Script, seconds: u64) -> Result<Tally> {
    install(setting, script)?;
    let file = crate::root().join(format!("target/rocm-{}.py", script.name));
    std::fs::write(&file, script.text)?;
    let (expected, _, errors) = results(arguments(
        setting.environment.command("python3"),
        setting,
        script,
        &file,
        "CPU",
    ))?;
    ensure!(
        !expected.is_empty(),
        "{} says nothing without a GPU: {errors}",
        script.name
    );
    let gpu = setting.command(seconds, "python3");
    let (found, end, errors) = results(arguments(gpu, setting, script, &file, "HIP"))?;
    let mut tally = Tally::default();
    for (name, value) in &expected {
        match found.iter().find(|(other, _)| other == name) {
            Some((_, other)) if (other - value).abs() <= TOLERANCE * value.abs() => {
                tally.passed += 1;
            }
            Some((_, other)) => {
                let said = format!("{other} instead of {value}");
                tally.failed.push((name.clone(), said));
            }
            None if matches!(end, End::Late) => tally.not_run += 1,
            None => tally.failed.push((name.clone(), errors.clone())),
        }
    }
    if !setting.options.is_empty() {
        println!("{errors}");
    }
    Ok(tally)
}

fn arguments(
    mut command: Command,
    setting: &Setting<'_>,
    script: &Script,
    file: &Path,
    backend: &str,
) -> Command {
    // tinygrad has kernels with matrix instructions for RDNA 3 and 4. Those that it makes for gfx9 hand 16 halves to instructions of
    // four, and those for gfx10 want instructions that there are none of: neither compiles.
    let matrix = ["gfx11", "gfx12"]
        .iter()
        .any(|family| setting.device.starts_with(family));
    command
        .arg(file)
        .arg(setting.device)
        .env("PYTHONPATH", format!("/{FOLDER}/{}", script.name))
        .env("HIP_PATH", format!("{LIBRARIES}/libamdhip64.so"))
        .env("CC", "clang-21")
        .env("CACHELEVEL", "0")
        .env("TC", u8::from(matrix).to_string())
        .env("DEV", backend);
    command
}

/// Has pip put the framework into the environment, for whose Python it is.
fn install(setting: &Setting<'_>, script: &Script) -> Result<()> {
    let folder = setting.environment.root().join(FOLDER).join(script.name);
    if folder.join(script.name).exists() {
        return Ok(());
    }
    let asked = setting
        .environment
        .command("python3")
        .args(["-c", "import platform; print(platform.python_version())"])
        .output()?;
    let version = String::from_utf8_lossy(&asked.stdout).trim().to_owned();
    eprintln!(
        "Installing in {}: {}",
        setting.environment.name, script.requirement
    );
    let made = Command::new("python3")
        .args(["-m", "pip", "install", "--quiet", "--no-deps"])
        .args([
            "--only-binary",
            ":all:",
            "--python-version",
            &version,
            "--target",
        ])
        .arg(&folder)
        .arg(script.requirement)
        .output()?;
    let errors = String::from_utf8_lossy(&made.stderr);
    ensure!(
        made.status.success(),
        "pip cannot install {}: {errors}",
        script.requirement
    );
    Ok(())
}

/// Lines of a name and a number, how the program ended, and what it said of errors.
fn results(command: Command) -> Result<(Results, End, String)> {
    let mut results = Results::new();
    let (end, errors) = limited::lines(command, |line| results.extend(result(line)))?;
    Ok((results, end, errors))
}

fn result(line: &str) -> Option<(String, f64)> {
    let (name, value) = line.split_once(": ")?;
    Some((name.to_owned(), value.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    #[test]
    fn lines_of_results_have_a_name_and_a_number() {
        let result = super::result("loss 0: 1.73467");
        assert_eq!(result, Some(("loss 0".to_owned(), 1.73467)));
        assert_eq!(super::result("luthier: emulating gfx1100"), None);
    }
}
