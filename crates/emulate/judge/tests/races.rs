//! Accesses to LDS in no order: a corpus of kernels with a bug, each with a right twin, for targets of all families.

use crate::common::compiled_text;
use codeobj::{CodeObject, SourceLines};
use emulate::{Access, Argument, Device, Order, Race, Shape};
use gpu::Dispatch;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::Duration,
};

const TARGETS: [&str; 7] = [
    "gfx900", "gfx90a", "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1201",
];
const SOURCE: &str = include_str!("races.cl");
const EXPECTED: &str = include_str!("races.tsv");
/// A kernel that takes longer does not end.
const LIMIT: Duration = Duration::from_secs(60);
const ITEMS: u32 = 256;

/// Grade, and the lines of both instructions, the lower one first.
type Row = (&'static str, Option<u32>, Option<u32>);

/// The kinds of both accesses.
type Kinds = (Access, Access);

#[derive(Default)]
struct Told {
    all: Mutex<Vec<Race>>,
    /// A rule that is switched off.
    off: Option<Kinds>,
}

impl Order for Told {
    fn raced(&self, _: &Arc<Dispatch>, _: [u32; 3], races: &[Race]) {
        let is_off = |race: &&Race| self.off != Some((race.before.access, race.after.access));
        let mut all = self.all.lock().unwrap();
        all.extend(races.iter().filter(is_off));
    }
}

fn grade(certain: bool) -> &'static str {
    if certain { "certain" } else { "possible" }
}

/// The line of the source that has this mark.
fn marked(mark: &str) -> u32 {
    let is_it = |line: &str| line.split_whitespace().any(|word| word == mark);
    let at = SOURCE.lines().position(is_it);
    at.unwrap_or_else(|| panic!("no {mark}")) as u32 + 1
}

/// The findings of each kernel on a target, as races.tsv says.
fn expected(target: &str) -> BTreeMap<&'static str, BTreeSet<Row>> {
    let mut all: BTreeMap<&str, BTreeSet<Row>> = BTreeMap::new();
    for line in EXPECTED.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [kernel, kind, first, second, targets] = fields[..] else {
            panic!("{line:?}");
        };
        if targets != "all" && !target.starts_with(targets) {
            continue;
        }
        let line_of = |letter: &str| Some(marked(&format!("@{kernel}.{letter}")));
        let (one, other) = (line_of(first), line_of(second));
        let row = (grade(kind == "certain"), one.min(other), one.max(other));
        all.entry(kernel).or_default().insert(row);
    }
    all
}

/// The findings in a kernel, and the kinds of accesses among them.
fn found(bytes: &[u8], kernel: &str, off: Option<Kinds>) -> (BTreeSet<Row>, BTreeSet<Kinds>) {
    let object = CodeObject::parse(bytes).unwrap();
    let lines = SourceLines::read(&object).unwrap().unwrap();
    let device = Device::new(object.clone(), 2).unwrap();
    let told = Arc::new(Told {
        off,
        ..Told::default()
    });
    device.look_for_races(told.clone());
    let out = device.buffer(&[], 16 * u64::from(ITEMS)).unwrap();
    let shape = Shape {
        grid: [3, 1, 1],
        block: [ITEMS, 1, 1],
        dynamic_lds: 0,
    };
    let arguments = [Argument::pointer(out)];
    let prepared = device.prepare(kernel, &shape, &arguments).unwrap();
    device.run_within(&prepared, LIMIT).unwrap();
    let line = |pc: u64| {
        let frames = lines.frames(pc - device.base()).ok()?;
        frames.first()?.line
    };
    let told = told.all.lock().unwrap();
    let rows = told.iter().map(|race| {
        let (one, other) = (line(race.pc_before()), line(race.pc));
        (grade(race.certain), one.min(other), one.max(other))
    });
    let kinds = told
        .iter()
        .map(|race| (race.before.access, race.after.access));
    (rows.collect(), kinds.collect())
}

fn corpus(target: &str, ok: bool) -> Option<Vec<u8>> {
    let split = target.starts_with("gfx12").then_some("-DSPLIT");
    let ok = format!("-DOK={}", u32::from(ok));
    let options: Vec<&str> = ["-O2", "-g", &ok].into_iter().chain(split).collect();
    compiled_text(target, &options, SOURCE)
}

#[test]
fn each_race_is_found_where_it_is_and_right_twins_are_silent() {
    let mut failed = Vec::new();
    for target in TARGETS {
        let (Some(wrong), Some(right)) = (corpus(target, false), corpus(target, true)) else {
            return;
        };
        for (kernel, expected) in expected(target) {
            let (rows, _) = found(&wrong, kernel, None);
            if rows != expected {
                failed.push(format!("{kernel} on {target}: {rows:?}, not {expected:?}"));
            }
            let (rows, _) = found(&right, kernel, None);
            if !rows.is_empty() {
                failed.push(format!("{kernel} on {target}, right: {rows:?}"));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

/// With a rule switched off, the corpus fails.
#[test]
fn the_corpus_needs_each_rule() {
    // On gfx12 the last wave that arrives goes on first, so that pairs are met in both orders.
    let target = "gfx90a";
    let Some(wrong) = corpus(target, false) else {
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
        let mut kernels = all.iter();
        let fails =
            kernels.any(|(kernel, expected)| found(&wrong, kernel, Some(off)).0 != *expected);
        assert!(fails, "the corpus does not miss {off:?}");
    }
}
