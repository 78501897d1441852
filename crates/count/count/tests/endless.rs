//! Nothing goes on for ever under a budget, whatever makes the loop; and a budget that is enough stops nothing.

use crate::support::{compile, luthier_count, program, run, text};
use std::{ffi::OsStr, path::PathBuf, process::Command, time::Duration};

/// How the programs are built: all that decides where checks stand.
const WAYS: [(&[&str], &[&str]); 5] = [
    (&["--budget"], &["-O2"]),
    (&["--budget"], &["-O0"]),
    (&["--budget", "--point", "last"], &["-O2"]),
    (&["--budget", "--placement", "segment"], &["-O2"]),
    (&["--budget", "--per", "line"], &["-O1"]),
];

/// The status of a run with a budget, within a minute; nothing if it did not end.
fn status(budget: &str, program: &[&OsStr]) -> (Option<i32>, String) {
    let mut command = Command::new("timeout");
    command.arg("60").arg(luthier_count().get_program());
    command
        .args(["run", "--budget", budget, "--"])
        .args(program);
    let output = command.output().unwrap();
    (output.status.code(), text(&output.stderr))
}

fn ends_by_its_budget(source: &str, ways: std::ops::Range<u32>) {
    let directory = tempfile::tempdir().unwrap();
    for (number, (ours, clang)) in WAYS.iter().enumerate() {
        let out = directory.path().join(format!("program{number}"));
        compile(&program(source), ours, clang, &out);
        for which in ways.clone() {
            let which = which.to_string();
            let (status, said) = status("50000", &[out.as_os_str(), OsStr::new(&which)]);
            let how = format!("{source} {which} {ours:?} {clang:?}: {status:?} {said}");
            assert_eq!(status, Some(124), "{how}");
            // (`timeout` says 124, too.)
            let used = said.split("budget of 50000 units reached after ").nth(1);
            let used = used.and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next());
            let used: u64 = used
                .and_then(|n| n.parse().ok())
                .unwrap_or_else(|| panic!("{how}"));
            assert!((50_000..52_500).contains(&used), "{how}");
        }
    }
}

#[test]
fn jumps_callbacks_signals_contexts_and_the_ends_of_main_meet_the_budget() {
    ends_by_its_budget("endless.c", 0..16);
}

#[test]
fn callbacks_of_cxx_meet_the_budget() {
    ends_by_its_budget("endless.cpp", 0..4);
}

/// One module takes the address of an inline function that another one only calls; the linker keeps either's copy.
#[test]
fn inline_functions_check_whatever_copy_the_linker_keeps() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let header = "#pragma once\ninline __attribute__((noinline)) int compare(const void *a, const void *b) \
        { return *(const volatile int *)a ? 1 : *(const volatile int *)b + 1; }\n";
    std::fs::write(at("shared.hpp"), header).unwrap();
    let calls = "#include \"shared.hpp\"\nint calls(int n) { return compare(&n, &n); }\n";
    std::fs::write(at("calls.cpp"), calls).unwrap();
    let takes = "#include \"shared.hpp\"\n#include <search.h>\nint calls(int);\n\
        int main() { int key = calls(1); size_t many = -1; lfind(&key, &key, &many, 0, compare); }\n";
    std::fs::write(at("takes.cpp"), takes).unwrap();
    for order in [["calls.cpp", "takes.cpp"], ["takes.cpp", "calls.cpp"]] {
        let sources: Vec<PathBuf> = order.iter().map(|name| at(name)).collect();
        let mut compiler = luthier_count();
        compiler
            .args(["c++", "--budget", "-O2", "-o"])
            .arg(at("out"));
        assert!(compiler.args(sources).status().unwrap().success());
        let (status, said) = status("50000", &[at("out").as_os_str()]);
        assert_eq!(status, Some(124), "{order:?}: {said}");
        assert!(
            said.contains("budget of 50000 units reached after 500"),
            "{order:?}: {said}"
        );
    }
}

#[test]
fn a_budget_that_is_enough_stops_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("waiting");
    compile(
        &program("waiting.c"),
        &["--budget"],
        &["-O2", "-lpthread"],
        &out,
    );
    for words in [
        &["barrier", "4", "30000"][..],
        &["barrier", "40", "1000"],
        &["chain", "500"],
    ] {
        let words: Vec<&OsStr> = words.iter().map(OsStr::new).collect();
        let words: Vec<&OsStr> = [out.as_os_str()].into_iter().chain(words).collect();
        let whole = run(&[], &words);
        assert_eq!(whole.status, Some(0), "{words:?}");
        for _ in 0..8 {
            let budget = whole.total.to_string();
            let done = run(&["--budget", &budget], &words);
            assert_eq!(
                (done.status, done.total),
                (Some(0), whole.total),
                "{words:?}"
            );
        }
        // And half of it is not enough.
        let half = run(&["--budget", &(whole.total / 2).to_string()], &words);
        assert_eq!(
            half.status,
            Some(124),
            "{words:?}: {} of {}",
            half.total,
            whole.total
        );
    }
}

#[test]
fn processes_that_outlive_the_program_are_waited_for() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("outlives");
    compile(&program("outlives.c"), &["--budget"], &["-O2"], &out);
    let run_with = |ours: &[&str], rounds: &str| run(ours, &[out.as_os_str(), OsStr::new(rounds)]);
    let short = run_with(&[], "1000");
    let long = run_with(&[], "20000000");
    assert_eq!((short.status, long.status), (Some(0), Some(0)));
    let processes = |run: &crate::support::Run| run.json["processes"].as_array().unwrap().len();
    assert_eq!((processes(&short), processes(&long)), (2, 2), "{long:?}");
    // Each round costs the same.
    assert_eq!(
        (long.total - short.total) % 19_999_000,
        0,
        "{short:?} {long:?}"
    );
    let stopped = run_with(&["--budget", "100000"], "4000000000000");
    assert_eq!(stopped.status, Some(124), "{stopped:?}");
    assert!((100_000..100_100).contains(&stopped.total), "{stopped:?}");
    // The run does not wait for processes that are not counted.
    let begun = std::time::Instant::now();
    let shell = [
        "/bin/sh",
        "-c",
        "sleep 20 >/dev/null 2>&1 & exec \"$0\" 10",
        out.to_str().unwrap(),
    ];
    let words: Vec<&OsStr> = shell.iter().map(OsStr::new).collect();
    let done = run(&[], &words);
    assert_eq!(done.status, Some(0), "{done:?}");
    assert!(begun.elapsed() < Duration::from_secs(10));
}
