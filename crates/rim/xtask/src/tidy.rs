//! Conventions that no compiler checks.

mod features;
mod files;
mod licences;
mod links;
mod long;
mod map;
mod test_files;

use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result};

use crate::command::said;

/// Crates that talk to C or to raw memory; every other crate forbids unsafe code.
const UNSAFE_CRATES: &[&str] = &[
    "hsa-device",
    "comgr",
    "kfd",
    "kmt-sys",
    "llvm-codegen",
    "llvm-shim",
    "native",
    "vectors",
    "wave",
    "gpu",
    "thunk",
    "launcher",
    "host-count-rt",
    "coverage-pass",
    "demangle",
    "printf",
    "host-count-pass",
    "drain-tool",
    "guest",
    "outputs",
    "allocations",
    "hsa-tool",
    "intercept",
    "tool-capi",
    "luthier-tool",
    "python",
];
/// Words that name no idea.
const BANNED_NAMES: &[&str] = &[
    "utils", "util", "common", "misc", "helpers", "manager", "core",
];

/// Modules that the other ones of their crate are not to know: what they build on is not built on them.
const BEHIND_THE_REST: &[(&str, &str)] = &[("crates/instrument/luthier", "engine")];

/// The checks of features and licences ask cargo with `--locked`, which a new crate makes impossible until something was built.
fn lock_file_is_whole(root: &Path) -> Result<()> {
    let mut cargo = Command::new("cargo");
    cargo.args(["metadata", "--format-version=1", "--locked"]);
    said(cargo.current_dir(root))
        .map(drop)
        .context("cargo cannot use Cargo.lock as it is. If you added a crate or a dependency, run ./dev build first: cargo writes it to Cargo.lock")
}

/// Complaints about files and crates.
pub fn check() -> Result<Vec<String>> {
    let root = crate::root();
    lock_file_is_whole(&root)?;
    let mut complaints = Vec::new();
    let crates = crates(&root)?;
    complaints.extend(test_files::check(&root, &crates)?);
    for place in crates {
        let directory = root.join(&place);
        let name = place.rsplit('/').next().unwrap_or_default();
        let head = ["src/lib.rs", "src/main.rs"]
            .iter()
            .find_map(|file| fs::read_to_string(directory.join(file)).ok());
        let Some(head) = head else {
            complaints.push(format!("{place} has neither src/lib.rs nor src/main.rs"));
            continue;
        };
        if !head.starts_with("//!") {
            complaints.push(format!(
                "{place} does not open with //! saying what it does"
            ));
        }
        let is_library = directory.join("src/lib.rs").exists();
        if is_library && !UNSAFE_CRATES.contains(&name) && !head.contains("#![forbid(unsafe_code)]")
        {
            complaints.push(format!("{place} does not forbid unsafe code"));
        }
        for file in crate::files_below(&directory.join("src"), &["rs"])? {
            check_file(&root, &file, &mut complaints)?;
        }
    }
    for (place, module) in BEHIND_THE_REST {
        check_use(
            &root,
            &root.join(place).join("src"),
            module,
            &mut complaints,
        )?;
    }
    complaints.extend(map::check(&root)?);
    complaints.extend(features::check(&root)?);
    complaints.extend(files::check(&root)?);
    complaints.extend(links::check(&root)?);
    complaints.extend(long::check(&root)?);
    complaints.extend(licences::check(&root)?);
    Ok(complaints)
}

/// Complains of files outside of `module`, other than the head of the crate, that name it.
fn check_use(
    root: &Path,
    sources: &Path,
    module: &str,
    complaints: &mut Vec<String>,
) -> Result<()> {
    let (head, own) = (sources.join("lib.rs"), sources.join(format!("{module}.rs")));
    for file in crate::files_below(sources, &["rs"])? {
        if file == head || file == own || file.starts_with(sources.join(module)) {
            continue;
        }
        let shown = file.strip_prefix(root).unwrap_or(&file).display();
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read {shown}"))?;
        if text.contains(&format!("{module}::")) {
            complaints.push(format!("{shown} uses `{module}`, which is built on it"));
        }
    }
    Ok(())
}

/// Every crate, as `crates/GROUP/NAME`.
fn crates(root: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for group in names(&root.join("crates"))? {
        for name in names(&root.join("crates").join(&group))? {
            found.push(format!("crates/{group}/{name}"));
        }
    }
    Ok(found)
}

/// The names in a directory, sorted.
fn names(directory: &Path) -> Result<Vec<String>> {
    let entries =
        fs::read_dir(directory).with_context(|| format!("cannot list {}", directory.display()))?;
    let mut names: Vec<String> = entries
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<_>>()?;
    names.sort();
    Ok(names)
}

fn check_file(root: &Path, file: &Path, complaints: &mut Vec<String>) -> Result<()> {
    let shown = file.strip_prefix(root).unwrap_or(file).display();
    let stem = file
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default();
    if BANNED_NAMES.contains(&stem) {
        complaints.push(format!(
            "{shown}: the name says nothing about what is inside"
        ));
    }
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {shown}"))?;
    for (number, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        if trimmed.starts_with("// TODO")
            || trimmed.starts_with("// FIXME")
            || trimmed.starts_with("todo!(")
        {
            complaints.push(format!(
                "{shown}:{}: unfinished work belongs in an issue",
                number + 1
            ));
        }
        if trimmed.starts_with("#[target_feature") {
            complaints.push(format!(
                "{shown}:{}: which features a level of the host has stands in `host_level`; its `compiled_for!` names them",
                number + 1
            ));
        }
    }
    Ok(())
}
