//! The runs that are quicker as host code: what is measured, and the rule.

use super::part::{Part, Sort};

/// The cost of instructions of one sort, in picoseconds.
struct Cost {
    sort: Sort,
    /// Interpreted, with the engine's step.
    interpreted: i64,
    /// As host code, for each group of lanes, with the loads and stores of rows that they need on average.
    native: i64,
}

/// In loops that do nothing else, `cargo bench -p wave --bench alu -- run` measures 2.2 ns for a word and 2.9 ns for a mask in the interpreter,
/// and 12 ns in waves of 64 lanes or 10 ns in waves of 32 for a run of one to four words. In programs a run costs less, and the interpreter
/// more. These are the numbers with which mandelbrot gains and vector add loses nothing (`cargo bench -p emulate -- --native often`, one
/// core of an AMD EPYC 9005): runs of at least four words in waves of 64 lanes, and of three in waves of 32.
#[rustfmt::skip]
const COSTS: &[Cost] = &[
    Cost { sort: Sort::Word,  interpreted: 3_000, native: 250 },
    Cost { sort: Sort::Pair,  interpreted: 5_000, native: 500 },
    Cost { sort: Sort::Mask,  interpreted: 4_000, native: 500 },
    Cost { sort: Sort::Loads, interpreted: 9_000, native: 2_000 },
];

/// The way into a run and out of it.
const ENTRY: i64 = 4_500;
/// The same for each group.
const GROUP: i64 = 500;

/// The gain of a run of `parts`, in picoseconds for each execution of a wave with `groups` groups of lanes. Less than zero: it loses.
pub(super) fn gain(parts: &[Part], groups: usize) -> i64 {
    let groups = groups as i64;
    let saved = parts.iter().map(|part| {
        let cost = COSTS.iter().find(|cost| cost.sort == part.sort());
        cost.map_or(0, |cost| cost.interpreted - groups * cost.native)
    });
    saved.sum::<i64>() - ENTRY - groups * GROUP
}
