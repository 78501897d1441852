//! The tests of `hsa-sys` in one program: `cargo test --release --workspace --test hsa-sys -- FILE::NAME`.

mod c_headers;
mod layouts;
mod releases;
