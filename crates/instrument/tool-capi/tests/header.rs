//! The header and this crate say the same: a compiler checks sizes and offsets.

use std::{fmt::Write, path::Path, process::Command};

use tool_capi::{CONSTANTS, ENTRIES, STRUCTURES};

#[test]
fn the_header_says_what_the_table_has() {
    let mut text = String::from("#include <luthier.h>\n");
    let mut claim = |what: String, value: usize| {
        writeln!(text, "static_assert({what} == {value}, \"{what}\");").unwrap();
    };
    for (name, size, members) in STRUCTURES {
        claim(format!("sizeof({name})"), *size);
        for (member, offset) in *members {
            claim(format!("__builtin_offsetof({name}, {member})"), *offset);
        }
    }
    for (entry, offset) in ENTRIES {
        claim(format!("__builtin_offsetof(luthier_api, {entry})"), *offset);
    }
    let (_, last) = ENTRIES[ENTRIES.len() - 1];
    claim("sizeof(luthier_api)".to_owned(), last + size_of::<usize>());
    for (name, value) in CONSTANTS {
        claim((*name).to_owned(), *value as usize);
    }

    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("claims.hip");
    std::fs::write(&source, text).unwrap();
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../include");
    let compiled = Command::new("clang++-22")
        .args([
            "-x",
            "hip",
            "--cuda-host-only",
            "-nogpulib",
            "-nogpuinc",
            "-fsyntax-only",
        ])
        .args(["-std=c++17", "-DLUTHIER_WITHOUT_HIP", "-I"])
        .arg(include)
        .arg(source)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{said}");
}

/// Nothing that passes between both stands in the header alone.
#[test]
fn the_table_has_what_the_header_says() {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../include/luthier.h");
    let header = std::fs::read_to_string(include).unwrap();
    let (mut structures, mut members, mut constants) = (0, 0, 0);
    let mut rest = &*header;
    // Structures in C have no names of their own.
    while let Some((_, behind)) = rest.split_once("typedef struct {\n") {
        let (body, behind) = behind.split_once("} ").unwrap();
        let (name, behind) = behind.split_once(';').unwrap();
        rest = behind;
        structures += 1;
        let lines = body.lines().map(|line| line.split("//").next().unwrap());
        let count = lines.filter(|line| line.trim_end().ends_with(';')).count();
        members += count;
        let known = STRUCTURES.iter().find(|row| row.0 == name);
        let known = match name {
            // Two come before the functions.
            "luthier_api" => ENTRIES.len() + 2,
            _ => known.unwrap_or_else(|| panic!("{name} is missing")).2.len(),
        };
        assert_eq!(known, count, "{name}");
    }
    assert!(structures > 12 && members > 100, "{structures} {members}");
    let mut rest = &*header;
    while let Some((_, behind)) = rest.split_once("enum ") {
        rest = behind;
        let Some((head, body)) = behind.split_once('{') else {
            continue;
        };
        // (The word is in comments, too.)
        if head.contains('\n') {
            continue;
        }
        let body = body.split_once('}').unwrap().0;
        for part in body.split_whitespace() {
            if part.starts_with("LUTHIER_") {
                constants += 1;
                let known = CONSTANTS.iter().any(|row| row.0 == part);
                assert!(
                    known || !body.contains(&format!("{part} =")),
                    "{part} is missing"
                );
            }
        }
    }
    assert!(constants > 60, "{constants}");
}
