//! The contents of a release, as CycloneDX has them: the crates that are linked, by Cargo's own resolution, and LLVM.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    process::Command,
};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::{command::said, root};

/// Members of the workspace that no user gets.
const OURS_ALONE: [&str; 2] = ["xtask", "programs"];

pub fn text(version: &str, date: &str) -> Result<String> {
    let metadata = said(Command::new("cargo").current_dir(root()).args([
        "metadata",
        "--format-version=1",
        "--locked",
        "--filter-platform=x86_64-unknown-linux-gnu",
    ]))?;
    let metadata: Value = serde_json::from_str(&metadata).context("cargo metadata")?;
    let lock = fs::read_to_string(root().join("Cargo.lock"))?;
    let llvm = said(Command::new("llvm-config-22").arg("--version"))?;
    let when =
        said(Command::new("date").args(["-u", "-d", &format!("@{date}"), "+%Y-%m-%dT%H:%M:%SZ"]))?;
    let mut components = crates(&metadata, &checksums(&lock)?);
    components.push(json!({
        "type": "library", "name": "llvm", "version": llvm, "purl": format!("pkg:generic/llvm@{llvm}"),
        "licenses": [{ "expression": "Apache-2.0 WITH LLVM-exception" }],
    }));
    let whole = json!({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {
            "timestamp": when,
            "component": {
                "type": "application", "name": "luthier", "version": version,
                "licenses": [{ "expression": "MIT OR Apache-2.0" }],
            },
        },
        "components": components,
    });
    Ok(serde_json::to_string_pretty(&whole)? + "\n")
}

/// Checksums of a lock file, by name and version.
fn checksums(lock: &str) -> Result<BTreeMap<(String, String), String>> {
    let lock: toml::Table = lock.parse().context("Cargo.lock")?;
    let packages = lock.get("package").and_then(toml::Value::as_array);
    let field = |package: &toml::Value, name: &str| Some(package.get(name)?.as_str()?.to_owned());
    let rows = packages.into_iter().flatten().filter_map(|package| {
        let key = (field(package, "name")?, field(package, "version")?);
        Some((key, field(package, "checksum")?))
    });
    Ok(rows.collect())
}

/// Every crate that is linked into something that users get; what only builds or tests it is none.
fn crates(metadata: &Value, checksums: &BTreeMap<(String, String), String>) -> Vec<Value> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let packages: BTreeMap<String, Value> = list(&metadata["packages"])
        .into_iter()
        .filter_map(|package| Some((package["id"].as_str()?.to_owned(), package)))
        .collect();
    let nodes: BTreeMap<String, Value> = list(&metadata["resolve"]["nodes"])
        .into_iter()
        .filter_map(|node| Some((node["id"].as_str()?.to_owned(), node)))
        .collect();
    let is_ours_alone = |id: &str| {
        let name = packages
            .get(id)
            .and_then(|package| package["name"].as_str());
        name.is_some_and(|name| OURS_ALONE.contains(&name))
    };
    let mut ways: Vec<String> = list(&metadata["workspace_members"])
        .iter()
        .filter_map(|id| Some(id.as_str()?.to_owned()))
        .filter(|id| !is_ours_alone(id))
        .collect();
    let mut reached: BTreeSet<String> = BTreeSet::new();
    while let Some(id) = ways.pop() {
        if !reached.insert(id.clone()) {
            continue;
        }
        for dependency in nodes
            .get(&id)
            .map(|node| list(&node["deps"]))
            .unwrap_or_default()
        {
            let is_linked = list(&dependency["dep_kinds"])
                .iter()
                .any(|kind| kind["kind"].is_null());
            ways.extend(
                dependency["pkg"]
                    .as_str()
                    .filter(|_| is_linked)
                    .map(str::to_owned),
            );
        }
    }
    let mut components: Vec<(String, Value)> = Vec::new();
    for package in reached.iter().filter_map(|id| packages.get(id)) {
        let text = |field: &str| package[field].as_str().unwrap_or_default().to_owned();
        let (name, version) = (text("name"), text("version"));
        let mut component = json!({ "type": "library", "name": name, "version": version });
        if let Some(licence) = package["license"].as_str() {
            // (Older manifests have a slash.)
            let expression = licence.replace('/', " OR ");
            component["licenses"] = json!([{ "expression": expression }]);
        }
        if package["source"].is_string() {
            component["purl"] = format!("pkg:cargo/{name}@{version}").into();
        }
        if let Some(checksum) = checksums.get(&(name.clone(), version.clone())) {
            component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
        }
        components.push((format!("{name} {version}"), component));
    }
    components.sort_by(|one, other| one.0.cmp(&other.0));
    components
        .into_iter()
        .map(|(_, component)| component)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_builds_or_tests_is_no_part() {
        let package = |name: &str, source: Value| json!({ "id": name, "name": name, "version": "1.0.0", "license": "MIT/Apache-2.0", "source": source });
        let dependency =
            |name: &str, kind: Value| json!({ "pkg": name, "dep_kinds": [{ "kind": kind }] });
        let metadata = json!({
            "packages": [
                package("cli", Value::Null), package("xtask", Value::Null), package("linked", "registry".into()),
                package("builds", "registry".into()), package("tests", "registry".into()),
            ],
            "workspace_members": ["cli", "xtask"],
            "resolve": { "nodes": [
                { "id": "cli", "deps": [
                    dependency("linked", Value::Null), dependency("builds", "build".into()), dependency("tests", "dev".into()),
                ] },
                { "id": "xtask", "deps": [dependency("tests", Value::Null)] },
            ] },
        });
        let lock = "[[package]]\nname = \"linked\"\nversion = \"1.0.0\"\nchecksum = \"abc\"\n";
        let found = crates(&metadata, &checksums(lock).unwrap());
        let names: Vec<_> = found.iter().map(|component| &component["name"]).collect();
        assert_eq!(names, ["cli", "linked"]);
        assert_eq!(found[1]["hashes"][0]["content"], "abc");
        assert_eq!(found[1]["purl"], "pkg:cargo/linked@1.0.0");
        assert_eq!(found[1]["licenses"][0]["expression"], "MIT OR Apache-2.0");
    }
}
