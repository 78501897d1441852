//! The tests of `coverage` in one program: `cargo test --release --workspace --test coverage -- FILE::NAME`.

mod builds;
mod commands;
mod common;
mod options;
mod oracle;
mod scenes;
mod uninstrumented;
