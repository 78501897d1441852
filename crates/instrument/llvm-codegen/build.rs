//! Compiles the C++ shim to a shared object of its own, linked with Debian's shared LLVM 22.
//!
//! A shared object, not an archive: `llvm-shim` puts static LLVM libraries into the same program, and two copies of LLVM
//! must not see each other's symbols. The crate carries the object in its bytes and loads it when it is first needed.

use std::{
    env,
    path::{Path, PathBuf},
};

use llvm_cxx::Llvm;

fn main() {
    llvm_cxx::run(build);
}

fn build() -> Result<(), String> {
    let llvm = Llvm::find()?;
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let mut compiler = llvm.compiler()?;
    llvm_cxx::add(&mut compiler, "src/cxx")?;
    let objects = compiler
        .pic(true)
        .opt_level(1)
        .warnings(false)
        .cargo_metadata(false)
        .try_compile_intermediates()
        .map_err(|error| format!("the LLVM code generation shim does not compile: {error}"))?;
    link(&llvm, &objects, &out.join("libluthier_codegen.so"))
}

fn link(llvm: &Llvm, objects: &[PathBuf], output: &Path) -> Result<(), String> {
    let compiler = cc::Build::new().cpp(true).get_compiler();
    let status = compiler
        .to_command()
        .arg("-shared")
        .args(["-Wl,-Bsymbolic", "-Wl,--no-undefined", "-Wl,-s"])
        .arg("-o")
        .arg(output)
        .args(objects)
        .arg(format!("-L{}", llvm.ask(&["--libdir"])?))
        .arg("-lLLVM-22")
        .status()
        .map_err(|error| format!("cannot run the C++ compiler: {error}"))?;
    if !status.success() {
        return Err("the LLVM code generation shim does not link with libLLVM-22".to_owned());
    }
    Ok(())
}
