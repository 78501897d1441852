//! The tests of `count` in one program: `cargo test --release --workspace --test count -- FILE::NAME`.

mod beyond;
mod budgets;
mod contract;
mod corners;
mod cross;
mod drivers;
mod endless;
mod ends;
mod example;
mod late;
mod levels;
mod libraries;
mod process_budgets;
mod random_programs;
mod real;
mod rust;
mod stops;
mod support;
mod turns;
mod windows;
