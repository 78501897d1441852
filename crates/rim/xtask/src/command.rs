//! Commands that have to succeed.

use std::process::Command;

use anyhow::{Context, Result, ensure};

/// The output of a command; an error if it fails.
pub fn said(command: &mut Command) -> Result<String> {
    let output = command
        .output()
        .with_context(|| format!("cannot run {command:?}"))?;
    ensure!(
        output.status.success(),
        "{command:?} failed: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

pub fn done(command: &mut Command) -> Result<()> {
    said(command).map(drop)
}
