//! Budgets: never before the limit, at most one loop iteration after it; and what can happen there.

use crate::support::{compile, luthier_count, program, run, text};
use std::{fs, process::Command};

fn lines_of(name: &str, ours: &[&str], clang: &[&str]) -> (Vec<String>, String, Option<i32>) {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("program");
    compile(&program(name), ours, clang, &out);
    let output = Command::new(&out).output().unwrap();
    (
        text(&output.stdout).lines().map(str::to_owned).collect(),
        text(&output.stderr),
        output.status.code(),
    )
}

#[test]
fn every_way_to_meet_a_limit() {
    for (ours, clang) in [
        (&["--budget"][..], &["-O2"][..]),
        (&["--budget"], &["-O0"]),
        (&["--budget", "--placement", "segment"], &["-O2"]),
        (&["--budget", "--per", "function"], &["-O2"]),
    ] {
        let (lines, stderr, status) = lines_of("limits.c", ours, clang);
        let how = format!("{ours:?} {clang:?}\n{}\n{stderr}", lines.join("\n"));
        assert_eq!(status, Some(124), "{how}");
        assert!(
            stderr.contains("budget of 700 units reached after 7"),
            "{how}"
        );
        let begins = |start: &str| {
            lines
                .iter()
                .filter(|line| line.starts_with(start))
                .collect::<Vec<_>>()
        };
        for (what, times) in [
            ("longjmp", 4),
            ("recursion", 1),
            ("outer", 1),
            ("refill", 1),
            ("yield", 3),
        ] {
            let found = begins(&format!("{what}: "));
            assert_eq!(found.len(), times, "{what}: {how}");
            for line in found {
                // One iteration of these loops, or one call, costs less than 40.
                let over = line
                    .split("over by ")
                    .nth(1)
                    .unwrap_or_else(|| panic!("{line}: {how}"));
                assert!(over.parse::<u64>().unwrap() < 40, "{line}: {how}");
            }
        }
        for exact in ["reading: 1", "none left: 1", "refused: -1"] {
            assert!(lines.iter().any(|line| line == exact), "{exact}: {how}");
        }
        assert!(
            begins("callback: asked ")
                .iter()
                .all(|line| line.ends_with("used 1")),
            "{how}"
        );
        assert!(begins("done: 1 in ").len() == 1, "{how}");
        assert!(begins("turn 2: 1, ").len() == 1, "{how}");
    }
}

/// Nothing in the function that checks may notice that a limit was met and more was granted.
#[test]
fn limits_leave_all_registers_as_they_are() {
    let (expected, ..) = lines_of("registers.c", &["--placement", "segment"], &["-O0"]);
    assert_eq!(expected.len(), 6);
    assert!(
        expected.windows(2).all(|pair| pair[0] == pair[1]),
        "{expected:?}"
    );
    for (ours, level) in [
        (&["--budget"][..], "-O0"),
        (&["--budget"], "-O2"),
        (&["--budget", "--throw"], "-O2"),
        (&["--budget", "--placement", "segment"], "-O2"),
    ] {
        let (lines, stderr, status) = lines_of("registers.c", ours, &[level]);
        assert_eq!(status, Some(0), "{ours:?} {level}: {stderr}");
        assert_eq!(lines, expected, "{ours:?} {level}: {stderr}");
        let asked = stderr.split(' ').nth(1).and_then(|n| n.parse::<u64>().ok());
        assert!(
            asked.is_some_and(|asked| asked > 1000),
            "{ours:?} {level}: {stderr}"
        );
    }
}

#[test]
fn stops_at_the_same_place_every_time() {
    let (first, ..) = lines_of("limits.c", &["--budget"], &["-O2"]);
    let (second, ..) = lines_of("limits.c", &["--budget"], &["-O3"]);
    assert_eq!(first, second);
}

#[test]
fn a_limit_can_throw() {
    for clang in [&["-O2"][..], &["-O0"]] {
        let (lines, stderr, status) = lines_of("throwing.cpp", &["--throw"], clang);
        assert_eq!(
            (status, lines.join("; ")),
            (
                Some(0),
                "over 900 by less than 60: 1; 1 -1 1 1; 1".to_owned()
            ),
            "{stderr}"
        );
    }
}

/// Programs are never stopped before the budget is used up, and at most one iteration of the program's loop (and the few units of the loop
/// itself) after it. Functions without loops that cost much check for themselves.
#[test]
fn limits_are_met_within_one_iteration() {
    for (ours, clang) in [
        (&["--budget"][..], "-O2"),
        (&["--budget"], "-O0"),
        (&["--budget", "--point", "last"], "-O2"),
        (&["--budget", "--per", "line"], "-O2"),
    ] {
        let (lines, stderr, status) = lines_of("bounds.c", ours, &[clang]);
        assert_eq!((status, lines.len()), (Some(0), 4), "{ours:?}: {stderr}");
        for line in lines {
            let numbers: Vec<u64> = line
                .split(|letter: char| !letter.is_ascii_digit())
                .filter_map(|word| word.parse().ok())
                .collect();
            let [early, over, iteration] = numbers[..] else {
                panic!("{line}");
            };
            assert_eq!(early, 0, "{ours:?} {clang}: {line}");
            // (Optimised, `dear` costs less than what needs a check.)
            let most = match line.starts_with("long_way") && !ours.contains(&"last") {
                true => iteration / 2,
                false => iteration + 10,
            };
            assert!(over > 0 && over <= most, "{ours:?} {clang}: {line}");
        }
    }
}

#[test]
fn the_watchdog_ends_a_wait() {
    let (_, stderr, status) = lines_of("blocking.c", &[], &["-O2"]);
    assert_eq!(status, Some(124));
    assert!(
        stderr.contains("watchdog: 100 ms of wall-clock time passed"),
        "{stderr}"
    );
}

#[test]
fn run_stops_a_program_at_its_budget() {
    let directory = tempfile::tempdir().unwrap();
    let (with, without) = (
        directory.path().join("with"),
        directory.path().join("without"),
    );
    compile(&program("recursion.c"), &["--budget"], &["-O2"], &with);
    compile(&program("recursion.c"), &[], &["-O2"], &without);
    let stopped = run(&["--budget", "5000"], &[with.as_os_str()]);
    assert_eq!(stopped.status, Some(124));
    assert!((5000..5060).contains(&stopped.total), "{}", stopped.total);
    assert!(
        stopped.json["processes"][0]["stopped"]
            .as_str()
            .unwrap()
            .starts_with("budget of 5000 units")
    );
    // After the optimiser, too; stretches without a check are longer there.
    compile(
        &program("recursion.c"),
        &["--budget", "--point", "last"],
        &["-O2"],
        &with,
    );
    let stopped = run(&["--budget", "5000"], &[with.as_os_str()]);
    assert!(
        stopped.status == Some(124) && (5000..5300).contains(&stopped.total),
        "{}",
        stopped.total
    );
    // Without checks it would run on for ever: refused.
    let output = luthier_count()
        .args(["run", "--budget", "5000", "--"])
        .arg(&without)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(126));
    assert!(text(&output.stderr).contains("built without budget checks"));
}

/// The function has no check, nor has anything else in its object; the loop that calls it is in another.
#[test]
fn objects_without_a_check_of_their_own_pay_too() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let work = format!(
        "unsigned work(unsigned x) {{ {} return x; }}",
        "x = x * 1664525u + (x >> 3);".repeat(100)
    );
    fs::write(at("work.c"), work).unwrap();
    let calls = "unsigned work(unsigned); int main(void) { unsigned s = 1; \
        for (int i = 0; i < 100000; i++) s = work(s); return s == 7; }";
    fs::write(at("calls.c"), calls).unwrap();
    for more in [&["-O2"][..], &["-O2", "-fPIC"], &["--point", "last", "-O2"]] {
        let mut compiler = luthier_count();
        compiler.args(["cc", "--budget"]).args(more).arg("-o");
        compiler.args([at("out"), at("calls.c"), at("work.c")]);
        assert!(compiler.status().unwrap().success());
        let stopped = run(&["--budget", "1000000"], &[at("out").as_os_str()]);
        assert_eq!(stopped.status, Some(124), "{more:?}");
        // One call costs about 500.
        let total = stopped.total;
        assert!((1_000_000..1_001_000).contains(&total), "{more:?}: {total}");
    }
}

#[test]
fn children_count_for_themselves() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("forks");
    compile(&program("forks.c"), &[], &["-O2"], &out);
    let result = run(&[], &[out.as_os_str()]);
    let totals: Vec<u64> = result.json["processes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|process| process["total"].as_u64().unwrap())
        .collect();
    assert_eq!(totals.len(), 2);
    assert_eq!(totals.iter().sum::<u64>(), result.total);
    let (most, least) = (totals.iter().max().unwrap(), totals.iter().min().unwrap());
    let ratio = *most as f64 / *least as f64;
    assert!((1.9..2.1).contains(&ratio), "{totals:?}");
}

/// A program that did what it could with such a value would run without the limit that its user wanted.
#[test]
fn values_that_variables_cannot_have_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("program");
    compile(&program("recursion.c"), &["--budget"], &["-O1"], &out);
    let long = "a/".repeat(5000);
    let milliseconds = "a number of milliseconds";
    for (name, value, expected) in [
        ("LUTHIER_COUNT_BUDGET", "12x", "a number of units"),
        ("LUTHIER_COUNT_BUDGET", " -1", "a number of units"),
        ("LUTHIER_COUNT_BUDGET", "1e6", "a number of units"),
        ("LUTHIER_COUNT_BUDGET_PER", "foo", "`thread` or `process`"),
        (
            "LUTHIER_COUNT_BUDGET_PER",
            "Thread",
            "`thread` or `process`",
        ),
        ("LUTHIER_COUNT_WATCHDOG_MS", "soon", milliseconds),
        ("LUTHIER_COUNT_WATCHDOG_MS", "+5", milliseconds),
        (
            "LUTHIER_COUNT_WATCHDOG_MS",
            "18446744073709551615",
            milliseconds,
        ),
        (
            "LUTHIER_COUNT_OUTPUT",
            &long,
            "a directory: the name is too long",
        ),
    ] {
        let output = Command::new(&out).env(name, value).output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(126), "{name}={value}: {said}");
        assert!(output.stdout.is_empty(), "{name}={value}");
        assert!(said.contains(&format!("{name}=")), "{said}");
        assert!(said.contains(&format!(" is not {expected}")), "{said}");
    }
    for (name, value) in [
        ("LUTHIER_COUNT_BUDGET_PER", ""),
        ("LUTHIER_COUNT_BUDGET_PER", "process"),
        ("LUTHIER_COUNT_WATCHDOG_MS", "0"),
    ] {
        let output = Command::new(&out).env(name, value).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{name}={value}");
    }
}
