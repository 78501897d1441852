//! Kernels and tools as these tests need them.

// Every test is a crate of its own and uses some of this.

use compiled::Compiler;
use std::{fs, path::Path};

use luthier::ToolFile;

/// The chip that no hooks are built for: LLVM begins every hook for it with a change of the MODE register, which hooks must not make.
pub const WITHOUT_HOOKS: &str = "gfx1250";

/// The code object that clang makes of HIP source text, for one target and with further options.
pub fn object(folder: &Path, source: &str, target: &str, options: &[&str]) -> Vec<u8> {
    let (path, output) = (folder.join("kernel.hip"), folder.join("object"));
    fs::write(&path, source).unwrap();
    let compiled = Compiler::new("clang-22")
        .args(["-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output"])
        .args(["-nogpulib", "-nogpuinc", "-O2"])
        .arg(format!("--offload-arch={target}"))
        .args(options)
        .arg(&path)
        .arg("-o")
        .arg(&output)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{target}: {errors}");
    fs::read(output).unwrap()
}

/// The ready tool of that name, built for these targets.
pub fn ready_tool(folder: &Path, name: &str, targets: &[&str]) -> ToolFile {
    let ready = tools::TOOLS.iter().find(|ready| ready.name == name);
    let path = folder.join("tool.hip");
    fs::write(&path, ready.unwrap().source).unwrap();
    let bytes = tool_build::build(&path, targets, "clang-22").unwrap();
    ToolFile::parse(name, &bytes).unwrap()
}
