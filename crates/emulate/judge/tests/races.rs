//! Accesses to LDS in no order: a corpus of kernels with a bug, each with a right twin, for targets of all families.

use crate::common::{
    compiled_text,
    corpus::{Corpus, each_bug_is_found_and_right_twins_are_silent, grade, line, rows},
    random,
};
use codeobj::{CodeObject, SourceLines};
use emulate::{Access, Argument, Device, Order, Race, Shape};
use global_races::GlobalRaces;
use gpu::Dispatch;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::Duration,
};
use wave::races::Rules;

const CORPUS: Corpus = Corpus(include_str!("races.cl"));
const EXPECTED: &str = include_str!("races.tsv");
/// A kernel that takes longer does not end.
const LIMIT: Duration = Duration::from_secs(60);
const ITEMS: u32 = 256;

/// Grade, and the lines of both instructions, the lower one first.
type Row = (&'static str, Option<u32>, Option<u32>);

/// The kinds of both accesses.
type Kinds = (Access, Access);

/// Parts of the checker that work.
#[derive(Clone, Copy, Debug)]
struct Works {
    /// Races of these kinds are not told.
    off: Option<Kinds>,
    rules: Rules,
}

const ALL: Works = Works {
    off: None,
    rules: Rules::ALL,
};

struct Told {
    all: Mutex<Vec<Race>>,
    workgroups: Mutex<BTreeSet<u32>>,
    works: Works,
}

impl Order for Told {
    fn raced(&self, _: &Arc<Dispatch>, workgroup: [u32; 3], races: &[Race]) {
        self.workgroups.lock().unwrap().insert(workgroup[0]);
        let is_told =
            |race: &&Race| self.works.off != Some((race.before.access, race.after.access));
        let mut all = self.all.lock().unwrap();
        all.extend(races.iter().filter(is_told));
    }

    fn rules(&self) -> Rules {
        self.works.rules
    }
}

/// The findings of each kernel on a target, as races.tsv says.
fn expected(target: &str) -> BTreeMap<&'static str, BTreeSet<Row>> {
    let mut all: BTreeMap<&str, BTreeSet<Row>> = BTreeMap::new();
    for fields in rows(EXPECTED, target) {
        let [kernel, kind, first, second] = fields[..] else {
            panic!("{fields:?}");
        };
        let its_rows = all.entry(kernel).or_default();
        if kind == "silent" {
            continue;
        }
        let line_of = |letter: &str| Some(CORPUS.marked(&format!("@{kernel}.{letter}")));
        let (one, other) = (line_of(first), line_of(second));
        let row = (grade(kind == "certain"), one.min(other), one.max(other));
        its_rows.insert(row);
    }
    all
}

/// The findings in a kernel.
fn found(bytes: &[u8], kernel: &str, works: Works) -> BTreeSet<Row> {
    let object = CodeObject::parse(bytes).unwrap();
    let lines = SourceLines::read(&object).unwrap().unwrap();
    let (told, base) = launched(object, kernel, 3, works);
    let line = |pc: u64| line(&lines, pc - base);
    let told = told.all.lock().unwrap();
    let rows = told.iter().map(|race| {
        let (one, other) = (line(race.pc_before()), line(race.pc));
        (grade(race.certain), one.min(other), one.max(other))
    });
    rows.collect()
}

/// Launches so many workgroups of a kernel: what is told, and the object's address.
fn launched(object: CodeObject, kernel: &str, workgroups: u32, works: Works) -> (Arc<Told>, u64) {
    let device = Device::new(object.clone(), 2).unwrap();
    let told = Arc::new(Told {
        all: Mutex::default(),
        workgroups: Mutex::default(),
        works,
    });
    device.look_for_races(told.clone());
    let out = device.buffer(&[], 16 * u64::from(ITEMS)).unwrap();
    let shape = Shape {
        grid: [workgroups, 1, 1],
        block: [ITEMS, 1, 1],
        dynamic_lds: 4 * ITEMS,
    };
    // Some kernels take the place of the launch's memory, which lies behind their own.
    let own = object.kernel(kernel).unwrap().descriptor;
    let own = own.group_segment_size().to_le_bytes();
    let mut arguments = vec![Argument::pointer(out), Argument(own.to_vec())];
    let metadata = object.metadata().unwrap().unwrap();
    let metadata = metadata.kernel(kernel).unwrap();
    arguments.truncate(metadata.explicit_arguments().count());
    let prepared = device.prepare(kernel, &shape, &arguments).unwrap();
    device.run_within(&prepared, LIMIT).unwrap();
    (told, device.base())
}

#[test]
fn each_race_is_found_where_it_is_and_right_twins_are_silent() {
    each_bug_is_found_and_right_twins_are_silent(
        |target, ok| CORPUS.compiled(target, ok),
        expected,
        |bytes, kernel| (found(bytes, kernel, ALL), Vec::new()),
    );
}

/// With a rule switched off, the corpus fails.
#[test]
fn the_corpus_needs_each_rule() {
    // On gfx12 the last wave that arrives goes on first, so that pairs are met in both orders.
    let target = "gfx90a";
    let Some(wrong) = CORPUS.compiled(target, false) else {
        return;
    };
    let all = expected(target);
    use Access::{Atomic, Read, Write};
    for off in [
        (Write, Read),
        (Read, Write),
        (Write, Write),
        (Write, Atomic),
        (Atomic, Read),
    ] {
        let works = Works {
            off: Some(off),
            ..ALL
        };
        let mut kernels = all.iter();
        let fails = kernels.any(|(kernel, expected)| found(&wrong, kernel, works) != *expected);
        assert!(fails, "the corpus does not miss {off:?}");
    }
}

/// Without lanes in step or words that tell something, right twins are not silent; without steps, races behind a flag are not found.
#[test]
fn the_corpus_needs_each_part_of_the_order() {
    let target = "gfx90a";
    let (Some(wrong), Some(right)) = (
        CORPUS.compiled(target, false),
        CORPUS.compiled(target, true),
    ) else {
        return;
    };
    let all = expected(target);
    let loses = |works: Works| {
        let mut kernels = all.iter();
        kernels.any(|(kernel, expected)| !found(&wrong, kernel, works).is_superset(expected))
    };
    let blames = |works: Works| {
        let mut kernels = all.keys();
        kernels.any(|kernel| !found(&right, kernel, works).is_empty())
    };
    let without = |change: fn(&mut Rules)| {
        let mut works = ALL;
        change(&mut works.rules);
        works
    };
    assert!(loses(without(|rules| rules.steps = false)), "steps");
    assert!(blames(without(|rules| rules.lockstep = false)), "lockstep");
    assert!(blames(without(|rules| rules.polling = false)), "polling");
}

/// Lanes whose accesses are looked at together have the races of lanes that are looked at one by one. These are looked at so where accesses of
/// one wave may conflict. A wave reads once between two barriers: of several reads of a word, the cells may have the first one's or the last
/// one's instruction. It takes turns with others at barriers only, so that it reads nothing again that another wave has written since.
#[test]
fn lanes_together_race_as_lanes_one_by_one() {
    const STEPS: usize = 60;
    const BARRIER: u32 = 10;
    let mut next = random();
    for target in ["gfx90a", "gfx1100"] {
        let source = include_str!("races_by_lane.cl");
        let Some(bytes) = compiled_text(target, &["-O2", "-g"], source) else {
            return;
        };
        let mut all = 0;
        for round in 0..300 {
            // Some launches have many barriers, and few races.
            let kinds = 11 + 6 * (round % 3);
            let mut has_read = false;
            let mut step = |_| {
                let (kind, seed) = (next(kinds) as u32, next(1 << 32) as u32);
                let reads = matches!(kind, 3..=7 | 9);
                let kind = if reads && has_read { BARRIER } else { kind };
                has_read = (has_read || reads) && kind < BARRIER;
                [kind, seed]
            };
            let plan: Vec<[u32; 2]> = (0..STEPS).map(&mut step).collect();
            let works = |lockstep| Works {
                off: Some((Access::Write, Access::Write)),
                rules: Rules {
                    lockstep,
                    ..Rules::ALL
                },
            };
            let [together, one_by_one] =
                [true, false].map(|lockstep| mixed(&bytes, &plan, works(lockstep)));
            assert_eq!(together, one_by_one, "{target}: {round}: {plan:?}");
            all += together.len();
        }
        assert!(all > 3000, "{target}: {all}");
    }
}

/// Reads that follow each other have the races of reads that are noted one after the other, as they are on exact devices. A wave reads once
/// between two barriers, as above.
#[test]
fn reads_in_turn_race_as_reads_one_by_one() {
    const STEPS: usize = 60;
    const BARRIER: u32 = 8;
    let mut next = random();
    for target in ["gfx90a", "gfx1100"] {
        let source = include_str!("races_in_turn.cl");
        let Some(bytes) = compiled_text(target, &["-O2", "-g"], source) else {
            return;
        };
        let mut all = 0;
        for round in 0..300 {
            let kinds = 9 + 6 * (round % 3);
            let mut has_read = false;
            let mut step = |_| {
                let kind = next(kinds) as u32;
                let reads = (2..BARRIER).contains(&kind);
                let kind = if reads && has_read { BARRIER } else { kind };
                has_read = (has_read || reads) && kind < BARRIER;
                let [far, first, second] = [0; 3].map(|_| next(1 << 32) as u32);
                [kind, far, first, second]
            };
            let plan: Vec<[u32; 4]> = (0..STEPS).map(&mut step).collect();
            let [in_turn, one_by_one] = [false, true].map(|is_exact| {
                let device = Device::new(CodeObject::parse(&bytes).unwrap(), 1).unwrap();
                match is_exact {
                    true => device.be_exact(),
                    // It is not shown what accesses LDS.
                    false if round % 2 == 0 => follow_global(&device),
                    false => {}
                }
                by_plan(&device, "in_turn", plan.as_flattened(), STEPS, ALL)
            });
            assert_eq!(in_turn, one_by_one, "{target}: {round}: {plan:?}");
            all += in_turn.len();
        }
        assert!(all > 1000, "{target}: {all}");
    }
}

/// Lets the device look for races in global memory, too.
fn follow_global(device: &Device<'_>) {
    let told = Arc::<crate::global_races::Told>::default();
    let races = GlobalRaces::new(device.reader(), Box::new(|_| false), told);
    device.follow(Arc::new(races));
}

/// All about a race but its times: its address, both sides with their offsets in the object, the lane, and whether it is certain.
type Whole = (u32, [(Access, u64, u32); 2], u32, bool);

/// The races of a workgroup that does what a plan says.
fn mixed(bytes: &[u8], plan: &[[u32; 2]], works: Works) -> Vec<Whole> {
    let device = Device::new(CodeObject::parse(bytes).unwrap(), 1).unwrap();
    let races = by_plan(&device, "mixed", plan.as_flattened(), plan.len(), works);
    races.into_iter().map(|(whole, _)| whole).collect()
}

/// The same for a kernel whose plan has so many steps, and the times of each race.
fn by_plan(
    device: &Device<'_>,
    kernel: &str,
    plan: &[u32],
    steps: usize,
    works: Works,
) -> Vec<(Whole, u64)> {
    let told = Arc::new(Told {
        all: Mutex::default(),
        workgroups: Mutex::default(),
        works,
    });
    device.look_for_races(told.clone());
    let words: Vec<u8> = plan.iter().flat_map(|word| word.to_le_bytes()).collect();
    let from = device.buffer(&words, words.len() as u64).unwrap();
    let out = device.buffer(&[], 4 * u64::from(ITEMS)).unwrap();
    let shape = Shape {
        grid: [1; 3],
        block: [ITEMS, 1, 1],
        dynamic_lds: 0,
    };
    let arguments = [
        Argument::pointer(from),
        Argument((steps as u32).to_le_bytes().to_vec()),
        Argument::pointer(out),
    ];
    let prepared = device.prepare(kernel, &shape, &arguments).unwrap();
    device.run_within(&prepared, LIMIT).unwrap();
    let told = told.all.lock().unwrap();
    let whole = told.iter().map(|race| {
        let side = |side: emulate::Side, pc: u64| (side.access, pc - device.base(), side.wave);
        let sides = [
            side(race.before, race.pc_before()),
            side(race.after, race.pc),
        ];
        let whole = (race.address, sides, race.lane, race.certain);
        (whole, race.times)
    });
    whole.collect()
}

/// The checker keeps its cells from workgroup to workgroup. It begins them anew only when their counters are full, after some thousands.
#[test]
fn all_of_many_workgroups_are_told_of() {
    let of = |ok| {
        let bytes = CORPUS.compiled("gfx90a", ok)?;
        let object = CodeObject::parse(&bytes).unwrap();
        let (told, _) = launched(object, "missing", 20_000, ALL);
        Some(told.workgroups.lock().unwrap().len())
    };
    let (Some(wrong), Some(right)) = (of(false), of(true)) else {
        return;
    };
    assert_eq!((wrong, right), (20_000, 0));
}
