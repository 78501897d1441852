//! The list of values is that of the header for hooks, and of the compiler that makes hooks' wrappers.

use std::collections::BTreeSet;
use std::path::Path;
use template::HOOK_VALUES;

/// Name, dwords, whether lanes have values of their own.
type Row = (String, u8, bool);

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    std::fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn the_header_declares_them() {
    let known: BTreeSet<Row> = HOOK_VALUES
        .iter()
        .map(|row| (row.name.to_owned(), row.dwords, row.per_lane))
        .collect();
    let header = read("include/luthier_device.h");
    let declarations = header
        .lines()
        .filter(|line| line.starts_with("LUTHIER_SUPPLIED luthier_u"));
    let mut declared = BTreeSet::new();
    for line in declarations {
        for (prefix, dwords, per_lane) in [
            (" __luthier_scalar32_", 1, false),
            (" __luthier_scalar64_", 2, false),
            (" __luthier_vector32_", 1, true),
            (" __luthier_vector64_", 2, true),
        ] {
            let Some((_, rest)) = line.split_once(prefix) else {
                continue;
            };
            if let Some(name) = rest.strip_suffix("(void);") {
                declared.insert((name.to_owned(), dwords, per_lane));
            }
        }
    }
    assert!(declared.len() > 10, "the header declares {declared:?}");
    let unknown: Vec<_> = declared.difference(&known).collect();
    assert!(unknown.is_empty(), "not in the list: {unknown:?}");
}

#[test]
fn the_compiler_has_them() {
    let wrapper = read("crates/instrument/llvm-codegen/src/cxx/wrapper.cpp");
    let rows = wrapper.lines().filter_map(|line| {
        let (_, rest) = line.split_once("{Intrinsic::")?;
        let mut parts = rest.trim_end_matches("},").split(", ").skip(1);
        let name = parts.next()?.trim_matches('"').to_owned();
        let per_lane = parts.next()? == "LUTHIER_CODEGEN_VECTOR";
        Some((name, parts.next()?.parse().ok()?, per_lane))
    });
    let rows: Vec<Row> = rows.collect();
    assert!(rows.len() > 5, "the compiler has {rows:?}");
    for (name, dwords, per_lane) in rows {
        // This value is not supplied, and is refused where it is asked for.
        if name == "queue_ptr" {
            continue;
        }
        let row = HOOK_VALUES.iter().find(|row| row.name == name);
        let row = row.unwrap_or_else(|| panic!("{name} is not in the list"));
        assert_eq!((row.dwords, row.per_lane), (dwords, per_lane), "{name}");
    }
}
