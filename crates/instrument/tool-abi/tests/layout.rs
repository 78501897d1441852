//! Tools that were compiled earlier find everything where it was. `layout-2.txt` has what clang made of the header of that version, when it
//! was still written by hand; `cargo xtask tool-abi` adds lines to it and changes none.

use std::path::Path;

#[test]
fn everything_is_where_tools_were_compiled_to_find_it() {
    let version = tool_abi::constants::API_VERSION;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("layout-{version}.txt"));
    let text = std::fs::read_to_string(path).unwrap();
    let mut present = Vec::new();
    for structure in tool_abi::all_structures() {
        present.push(format!("{} {}", structure.name, structure.size));
        for member in structure.members {
            present.push(format!(
                "{}.{} {}",
                structure.name, member.name, member.offset
            ));
        }
    }
    for (_, all) in tool_abi::enumerations() {
        present.extend(all.iter().map(|row| format!("{} {}", row.name, row.value)));
    }
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.len() > 230, "{}", lines.len());
    let moved: Vec<_> = lines
        .iter()
        .filter(|line| !present.iter().any(|now| now == *line))
        .collect();
    assert!(moved.is_empty(), "not there any more: {moved:?}");
}

/// Numbers of arguments are not given twice.
#[test]
fn kinds_of_arguments_are_numbered_without_gaps() {
    let kinds = tool_abi::argument_kinds();
    for (number, kind) in kinds.iter().enumerate() {
        assert_eq!(kind.value as usize, number, "{}", kind.name);
    }
}
