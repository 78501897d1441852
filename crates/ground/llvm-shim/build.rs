//! Compiles the C++ shim and links it with LLVM 22's static machine-code libraries.

use llvm_cxx::Llvm;

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
    llvm_cxx::run(build);
}

fn build() -> Result<(), String> {
    let llvm = Llvm::find()?;
    let mut compiler = llvm.compiler()?;
    llvm_cxx::add(&mut compiler, "src/cxx")?;
    compiler
        .opt_level(2)
        .warnings(false)
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
