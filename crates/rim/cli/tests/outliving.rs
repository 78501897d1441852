//! `luthier check -- PROGRAM` with processes that outlive the program: the report names them. On the emulated device they leave no files behind.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::common::{
    hip, luthier,
    schema::{check as fits, schema},
};

/// A check of a shell's script whose temporary files are in a folder: the status and the report.
fn check(folder: &Path, options: &[&str], script: &str) -> (Option<i32>, Value) {
    let report = folder.join("report.json");
    let mut command = luthier(&["check", "--device", "gfx90a", "--format", "json", "-o"]);
    command.arg(&report).args(options);
    let status = command
        .args(["--", "sh", "-c", script])
        .env("TMPDIR", folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    let value = serde_json::from_slice(&fs::read(&report).unwrap()).unwrap();
    fits(&schema("check"), &value).unwrap();
    (status.code(), value)
}

/// Numbers and names of the processes that outlive the program.
fn outliving(report: &Value) -> Vec<(u64, &str)> {
    let all = report["summary"]["outliving"].as_array();
    let all = all.into_iter().flatten();
    all.map(|one| {
        (
            one["process"].as_u64().unwrap(),
            one["name"].as_str().unwrap(),
        )
    })
    .collect()
}

/// Each finding's kind, and the function that it is in.
fn findings(report: &Value) -> Vec<(&str, &str)> {
    let all = report["findings"].as_array().unwrap().iter();
    all.map(|one| {
        let kernel = one["function"].as_str().unwrap_or_default();
        (one["kind"].as_str().unwrap(), kernel)
    })
    .collect()
}

/// Waits until something is so, for two minutes at most.
fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(120), "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

fn wait_for(file: &Path) {
    wait_until(&file.display().to_string(), || file.exists());
}

/// Directories that `luthier` or the program has made in a folder and not removed.
fn temporary(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with(".tmp")).collect()
}

#[test]
fn processes_that_outlive_the_program_are_named() {
    let program = hip("outliving.hip");
    for (options, mode) in [
        (&["--races", "--leaks"][..], ""),
        (&["--races", "--leaks"], "hidden"),
        (&["--memory", "--hooks"], ""),
    ] {
        let case = format!("{options:?} {mode}");
        let temporary_folder = tempfile::tempdir().unwrap();
        let folder = temporary_folder.path();
        let at = folder.display();
        let script = format!(
            "setsid {} {at} {mode} > {at}/said 2>&1 & echo $! > {at}/number; while ! [ -e {at}/first ]; do sleep 0.01; done",
            program.display(),
        );
        let (status, report) = check(folder, &[options, &["--complete"]].concat(), &script);
        let number = fs::read_to_string(folder.join("number")).unwrap();
        let number: u64 = number.trim().parse().unwrap();
        assert_eq!(status, Some(3), "{case}: {report}");
        assert_eq!(
            outliving(&report),
            [(number, "outliving-hip")],
            "{case}: {report}"
        );
        // The race of the second kernel comes later, and the process may still free its memory.
        let expected = match options[0] {
            "--races" => &[("lds-race", "before(int*)")][..],
            _ => &[],
        };
        assert_eq!(findings(&report), expected, "{case}: {report}");
        fs::write(folder.join("go"), "").unwrap();
        wait_for(&folder.join("last"));
        let process = format!("/proc/{number}");
        wait_until(&process, || !Path::new(&process).exists());
        assert_eq!(temporary(folder), [""; 0], "{case}");
        let said = fs::read_to_string(folder.join("said")).unwrap();
        assert!(!said.contains("cannot write"), "{case}: {said}");
    }
}

#[test]
fn a_process_that_begins_to_look_when_the_report_is_made_says_so() {
    let program = hip("outliving.hip");
    let temporary_folder = tempfile::tempdir().unwrap();
    let folder = temporary_folder.path();
    let at = folder.display();
    // It gets its name when the directory for findings has gone.
    let waits = format!("while ! [ -e {at}/report.json ]; do sleep 0.01; done");
    let script = format!(
        "(touch {at}/go; {waits}; exec {} {at}) > {at}/said 2>&1 &",
        program.display()
    );
    let (status, report) = check(folder, &["--races"], &script);
    assert_eq!(status, Some(0), "{report}");
    let all = outliving(&report);
    assert!(all.iter().any(|(_, name)| *name == "sh"), "{report}");
    wait_for(&folder.join("last"));
    let said = fs::read_to_string(folder.join("said")).unwrap();
    let told = said.matches("`luthier check` has made its report").count();
    assert_eq!((told, said.matches("luthier:").count()), (1, 1), "{said}");
    assert_eq!(temporary(folder), [""; 0]);
}

#[test]
fn a_process_without_a_gpu_is_named_too_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let script = "sleep 1000 > /dev/null 2>&1 &";
    for (options, expected) in [(&["--leaks"][..], 0), (&["--leaks", "--complete"], 3)] {
        let (status, report) = check(folder.path(), options, script);
        assert_eq!(status, Some(expected), "{report}");
        let [(number, "sleep")] = outliving(&report)[..] else {
            panic!("{report}");
        };
        let ended = Command::new("kill").arg(number.to_string()).status();
        assert!(ended.unwrap().success());
    }
    let (status, report) = check(folder.path(), &["--leaks", "--complete"], "true");
    assert_eq!((status, outliving(&report)), (Some(0), vec![]), "{report}");
}
