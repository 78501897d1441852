//! Has the linker keep the library small, which every program under tools loads.
//!
//! Rust links with LLD here, which can keep functions of the same code once (`--icf=all`); nothing in the library takes two of its
//! functions for different ones because their addresses differ. `docs/decisions` has the figures.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for option in ["--icf=all", "-O2"] {
        println!("cargo:rustc-cdylib-link-arg=-Wl,{option}");
    }
}
