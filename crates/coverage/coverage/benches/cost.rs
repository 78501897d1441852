//! What counters cost: emulated wave instructions and code size of the oracle's kernels, plain and instrumented.

#[path = "../tests/common/mod.rs"]
mod common;

use std::{fs, path::Path, process::Command};

use common::{Workspace, emulator, sources, text};
use object::{Object, ObjectSection};

/// Name and `build` options; none for a plain build.
#[rustfmt::skip]
const BUILDS: &[(&str, Option<&[&str]>)] = &[
    ("plain",    None),
    ("coverage", Some(&[])),
    ("mcdc",     Some(&["--mcdc"])),
    ("pgo",      Some(&["--pgo"])),
];

fn main() {
    let workspace = Workspace::new();
    println!(
        "{:<8} {:<10} {:>12} {:>7} {:>10} {:>7}",
        "target", "build", "wave instr.", "ratio", ".text", "ratio"
    );
    for target in ["gfx90a", "gfx1030"] {
        let mut plain = None;
        for (name, options) in BUILDS {
            let program = build(&workspace, target, *options, &[]);
            let image = build(
                &workspace,
                target,
                *options,
                &["--offload-device-only", "--no-gpu-bundle-output"],
            );
            let instructions = run(&workspace, target, &program);
            let code = code_size(&image);
            let (first, size) = *plain.get_or_insert((instructions, code));
            println!(
                "{target:<8} {name:<10} {instructions:>12} {:>7.2} {code:>10} {:>7.2}",
                instructions as f64 / first as f64,
                code as f64 / size as f64
            );
        }
    }
}

fn build(
    workspace: &Workspace,
    target: &str,
    options: Option<&[&str]>,
    flags: &[&str],
) -> std::path::PathBuf {
    let name = if flags.is_empty() { "program" } else { "image" };
    let Some(options) = options else {
        // The same compiler and flags, less the counters; the header stays for what it does for old HIP headers.
        let printed = workspace.report(&["flags"]);
        let kept: Vec<_> = printed.split_whitespace().collect();
        let counters = kept
            .iter()
            .rposition(|flag| *flag == "-Xarch_device")
            .map_or(0, |at| at + 2);
        let output = workspace.path(name);
        let mut command = Command::new("clang++-22");
        command.args([
            "-x",
            "hip",
            "-O1",
            &format!("--offload-arch={target}"),
            "--start-no-unused-arguments",
        ]);
        command
            .args(&kept[counters..])
            .arg(sources().join("oracle.hip"))
            .args(second(flags))
            .args(["-x", "none"])
            .args(flags);
        command.arg("-o").arg(&output);
        if flags.is_empty() {
            command.arg("-lamdhip64");
        }
        let built = command.output().expect("clang++-22 starts");
        assert!(built.status.success(), "{}", text(&built));
        return output;
    };
    let flags: Vec<_> = second(flags)
        .into_iter()
        .chain(flags.iter().map(|flag| flag.to_string()))
        .collect();
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    workspace.build(name, "oracle.hip", &[target], options, &flags)
}

/// The other module, for programs; an image is of one module.
fn second(flags: &[&str]) -> Vec<String> {
    let source = sources().join("second.hip").to_string_lossy().into_owned();
    if flags.is_empty() {
        vec![
            "-x".into(),
            "hip".into(),
            source,
            "-x".into(),
            "none".into(),
        ]
    } else {
        vec![]
    }
}

/// Wave instructions of the program's own kernels.
fn run(workspace: &Workspace, target: &str, program: &Path) -> u64 {
    let statistics = workspace.path("statistics.json");
    let _ = fs::remove_file(&statistics);
    let mut command = Command::new(program);
    command
        .env("LD_PRELOAD", emulator())
        .env("LUTHIER_DEVICE", target)
        .env("LUTHIER_STATS", &statistics);
    let output = command.output().expect("the program starts");
    assert!(output.status.success(), "{}", text(&output));
    let lines = fs::read_to_string(&statistics).expect("the emulator wrote statistics");
    let kernels = lines
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line.trim()).ok());
    let own = kernels.filter(|kernel| {
        kernel["kernel"]
            .as_str()
            .is_some_and(|name| name.starts_with("_Z"))
    });
    own.filter_map(|kernel| kernel["wave_instructions"].as_u64())
        .sum()
}

fn code_size(image: &Path) -> u64 {
    let bytes = fs::read(image).expect("the image was built");
    let file = object::File::parse(bytes.as_slice()).expect("the image is an ELF file");
    file.section_by_name(".text")
        .map_or(0, |section| section.size())
}
