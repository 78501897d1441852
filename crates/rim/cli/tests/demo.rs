//! `luthier demo`, and tools in a kernel that runs without ROCm.

use std::{fs, path::Path, process::Command};

use serde_json::Value;

use crate::common::luthier;

fn demo(folder: &Path) -> (String, String) {
    let mut command = luthier(&["demo"]);
    let done = command.current_dir(folder).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(done.status.success(), "{done:?}");
    (text(&done.stdout), text(&done.stderr))
}

/// Everything that it promises is there, and what it says to type next works.
#[test]
fn the_demonstration_leaves_a_report_and_says_what_to_type() {
    let folder = tempfile::tempdir().unwrap();
    let (printed, said) = demo(folder.path());
    // Each lane of the naive kernel stores to a line of its own; the tiled one has a whole column in one bank.
    for part in [
        "A matrix of 256 x 256 was transposed in three ways, and is right.",
        "luthier-demo/report.html",
    ] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    assert!(said.contains("32.00 turns an access"), "{said}");
    let page = fs::read_to_string(folder.path().join("luthier-demo/report.html")).unwrap();
    assert!(page.contains("luthier demo"), "no heading");
    let source = fs::read_to_string(folder.path().join("luthier-demo/transpose.hip")).unwrap();
    assert_eq!(source, include_str!("../../../../examples/transpose.hip"));
    let (_, next) = printed.split_once("What to type next:\n").unwrap();
    let lines: Vec<&str> = next.lines().map(str::trim).collect();
    assert!(lines.len() >= 4, "{next}");
    for line in lines {
        // There is no desktop here, and no program of the user's.
        if line.starts_with("xdg-open") || line.contains("your_hip_program") {
            continue;
        }
        let paths = std::env::var_os("PATH").unwrap_or_default();
        let own = Path::new(env!("CARGO_BIN_EXE_luthier")).parent().unwrap();
        let path = std::env::join_paths(
            [own.to_owned()]
                .into_iter()
                .chain(std::env::split_paths(&paths)),
        );
        let done = Command::new("sh")
            .args(["-c", line])
            .current_dir(folder.path())
            .env("PATH", path.unwrap())
            .output()
            .unwrap();
        assert!(done.status.success(), "{line}: {done:?}");
    }
}

#[test]
fn the_demonstration_says_when_it_cannot_write() {
    let mut command = luthier(&["demo", "-o", "/proc/nowhere"]);
    let done = command.output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(2), "{said}");
    assert!(said.contains("cannot make /proc/nowhere"), "{said}");
}

/// Tools count the instructions that the emulated device retired without them.
#[test]
fn tools_count_what_the_device_executes() {
    let folder = tempfile::tempdir().unwrap();
    demo(folder.path());
    let object = folder.path().join("luthier-demo/transpose.co");
    let emulate = |more: &[&str]| {
        let buffers = ["--arg", "zero:262144", "--arg", "zero:262144"];
        let mut command = luthier(&[
            "emulate",
            "-k",
            "transpose_tiled",
            "--grid",
            "8,8",
            "--block",
            "32,32",
        ]);
        command.args(buffers).args(more).arg(&object);
        let done = command.current_dir(folder.path()).output().unwrap();
        assert!(done.status.success(), "{done:?}");
        done
    };
    let plain: Value = serde_json::from_slice(&emulate(&["--format", "json"]).stdout).unwrap();
    emulate(&[
        "-t",
        "instr-count,mem-trace",
        "-o",
        "out",
        "--report",
        "page.html",
    ]);
    let entries = fs::read_dir(folder.path().join("out")).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let read = |start: &str| -> Value {
        let name = names.iter().find(|name| name.starts_with(start)).unwrap();
        serde_json::from_slice(&fs::read(folder.path().join("out").join(name)).unwrap()).unwrap()
    };
    let counted = &read("instr-count.")[0];
    for key in ["wave_instructions", "lane_instructions"] {
        assert_eq!(counted[key], plain[key], "{key}");
    }
    // Each of 65536 elements is read and written in memory and in LDS.
    let summary = read("summary.");
    assert_eq!(summary["records"][0]["written"], 4 * 65536, "{summary}");
    assert_eq!(summary["records"][0]["dropped"], 0);
    assert!(
        names.iter().any(|name| name.ends_with(".parquet")),
        "{names:?}"
    );
    assert!(folder.path().join("page.html").exists());
}

#[test]
fn options_for_tools_need_tools() {
    let folder = tempfile::tempdir().unwrap();
    demo(folder.path());
    let object = folder.path().join("luthier-demo/transpose.co");
    for option in ["--site=kind=store", "--output=out"] {
        let mut command = luthier(&["emulate", "-k", "transpose_tiled", option]);
        let done = command.arg(&object).output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(2), "{said}");
        assert!(said.contains("add -t TOOL"), "{said}");
    }
}
