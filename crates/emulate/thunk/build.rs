//! Gives the library the name and the symbol versions that ROCr asks the dynamic linker for.
//!
//! rustc passes an anonymous version script for every cdylib, and no linker combines that with a named version. The compiler driver is
//! therefore pointed to a wrapper around GNU ld, which replaces rustc's script by the script of this crate. It exports the same symbols
//! under `HSAKMT_1`. Without the version, the dynamic linker would warn at the start of every program.

use std::{env, fs, os::unix::fs::PermissionsExt, path::PathBuf};

const WRAPPER: &str = r#"#!/bin/sh
# Calls GNU ld without rustc's own version script.
count=$#
while [ "$count" -gt 0 ]; do
    argument=$1
    shift
    count=$((count - 1))
    case $argument in
    --version-script=*/hsakmt.map) set -- "$@" "$argument" ;;
    --version-script=*) ;;
    *) set -- "$@" "$argument" ;;
    esac
done
exec ld.bfd "$@"
"#;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let directory = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let (script, wrapper) = (directory.join("hsakmt.map"), directory.join("ld.bfd"));
    fs::write(
        &script,
        "HSAKMT_1 { global: hsaKmt*; amdgpu_query_gpu_info; OnLoad; luthier_kfd_core; luthier_tell_running; luthier_running_places; local: *; };\n",
    )
    .expect("OUT_DIR is writable");
    fs::write(&wrapper, WRAPPER).expect("OUT_DIR is writable");
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).expect("OUT_DIR is ours");
    println!("cargo:rustc-cdylib-link-arg=-B{}", directory.display());
    println!("cargo:rustc-cdylib-link-arg=-fuse-ld=bfd");
    println!(
        "cargo:rustc-cdylib-link-arg=-Wl,--version-script={}",
        script.display()
    );
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libhsakmt.so.1");
    // Threads live in here until the process ends, so the library must never be unloaded.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
