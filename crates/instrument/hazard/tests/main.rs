//! The tests of `hazard` in one program: `cargo test --release --workspace --test hazard -- FILE::NAME`.

mod hazards;
mod paths;
mod waits;
