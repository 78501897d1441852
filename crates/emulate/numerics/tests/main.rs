//! The tests of `numerics` in one program: `cargo test --release --workspace --test numerics -- FILE::NAME`.

mod approximations;
mod bits;
mod common;
mod division;
mod folds;
mod fp8;
mod ieee;
mod matrix_arithmetic;
mod matrix_layout;
mod micro;
mod published;
mod totality;
mod wmma_layout;
