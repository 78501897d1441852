//! The architecture test: manifests against `layers.toml`.

use std::{collections::BTreeMap, fs, process::Command};

use anyhow::{Context, Result};
use serde_json::Value;

/// Complaints about crates that use what their layer must not.
pub fn check() -> Result<Vec<String>> {
    let root = crate::root();
    let text = fs::read_to_string(root.join("layers.toml")).context("cannot read layers.toml")?;
    let table: toml::Table = text.parse().context("layers.toml")?;
    // Crate -> (layer number, allowed crates).
    let mut allowed: BTreeMap<String, (usize, Vec<String>)> = BTreeMap::new();
    // Tables keep the order of the file only by position of their header, so find it there.
    let mut layers: Vec<(usize, &String)> = table
        .keys()
        .map(|layer| {
            (
                text.find(&format!("[{layer}]")).unwrap_or(usize::MAX),
                layer,
            )
        })
        .collect();
    layers.sort();
    for (number, (_, layer)) in layers.iter().enumerate() {
        let crates = table[layer.as_str()]
            .as_table()
            .context("a layer is a table of crates")?;
        for (name, uses) in crates {
            let uses = uses.as_array().context("what a crate uses is a list")?;
            let uses = uses
                .iter()
                .filter_map(|name| name.as_str().map(str::to_owned))
                .collect();
            allowed.insert(name.clone(), (number, uses));
        }
    }
    let mut complaints = Vec::new();
    for (name, uses) in members()? {
        let Some((layer, may_use)) = allowed.get(&name) else {
            complaints.push(format!("{name} has no line in layers.toml"));
            continue;
        };
        for used in &uses {
            if !may_use.contains(used) {
                complaints.push(format!(
                    "{name} uses {used}, which layers.toml does not list"
                ));
            }
            if allowed.get(used).is_some_and(|(below, _)| below > layer) {
                complaints.push(format!("{name} uses {used} of a higher layer"));
            }
        }
        for unused in may_use.iter().filter(|listed| !uses.contains(listed)) {
            complaints.push(format!(
                "layers.toml lets {name} use {unused}, which it does not"
            ));
        }
        allowed.remove(&name);
    }
    complaints.extend(
        allowed
            .keys()
            .map(|name| format!("layers.toml names {name}, which does not exist")),
    );
    Ok(complaints)
}

/// Workspace crates and the workspace crates they depend on outside of tests.
fn members() -> Result<Vec<(String, Vec<String>)>> {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--format-version",
            "1",
            "--offline",
        ])
        .current_dir(crate::root())
        .output()
        .context("cannot run cargo metadata")?;
    let metadata: Value =
        serde_json::from_slice(&output.stdout).context("cargo metadata printed no JSON")?;
    let packages = metadata["packages"]
        .as_array()
        .context("cargo metadata lists no packages")?;
    let names: Vec<&str> = packages
        .iter()
        .filter_map(|package| package["name"].as_str())
        .collect();
    let mut members = Vec::new();
    for package in packages {
        let dependencies = package["dependencies"]
            .as_array()
            .context("a package lists no dependencies")?;
        let uses = dependencies
            .iter()
            .filter(|dependency| dependency["kind"] != "dev")
            .filter_map(|dependency| dependency["name"].as_str())
            .filter(|name| names.contains(name))
            .map(str::to_owned)
            .collect();
        members.push((
            package["name"].as_str().unwrap_or_default().to_owned(),
            uses,
        ));
    }
    Ok(members)
}
