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
        ("report", "loads nothing from a network."),
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

/// As an interactive shell would ask for them.
#[test]
fn completions_know_commands_and_options() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("luthier.bash");
    fs::write(&script, printed(&["completions", "bash"])).unwrap();
    let offered = |words: &str, word: &str, before: &str| {
        let line = format!(
            "source {}; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _luthier luthier {word} {before}; \
             printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            script.display()
        );
        let output = Command::new("bash").args(["-c", &line]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(
        offered("luthier ins", "ins", "luthier"),
        "inspect\ninstrument\n"
    );
    assert_eq!(offered("luthier run --dev", "--dev", "run"), "--device\n");
    let formats = offered("luthier inspect --format ''", "''", "--format");
    assert_eq!(formats, "text\njson\n");
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("man1");
    printed(&["manual", to.to_str().unwrap()]);
    let reference = printed(&["manual", "--markdown"]);
    let commands: Vec<&str> = reference
        .lines()
        .filter_map(|line| line.strip_prefix("## "))
        .collect();
    assert!(commands.len() > 30, "{commands:?}");
    for command in commands {
        let page = to.join(format!("{}.1", command.replace(' ', "-")));
        let text = fs::read_to_string(&page).unwrap_or_else(|error| panic!("{command}: {error}"));
        assert!(
            text.contains(".SH NAME") && text.contains(".SH SYNOPSIS"),
            "{command}"
        );
    }
}
