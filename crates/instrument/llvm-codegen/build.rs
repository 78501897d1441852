//! Compiles the C++ shim to a shared object of its own, linked with Debian's shared LLVM 22.
//!
//! A shared object, not an archive: `llvm-shim` puts static LLVM libraries into the same program, and two copies of LLVM
//! must not see each other's symbols. The crate carries the object in its bytes and loads it when it is first needed.
//! `LLVM_CONFIG` overrides the name or path of `llvm-config-22`.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

const SOURCES: &[&str] = &["api", "emit", "fatal", "objects", "spills", "wrapper"];
const HEADERS: &[&str] = &["codegen", "job"];

fn main() {
    println!("cargo:rerun-if-env-changed=LLVM_CONFIG");
    for source in SOURCES {
        println!("cargo:rerun-if-changed=src/cxx/{source}.cpp");
    }
    for header in HEADERS {
        println!("cargo:rerun-if-changed=src/cxx/{header}.h");
    }
    if let Err(message) = build() {
        eprintln!("\nerror: {message}\n");
        std::process::exit(1);
    }
}

fn build() -> Result<(), String> {
    let llvm = env::var("LLVM_CONFIG").unwrap_or_else(|_| "llvm-config-22".to_owned());
    let version = ask(&llvm, "--version")?;
    if version.split('.').next() != Some("22") {
        return Err(format!(
            "{llvm} belongs to LLVM {version}, but LLVM 22 is needed: install llvm-22-dev or run ./dev setup"
        ));
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let objects = cc::Build::new()
        .cpp(true)
        .std("c++17")
        .flag("-isystem")
        .flag(ask(&llvm, "--includedir")?)
        .flag("-fno-exceptions")
        .flag("-fvisibility=hidden")
        .flag("-fvisibility-inlines-hidden")
        .define("_GNU_SOURCE", None)
        .pic(true)
        .opt_level(1)
        .debug(false)
        .warnings(false)
        .files(SOURCES.iter().map(|source| format!("src/cxx/{source}.cpp")))
        .cargo_metadata(false)
        .try_compile_intermediates()
        .map_err(|error| format!("the LLVM code generation shim does not compile: {error}"))?;
    link(&llvm, &objects, &out.join("libluthier_codegen.so"))
}

fn link(llvm: &str, objects: &[PathBuf], output: &Path) -> Result<(), String> {
    let compiler = cc::Build::new().cpp(true).get_compiler();
    let status = compiler
        .to_command()
        .arg("-shared")
        .args(["-Wl,-Bsymbolic", "-Wl,--no-undefined", "-Wl,-s"])
        .arg("-o")
        .arg(output)
        .args(objects)
        .arg(format!("-L{}", ask(llvm, "--libdir")?))
        .arg("-lLLVM-22")
        .status()
        .map_err(|error| format!("cannot run the C++ compiler: {error}"))?;
    if !status.success() {
        return Err("the LLVM code generation shim does not link with libLLVM-22".to_owned());
    }
    Ok(())
}

fn ask(llvm: &str, argument: &str) -> Result<String, String> {
    let missing = |reason: String| {
        format!(
            "cannot run {llvm} ({reason}): install llvm-22-dev or run ./dev setup; \
             the environment variable LLVM_CONFIG names another llvm-config"
        )
    };
    let output = Command::new(llvm)
        .arg(argument)
        .output()
        .map_err(|error| missing(error.to_string()))?;
    if !output.status.success() {
        return Err(missing(
            String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        ));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
