//! The tests of `codeobj` in one program: `cargo test --release --workspace --test codeobj -- FILE::NAME`.

mod bundles;
mod common;
mod descriptor;
mod edit;
mod elf;
mod embedded;
mod hostile;
mod lines;
mod replace;
