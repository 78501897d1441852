//! `cargo xtask cluster`: the same answers from a cluster as from here.
//!
//! Apart from the gate, because it compiles Apache DataFusion and Ballista (`cluster/`, a workspace of its own). Scheduler and executors
//! are Ballista's own programs, from the same lock file. The tests are in Python, where the query engine is; they start and end them.

use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::{python, root};

/// The client and the servers: package and program.
const PROGRAMS: [&str; 3] = ["luthier-cluster", "ballista-scheduler", "ballista-executor"];

/// `[ARGUMENTS OF PYTEST]`
pub fn run(arguments: &[String]) -> Result<Vec<String>> {
    let target = root().join("target/cluster");
    let cargo = |words: &[&str]| -> Result<()> {
        let mut command = Command::new("cargo");
        command
            .args(words)
            .args(["--release", "--locked", "--features", "servers"])
            .current_dir(root().join("cluster"))
            .env("CARGO_TARGET_DIR", &target);
        let status = command.status().context("cannot run cargo")?;
        ensure!(status.success(), "{command:?} failed");
        Ok(())
    };
    let chosen = PROGRAMS.map(|name| ["-p", name, "--bin", name]).concat();
    cargo(&[&["build"][..], &chosen].concat())?;
    cargo(&["test", "-p", "luthier-cluster"])?;
    python::test(&target.join("release"), &["test_cluster.py"], arguments)
}
