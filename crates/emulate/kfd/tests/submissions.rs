//! Commands that programs submit through libdrm's functions.

use std::{path::Path, process::Command};

use crate::driver::{run, text};

/// The program that has the scenes, compiled with libdrm's own header and linked with libdrm.
fn program(directory: &Path) -> Option<std::path::PathBuf> {
    if !prerequisite::file("/usr/include/libdrm/amdgpu.h", "libdrm-dev") {
        return None;
    }
    let program = directory.join("submit");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/submit.c");
    let output = Command::new("cc")
        .args(["-Wall", "-Werror", "-O1", "-I/usr/include/libdrm"])
        .arg(source)
        .arg("-o")
        .arg(&program)
        .args(["-ldrm_amdgpu", "-ldrm"])
        .output()
        .expect("a C compiler");
    assert!(output.status.success(), "{}", text(&output));
    Some(program)
}

/// The standard error of a scene.
fn scene(program: &Path, device: &str, name: &str) -> String {
    let output = run(program, &[name], &[("LUTHIER_DEVICE", device)]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert_eq!(printed, format!("{name} done\n"), "{device}: {said}");
    said
}

#[test]
fn submissions_are_done_in_order_and_waited_for() {
    let directory = tempfile::tempdir().unwrap();
    let Some(program) = program(directory.path()) else {
        return;
    };
    for device in ["gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"] {
        for name in ["order", "dependencies", "addresses"] {
            assert_eq!(scene(&program, device, name), "", "{device}: {name}");
        }
    }
}

#[test]
fn what_cannot_be_submitted_is_refused_and_named() {
    let directory = tempfile::tempdir().unwrap();
    let Some(program) = program(directory.path()) else {
        return;
    };
    let said = scene(&program, "gfx1100", "refusals");
    for part in [
        "commands for graphics (amdgpu_cs_submit) are not emulated; those for compute and for copies are",
        "a fence in the program's memory in a submission of commands (amdgpu_cs_submit) is not emulated",
    ] {
        assert_eq!(said.matches(part).count(), 1, "{said}");
    }
    let said = scene(&program, "gfx1100", "fault");
    assert!(said.contains("stopped: write to 0x1000"), "{said}");
}
