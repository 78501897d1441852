//! The tests of `isa` in one program: `cargo test --release --workspace --test isa -- FILE::NAME`.

mod common;
mod dual;
mod effects;
mod halves;
mod hostile;
mod identity;
mod objdump;
mod pairs;
mod printed;
mod processors;
mod reads_and_writes;
mod smoke;
mod traits;
