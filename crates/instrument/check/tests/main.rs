//! The tests of `check` in one program: `cargo test --release --workspace --test check -- FILE::NAME`.

mod corpus;
mod mutation;
