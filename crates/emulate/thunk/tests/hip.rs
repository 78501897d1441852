//! Programs built by Debian's hipcc, on its real HIP and ROCr.

use std::os::unix::process::ExitStatusExt;

use crate::common::{Program, hip_program, text};

const NONE: &[(&str, &str)] = &[];

fn program() -> Option<Program> {
    prerequisite::program("hipcc", "hipcc").then(|| hip_program("kernels.hip", "gfx90a"))
}

#[test]
fn scenes_check_themselves() {
    let Some(program) = program() else { return };
    for scene in [
        "add",
        "copies",
        "spin",
        "events",
        "memory",
        "fork-before",
        "fork-after",
    ] {
        let output = program.run(&[scene], NONE);
        assert!(
            output.status.success(),
            "{scene}: {:?} {}",
            output.status,
            text(&output)
        );
        assert_eq!(text(&output), "", "{scene} prints nothing");
    }
}

#[test]
fn exit_status_and_signals_are_the_programs_own() {
    let Some(program) = program() else { return };
    assert_eq!(program.run(&["status"], NONE).status.code(), Some(7));
    let statistics = program.path("statistics.json");
    let output = program.run(&["abort"], &[("LUTHIER_STATS", &statistics)]);
    assert_eq!(output.status.signal(), Some(libc_sigabrt()));
    let lines = std::fs::read_to_string(&statistics).unwrap();
    let kernel = lines
        .lines()
        .find(|line| line.contains("add"))
        .expect("statistics survive an abort");
    assert!(kernel.contains("\"dispatches\":1,"), "{kernel}");
    assert!(
        kernel.contains("\"waves\":16,"),
        "8 workgroups of 128 are 16 waves: {kernel}"
    );
}

fn libc_sigabrt() -> i32 {
    6
}

#[test]
fn faults_name_kernel_and_address_and_stop_the_program() {
    let Some(program) = program() else { return };
    let output = program.run(&["bad-write"], NONE);
    assert_eq!(
        output.status.signal(),
        Some(libc_sigabrt()),
        "{}",
        text(&output)
    );
    let printed = text(&output);
    for part in [
        "_Z5storePii",
        "0x10000",
        "global_store_dword",
        "lane 0",
        "Memory access fault by GPU",
    ] {
        assert!(printed.contains(part), "{part:?} is missing in {printed}");
    }
}
