//! The tests of `kfd` in one program: `cargo test --release --workspace --test kfd -- FILE::NAME`.

mod driver;
mod management;
mod submissions;
mod waiting;
