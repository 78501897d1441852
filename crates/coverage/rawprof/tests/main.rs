//! The tests of `rawprof` in one program: `cargo test --release --workspace --test rawprof -- FILE::NAME`.

mod llvm;
mod properties;
