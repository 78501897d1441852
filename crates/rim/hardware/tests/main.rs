//! The tests of `hardware` in one program: `cargo test --release --workspace --test hardware -- FILE::NAME`.

mod child;
mod common;
mod faults;
mod memory;
