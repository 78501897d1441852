//! `portable-1` totals are equal on x86-64 and aarch64, also for C++ with aggregates by value.
//!
//! Needs the Debian packages gcc-aarch64-linux-gnu, g++-aarch64-linux-gnu and qemu-user.

use crate::support::{compile, luthier_count, program, run, text};
use std::process::Command;

const TARGET: &str = "--target=aarch64-linux-gnu";

/// (units, output) of a static aarch64 build under qemu.
fn foreign(name: &str, ours: &[&str], clang: &[&str]) -> (u64, String) {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("program");
    compile(
        &program(name),
        ours,
        &[clang, &[TARGET, "-static"]].concat(),
        &out,
    );
    let output = Command::new("qemu-aarch64")
        .arg(&out)
        .env("LUTHIER_COUNT_OUTPUT", "-")
        .output();
    let output = output.expect("qemu-aarch64 runs (Debian package qemu-user)");
    assert!(output.status.success(), "{name}: {}", text(&output.stderr));
    let stderr = text(&output.stderr);
    let total = stderr
        .lines()
        .find_map(|line| line.strip_prefix("luthier count: total: "))
        .expect("a total");
    (total.parse().unwrap(), text(&output.stdout))
}

fn native(name: &str, ours: &[&str], clang: &[&str]) -> (u64, String) {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("program");
    compile(&program(name), ours, clang, &out);
    let result = run(&[], &[out.as_os_str()]);
    (result.total, result.stdout)
}

#[test]
fn portable_totals_are_equal_on_both_targets() {
    for name in [
        "abi.cpp",
        "by_value.cpp",
        "exceptions.cpp",
        "longjmp.c",
        "threads.c",
        "signals.c",
    ] {
        let ours = ["--preset", "portable-1"];
        assert_eq!(
            native(name, &ours, &["-O2"]),
            foreign(name, &ours, &["-O2"]),
            "{name}"
        );
    }
}

/// Recursive functions hold the counter in a register, which differs between targets.
#[test]
fn what_recursion_holds_is_equal_on_both_targets() {
    let ours = ["--preset", "portable-1", "--budget"];
    let here = native("holding.c", &ours, &["-O2"]);
    assert_eq!(here, native("holding.c", &ours[..2], &["-O2"]));
    assert_eq!(here, foreign("holding.c", &ours, &["-O2"]));
}

/// The reason for the preset: with every instruction at 1, an ABI that passes aggregates otherwise costs otherwise.
#[test]
fn article_totals_differ_where_abis_do() {
    let (ours, theirs) = (
        native("by_value.cpp", &[], &["-O2"]),
        foreign("by_value.cpp", &[], &["-O2"]),
    );
    assert_eq!(ours.1, theirs.1);
    assert_ne!(ours.0, theirs.0);
    // Plain C is equal even so.
    assert_eq!(
        native("recursion.c", &[], &["-O2"]),
        foreign("recursion.c", &[], &["-O2"])
    );
}

#[test]
fn the_runtime_for_a_target_is_found_again() {
    let ask = || {
        text(
            &luthier_count()
                .args(["flags", "link", "--target", "aarch64-linux-gnu"])
                .output()
                .unwrap()
                .stdout,
        )
    };
    let first = ask();
    assert!(first.contains("libluthier_count_rt.a"), "{first}");
    assert_eq!(first, ask());
}
