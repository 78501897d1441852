//! `luthier check --all`: each kind of bug is found beside all other checks, and right programs have no findings.

use crate::common::{compile, luthier};

/// Exit status and standard error.
fn run(program: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let program = compile(
        "hipcc",
        program,
        &["-O1", "-w", "-g", "--offload-arch=gfx90a"],
    );
    let mut command = luthier(&[
        "check",
        "--all",
        "--device",
        "gfx90a",
        "--error-exitcode",
        "9",
    ]);
    let output = command
        .arg("--")
        .arg(program)
        .args(arguments)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said)
}

#[test]
fn bugs_of_all_kinds_are_found() {
    for (program, arguments, kind) in [
        ("unwaited.hip", &["load-unwaited", "4"][..], "read-early"),
        ("beyond.hip", &["end"], "out-of-bounds"),
        ("frees.hip", &["twice"], "freed-twice"),
        ("barred.hip", &["branches"], "different-barriers"),
        ("raced.hip", &["missing"], "lds-race"),
        ("undefined.hip", &["memory"], "undefined-condition"),
        ("numbers.hip", &["divided"], "nan-stored"),
        ("leaks.hip", &["many"], "leak"),
    ] {
        let (status, said) = run(program, arguments);
        assert_eq!(status, Some(9), "{program} {arguments:?}: {said}");
        let found = said.contains(&format!("error[{kind}]"));
        assert!(found, "{program} {arguments:?}: {said}");
    }
}

#[test]
fn right_programs_are_silent() {
    for (program, arguments) in [
        ("leaks.hip", &["many", "frees"][..]),
        ("leaks.hip", &["async", "frees"]),
        ("leaks.hip", &["managed", "frees"]),
        ("leaks.hip", &["used", "frees"]),
    ] {
        let (status, said) = run(program, arguments);
        assert_eq!(status, Some(0), "{program} {arguments:?}: {said}");
        let silent = said.contains("certain: 0 findings");
        assert!(silent, "{program} {arguments:?}: {said}");
    }
}

#[test]
fn in_files_it_looks_for_missing_waits() {
    let program = compile(
        "hipcc",
        "undefined.hip",
        &["-O1", "-w", "-g", "--offload-arch=gfx90a"],
    );
    let output = luthier(&["check", "--all"]).arg(program).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.starts_with("checked: "), "{printed}");
}
