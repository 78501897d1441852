//! Leaves out the copies of rows for wide vectors and for uniform sources if the caller wants the crate soon.

/// `./dev demo` sets it: these copies are half of what this crate costs to compile, and programs run without them, only slower. It is no
/// feature of cargo's, because each crate above would have to ask for it.
const VARIABLE: &str = "LUTHIER_FEW_COPIES";

fn main() {
    println!("cargo::rustc-check-cfg=cfg(wide)");
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    if std::env::var_os(VARIABLE).is_none() {
        println!("cargo::rustc-cfg=wide");
    }
}
