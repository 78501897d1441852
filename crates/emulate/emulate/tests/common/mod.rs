//! Small kernels, compiled.

use compiled::Compiler;
use std::fs;

use emulate::Shape;

pub const NUMBER: &str = "kernel void number(global int *out) {
    int group = __builtin_amdgcn_workgroup_id_x();
    out[64 * group + __builtin_amdgcn_workitem_id_x()] = group;
}";
pub const ENDLESS: &str = "kernel void endless(global volatile int *flag) {
    while (!*flag)
        __builtin_amdgcn_s_sleep(1);
}";
pub const SHAPE: Shape = Shape {
    grid: [100, 1, 1],
    block: [64, 1, 1],
    dynamic_lds: 0,
};

pub fn compiled(text: &str) -> Vec<u8> {
    compiled_for("gfx90a", text)
}

pub fn compiled_for(target: &str, text: &str) -> Vec<u8> {
    built(target, &["-x", "cl", "-nogpulib", "-O1"], text)
}

/// The code object that clang makes of assembly.
pub fn assembled_for(target: &str, text: &str) -> Vec<u8> {
    built(target, &["-x", "assembler"], text)
}

fn built(target: &str, flags: &[&str], text: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let (source, object) = (folder.path().join("source"), folder.path().join("k.co"));
    fs::write(&source, text).unwrap();
    let status = Compiler::new("clang-22")
        .args(["-target", "amdgcn-amd-amdhsa"])
        .arg(format!("-mcpu={target}"))
        .args(flags)
        .arg(&source)
        .arg("-o")
        .arg(&object)
        .status();
    assert!(status.expect("./dev setup installs clang-22").success());
    fs::read(object).unwrap()
}
