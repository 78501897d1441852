//! `cargo xtask python`: the Python package as users get it: the wheel, installed in a fresh environment, and tested there.
//!
//! Apart from the gate, because it installs packages from the network. What it makes lies in `target/python`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail, ensure};

use crate::{command::done, root};

/// What builds the wheel.
const BUILDING: [&str; 1] = ["maturin>=1.9,<2"];
/// What tests of the wheel need.
const TESTING: [&str; 10] = [
    "datafusion",
    "duckdb",
    "jsonschema",
    "mypy",
    "numpy",
    "pandas",
    "pandas-stubs",
    "pyarrow",
    "pyarrow-stubs",
    "pytest",
];

/// `[--wheel] [ARGUMENTS OF PYTEST]`
pub fn run(arguments: &[String]) -> Result<Vec<String>> {
    let wheel = wheel()?;
    println!("{}", wheel.display());
    if arguments.first().is_some_and(|first| first == "--wheel") {
        return Ok(Vec::new());
    }
    let environment = folder().join("environment");
    make(&environment, &TESTING, true)?;
    let python = installed(&environment, &wheel)?;
    let luthier = root().join("target/release/luthier");
    ensure!(
        luthier.exists(),
        "{} is missing: run ./dev build first",
        luthier.display()
    );
    let checks: [&[&str]; 3] = [
        &["mypy", "--strict", "-p", "luthier"],
        &["mypy.stubtest", "luthier._luthier", "--ignore-missing-stub"],
        &["pytest", "-q"],
    ];
    let mut complaints = Vec::new();
    for words in checks {
        let mut check = Command::new(&python);
        check
            .arg("-m")
            .args(words)
            .current_dir(tests())
            .env("LUTHIER", &luthier);
        if words[0] == "pytest" {
            check.args(arguments).args(["-p", "no:cacheprovider"]);
        }
        println!("{}", words.join(" "));
        let status = check.status().context("cannot start Python")?;
        if !status.success() {
            complaints.push(format!("{} failed", words.join(" ")));
        }
    }
    Ok(complaints)
}

fn folder() -> PathBuf {
    root().join("target/python")
}

fn tests() -> PathBuf {
    root().join("crates/rim/python/tests")
}

/// Tests of some files, with what users install and more programs in the PATH; for tasks that need more than tests of the package.
pub fn test(programs: &Path, files: &[&str], arguments: &[String]) -> Result<Vec<String>> {
    let wheel = wheel()?;
    let environment = folder().join("environment");
    make(&environment, &TESTING, false)?;
    let python = installed(&environment, &wheel)?;
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(
        [programs.to_owned()]
            .into_iter()
            .chain(std::env::split_paths(&paths)),
    )?;
    let status = Command::new(python)
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
        .args(files)
        .args(arguments)
        .current_dir(tests())
        .env("LUTHIER", root().join("target/release/luthier"))
        .env("PATH", path)
        .env("LUTHIER_CLUSTER", programs)
        .status()
        .context("cannot start Python")?;
    Ok(match status.success() {
        true => Vec::new(),
        false => vec![format!("{} failed", files.join(" "))],
    })
}

/// Installs the wheel as it is now, whatever its version; says which Python has it.
fn installed(environment: &Path, wheel: &Path) -> Result<PathBuf> {
    let python = environment.join("bin/python");
    done(
        Command::new(&python)
            .args([
                "-m",
                "pip",
                "install",
                "-q",
                "--force-reinstall",
                "--no-deps",
            ])
            .arg(wheel),
    )?;
    Ok(python)
}

/// Builds the wheel. Which systems it fits is in its name, and checked by maturin: a symbol of a newer C library is an error there.
pub fn wheel() -> Result<PathBuf> {
    let building = folder().join("building");
    make(&building, &BUILDING, false)?;
    let output = folder().join("wheels");
    if output.exists() {
        fs::remove_dir_all(&output).context("cannot remove the last wheel")?;
    }
    done(
        Command::new(building.join("bin/maturin"))
            .args(["build", "--release", "--quiet", "--manifest-path"])
            .arg(root().join("crates/rim/python/Cargo.toml"))
            .arg("--out")
            .arg(&output),
    )?;
    let made = fs::read_dir(&output)
        .with_context(|| format!("cannot read {}", output.display()))?
        .collect::<Result<Vec<_>, _>>()?;
    let [wheel] = made.as_slice() else {
        bail!("{} holds {} wheels", output.display(), made.len());
    };
    let name = wheel.file_name().to_string_lossy().into_owned();
    ensure!(
        name.contains("-abi3-manylinux"),
        "{name} is no abi3 manylinux wheel"
    );
    Ok(wheel.path())
}

/// A virtual environment with some packages; `fresh`: without what an earlier one held.
fn make(environment: &Path, packages: &[&str], fresh: bool) -> Result<()> {
    if fresh && environment.exists() {
        fs::remove_dir_all(environment).context("cannot remove the last environment")?;
    }
    let python = environment.join("bin/python");
    if !python.exists() {
        done(
            Command::new("python3")
                .args(["-m", "venv"])
                .arg(environment),
        )?;
    }
    done(
        Command::new(python)
            .args(["-m", "pip", "install", "-q", "--disable-pip-version-check"])
            .args(packages),
    )
}
