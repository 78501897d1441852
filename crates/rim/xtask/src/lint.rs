//! Lintian's opinion of the Debian package: no errors and no warnings, but those that `packaging/lintian-overrides` explains.

use std::{ffi::OsStr, path::PathBuf, process::Command};

use anyhow::{Context, Result};

/// The packages among them that are Debian's.
pub fn package(packages: &[PathBuf]) -> Result<Vec<String>> {
    let debian = packages
        .iter()
        .filter(|path| path.extension() == Some(OsStr::new("deb")));
    let output = Command::new("lintian")
        .args(["--fail-on=none", "--allow-root", "--no-tag-display-limit"])
        .args(debian)
        .output()
        .context("cannot run lintian: apt-get install lintian")?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let matter = |line: &&str| line.starts_with("E: ") || line.starts_with("W: ");
    Ok(said.lines().filter(matter).map(str::to_owned).collect())
}
