//! Checks `deny.toml` without `cargo deny`, which takes longer to compile than all of Luthier: licences and sources of linked crates, and
//! wildcard versions. Advisories need the network; `cargo deny check` has them.

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::command::said;

/// Crates that only other systems need are not even downloaded.
const SYSTEM: &str = "x86_64-unknown-linux-gnu";

pub fn check(root: &Path) -> Result<Vec<String>> {
    let deny = fs::read_to_string(root.join("deny.toml")).context("deny.toml")?;
    let deny: toml::Table = deny.parse().context("deny.toml")?;
    let allowed = deny["licenses"]["allow"].as_array();
    let allowed: Vec<&str> = allowed
        .context("[licenses] has no list `allow`")?
        .iter()
        .filter_map(toml::Value::as_str)
        .collect();
    let cargo = |words: &[&str]| said(Command::new("cargo").args(words).current_dir(root));
    let tree = cargo(&[
        "tree",
        "--workspace",
        "--locked",
        "--target",
        SYSTEM,
        "--edges=normal,build,dev",
        "--prefix=none",
        "--format={p}|{l}",
    ])?;
    let own = cargo(&["metadata", "--format-version=1", "--locked", "--no-deps"])?;
    let own: Value = serde_json::from_str(&own).context("cargo metadata")?;
    let mut complaints = packages(&tree, &format!("({}/", root.display()), &allowed);
    complaints.extend(wildcards(&own));
    Ok(complaints)
}

/// Complaints about lines `NAME vVERSION (PLACE)|LICENCE` of `cargo tree`. Packages of crates.io have no place; `own` begins our own.
fn packages(tree: &str, own: &str, allowed: &[&str]) -> Vec<String> {
    let mut complaints = BTreeSet::new();
    for line in tree.lines().filter(|line| !line.is_empty()) {
        let (package, licence) = line.split_once('|').unwrap_or((line, ""));
        let package = package.replace(" (proc-macro)", "");
        if package.contains(own) {
            continue;
        }
        if package.contains(" (") {
            complaints.insert(format!("{package} does not come from crates.io"));
        }
        let licence = licence.trim_end_matches(" (*)");
        if !satisfied(licence, allowed) {
            complaints.insert(format!(
                "{package}: deny.toml does not allow its licence `{licence}`"
            ));
        }
    }
    complaints.into_iter().collect()
}

/// Complaints about our packages that take any version of another.
fn wildcards(metadata: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut complaints = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let needed = package["dependencies"].as_array().into_iter().flatten();
        for needed in needed.filter(|needed| needed["req"] == "*" && needed["path"].is_null()) {
            let (name, needed) = (text(&package["name"]), text(&needed["name"]));
            complaints.push(format!("{name} takes any version of {needed}"));
        }
    }
    complaints
}

/// Returns `true` if an SPDX expression can be satisfied by allowed licences. `/` is an old way to write `OR`.
fn satisfied(expression: &str, allowed: &[&str]) -> bool {
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    any(&mut rest, allowed) == Some(true) && rest.is_empty()
}

/// `A OR B`
fn any(words: &mut &[&str], allowed: &[&str]) -> Option<bool> {
    let mut good = all(words, allowed)?;
    while let [first, rest @ ..] = *words
        && *first == "OR"
    {
        *words = rest;
        good |= all(words, allowed)?;
    }
    Some(good)
}

/// `A AND B`
fn all(words: &mut &[&str], allowed: &[&str]) -> Option<bool> {
    let mut good = one(words, allowed)?;
    while let [first, rest @ ..] = *words
        && *first == "AND"
    {
        *words = rest;
        good &= one(words, allowed)?;
    }
    Some(good)
}

/// `A`, `A WITH B` or `(A OR B)`
fn one(words: &mut &[&str], allowed: &[&str]) -> Option<bool> {
    let (first, rest) = words.split_first()?;
    *words = rest;
    if *first == "(" {
        let good = any(words, allowed)?;
        let (end, rest) = words.split_first()?;
        *words = rest;
        return (*end == ")").then_some(good);
    }
    let mut licence = (*first).to_owned();
    if let [with, exception, rest @ ..] = *words
        && *with == "WITH"
    {
        *words = rest;
        licence = format!("{licence} WITH {exception}");
    }
    Some(allowed.contains(&licence.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_satisfied_by_what_is_allowed() {
        let allowed = ["MIT", "Apache-2.0 WITH LLVM-exception", "Unicode-3.0"];
        for good in [
            "MIT",
            "MIT/Apache-2.0",
            "GPL-3.0 OR MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR Apache-2.0",
        ] {
            assert!(satisfied(good, &allowed), "{good}");
        }
        for bad in [
            "",
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "Apache-2.0",
            "(MIT",
            "MIT MIT",
            "OR MIT",
        ] {
            assert!(!satisfied(bad, &allowed), "{bad}");
        }
    }

    #[test]
    fn sources_and_versions_are_named() {
        let tree = "ours v0.1.0 (/root/crates/ours)|MIT\n\
            derive v2.0.0 (proc-macro)|MIT\n\
            derive v2.0.0 (proc-macro)|MIT (*)\n\
            git v1.0.0 (https://example.org/git)|MIT\n\
            bad v1.0.0|GPL-3.0\n";
        let expected = [
            "bad v1.0.0: deny.toml does not allow its licence `GPL-3.0`",
            "git v1.0.0 (https://example.org/git) does not come from crates.io",
        ];
        assert_eq!(packages(tree, "(/root/", &["MIT"]), expected);
        let metadata = serde_json::json!({"packages": [{"name": "ours", "dependencies": [
            {"name": "a", "req": "*", "path": "/a"}, {"name": "b", "req": "*"}, {"name": "c", "req": "^1"},
        ]}]});
        assert_eq!(wildcards(&metadata), ["ours takes any version of b"]);
    }
}
