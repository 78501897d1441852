//! `luthier check --memory -- PROGRAM`: accesses beyond allocations and to freed memory, and who allocated and freed it.

use crate::common::{
    hip, luthier,
    schema::{check, schema},
};

/// Whether the program passed, standard output and standard error.
fn run(options: &[&str], mode: &str) -> (bool, String, String) {
    let mut command = luthier(&["check", "--memory", "--device", "gfx90a"]);
    let command = command.args(options).arg("--");
    let output = command.arg(hip("beyond.hip")).arg(mode).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.success(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn a_wrong_access_is_named_with_the_allocation_and_who_made_it() {
    // 1000 bytes at the start of a page: 250 integers, and 4 bytes before the first one.
    for (mode, parts) in [
        (
            "end",
            &[
                "error[out-of-bounds]",
                "put(int*, long) for gfx90a",
                "writes 0 bytes behind an allocation of 1000 bytes",
                "wave 0, lane 5",
                "<-- the access",
                "allocated by make_numbers",
                "called by main",
            ][..],
        ),
        (
            "before",
            &[
                "error[out-of-bounds]",
                "writes 4 bytes before an allocation of 1000 bytes",
                "allocated by make_numbers",
            ],
        ),
        (
            "freed",
            &[
                "error[after-free]",
                "writes 8 bytes into 1000 bytes that the program has freed",
                "allocated by make_numbers",
                "freed by drop_numbers",
            ],
        ),
        (
            "lds",
            &[
                "error[out-of-bounds]",
                "shared(int*, int) for gfx90a",
                "4 bytes at 0x40 of LDS, of which the workgroup has 64 bytes",
            ],
        ),
    ] {
        let (_, _, said) = run(&[], mode);
        for part in parts {
            assert!(said.contains(part), "{mode}: no {part:?} in {said}");
        }
        assert!(said.contains("certain: 1 finding: 1 "), "{mode}: {said}");
        let (passed, out, said) = run(&["--error-exitcode", "9"], &format!("{mode}-ok"));
        assert!(passed && out == "done\n", "{mode}: {out} {said}");
        assert!(said.contains("certain: 0 findings"), "{mode}: {said}");
    }
}

#[test]
fn a_finding_has_the_form_of_the_schema_and_can_be_suppressed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("found.json");
    let options = ["--format", "json", "-o", file.to_str().unwrap()];
    run(&options, "end");
    let value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    check(&schema("check"), &value).unwrap();
    let finding = &value["findings"][0];
    assert_eq!(finding["access"]["allocation"]["size"], 1000, "{value}");
    assert_eq!(finding["access"]["lane"], 5, "{value}");
    let known = folder.path().join("known");
    let fingerprint = finding["fingerprint"].as_str().unwrap();
    let text = format!("{{\nknown\nmemory:out-of-bounds\nfingerprint:{fingerprint}\n}}\n");
    std::fs::write(&known, text).unwrap();
    let (_, _, said) = run(&["--suppressions", known.to_str().unwrap()], "end");
    assert!(said.contains("suppressed: 1 finding"), "{said}");
    assert!(said.contains("certain: 0 findings"), "{said}");
}

#[test]
fn waits_and_memory_are_checked_together() {
    let (_, _, said) = run(&["--waits"], "end");
    assert!(said.contains("error[out-of-bounds]"), "{said}");
    assert!(
        said.contains("certain: 1 finding: 1 out-of-bounds"),
        "{said}"
    );
    let output = luthier(&["check", "--memory", "file.co"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}
