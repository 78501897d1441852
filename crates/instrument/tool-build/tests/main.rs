//! The tests of `tool-build` in one program: `cargo test --release --workspace --test tool-build -- FILE::NAME`.

mod asked;
mod buffers;
mod common;
mod lines;
mod ordinary;
mod parts;
mod pointers;
mod processors;
mod refuse;
mod shared;
mod streams;
mod targets;
mod third_party;
#[path = "../../inspect/tests/wheel/mod.rs"]
mod wheel;
