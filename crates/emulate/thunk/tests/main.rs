//! The tests of `thunk` in one program: `cargo test --release --workspace --test thunk -- FILE::NAME`.

mod common;
mod hip;
mod rocr;
