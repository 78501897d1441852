//! Uses of results that a GPU may compute otherwise: a corpus of kernels, each with a twin of exact arithmetic, for targets of all families.

use crate::common::{
    compiled_text,
    corpus::{Corpus, each_bug_is_found_and_right_twins_are_silent, line, rows, with_silent},
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

const CORPUS: Corpus = Corpus(include_str!("inexact.cl"));
const EXPECTED: &str = include_str!("inexact.tsv");
const LIMIT: Duration = Duration::from_secs(60);
const ITEMS: u32 = 256;
const BYTES: u64 = 64 * ITEMS as u64;

/// Use, origin, and the lines of the use and of the instruction that made or brought the value.
type Row = (&'static str, &'static str, Option<u32>, Option<u32>);

#[derive(Default)]
struct Told(Mutex<Vec<Found>>);

impl Sink for Told {
    fn used(&self, _: &Arc<Dispatch>, found: &Found, _: u64) {
        self.0.lock().unwrap().push(*found);
    }
}

fn compiled(target: &str, ok: bool) -> Option<Vec<u8>> {
    let ok = format!("-DOK={}", u32::from(ok));
    let rounding = "-cl-fp32-correctly-rounded-divide-sqrt";
    compiled_text(target, &["-O2", "-g", rounding, &ok], CORPUS.0)
}

fn expected(target: &str) -> BTreeMap<&'static str, Row> {
    let all = rows(EXPECTED, target).map(|fields| {
        let [kernel, used, origin, at, from] = fields[..] else {
            panic!("{fields:?}");
        };
        let line_of = |letter: &str| Some(CORPUS.marked(&format!("@{kernel}.{letter}")));
        (kernel, (used, origin, line_of(at), line_of(from)))
    });
    all.collect()
}

/// The device runs kernels one after the other, each with what the one before has stored. Uses, and instructions that were not followed.
fn found(
    bytes: &[u8],
    kernels: &[&str],
    follow: fn(Arc<dyn Sink>) -> Definedness,
) -> (BTreeSet<Row>, Vec<&'static str>) {
    let object = CodeObject::parse(bytes).unwrap();
    let lines = SourceLines::read(&object).unwrap().unwrap();
    let device = Device::new(object.clone(), 2).unwrap();
    let told = Arc::new(Told::default());
    let definedness = Arc::new(follow(told.clone()));
    device.follow(definedness.clone());
    // Positive as floats and as doubles: roots of zero are exact in any case.
    let numbers: Vec<u8> = (0..BYTES as u32 / 4)
        .flat_map(|at| (0x4049_0fdb + (at << 8)).to_le_bytes())
        .collect();
    let buffers: Vec<u64> = (0..=kernels.len())
        .map(|_| device.buffer(&numbers, BYTES).unwrap())
        .collect();
    let shape = Shape {
        grid: [3, 1, 1],
        block: [ITEMS, 1, 1],
        dynamic_lds: 0,
    };
    for (kernel, buffers) in kernels.iter().zip(buffers.windows(2)) {
        let arguments = [buffers[0], buffers[1]].map(Argument::pointer);
        let prepared = device.prepare(kernel, &shape, &arguments).unwrap();
        device.run_within(&prepared, LIMIT).unwrap();
    }
    let line = |pc: u64| line(&lines, pc - device.base());
    let told = told.0.lock().unwrap();
    let rows = told.iter().map(|found| {
        let used = match found.used {
            Use::Address => "address",
            Use::Condition => "condition",
            Use::Output => "output",
        };
        let origin = match found.origin {
            Origin::Instruction { .. } => "instruction",
            Origin::Lds { .. } => "lds",
            Origin::Memory { .. } => "memory",
            _ => "register",
        };
        let from = found.origin.pc().and_then(line);
        (used, origin, line(found.pc), from)
    });
    (rows.collect(), definedness.unfollowed())
}

#[test]
fn each_use_is_found_where_it_is_and_exact_twins_are_silent() {
    each_bug_is_found_and_right_twins_are_silent(
        compiled,
        |target| {
            let rows = expected(target).into_iter();
            with_silent(rows.map(|(kernel, row)| (kernel, [row].into())).collect())
        },
        |bytes, kernel| {
            let (rows, unfollowed) = found(bytes, &[kernel], Definedness::of_inexact);
            (rows, unfollowed.into_iter().map(str::to_owned).collect())
        },
    );
}

#[test]
fn results_are_followed_into_later_kernels() {
    let later = |from: &str| Some(CORPUS.marked(&format!("@later.{from}")));
    for target in ["gfx90a", "gfx1100"] {
        let (Some(inexact), Some(exact)) = (compiled(target, false), compiled(target, true)) else {
            return;
        };
        let kernels = ["output", "later"];
        let (rows, _) = found(&inexact, &kernels, Definedness::of_inexact);
        let row = ("condition", "memory", later("B"), later("A"));
        assert!(rows.contains(&row) && rows.len() == 2, "{target}: {rows:?}");
        let (rows, _) = found(&exact, &kernels, Definedness::of_inexact);
        assert!(rows.is_empty(), "{target}: {rows:?}");
    }
}

/// All that is found is found because inexact results are followed: memory, registers and LDS of these kernels are set.
#[test]
fn the_corpus_needs_inexact_results() {
    let Some(inexact) = compiled("gfx90a", false) else {
        return;
    };
    for kernel in expected("gfx90a").keys() {
        let (rows, _) = found(&inexact, &[kernel], Definedness::new);
        assert!(rows.is_empty(), "{kernel}: {rows:?}");
    }
}
