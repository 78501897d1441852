//! Rust programs: rustc 1.95 loads the plugin (its LLVM is 22, too), or emits bitcode for the rewriter.

use crate::support::{Run, luthier_count, must, program, run, text, tools};
use std::path::Path;
use std::process::Command;

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
        ("", "-Copt-level=s"),
        ("budget", "-Copt-level=2"),
    ] {
        let other = plugged(options, level, &out);
        // rustc's own optimiser does the same at all levels.
        assert_eq!(
            (other.total, &other.stdout),
            (reference.total, &reference.stdout),
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

/// rustc returns two integers as clang keeps a pointer to a member function. Other pairs have the same cost.
#[test]
fn pairs_of_integers_in_rust() {
    let directory = tempfile::tempdir().unwrap();
    let (source, out) = (
        directory.path().join("a.rs"),
        directory.path().join("program"),
    );
    let text = "
        type Second = SECOND;
        #[inline(never)] fn pair(a: i64, b: Second) -> (i64, Second) { (a, b) }
        fn main() {
            let (mut sum, mut flags) = (0, 0);
            for n in 0..1000 {
                let (a, b) = pair(n, (n % 100) as Second);
                sum += i64::from(b >> 1) + i64::from(b & 1) + (a - 1) + (a & 1);
                flags += i64::from(((b & 1) == 0) | (a == 0));
            }
            println!(\"{sum} {flags}\");
        }";
    let [long, int] = ["i64", "i32"].map(|second| {
        std::fs::write(&source, text.replace("SECOND", second)).unwrap();
        let mut command = Command::new(std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into()));
        command.args(["--edition", "2024", "-Copt-level=1"]);
        command
            .env("RUSTC_BOOTSTRAP", "1")
            .env("LUTHIER_COUNT", "preset=portable-1");
        must(
            command
                .args(flags("rustc"))
                .arg(&source)
                .arg("-o")
                .arg(&out),
        );
        run(&[], &[out.as_os_str()])
    });
    assert_eq!((long.total, &long.stdout), (int.total, &int.stdout));
}

/// Lines for debuggers cost nothing. (With the variables, rustc writes other code.)
#[test]
fn line_tables_of_rust_cost_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("program");
    let without = plugged("", "-Cdebuginfo=0", &out);
    for lines in ["-Cdebuginfo=line-tables-only", "-Cdebuginfo=1"] {
        let with = plugged("", lines, &out);
        assert_eq!(
            (with.total, &with.stdout),
            (without.total, &without.stdout),
            "{lines}"
        );
    }
}

/// rustc's level 0 is another front end. The linker refuses to mix its objects with the others.
#[test]
fn rust_of_another_front_end_does_not_link() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    std::fs::write(
        at("part.rs"),
        "#[inline(never)] pub fn sum(n: u64) -> u64 { (0..n).map(|x| x * 3 % 7).sum() }\n",
    )
    .unwrap();
    std::fs::write(
        at("whole.rs"),
        "fn main() { println!(\"{}\", part::sum(std::env::args().count() as u64 * 1000)); }\n",
    )
    .unwrap();
    let flags = flags("rustc");
    let rustc = |level: &str, source: &str| {
        let mut command = Command::new(std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into()));
        command.args(["--edition", "2024"]).args(&flags);
        command
            .env("RUSTC_BOOTSTRAP", "1")
            .arg(format!("-Copt-level={level}"));
        command.current_dir(directory.path()).arg(at(source));
        command
    };
    let mut totals = Vec::new();
    for (part, whole, links) in [
        ("0", "2", false),
        ("3", "0", false),
        ("1", "3", true),
        ("s", "1", true),
    ] {
        must(rustc(part, "part.rs").args(["--crate-type", "rlib"]));
        let output = rustc(whole, "whole.rs")
            .args(["--extern", "part=libpart.rlib"])
            .output()
            .unwrap();
        let message = text(&output.stderr);
        assert_eq!(output.status.success(), links, "{part} {whole}: {message}");
        if links {
            totals.push(run(&[], &[at("whole").as_os_str()]).total);
        } else {
            assert!(
                message.contains("__luthier_count_one_contract_per_program"),
                "{message}"
            );
        }
    }
    assert_eq!(totals[0], totals[1]);
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
    let link: Vec<String> = flags("link")
        .iter()
        .map(|word| format!("-Clink-arg={word}"))
        .collect();
    // A program of nothing but the standard library, which takes `main` from the counted part.
    std::fs::write(at("shim.rs"), "#![no_main]\nextern crate std as _;\n").unwrap();
    let linked = |options: &[&str], level: &str| {
        must(
            luthier_count()
                .arg("rewrite")
                .args(options)
                .arg(at("plain.bc"))
                .arg("-o")
                .arg(at("counted.bc")),
        );
        must(
            Command::new("clang-22")
                .args([level, "-Wno-override-module", "-c"])
                .arg(at("counted.bc"))
                .arg("-o")
                .arg(at("counted.o")),
        );
        let _ = std::fs::remove_file(at("libcounted.a"));
        must(
            Command::new("llvm-ar-22")
                .arg("rcs")
                .arg(at("libcounted.a"))
                .arg(at("counted.o")),
        );
        let mut rustc = Command::new(std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into()));
        rustc
            .args(["--edition", "2024", "-lstatic:+whole-archive=counted"])
            .arg("-L")
            .arg(directory.path())
            .args(&link)
            .arg(at("shim.rs"))
            .arg("-o")
            .arg(at("program"));
        must(&mut rustc);
        run(&[], &[at("program").as_os_str()])
    };
    let reference = linked(&["--placement", "segment"], "-O0");
    assert!(reference.total > 1_000_000, "{}", reference.total);
    for (options, level) in [(&[][..], "-O0"), (&[], "-O2"), (&["--budget"], "-O2")] {
        let other = linked(options, level);
        assert_eq!(
            (other.total, &other.stdout),
            (reference.total, &reference.stdout),
            "{options:?} {level}"
        );
    }
}

/// `host-count-rt` with feature `link` in a counted program: reading, scopes, budgets that ask for more, and the end.
#[test]
fn rust_programs_bound_their_turns() {
    let target = tools().parent().unwrap().join("count-rust");
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args([
            "build",
            "--release",
            "-p",
            "host-count-rt",
            "--features",
            "link",
            "--example",
            "turns",
        ])
        // With a target named, the flags are for the program only, not for build scripts.
        .args(["--target", "x86_64-unknown-linux-gnu", "--manifest-path"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .arg("--target-dir")
        .arg(&target)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", flags("rustc").join(" "))
        .env("LUTHIER_COUNT", "budget");
    must(&mut cargo);
    let program = target.join("x86_64-unknown-linux-gnu/release/examples/turns");
    let (first, second) = (
        run(&[], &[program.as_os_str()]),
        run(&[], &[program.as_os_str()]),
    );
    assert_eq!((first.total, &first.stdout), (second.total, &second.stdout));
    assert_eq!(first.status, Some(124), "{}", first.stderr);
    let value = |name: &str| -> u64 {
        let line = first.stdout.lines().find(|line| line.starts_with(name));
        let line = line.unwrap_or_else(|| panic!("{name}: {}", first.stdout));
        line.rsplit(' ').next().unwrap().parse().unwrap()
    };
    // Two readings with nothing in between, but for what passes the numbers around.
    assert!(value("reading:") < 10, "{}", first.stdout);
    assert!(value("scope:") > 1000, "{}", first.stdout);
    assert!(value("asked:") > 1, "{}", first.stdout);
    // One iteration of the search costs less than 100.
    assert!(value("most over:") < 100, "{}", first.stdout);
    assert!(
        first.stderr.contains("budget of 500 units reached"),
        "{}",
        first.stderr
    );
}
