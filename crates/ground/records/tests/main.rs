//! The tests of `records` in one program: `cargo test --release --workspace --test records -- FILE::NAME`.

mod files;
