//! Compiles the plugin against LLVM 22's headers. LLVM itself is not linked: the clang that loads the plugin brings its own.

use std::{env, path::Path, process::Command};

fn main() {
    println!("cargo:rerun-if-env-changed=LLVM_CONFIG");
    println!("cargo:rerun-if-changed=shim");
    let config = env::var("LLVM_CONFIG").unwrap_or_else(|_| "llvm-config-22".to_owned());
    let include = ask(&config, "--includedir");
    let mut build = cc::Build::new();
    build
        .cpp(true)
        .debug(false)
        .std("c++17")
        .flag("-fno-exceptions")
        .flag("-fno-rtti")
        .flag("-fvisibility=hidden")
        .flag("-fvisibility-inlines-hidden")
        .flag("-ffunction-sections")
        .flag(format!("-isystem{include}"))
        .define("_GNU_SOURCE", None)
        .define("__STDC_CONSTANT_MACROS", None)
        .define("__STDC_FORMAT_MACROS", None)
        .define("__STDC_LIMIT_MACROS", None)
        .files([
            "shim/plugin.cpp",
            "shim/names.cpp",
            "shim/mark.cpp",
            "shim/gather.cpp",
            "shim/later.cpp",
            "shim/notes.cpp",
            "shim/flush.cpp",
        ]);
    if env::var_os("CXX").is_none() && Path::new("/usr/bin/clang++-22").exists() {
        build.compiler("clang++-22");
    }
    build.compile("luthier_coverage_shim");
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
