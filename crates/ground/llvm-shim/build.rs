//! Compiles the C++ shim and links it with LLVM 22's static machine-code libraries.
//!
//! `LLVM_CONFIG` overrides the name or path of `llvm-config-22`.

use std::{env, process::Command};

const SOURCES: &[&str] = &["assemble", "context", "fatal", "flags", "mc"];
const HEADERS: &[&str] = &["context", "fatal", "flags", "mc"];
const COMPONENTS: &[&str] = &[
    "amdgpuasmparser",
    "amdgpudisassembler",
    "amdgpudesc",
    "amdgpuinfo",
    "amdgpuutils",
    "mc",
    "mcparser",
    "mcdisassembler",
    "support",
    "targetparser",
    "binaryformat",
    "demangle",
];
/// Archives of LLVM that the shim is linked with. `llvm-config` names more, which lead to the whole of LLVM's intermediate language:
/// the functions that would need those are not called, and so are not linked.
const ARCHIVES: &[&str] = &[
    "LLVMAMDGPUAsmParser",
    "LLVMAMDGPUDesc",
    "LLVMAMDGPUDisassembler",
    "LLVMAMDGPUInfo",
    "LLVMAMDGPUUtils",
    "LLVMBinaryFormat",
    "LLVMCodeGenTypes",
    "LLVMDebugInfoDWARFLowLevel",
    "LLVMDemangle",
    "LLVMMC",
    "LLVMMCDisassembler",
    "LLVMMCParser",
    "LLVMSupport",
    "LLVMTargetParser",
];

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
    let llvm = LlvmConfig::find()?;
    let mut compiler = cc::Build::new();
    compiler
        .cpp(true)
        .std("c++17")
        .flag("-isystem")
        .flag(llvm.ask(&["--includedir"])?)
        .flag("-fno-exceptions")
        .flag("-fvisibility=hidden")
        .flag("-fvisibility-inlines-hidden")
        .define("_GNU_SOURCE", None)
        .opt_level(2)
        .debug(false)
        .warnings(false);
    for source in SOURCES {
        compiler.file(format!("src/cxx/{source}.cpp"));
    }
    compiler
        .try_compile("luthier_mc")
        .map_err(|error| format!("the LLVM shim does not compile: {error}"))?;

    println!(
        "cargo:rustc-link-search=native={}",
        llvm.ask(&["--libdir"])?
    );
    let mut arguments = vec!["--link-static", "--libs"];
    arguments.extend(COMPONENTS);
    for library in llvm.ask(&arguments)?.split_whitespace() {
        let name = library.strip_prefix("-l").unwrap_or(library);
        if !ARCHIVES.contains(&name) {
            continue;
        }
        // `-bundle`: leave the archives where they are until the final link, which takes only the members it needs.
        println!("cargo:rustc-link-lib=static:-bundle={name}");
    }
    // The libraries of `llvm-config --system-libs` that LLVM's Support library needs; nothing here reaches z3 or libxml2.
    for library in ["z", "zstd", "rt", "dl", "m"] {
        println!("cargo:rustc-link-lib=dylib={library}");
    }
    Ok(())
}

struct LlvmConfig(String);

impl LlvmConfig {
    fn find() -> Result<LlvmConfig, String> {
        let program = env::var("LLVM_CONFIG").unwrap_or_else(|_| "llvm-config-22".to_owned());
        let config = LlvmConfig(program);
        let version = config.ask(&["--version"])?;
        if version.split('.').next() != Some("22") {
            return Err(format!(
                "{} belongs to LLVM {version}, but LLVM 22 is needed: install llvm-22-dev or run ./dev setup",
                config.0
            ));
        }
        Ok(config)
    }

    fn ask(&self, arguments: &[&str]) -> Result<String, String> {
        let missing = |reason: String| {
            format!(
                "cannot run {} ({reason}): install llvm-22-dev or run ./dev setup; \
                 the environment variable LLVM_CONFIG names another llvm-config",
                self.0
            )
        };
        let output = Command::new(&self.0)
            .args(arguments)
            .output()
            .map_err(|error| missing(error.to_string()))?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(missing(message));
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }
}
