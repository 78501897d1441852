//! The programs of docs/check/found.md that the distribution's compiler makes as wrong as the page says: they are found, and their mended
//! twins are not.

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

/// A program of the page that is wrong for want of something.
struct Wrong {
    heading: &'static str,
    check: &'static str,
    /// The part of the program that says so, and the one that belongs there.
    missing: [&'static str; 2],
    /// A part of what the check says.
    finding: &'static str,
}

const WRONG: &[Wrong] = &[
    Wrong {
        heading: "rocPRIM: two values in one place",
        check: "--races",
        missing: ["// \"__syncthreads()\" is missing here", "__syncthreads();"],
        finding: "error[lds-race]",
    },
    Wrong {
        heading: "HeCBench: sums without fences",
        check: "--races",
        missing: ["// \"__threadfence()\" is missing here", "__threadfence();"],
        finding: "error[global-race]",
    },
    Wrong {
        heading: "HeCBench: the entropy of an empty class",
        check: "--nan",
        missing: ["entropy -= p", "if (p > 0) entropy -= p"],
        finding: "certain: 64 findings, 1 different: 1 nan-stored",
    },
];

/// The exit status, 9 for a certain finding, and what the check says.
fn checked(
    folder: &Path,
    (name, source): (&str, &str),
    check: &str,
    device: &str,
) -> (Option<i32>, String) {
    let file = folder.join(name);
    fs::write(&file, source).unwrap();
    let offload = format!("--offload-arch={device}");
    let program = compiled::program("hipcc", &file, &["-O3", "-w", &offload], folder);
    let options = ["check", check, "--error-exitcode", "9", "--device"];
    let output = luthier(&options).args([device, "--"]).arg(program).output();
    let output = output.unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said)
}

#[test]
fn programs_of_the_page_are_found_and_their_twins_are_silent() {
    for one in WRONG {
        // A program that was compiled from a file of this name is not compiled again.
        let folder = tempfile::tempdir().unwrap();
        let [missing, right] = one.missing;
        let wrong = program(one.heading);
        assert!(wrong.contains(missing), "{wrong}");
        let right = wrong.replace(missing, right);
        for device in ["gfx90a", "gfx1030"] {
            let tried =
                |name, source: &str| checked(folder.path(), (name, source), one.check, device);
            let (status, said) = tried("wrong.hip", &wrong);
            assert!(said.contains(one.finding), "{device}: {said}");
            assert_eq!(status, Some(9), "{device}: {said}");
            let (status, said) = tried("right.hip", &right);
            assert_eq!(status, Some(0), "{device}: {said}");
            assert!(said.contains("certain: 0 findings"), "{device}: {said}");
        }
    }
}
