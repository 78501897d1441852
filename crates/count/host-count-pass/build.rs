//! Compiles the C++ side of the plugin against LLVM 22's headers. The plugin links no LLVM: the process that loads it
//! (clang, opt, rustc) brings its own, and a second copy would be a second set of globals. The stand-alone rewriter links
//! the one that these headers belong to.

use llvm_cxx::Llvm;

fn main() {
    llvm_cxx::run(|| {
        let llvm = Llvm::find()?;
        let mut build = llvm.plugin()?;
        llvm_cxx::add(&mut build, "shim")?;
        build
            .flag_if_supported("-Wno-unused-parameter")
            .try_compile("luthier_count_shim")
            .map_err(|error| format!("the counting plugin does not compile: {error}"))?;
        let libraries = llvm.ask(&["--libdir"])?;
        println!("cargo:rustc-link-arg-bins=-L{libraries}");
        println!("cargo:rustc-link-arg-bins=-lLLVM-22");
        println!("cargo:rustc-link-arg-bins=-Wl,-rpath,{libraries}");
        Ok(())
    });
}
