//! Memory that the first call of HIP gives. Under HIP 6 and later, this call loads ROCr, so `./dev rocm NAME --checks` runs these tests, too.

use std::path::Path;

use crate::common::{compile, hip, luthier};

const LIBRARY: [&str; 5] = ["-O1", "-w", "--offload-arch=gfx90a", "-shared", "-fPIC"];

/// Memory that only devices write.
const DEVICE: [&str; 5] = ["device", "flags", "stream", "pitched", "planes"];

/// Returns the program's output and the checker's.
fn check(options: &[&str], program: &Path, arguments: &[&str]) -> (String, String) {
    let mut command = luthier(&["check", "--device", "gfx90a"]);
    let command = command.args(options).arg("--").arg(program);
    let output = command.args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

fn finds(program: &Path, arguments: &[&str], expected: &str) {
    let (printed, said) = check(&["--init"], program, arguments);
    if printed == "not supported\n" {
        return;
    }
    assert_eq!(printed, "done\n", "{arguments:?}: {said}");
    assert!(said.contains(expected), "{arguments:?}: {said}");
}

const FOUND: &str = "certain: 1 finding: 1 undefined-condition";
const NOTHING: &str = "certain: 0 findings";

#[test]
fn it_is_undefined_if_only_devices_write_it() {
    let program = hip("first.hip");
    for kind in DEVICE {
        finds(&program, &[kind], FOUND);
        finds(&program, &[&format!("{kind}-ok")], NOTHING);
    }
    for kind in ["managed", "pinned", "variable"] {
        finds(&program, &[kind], NOTHING);
    }
}

/// The second library is loaded when HIP has long been there.
#[test]
fn it_is_undefined_in_libraries_that_a_program_opens() {
    let opener = compile("gcc", "opener.c", &["-O1"]);
    let library = compile("hipcc", "first.hip", &LIBRARY);
    let other = compile("hipcc", "first.hip", &[&LIBRARY[..], &["-g"]].concat());
    let (library, other) = (library.to_str().unwrap(), other.to_str().unwrap());
    for kind in DEVICE {
        let right = format!("{kind}-ok");
        for before in [&[][..], &[other, "nothing"]] {
            finds(&opener, &[before, &[library, kind]].concat(), FOUND);
            finds(&opener, &[before, &[library, &right]].concat(), NOTHING);
        }
    }
}

#[test]
fn it_leaks_if_its_function_was_looked_up() {
    let opener = compile("gcc", "opener.c", &["-O1"]);
    let arguments = ["libamdhip64.so", "looked-up"];
    let (printed, said) = check(&["--leaks"], &opener, &arguments);
    assert_eq!(printed, "done\n", "{said}");
    for part in ["256 bytes", "hipMalloc by main", "1 leak"] {
        assert!(said.contains(part), "no {part:?} in {said}");
    }
}
