//! `cargo xtask sizes`: the libraries that are loaded into other people's programs stay small.

use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result, ensure};

use crate::{command::done, root};

/// Bytes that a library may have without its symbols: programs on the emulated device and under tools load these whenever they start. They
/// are up to 1.6 MB larger in CI, which compiles most crates without thin-local LTO.
const LARGEST: &[(&str, u64)] = &[
    // (8.1 MB are the engine's code, 10.0 are constants, mostly LLVM's.)
    ("libhsakmt.so", 28_500_000),
    // (15.7 MB are tables of LLVM.)
    ("libluthier_intercept.so", 28_500_000),
];

/// Compares what lies in `target/release`.
pub fn run(arguments: &[String]) -> Result<Vec<String>> {
    ensure!(arguments.is_empty(), "there are no arguments");
    let folder = root().join("target/sizes");
    fs::create_dir_all(&folder)?;
    let mut complaints = Vec::new();
    for (name, _) in LARGEST {
        let from = root().join("target/release").join(name);
        ensure!(
            from.exists(),
            "{} is missing: run ./dev build first",
            from.display()
        );
        let to = folder.join(name);
        strip(&from, &to)?;
        complaints.extend(too_large(name, &to)?);
    }
    Ok(complaints)
}

/// Copies a program or a library without its symbols.
pub fn strip(from: &Path, to: &Path) -> Result<()> {
    let mut command = Command::new("strip");
    done(command.arg("--strip-unneeded").arg("-o").arg(to).arg(from))
}

/// The complaint about a library of that name, without its symbols, if it is too large.
pub fn too_large(name: &str, stripped: &Path) -> Result<Option<String>> {
    let file = fs::metadata(stripped).with_context(|| stripped.display().to_string())?;
    Ok(complaint(name, file.len()))
}

fn complaint(name: &str, size: u64) -> Option<String> {
    let (_, most) = LARGEST.iter().find(|(library, _)| *library == name)?;
    (size > *most).then(|| {
        format!(
            "{name} has {size} bytes without its symbols, and may have {most}: \
             docs/decisions/064-small-libraries.md says what keeps it small"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_beyond_its_size_is_named() {
        let (name, most) = LARGEST[0];
        assert_eq!(complaint(name, most), None);
        assert!(complaint(name, most + 1).unwrap().starts_with(name));
        assert_eq!(complaint("another.so", most + 1), None);
    }
}
