//! The tests of `emulate` in one program: `cargo test --release --workspace --test emulate -- FILE::NAME`.

mod common;
mod counted;
mod dropped;
