//! Compiles the plugin against LLVM 22's headers. LLVM itself is not linked: the clang that loads the plugin brings its own.

use llvm_cxx::Llvm;

fn main() {
    llvm_cxx::run(|| {
        let mut build = Llvm::find()?.plugin()?;
        llvm_cxx::add(&mut build, "shim")?;
        build
            .try_compile("luthier_coverage_shim")
            .map_err(|error| format!("the coverage plugin does not compile: {error}"))
    });
}
