//! The values are those of the compiler that makes hooks' wrappers.

use std::{collections::BTreeSet, path::Path};

use tool_abi::{HOOK_VALUES, HookValueRow};

fn wrapper() -> String {
    let path = "../llvm-codegen/src/cxx/wrapper.cpp";
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// Values that hooks in HIP get from the compiler's own functions (`threadIdx`).
#[test]
fn the_compiler_has_those_of_its_intrinsics() {
    let wrapper = wrapper();
    let rows = wrapper.lines().filter_map(|line| {
        let (_, rest) = line.split_once("{Intrinsic::")?;
        let mut parts = rest.trim_end_matches("},").split(", ").skip(1);
        let name = parts.next()?.trim_matches('"').to_owned();
        let per_lane = parts.next()? == "LUTHIER_CODEGEN_VECTOR";
        Some((name, parts.next()?.parse::<u8>().ok()?, per_lane))
    });
    let rows: Vec<_> = rows.collect();
    assert!(rows.len() > 5, "the compiler has {rows:?}");
    for (name, dwords, per_lane) in rows {
        // A value that no place has is refused where a hook asks for it.
        if name == "queue_ptr" {
            continue;
        }
        let row = HookValueRow::named(&name);
        let row = row.unwrap_or_else(|| panic!("{name} is not in the list"));
        assert_eq!((row.dwords, row.per_lane), (dwords, per_lane), "{name}");
    }
}

/// `if (Write && (What == "exec" || ...)) {`, and behind it those with two dwords.
#[test]
fn the_compiler_has_those_that_hooks_set() {
    let wrapper = wrapper();
    let (_, rest) = wrapper.split_once("if (Write && (").unwrap();
    let (all, rest) = rest.split_once(')').unwrap();
    let wide = rest.split_once("uint32_t Dwords = ").unwrap().1;
    let wide = wide.split_once('?').unwrap().0;
    let names = |text: &str| -> BTreeSet<String> {
        let words = text.split('"').skip(1).step_by(2);
        words.map(str::to_owned).collect()
    };
    let rows = || HOOK_VALUES.iter().filter(|row| row.written.is_some());
    let known = rows().map(|row| row.name.to_owned()).collect();
    assert_eq!(names(all), known);
    let known = rows().filter(|row| row.dwords == 2);
    assert_eq!(names(wide), known.map(|row| row.name.to_owned()).collect());
}

#[test]
fn names_words_and_dimensions_are_not_given_twice() {
    let mut names = BTreeSet::new();
    for row in HOOK_VALUES {
        assert!(names.insert(row.name), "{}", row.name);
        assert!(row.word.is_empty() || names.insert(row.word) || row.word == row.name);
        assert_eq!(HookValueRow::named(row.name).unwrap().value, row.value);
        assert_eq!(row.value.row().unwrap().name, row.name);
    }
}
