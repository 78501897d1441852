//! tinygrad training a small network on the emulated GPU by its HIP backend, as its CPU backend does.

use std::process::Command;

use anyhow::{Result, ensure};

use super::{
    limited::{self, End, Setting},
    tally::Tally,
};

const SCRIPT: &str = include_str!("training.py");
/// The release that [`SCRIPT`] is written for.
const TINYGRAD: &str = "tinygrad==0.14.0";
/// Where it is inside, beside what the release has of Python.
const FOLDER: &str = "opt/tinygrad";
const LIBRARIES: &str = "/usr/lib/x86_64-linux-gnu";
/// Results may differ by so much, for sums go in another order.
const TOLERANCE: f64 = 1e-4;

type Results = Vec<(String, f64)>;

/// Compares every result of the script.
pub fn run(setting: &Setting<'_>, seconds: u64) -> Result<Tally> {
    install(setting)?;
    let script = crate::root().join("target/rocm-training.py");
    std::fs::write(&script, SCRIPT)?;
    let prepare = |command: &mut Command, backend: &str| {
        // Its kernels with matrix instructions of gfx9 do not compile: they hand 16 halves to instructions of four.
        let matrix = if setting.device.starts_with("gfx9") {
            "0"
        } else {
            "1"
        };
        command
            .arg(&script)
            .env("PYTHONPATH", format!("/{FOLDER}"))
            .env("HIP_PATH", format!("{LIBRARIES}/libamdhip64.so"))
            .env("CC", "clang-21")
            .env("CACHELEVEL", "0")
            .env("TC", matrix)
            .env("DEV", backend);
    };
    let mut alone = setting.environment.command("python3");
    prepare(&mut alone, "CPU");
    let (expected, _, errors) = results(alone)?;
    ensure!(
        !expected.is_empty(),
        "tinygrad's CPU backend says nothing: {errors}"
    );
    let mut gpu = setting.command(seconds, "python3");
    prepare(&mut gpu, "HIP");
    let (found, end, errors) = results(gpu)?;
    let mut tally = Tally::default();
    for (name, value) in &expected {
        match found.iter().find(|(other, _)| other == name) {
            Some((_, other)) if (other - value).abs() <= TOLERANCE * value.abs() => {
                tally.passed += 1;
            }
            None if matches!(end, End::Late) => tally.not_run += 1,
            Some((_, other)) => {
                tally
                    .failed
                    .push((name.clone(), format!("{other} instead of {value}")));
            }
            None => tally.failed.push((name.clone(), errors.clone())),
        }
    }
    if !setting.options.is_empty() {
        println!("{errors}");
    }
    Ok(tally)
}

/// Has pip put tinygrad, which is Python alone, into the environment.
fn install(setting: &Setting<'_>) -> Result<()> {
    let folder = setting.environment.root().join(FOLDER);
    if folder.join("tinygrad").exists() {
        return Ok(());
    }
    eprintln!("Installing in {}: {TINYGRAD}", setting.environment.name);
    let made = Command::new("python3")
        .args(["-m", "pip", "install", "--quiet", "--no-deps", "--target"])
        .arg(&folder)
        .arg(TINYGRAD)
        .output()?;
    let errors = String::from_utf8_lossy(&made.stderr);
    ensure!(
        made.status.success(),
        "pip cannot install {TINYGRAD}: {errors}"
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
