//! The tests of `gpu` in one program: `cargo test --release --workspace --test gpu -- FILE::NAME`.

mod edges;
mod guard;
mod queues;
mod rectangles;
