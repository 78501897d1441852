//! `cargo xtask model`: the scheduler of the emulated device in every order of its threads' steps, under loom (`models`).

use std::process::Command;

use anyhow::{Context, Result};

use crate::root;

/// `[MODEL...]`, all if none is named.
pub fn run(arguments: &[String]) -> Result<Vec<String>> {
    let status = Command::new("cargo")
        .args(["run", "--quiet", "--release", "--"])
        .args(arguments)
        .current_dir(root().join("models"))
        .env("CARGO_TARGET_DIR", root().join("target/models"))
        .status()
        .context("cannot run cargo")?;
    if status.success() {
        return Ok(Vec::new());
    }
    Ok(vec![
        "an order was found in which a model fails: LOOM_LOG=trace LOOM_LOCATION=1 show its steps"
            .to_owned(),
    ])
}
