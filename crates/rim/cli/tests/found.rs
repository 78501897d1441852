//! The program of docs/check/found.md that the distribution's compiler makes as wrong as the page says: it is found, and its mended twin
//! is not.

use std::{fs, path::Path};

use crate::common::luthier;

/// The program behind a heading of the page.
fn program(heading: &str) -> String {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/check/found.md");
    let page = fs::read_to_string(page).unwrap();
    let section = page.split_once(&format!("\n## {heading}\n"));
    let (_, section) = section.unwrap_or_else(|| panic!("no heading {heading}"));
    let (_, block) = section.split_once("```cpp\n").expect("a program");
    block.split_once("```").expect("its end").0.to_owned()
}

/// The exit status, 9 for a certain finding, and what the check says.
fn races(folder: &Path, name: &str, source: &str, device: &str) -> (Option<i32>, String) {
    let file = folder.join(name);
    fs::write(&file, source).unwrap();
    let offload = format!("--offload-arch={device}");
    let program = compiled::program("hipcc", &file, &["-O3", "-w", &offload], folder);
    let options = ["check", "--races", "--error-exitcode", "9", "--device"];
    let output = luthier(&options).args([device, "--"]).arg(program).output();
    let output = output.unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said)
}

#[test]
fn a_program_of_the_page_is_found_and_its_twin_is_silent() {
    let wrong = program("rocPRIM: two values in one place");
    let missing = "// \"__syncthreads()\" is missing here";
    assert_eq!(wrong.matches(missing).count(), 1, "{wrong}");
    let right = wrong.replace(missing, "__syncthreads();");
    let folder = tempfile::tempdir().unwrap();
    for device in ["gfx90a", "gfx1030"] {
        let (status, said) = races(folder.path(), "wrong.hip", &wrong, device);
        assert!(said.contains("error[lds-race]"), "{device}: {said}");
        assert_eq!(status, Some(9), "{device}: {said}");
        let (status, said) = races(folder.path(), "right.hip", &right, device);
        assert_eq!(status, Some(0), "{device}: {said}");
        assert!(said.contains("certain: 0 findings"), "{device}: {said}");
    }
}
