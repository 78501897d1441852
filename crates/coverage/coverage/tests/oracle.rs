//! Device coverage equals that of the same source on the CPU: every region, branch and decision, in two modules, on two
//! architectures.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    process::Command,
};

use crate::common::{Workspace, sources, text};
use serde_json::Value;

/// LLVM's report on the kernels' files: segments (line, column, count, ...), branches, MC/DC decisions and functions.
struct Coverage {
    files: BTreeMap<String, Value>,
    functions: BTreeSet<(String, String)>,
}

/// The files that are compiled for both sides, all named alike.
const FILES: [&str; 3] = ["kernels.inc", "second.inc", "shared.inc"];

fn coverage(json: &str) -> Coverage {
    let export: Value = serde_json::from_str(json).unwrap();
    let data = &export["data"][0];
    let base = |name: &Value| {
        let name = name.as_str().unwrap_or_default();
        name.rsplit('/').next().unwrap_or_default().to_owned()
    };
    let ours = |name: &Value| FILES.contains(&base(name).as_str());
    let files = data["files"].as_array().unwrap().iter();
    let functions = data["functions"].as_array().unwrap().iter();
    Coverage {
        files: files
            .filter(|file| ours(&file["filename"]))
            .map(|file| (base(&file["filename"]), file.clone()))
            .collect(),
        functions: functions
            .filter(|function| ours(&function["filenames"][0]))
            // Names of static functions begin with that of their source file, the same on both sides.
            .map(|function| {
                (
                    function["name"].to_string(),
                    function["regions"].to_string(),
                )
            })
            .collect(),
    }
}

fn export(profile: &Path, more: &[&str]) -> String {
    let mut command = Command::new("llvm-cov-22");
    command
        .arg("export")
        .arg(format!("-instr-profile={}", profile.display()))
        .args(more);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// The same file, compiled as C++ and run by a loop over thread numbers.
fn on_the_cpu(workspace: &Workspace) -> (Coverage, String) {
    let program = workspace.path("cpu");
    let build = Command::new("clang++-22")
        .args([
            "-x",
            "c++",
            "-O1",
            "-fprofile-instr-generate",
            "-fcoverage-mapping",
            "-fcoverage-mcdc",
        ])
        .args(["oracle.hip", "second.hip"].map(|source| sources().join(source)))
        .arg("-o")
        .arg(&program)
        .output()
        .unwrap();
    assert!(
        build.status.success(),
        "{} (packages clang-22, libclang-rt-22-dev)",
        text(&build)
    );
    let raw = workspace.path("cpu.profraw");
    let run = Command::new(&program)
        .env("LLVM_PROFILE_FILE", &raw)
        .output()
        .unwrap();
    assert!(run.status.success());
    let merged = workspace.path("cpu.profdata");
    assert!(
        Command::new("llvm-profdata-22")
            .args(["merge", "-o"])
            .args([&merged, &raw])
            .status()
            .unwrap()
            .success()
    );
    let json = export(&merged, &[program.to_str().unwrap()]);
    (coverage(&json), String::from_utf8(run.stdout).unwrap())
}

/// A list without its order: llvm-cov prints the branches of functions that
/// share lines (one header included twice) in the order it met the objects.
fn unordered(value: &serde_json::Value) -> serde_json::Value {
    let mut value = value.clone();
    if let Some(list) = value.as_array_mut() {
        list.sort_by_key(ToString::to_string);
    }
    value
}

#[test]
fn device_coverage_equals_cpu_coverage() {
    let workspace = Workspace::new();
    let (expected, results) = on_the_cpu(&workspace);
    let second = sources().join("second.hip");
    let program = workspace.build(
        "gpu",
        "oracle.hip",
        &["gfx90a", "gfx1030"],
        &["--mcdc"],
        &["-x", "hip", second.to_str().unwrap()],
    );
    for device in ["gfx90a", "gfx1030"] {
        let output = workspace.run(device, device, &[], &program, &[]);
        assert!(output.status.success(), "{device}: {}", text(&output));
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            results,
            "{device}: the kernels' own results"
        );
        workspace.report(&["verify", device]);
        let merged = workspace.path(&format!("{device}.profdata"));
        workspace.report(&["merge", device, "-o", merged.to_str().unwrap()]);
        let json = export(
            &merged,
            &[&format!(
                "-debug-file-directory={}",
                workspace.path(device).display()
            )],
        );
        let found = coverage(&json);
        assert_eq!(found.functions, expected.functions, "{device}");
        assert_eq!(found.files.len(), FILES.len());
        for (name, expected) in &expected.files {
            for part in ["segments", "branches", "mcdc_records", "summary"] {
                assert_eq!(
                    unordered(&found.files[name][part]),
                    unordered(&expected[part]),
                    "{device}: {name}: {part}"
                );
            }
        }
        let length = |file: &str, part: &str| found.files[file][part].as_array().unwrap().len();
        assert!(length("kernels.inc", "segments") > 100 && length("shared.inc", "segments") > 20);
        assert!(
            length("kernels.inc", "mcdc_records") > 0 && length("second.inc", "mcdc_records") > 0
        );
    }
    // Both devices in one report: every count doubles.
    let both = workspace.path("both.profdata");
    workspace.report(&["merge", "gfx90a", "gfx1030", "-o", both.to_str().unwrap()]);
    let directories = ["gfx90a", "gfx1030"]
        .map(|device| format!("-debug-file-directory={}", workspace.path(device).display()));
    let sum = coverage(&export(&both, &[&directories[0], &directories[1]]));
    let counts = |coverage: &Coverage| -> Vec<u64> {
        let segments = coverage
            .files
            .values()
            .flat_map(|file| file["segments"].as_array().unwrap());
        segments
            .map(|segment| segment[2].as_u64().unwrap())
            .collect()
    };
    let doubled: Vec<u64> = counts(&expected).iter().map(|count| count * 2).collect();
    assert_eq!(counts(&sum), doubled);
    // The template of both modules is one function: what each counted was added.
    let shared = sum
        .functions
        .iter()
        .filter(|(name, _)| name.contains("5clampIfE"));
    assert_eq!(shared.count(), 1);
}
