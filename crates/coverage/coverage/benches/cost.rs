//! The cost of counters: emulated wave instructions of programs' own kernels at -O3, plain and with each kind of counters, and the size of
//! their code. `docs/measurements/coverage.md` shows the ratios.
//!
//! `cargo bench -p coverage --bench cost [PROGRAM…]`; the goal for counters in registers and for `--pgo` is 1.3 everywhere.

#[allow(dead_code, reason = "tests use the rest")]
#[path = "../tests/common/mod.rs"]
mod common;

use std::{fs, path::Path, process::Command};

use common::{Workspace, emulator, text};
use object::{Object, ObjectSection};

const TARGETS: [&str; 2] = ["gfx90a", "gfx1030"];
const GOAL: f64 = 1.3;
const PROGRAMS: &str = "../../../../../programs";
/// A profile of nothing: the compiler is the same, and adds no counters.
const NOTHING: &str = "none.profraw";

/// Name, `build` options, and whether the goal is about it.
#[rustfmt::skip]
const BUILDS: &[(&str, &[&str], bool)] = &[
    ("plain",     &["--use", NOTHING], false),
    ("immediate", &["--immediate"],    false),
    ("registers", &[],                 true),
    ("mcdc",      &["--mcdc"],         false),
    ("pgo",       &["--pgo"],          true),
];

/// Sources below the tests' or the repository's programs; oracle's second module comes along.
#[rustfmt::skip]
const SOURCES: &[(&str, &[&str])] = &[
    ("digest",          &["digest.hip"]),
    ("primitives_scan", &["primitives_scan.hip"]),
    ("tiles",           &["tiles.hip"]),
    ("branches",        &["branches.hip"]),
    ("matrix_multiply", &["matrix_multiply.hip"]),
    ("divergence",      &["divergence.hip"]),
    ("oracle",          &["oracle.hip", "second.hip"]),
    ("integer_math",    &["integer_math.hip"]),
];

fn main() {
    let chosen: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    let workspace = Workspace::new();
    fs::write(workspace.path(NOTHING), nothing()).expect("the workspace can be written");
    println!(
        "{:<8} {:<16} {:<10} {:>12} {:>6} {:>8} {:>6}",
        "target", "program", "build", "wave instr.", "ratio", ".text", "ratio"
    );
    let mut missed = Vec::new();
    for target in TARGETS {
        for (program, sources) in SOURCES {
            if !chosen.is_empty() && !chosen.iter().any(|name| name == program) {
                continue;
            }
            let mut plain = None;
            for (name, options, has_goal) in BUILDS {
                let built = build(&workspace, target, sources, options);
                let (instructions, code) = (run(&workspace, target, &built), code_size(&built));
                let (first, size) = *plain.get_or_insert((instructions, code));
                let ratio = instructions as f64 / first as f64;
                println!(
                    "{target:<8} {program:<16} {name:<10} {instructions:>12} {ratio:>6.2} {code:>8} {:>6.2}",
                    code as f64 / size as f64
                );
                if *has_goal && ratio > GOAL {
                    missed.push(format!("{target} {program} {name} {ratio:.2}"));
                }
            }
        }
    }
    for one in missed {
        println!("above {GOAL}: {one}");
    }
}

fn nothing() -> Vec<u8> {
    let mut profile = rawprof::Profile::new(rawprof::Version(10 | 1 << 56));
    profile.names = rawprof::names::encode([b"nothing".as_slice()]);
    profile.records.push(rawprof::Record {
        name_ref: rawprof::names::name_ref(b"nothing"),
        function_hash: 1,
        counters: vec![1],
        ..rawprof::Record::default()
    });
    rawprof::emit(&profile).expect("a profile of one counter")
}

fn path(source: &str) -> String {
    match common::sources().join(source).exists() {
        true => source.to_owned(),
        false => format!("{PROGRAMS}/{source}"),
    }
}

fn build(
    workspace: &Workspace,
    target: &str,
    sources: &[&str],
    options: &[&str],
) -> std::path::PathBuf {
    let mut flags = vec!["-O3".to_owned()];
    for more in &sources[1..] {
        let source = common::sources()
            .join(path(more))
            .to_string_lossy()
            .into_owned();
        flags.extend([
            "-x".into(),
            "hip".into(),
            source,
            "-x".into(),
            "none".into(),
        ]);
    }
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    workspace.build("program", &path(sources[0]), &[target], options, &flags)
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

/// Bytes of code in the code objects of a program.
fn code_size(program: &Path) -> u64 {
    let bytes = fs::read(program).expect("the program was built");
    let host = object::File::parse(bytes.as_slice()).expect("the program is an ELF file");
    let bundles = host
        .section_by_name(".hip_fatbin")
        .expect("the program holds device code");
    let data = bundles.data().expect("a section has bytes");
    elf_files(data)
        .filter_map(|image| object::File::parse(image).ok())
        .filter_map(|image| image.section_by_name(".text").map(|section| section.size()))
        .sum()
}

/// All slices that begin as an ELF file does. Bytes behind the file do not matter to its sections.
fn elf_files(data: &[u8]) -> impl Iterator<Item = &[u8]> {
    let starts = data
        .windows(5)
        .enumerate()
        .filter(|(_, window)| *window == b"\x7fELF\x02");
    starts.map(|(at, _)| &data[at..])
}
