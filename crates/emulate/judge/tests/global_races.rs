//! Accesses to global memory in no order: a corpus of kernels with a bug, each with a right twin, for targets of all families.

use crate::common::corpus::{
    Corpus, TARGETS, each_bug_is_found_and_right_twins_are_silent, grade, line, rows,
};
use codeobj::{CodeObject, SourceLines};
use emulate::{Argument, Device, Shape};
use global_races::{Copied, Found, GlobalRaces, Missing, Rules, Sink};
use gpu::memory::{Allocator, HeapCall};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::Duration,
};

const CORPUS: Corpus = Corpus(include_str!("global_races.cl"));
const EXPECTED: &str = include_str!("global_races.tsv");
/// A kernel that takes longer does not end.
const LIMIT: Duration = Duration::from_secs(60);
const ITEMS: u32 = 256;
const GROUPS: u32 = 3;
pub const ALL: Rules = Rules {
    performed: true,
    fresh: true,
    synchronising: true,
    deciding: true,
    looks: true,
    meetings: true,
    lines: true,
    launches: true,
    copies: true,
    host: true,
    heap: true,
    together: true,
    cells: 1 << 20,
};

/// The functions of the corpus that allocate memory and free it.
struct Heap {
    allocate: u64,
    release: u64,
    races: Arc<GlobalRaces>,
}

impl Allocator for Heap {
    fn code_appears(&self) {}

    fn owner(&self, _: u64) -> Option<u32> {
        None
    }

    fn function(&self, pc: u64) -> Option<HeapCall> {
        match pc {
            _ if pc == self.allocate => Some(HeapCall::Allocate),
            _ if pc == self.release => Some(HeapCall::Free),
            _ => None,
        }
    }

    fn allocated(&self, address: u64, size: u64) {
        self.races.allocated(address, size);
    }

    fn freed(&self, _: u64) -> bool {
        true
    }
}

/// Grade, what is missing, and the lines of both instructions, the lower one first.
type Row = (&'static str, &'static str, Option<u32>, Option<u32>);

#[derive(Default)]
pub struct Told {
    found: Mutex<Vec<Found>>,
    not_judged: Mutex<Vec<&'static str>>,
}

impl Told {
    /// All that was told of and not taken back.
    pub fn found(&self) -> Vec<Found> {
        self.found.lock().unwrap().clone()
    }
}

impl Sink for Told {
    fn raced(&self, found: &[Found]) {
        self.found.lock().unwrap().extend(found);
    }

    fn took_back(&self, found: &Found) {
        let mut known = self.found.lock().unwrap();
        let key = |one: &Found| (one.certain, one.missing, one.before.pc, one.after.pc);
        let mut left = found.times;
        for one in known.iter_mut().filter(|one| key(one) == key(found)) {
            let taken = one.times.min(left);
            one.times -= taken;
            left -= taken;
        }
        assert_eq!(left, 0, "{found:?}");
        known.retain(|one| one.times != 0);
    }

    fn copied(&self, found: &Copied) {
        panic!("a kernel copies nothing: {found:?}");
    }

    fn not_judged(&self, name: &'static str) {
        self.not_judged.lock().unwrap().push(name);
    }
}

/// The findings of each kernel on a target, as the table says.
fn expected(target: &str) -> BTreeMap<&'static str, BTreeSet<Row>> {
    let mut all: BTreeMap<&str, BTreeSet<Row>> = BTreeMap::new();
    for fields in rows(EXPECTED, target) {
        let [kernel, kind, missing, first, second] = fields[..] else {
            panic!("{fields:?}");
        };
        let its_rows = all.entry(kernel).or_default();
        if kind == "silent" {
            continue;
        }
        let line_of = |letter: &str| Some(CORPUS.marked(&format!("@{kernel}.{letter}")));
        let (one, other) = (line_of(first), line_of(second));
        its_rows.insert((
            grade(kind == "certain"),
            missing,
            one.min(other),
            one.max(other),
        ));
    }
    all
}

/// The findings in a kernel.
fn found(bytes: &[u8], kernel: &str, rules: Rules) -> BTreeSet<Row> {
    let device = Device::new(CodeObject::parse(bytes).unwrap(), 1).unwrap();
    let out = device.buffer(&[], 1 << 16).unwrap();
    found_on(&device, bytes, kernel, (out, ITEMS), rules)
}

/// The findings in a kernel that gets this memory and has so many items in each workgroup.
fn found_on(
    device: &Device,
    bytes: &[u8],
    kernel: &str,
    (out, items): (u64, u32),
    rules: Rules,
) -> BTreeSet<Row> {
    let object = CodeObject::parse(bytes).unwrap();
    let lines = SourceLines::read(&object).unwrap().unwrap();
    let told = Arc::new(Told::default());
    let races = GlobalRaces::by_rules(device.reader(), Box::new(|_| false), told.clone(), rules);
    let races = Arc::new(races);
    device.follow(races.clone());
    let function = |name: &str| {
        let mut symbols = object.symbols().iter();
        let symbol = symbols.find(|symbol| symbol.name == name).unwrap();
        device.base() + symbol.value
    };
    device.keep_account(Box::new(Heap {
        allocate: function("allocate"),
        release: function("release"),
        races,
    }));
    let shape = Shape {
        grid: [GROUPS, 1, 1],
        block: [items, 1, 1],
        dynamic_lds: 0,
    };
    let prepared = device
        .prepare(kernel, &shape, &[Argument::pointer(out)])
        .unwrap();
    device.run_within(&prepared, LIMIT).unwrap();
    let not_judged = told.not_judged.lock().unwrap();
    assert!(not_judged.is_empty(), "{kernel}: {not_judged:?}");
    let found = told.found.lock().unwrap();
    let line = |pc: u64| line(&lines, pc - device.base());
    let rows = found.iter().map(|found| {
        let missing = match found.missing {
            Missing::Order => "order",
            Missing::Performed => "performed",
            Missing::Fresh => "fresh",
        };
        let (one, other) = (line(found.before.pc), line(found.after.pc));
        (
            grade(found.certain),
            missing,
            one.min(other),
            one.max(other),
        )
    });
    rows.collect()
}

#[test]
fn each_race_is_found_where_it_is_and_right_twins_are_silent() {
    each_bug_is_found_and_right_twins_are_silent(
        |target, ok| CORPUS.compiled(target, ok),
        expected,
        |bytes, kernel| (found(bytes, kernel, ALL), Vec::new()),
    );
}

/// The last dword is only in part the allocation's, and an exact device refuses a read of the rest.
#[test]
fn equal_bytes_at_the_end_of_an_allocation_are_possible_races() {
    for target in TARGETS {
        let Some(bytes) = CORPUS.compiled(target, false) else {
            return;
        };
        let expected = &expected(target)["same_bytes"];
        for items in ITEMS - 3..=ITEMS {
            let device = Device::new(CodeObject::parse(&bytes).unwrap(), 1).unwrap();
            device.be_exact();
            let out = device.buffer(&[], u64::from(items)).unwrap();
            let found = found_on(&device, &bytes, "same_bytes", (out, items), ALL);
            assert_eq!(found, *expected, "{target}, {items} bytes");
        }
    }
}

/// With a rule switched off, the corpus fails.
#[test]
fn the_corpus_needs_each_rule() {
    for target in TARGETS {
        let (Some(wrong), Some(right)) = (
            CORPUS.compiled(target, false),
            CORPUS.compiled(target, true),
        ) else {
            return;
        };
        let all = expected(target);
        let fails = |rules: Rules| {
            all.iter().any(|(kernel, expected)| {
                found(&wrong, kernel, rules) != *expected
                    || !found(&right, kernel, rules).is_empty()
            })
        };
        for rules in [
            Rules {
                performed: false,
                ..ALL
            },
            Rules {
                fresh: false,
                ..ALL
            },
            Rules {
                synchronising: false,
                ..ALL
            },
            Rules {
                deciding: false,
                ..ALL
            },
            // Elsewhere an atomic store is a plain one.
            Rules {
                looks: !["gfx94", "gfx12"].iter().any(|one| target.starts_with(one)),
                ..ALL
            },
            Rules {
                meetings: target.starts_with("gfx12"),
                ..ALL
            },
            Rules {
                lines: target.starts_with("gfx12"),
                ..ALL
            },
            Rules { heap: false, ..ALL },
        ] {
            if rules == ALL {
                continue;
            }
            assert!(fails(rules), "{target}: the corpus does not miss {rules:?}");
        }
    }
}
