//! Compiles the C interface and links LLVM 22's demangler, an archive that needs nothing else of LLVM.
//!
//! `LLVM_CONFIG` overrides the name or path of `llvm-config-22`.

use std::{env, process::Command};

fn main() {
    println!("cargo:rerun-if-env-changed=LLVM_CONFIG");
    println!("cargo:rerun-if-changed=src/demangle.cpp");
    println!("cargo:rerun-if-changed=src/windows.cpp");
    let config = env::var("LLVM_CONFIG").unwrap_or_else(|_| "llvm-config-22".to_owned());
    let include = ask(&config, "--includedir");
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .flag("-isystem")
        .flag(include)
        .flag("-fno-exceptions")
        .opt_level(2)
        .debug(false)
        .file("src/demangle.cpp")
        .file("src/windows.cpp")
        .compile("luthier_demangle");
    println!(
        "cargo:rustc-link-search=native={}",
        ask(&config, "--libdir")
    );
    println!("cargo:rustc-link-lib=static:-bundle=LLVMDemangle");
}

fn ask(config: &str, question: &str) -> String {
    match Command::new(config).arg(question).output() {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        }
        Ok(output) => panic!(
            "{config} {question} failed: {}",
            String::from_utf8_lossy(&output.stderr)
        ),
        Err(error) => {
            panic!("cannot run {config}: {error}; install llvm-22-dev or set LLVM_CONFIG")
        }
    }
}
