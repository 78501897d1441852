//! The tests of `llvm-codegen` in one program: `cargo test --release --workspace --test llvm-codegen -- FILE::NAME`.

mod compile;
