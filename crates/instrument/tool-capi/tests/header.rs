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

/// Tools in Rust have the same table.
#[test]
fn the_crate_for_tools_says_the_same() {
    use luthier_tool::abi;
    assert_eq!(abi::ENTRIES, ENTRIES);
    for row in abi::STRUCTURES {
        let known = STRUCTURES.iter().find(|known| known.0 == row.0);
        assert_eq!(known, Some(row));
    }
    let entry = STRUCTURES
        .iter()
        .find(|row| row.0 == "luthier_tool_entries");
    let (_, size, members) = entry.unwrap();
    assert_eq!(size_of::<luthier_tool::Entry>(), *size);
    let copied = members.iter().find(|member| member.0 == "copied");
    let offset = std::mem::offset_of!(luthier_tool::Entry, copied);
    assert_eq!(copied, Some(&("copied", offset)));
    for (name, value) in [
        ("LUTHIER_API_VERSION", abi::VERSION),
        ("LUTHIER_WANTS_RECORDS", abi::WANTS_RECORDS),
        ("LUTHIER_WANTS_ENDS", abi::WANTS_ENDS),
        ("LUTHIER_WANTS_COPIES", abi::WANTS_COPIES),
        ("LUTHIER_NO_DEVICE", abi::NO_DEVICE),
        ("LUTHIER_REGISTERED_FUNCTION", abi::REGISTERED_FUNCTION),
        ("LUTHIER_REGISTERED_VARIABLE", abi::REGISTERED_VARIABLE),
        ("LUTHIER_REGISTERED_MANAGED", abi::REGISTERED_MANAGED),
        ("LUTHIER_IPOINT_BEFORE", abi::IPOINT_BEFORE),
        ("LUTHIER_IPOINT_AFTER", abi::IPOINT_AFTER),
        ("LUTHIER_IPOINT_EDGE", abi::IPOINT_EDGE),
        ("LUTHIER_IPOINT_BLOCK", abi::IPOINT_BLOCK),
        ("LUTHIER_CHANGE_REMOVE", abi::CHANGE_REMOVE),
        ("LUTHIER_CHANGE_REPLACE", abi::CHANGE_REPLACE),
        ("LUTHIER_CHANGE_ADD_BEFORE", abi::CHANGE_ADD_BEFORE),
        ("LUTHIER_CHANGE_ADD_AFTER", abi::CHANGE_ADD_AFTER),
    ] {
        assert_eq!(
            CONSTANTS.iter().find(|row| row.0 == name),
            Some(&(name, value))
        );
    }
    assert_eq!(abi::OWN_MODULE, tool_capi::OWN_MODULE);
    for (number, kind) in abi::ARGUMENTS.iter().enumerate() {
        let name = format!("LUTHIER_ARG_{kind}");
        let known = CONSTANTS.iter().find(|row| row.0 == name);
        assert_eq!(known.map(|row| row.1), Some(number as u32), "{name}");
    }
}

/// Tools get all bits of an instruction's effects.
#[test]
fn every_class_has_a_name() {
    let classes = tool_capi::CONSTANTS
        .iter()
        .filter(|row| row.0.starts_with("LUTHIER_CLASS_"));
    let named = classes.fold(0, |bits, row| bits | row.1);
    assert_eq!(named, isa::Effects::all().bits());
}
