//! Compiles the C++ side of the plugin against LLVM 22's headers. The plugin links no LLVM: the process that loads it
//! (clang, opt, rustc) brings its own, and a second copy would be a second set of globals. The stand-alone rewriter links
//! the one that these headers belong to.

use std::env;
use std::path::Path;
use std::process::Command;

const SHIM: [&str; 20] = [
    "plugin",
    "normalise",
    "late",
    "library",
    "contract",
    "describe",
    "tails",
    "apply",
    "conditions",
    "inlining",
    "beyond",
    "charge",
    "move",
    "recursion",
    "check",
    "sums",
    "replace",
    "distribute",
    "lower",
    "rewrite",
];

fn main() {
    println!("cargo:rerun-if-env-changed=LLVM_CONFIG");
    println!("cargo:rerun-if-changed=shim");
    let config = env::var("LLVM_CONFIG").unwrap_or_else(|_| "llvm-config-22".to_owned());
    let include = ask(&config, "--includedir");
    let version = ask(&config, "--version");
    if !version.starts_with("22.") {
        panic!(
            "{config} is LLVM {version}, but this plugin is written for LLVM 22 (Debian: apt install llvm-22-dev)"
        );
    }
    let mut build = cc::Build::new();
    build
        .cpp(true)
        // Debug information of LLVM's headers triples the build time and is not used.
        .debug(false)
        .std("c++17")
        .include(&include)
        .flag("-fno-exceptions")
        // rustc's LLVM has no type information to refer to either.
        .flag("-fno-rtti")
        .flag("-fvisibility=hidden")
        .flag("-fvisibility-inlines-hidden")
        .flag_if_supported("-Wno-unused-parameter")
        // Functions left out are those of the host; without this flag every header inline would be kept.
        .flag("-ffunction-sections")
        .define("_GNU_SOURCE", None)
        .define("__STDC_CONSTANT_MACROS", None)
        .define("__STDC_FORMAT_MACROS", None)
        .define("__STDC_LIMIT_MACROS", None);
    if env::var_os("CXX").is_none() && Path::new("/usr/bin/clang++-22").exists() {
        build.compiler("clang++-22");
    }
    // The headers are LLVM's; warnings in them are not shown.
    build.flag(format!("-isystem{include}"));
    for name in SHIM {
        build.file(format!("shim/{name}.cpp"));
    }
    build.compile("luthier_count_shim");
    let libraries = ask(&config, "--libdir");
    println!("cargo:rustc-link-arg-bins=-L{libraries}");
    println!("cargo:rustc-link-arg-bins=-lLLVM-22");
    println!("cargo:rustc-link-arg-bins=-Wl,-rpath,{libraries}");
}

fn ask(config: &str, question: &str) -> String {
    let output = Command::new(config).arg(question).output();
    match output {
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
