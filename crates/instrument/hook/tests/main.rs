//! The tests of `hook` in one program: `cargo test --release --workspace --test hook -- FILE::NAME`.

mod build;
mod newer;
mod refuse;
mod verify;
