//! The tests of `aql` in one program: `cargo test --release --workspace --test aql -- FILE::NAME`.

mod c_headers;
#[path = "../../kmt-sys/tests/common/mod.rs"]
mod common;
