//! The tests of `native` in one program: `cargo test --release --workspace --test native -- FILE::NAME`.
#![cfg(target_arch = "x86_64")]

mod instructions;
mod llvm;
mod loops;
mod refusals;
mod routines;
