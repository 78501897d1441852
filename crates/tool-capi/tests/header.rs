//! The header and this crate say the same: a compiler checks sizes and offsets.

use std::{fmt::Write, path::Path, process::Command};

use tool_capi::{ENTRIES, STRUCTURES};

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

    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("claims.hip");
    std::fs::write(&source, text).unwrap();
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../include");
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
