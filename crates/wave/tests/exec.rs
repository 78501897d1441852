//! Runs the instruction tests of `tests/exec/*.s`; `harness/file.rs` says how they are written.

#[path = "harness/file.rs"]
mod file;
mod harness;
#[path = "harness/probes.rs"]
mod probes;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use gfx::Target;

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

/// gfx9, or gfx10 with its wave size: where semantics may differ.
fn column(target: &Target, wave_size: u32) -> String {
    format!("{:?}/{wave_size}", target.family)
}

/// Every row has a case on gfx9 and on gfx10 in both wave sizes, wherever LLVM decodes its mnemonic.
#[test]
fn every_row_has_a_case() {
    let mut cases: BTreeMap<String, BTreeSet<&'static str>> = BTreeMap::new();
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        for case in file::parse(&text).unwrap_or_default() {
            for (target, wave_size) in &case.runs {
                let target = Target::find(target).expect("a target");
                let known = cases.entry(column(target, *wave_size)).or_default();
                known.extend(case.mnemonics(target, *wave_size));
            }
        }
    }
    let rows: BTreeSet<_> = wave::all_rows().iter().map(|row| row.mnemonic).collect();
    let mut lacking: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let mut decoded = BTreeSet::new();
    for name in ["gfx900", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx1030"] {
        let target = Target::find(name).expect("a target");
        let decoder = isa::Decoder::new(target).expect("a decoder");
        let sizes: &[u32] = if name == "gfx1030" { &[32, 64] } else { &[64] };
        for words in [probes::alu(target.family), probes::memory(target.family)].concat() {
            let code: Vec<u8> = words
                .iter()
                .chain(&[0, 0])
                .flat_map(|word| word.to_le_bytes())
                .collect();
            let Ok(inst) = decoder.decode(&code, 0) else {
                continue;
            };
            if !rows.contains(inst.mnemonic) {
                continue;
            }
            decoded.insert(inst.mnemonic);
            for &size in sizes {
                let column = column(target, size);
                if !cases[&column].contains(inst.mnemonic) {
                    lacking.entry(inst.mnemonic).or_default().insert(column);
                }
            }
        }
    }
    println!(
        "{} rows, {} with cases everywhere",
        rows.len(),
        decoded.len() - lacking.len()
    );
    let dead = &rows - &decoded;
    assert!(dead.is_empty(), "rows that no target decodes: {dead:?}");
    let lines: Vec<String> = lacking
        .iter()
        .map(|(mnemonic, columns)| format!("{mnemonic}: {columns:?}"))
        .collect();
    assert!(
        lines.is_empty(),
        "rows without a case in tests/exec:\n{}",
        lines.join("\n")
    );
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
