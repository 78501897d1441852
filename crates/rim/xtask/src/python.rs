//! `cargo xtask python`: the Python package as users get it: the wheel, installed in a fresh environment, and tested there.
//!
//! `--quick` is for the gate: it tests the package as `./dev build` leaves it, without a wheel, which would be compiled once more. Its
//! files are in `target/python`.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail, ensure};

use crate::{
    command::{done, said},
    root,
};

/// Packages that build the wheel.
const BUILDING: [&str; 1] = ["maturin>=1.9,<2"];
/// Packages that tests of the wheel need.
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

/// `[--wheel | --quick] [ARGUMENTS OF PYTEST]`
pub fn run(arguments: &[String]) -> Result<Vec<String>> {
    if arguments.first().is_some_and(|first| first == "--quick") {
        return quick(&arguments[1..]);
    }
    let wheel = wheel()?;
    println!("{}", wheel.display());
    if arguments.first().is_some_and(|first| first == "--wheel") {
        return Ok(Vec::new());
    }
    let environment = folder().join("environment");
    make(&environment, &TESTING, true)?;
    let python = installed(&environment, &wheel)?;
    check(&python, arguments)
}

/// Types and tests of the package that an environment has.
fn check(python: &Path, arguments: &[String]) -> Result<Vec<String>> {
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
        let mut check = Command::new(python);
        check
            .arg("-m")
            .args(words)
            .current_dir(tests())
            .env("LUTHIER", &luthier);
        keep_compiled(&mut check);
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

/// Python keeps what it compiles, in a folder of its own: tests start it again and again.
fn keep_compiled(python: &mut Command) {
    python
        .env_remove("PYTHONDONTWRITEBYTECODE")
        .env("PYTHONPYCACHEPREFIX", folder().join("compiled"));
}

fn folder() -> PathBuf {
    root().join("target/python")
}

fn tests() -> PathBuf {
    root().join("crates/rim/python/tests")
}

/// The same checks of the sources and of the native module that is built already.
fn quick(arguments: &[String]) -> Result<Vec<String>> {
    let environment = folder().join("quick");
    if let Err(error) = make(&environment, &TESTING, false) {
        prerequisite::skip(&format!("the Python package is not tested: {error:#}"));
        return Ok(Vec::new());
    }
    let python = environment.join("bin/python");
    link(&python)?;
    check(&python, arguments)
}

/// Puts the package into an environment as pip would, but with links to the sources.
fn link(python: &Path) -> Result<()> {
    let place = "import sysconfig; print(sysconfig.get_path('purelib'))";
    let packages = PathBuf::from(said(Command::new(python).args(["-c", place]))?);
    let sources = root().join("crates/rim/python");
    let package = packages.join("luthier");
    if package.exists() {
        fs::remove_dir_all(&package).context("cannot remove the last package")?;
    }
    fs::create_dir_all(&package)?;
    for entry in fs::read_dir(sources.join("python/luthier"))? {
        let entry = entry?;
        symlink(entry.path(), package.join(entry.file_name()))?;
    }
    symlink(
        root().join("target/release/lib_luthier.so"),
        package.join("_luthier.abi3.so"),
    )?;
    let project = fs::read_to_string(sources.join("pyproject.toml"))?;
    let project: toml::Table = project.parse().context("pyproject.toml")?;
    let project = &project["project"];
    let table = |value: Option<&toml::Value>| -> Vec<(String, String)> {
        let table = value.and_then(toml::Value::as_table).into_iter().flatten();
        let rows = table.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())));
        rows.collect()
    };
    let scripts = table(project.get("scripts"));
    let mut points = format!("[console_scripts]\n{}", lines(&scripts));
    let groups = project.get("entry-points").and_then(toml::Value::as_table);
    for (group, rows) in groups.into_iter().flatten() {
        points.push_str(&format!("[{group}]\n{}", lines(&table(Some(rows)))));
    }
    let information = packages.join("luthier-0.dist-info");
    fs::create_dir_all(&information)?;
    fs::write(information.join("entry_points.txt"), points)?;
    fs::write(
        information.join("METADATA"),
        "Metadata-Version: 2.1\nName: luthier\nVersion: 0\n",
    )?;
    for (name, place) in &scripts {
        let (module, function) = place
            .split_once(':')
            .context("a script is MODULE:FUNCTION")?;
        let program = python.with_file_name(name);
        let text = format!(
            "#!{}\nimport sys\nfrom {module} import {function}\nsys.exit({function}())\n",
            python.display()
        );
        fs::write(&program, text)?;
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

fn lines(rows: &[(String, String)]) -> String {
    let lines = rows.iter().map(|(key, value)| format!("{key} = {value}\n"));
    lines.collect()
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

/// Builds the wheel. Its name says which systems it fits, and maturin checks that: a symbol of a newer C library is an error there.
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
    // Python compiles what it imports, which is a small part of these packages.
    done(
        Command::new(python)
            .args(["-m", "pip", "install", "-q", "--disable-pip-version-check"])
            .arg("--no-compile")
            .args(packages),
    )
}
