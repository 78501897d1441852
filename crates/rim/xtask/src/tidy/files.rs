//! The files that git knows: the checkout's root has only files that are listed here, and other folders have text and pictures. A command
//! that is run by hand may leave its output in the root, and `git add --all` takes it along.

use std::{fs, path::Path, process::Command};

use anyhow::Result;

use crate::command::said;

/// The files in the checkout's root.
const ROOT: &[&str] = &[
    ".clang-format",
    ".clang-format-ignore",
    ".gitignore",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "SECURITY.md",
    "action.yml",
    "deny.toml",
    "dev",
    "layers.toml",
];
/// Files that are not text: the folder, and how their names end.
const BINARY: &[(&str, &str)] = &[("docs/", ".png")];

/// Complaints about files in the index of git. A file that the work tree lacks is about to be removed. Sources without git have no index.
pub fn check(root: &Path) -> Result<Vec<String>> {
    if !root.join(".git").exists() {
        return Ok(Vec::new());
    }
    let listed = said(
        Command::new("git")
            .args(["ls-files", "-z"])
            .current_dir(root),
    )?;
    let names = listed.split('\0').filter(|name| !name.is_empty());
    Ok(names
        .filter_map(|name| complaint(name, &fs::read(root.join(name)).ok()?))
        .collect())
}

fn complaint(name: &str, content: &[u8]) -> Option<String> {
    if !name.contains('/') && !ROOT.contains(&name) {
        return Some(format!(
            "{name} does not belong in the checkout's root: `git rm --cached {name}`, or list it in crates/rim/xtask/src/tidy/files.rs"
        ));
    }
    let is_text = !content.contains(&0) && str::from_utf8(content).is_ok();
    let is_known = BINARY
        .iter()
        .any(|(folder, ending)| name.starts_with(folder) && name.ends_with(ending));
    (!is_text && !is_known).then(|| {
        format!(
            "{name} is neither text nor a picture of the documentation: let the test that needs it make it, or list its kind in crates/rim/xtask/src/tidy/files.rs"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_in_the_root_and_a_binary_file_elsewhere_are_complaints() {
        let trace = b"PAR1\0\0";
        for (name, content) in [
            ("README.md", &b"# Luthier"[..]),
            ("crates/rim/cli/src/main.rs", "//! → text".as_bytes()),
            ("docs/report/page.png", b"\x89PNG\0"),
        ] {
            assert_eq!(complaint(name, content), None);
        }
        for (name, content) in [
            ("mem-trace.1.parquet", &trace[..]),
            ("notes.txt", b"text"),
            ("crates/rim/cli/tests/mem-trace.parquet", trace),
            ("crates/rim/cli/tests/page.png", b"\x89PNG\0"),
            ("programs/latin.c", b"\xe9"),
        ] {
            let said = complaint(name, content).unwrap_or_default();
            assert!(said.contains(name), "{name}: {said}");
        }
    }
}
