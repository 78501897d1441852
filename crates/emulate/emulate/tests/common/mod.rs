//! Small kernels, compiled.

use std::{fs, process::Command};

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
    let folder = tempfile::tempdir().unwrap();
    let (source, object) = (folder.path().join("k.cl"), folder.path().join("k.co"));
    fs::write(&source, text).unwrap();
    let status = Command::new("clang-22")
        .args(["-x", "cl", "-target", "amdgcn-amd-amdhsa"])
        .arg(format!("-mcpu={target}"))
        .args(["-nogpulib", "-O1"])
        .arg(&source)
        .arg("-o")
        .arg(&object)
        .status();
    assert!(status.expect("./dev setup installs clang-22").success());
    fs::read(object).unwrap()
}
