//! `luthier check --leaks -- PROGRAM`: memory that a program does not free.

use crate::common::{
    hip, luthier,
    schema::{check, schema},
};

/// Status, what was printed, and what was said.
fn run(options: &[&str], program: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = luthier(&["check", "--leaks", "--device", "gfx90a"]);
    let command = command.args(options).arg("--").arg(hip(program));
    let output = command.args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

/// For each mode of the program, the messages of its findings and what allocated the memory.
const LEFT: &[(&str, &[(&str, &str)])] = &[
    (
        "many",
        // 100 to 109 bytes, without 104.
        &[("9 allocations, of 941 bytes in all", "hipMalloc by make")],
    ),
    (
        "two-places",
        &[
            ("an allocation of 8 bytes", "hipMalloc by make"),
            ("an allocation of 9 bytes", "hipMalloc by main"),
        ],
    ),
    (
        "exit",
        &[("an allocation of 40 bytes", "hipMalloc by make")],
    ),
    (
        "quick",
        &[("an allocation of 40 bytes", "hipMalloc by make")],
    ),
    ("reset", &[]),
    (
        "used",
        &[("an allocation of 256 bytes", "hipMalloc by make")],
    ),
    (
        "pinned",
        &[("an allocation of 77 bytes", "hipHostMalloc by main")],
    ),
    (
        "managed",
        &[("an allocation of 78 bytes", "hipMallocManaged by main")],
    ),
    (
        "pitched",
        &[("an allocation of ", "hipMallocPitch by main")],
    ),
    (
        "registered",
        &[("an allocation of 4096 bytes", "hipHostRegister by main")],
    ),
    ("array", &[("an allocation", "hipMallocArray by ")]),
    (
        "async",
        &[("an allocation of 55 bytes", "hipMallocAsync by ")],
    ),
    (
        "pool",
        &[("an allocation of 500 bytes", "hipMallocFromPoolAsync by ")],
    ),
];

#[test]
fn memory_that_is_left_is_named_with_who_allocated_it() {
    for (mode, left) in LEFT {
        let (status, printed, said) = run(&["--error-exitcode", "9"], "leaks.hip", &[mode]);
        if printed == "not supported\n" {
            continue;
        }
        let expected = if left.is_empty() { 0 } else { 9 };
        assert_eq!(status, Some(expected), "{mode}: {printed} {said}");
        let count = format!(", {} different: {0} leak\n", left.len());
        let one = format!("certain: {0} findings: {0} leak\n", left.len());
        let one = one.replace("1 findings", "1 finding");
        let counted = left.is_empty() || said.contains(&count) || said.contains(&one);
        assert!(counted, "{mode}: {said}");
        for (message, with) in *left {
            assert!(
                said.contains(&format!("the program does not free {message}")),
                "{mode}: {said}"
            );
            assert!(
                said.contains(&format!("allocated with {with}")),
                "{mode}: {said}"
            );
        }
    }
}

#[test]
fn a_program_that_frees_all_has_no_findings() {
    for (mode, _) in LEFT {
        let usual = if ["exit", "quick"].contains(mode) {
            3
        } else {
            0
        };
        let (status, printed, said) =
            run(&["--error-exitcode", "9"], "leaks.hip", &[mode, "frees"]);
        assert_eq!(status, Some(usual), "{mode}: {printed} {said}");
        assert!(said.contains("certain: 0 findings"), "{mode}: {said}");
    }
}

#[test]
fn a_program_that_is_killed_is_not_judged() {
    let (status, _, said) = run(&["--error-exitcode", "9"], "leaks.hip", &["killed"]);
    assert_ne!(status, Some(9), "{said}");
    assert!(
        said.contains("not checked: leaks, because a signal ended the program\n"),
        "{said}"
    );
    assert!(said.contains("certain: 0 findings"), "{said}");
}

#[test]
fn leaks_are_in_json_and_can_be_suppressed() {
    let (_, _, said) = run(&["--format", "json"], "leaks.hip", &["two-places"]);
    let value: serde_json::Value = serde_json::from_str(&said).unwrap();
    check(&schema("check"), &value).unwrap();
    let findings = value["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 2, "{value}");
    let bytes: Vec<_> = findings.iter().map(|one| &one["leak"]["bytes"]).collect();
    assert!(
        bytes.contains(&&8.into()) && bytes.contains(&&9.into()),
        "{value}"
    );
    assert_ne!(findings[0]["fingerprint"], findings[1]["fingerprint"]);

    let folder = tempfile::tempdir().unwrap();
    let known = folder.path().join("known.supp");
    let (_, _, said) = run(&["--gen-suppressions"], "leaks.hip", &["many"]);
    let from = said.find('{').expect("a suppression");
    let to = said.rfind('}').expect("its end") + 1;
    std::fs::write(&known, &said[from..to]).unwrap();
    let options = [
        "--error-exitcode",
        "9",
        "--suppressions",
        known.to_str().unwrap(),
    ];
    let (status, _, said) = run(&options, "leaks.hip", &["many"]);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("suppressed: 9 findings"), "{said}");
}

#[test]
fn wrong_accesses_and_leaks_are_found_in_one_run() {
    let (status, _, said) = run(
        &["--memory", "--error-exitcode", "9"],
        "leaks.hip",
        &["many"],
    );
    assert_eq!(status, Some(9), "{said}");
    assert!(
        said.contains("9 allocations, of 941 bytes in all"),
        "{said}"
    );
    assert!(
        said.contains("; memory that the program asked HIP for\n"),
        "{said}"
    );
}
