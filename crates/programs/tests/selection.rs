//! Which launches run instrumented: every form that `luthier run --help` and the documentation name, by what it does.

use programs::{Bounded, Emulator};
use std::path::PathBuf;

/// Runs the program with four launches of one kernel and returns whether it ended well, and standard error.
fn run(application: &PathBuf, options: &[&str], variables: &[(&str, &str)]) -> (bool, String) {
    let emulator = Emulator::find().expect("the emulator is built");
    let output = emulator
        .command()
        .args(["run", "--device", "gfx90a", "-t", "instr-count"])
        .args(options)
        .arg("--")
        .arg(application)
        .envs(variables.iter().copied())
        .bounded_output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.success(), said)
}

fn application() -> Option<PathBuf> {
    let program = programs::named("equal_launches").unwrap();
    programs::can_compile().then(|| programs::compile(&program).unwrap())
}

#[test]
fn every_form_selects_the_launches_that_it_names() {
    let Some(application) = application() else {
        return;
    };
    // Three launches have 256 work-items and the last one has 512; the runtime's own fill is another kernel.
    for (options, launches) in [
        (&["--launch", "0"][..], 1),
        (&["--launch", "2.."], 2),
        (&["--launch", "1..2"], 1),
        (&["--launch", "1..=2"], 2),
        (&["--launch", "3..5"], 1),
        (&["--launch", "1-2"], 2),
        (&["--launch", "0,2..=3"], 3),
        (&["--launch", "7"], 0),
        (&["--every", "2"], 2),
        (&["--every", "3"], 2),
        (&["--grid", "256"], 3),
        (&["--grid", "256,1"], 3),
        (&["--grid", "256,1,1"], 3),
        (&["--grid", "256x1x1"], 3),
        (&["--grid", ">=512"], 1),
        (&["--grid", "<=256"], 3),
        (&["--launch", "2..", "--grid", "*"], 2),
        (&["--kernel", "^add_one"], 4),
        (&["-k", "nothing"], 0),
    ] {
        let (good, said) = run(&application, options, &[]);
        let expected = format!("; {launches} of ");
        assert!(good && said.contains(&expected), "{options:?}: {said}");
    }
    let (good, said) = run(&application, &[], &[("LUTHIER_LAUNCH", "1..=2")]);
    assert!(good && said.contains("; 2 of "), "{said}");
}

#[test]
fn what_cannot_be_read_is_an_error_before_the_program_starts() {
    let Some(application) = application() else {
        return;
    };
    for (option, value) in [
        ("--launch", "2..1"),
        ("--launch", "first"),
        ("--every", "0"),
        ("--grid", "256,1,1,1"),
        ("--kernel", "("),
    ] {
        let (good, said) = run(&application, &[option, value], &[]);
        let start = format!("{option}={value}: ");
        assert!(!good && said.contains(&start), "{said}");
    }
    // By hand, when the program has begun already: nothing is instrumented rather than everything.
    let (good, said) = run(&application, &[], &[("LUTHIER_LAUNCH", "first")]);
    assert!(
        good && said.contains("LUTHIER_LAUNCH=first: ") && said.contains("nothing is instrumented"),
        "{said}"
    );
}
