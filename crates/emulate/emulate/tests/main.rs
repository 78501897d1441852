//! The tests of `emulate` in one program: `cargo test --release --workspace --test emulate -- FILE::NAME`.

mod clocks;
mod common;
mod counted;
mod dropped;
mod memory_model;
mod turns;
mod unwritten;
