//! Classes of instructions, and what the run summary counts by them.

use std::ops::Range;

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

/// A class of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// The word for it in options.
    pub word: &'static str,
    /// Its name in summaries, where some classes are one.
    pub name: &'static str,
    effects: Effects,
}

const fn class(word: &'static str, name: &'static str, effects: Effects) -> Class {
    Class {
        word,
        name,
        effects,
    }
}

/// An instruction belongs to the first of these whose effects it has; all others are of [`OTHER`].
#[rustfmt::skip]
const CLASSES: &[Class] = &[
    class("matrix",         "matrix",           Effects::MATRIX),
    class("transcendental", "vector ALU",       Effects::TRANSCENDENTAL),
    class("atomic",         "atomic",           Effects::ATOMIC),
    // FLAT may reach LDS and scratch too, so it comes before them.
    class("vmem",           "vector memory",    Effects::FLAT),
    class("lds",            "LDS",              Effects::LDS),
    class("scratch",        "scratch",          Effects::SCRATCH),
    class("vmem",           "vector memory",    Effects::VMEM),
    class("smem",           "scalar memory",    Effects::SMEM),
    class("branch",         "branch",           Effects::BRANCH.union(Effects::CALL).union(Effects::END)),
    class("other",          "wait and barrier", Effects::WAIT.union(Effects::BARRIER)),
    class("valu",           "vector ALU",       Effects::VALU),
    class("salu",           "scalar ALU",       Effects::SALU),
];
const OTHER: Class = class("other", "other", Effects::empty());

impl Class {
    pub fn of(effects: Effects) -> Class {
        let mut all = CLASSES.iter();
        let found = all.find(|class| effects.intersects(class.effects));
        found.copied().unwrap_or(OTHER)
    }

    /// The words of all classes, each once; that of all others is the last one.
    pub fn words() -> Vec<&'static str> {
        let mut words: Vec<&str> = Vec::new();
        for class in CLASSES {
            if class.word != OTHER.word && !words.contains(&class.word) {
                words.push(class.word);
            }
        }
        words.push(OTHER.word);
        words
    }
}

/// Sums a dispatch's per-instruction counts by class, and keeps them if the dispatch is counted. `detailed`: also by counter and by what is
/// not exact, which takes a short launch longer than all the rest. `started`: the workgroups that have begun, if not all will.
pub(crate) fn summarise(
    counts: &wave::Counts,
    dispatch: &Dispatch,
    detailed: bool,
    started: Option<&[Range<u64>]>,
) -> Counts {
    let size = if detailed {
        counters::COUNTERS.len()
    } else {
        0
    };
    let mut sums = vec![0; size];
    let mut waves = 0;
    let add_waves = |lanes, count| {
        waves += count;
        if detailed {
            counters::add_waves(&mut sums, lanes, count);
        }
    };
    match started {
        Some(started) => launched::waves_of(dispatch, started, add_waves),
        None => launched::waves(dispatch, add_waves),
    }
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
        let class = Class::of(inst.effects).name;
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
