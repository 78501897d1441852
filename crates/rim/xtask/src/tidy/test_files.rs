//! Tests of a crate are one program, since each program is linked with everything below it: `tests/main.rs` names the files. A file that
//! `main.rs` forgets would never run.

use std::{collections::BTreeSet, fs, path::Path};

use anyhow::{Context, Result};

/// Files of `tests` that are no part of `main.rs` and no program of their own in the manifest.
pub fn check(root: &Path, crates: &[String]) -> Result<Vec<String>> {
    let mut complaints = Vec::new();
    for place in crates {
        let folder = root.join(place).join("tests");
        let Ok(files) = fs::read_dir(&folder) else {
            continue;
        };
        let manifest = fs::read_to_string(root.join(place).join("Cargo.toml"))?;
        let manifest: toml::Table = manifest.parse().with_context(|| place.clone())?;
        let main = fs::read_to_string(folder.join("main.rs")).unwrap_or_default();
        let known = known(&manifest, &main);
        for file in files {
            let name = file?.file_name().to_string_lossy().into_owned();
            let Some(stem) = name.strip_suffix(".rs") else {
                continue;
            };
            if !known.contains(stem) {
                complaints.push(format!(
                    "{place}/tests/{name} never runs: name it in tests/main.rs (`mod {stem};`), or in Cargo.toml if it needs a process of its own"
                ));
            }
        }
    }
    Ok(complaints)
}

/// Names of files that run.
fn known(manifest: &toml::Table, main: &str) -> BTreeSet<String> {
    let targets = manifest.get("test").and_then(toml::Value::as_array);
    let mut known = BTreeSet::new();
    for target in targets.into_iter().flatten() {
        let text = |key| target.get(key).and_then(toml::Value::as_str);
        match text("path") {
            Some(path) => known.extend(
                Path::new(path)
                    .file_stem()
                    .map(|stem| stem.to_string_lossy().into_owned()),
            ),
            None => known.extend(text("name").map(str::to_owned)),
        }
    }
    let modules = main.lines().filter_map(|line| line.strip_prefix("mod "));
    known.extend(modules.map(|module| module.trim_end_matches(';').to_owned()));
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_runs_if_main_or_the_manifest_names_it() {
        let manifest =
            "[[test]]\nname = \"wave\"\npath = \"tests/main.rs\"\n[[test]]\nname = \"kept\"\n";
        let known = known(
            &manifest.parse().unwrap(),
            "//! Tests.\n\nmod atomics;\nmod ds;\n",
        );
        let expected = ["atomics", "ds", "kept", "main"].map(str::to_owned);
        assert_eq!(known, BTreeSet::from(expected));
    }
}
