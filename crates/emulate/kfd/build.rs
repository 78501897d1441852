//! Keeps the library in the process for good: functions of it may be on the stack of any thread.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libluthier_kfd.so");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
