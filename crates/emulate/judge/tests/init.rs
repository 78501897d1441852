//! Uses of what was never set: a corpus of kernels with a bug, each with a right twin, for targets of all families.

use crate::common::corpus::{
    Corpus, each_bug_is_found_and_right_twins_are_silent, line, rows, with_silent,
};
use codeobj::{CodeObject, SourceLines};
use definedness::{Definedness, Found, Origin, Sink, Use};
use emulate::{Argument, Device, Shape};
use gpu::Dispatch;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::Duration,
};

const CORPUS: Corpus = Corpus(include_str!("init.cl"));
const EXPECTED: &str = include_str!("init.tsv");
/// A kernel that takes longer does not end.
const LIMIT: Duration = Duration::from_secs(60);
const ITEMS: u32 = 256;
const BYTES: u64 = 64 * ITEMS as u64;

/// Use, origin, and the lines of the use and of the instruction that brought the value.
type Row = (&'static str, &'static str, Option<u32>, Option<u32>);

#[derive(Default)]
struct Told(Mutex<Vec<Found>>);

impl Sink for Told {
    fn used(&self, _: &Arc<Dispatch>, found: &Found, _: u64) {
        self.0.lock().unwrap().push(*found);
    }
}

fn used(one: Use) -> &'static str {
    match one {
        Use::Address => "address",
        Use::Condition => "condition",
        Use::Output => "output",
    }
}

fn origin(one: Origin) -> &'static str {
    match one {
        Origin::Memory { .. } => "memory",
        Origin::Lds { .. } => "lds",
        Origin::Private { .. } => "private",
        Origin::Instruction { .. } => "instruction",
        Origin::Vector(_) | Origin::Scalar(_) => "register",
    }
}

/// The findings of each kernel on a target, as init.tsv says.
fn expected(target: &str) -> BTreeMap<&'static str, BTreeSet<Row>> {
    let mut all: BTreeMap<&str, BTreeSet<Row>> = BTreeMap::new();
    for fields in rows(EXPECTED, target) {
        let [kernel, used, origin, at, from] = fields[..] else {
            panic!("{fields:?}");
        };
        let line_of = |letter: &str| match letter {
            "-" => None,
            letter => Some(CORPUS.marked(&format!("@{kernel}.{letter}"))),
        };
        let row = (used, origin, line_of(at), line_of(from));
        all.entry(kernel).or_default().insert(row);
    }
    all
}

/// The findings in a kernel, and the instructions that no rule followed. With `all_set`, the memory counts as written.
fn found(bytes: &[u8], kernel: &str, all_set: bool) -> (BTreeSet<Row>, Vec<&'static str>) {
    let object = CodeObject::parse(bytes).unwrap();
    let lines = SourceLines::read(&object).unwrap().unwrap();
    let device = Device::new(object.clone(), 2).unwrap();
    let told = Arc::new(Told::default());
    let definedness = Arc::new(Definedness::new(told.clone()));
    device.follow(definedness.clone());
    let input = device.buffer(&[], BYTES).unwrap();
    if !all_set {
        definedness.undefine(input, BYTES);
    }
    let out = device.buffer(&[], BYTES).unwrap();
    let shape = Shape {
        grid: [3, 1, 1],
        block: [ITEMS, 1, 1],
        dynamic_lds: 0,
    };
    let arguments = [Argument::pointer(input), Argument::pointer(out)];
    let prepared = device.prepare(kernel, &shape, &arguments).unwrap();
    device.run_within(&prepared, LIMIT).unwrap();
    let line = |pc: u64| line(&lines, pc - device.base());
    let told = told.0.lock().unwrap();
    let rows = told.iter().map(|found| {
        let from = found.origin.pc().and_then(line);
        (used(found.used), origin(found.origin), line(found.pc), from)
    });
    (rows.collect(), definedness.unfollowed())
}

#[test]
fn each_use_is_found_where_it_is_and_right_twins_are_silent() {
    each_bug_is_found_and_right_twins_are_silent(
        |target, ok| CORPUS.compiled(target, ok),
        |target| with_silent(expected(target)),
        |bytes, kernel| {
            let (rows, unfollowed) = found(bytes, kernel, false);
            (rows, unfollowed.into_iter().map(str::to_owned).collect())
        },
    );
}

/// With memory that counts as written, those kernels are silent that read no other.
#[test]
fn the_corpus_needs_undefined_memory() {
    let target = "gfx90a";
    let Some(wrong) = CORPUS.compiled(target, false) else {
        return;
    };
    for (kernel, expected) in expected(target) {
        let of_memory = expected.iter().all(|row| row.1 == "memory");
        let (rows, _) = found(&wrong, kernel, true);
        assert_eq!(rows.is_empty(), of_memory, "{kernel}: {rows:?}");
    }
}
