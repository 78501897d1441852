//! Barriers at which waves meet: a corpus of kernels with a bug, each with a right twin, for targets of all families.

use crate::common::corpus::{
    Corpus, each_bug_is_found_and_right_twins_are_silent, grade, line, rows,
};
use codeobj::{CodeObject, SourceLines};
use emulate::{Argument, Device, Shape};
use gpu::Dispatch;
use judge::{Barriers, MeetingSink, Unmet, Wrong};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::Duration,
};

const CORPUS: Corpus = Corpus(include_str!("barriers.cl"));
const EXPECTED: &str = include_str!("barriers.tsv");
/// A kernel that takes longer does not end.
const LIMIT: Duration = Duration::from_secs(60);
const ITEMS: u32 = 128;

/// Kind, grade, and the lines of both instructions.
type Row = (String, &'static str, Option<u32>, Option<u32>);

/// Kind, whether it is certain, and the addresses of both instructions.
type Meeting = (Wrong, bool, u64, Option<u64>);

/// The reports, with addresses.
#[derive(Default)]
struct Told {
    all: Mutex<Vec<Meeting>>,
    /// A rule that is switched off.
    off: Option<(Wrong, bool)>,
}

impl MeetingSink for Told {
    fn unmet(&self, _: &Dispatch, found: &Unmet<'_>) {
        if self.off == Some((found.wrong, found.certain)) {
            return;
        }
        let mut all = self.all.lock().unwrap();
        all.push((found.wrong, found.certain, found.pc, found.other));
    }
}

/// The findings of each kernel on a target, as barriers.tsv says. The end of a wave has no line that the source chose.
fn expected(target: &str) -> BTreeMap<&'static str, BTreeSet<Row>> {
    let mut all: BTreeMap<&str, BTreeSet<Row>> = BTreeMap::new();
    for fields in rows(EXPECTED, target) {
        let [kernel, kind, sure, barrier, other] = fields[..] else {
            panic!("{fields:?}");
        };
        let of_kernel = all.entry(kernel).or_default();
        if kind == "silent" {
            continue;
        }
        let line_of = |letter: &str| CORPUS.marked(&format!("@{kernel}.{letter}"));
        let other = (!["-", "*"].contains(&other)).then(|| line_of(other));
        of_kernel.insert((
            kind.to_owned(),
            grade(sure == "certain"),
            Some(line_of(barrier)),
            other,
        ));
    }
    all
}

/// The findings in a kernel, and true if it ended.
fn found(bytes: &[u8], kernel: &str, threads: usize) -> (BTreeSet<Row>, Result<(), String>) {
    found_without(bytes, kernel, threads, None)
}

fn found_without(
    bytes: &[u8],
    kernel: &str,
    threads: usize,
    off: Option<(Wrong, bool)>,
) -> (BTreeSet<Row>, Result<(), String>) {
    let object = CodeObject::parse(bytes).unwrap();
    let lines = SourceLines::read(&object).unwrap().unwrap();
    let device = Device::new(object.clone(), threads).unwrap();
    let told = Arc::new(Told {
        off,
        ..Told::default()
    });
    device.look_at_barriers(Arc::new(Barriers::new(told.clone())));
    // in[0] is 0, and in[t + 1] is larger than t if t is odd.
    let input: Vec<u8> = (0..=ITEMS)
        .map(|at| at.saturating_sub(1) + at.saturating_sub(1) % 2)
        .flat_map(u32::to_le_bytes)
        .collect();
    let out = device.buffer(&[], 4 * u64::from(ITEMS)).unwrap();
    let input = device.buffer(&input, input.len() as u64).unwrap();
    let both = [Argument::pointer(out), Argument::pointer(input)];
    let shape = Shape {
        grid: [3, 1, 1],
        block: [ITEMS, 1, 1],
        dynamic_lds: 0,
    };
    let takes = if kernel == "nested" { 2 } else { 1 };
    let prepared = device.prepare(kernel, &shape, &both[..takes]).unwrap();
    let ended = device.run_within(&prepared, LIMIT);
    // (SYNC is a macro, so that its line is that of its use.)
    let line = |pc: u64| line(&lines, pc - device.base());
    let told = told.all.lock().unwrap();
    let rows = told.iter().map(|(wrong, certain, pc, other)| {
        let other = other.filter(|_| *wrong != Wrong::MissedByEnded);
        let mut both = (line(*pc), other.and_then(line));
        // The compiler lays branches out in any order.
        if *wrong == Wrong::DifferentBarriers && both.1 < both.0 {
            std::mem::swap(&mut both.0, &mut both.1);
        }
        (format!("{wrong:?}"), grade(*certain), both.0, both.1)
    });
    (
        rows.collect(),
        ended.map(drop).map_err(|why| why.to_string()),
    )
}

#[test]
fn each_bug_is_found_where_it_is_and_right_twins_are_silent() {
    each_bug_is_found_and_right_twins_are_silent(
        |target, ok| CORPUS.compiled(target, ok),
        expected,
        |bytes, kernel| {
            let (rows, ended) = found(bytes, kernel, 1);
            let (on_two_threads, ended_too) = found(bytes, kernel, 2);
            assert_eq!(rows, on_two_threads, "{kernel}");
            let stuck = rows.iter().any(|(kind, ..)| kind == "Deadlock");
            for ended in [ended, ended_too] {
                assert_eq!(ended.is_err(), stuck, "{kernel}: {ended:?}");
            }
            (rows, Vec::new())
        },
    );
}

/// The host writes the word that waves poll, once it is told that they wait; without that the kernel would not end.
#[test]
fn waves_that_poll_memory_are_told_of_and_go_on_when_the_host_writes() {
    for target in ["gfx90a", "gfx1201"] {
        for ok in [false, true] {
            let Some(bytes) = CORPUS.compiled(target, ok) else {
                return;
            };
            let object = CodeObject::parse(&bytes).unwrap();
            let lines = SourceLines::read(&object).unwrap().unwrap();
            let device = Device::new(object.clone(), 2).unwrap();
            let told = Arc::new(Told::default());
            device.look_at_barriers(Arc::new(Barriers::new(told.clone())));
            let flag = device.buffer(&[0; 4], 4).unwrap();
            let shape = Shape {
                grid: [1, 1, 1],
                block: [ITEMS, 1, 1],
                dynamic_lds: 0,
            };
            let arguments = [Argument::pointer(flag)];
            let prepared = device.prepare("polls_memory", &shape, &arguments);
            let mut help = || {
                if !told.all.lock().unwrap().is_empty() {
                    device.write(flag, &1_u32.to_le_bytes()).unwrap();
                }
                true
            };
            let ended = device.run_while(&prepared.unwrap(), Some(10 * LIMIT), &mut help);
            assert!(ended.is_ok(), "{target} {ok}: {ended:?}");
            let told = told.all.lock().unwrap();
            if ok {
                assert!(told.is_empty(), "{target}: {told:?}");
                continue;
            }
            let (wrong, certain, pc, other) = told[0];
            assert_eq!((wrong, certain), (Wrong::Deadlock, false), "{target}");
            let line = |pc: u64| line(&lines, pc - device.base());
            let places = (line(pc), other.and_then(line));
            let marks =
                ["@polls_memory.A", "@polls_memory.B"].map(|mark| Some(CORPUS.marked(mark)));
            assert_eq!(places, (marks[0], marks[1]), "{target}");
        }
    }
}

/// With a rule switched off, the corpus fails.
#[test]
fn the_corpus_needs_each_rule() {
    let target = "gfx1201";
    let Some(wrong) = CORPUS.compiled(target, false) else {
        return;
    };
    let all = expected(target);
    assert!(all.len() >= 12, "{}", all.len());
    for off in [
        (Wrong::Deadlock, true),
        (Wrong::DifferentBarriers, true),
        (Wrong::MissedByLanes, true),
        (Wrong::MissedByLanes, false),
        (Wrong::MissedByEnded, false),
        (Wrong::ArrivedTwice, true),
    ] {
        let mut kernels = all.iter();
        let fails = kernels.any(|(kernel, expected)| {
            let (rows, _) = found_without(&wrong, kernel, 1, Some(off));
            rows != *expected
        });
        assert!(fails, "the corpus does not miss {off:?}");
    }
}
