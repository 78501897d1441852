//! The tests of `launcher` in one program: `cargo test --release --workspace --test launcher -- FILE::NAME`.

mod signals;
