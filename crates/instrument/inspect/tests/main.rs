//! The tests of `inspect` in one program: `cargo test --release --workspace --test inspect -- FILE::NAME`.

mod inspect;
#[allow(dead_code, reason = "tests of `isa` use the rest")]
#[path = "../../../ground/isa/tests/common/mod.rs"]
mod listing;
#[path = "../../../ground/codeobj/tests/common/mod.rs"]
mod objects;
mod third_party;
mod wheel;
