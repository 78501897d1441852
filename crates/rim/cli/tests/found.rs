//! Programs of docs/check/found.md that need nothing but the distribution's HIP: each has the finding that the page names, and its mended
//! twin has none.

use std::{fs, path::Path};

use crate::common::luthier;
use compiled::Compiler;

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
    let (file, program) = (folder.join(format!("{name}.hip")), folder.join(name));
    fs::write(&file, source).unwrap();
    let compiled = Compiler::new("hipcc")
        .args(["-O3", "-w"])
        .arg(format!("--offload-arch={device}"))
        .arg(&file)
        .arg("-o")
        .arg(&program)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{name}: {errors}");
    let options = ["check", "--races", "--error-exitcode", "9", "--device"];
    let output = luthier(&options).args([device, "--"]).arg(program).output();
    let output = output.unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said)
}

#[test]
fn programs_of_the_page_are_found_and_their_twins_are_silent() {
    let folder = tempfile::tempdir().unwrap();
    for (heading, devices, finding, wrong, right) in [(
        "rocPRIM: two values in one place",
        ["gfx90a", "gfx1030"],
        "error[lds-race]",
        "// \"__syncthreads()\" is missing here",
        "__syncthreads();",
    )] {
        let source = program(heading);
        assert_eq!(source.matches(wrong).count(), 1, "{heading}");
        for device in devices {
            let (status, said) = races(folder.path(), "wrong", &source, device);
            assert!(said.contains(finding), "{heading}, {device}: {said}");
            assert_eq!(status, Some(9), "{heading}, {device}: {said}");
            let mended = source.replace(wrong, right);
            let (status, said) = races(folder.path(), "right", &mended, device);
            assert_eq!(status, Some(0), "{heading}, {device}: {said}");
            assert!(
                said.contains("certain: 0 findings"),
                "{heading}, {device}: {said}"
            );
        }
    }
}
