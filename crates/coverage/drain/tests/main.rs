//! The tests of `drain` in one program: `cargo test --release --workspace --test drain -- FILE::NAME`.

mod collector;
mod mock;
