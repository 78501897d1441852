//! Contents of memory and registers before the first write, with `--fill`.

use std::process::Command;

use crate::common::{hip, luthier};

fn seen(command: &mut Command) -> Vec<String> {
    let output = command
        .arg("--")
        .arg(hip("unwritten.hip"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_whitespace().map(str::to_owned).collect()
}

fn filled(pattern: &str) -> Vec<String> {
    seen(&mut luthier(&[
        "run", "--device", "gfx90a", "--fill", pattern,
    ]))
}

#[test]
fn programs_see_what_fill_says() {
    let zeros = ["00000000"; 4];
    assert_eq!(seen(&mut luthier(&["run", "--device", "gfx90a"])), zeros);
    assert_eq!(filled("zero"), zeros);
    assert_eq!(filled("a5"), ["a5a5a5a5"; 4]);
    assert_eq!(filled("7fc00001"), ["7fc00001"; 4]);
    let (random, again, other) = (filled("random"), filled("random:1"), filled("random:2"));
    // The driver's numbers that the launch gets are the same each time.
    assert_eq!(random, again);
    assert!(
        random.iter().zip(&other).all(|(one, two)| one != two),
        "{random:?} {other:?}"
    );
    let mut by_variable = luthier(&["run", "--device", "gfx90a"]);
    by_variable.env("LUTHIER_FILL", "5a");
    assert_eq!(seen(&mut by_variable), ["5a5a5a5a"; 4]);
    let mut both = luthier(&["run", "--device", "gfx90a", "--fill", "zero"]);
    both.env("LUTHIER_FILL", "5a");
    assert_eq!(seen(&mut both), zeros);
}

#[test]
fn bad_patterns_are_refused() {
    for pattern in ["", "xyz", "random:", "123"] {
        for arguments in [
            &["run", "--fill", pattern, "--", "true"][..],
            &["emulate", "k.co", "-k", "k", "--fill", pattern],
        ] {
            let output = luthier(arguments).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{said}");
            assert!(
                said.contains("--fill") && said.contains("random:SEED"),
                "{said}"
            );
        }
    }
}

/// The program runs, and the user hears what did not count.
#[test]
fn unknown_values_of_the_devices_variables_are_told() {
    use std::os::unix::ffi::OsStrExt;
    let odd = std::ffi::OsStr::from_bytes(b"\xff");
    for (name, value, said) in [
        (
            "LUTHIER_EXACT",
            "yes".as_ref(),
            "LUTHIER_EXACT=yes: expected 1 or 0",
        ),
        (
            "LUTHIER_EXACTNESS",
            "on".as_ref(),
            "LUTHIER_EXACTNESS=on: expected 1 or 0",
        ),
        (
            "LUTHIER_SERIALIZE",
            "on".as_ref(),
            "LUTHIER_SERIALIZE=on: expected 1 or 0",
        ),
        (
            "LUTHIER_STRICT",
            "on".as_ref(),
            "LUTHIER_STRICT=on: expected 1 or 0",
        ),
        ("LUTHIER_FILL", odd, "LUTHIER_FILL is not used"),
        ("LUTHIER_NATIVE", odd, "LUTHIER_NATIVE is not used"),
    ] {
        let mut command = luthier(&["run", "--device", "gfx90a", "-t", "launch-log", "--"]);
        let output = command.arg(hip("unwritten.hip")).env(name, value).output();
        let output = output.unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {text}");
        assert_eq!(text.matches(said).count(), 1, "{name}: {text}");
    }
}
