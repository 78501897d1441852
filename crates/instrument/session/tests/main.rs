//! The tests of `session` in one program: `cargo test --release --workspace --test session -- FILE::NAME`.

mod ahead;
mod cache;
mod common;
mod records;
mod session;
