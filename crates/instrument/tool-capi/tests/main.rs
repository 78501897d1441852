//! The tests of `tool-capi` in one program: `cargo test --release --workspace --test tool-capi -- FILE::NAME`.

mod classes;
