//! A search that may execute only so much per turn, and is asked about more. Build it counted, with budget checks:
//!
//! ```text
//! RUSTC_BOOTSTRAP=1 LUTHIER_COUNT=budget RUSTFLAGS="$(luthier count flags rustc)" cargo build --release \
//!     -p host-count-rt --features link --example turns --target x86_64-unknown-linux-gnu
//! ```

use host_count_rt::{Budget, Scope, now};
use std::cell::Cell;
use std::rc::Rc;

/// Steps until the sequence that halves even numbers and takes odd ones to 3n + 1 comes to 1.
fn steps(mut number: u64) -> u64 {
    let mut steps = 0;
    while number != 1 {
        number = if number % 2 == 0 {
            number / 2
        } else {
            3 * number + 1
        };
        steps += 1;
    }
    steps
}

fn main() {
    let (first, second) = (now(), now());
    println!("reading: {}", second - first);

    let scope = Scope::new();
    let longest = (1..200).map(steps).max();
    println!("longest: {}", longest.unwrap_or(0));
    println!("scope: {}", scope.units());

    // Every time the budget is used up, another 1000 units are granted; what happened is noted.
    let asked = Rc::new(Cell::new((0u64, 0u64)));
    let noted = Rc::clone(&asked);
    let budget = Budget::new(1000, move |stop| {
        let (times, most) = noted.get();
        noted.set((times + 1, most.max(stop.used - stop.budget)));
        1000
    });
    let sum: u64 = (1..200).map(steps).sum();
    drop(budget);
    let (times, most) = asked.get();
    println!("sum: {sum}");
    println!("asked: {times}");
    println!("most over: {most}");

    // A budget that is granted nothing more ends the process: message, report, status 124.
    let _last = Budget::new(500, |_| 0);
    println!("never printed: {}", (1..).map(steps).sum::<u64>());
}
