//! `luthier check --waits -- PROGRAM`: waits that are missing along the paths that waves take.

use crate::common::{
    compile, luthier,
    schema::{check, schema},
};

const TARGETS: [&str; 2] = ["gfx90a", "gfx1030"];

/// Lanes of a wave.
fn wave_size(target: &str) -> u64 {
    if target == "gfx90a" { 64 } else { 32 }
}

/// Status, standard output and standard error of the program in a mode.
fn run(target: &str, options: &[&str], mode: &str) -> (i32, String, String) {
    run_groups(target, options, mode, 1)
}

/// The same with so many workgroups of 64 lanes.
fn run_groups(target: &str, options: &[&str], mode: &str, groups: u64) -> (i32, String, String) {
    let architectures = TARGETS.map(|target| format!("--offload-arch={target}"));
    let mut how = vec!["-O1", "-w", "-nogpulib"];
    how.extend(architectures.iter().map(String::as_str));
    let program = compile("hipcc", "unwaited.hip", &how);
    let mut command = luthier(&["check", "--waits", "--device", target]);
    let output = command
        .args(options)
        .arg("--")
        .arg(program)
        .arg(mode)
        .arg(groups.to_string());
    let output = output.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code().unwrap(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn a_missing_wait_is_named_and_the_status_is_the_programs() {
    for target in TARGETS {
        for (mode, kernel, counter) in [
            ("load-unwaited", "load_unwaited", "vmcnt"),
            ("shared-unwaited", "shared_unwaited", "lgkmcnt"),
        ] {
            let (status, out, said) = run(target, &[], mode);
            // Without --late, results come at once, so that the bug does no harm.
            assert_eq!(
                (status, out.as_str()),
                (0, "right\n"),
                "{target} {mode}: {said}"
            );
            for part in [
                "error[read-early]",
                kernel,
                &format!("a wait for {counter} is missing"),
                "path: one that a wave has taken",
                &format!("certain: {}", findings(64 / wave_size(target))),
            ] {
                assert!(
                    said.contains(part),
                    "{target} {mode}: no {part:?} in {said}"
                );
            }
            let (status, ..) = run(target, &["--error-exitcode", "9"], mode);
            assert_eq!(status, 9, "{target} {mode}");
        }
    }
}

/// The summary's count of one bug.
fn findings(waves: u64) -> String {
    match waves {
        1 => "1 finding: 1 read-early".to_owned(),
        waves => format!("{waves} findings, 1 different: 1 read-early"),
    }
}

#[test]
fn one_place_is_one_bug_however_many_waves_come_there() {
    for target in TARGETS {
        let waves = 400 * 64 / wave_size(target);
        for options in [&[][..], &["--late"]] {
            let (_, _, said) = run_groups(target, options, "load-unwaited", 400);
            let expected = findings(waves);
            assert_eq!(said.matches("error[").count(), 1, "{said}");
            assert!(
                said.contains(&expected),
                "{target}: no {expected:?} in {said}"
            );
        }
    }
}

#[test]
fn a_wait_that_is_there_is_not_missed() {
    for target in TARGETS {
        for mode in ["load-waited", "shared-waited"] {
            for options in [
                &["--error-exitcode", "9"][..],
                &["--late", "--error-exitcode", "9"],
            ] {
                let (status, out, said) = run(target, options, mode);
                assert_eq!(
                    (status, out.as_str()),
                    (0, "right\n"),
                    "{target} {mode}: {said}"
                );
                assert!(said.contains("certain: 0 findings"), "{said}");
            }
        }
    }
}

#[test]
fn late_results_make_a_missing_wait_change_the_output() {
    for target in TARGETS {
        for mode in ["load-unwaited", "shared-unwaited"] {
            let (status, out, said) = run(target, &["--late"], mode);
            assert_eq!(
                (status, out.as_str()),
                (3, "0 is 100\n"),
                "{target} {mode}: {said}"
            );
        }
    }
}

#[test]
fn findings_of_a_program_are_as_the_schema_says() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("found.json");
    let options = ["--format", "json", "-o", file.to_str().unwrap()];
    let (status, _, said) = run("gfx90a", &options, "load-unwaited");
    assert_eq!((status, said.as_str()), (0, ""));
    let value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    check(&schema("check"), &value).unwrap();
    assert_eq!(value["summary"]["certain"]["findings"], 1);
    assert!(value["summary"]["run"].as_u64().unwrap() >= 1, "{value}");
}

#[test]
fn files_and_a_program_exclude_each_other() {
    for arguments in [
        &["check", "--waits"][..],
        &["check", "--waits", "a", "--", "b"],
        &["check", "--waits", "--late", "a"],
    ] {
        let output = luthier(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}
