//! `luthier check --timeout SECONDS -- PROGRAM`.

use std::{
    os::unix::process::ExitStatusExt,
    process::Output,
    time::{Duration, Instant},
};

use crate::common::{hip, luthier};

const SAID: &str = "luthier: the program has run for 2 s and is interrupted";

/// A check with a limit of two seconds: its output, what it said, and how long it took.
fn check(program: &[&str]) -> (Output, String, Duration) {
    let began = Instant::now();
    let options = [
        "check",
        "--races",
        "--barriers",
        "--timeout",
        "2",
        "--device",
        "gfx90a",
        "--",
    ];
    let output = luthier(&options).args(program).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output, said, began.elapsed())
}

#[test]
fn a_program_that_goes_on_for_ever_is_interrupted_and_reported_on() {
    let endless = hip("endless.hip");
    let path = endless.to_str().unwrap();
    let (output, said, took) = check(&[path]);
    assert_eq!(output.status.signal(), Some(libc::SIGINT), "{said}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "begins\n");
    assert!(took >= Duration::from_secs(2));
    for part in [SAID, "certain: 0 findings"] {
        assert!(said.contains(part), "no {part:?} in {said}");
    }

    // A shell waits for the program that it has started: both are interrupted.
    let line = format!("{path}; echo $?");
    let (output, said, _) = check(&["sh", "-c", &line]);
    assert!(said.contains(SAID), "{said}");
    assert_eq!(output.status.signal(), Some(libc::SIGINT), "{said}");
}

#[test]
fn a_program_that_ignores_that_is_asked_to_end() {
    let (output, said, took) = check(&["sh", "-c", "trap '' INT; while :; do sleep 1; done"]);
    assert!(said.contains(SAID), "{said}");
    assert_eq!(output.status.signal(), Some(libc::SIGTERM), "{said}");
    assert!(took >= Duration::from_secs(12));
}

#[test]
fn a_program_that_ends_in_time_is_not_touched() {
    let (output, said, _) = check(&["sh", "-c", "exit 7"]);
    assert_eq!(output.status.code(), Some(7), "{said}");
    assert!(!said.contains("interrupted"), "{said}");
}

#[test]
fn files_take_no_time_limit() {
    let output = luthier(&["check", "--waits", "--timeout", "2", "/bin/true"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
}
