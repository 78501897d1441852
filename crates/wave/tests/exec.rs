//! Runs the instruction tests of `tests/exec/*.s`; `harness/file.rs` says how they are written.

#[path = "harness/file.rs"]
mod file;
mod harness;

use std::path::{Path, PathBuf};

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exec");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder of instruction tests")
        .map(|entry| entry.expect("a file name").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "s"))
        .collect();
    files.sort();
    files
}

#[test]
fn every_file() {
    let mut complaints = Vec::new();
    let mut cases = 0;
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match file::parse(&text) {
            Err((line, what)) => complaints.push(format!("{name}:{line}: {what}")),
            Ok(all) => {
                for case in all {
                    cases += case.runs.len();
                    let place = format!("{name}:{} ({})", case.line, case.text.trim());
                    complaints.extend(case.check().iter().map(|what| format!("{place}: {what}")));
                }
            }
        }
    }
    println!("{cases} cases");
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// The runner notices wrong values, forgotten registers and malformed lines.
#[test]
fn faults_are_noticed() {
    let header = ";! target gfx90a\n;! by spec none\n;! in v4 = u32[1, 2]\n";
    let complaints = |body: &str| -> String {
        match file::parse(&format!("{header}{body}")) {
            Err((line, what)) => format!("line {line}: {what}"),
            Ok(cases) => cases.iter().flat_map(file::Case::check).collect(),
        }
    };
    let add = "v_add_u32_e32 v0, 1, v4\n";
    assert_eq!(complaints(&format!("{add};= v0 = u32[2, 3]")), "");
    for (body, part) in [
        (
            format!("{add};= v0 = u32[2, 4]"),
            "v0 lane 1 is 0x3, not 0x4",
        ),
        (format!("{add};= v1 = any"), "v0 changed"),
        (format!("s_mov_b32 s0, 1\n{add};= v0 = any"), "s0 changed"),
        (format!("{add};= v0 = u8[1]"), "line 5: unknown type \"u8\""),
        (
            format!("{add};= w0 = any"),
            "line 5: unknown register \"w0\"",
        ),
        (add.to_owned(), "expects nothing"),
        (
            format!(";! inn v0 = u32[1]\n{add};= v0 = any"),
            "line 4: unknown directive \"inn\"",
        ),
        ("s_trap 2\n;= v0 = any".to_owned(), "stopped by Trap"),
    ] {
        assert!(
            complaints(&body).contains(part),
            "{body}: {}",
            complaints(&body)
        );
    }
}
