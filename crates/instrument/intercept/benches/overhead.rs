//! The cost of interception per launch: empty kernels on the emulated device, in interleaved runs.

#[allow(dead_code, reason = "tests use the rest")]
#[path = "../tests/common/mod.rs"]
mod common;

use common::{launches, run};

const ROUNDS: usize = 5;

fn main() {
    let modes: [(&str, &[(&str, &str)]); 3] = [
        (
            "without tool",
            &[("LUTHIER_TOOL", ""), ("HSA_TOOLS_LIB", "")],
        ),
        ("tool, kernel not chosen", &[("LUTHIER_KERNEL", "^none$")]),
        ("identity", &[]),
    ];
    let mut best = [(f64::MAX, f64::MAX); 3];
    for _ in 0..ROUNDS {
        for ((_, variables), best) in modes.iter().zip(&mut best) {
            let outcome = run("gfx90a", launches(), &["rate"], variables);
            let mut numbers = outcome.stdout.split_whitespace();
            let mut next = || numbers.next().and_then(|number| number.parse::<f64>().ok());
            let (Some(enqueue), Some(total)) = (next(), next()) else {
                panic!("no rates: {outcome:#?}")
            };
            *best = (best.0.min(enqueue), best.1.min(total));
        }
    }
    println!(
        "{:<26} {:>12} {:>12}",
        "microseconds per launch", "enqueue", "to the end"
    );
    for ((name, _), (enqueue, total)) in modes.iter().zip(best) {
        println!("{name:<26} {enqueue:>12.2} {total:>12.2}");
    }
}
