//! `cargo xtask sanitize [address|thread] [CRATE...]`: tests of crates with a sanitizer of LLVM's compiled in.
//!
//! The stable compiler has the sanitizers' libraries; only their flag counts as unstable. The address sanitizer works with the standard library
//! as it comes. The thread sanitizer does not: it would not see what synchronizes within, so that the library is compiled, too.

use std::{path::PathBuf, process::Command};

use anyhow::{Context, Result, bail, ensure};

use crate::{command, root};

const HOST: &str = "x86_64-unknown-linux-gnu";
/// The default: crates of the emulator and of streams that have `unsafe` code or threads. `wave` is left out, because it takes long to
/// compile and has neither.
const CRATES: &[&str] = &["guest", "outputs", "records", "gpu", "compute", "emulate"];
/// Memory that lives until the process ends is no leak: threads and tables live as long. Faults on memory that a program has unmapped
/// belong to `gpu`; a process that dies of any other must do so by its signal, which a handler of the sanitizer's would replace.
const ADDRESS: &str = "detect_leaks=0:handle_segv=0:handle_sigbus=0";

pub fn run(arguments: &[String]) -> Result<Vec<String>> {
    let (sanitizer, crates) = match arguments.split_first() {
        Some((word, rest)) if ["address", "thread"].contains(&word.as_str()) => {
            (word.as_str(), rest)
        }
        _ => ("address", arguments),
    };
    if let Some(other) = crates.iter().find(|name| name.starts_with('-')) {
        bail!("{other}: expected address or thread, then names of crates");
    }
    let named: Vec<&str> = match crates.is_empty() {
        true => CRATES.to_vec(),
        false => crates.iter().map(String::as_str).collect(),
    };
    let mut cargo = Command::new("cargo");
    cargo
        .args(["test", "--release", "--no-fail-fast", "--target", HOST])
        .args(named.iter().flat_map(|name| ["-p", name]))
        .current_dir(root())
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", format!("-Zsanitizer={sanitizer}"))
        .env("CARGO_TARGET_DIR", root().join("target").join(sanitizer))
        // Little is to be seen in inlined code, and this is built seldom.
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
        .env("ASAN_OPTIONS", ADDRESS);
    if sanitizer == "thread" {
        let library = standard_library()?;
        ensure!(
            library.exists(),
            "the thread sanitizer needs the sources of the standard library, which are not in {}: rustup component add rust-src",
            library.display()
        );
        cargo.arg("-Zbuild-std");
    }
    let status = cargo.status().context("cannot run cargo")?;
    if status.success() {
        return Ok(Vec::new());
    }
    let names = named.join(", ");
    Ok(vec![format!(
        "tests of {names} fail with the {sanitizer} sanitizer"
    )])
}

fn standard_library() -> Result<PathBuf> {
    let root = command::said(Command::new("rustc").args(["--print", "sysroot"]))?;
    Ok(PathBuf::from(root).join("lib/rustlib/src/rust/library"))
}
