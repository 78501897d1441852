//! The tests of `files` in one program: `cargo test --release --workspace --test files -- FILE::NAME`.

mod outputs;
