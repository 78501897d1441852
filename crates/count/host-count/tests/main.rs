//! The tests of `host-count` in one program: `cargo test --release --workspace --test host-count -- FILE::NAME`.

mod random_walks;
