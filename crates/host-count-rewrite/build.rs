//! Links the LLVM that the plugin's shim was compiled against.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=LLVM_CONFIG");
    let config = std::env::var("LLVM_CONFIG").unwrap_or_else(|_| "llvm-config-22".to_owned());
    let output = Command::new(&config).arg("--libdir").output();
    let output =
        output.unwrap_or_else(|error| panic!("cannot run {config}: {error}; install llvm-22-dev"));
    let directory = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    println!("cargo:rustc-link-arg-bins=-L{directory}");
    println!("cargo:rustc-link-arg-bins=-lLLVM-22");
    println!("cargo:rustc-link-arg-bins=-Wl,-rpath,{directory}");
}
