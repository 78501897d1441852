//! `cargo xtask c`: our C and C++ without warnings, as clang judges it.
//!
//! Headers of tools are no part of it: the tests compile tools in both languages with them.

use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result};

use crate::{command::said, root};

const STRICT: [&str; 5] = [
    "-fsyntax-only",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-D_GNU_SOURCE",
];

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

/// `[--all]`
pub fn run(arguments: &[String]) -> Result<Vec<String>> {
    let all = arguments.iter().any(|argument| argument == "--all");
    let llvm = said(Command::new("llvm-config-22").arg("--includedir"))?;
    let mut complaints = Vec::new();
    let large = LARGE.iter().filter(|_| all);
    for (place, flags) in PARTS.iter().chain(large) {
        for file in sources(&root().join(place))? {
            let mut clang = Command::new("clang-22");
            clang
                .args(STRICT)
                .arg("-Icrates/count/host-count-rt/include");
            for flag in *flags {
                match *flag {
                    "LLVM" => clang.args(["-isystem", &llvm]),
                    flag => clang.arg(flag),
                };
            }
            let output = clang.arg(&file).current_dir(root()).output();
            let output = output.context("cannot run clang-22")?;
            if !output.status.success() {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                complaints.push(said.trim_end().to_owned());
            }
        }
    }
    Ok(complaints)
}

/// A folder's sources, sorted and relative to the root.
fn sources(folder: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    for entry in entries {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|end| end == "c" || end == "cpp")
        {
            let path = path.strip_prefix(root()).unwrap_or(&path);
            found.push(path.display().to_string());
        }
    }
    found.sort();
    Ok(found)
}
