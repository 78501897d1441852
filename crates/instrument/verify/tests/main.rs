//! The tests of `verify` in one program: `cargo test --release --workspace --test verify -- FILE::NAME`.

mod common;
mod count;
mod functions;
mod jumps;
mod live;
mod lockstep;
mod mutations;
mod objects;
mod points;
mod pressure;
mod rocrand;
mod stack;
mod sums;
mod values;
mod waits;
