//! NaN and infinity made of numbers: a corpus of kernels with a bug, each with a right twin, for targets of all families.

use crate::common::corpus::{
    Corpus, each_bug_is_found_and_right_twins_are_silent, line, rows, with_silent,
};
use codeobj::{CodeObject, SourceLines};
use compute::{Beginning, Follower, Planner, Shadow};
use definedness::nan::{Found, Nans, Sink, Use, Value, Wanted};
use emulate::{Argument, Device, Shape};
use gpu::Dispatch;
use isa::{Effects, Inst};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::Duration,
};
use wave::Config;

const CORPUS: Corpus = Corpus(include_str!("nan.cl"));
const EXPECTED: &str = include_str!("nan.tsv");
/// A kernel that takes longer does not end.
const LIMIT: Duration = Duration::from_secs(60);
const ITEMS: u32 = 256;
const GROUPS: u32 = 3;
const BYTES: u64 = 64 * ITEMS as u64;

/// Use, value, and the lines of the instruction that made it and of the use.
type Row = (&'static str, &'static str, Option<u32>, Option<u32>);

#[derive(Default)]
struct Told(Mutex<(Vec<Found>, Vec<&'static str>)>);

impl Sink for Told {
    fn met(&self, _: &Arc<Dispatch>, found: &Found) {
        self.0.lock().unwrap().0.push(*found);
    }

    fn not_looked_at(&self, name: &'static str) {
        self.0.lock().unwrap().1.push(name);
    }
}

fn used(one: Use) -> &'static str {
    match one {
        Use::Stored => "stored",
        Use::Compared => "compared",
        Use::Made => "made",
    }
}

fn value(one: Value) -> &'static str {
    match one {
        Value::Nan => "nan",
        Value::Infinity => "infinity",
        Value::Saturated => "saturated",
        Value::Denormal => "denormal",
        Value::Underflow => "underflow",
    }
}

const EVERYTHING: Wanted = Wanted {
    saturated: true,
    denormals: true,
};

/// The findings of each kernel on a target, as nan.tsv says.
fn expected(target: &str) -> BTreeMap<&'static str, BTreeSet<Row>> {
    let mut all: BTreeMap<&str, BTreeSet<Row>> = BTreeMap::new();
    for fields in rows(EXPECTED, target) {
        let [kernel, used, value, made, at] = fields[..] else {
            panic!("{fields:?}");
        };
        let line_of = |letter: &str| Some(CORPUS.marked(&format!("@{kernel}.{letter}")));
        let row = (used, value, line_of(made), line_of(at));
        all.entry(kernel).or_default().insert(row);
    }
    all
}

/// An instruction that the follower is not shown.
type Hidden = fn(&Inst) -> bool;

/// A follower that is blind to some instructions.
struct Blind(Arc<dyn Follower>, Hidden);

struct BlindPlanner(Arc<dyn Planner>, Hidden);

impl Follower for Blind {
    fn begin(&self, beginning: &Beginning<'_>) -> Box<dyn Shadow> {
        self.0.begin(beginning)
    }

    fn planner(&self) -> Arc<dyn Planner> {
        Arc::new(BlindPlanner(self.0.planner(), self.1))
    }
}

impl Planner for BlindPlanner {
    fn plan(&self, config: &Config, inst: &Inst) -> Option<u32> {
        match self.1(inst) {
            true => None,
            false => self.0.plan(config, inst),
        }
    }
}

/// The findings in a kernel, the number of the lanes of each, and the instructions that were not looked at.
fn found(
    bytes: &[u8],
    kernel: &str,
    hidden: Hidden,
    wanted: Wanted,
) -> (BTreeMap<Row, BTreeSet<u32>>, Vec<&'static str>) {
    let object = CodeObject::parse(bytes).unwrap();
    let lines = SourceLines::read(&object).unwrap().unwrap();
    let device = Device::new(object.clone(), 2).unwrap();
    let told = Arc::new(Told::default());
    let nans = Arc::new(Nans::new(told.clone(), wanted));
    device.follow(Arc::new(Blind(nans, hidden)));
    let numbers = (0..GROUPS * ITEMS).map(|item| item % ITEMS);
    let numbers: Vec<u8> = numbers.flat_map(u32::to_le_bytes).collect();
    let input = device.buffer(&numbers, BYTES).unwrap();
    let out = device.buffer(&[], BYTES).unwrap();
    let shape = Shape {
        grid: [GROUPS, 1, 1],
        block: [ITEMS, 1, 1],
        dynamic_lds: 0,
    };
    let arguments = [Argument::pointer(input), Argument::pointer(out)];
    let prepared = device.prepare(kernel, &shape, &arguments).unwrap();
    device.run_within(&prepared, LIMIT).unwrap();
    let line = |pc: u64| line(&lines, pc - device.base());
    let told = told.0.lock().unwrap();
    let mut rows: BTreeMap<Row, BTreeSet<u32>> = BTreeMap::new();
    for found in &told.0 {
        let row = (
            used(found.used),
            value(found.value),
            line(found.made),
            line(found.pc),
        );
        rows.entry(row).or_default().insert(found.lanes);
    }
    (rows, told.1.clone())
}

#[test]
fn each_value_is_found_where_it_is_and_right_twins_are_silent() {
    each_bug_is_found_and_right_twins_are_silent(
        |target, ok| CORPUS.compiled(target, ok),
        |target| with_silent(expected(target)),
        |bytes, kernel| {
            let (rows, left_out) = found(bytes, kernel, |_| false, EVERYTHING);
            let left_out = left_out.into_iter().map(str::to_owned);
            (rows.into_keys().collect(), left_out.collect())
        },
    );
}

/// One item of the first wave divides zero by zero.
#[test]
fn lanes_are_counted() {
    let Some(wrong) = CORPUS.compiled("gfx90a", false) else {
        return;
    };
    let (rows, _) = found(&wrong, "zero_by_zero", |_| false, EVERYTHING);
    assert_eq!(
        rows.into_values().collect::<Vec<_>>(),
        [BTreeSet::from([1])]
    );
    // 66 to 255 are too large for halves; the waves have 64 lanes.
    let (rows, _) = found(&wrong, "to_half", |_| false, EVERYTHING);
    assert_eq!(
        rows.into_values().collect::<Vec<_>>(),
        [BTreeSet::from([62, 64])]
    );
}

/// Without a look at instructions of a kind, those kernels fail that have need of it, so that the corpus would tell.
#[test]
fn the_corpus_fails_if_instructions_are_not_looked_at() {
    let target = "gfx90a";
    let Some(wrong) = CORPUS.compiled(target, false) else {
        return;
    };
    let is_lost =
        |kernel: &str, hidden: Hidden| found(&wrong, kernel, hidden, EVERYTHING).0.is_empty();
    let computes: Hidden = |inst| inst.effects.contains(Effects::VALU);
    let stores: Hidden = |inst| inst.effects.contains(Effects::STORE);
    let stores_lds: Hidden = |inst| inst.effects.contains(Effects::LDS | Effects::STORE);
    let compares: Hidden = |inst| inst.op.first_name().starts_with("v_cmp");
    let reads_lane: Hidden = |inst| inst.op.first_name().starts_with("v_readfirstlane");
    for (kernel, expected) in expected(target) {
        assert!(is_lost(kernel, computes), "{kernel}");
        if expected.iter().any(|row| row.0 == "made") {
            continue;
        }
        let is_stored = expected.iter().all(|row| row.0 == "stored");
        assert_eq!(is_lost(kernel, stores), is_stored, "{kernel}");
    }
    assert!(is_lost("through_local", stores_lds));
    assert!(is_lost("compared", compares));
    assert!(is_lost("other_lane", reads_lane));
    let products: Hidden = |inst| inst.effects.contains(Effects::MATRIX);
    for kernel in ["product", "product_of_doubles", "product_of_brains"] {
        assert!(is_lost(kernel, products), "{kernel}");
    }
}

/// Each option adds its own values, and nothing else.
#[test]
fn values_at_the_limits_are_told_of_only_if_they_are_wanted() {
    let target = "gfx90a";
    let Some(wrong) = CORPUS.compiled(target, false) else {
        return;
    };
    let options = [
        (true, false, &["saturated"][..]),
        (false, true, &["denormal", "underflow"]),
        (false, false, &[]),
    ];
    for (saturated, denormals, values) in options {
        let wanted = Wanted {
            saturated,
            denormals,
        };
        for (kernel, expected) in expected(target) {
            let told = found(&wrong, kernel, |_| false, wanted).0;
            let is_told = |row: &Row| row.0 != "made" || values.contains(&row.1);
            let expected: BTreeSet<Row> = expected.into_iter().filter(is_told).collect();
            assert_eq!(
                told.into_keys().collect::<BTreeSet<_>>(),
                expected,
                "{kernel}"
            );
        }
    }
}

/// Only the elements of column 5 are too large: in 16 columns, one lane of each 16 holds a row of it.
#[test]
fn elements_of_products_are_told_apart() {
    for (target, kernel, lanes) in [
        ("gfx90a", "product", 4),
        ("gfx942", "product_beside", 4),
        ("gfx1201", "dot_of_eights", 2),
    ] {
        let Some(wrong) = CORPUS.compiled(target, false) else {
            return;
        };
        let (rows, _) = found(&wrong, kernel, |_| false, EVERYTHING);
        let counted: Vec<_> = rows.into_values().collect();
        assert_eq!(counted, [BTreeSet::from([lanes])], "{target} {kernel}");
    }
}
