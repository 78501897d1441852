//! Instruction classes of the run summary.

use gpu::{Counts, executor::ClassCount};
use isa::Effects;

/// Classes in the order in which they are shown; the first whose effects an instruction has is its class.
#[rustfmt::skip]
const CLASSES: &[(&str, Effects)] = &[
    ("matrix",          Effects::MATRIX),
    ("LDS",             Effects::LDS.difference(Effects::FLAT)),
    ("scratch",         Effects::SCRATCH.difference(Effects::FLAT)),
    ("atomic",          Effects::ATOMIC),
    ("vector memory",   Effects::VMEM.union(Effects::FLAT)),
    ("scalar memory",   Effects::SMEM),
    ("branch",          Effects::BRANCH.union(Effects::CALL).union(Effects::END)),
    ("wait and barrier", Effects::WAIT.union(Effects::BARRIER)),
    ("vector ALU",      Effects::VALU),
    ("scalar ALU",      Effects::SALU),
];
const OTHER: &str = "other";

fn class_of(effects: Effects) -> usize {
    CLASSES.iter().position(|(_, any)| effects.intersects(*any)).unwrap_or(CLASSES.len())
}

/// Sums a dispatch's per-instruction counts by class.
pub(crate) fn summarise(counts: &wave::Counts, waves: u64) -> Counts {
    let mut totals = vec![[0u64; 2]; CLASSES.len() + 1];
    counts.for_each(|segment, inst, count| {
        let total = &mut totals[class_of(segment.insts[inst].effects)];
        total[0] += count.waves;
        total[1] += count.lanes;
    });
    let names = CLASSES.iter().map(|(name, _)| *name).chain([OTHER]);
    let classes: Vec<_> = names
        .zip(&totals)
        .filter(|(_, total)| total[0] != 0)
        .map(|(class, total)| ClassCount { class, wave_instructions: total[0], lane_instructions: total[1] })
        .collect();
    Counts {
        waves,
        wave_instructions: totals.iter().map(|total| total[0]).sum(),
        lane_instructions: totals.iter().map(|total| total[1]).sum(),
        classes,
    }
}
