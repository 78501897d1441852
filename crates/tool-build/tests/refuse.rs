//! Code objects that cannot be instrumented.

use std::{fs, process::Command};

use luthier::{Engine, ToolFile};

/// A pointer in the middle of the code, which the loader fills in.
const RELOCATED: &str = r#"
__attribute__((device, visibility("default"))) int other;
extern "C" __attribute__((global)) void reads(unsigned long *out) {
  unsigned long value;
  asm volatile("s_getpc_b64 %0\n s_branch 1f\n .quad other\n1:" : "=s"(value));
  *out = value;
}
extern "C" __attribute__((global)) void writes(int *out) { *out = other; }
"#;

#[test]
fn code_that_the_loader_writes_into_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (source, output) = (
        folder.path().join("kernel.hip"),
        folder.path().join("object"),
    );
    let compile = |text: &str| {
        fs::write(&source, text).unwrap();
        let compiled = Command::new("clang-22")
            .args(["-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output"])
            .args(["-nogpulib", "-nogpuinc", "-O2", "--offload-arch=gfx90a"])
            .args(["-Xoffload-linker", "-z", "-Xoffload-linker", "notext"])
            .arg(&source)
            .arg("-o")
            .arg(&output)
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&compiled.stderr);
        assert!(compiled.status.success(), "{errors}");
        fs::read(&output).unwrap()
    };
    let ready = tools::TOOLS
        .iter()
        .find(|ready| ready.name == "bb-count")
        .unwrap();
    let path = folder.path().join("tool.hip");
    fs::write(&path, ready.source).unwrap();
    let tool = tool_build::build(&path, &["gfx90a"], "clang-22").unwrap();
    let file = ToolFile::parse("bb-count", &tool).unwrap();
    let engine = Engine::new(vec![tools::with_host_code(file)], "", None).unwrap();

    let done = engine.instrument_object(&compile(RELOCATED), None).unwrap();
    assert_eq!(done.kernels.len(), 2);
    for kernel in done.kernels {
        let reason = kernel.result.unwrap_err();
        assert!(
            reason.contains("the loader writes an address into its code at 0x"),
            "{reason}"
        );
    }
    // The pointer in data harms nobody.
    let moved = RELOCATED.replace(".quad other", ".quad 0");
    let done = engine.instrument_object(&compile(&moved), None).unwrap();
    assert!(done.kernels.iter().all(|kernel| kernel.result.is_ok()));
}
