//! `luthier check --races -- PROGRAM`: accesses to LDS and to global memory that nothing puts in order.

use crate::common::{
    compile, hip, luthier,
    schema::{self, check, schema},
};

/// The program, with lines.
fn raced() -> std::path::PathBuf {
    compile(
        "hipcc",
        "raced.hip",
        &["-O1", "-w", "-g", "--offload-arch=gfx90a"],
    )
}

/// The same as debuggers want it: all accesses go through generic pointers.
fn not_optimised() -> std::path::PathBuf {
    compile(
        "hipcc",
        "raced.hip",
        &["-O0", "-w", "--offload-arch=gfx90a"],
    )
}

/// Exit status, standard output and standard error.
fn run(options: &[&str], mode: &str) -> (Option<i32>, String, String) {
    let mut command = luthier(&["check", "--races", "--device", "gfx90a"]);
    let command = command.args(options).arg("--");
    let output = command.arg(raced()).arg(mode).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, errors) = (text(&output.stdout), text(&output.stderr));
    (output.status.code(), out, errors)
}

#[test]
fn both_sides_are_named_and_right_kernels_are_silent() {
    for (mode, status, parts) in [
        (
            "missing",
            9,
            &[
                "error[lds-race]: nothing puts two accesses to LDS in order: wave 0 reads what wave 1 writes",
                "missing(int*, bool) for gfx90a",
                "first at +0x",
                "then at +0x",
                "wave 1, lane 0",
                "<-- read",
                "<-- write",
                "1 different: 1 lds-race",
            ][..],
        ),
        (
            "counted",
            9,
            &[
                "wave 0 writes what wave 1 changes by an atomic",
                "<-- atomic",
            ],
        ),
        (
            "same",
            0,
            &["certain: 0 findings", "1 different: 1 lds-race"],
        ),
    ] {
        let (ended, out, said) = run(&["--error-exitcode", "9"], mode);
        for part in parts {
            assert!(said.contains(part), "{mode}: no {part:?} in {said}");
        }
        assert_eq!((ended, &*out), (Some(status), "done\n"), "{mode}: {said}");
        let (ended, out, said) = run(&["--error-exitcode", "9"], &format!("{mode}-ok"));
        assert_eq!((ended, &*out), (Some(0), "done\n"), "{mode}: {said}");
        for part in ["certain: 0 findings", "possible: 0 findings"] {
            assert!(said.contains(part), "{mode}: {said}");
        }
    }
}

#[test]
fn races_have_the_forms_of_all_findings() {
    let folder = tempfile::tempdir().unwrap();
    let read = |form: &str, mode: &str| {
        let file = folder.path().join(form);
        let options = ["--possible", "--format", form, "-o", file.to_str().unwrap()];
        run(&options, mode);
        std::fs::read_to_string(&file).unwrap()
    };
    let value: serde_json::Value = serde_json::from_str(&read("json", "missing")).unwrap();
    check(&schema("check"), &value).unwrap();
    let finding = &value["findings"][0];
    assert_eq!(
        (&finding["kind"], &finding["grade"]),
        (&"lds-race".into(), &"certain".into())
    );
    let line = |place: &str| finding[place]["source"][0].as_str().unwrap().to_owned();
    assert!(line("producer").ends_with("raced.hip:12"), "{value}");
    assert!(line("consumer").ends_with("raced.hip:9"), "{value}");
    let value: serde_json::Value = serde_json::from_str(&read("json", "same")).unwrap();
    check(&schema("check"), &value).unwrap();
    assert_eq!(value["findings"][0]["grade"], "possible");
    let sarif: serde_json::Value = serde_json::from_str(&read("sarif", "missing")).unwrap();
    check(&schema::sarif(), &sarif).unwrap();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 1);
    assert!(read("junit", "missing").contains("<testsuite name=\"races\""));
}

#[test]
fn code_that_is_not_optimised_is_checked_too() {
    for (mode, certain) in [("missing", true), ("missing-ok", false), ("counted", true)] {
        let mut command = luthier(&["check", "--races", "--device", "gfx90a", "--"]);
        let output = command.arg(not_optimised()).arg(mode).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{mode}: {said}");
        assert_eq!(said.contains("error[lds-race]"), certain, "{mode}: {said}");
    }
}

/// The status of a program whose workgroups race in global memory, and the report about it.
fn between_workgroups(options: &[&str], mode: &str) -> (Option<i32>, String) {
    let program = compile(
        "hipcc",
        "globally_raced.hip",
        &["-O1", "-w", "-g", "--offload-arch=gfx90a"],
    );
    let mut command = luthier(&["check", "--device", "gfx90a", "--error-exitcode", "9"]);
    let output = command.args(options).arg("--").arg(program).arg(mode);
    let output = output.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "done\n", "{mode}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said)
}

#[test]
fn workgroups_that_race_are_named_and_right_ones_are_silent() {
    for (mode, parts) in [
        (
            "neighbours",
            [
                "error[global-race]: nothing puts two accesses to global memory in order: wave 0 of workgroup (0, 0, 0) reads \
                 what wave 0 of workgroup (1, 0, 0) writes",
                "<-- read",
                "globally_raced.hip:10",
                "hipMalloc",
            ],
        ),
        (
            "counter",
            [
                "wave 0 of workgroup (0, 0, 0) writes what wave 0 of workgroup (1, 0, 0) writes",
                "<-- write",
                "globally_raced.hip:20",
                "1 different: 1 global-race",
            ],
        ),
    ] {
        let (status, said) = between_workgroups(&["--races"], mode);
        for part in parts {
            assert!(said.contains(part), "{mode}: no {part:?} in {said}");
        }
        assert_eq!(status, Some(9), "{mode}: {said}");
        for options in [&["--races"][..], &["--races", "--init"]] {
            let (status, said) = between_workgroups(options, &format!("{mode}-ok"));
            assert_eq!(status, Some(0), "{mode}: {said}");
            assert!(said.contains("possible: 0 findings"), "{mode}: {said}");
        }
    }
}

/// Both checks follow each instruction.
#[test]
fn races_are_found_beside_undefined_values() {
    let (status, said) = between_workgroups(&["--races", "--init"], "counter");
    assert_eq!(status, Some(9), "{said}");
    assert!(said.contains("error[global-race]"), "{said}");
}

/// A plain load beside atomics is no race if its wave compares and swaps the word later. If the process ends before, it is one.
#[test]
fn races_are_told_however_the_process_ends() {
    let program = hip("raced_and_ended.hip");
    for end in ["exit", "_exit", "abort", "term", "segv", "kill", "fault"] {
        let mut command = luthier(&["check", "--races", "--device", "gfx90a"]);
        let output = command.arg("--").arg(&program).arg(end).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        for part in [
            "error[global-race]: nothing puts two accesses to global memory in order",
            "1 global-race",
        ] {
            assert!(said.contains(part), "{end}: no {part:?} in {said}");
        }
    }
}

/// A process that goes on with another program (`execve`) keeps its number. The findings of both are in files with different names.
#[test]
fn races_are_told_of_all_programs_that_a_process_runs() {
    let mut command = luthier(&["check", "--races", "--device", "gfx90a"]);
    let programs = [hip("goes_on.hip"), raced()];
    let output = command
        .arg("--")
        .args(&programs)
        .arg("missing")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    for part in [
        "before(int*) for gfx90a",
        "missing(int*, bool) for gfx90a",
        ", 2 different: 2 lds-race",
        "checked: 2 kernels",
    ] {
        assert!(said.contains(part), "no {part:?} in {said}");
    }
}

/// Code that is not optimised loads between the invalidation of the caches and the barrier of the grid.
#[test]
fn grids_that_synchronise_in_code_that_is_not_optimised_are_silent() {
    let flags = ["-O0", "-w", "--offload-arch=gfx90a"];
    let program = compile("hipcc", "globally_raced.hip", &flags);
    for (mode, raced) in [("grid-ok", false), ("grid", true)] {
        let mut command = luthier(&["check", "--races", "--device", "gfx90a"]);
        let output = command.arg("--").arg(&program).arg(mode).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{mode}: {said}");
        assert_eq!(said.contains("error[global-race]"), raced, "{mode}: {said}");
    }
}

/// How two launches are put in order, what the second one does, and the grade of the finding, if there is one.
#[rustfmt::skip]
const LAUNCHES: &[(&str, &str, Option<&str>)] = &[
    ("none",        "reads",      Some("certain")),
    ("none",        "overwrites", Some("certain")),
    // By kernels of HIP's own.
    ("none",        "fills",      Some("certain")),
    ("none",        "copies",     Some("certain")),
    ("event",       "fills",      None),
    ("event",       "copies",     None),
    // Both store the same values.
    ("none",        "same",       Some("possible")),
    ("early-event", "reads",      Some("certain")),
    ("early-event", "overwrites", Some("certain")),
    ("early-event", "fills",      Some("certain")),
    ("early-event", "copies",     Some("certain")),
    ("null",        "reads",      Some("certain")),
    ("null-blocking", "reads",    None),
    ("null-blocking", "counts",   None),
    ("through",     "reads",      None),
    ("through",     "overwrites", None),
    // The event is of another stream, another stream waits for it, or the host waits for another stream.
    ("event-elsewhere", "reads",      Some("certain")),
    ("event-elsewhere", "overwrites", Some("certain")),
    ("wait-elsewhere",  "reads",      Some("certain")),
    ("wait-elsewhere",  "overwrites", Some("certain")),
    ("chain-elsewhere", "reads",      Some("certain")),
    ("chain-elsewhere", "overwrites", Some("certain")),
    ("host-elsewhere",  "reads",      Some("certain")),
    ("host-elsewhere",  "overwrites", Some("certain")),
    ("event",       "reads",      None),
    ("event",       "overwrites", None),
    ("event",       "counts",     None),
    ("same-stream", "reads",      None),
    ("same-stream", "same",       None),
    ("host",        "overwrites", None),
    ("host",        "reads",      None),
    ("chain",       "reads",      None),
    ("chain",       "overwrites", None),
    ("apart",       "reads",      None),
    ("apart",       "counts",     None),
    // By a word of memory that a kernel writes and another one polls.
    ("flag",        "reads",      None),
    ("flag",        "overwrites", None),
    ("flag",        "fills",      None),
    ("flag",        "waits-and-reads", None),
    ("count",       "reads",      None),
    ("flag-elsewhere", "reads",      Some("certain")),
    ("slots",       "reads",      Some("certain")),
    ("flag-elsewhere", "overwrites", Some("certain")),
];

#[test]
fn launches_that_nothing_puts_in_order_are_named() {
    let rows = LAUNCHES.iter().map(|(order, other, expected)| {
        let named = "nothing puts two launches in order";
        (*order, *other, expected.map(|grade| (grade, named)))
    });
    each_is_found("launches.hip", rows);
}

/// How a program orders its launches or copies and what they do, and the grade and the words of the finding, if there is one.
type Row = (
    &'static str,
    &'static str,
    Option<(&'static str, &'static str)>,
);

fn each_is_found(source: &str, rows: impl Iterator<Item = Row>) {
    let flags = ["-O1", "-w", "-g", "--offload-arch=gfx90a"];
    let program = compile("hipcc", source, &flags);
    let mut failed = Vec::new();
    for (order, other, expected) in rows {
        let mut command = luthier(&["check", "--races", "--possible", "--device", "gfx90a"]);
        let command = command.arg("--").arg(&program).args([order, other]);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let done = String::from_utf8_lossy(&output.stdout) == "done\n";
        let found = |grade: &str| !said.contains(&format!("{grade}: 0 findings"));
        let right = ["certain", "possible"]
            .iter()
            .all(|grade| found(grade) == expected.is_some_and(|(one, _)| one == *grade));
        let named = match expected {
            Some((_, words)) => said.contains(words),
            None => !said.contains("nothing puts"),
        };
        if !done || !right || !named {
            failed.push(format!("{order} {other}: {said}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

const BESIDE: &str = "nothing puts a launch and a copy in order";
const TWO: &str = "nothing puts two copies in order";

/// Copies beside kernels and beside each other.
#[rustfmt::skip]
const COPIES: &[Row] = &[
    // A kernel has read its input, or written its output, and has not ended.
    ("none",            "input",       Some(("certain", BESIDE))),
    ("none",            "output",      Some(("certain", BESIDE))),
    ("early-event",     "input",       Some(("certain", BESIDE))),
    ("early-event",     "output",      Some(("certain", BESIDE))),
    ("event-elsewhere", "output",      Some(("certain", BESIDE))),
    ("host-elsewhere",  "output",      Some(("certain", BESIDE))),
    ("event",           "input",       None),
    ("event",           "output",      None),
    ("through",         "input",       None),
    ("through",         "output",      None),
    ("same-stream",     "input",       None),
    ("same-stream",     "output",      None),
    ("host",            "input",       None),
    ("host",            "output",      None),
    ("apart",           "input",       None),
    ("apart",           "output",      None),
    // A kernel that has not begun reads what is copied, or overwrites it.
    ("none",            "behind",      Some(("certain", BESIDE))),
    ("none",            "written",     Some(("certain", BESIDE))),
    ("none",            "overwritten", Some(("certain", BESIDE))),
    ("event",           "behind",      None),
    ("event",           "written",     None),
    ("event",           "overwritten", None),
    ("host",            "behind",      None),
    ("host",            "overwritten", None),
    ("apart",           "behind",      None),
    // Two copies.
    ("none",            "both-ways",   Some(("certain", TWO))),
    ("none",            "twice",       Some(("certain", TWO))),
    ("event",           "both-ways",   None),
    ("event",           "twice",       None),
    ("same-stream",     "both-ways",   None),
    ("same-stream",     "twice",       None),
    ("host",            "both-ways",   None),
    ("apart",           "twice",       None),
    // A kernel that lasts tells the host, or is told by it.
    ("none",            "told",        None),
    ("none",            "heard",       None),
];

#[test]
fn copies_that_nothing_puts_in_order_are_named() {
    each_is_found("copies.hip", COPIES.iter().copied());
}

/// C's standard: what one thread frees happens before another one gets the same memory. AMD's device library has no fences for it.
#[test]
fn blocks_that_kernels_free_and_allocate_again_do_not_race() {
    for target in ["gfx90a", "gfx1030"] {
        let offload = format!("--offload-arch={target}");
        let program = compile("hipcc", "blocks.hip", &["-O1", "-w", "-g", &offload]);
        for exact in [&[][..], &["--memory"]] {
            let run = |mode: &str| {
                let mut command = luthier(&["check", "--races", "--device", target]);
                let command = command.args(exact).arg("--");
                let output = command.arg(&program).arg(mode).output().unwrap();
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                assert_eq!(output.stdout, b"done\n", "{target} {mode}: {said}");
                said
            };
            let said = run("reused");
            for part in ["certain: 0 findings", "possible: 0 findings"] {
                assert!(said.contains(part), "{target} {exact:?}: {said}");
            }
            let said = run("passed");
            assert!(said.contains("error[global-race]"), "{target}: {said}");
        }
    }
}
