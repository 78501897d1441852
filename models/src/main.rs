//! The scheduler of the emulated device, and how it orders stores, in every order of its threads' steps, as far as loom tells orders apart.
//!
//! Files of `compute` and `wave` are compiled as they are; `sync` and `run` stand for the modules that they use.

#![allow(dead_code, reason = "the files have more functions than are modelled")]

#[path = "../../crates/emulate/compute/src/aside.rs"]
mod aside;
#[path = "../../crates/emulate/compute/src/barriers.rs"]
mod barriers;
#[path = "../../crates/emulate/compute/src/board.rs"]
mod board;
#[path = "../../crates/emulate/wave/src/order.rs"]
mod order;
mod run;
#[path = "../../crates/emulate/compute/src/schedule.rs"]
mod schedule;
mod sync;

mod model;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let mut ran = 0;
    for (name, model) in model::ALL {
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == name) {
            println!("{name}: {} orders", model());
            ran += 1;
        }
    }
    assert!(ran > 0, "no model is called {wanted:?}");
}
