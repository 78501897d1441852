//! `./dev demo` builds a part of the workspace with the features with which `./dev build` builds all of it, so that the latter
//! compiles no library again. The command itself has fewer parts in the demo.

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use anyhow::{Context, Result};

use crate::command::said;

pub fn check(root: &Path) -> Result<Vec<String>> {
    let script = fs::read_to_string(root.join("dev")).context("dev")?;
    let demo = script
        .lines()
        .find_map(|line| line.strip_prefix("DEMO=\"")?.strip_suffix('"'))
        .context("dev has no line DEMO=\"...\"")?;
    let built = |packages: &[&str]| {
        let mut cargo = Command::new("cargo");
        cargo.args(["tree", "--locked", "--target", "x86_64-unknown-linux-gnu"]);
        cargo.args(["--edges=normal,build", "--prefix=none", "--no-dedupe"]);
        cargo.arg("--format={p} [{f}]").args(packages);
        said(cargo.current_dir(root))
    };
    let words: Vec<&str> = demo.split_whitespace().collect();
    let programs: Vec<&str> = words
        .windows(2)
        .filter_map(|pair| (pair[0] == "-p").then_some(pair[1]))
        .collect();
    let mut complaints = differences(&built(&words)?, &built(&["--workspace"])?, &programs);
    let linked = built(&words)?;
    complaints.extend(
        NOT_IN_DEMO
            .iter()
            .filter(|name| has(&linked, name))
            .map(|name| format!("./dev demo builds {name}, which it does not run")),
    );
    Ok(complaints)
}

/// Crates that take long to build and that the demo does not run.
const NOT_IN_DEMO: &[&str] = &[
    "count",
    "coverage",
    "documented",
    "hardware",
    "host-count-rt",
    "hsa-device",
    "xtask",
];

fn has(built: &str, name: &str) -> bool {
    built
        .lines()
        .any(|line| line.split(' ').next() == Some(name))
}

/// Packages but for `programs` that a part has with other features than the whole.
fn differences(part: &str, whole: &str, programs: &[&str]) -> Vec<String> {
    let whole: BTreeSet<&str> = whole.lines().collect();
    let part: BTreeSet<&str> = part.lines().collect();
    let different = part.difference(&whole);
    different
        .filter(|package| !programs.iter().any(|name| has(package, name)))
        .map(|package| {
            format!("./dev demo builds {package}, and ./dev build with other features: ask for them in crates/rim/cli/Cargo.toml")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_with_other_features_is_named() {
        let whole = "a v1.0.0 [std]\nb v1.0.0 [default,std]\nc v1.0.0 []\n";
        assert!(differences("a v1.0.0 [std]\n\n", &format!("{whole}\n"), &[]).is_empty());
        let part = "a v1.0.0 [std]\nb v1.0.0 [std]\n";
        assert!(differences(part, whole, &["b"]).is_empty());
        let named = differences(part, whole, &["a"]);
        assert!(
            named.len() == 1 && named[0].contains("b v1.0.0 [std]"),
            "{named:?}"
        );
    }
}
