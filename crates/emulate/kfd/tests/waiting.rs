//! Threads that wait as those of HIP do.

use std::ffi::OsStr;

use crate::driver::{c, run, text};

#[test]
fn hip_sleeps_while_it_waits_for_an_emulated_device_and_others_do_not() {
    let directory = tempfile::tempdir().unwrap();
    let [program, hip, other] =
        ["program", "libamdhip64.so.6", "libother.so"].map(|name| directory.path().join(name));
    c("waiting.c", &[], &program);
    for library in [&hip, &other] {
        c(
            "waiting.c",
            &["-DLIBRARY", "-shared", "-fPIC"].map(OsStr::new),
            library,
        );
    }
    let libraries = [hip.to_str().unwrap(), other.to_str().unwrap()];
    let output = run(&program, &libraries, &[]);
    // First without a device, then with one.
    let expected = ["awake ", "awake ", "slept ", "awake "];
    let said = text(&output);
    assert_eq!(said.lines().collect::<Vec<_>>(), expected);
}
