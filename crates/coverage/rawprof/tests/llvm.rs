//! Agreement with LLVM 22's tools on profiles that an instrumented host program wrote.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use rawprof::{Profile, Record, Version, emit, merge, names, parse};

/// Runs a tool of LLVM 22; the message names the package when it is missing.
fn run(tool: &str, arguments: &[&str], directory: &Path) -> String {
    let output = Command::new(tool)
        .args(arguments)
        .current_dir(directory)
        .output()
        .unwrap_or_else(|error| {
            panic!("{tool}: {error}; install clang-22, llvm-22 and libclang-rt-22-dev")
        });
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.status.success(), "{tool} {arguments:?}: {text}");
    text
}

fn accepted(profile: &Path) -> bool {
    let out = profile.with_extension("accepted");
    Command::new("llvm-profdata-22")
        .arg("merge")
        .arg("-o")
        .arg(out)
        .arg(profile)
        .output()
        .unwrap()
        .status
        .success()
}

const SOURCE: &str = r#"
#include <stdlib.h>
#include <string.h>
static int chosen(int a, int b, int c) { return (a && b) || c; }
int other(int x) { return x * 3; }
int (*table[2])(int) = {other, abs};
int main(int argc, char **argv) {
    int sum = 0;
    char from[64] = {0}, to[64];
    for (int i = 0; i < 10; ++i) {
        sum += chosen(i & 1, i & 2, i & 4);
        sum += table[i & 1](i);
        memcpy(to, from, (size_t)(i * argc));
    }
    if (argc > 1) return sum == atoi(argv[1]);
    return 0;
}
"#;

/// Compiles and runs the program, returns its raw profile.
fn host_profile(directory: &Path, flags: &[&str], arguments: &[&str]) -> PathBuf {
    std::fs::write(directory.join("host.c"), SOURCE).unwrap();
    run(
        "clang-22",
        &[flags, &["-O1", "host.c", "-o", "host"]].concat(),
        directory,
    );
    let program = directory.join("host");
    let raw = directory.join("host.profraw");
    let status = Command::new(&program)
        .args(arguments)
        .env("LLVM_PROFILE_FILE", &raw)
        .status()
        .unwrap();
    assert!(status.success());
    raw
}

fn text(profile: &Path) -> String {
    run(
        "llvm-profdata-22",
        &["merge", "-text", "-o", "-", profile.to_str().unwrap()],
        profile.parent().unwrap(),
    )
}

/// Values of one site come in no fixed order.
fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<_> = text.lines().collect();
    lines.sort_unstable();
    lines
}

#[rustfmt::skip]
const BUILDS: &[(&str, &[&str])] = &[
    ("coverage",      &["-fprofile-instr-generate", "-fcoverage-mapping"]),
    ("mcdc",          &["-fprofile-instr-generate", "-fcoverage-mapping", "-fcoverage-mcdc"]),
    ("ir",            &["-fprofile-generate"]),
    ("build-id",      &["-fprofile-instr-generate", "-Wl,--build-id=sha1"]),
    ("byte-coverage", &["-fprofile-generate", "-mllvm", "-pgo-function-entry-coverage"]),
];

/// Read, written anew with another layout, and read by LLVM: the same profile as the original.
#[test]
fn rewritten_host_profiles_are_the_same_to_llvm() {
    for (name, flags) in BUILDS {
        let directory = tempfile::tempdir().unwrap();
        let raw = host_profile(directory.path(), flags, &[]);
        let bytes = std::fs::read(&raw).unwrap();
        let profiles = parse(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(profiles.len(), 1, "{name}");
        let rewritten = directory.path().join("rewritten.profraw");
        std::fs::write(&rewritten, emit(&profiles[0]).unwrap()).unwrap();
        assert_eq!(text(&raw), text(&rewritten), "{name}");
        let names = names::index(&profiles[0].names).unwrap();
        let main = profiles[0]
            .records
            .iter()
            .find(|record| names.get(&record.name_ref).is_some_and(|n| n == "main"));
        assert!(
            main.is_some(),
            "{name}: main not found by the MD5 of its name"
        );
        if *name == "mcdc" {
            assert!(
                profiles[0]
                    .records
                    .iter()
                    .any(|record| !record.bitmap.is_empty())
            );
        }
        if *name == "ir" {
            assert!(
                profiles[0]
                    .records
                    .iter()
                    .any(|record| !record.values.is_empty())
            );
        }
        if *name == "build-id" {
            assert_eq!(profiles[0].binary_ids[0].len(), 20);
        }
    }
}

/// Our sum of two runs is LLVM's sum of two runs.
#[test]
fn merging_agrees_with_llvm_profdata() {
    for (name, flags) in &BUILDS[..3] {
        let directory = tempfile::tempdir().unwrap();
        let first = host_profile(directory.path(), flags, &[]);
        let kept = directory.path().join("first.profraw");
        std::fs::rename(first, &kept).unwrap();
        let second = host_profile(directory.path(), flags, &["7"]);
        let theirs = run(
            "llvm-profdata-22",
            &[
                "merge",
                "-text",
                "-o",
                "-",
                kept.to_str().unwrap(),
                second.to_str().unwrap(),
            ],
            directory.path(),
        );
        let mut sum = parse(&std::fs::read(&kept).unwrap()).unwrap().remove(0);
        let report = merge(
            &mut sum,
            &parse(&std::fs::read(&second).unwrap()).unwrap()[0],
        )
        .unwrap();
        assert_eq!((report.added, report.conflicts.len()), (0, 0), "{name}");
        let ours = directory.path().join("ours.profraw");
        std::fs::write(&ours, emit(&sum).unwrap()).unwrap();
        assert_eq!(sorted(&theirs), sorted(&text(&ours)), "{name}");
    }
}

/// A profile of LLVM's own making, damaged byte by byte in its header and records:
/// whatever our strict reader accepts, LLVM's accepts.
#[test]
fn what_we_accept_llvm_accepts() {
    let directory = tempfile::tempdir().unwrap();
    let raw = host_profile(directory.path(), BUILDS[1].1, &[]);
    let original = std::fs::read(&raw).unwrap();
    let damaged = directory.path().join("damaged.profraw");
    let mut accepted_count = 0;
    for at in (16..128 + 64).step_by(4) {
        for value in [0u8, 1, 0x80, 0xff] {
            let mut bytes = original.clone();
            bytes[at] = value;
            if parse(&bytes).is_err() {
                continue;
            }
            std::fs::write(&damaged, &bytes).unwrap();
            accepted_count += 1;
            assert!(
                accepted(&damaged),
                "byte {at:#x} = {value:#x}: we accept it, LLVM does not"
            );
        }
    }
    assert!(
        accepted_count > 20,
        "the test compared only {accepted_count} files"
    );
}

/// The limits LLVM sets, seen from both readers.
#[test]
fn limits_agree_with_llvm() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("limit.profraw");
    let mut profile = Profile::new(Version(10));
    profile.names = names::encode([b"kernel".as_slice()]);
    profile.records.push(Record {
        name_ref: names::name_ref(b"kernel"),
        function_hash: 24,
        counters: vec![rawprof::COUNT_LIMIT, 1],
        ..Record::default()
    });
    let good = emit(&profile).unwrap();
    std::fs::write(&path, &good).unwrap();
    assert!(parse(&good).is_ok() && accepted(&path));
    assert!(text(&path).contains(&rawprof::COUNT_LIMIT.to_string()));

    let counters = 128 + 64;
    let mut excessive = good.clone();
    excessive[counters] = 1;
    std::fs::write(&path, &excessive).unwrap();
    assert!(parse(&excessive).is_err() && !accepted(&path));

    profile.records.clear();
    let empty = emit(&profile).unwrap();
    std::fs::write(&path, &empty).unwrap();
    assert!(parse(&empty).is_ok() && accepted(&path));

    let mut newer = good;
    newer[8] = 11;
    std::fs::write(&path, &newer).unwrap();
    assert!(
        !accepted(&path),
        "llvm-profdata-22 is expected to refuse version 11"
    );
}
