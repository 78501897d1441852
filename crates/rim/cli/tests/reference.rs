//! docs/reference.md is what the commands say of themselves; `luthier tool include` leads to the headers.

use std::{fs, path::Path, process::Command};

use crate::common::luthier;

fn printed(arguments: &[&str]) -> String {
    let output = luthier(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_reference_is_of_these_commands() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/reference.md");
    let page = fs::read_to_string(path).unwrap();
    let (ours, pages) = (printed(&["manual", "--markdown"]), page.lines());
    let differs = ours
        .lines()
        .zip(pages)
        .position(|(ours, page)| ours != page);
    assert!(
        ours == page,
        "docs/reference.md is older, from line {:?} on: target/release/luthier manual --markdown > docs/reference.md",
        differs.map(|line| line + 1)
    );
}

#[test]
fn the_header_is_where_it_is_said_to_be() {
    let directory = printed(&["tool", "include"]);
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("tool.hip");
    fs::write(
        &source,
        "#include <luthier.h>\nMARK_LUTHIER_DEVICE_MODULE\n",
    )
    .unwrap();
    let output = Command::new("hipcc")
        .args([
            "-fsyntax-only",
            "--offload-arch=gfx90a",
            "-I",
            directory.trim(),
        ])
        .arg(&source)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}
