//! The build for `luthier --version`: the commit, and the LLVM that is inside.
//!
//! `LUTHIER_COMMIT` and `LLVM_CONFIG` override what is asked of git and of `llvm-config-22`.

use std::{env, path::Path, process::Command};

fn main() {
    println!("cargo:rerun-if-env-changed=LUTHIER_COMMIT");
    println!("cargo:rerun-if-env-changed=LLVM_CONFIG");
    let git = Path::new("../../../.git");
    // A checkout's head is a file that names another one, which changes with each commit.
    if let Ok(head) = std::fs::read_to_string(git.join("HEAD")) {
        println!("cargo:rerun-if-changed=../../../.git/HEAD");
        if let Some(reference) = head.strip_prefix("ref: ") {
            let reference = git.join(reference.trim());
            if reference.exists() {
                println!("cargo:rerun-if-changed={}", reference.display());
            }
        }
    }
    let commit = env::var("LUTHIER_COMMIT")
        .ok()
        .or_else(|| said("git", &["rev-parse", "--short=12", "HEAD"]))
        .unwrap_or_else(|| "unknown commit".to_owned());
    let llvm_config = env::var("LLVM_CONFIG").unwrap_or_else(|_| "llvm-config-22".to_owned());
    let llvm =
        said(&llvm_config, &["--version"]).unwrap_or_else(|| "of unknown version".to_owned());
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    println!("cargo:rustc-env=LUTHIER_VERSION={version} ({commit}, LLVM {llvm})");
}

fn said(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && !text.trim().is_empty()).then(|| text.trim().to_owned())
}
