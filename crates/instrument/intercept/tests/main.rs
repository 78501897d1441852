//! The tests of `intercept` in one program: `cargo test --release --workspace --test intercept -- FILE::NAME`.

mod common;
mod emulated;
