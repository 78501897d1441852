//! The tests of `template` in one program: `cargo test --release --workspace --test template -- FILE::NAME`.

mod values;
