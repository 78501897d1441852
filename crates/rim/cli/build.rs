//! The build for `luthier --version`: the commit, and the LLVM that is inside.
//!
//! `LUTHIER_COMMIT` overrides what is asked of git.

use std::{env, path::Path, process::Command};

fn main() {
    println!("cargo:rerun-if-env-changed=LUTHIER_COMMIT");
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
    llvm_cxx::run(|| {
        let llvm = llvm_cxx::Llvm::find()?;
        let (version, llvm) = (env!("CARGO_PKG_VERSION"), llvm.version());
        println!("cargo:rustc-env=LUTHIER_VERSION={version} ({commit}, LLVM {llvm})");
        Ok(())
    });
}

fn said(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && !text.trim().is_empty()).then(|| text.trim().to_owned())
}
