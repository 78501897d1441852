//! Kernels from the cache, which are loaded together, count what they counted when they were made.

use compiled::Compiler;
use std::path::Path;

use programs::{Bounded, Emulator};
use serde_json::Value;

const DEVICES: [&str; 2] = ["gfx90a", "gfx1030"];
/// Nine kernels of one code object, all with LDS.
const PROGRAM: &str = "lds";

/// The file whose name begins so.
fn read(folder: &Path, name: &str) -> Value {
    let entries = std::fs::read_dir(folder).unwrap();
    let paths: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            let file = path.file_name().unwrap().to_string_lossy();
            file.starts_with(name)
        })
        .collect();
    assert_eq!(paths.len(), 1, "{name}: {paths:?}");
    serde_json::from_slice(&std::fs::read(&paths[0]).unwrap()).unwrap()
}

#[test]
fn cached_kernels_count_the_same() {
    if !programs::can_compile() {
        return;
    }
    let emulator = Emulator::find().expect("the emulator is built");
    let program = programs::compile(&programs::named(PROGRAM).unwrap()).unwrap();
    for device in DEVICES {
        let folder = tempfile::tempdir().unwrap();
        let runs = ["made", "cached"].map(|name| {
            let output = folder.path().join(name);
            let done = emulator
                .command()
                .args(["run", "--device", device, "-t", "instr-count,bb-count"])
                .arg("--output")
                .arg(&output)
                .arg("--")
                .arg(&program)
                .env("LUTHIER_CACHE", folder.path().join("cache"))
                .bounded_output()
                .unwrap();
            let errors = String::from_utf8_lossy(&done.stderr);
            assert!(done.status.success(), "{device} {name}: {errors}");
            (done.stdout, output)
        });
        let [(printed, made), (printed_again, cached)] = runs;
        assert_eq!(printed, printed_again);
        for tool in ["instr-count.", "bb-count."] {
            let (before, after) = (read(&made, tool), read(&cached, tool));
            let kernels = |counts: &Value| {
                let mut lines: Vec<_> = counts
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(Value::to_string)
                    .collect();
                lines.sort();
                lines
            };
            let (before, after) = (kernels(&before), kernels(&after));
            assert!(before.len() >= 9, "{device}: {}", before.len());
            assert_eq!(before, after, "{device} {tool}");
        }
        let lines = |folder: &Path, cached: bool| {
            let summary = read(folder, "summary.");
            let kernels = summary["kernels"].as_array().unwrap().iter();
            kernels
                .filter(|kernel| kernel["from_cache"] == cached)
                .count()
        };
        assert!(lines(&made, false) >= 9 && lines(&made, true) == 0);
        assert_eq!(lines(&made, false), lines(&cached, true), "{device}");
    }
}

/// Two kernels, one of which writes where it is told.
const WRITES: &str = r#"
#include <hip/hip_runtime.h>
__global__ void fine(int *out) { out[threadIdx.x] = 1; }
__device__ __forceinline__ void poke(int *out) {
    out[threadIdx.x] = 2;
}
__global__ void told(int *out) { poke(out); }
int main(int argc, char **) {
    int *memory;
    if (hipMalloc(&memory, 256) != hipSuccess)
        return 1;
    fine<<<1, 64>>>(memory);
    told<<<1, 64>>>(argc > 1 ? (int *)0x30001000 : memory);
    return hipDeviceSynchronize() != hipSuccess;
}
"#;

/// Kernels that come from the cache are loaded as one object, and their debug information with them.
#[test]
fn a_fault_in_a_cached_kernel_names_the_line() {
    if !programs::can_compile() {
        return;
    }
    let emulator = Emulator::find().expect("the emulator is built");
    let folder = tempfile::tempdir().unwrap();
    let (source, program) = (
        folder.path().join("writes.hip"),
        folder.path().join("writes"),
    );
    std::fs::write(&source, WRITES).unwrap();
    let compiled = Compiler::new("hipcc")
        .args(["--offload-arch=gfx90a", "-O1", "-g", "-w"])
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .output()
        .unwrap();
    assert!(compiled.status.success());
    let run = |argument: Option<&str>| {
        let done = emulator
            .command()
            .args(["run", "--device", "gfx90a", "-t", "bb-count", "--"])
            .arg(&program)
            .args(argument)
            .env("LUTHIER_CACHE", folder.path().join("cache"))
            .bounded_output()
            .unwrap();
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        (done.status.success(), said)
    };
    let (fine, said) = run(None);
    assert!(fine && said.contains("2 instrumented, 0 refused"), "{said}");
    let (fine, said) = run(Some("wild"));
    assert!(!fine && said.contains("2 from cache"), "{said}");
    for word in [
        "Memory access fault by GPU",
        "writes.hip:5 in",
        "inlined at",
        "writes.hip:7 in",
    ] {
        assert!(said.contains(word), "no {word}: {said}");
    }
}
