//! The tests of `rewrite` in one program: `cargo test --release --workspace --test rewrite -- FILE::NAME`.

mod passes;
