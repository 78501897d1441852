//! Helpers for the tests of this crate: building the tools once, compiling and running counted programs.

pub mod random;
pub mod sources;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The directory with `luthier-count`, the plugin and the rewriter. Cargo builds a package's own programs for its tests, but not
/// the libraries of other packages. This function asks for them, unless `./dev test` has. (For this package alone, libraries
/// below the plugin may have other features. Cargo then compiles all of it once more, which takes two minutes.)
pub fn tools() -> &'static Path {
    static TOOLS: OnceLock<PathBuf> = OnceLock::new();
    TOOLS.get_or_init(|| {
        let here = Path::new(env!("CARGO_BIN_EXE_luthier-count"))
            .parent()
            .expect("a program lies in a directory");
        if std::env::var_os(prerequisite::BUILT).is_some() {
            return here.to_owned();
        }
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "-p", "host-count-pass"]);
        cargo
            .arg("--manifest-path")
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        cargo
            .arg("--target-dir")
            .arg(here.parent().expect("profiles lie in the target directory"));
        if here.ends_with("release") {
            cargo.arg("--release");
        }
        let output = cargo.output().expect("cargo runs");
        assert!(output.status.success(), "{}", text(&output.stderr));
        here.to_owned()
    })
}

pub fn luthier_count() -> Command {
    let mut command = Command::new(tools().join("luthier-count"));
    command.env_remove("LUTHIER_COUNT");
    command
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/programs")
        .join(name)
}

pub fn is_cxx(source: &Path) -> bool {
    source.extension() == Some(OsStr::new("cpp"))
}

/// Runs a command that must succeed.
pub fn must(command: &mut Command) -> Output {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    succeeded(command, &output);
    output
}

fn succeeded(command: &dyn std::fmt::Debug, output: &Output) {
    assert!(
        output.status.success(),
        "{command:?}\n{}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
}

/// `luthier count cc|c++ OURS CLANG... -o OUT`, or what it made the last time.
pub fn compile(source: &Path, ours: &[&str], clang: &[&str], out: &Path) {
    let mut command = compiled::Compiler::new(tools().join("luthier-count"));
    for part in ["libluthier_count.so", "luthier-count-rewrite"] {
        command.uses(tools().join(part));
    }
    command
        .arg(if is_cxx(source) { "c++" } else { "cc" })
        .args(ours)
        .args(clang);
    if is_cxx(source) {
        command.arg("-std=c++20");
    }
    let output = command.arg(source).arg("-o").arg(out).output().unwrap();
    succeeded(&command, &output);
}

/// The report of a counted run.
#[derive(Debug, Clone)]
pub struct Run {
    pub total: u64,
    pub stdout: String,
    pub stderr: String,
    pub status: Option<i32>,
    pub json: serde_json::Value,
}

/// `luthier count run OURS PROGRAM...` with the result as JSON.
pub fn run(ours: &[&str], program: &[&OsStr]) -> Run {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("count.json");
    let mut command = luthier_count();
    command
        .arg("run")
        .args(["--format", "json", "--output"])
        .arg(&path)
        .args(ours)
        .arg("--")
        .args(program);
    let output = command.output().unwrap();
    let json = std::fs::read(&path).unwrap_or_default();
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap_or_else(|_| {
        panic!(
            "{command:?}: no result\n{}{}",
            text(&output.stdout),
            text(&output.stderr)
        )
    });
    Run {
        total: json["total"].as_u64().unwrap(),
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
        status: output.status.code(),
        json,
    }
}

/// Compiles and runs.
pub fn count(source: &Path, ours: &[&str], clang: &[&str]) -> Run {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("program");
    compile(source, ours, clang, &out);
    run(&[], &[out.as_os_str()])
}
