//! Runs the instruction tests of `tests/exec/*.s`; the crate `documented` says how they are written.

use crate::harness::file;
use crate::harness::probes;

use std::collections::{BTreeMap, BTreeSet};

use documented::FILES;
use gfx::Target;

/// The embedded files are those that lie in the folder.
#[test]
fn no_file_is_forgotten() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exec");
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder of instruction tests")
        .map(|entry| entry.expect("a file name").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "s"))
        .map(|path| {
            path.file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    let known: Vec<_> = FILES.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, known, "crates/emulate/documented/src/files.rs");
}

#[test]
fn every_file() {
    let mut complaints = Vec::new();
    let mut cases = 0;
    for (name, text) in FILES {
        match documented::parse(text) {
            Err((line, what)) => complaints.push(format!("{name}:{line}: {what}")),
            Ok(all) => {
                for case in all {
                    cases += case.runs.len();
                    let place = format!("{name}:{} ({})", case.line, case.text.trim());
                    complaints.extend(
                        file::check(&case)
                            .iter()
                            .map(|what| format!("{place}: {what}")),
                    );
                }
            }
        }
    }
    println!("{cases} cases");
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Rows without a case on targets that have SRAM ECC on: what becomes of the unused half of a register when the other half is
/// loaded and converted is not published for them.
const UNPUBLISHED_WITH_ECC: &[&str] = &[
    "buffer_load_format_d16_hi_x",
    "buffer_load_format_d16_x",
    "buffer_load_format_d16_xyz",
    "tbuffer_load_format_d16_x",
    "tbuffer_load_format_d16_xyz",
];

/// Rows of the instructions that LLVM decodes for `target`.
fn executed(target: &'static Target, wave_size: u32) -> BTreeSet<&'static str> {
    let decoder = isa::Decoder::new(target).expect("a decoder");
    let probes = [probes::alu(target.family), probes::memory(target.family)].concat();
    let probes = probes.into_iter().map(|[a, b, c]| [a, b, c, 0]);
    let probes = probes.chain(probes::scaled_products());
    let rows = |words: [u32; 4]| {
        let code: Vec<u8> = words
            .iter()
            .chain(&[0])
            .flat_map(|word| word.to_le_bytes())
            .collect();
        let inst = decoder.decode(&code, 0).ok()?;
        if inst.format == isa::Format::Vopd && wave_size == 64 {
            return None;
        }
        wave::rows_of(inst.op, target)
    };
    probes.filter_map(rows).flatten().collect()
}

/// Images need more than a case here can say: their rows have tests in these files.
const IMAGES: &str = concat!(
    include_str!("images.rs"),
    include_str!("image_levels.rs"),
    include_str!("image_forms.rs")
);

/// In text of assembly; atomics are named in tables.
fn has_image_test(row: &str) -> bool {
    match row.strip_prefix("image_atomic_") {
        Some(name) => IMAGES.contains(&format!("(\"{name}\", ")),
        None => {
            let written = |text: String| IMAGES.contains(&text);
            row.starts_with("image_")
                && (written(format!("{row} v")) || written(format!("\"{row}\"")))
        }
    }
}

/// Every row has a case on each target that cases run on and whose instructions LLVM says it is in, in each wave size.
#[test]
fn every_row_has_a_case() {
    let mut cases: BTreeMap<(String, u32), BTreeSet<&'static str>> = BTreeMap::new();
    for (_, text) in FILES {
        for case in documented::parse(text).unwrap_or_default() {
            for (name, wave_size) in &case.runs {
                let target = Target::find(name).expect("a target");
                let known = cases.entry((name.clone(), *wave_size)).or_default();
                known.extend(file::rows(&case, target, *wave_size));
            }
        }
    }
    // Targets of one kind have the same instructions.
    let kind = |target: &Target| (target.family, target.matrix);
    let kinds = cases.keys().filter_map(|(name, wave_size)| {
        let target = Target::find(name)?;
        Some((kind(target), *wave_size))
    });
    let kinds: Vec<_> = kinds.collect();
    for target in gfx::TARGETS.iter().filter(|target| wave::executes(target)) {
        let sizes: &[u32] = match target.supports_wave32() {
            true => &[32, 64],
            false => &[64],
        };
        for &size in sizes {
            assert!(
                kinds.contains(&(kind(target), size)),
                "no case runs on {} or a target of its kind with {size} lanes: add it to the headers of cases (`;! target`), or \
                 to `ALIKE` in crates/emulate/documented/src/case.rs beside a target with the same instructions",
                target.name
            );
        }
    }
    let mut lacking = Vec::new();
    for ((name, wave_size), cases) in &cases {
        let target = Target::find(name).expect("a target");
        let mut without = &executed(target, *wave_size) - cases;
        without.retain(|row| !has_image_test(row));
        if target.has_sramecc_by_default() {
            for mnemonic in UNPUBLISHED_WITH_ECC {
                assert!(without.remove(mnemonic), "{mnemonic} has a case on {name}");
            }
        }
        lacking.extend(
            without
                .iter()
                .map(|row| format!("{row} on {name} wave{wave_size}")),
        );
    }
    // Rows of later targets only, and rows of none.
    let anywhere: BTreeSet<&str> = cases.values().flatten().copied().collect();
    let rows = wave::all_rows().iter().map(|row| row.mnemonic);
    lacking.extend(
        rows.filter(|row| !anywhere.contains(row) && !has_image_test(row))
            .map(str::to_owned),
    );
    assert!(
        lacking.is_empty(),
        "rows without a case in tests/exec:\n{}",
        lacking.join("\n")
    );
}

/// The runner notices wrong values, forgotten registers and malformed lines.
#[test]
fn faults_are_noticed() {
    let header = ";! target gfx90a\n;! by spec none\n;! in v4 = u32[1, 2]\n";
    let complaints = |body: &str| -> String {
        match documented::parse(&format!("{header}{body}")) {
            Err((line, what)) => format!("line {line}: {what}"),
            Ok(cases) => cases.iter().flat_map(file::check).collect(),
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
