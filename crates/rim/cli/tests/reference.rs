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

/// The comment of a command's type is in `--help`, and its first sentence in the list of commands.
#[test]
fn long_help_is_all_that_is_said_of_a_command() {
    for (command, said) in [
        ("demo", "It needs no GPU, no ROCm and no compiler."),
        ("run", "streams stay its own."),
        ("report", "it loads nothing from a network."),
        ("merge", "Counters are added, exactly."),
        (
            "instrument",
            "Kernels that cannot be instrumented stay as they are.",
        ),
        ("verify", "Exit status: 0 if both are equal"),
        ("bisect", "Exit status: 0 if both builds leave"),
        ("check", "Exit status: 0 if there is no certain finding"),
        ("emulate", "Exit status: 0 when the kernel has ended"),
        ("hardware-check", "Exit status: 0 if both agree"),
        ("tool", "`new` writes one to start from"),
    ] {
        let words = |help: String| help.split_whitespace().collect::<Vec<_>>().join(" ");
        let help = words(printed(&[command, "--help"]));
        assert!(help.contains(said), "{command}: {help}");
        let first = help.split(". ").next().unwrap_or_default();
        let all = words(printed(&["--help"]));
        let listed = all.contains(&format!("{command} {first}"));
        assert!(listed, "{command}: {first:?} is not in {all}");
    }
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
