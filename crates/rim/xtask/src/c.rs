//! `cargo xtask c`: our C and C++ without warnings, as clang judges it, and laid out as `.clang-format` says.
//!
//! Headers of tools are no part of it: the tests compile tools in both languages with them.

use std::{path::Path, process::Command};

use anyhow::{Context, Result};

use crate::{command::said, files_below, root, workers};

const STRICT: [&str; 5] = [
    "-fsyntax-only",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-D_GNU_SOURCE",
];

const LAID_OUT: [&str; 6] = ["c", "cc", "cpp", "h", "hpp", "hip"];

/// A folder of C or C++ files, and how they are compiled. `LLVM` stands for LLVM's headers, whose warnings are ignored.
type Part = (&'static str, &'static [&'static str]);

#[rustfmt::skip]
const PARTS: &[Part] = &[
    ("crates/count/host-count-rt/c",           &["-std=gnu11"]),
    ("crates/ground/demangle/src",             &["-std=c++17", "LLVM"]),
];
/// LLVM's headers take seconds for each file.
#[rustfmt::skip]
const LARGE: &[Part] = &[
    ("crates/count/host-count-pass/shim",      &["-std=c++17", "LLVM"]),
    ("crates/coverage/coverage-pass/shim",     &["-std=c++17", "LLVM"]),
    ("crates/ground/llvm-shim/src/cxx",        &["-std=c++17", "LLVM"]),
    ("crates/instrument/llvm-codegen/src/cxx", &["-std=c++17", "LLVM"]),
];

/// `[--all]`, or `--format`, which lays every file out.
pub fn run(arguments: &[String]) -> Result<Vec<String>> {
    let has = |option: &str| arguments.iter().any(|argument| argument == option);
    if has("--format") {
        return layout(&["-i"]);
    }
    let all = has("--all");
    let llvm = said(Command::new("llvm-config-22").arg("--includedir"))?;
    let mut complaints = layout(&["--dry-run", "-Werror"])?;
    let mut files = Vec::new();
    for (place, flags) in PARTS.iter().chain(LARGE.iter().filter(|_| all)) {
        let found = files_below(&root().join(place), &["c", "cpp"])?;
        files.extend(found.into_iter().map(|file| (file, *flags)));
    }
    let compiled = workers::all(&files, |(file, flags)| complaint(file, flags, &llvm))?;
    let mut compiled: Vec<String> = compiled.into_iter().flatten().collect();
    compiled.sort();
    complaints.append(&mut compiled);
    Ok(complaints)
}

/// The messages of clang for a file that fails.
fn complaint(file: &Path, flags: &[&str], llvm: &str) -> Result<Option<String>> {
    let mut clang = Command::new("clang-22");
    clang
        .args(STRICT)
        .arg("-Icrates/count/host-count-rt/include");
    for flag in flags {
        match *flag {
            "LLVM" => clang.args(["-isystem", llvm]),
            flag => clang.arg(flag),
        };
    }
    let output = clang.arg(file).current_dir(root()).output();
    let output = output.context("cannot run clang-22")?;
    let said = String::from_utf8_lossy(&output.stderr);
    Ok((!output.status.success()).then(|| said.trim_end().to_owned()))
}

/// The answer of clang-format for every source and header. `.clang-format-ignore` names those that we generate.
fn layout(how: &[&str]) -> Result<Vec<String>> {
    let mut files = Vec::new();
    for folder in ["crates", "examples", "include", "programs", "runtime"] {
        files.extend(files_below(&root().join(folder), &LAID_OUT)?);
    }
    let mut formatter = Command::new("clang-format-22");
    formatter.args(how).args(files).current_dir(root());
    let output = formatter.output().context("cannot run clang-format-22")?;
    if output.status.success() {
        return Ok(Vec::new());
    }
    let places = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok(vec![format!(
        "{places}`cargo xtask c --format` lays these files out"
    )])
}
