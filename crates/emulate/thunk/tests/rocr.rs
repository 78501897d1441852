//! Debian's real ROCr (`libhsa-runtime64-1`) on the emulated machine, through its C interface.

use crate::common::{c_program, text};

const HEADER: &str = "/usr/include/hsa/hsa_ext_amd.h";

/// Copies of all alignments by SDMA and by ROCr's own shaders, fills, barriers over two queues, pointer queries.
#[test]
fn the_runtime_works_on_every_device_and_setting() {
    if !prerequisite::file(HEADER, "libhsa-runtime-dev") {
        return;
    }
    let program = c_program("runtime.c");
    for device in [
        "gfx900",
        "gfx906",
        "gfx908",
        "gfx90a",
        "gfx1010",
        "gfx1030",
        "gfx90a,gfx1030",
    ] {
        for (variable, value) in [
            ("HSA_ENABLE_SDMA", "0"),
            ("HSA_ENABLE_SDMA", "1"),
            ("HSA_ENABLE_INTERRUPT", "0"),
        ] {
            let output = program.run(&[], &[("LUTHIER_DEVICE", device), (variable, value)]);
            assert!(
                output.status.success(),
                "{device} {variable}={value}: {}",
                text(&output)
            );
            let listed = String::from_utf8_lossy(&output.stdout);
            for name in device.split(',') {
                assert!(listed.contains(&format!("gpu {name} ")), "{listed}");
            }
        }
    }
}

#[test]
fn several_devices_and_bad_settings() {
    if !prerequisite::file(HEADER, "libhsa-runtime-dev") {
        return;
    }
    let program = c_program("runtime.c");
    let output = program.run(&[], &[("LUTHIER_GPUS", "3")]);
    assert_eq!(
        text(&output).matches("gpu gfx90a").count(),
        3,
        "{}",
        text(&output)
    );
    for (variable, value) in [
        ("LUTHIER_DEVICE", "gfx4711"),
        ("LUTHIER_GPUS", "many"),
        ("LUTHIER_COMPUTE_UNITS", "5"),
    ] {
        let output = program.run(&[], &[(variable, value)]);
        assert!(!output.status.success());
        let complaint = format!("luthier: cannot emulate a device: {variable}");
        assert_eq!(
            text(&output).matches(&complaint).count(),
            1,
            "{}",
            text(&output)
        );
        assert!(
            text(&output).contains(value.trim_start_matches("gfx")),
            "{}",
            text(&output)
        );
    }
}

/// The functions that ROCr 6.1 needs besides those of 5.2.3, with the arguments it would pass.
#[test]
fn functions_of_later_runtimes_can_be_called() {
    if !prerequisite::file("/usr/include/hsakmt.h", "libhsakmt-dev") {
        return;
    }
    let program = c_program("later.c");
    let output = program.run(&[], &[("LUTHIER_DEVICE", "gfx90a")]);
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(text(&output), "all called\n");
}

/// An exact device keeps what is freed for a while. The program must not notice, however often it frees it.
#[test]
fn memory_of_an_exact_device_is_freed_once() {
    if !prerequisite::file(HEADER, "libhsa-runtime-dev") {
        return;
    }
    let library = crate::common::library();
    let variables = [
        ("LUTHIER_EXACT", "1"),
        ("HSA_DISABLE_FRAGMENT_ALLOCATOR", "1"),
        ("HSA_TOOLS_LIB", library.to_str().expect("its path is text")),
    ];
    let output = c_program("freed.c").run(&[], &variables);
    assert_eq!(text(&output), "all well\n", "{}", output.status);
}
