//! The tests of `outputs` in one program: `cargo test --release --workspace --test outputs -- FILE::NAME`.

mod outputs;
