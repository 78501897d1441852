//! Instruction classes of the run summary.

use gpu::{
    Counts, Dispatch,
    executor::{ClassCount, Inexact, InstructionCount},
};
use isa::Effects;

use crate::{
    counters,
    kind::{self, Kind},
    launched,
};

/// Classes in the order in which they are shown; the first whose effects an instruction has is its class.
#[rustfmt::skip]
const CLASSES: &[(&str, Effects)] = &[
    ("matrix",           Effects::MATRIX),
    ("atomic",           Effects::ATOMIC),
    // FLAT may reach LDS and scratch too, so it comes before them.
    ("vector memory",    Effects::FLAT),
    ("LDS",              Effects::LDS),
    ("scratch",          Effects::SCRATCH),
    ("vector memory",    Effects::VMEM),
    ("scalar memory",    Effects::SMEM),
    ("branch",           Effects::BRANCH.union(Effects::CALL).union(Effects::END)),
    ("wait and barrier", Effects::WAIT.union(Effects::BARRIER)),
    ("vector ALU",       Effects::VALU),
    ("scalar ALU",       Effects::SALU),
];
const OTHER: &str = "other";

fn class_of(effects: Effects) -> &'static str {
    CLASSES
        .iter()
        .find(|(_, any)| effects.intersects(*any))
        .map_or(OTHER, |(name, _)| name)
}

/// Sums a dispatch's per-instruction counts by class, and keeps them if the dispatch is counted. `detailed`: also by counter and by what is
/// not exact, which takes a short launch longer than all the rest.
pub(crate) fn summarise(counts: &wave::Counts, dispatch: &Dispatch, detailed: bool) -> Counts {
    let mut sums = vec![
        0;
        if detailed {
            counters::COUNTERS.len()
        } else {
            0
        }
    ];
    let mut waves = 0;
    launched::waves(dispatch, |lanes, count| {
        waves += count;
        if detailed {
            counters::add_waves(&mut sums, lanes, count);
        }
    });
    let mut classes: Vec<ClassCount> = Vec::new();
    let mut inexact: Vec<Inexact> = Vec::new();
    counts.for_each(|segment, inst, count| {
        let inst = &segment.insts[inst];
        let known = detailed.then(|| kind::known(dispatch.target, Kind::of(inst)));
        if let Some(known) = &known {
            counters::add(&mut sums, known.counters, count.waves);
        }
        if let Some(reason) = known.and_then(|known| known.reason) {
            let op = inst.instruction.name();
            match inexact.iter_mut().find(|known| known.op == op) {
                Some(known) => {
                    known.wave_instructions += count.waves;
                    known.lane_instructions += count.lanes;
                }
                None => inexact.push(Inexact {
                    reason,
                    op,
                    wave_instructions: count.waves,
                    lane_instructions: count.lanes,
                }),
            }
        }
        let class = class_of(inst.effects);
        match classes.iter_mut().find(|total| total.class == class) {
            Some(total) => {
                total.wave_instructions += count.waves;
                total.lane_instructions += count.lanes;
            }
            None => classes.push(ClassCount {
                class,
                wave_instructions: count.waves,
                lane_instructions: count.lanes,
            }),
        }
    });
    Counts {
        waves,
        wave_instructions: classes.iter().map(|total| total.wave_instructions).sum(),
        lane_instructions: classes.iter().map(|total| total.lane_instructions).sum(),
        classes,
        counters: counters::COUNTERS
            .iter()
            .zip(sums)
            .filter(|(_, sum)| *sum != 0)
            .map(|(counter, sum)| (counter.name, sum))
            .collect(),
        inexact,
        instructions: match dispatch.counted {
            true => instructions(counts),
            false => Vec::new(),
        },
        lost_atomics: counts.lost_atomics,
        waited: false,
    }
}

fn instructions(counts: &wave::Counts) -> Vec<InstructionCount> {
    let by_pc = counts.by_pc().into_iter();
    let mut all: Vec<_> = by_pc
        .map(|(pc, count)| InstructionCount {
            pc,
            wave_instructions: count.waves,
            lane_instructions: count.lanes,
        })
        .collect();
    all.sort_unstable_by_key(|count| count.pc);
    all
}
