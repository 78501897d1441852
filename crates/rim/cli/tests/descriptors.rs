//! Programs that close descriptors they do not know and open their own: none of Luthier's output gets into theirs, and none of it is lost.

use std::{
    fs,
    os::unix::{
        fs::PermissionsExt,
        process::{CommandExt, ExitStatusExt},
    },
    path::Path,
    process::Output,
};

use crate::common::{hip, luthier};

/// Umask of the user who runs the programs here.
const UMASK: u32 = 0o027;

struct Run {
    output: Output,
    said: String,
    folder: tempfile::TempDir,
}

impl Run {
    /// Files in the output directory whose name has this in it.
    fn files(&self, part: &str) -> Vec<std::path::PathBuf> {
        let entries = fs::read_dir(self.folder.path().join("out")).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let named = |path: &Path| path.to_string_lossy().contains(part);
        paths.filter(|path| named(path)).collect()
    }
}

fn run(mode: &str, options: &[&str]) -> Run {
    run_with(mode, 0, options)
}

fn run_with(mode: &str, signal: i32, options: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let mut command = luthier(&["run", "--device", "gfx90a"]);
    command
        .args(options)
        .args(["--output", out.to_str().unwrap(), "--"])
        .arg(hip("descriptors.hip"))
        .arg(mode)
        .arg(folder.path())
        .arg(signal.to_string());
    let set = || {
        // SAFETY: a system call without pointers.
        unsafe { libc::umask(UMASK) };
        Ok(())
    };
    // SAFETY: the closure calls only what may be called after fork.
    unsafe { command.pre_exec(set) };
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Run {
        output,
        said,
        folder,
    }
}

fn clean(run: &Run) {
    let text = String::from_utf8_lossy(&run.output.stdout);
    assert_eq!(text, "clean\n", "{}", run.said);
}

/// The statistics, records and summary are all there.
fn all_there(run: &Run) {
    let statistics = fs::read(run.files("statistics.json").remove(0)).unwrap();
    let statistics: serde_json::Value = serde_json::from_slice(&statistics).unwrap();
    assert!(
        statistics["dispatches"].as_u64() >= Some(44),
        "{statistics}"
    );
    let trace = run.files(".parquet");
    assert_eq!(trace.len(), 1, "{}", run.said);
    let trace = fs::read(&trace[0]).unwrap();
    assert!(trace.starts_with(b"PAR1") && trace.ends_with(b"PAR1"));
    assert_eq!(run.files("summary").len(), 1);
}

#[test]
fn descriptors_that_are_not_the_applications_are_none() {
    for mode in ["closefrom", "race", "daemon", "redirected"] {
        let run = run(mode, &["-t", "mem-trace", "--stats"]);
        clean(&run);
        assert_eq!(run.output.status.code(), Some(0), "{mode}: {}", run.said);
        all_there(&run);
    }
}

/// A daemon's umask is for its own files.
#[test]
fn outputs_follow_the_umask_of_whoever_wants_them() {
    let run = run("daemon", &["-t", "mem-trace", "--stats"]);
    clean(&run);
    let files = run.files("");
    assert!(files.len() >= 3, "{files:?}");
    for path in files {
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & UMASK, 0, "{}: {mode:o}", path.display());
    }
}

#[test]
fn a_program_without_our_standard_error_still_has_its_summary() {
    for mode in ["closefrom", "daemon", "redirected"] {
        let folder = tempfile::tempdir().unwrap();
        let mut command = luthier(&["run", "--device", "gfx90a", "-t", "instr-count", "--"]);
        let program = command.arg(hip("descriptors.hip")).arg(mode);
        let output = program.arg(folder.path()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{mode}: {said}");
        assert!(said.contains("luthier instr-count"), "{mode}: {said}");
        assert!(!said.contains("lost"), "{mode}: {said}");
        for entry in fs::read_dir(folder.path()).unwrap() {
            let entry = entry.unwrap();
            assert_eq!(
                entry.metadata().unwrap().len(),
                0,
                "{mode}: {:?}",
                entry.path()
            );
        }
    }
}

#[test]
fn deadly_signals_deliver_without_a_descriptor() {
    for (mode, signal) in [
        ("abort", libc::SIGABRT),
        ("signal", libc::SIGQUIT),
        ("signal", libc::SIGPIPE),
        ("signal", libc::SIGUSR2),
        ("signal", libc::SIGXFSZ),
        ("signal", libc::SIGSYS),
        ("signal", 37),
    ] {
        let run = run_with(mode, signal, &["-t", "mem-trace", "--stats"]);
        clean(&run);
        assert_eq!(run.output.status.signal(), Some(signal), "{}", run.said);
        all_there(&run);
    }
}

#[test]
fn recorded_dispatches_are_written_past_the_application() {
    let folder = tempfile::tempdir().unwrap();
    let records = folder.path().join("records");
    let mut command = luthier(&["run", "--device", "gfx90a", "--record"]);
    command.arg(&records).arg("--").arg(hip("descriptors.hip"));
    let output = command.arg("race").arg(folder.path()).output().unwrap();
    assert_eq!(output.stdout, b"clean\n", "{output:?}");
    assert_eq!(fs::read_dir(records).unwrap().count(), 3, "{output:?}");
}

#[test]
fn what_a_check_finds_is_written_past_the_application() {
    for mode in ["closefrom", "race", "daemon", "redirected"] {
        let folder = tempfile::tempdir().unwrap();
        let report = tempfile::NamedTempFile::new().unwrap();
        let mut command = luthier(&["check", "--leaks", "--init", "--device", "gfx90a", "-o"]);
        command
            .arg(report.path())
            .arg("--")
            .arg(hip("descriptors.hip"));
        let output = command.arg(mode).arg(folder.path()).output().unwrap();
        assert_eq!(output.stdout, b"clean\n", "{mode}: {output:?}");
        assert_eq!(output.status.code(), Some(0), "{mode}: {output:?}");
        // The program asks for memory before it closes descriptors, and again afterwards.
        let said = fs::read_to_string(report.path()).unwrap();
        assert!(
            said.contains("certain: 2 findings: 2 leak\n"),
            "{mode}: {said}"
        );
    }
}
