//! The tests of `kmt-sys` in one program: `cargo test --release --workspace --test kmt-sys -- FILE::NAME`.

mod c_headers;
mod common;
mod driver_header;
mod libdrm_header;
