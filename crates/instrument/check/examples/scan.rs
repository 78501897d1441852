//! Figures of `docs/check`: findings by kind and target, and how long it takes.
//!
//! `cargo run --release -p check --example scan -- FILE...` prints a line for each target of each file.

use check::{Grade, Selection, Suppressions, Tally};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

fn main() {
    let shown = std::env::var("SHOW")
        .ok()
        .and_then(|text| text.parse().ok());
    let selection = Selection {
        possible: true,
        limit: shown.unwrap_or(0),
    };
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let mut targets: BTreeMap<String, (Tally, check::Covered, Duration)> = BTreeMap::new();
        codeobj::each(&bytes, &mut |found| {
            let codeobj::Found::Entry(entry) = found else {
                return;
            };
            let Ok(object) = entry.code_object() else {
                return;
            };
            let target = object.target().target.name.to_owned();
            let row = targets.entry(target).or_insert_with(|| {
                let tally = Tally::new(selection, Suppressions::default());
                (tally, check::Covered::default(), Duration::ZERO)
            });
            let options = check::Options { selects: &|_| true };
            let start = Instant::now();
            match check::waits::object(&object, &entry.path.join(" / "), &options, &mut row.0) {
                Ok(covered) => row.1.add(covered),
                Err(error) => eprintln!("{path}: {error}"),
            }
            row.2 += start.elapsed();
            for finding in row.0.take() {
                let mut text = String::new();
                check::write_finding(&mut text, &path, &finding).expect("a string takes all");
                println!("{text}");
            }
        });
        for (target, (tally, covered, time)) in &targets {
            let millions = covered.instructions as f64 / 1e6;
            println!(
                "{path} {target}: {} kernels, {millions:.3} M instructions, {} with unknown jumps, {} certain, {} possible, {:.2} s per million",
                covered.kernels,
                covered.with_unknown_jumps,
                tally.all(Grade::Certain),
                tally.all(Grade::Possible),
                time.as_secs_f64() / millions.max(1e-9),
            );
            for (grade, kind, count) in tally.by_kind() {
                println!("    {grade:?} {}: {count} different", kind.name());
            }
        }
    }
}
