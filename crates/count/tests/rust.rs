//! Rust programs: rustc 1.95 loads the plugin (its LLVM is 22, too), or emits bitcode for the rewriter.

mod support;

use std::path::Path;
use std::process::Command;
use support::{Run, luthier_count, must, program, run, text};

fn flags(tool: &str) -> Vec<String> {
    text(&must(luthier_count().args(["flags", tool])).stdout)
        .split_whitespace()
        .map(str::to_owned)
        .collect()
}

fn rustc() -> Command {
    let mut command = Command::new(std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into()));
    command
        .args(["--edition", "2024"])
        .arg(program("counted.rs"));
    command
}

fn plugged(options: &str, level: &str, out: &Path) -> Run {
    let mut command = rustc();
    command
        .env("RUSTC_BOOTSTRAP", "1")
        .env("LUTHIER_COUNT", options);
    must(command.args(flags("rustc")).arg(level).arg("-o").arg(out));
    run(&[], &[out.as_os_str()])
}

#[test]
fn the_plugin_counts_rust() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("program");
    let reference = plugged("placement=segment", "-Copt-level=1", &out);
    assert!(reference.total > 1_000_000, "{}", reference.total);
    assert_eq!(
        reference.json["processes"][0]["threads"]
            .as_array()
            .unwrap()
            .len(),
        4
    );
    for (options, level) in [
        ("", "-Copt-level=1"),
        ("", "-Copt-level=3"),
        ("budget", "-Copt-level=2"),
    ] {
        let other = plugged(options, level, &out);
        // What rustc hands to LLVM depends on its own optimiser, so levels are compared only where that is the same.
        if level == "-Copt-level=1" {
            assert_eq!(
                (other.total, &other.stdout),
                (reference.total, &reference.stdout),
                "{options} {level}"
            );
        }
        assert_eq!(other.stdout, reference.stdout);
        assert_eq!(
            other.total,
            plugged("placement=segment", level, &out).total,
            "{options} {level}"
        );
    }
    let functions = plugged("per=function", "-Copt-level=1", &out);
    let listed = functions.json["processes"][0]["functions"]
        .as_object()
        .unwrap();
    assert!(
        listed.keys().any(|name| name.ends_with("::collatz")),
        "{listed:?}"
    );
    assert_eq!(functions.total, reference.total);
}

#[test]
fn emitted_bitcode_is_the_other_way() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let emit = [
        "--emit=llvm-bc",
        "-Cno-prepopulate-passes",
        "-Ccodegen-units=1",
        "-Copt-level=1",
    ];
    must(rustc().args(emit).arg("-o").arg(at("plain.bc")));
    must(
        luthier_count()
            .arg("rewrite")
            .arg(at("plain.bc"))
            .arg("-o")
            .arg(at("counted.bc")),
    );
    must(
        luthier_count()
            .args(["rewrite", "--placement", "segment"])
            .arg(at("plain.bc"))
            .arg("-o")
            .arg(at("segment.bc")),
    );
    let size = |name: &str| std::fs::metadata(at(name)).unwrap().len();
    assert!(size("counted.bc") > size("plain.bc") && size("segment.bc") > size("counted.bc"));
}
