//! Threads that wait as those of HIP do.

use std::{path::Path, process::Command};

use crate::driver::{run, text};

/// Compiles `waiting.c`.
fn compiled(options: &[&str], output: &Path) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/waiting.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-Wall", "-Werror", "-O1"]).args(options);
    let said = compiler.arg(source).arg("-ldl").arg("-o").arg(output);
    let said = said.output().expect("a C compiler");
    assert!(said.status.success(), "{}", text(&said));
}

#[test]
fn hip_sleeps_while_it_waits_for_an_emulated_device_and_others_do_not() {
    let directory = tempfile::tempdir().unwrap();
    let [program, hip, other] =
        ["program", "libamdhip64.so.6", "libother.so"].map(|name| directory.path().join(name));
    compiled(&[], &program);
    for library in [&hip, &other] {
        compiled(&["-DLIBRARY", "-shared", "-fPIC"], library);
    }
    let libraries = [hip.to_str().unwrap(), other.to_str().unwrap()];
    let output = run(&program, &libraries, &[]);
    // First without a device, then with one.
    let expected = ["awake ", "awake ", "slept ", "awake "];
    let said = text(&output);
    assert_eq!(said.lines().collect::<Vec<_>>(), expected);
}
