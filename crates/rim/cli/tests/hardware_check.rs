//! `luthier hardware-check`, with the emulated device behind the real HSA runtime in place of a GPU.

mod common;

use std::{fs, path::Path, process::Output};

use common::luthier;

/// A name that nothing else has.
const PERSON: &str = "jane-roe-of-this-test";

fn checked(directory: &Path, device: &str, only: &str) -> Output {
    let output = luthier(&["run", "--device", device, "--"])
        .arg(env!("CARGO_BIN_EXE_luthier"))
        .args(["hardware-check", "--inputs", "4096", "--only", only, "-o"])
        .arg(directory.join("check.json"))
        .env("USER", PERSON)
        .env("HOSTNAME", PERSON)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{device}: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

#[test]
fn the_stand_in_agrees_and_its_file_can_be_shown() {
    let directory = tempfile::tempdir().unwrap();
    let output = checked(directory.path(), "gfx90a", "_f16");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        said.contains("instructions agree with the emulated device in every bit"),
        "{said}"
    );
    assert!(said.contains("100.000 % the same"), "{said}");

    let file = directory.path().join("check.json");
    let text = fs::read_to_string(&file).unwrap();
    assert!(!text.contains(PERSON));
    assert!(!text.contains(&directory.path().display().to_string()));
    let page = fs::read_to_string(directory.path().join("check.html")).unwrap();
    assert!(page.contains("v_rcp_f16"), "{page}");

    let shown = luthier(&["hardware-check", "--import"])
        .arg(&file)
        .arg(&file)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(
        shown.status.success() && said.contains("100.000 % same, 0 ulp"),
        "{said}"
    );
}

#[test]
fn a_file_that_is_none_is_named_with_the_reason() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("other.json");
    for (text, reason) in [
        ("{}", "no result of hardware-check"),
        ("{\"version\": 900}", "version 900"),
    ] {
        fs::write(&file, text).unwrap();
        let shown = luthier(&["hardware-check", "--import"])
            .arg(&file)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&shown.stderr).into_owned();
        assert_eq!(shown.status.code(), Some(2));
        assert!(
            said.contains("other.json") && said.contains(reason),
            "{said}"
        );
    }
}
