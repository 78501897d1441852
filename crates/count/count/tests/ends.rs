//! Ways to end without running destructors: every one is reported, exactly where that is possible.

use crate::support;

use crate::support::{Run, compile, luthier_count, program, run, text};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

fn built() -> &'static PathBuf {
    static BUILT: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    &BUILT
        .get_or_init(|| {
            let directory = tempfile::tempdir().unwrap();
            let out = directory.path().join("ends");
            compile(&program("ends.c"), &[], &["-O2"], &out);
            (directory, out)
        })
        .1
}

fn ends(how: &str) -> Run {
    run(&[], &[built().as_os_str(), how.as_ref()])
}

/// Totals of the processes, first the one that began.
fn totals(run: &Run) -> Vec<u64> {
    let list = run.json["processes"].as_array().unwrap();
    list.iter()
        .map(|process| process["total"].as_u64().unwrap())
        .collect()
}

fn stopped(run: &Run) -> &str {
    run.json["processes"][0]["stopped"].as_str().unwrap_or("")
}

#[test]
fn signals_that_nobody_handles_are_reported_and_still_end_the_process() {
    for (how, number, name) in [
        ("abort", 6, "SIGABRT"),
        ("fault", 11, "SIGSEGV"),
        ("overflow", 11, "SIGSEGV"),
        ("term", 15, "SIGTERM"),
        ("default", 10, "SIGUSR1"),
    ] {
        let (first, second) = (ends(how), ends(how));
        assert_eq!(first.status, Some(128 + number), "{how}: {}", first.stderr);
        assert_eq!(
            stopped(&first),
            format!("ended by signal {number} ({name})"),
            "{how}"
        );
        // 200 rounds of a loop that costs more than ten, and the same every time. How deep a stack reaches depends on
        // the size of the environment, which it also holds.
        assert!(first.total > 2000, "{how}: {}", first.total);
        if how != "overflow" {
            assert_eq!(first.total, second.total, "{how}");
        }
    }
    // The program sees the default action where it had set none: 1 for each of three looks. (The caller of the tests may ignore the
    // signals, as `perf record` does.)
    let own = ["env".as_ref(), "--default-signal".as_ref()];
    let looks = run(
        &[],
        &[&own[..], &[built().as_os_str(), "default".as_ref()]].concat(),
    );
    assert_eq!(looks.stdout, "7\n");
    // A call that does not come back is paid before it is made: `abort` and `raise` are exact.
    let plain = ends("return").total;
    assert!(plain.abs_diff(ends("abort").total) < 100, "{plain}");
}

#[test]
fn exec_reports_what_was_counted_before_it() {
    let plain = ends("return").total;
    for how in ["exec", "execl", "execle"] {
        let both = ends(how);
        let parts = totals(&both);
        assert_eq!(parts.len(), 2, "{how}: {parts:?}");
        assert_eq!(
            parts[1], plain,
            "{how}: the second is the same program as ever"
        );
        assert!(parts[0].abs_diff(plain) < 100, "{how}: {parts:?}");
        assert_eq!(both.total, parts[0] + parts[1]);
    }
    // One that fails: the process goes on and reports once.
    let failed = ends("no-exec");
    assert_eq!(
        (totals(&failed).len(), failed.stdout.as_str()),
        (1, "-1 1\n")
    );
    assert!(failed.total > plain);
    // The usual pairs. A child of vfork borrows its parent's memory, and with it the parent's count.
    for (how, reports) in [("fork-exec", 3), ("vfork-exec", 2)] {
        let run = ends(how);
        assert_eq!(
            (totals(&run).len(), run.stdout.as_str()),
            (reports, "1\n"),
            "{how}"
        );
        assert!(totals(&run).contains(&plain), "{how}");
    }
}

#[test]
fn threads_that_still_run_are_part_of_the_report() {
    for ours in [&[][..], &["--per", "function"]] {
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().join("ends");
        compile(&program("ends.c"), ours, &["-O2"], &out);
        let result = run(ours, &[out.as_os_str(), "running".as_ref()]);
        let threads = result.json["processes"][0]["threads"].as_array().unwrap();
        assert_eq!(threads[1]["state"], "running");
        assert!(
            threads[1]["units"].as_u64().unwrap() > 100_000,
            "{threads:?}"
        );
        if !ours.is_empty() {
            let functions = &result.json["processes"][0]["functions"];
            assert!(functions["work"].as_u64().unwrap() > 100_000, "{functions}");
        }
    }
}

/// The system no longer knows the program of a process whose first thread has ended.
#[test]
fn a_first_thread_that_ends_before_the_others_is_reported() {
    let result = ends("first-thread");
    let process = &result.json["processes"][0];
    assert_eq!(process["program"], built().to_str().unwrap());
    let threads = process["threads"].as_array().unwrap();
    let units = |index: usize| threads[index]["units"].as_u64().unwrap();
    // Both have done the same work; the first has read its arguments besides.
    assert!(units(0) > units(1) && units(1) > 1000, "{threads:?}");
}

/// A limit on the size of files costs the report, and not the program.
#[test]
fn files_that_must_not_grow_cost_the_report_only() {
    let directory = tempfile::tempdir().unwrap();
    let limited = |path: &std::path::Path| {
        let mut shell = std::process::Command::new("sh");
        let output = shell
            .args(["-c", "ulimit -f 0; exec \"$0\" return"])
            .arg(built())
            .env("LUTHIER_COUNT_OUTPUT", path)
            .output()
            .unwrap();
        (output.status.code(), text(&output.stderr))
    };
    let (status, said) = limited(directory.path());
    assert_eq!(status, ends("return").status);
    assert!(said.contains("File too large"), "{said}");
    // Nothing is left, neither of a report nor of where a running process's counters are.
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

/// A full disk costs the report, and nothing else.
#[test]
fn full_disks_cost_the_report_only() {
    if !prerequisite::mounts() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let script = "mount -t tmpfs -o size=4k none \"$1\" && head -c 4096 /dev/zero >\"$1\"/filler && \
        LUTHIER_COUNT_OUTPUT=\"$1\" \"$2\" return; echo status $?, left: $(ls \"$1\") >&2";
    let output = std::process::Command::new("unshare")
        .args(["-rm", "sh", "-c", script, "sh"])
        .arg(directory.path())
        .arg(built())
        .output()
        .unwrap();
    let said = text(&output.stderr);
    assert!(said.contains("No space left on device"), "{said}");
    let status = ends("return").status.unwrap();
    let last = said.lines().last().unwrap();
    assert_eq!(last, format!("status {status}, left: filler"), "{said}");
}

/// SIGKILL leaves no time for a report. The last counts before it are reported as a lower bound.
#[test]
fn a_killed_process_is_reported_as_it_was_seen_last() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("count.json");
    let mut command = luthier_count();
    command
        .args(["run", "--format", "json", "--output"])
        .arg(&path);
    let mut child = command.arg("--").arg(built()).arg("kill").spawn().unwrap();
    // The counted program is the only child of `luthier count run`.
    let children = format!("/proc/{0}/task/{0}/children", child.id());
    let mut pid = String::new();
    for _ in 0..500 {
        pid = std::fs::read_to_string(&children)
            .unwrap()
            .trim()
            .to_owned();
        if !pid.is_empty() {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(400));
    support::must(std::process::Command::new("kill").args(["-KILL", &pid]));
    assert_eq!(child.wait().unwrap().code(), Some(137));
    let json: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let process = &json["processes"][0];
    assert_eq!(process["at_least"], true, "{json}");
    assert_eq!(process["stopped"], "killed: its count is at least this");
    assert_eq!(process["threads"].as_array().unwrap().len(), 2, "{json}");
    assert!(json["total"].as_u64().unwrap() > 100_000, "{json}");
}

#[test]
fn a_program_that_does_not_count_is_not_mistaken_for_one_that_was_killed() {
    let output = luthier_count()
        .args(["run", "--", "sh", "-c", "kill -KILL $$"])
        .output()
        .unwrap();
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(137));
    assert!(message.contains("reported no count"), "{message}");
}
