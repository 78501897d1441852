//! Compiles the C interface and links LLVM 22's demangler, an archive that needs nothing else of LLVM.

use llvm_cxx::Llvm;

fn main() {
    llvm_cxx::run(|| {
        let llvm = Llvm::find()?;
        let mut build = llvm.compiler()?;
        llvm_cxx::add(&mut build, "src")?;
        build
            .opt_level(2)
            .try_compile("luthier_demangle")
            .map_err(|error| format!("the demangler's interface does not compile: {error}"))?;
        println!(
            "cargo:rustc-link-search=native={}",
            llvm.ask(&["--libdir"])?
        );
        println!("cargo:rustc-link-lib=static:-bundle=LLVMDemangle");
        Ok(())
    });
}
