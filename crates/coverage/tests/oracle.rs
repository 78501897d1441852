//! Device coverage equals that of the same source on the CPU: every region, branch and decision, on two architectures.

mod common;

use std::{collections::BTreeMap, path::Path, process::Command};

use common::{Place, sources, text};
use serde_json::Value;

/// What LLVM reports on kernels.inc: segments (line, column, count, ...), branches, MC/DC decisions and functions.
struct Coverage {
    file: Value,
    functions: BTreeMap<String, Value>,
}

fn coverage(json: &str) -> Coverage {
    let export: Value = serde_json::from_str(json).unwrap();
    let data = &export["data"][0];
    let of_kernels = |name: &Value| {
        name.as_str()
            .is_some_and(|name| name.ends_with("kernels.inc"))
    };
    let files = data["files"].as_array().unwrap();
    let file = files
        .iter()
        .find(|file| of_kernels(&file["filename"]))
        .expect("kernels.inc is covered")
        .clone();
    let functions = data["functions"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|f| of_kernels(&f["filenames"][0]));
    // Static functions carry their file's name, which differs between the compilations only in that.
    let plain = |name: &Value| {
        name.as_str()
            .unwrap_or("")
            .rsplit(':')
            .next()
            .unwrap_or("")
            .to_owned()
    };
    Coverage {
        file,
        functions: functions
            .map(|function| (plain(&function["name"]), function["regions"].clone()))
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
fn on_the_cpu(place: &Place) -> (Coverage, String) {
    let program = place.path("cpu");
    let build = Command::new("clang++-22")
        .args([
            "-x",
            "c++",
            "-O1",
            "-fprofile-instr-generate",
            "-fcoverage-mapping",
            "-fcoverage-mcdc",
        ])
        .arg(sources().join("oracle.hip"))
        .arg("-o")
        .arg(&program)
        .output()
        .unwrap();
    assert!(
        build.status.success(),
        "{} (packages clang-22, libclang-rt-22-dev)",
        text(&build)
    );
    let raw = place.path("cpu.profraw");
    let run = Command::new(&program)
        .env("LLVM_PROFILE_FILE", &raw)
        .output()
        .unwrap();
    assert!(run.status.success());
    let merged = place.path("cpu.profdata");
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

#[test]
fn device_coverage_equals_cpu_coverage() {
    let place = Place::new();
    let (expected, results) = on_the_cpu(&place);
    let program = place.build(
        "gpu",
        "oracle.hip",
        &["gfx90a", "gfx1030"],
        &["--mcdc"],
        &[],
    );
    for device in ["gfx90a", "gfx1030"] {
        let output = place.run(device, device, &[], &program, &[]);
        assert!(output.status.success(), "{device}: {}", text(&output));
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            results,
            "{device}: the kernels' own results"
        );
        place.report(&["verify", device]);
        let merged = place.path(&format!("{device}.profdata"));
        place.report(&["merge", device, "-o", merged.to_str().unwrap()]);
        let json = export(
            &merged,
            &[&format!(
                "-debug-file-directory={}",
                place.path(device).display()
            )],
        );
        let found = coverage(&json);
        assert_eq!(found.functions, expected.functions, "{device}");
        for part in ["segments", "branches", "mcdc_records", "summary"] {
            assert_eq!(found.file[part], expected.file[part], "{device}: {part}");
        }
        assert!(found.file["segments"].as_array().unwrap().len() > 100);
        assert!(!found.file["mcdc_records"].as_array().unwrap().is_empty());
    }
    // Both devices in one report: every count doubles.
    let both = place.path("both.profdata");
    place.report(&["merge", "gfx90a", "gfx1030", "-o", both.to_str().unwrap()]);
    let directories = ["gfx90a", "gfx1030"]
        .map(|device| format!("-debug-file-directory={}", place.path(device).display()));
    let sum = coverage(&export(&both, &[&directories[0], &directories[1]]));
    let counts = |coverage: &Coverage| -> Vec<u64> {
        coverage.file["segments"]
            .as_array()
            .unwrap()
            .iter()
            .map(|segment| segment[2].as_u64().unwrap())
            .collect()
    };
    let doubled: Vec<u64> = counts(&expected).iter().map(|count| count * 2).collect();
    assert_eq!(counts(&sum), doubled);
}
