//! The tests of `emulate` in one program: `cargo test --release --workspace --test emulate -- FILE::NAME`.

mod clocks;
mod common;
mod counted;
mod dropped;
mod exact;
mod memory_model;
mod native;
mod preset_scratch;
mod sizes;
mod turns;
mod unwritten;
