//! The tests of `report` in one program: `cargo test --release --workspace --test report -- FILE::NAME`.

mod browser;
mod chromium;
mod made_up;
