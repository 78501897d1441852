//! Frameworks that compile kernels by themselves and launch them through HIP, from Python: a script's results on the emulated GPU and
//! without one.

use std::{path::Path, process::Command};

use anyhow::{Result, ensure};

use super::{
    environment::Environment,
    limited::{self, End, Setting},
    tally::Tally,
};

/// A suite in Python, and the packages that it needs besides those of the release.
pub struct Script {
    /// The framework's name, under which it is imported.
    pub name: &'static str,
    /// The release of it that the script is written for, as pip takes it.
    pub requirement: &'static str,
    /// How many of [`BACKENDS`] it has.
    pub backends: usize,
    /// Prints lines of a name and a number; with DEV=CPU what they should be.
    pub text: &'static str,
}

/// Where they are inside, each in a folder of its own.
const FOLDER: &str = "opt";
const LIBRARIES: &str = "/usr/lib/x86_64-linux-gnu";
/// Results may differ by so much, for sums go in another order.
const TOLERANCE: f64 = 1e-4;

type Results = Vec<(String, f64)>;

/// How a framework reaches the GPU.
struct Backend {
    name: &'static str,
    /// The beginnings of the targets that it has code for.
    targets: &'static [&'static str],
}

#[rustfmt::skip]
const BACKENDS: &[Backend] = &[
    Backend { name: "HIP", targets: &["gfx"] },
    // tinygrad's own, which talks to the driver.
    Backend { name: "AMD", targets: &["gfx94", "gfx11", "gfx12"] },
];

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
    let mut tally = Tally::default();
    let knows = |backend: &Backend| {
        let mut targets = backend.targets.iter();
        targets.any(|target| setting.device.starts_with(target))
    };
    let backends = BACKENDS.iter().take(script.backends);
    for backend in backends.filter(|backend| knows(backend)) {
        let gpu = setting.command(seconds, "python3");
        let command = arguments(gpu, setting, script, &file, backend.name);
        let (found, end, errors) = results(command)?;
        for (name, value) in &expected {
            let test = format!("{}: {name}", backend.name);
            match found.iter().find(|(other, _)| other == name) {
                Some((_, other)) if (other - value).abs() <= TOLERANCE * value.abs() => {
                    tally.passed += 1;
                }
                Some((_, other)) => {
                    tally
                        .failed
                        .push((test, format!("{other} instead of {value}")));
                }
                None if matches!(end, End::Late) => tally.not_run += 1,
                None => tally.failed.push((test, errors.clone())),
            }
        }
        if !setting.options.is_empty() {
            println!("{errors}");
        }
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
    // tinygrad has kernels with matrix instructions for RDNA 3 and 4. Its kernels for gfx9 pass 16 halves to instructions of four, and
    // those for gfx10 use instructions that do not exist: neither compiles.
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
    if backend == "AMD" {
        // It looks `mmap` up in the C library itself, where the emulated driver's is not; and it makes AQL packets if it is asked to.
        let door = crate::root().join("target/release/libluthier_kfd.so");
        command.env("LIBC_PATH", door).env("AMD_AQL", "1");
    }
    command
}

/// Has pip put the framework into the environment, for whose Python it is.
fn install(setting: &Setting<'_>, script: &Script) -> Result<()> {
    let asked = setting
        .environment
        .command("python3")
        .args(["-c", "import platform; print(platform.python_version())"])
        .output()?;
    let version = String::from_utf8_lossy(&asked.stdout).trim().to_owned();
    pip(
        setting.environment,
        script.name,
        &version,
        &[script.requirement],
    )?;
    Ok(())
}

/// Has pip put wheels for that version of Python into a folder of the environment, unless a package of that name is there; returns the
/// folder as seen from the environment's root.
pub fn pip(
    environment: &Environment,
    name: &str,
    version: &str,
    wheels: &[&str],
) -> Result<String> {
    let inside = format!("{FOLDER}/{name}");
    let folder = environment.root().join(&inside);
    if folder.join(name).exists() {
        return Ok(inside);
    }
    eprintln!("Installing in {}: {}", environment.name, wheels.join(" "));
    let made = Command::new("python3")
        .args(["-m", "pip", "install", "--quiet", "--no-deps"])
        .args([
            "--only-binary",
            ":all:",
            "--python-version",
            version,
            "--target",
        ])
        .arg(&folder)
        .args(wheels)
        .output()?;
    let errors = String::from_utf8_lossy(&made.stderr);
    ensure!(
        made.status.success(),
        "pip cannot install {}: {errors}",
        wheels.join(" ")
    );
    Ok(inside)
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
