//! `--strict`: what hardware lets pass, and an exact device does not.

use crate::common::{code_object, compile, hip, luthier};

fn run(mode: &str, options: &[&str]) -> (bool, String) {
    run_on("gfx90a", mode, options)
}

fn run_on(device: &str, mode: &str, options: &[&str]) -> (bool, String) {
    let mut command = luthier(&["run", "--device", device]);
    command
        .args(options)
        .arg("--")
        .arg(hip("exact.hip"))
        .arg(mode);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.success(), said)
}

#[test]
fn accesses_beyond_the_last_byte_and_to_freed_memory_stop_the_kernel() {
    let expected = [
        ("behind", "store", "0 bytes past the end of 100 bytes"),
        ("half", "load", "2 bytes before the end of 100 bytes"),
        (
            "registered",
            "store",
            "0 bytes past the end of 100 registered bytes",
        ),
        ("freed", "store", "that have been freed"),
        ("pinned", "store", "0 bytes past the end of 100 bytes"),
        (
            "lds",
            "shared",
            "4 bytes at 0x40 of LDS, of which the workgroup has 64 bytes",
        ),
    ];
    for (mode, kernel, cause) in expected {
        let (passed, said) = run(mode, &[]);
        assert!(passed, "{mode} passes on hardware: {said}");
        for options in [&["--strict"][..], &["--strict=memory"]] {
            let (passed, said) = run(mode, options);
            assert!(!passed, "{mode} {options:?}");
            for part in [kernel, cause, "pc 0x", "lane 0"] {
                assert!(said.contains(part), "{mode}: {part:?} is missing in {said}");
            }
        }
    }
}

#[test]
fn what_is_right_stays_right() {
    for mode in ["last", "lds-last"] {
        let (passed, said) = run(mode, &["--strict"]);
        assert!(passed, "{mode}: {said}");
    }
    // Between programs with tools, too.
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().to_str().unwrap();
    let tools = ["--strict", "-t", "mem-trace,bb-count", "--output", output];
    let (passed, said) = run("last", &tools);
    assert!(passed, "{said}");
}

#[test]
fn with_xnack_what_is_allocated_stays_exact_and_the_rest_is_said() {
    let note = "--strict: with XNACK on, kernels reach all memory of the program, by pages";
    for (mode, cause) in [
        ("behind", "0 bytes past the end of 100 bytes"),
        ("freed", "that have been freed"),
    ] {
        let (passed, said) = run_on("gfx90a:xnack+", mode, &["--strict"]);
        assert!(!passed, "{mode}");
        for part in [cause, note, "pc 0x", "lane 0"] {
            assert!(said.contains(part), "{mode}: {part:?} is missing in {said}");
        }
        let (_, said) = run(mode, &["--strict"]);
        assert!(!said.contains("XNACK"), "{said}");
    }
    let (passed, said) = run_on("gfx90a:xnack+", "last", &["--strict"]);
    assert!(passed && said.contains(note), "{said}");
    let (passed, said) = run_on("gfx908:xnack+", "last", &[]);
    let refusal = "--device gfx908:xnack+: gfx908 has no XNACK that a program can ask for";
    assert!(!passed && said.contains(refusal), "{said}");
}

#[test]
fn strictness_without_effect_is_an_error() {
    let (passed, said) = run("last", &["--strict=hooks"]);
    assert!(!passed);
    assert!(
        said.contains("--strict=hooks is for tools, and there are none"),
        "{said}"
    );
}

#[test]
fn emulated_kernels_keep_to_their_buffers() {
    let object = code_object("tiny.cl");
    for (options, size, code) in [
        (&[][..], 252, 0),
        (&["--strict"], 252, 2),
        (&["--strict"], 256, 0),
    ] {
        let mut command = luthier(&["emulate", "--kernel", "tiny", "--arg"]);
        command
            .arg(format!("zero:{size}"))
            .args(options)
            .arg(&object);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            output.status.code(),
            Some(code),
            "{options:?} {size}: {said}"
        );
    }
}

/// The memory model holds, also where accesses are looked at twice.
#[test]
fn forbidden_outcomes_do_not_occur() {
    let program = compile(
        "hipcc",
        "litmus.hip",
        &["-O2", "-w", "--offload-arch=gfx90a"],
    );
    for options in [&[][..], &["--strict"]] {
        let mut command = luthier(&["run", "--device", "gfx90a"]);
        let output = command
            .args(options)
            .arg("--")
            .arg(&program)
            .arg("400")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(said.trim(), "6000 outcomes, 0 of them forbidden");
        assert!(output.status.success());
    }
}

/// The device library's functions reach the memory between blocks in kernels with hooks, too. Each block is freed once.
#[test]
fn kernels_with_hooks_allocate_and_free_memory() {
    const WRONG: &str = "where no living block begins";
    let flags = ["-O1", "-w", "--offload-arch=gfx90a,gfx1030"];
    let heap = compile("hipcc", "heap.hip", &flags);
    for (target, mode, is_right, expected) in [
        ("gfx90a", "legal", true, "8 of 8 launches ran instrumented"),
        ("gfx1030", "legal", true, "8 of 8 launches ran instrumented"),
        (
            "gfx1030",
            "later-ok",
            true,
            "4 of 4 launches ran instrumented",
        ),
        ("gfx1030", "later", false, WRONG),
        (
            "gfx1030",
            "twice-ok",
            true,
            "1 of 1 launch ran instrumented",
        ),
        ("gfx1030", "twice", false, WRONG),
    ] {
        let mut command = luthier(&["run", "--device", target, "--strict", "-t", "instr-count"]);
        let command = command.arg("--").arg(&heap).arg(mode);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.success(), is_right, "{target} {mode}: {said}");
        assert_eq!(
            output.stdout == b"done\n",
            is_right,
            "{target} {mode}: {said}"
        );
        assert!(said.contains(expected), "{target} {mode}: {said}");
    }
}
