//! A budget is for the whole run: neither threads nor children nor other programs get round it.

use crate::support::{Run, compile, program, run};
use std::ffi::OsStr;

struct Place {
    directory: tempfile::TempDir,
}

impl Place {
    fn new(ours: &[&str], clang: &[&str]) -> Place {
        let place = Place {
            directory: tempfile::tempdir().unwrap(),
        };
        compile(
            &program("process_budget.c"),
            ours,
            clang,
            &place.directory.path().join("program"),
        );
        place
    }

    fn run(&self, ours: &[&str], how: &str) -> Run {
        let out = self.directory.path().join("program");
        run(ours, &[out.as_os_str(), OsStr::new(how)])
    }
}

const WAYS: [&str; 12] = [
    "alone", "threads", "sequence", "fork", "exec", "spawn", "system", "ignored", "vfork", "after",
    "clone", "daemon",
];

#[test]
fn all_threads_and_processes_share_a_budget() {
    for (ours, clang) in [
        (&["--budget"][..], &["-O2"][..]),
        (&["--budget", "--per", "function"], &["-O0"]),
        (&["--budget"], &["-O2", "-static"]),
    ] {
        let place = Place::new(ours, clang);
        for how in WAYS {
            let whole = place.run(&[], how);
            assert!(
                whole.status == Some(0) && whole.total > 140_000,
                "{how}: {whole:?}"
            );
            let stopped = place.run(&["--budget", "20000"], how);
            assert_eq!(stopped.status, Some(124), "{how}: {stopped:?}");
            // Threads that have ended each exceeded their leases by at most one iteration.
            assert!(
                (20_000..20_800).contains(&stopped.total),
                "{how}: {}",
                stopped.total
            );
            // Buffered output is not lost.
            assert!(
                stopped.stdout.starts_with(&format!("begun {how}\n")),
                "{how}: {stopped:?}"
            );
            let enough = place.run(&["--budget", "160000"], how);
            assert_eq!(
                (enough.status, enough.total),
                (Some(0), whole.total),
                "{how}"
            );
        }
    }
}

/// A child that is killed at once has no count, which the result says.
#[test]
fn a_process_that_nobody_could_look_at_is_told() {
    let place = Place::new(&[], &["-O2"]);
    let run = place.run(&[], "killed");
    let lost: Vec<_> = (run.json["processes"].as_array().unwrap().iter())
        .filter(|process| process["at_least"] == true)
        .collect();
    assert_eq!((run.status, lost.len()), (Some(0), 1), "{run:?}");
    assert_eq!(run.stderr, "");
}

/// Code behind the report costs nothing, although it starts a program.
#[test]
fn nothing_is_charged_behind_the_report() {
    let place = Place::new(&["--budget"], &["-O2"]);
    let whole = place.run(&[], "late");
    let just_enough = (whole.total + 10).to_string();
    let enough = place.run(&["--budget", &just_enough], "late");
    assert_eq!((enough.status, enough.total), (Some(0), whole.total));
}

/// A copy that no library knows of is no child of vfork: it writes what it has buffered.
#[test]
fn an_unknown_copy_of_the_process_ends_by_itself() {
    let place = Place::new(&["--budget"], &["-O2"]);
    let stopped = place.run(&["--budget", "20000"], "copied");
    assert_eq!(stopped.status, Some(124), "{stopped:?}");
    assert!(
        stopped.stderr.contains("budget of 20000 units"),
        "{stopped:?}"
    );
    assert!(!stopped.stderr.contains("vfork"), "{stopped:?}");
    assert_eq!(
        stopped.stdout.matches("begun copied").count(),
        2,
        "{stopped:?}"
    );
}

/// Message and report say the same number, although other threads go on meanwhile.
#[test]
fn the_message_and_the_report_agree() {
    let place = Place::new(&["--budget"], &["-O2"]);
    for _ in 0..10 {
        let stopped = place.run(&["--budget", "50000"], "threads");
        let reason = stopped.json["processes"][0]["stopped"].as_str().unwrap();
        let said = reason.rsplit(' ').next().unwrap();
        assert_eq!(said, stopped.total.to_string(), "{reason}");
        assert!(stopped.stderr.contains(reason), "{}", stopped.stderr);
    }
}

#[test]
fn each_thread_can_have_a_budget_of_its_own() {
    let place = Place::new(&["--budget"], &["-O2"]);
    let own =
        |units: &str, how: &str| place.run(&["--budget", units, "--budget-per", "thread"], how);
    // Four threads of 36 000 each.
    assert_eq!(own("40000", "threads").status, Some(0));
    let stopped = own("20000", "threads");
    assert_eq!(stopped.status, Some(124));
    assert!(
        stopped.total >= 20_000 && stopped.stderr.contains("budget of 20000 units"),
        "{stopped:?}"
    );
    assert_eq!(own("40000", "fork").status, Some(0));
    for how in ["fork", "ignored"] {
        assert_eq!(own("20000", how).status, Some(124), "{how}");
    }
}

#[test]
fn a_budget_of_nothing_stops_at_the_first_check() {
    let place = Place::new(&["--budget"], &["-O2"]);
    let stopped = place.run(&["--budget", "0"], "alone");
    assert_eq!(stopped.status, Some(124), "{stopped:?}");
    assert!(stopped.total < 100, "{stopped:?}");
}
