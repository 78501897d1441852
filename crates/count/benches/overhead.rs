//! What counting costs, beside its neighbours: time and callgrind-instruction ratios to plain `clang-22 -O2`.
//!
//! All variants of a program run interleaved, round after round, so that what disturbs the machine disturbs all of them;
//! the fastest run of each counts. Text is the program's own: that of an empty program, built the same way, is taken off.
//! `cargo bench -p count` takes some minutes; `-- ROUNDS PROGRAM...` chooses. Instruction ratios need valgrind; without
//! it the column stays empty. Fetches the sources that `tests/support/sources.rs` names.

#[path = "../tests/support/mod.rs"]
mod support;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use support::sources::{REAL, Real};
use support::{luthier_count, must, text};

/// How a variant is compiled.
enum Way {
    Plain(&'static [&'static str]),
    Counted(&'static [&'static str]),
}

/// Name, way, and the target of the issue for the geometric mean of time.
#[rustfmt::skip]
const VARIANTS: &[(&str, Way, Option<f64>)] = &[
    ("clang-22 -O2",                 Way::Plain(&[]),                                              None),
    ("article's scheme",             Way::Counted(&["--placement", "article"]),                    None),
    ("ours, source instructions",    Way::Counted(&[]),                                            Some(1.08)),
    ("ours, optimised instructions", Way::Counted(&["--point", "last"]),                           Some(1.03)),
    ("ours, optimised, budget",      Way::Counted(&["--point", "last", "--budget"]),               Some(1.06)),
    ("ours, optimised, function",    Way::Counted(&["--point", "last", "--per", "function"]),      Some(1.08)),
    ("ours, source, budget",         Way::Counted(&["--budget"]),                                  None),
    ("-fprofile-instr-generate",     Way::Plain(&["-fprofile-instr-generate"]),                    None),
    ("-fprofile-arcs",               Way::Plain(&["-fprofile-arcs"]),                              None),
    ("inline-8bit-counters",         Way::Plain(&["-fsanitize-coverage=inline-8bit-counters"]),    None),
];

/// The sanitizer counters want somebody who takes them.
const COVERAGE_STUB: &str =
    "void __sanitizer_cov_8bit_counters_init(char *a, char *b) { (void)a; (void)b; }\n";

fn build(real: &Real, way: &Way, out: &Path, stub: &Path) {
    let common = ["-O2", "-ffp-contract=off", "-no-pie", "-fno-pie"];
    let mut command = match way {
        Way::Plain(flags) => {
            let mut command = Command::new(real.clang());
            command.args(*flags).arg(stub);
            command
        }
        Way::Counted(flags) => {
            let mut command = luthier_count();
            command.arg(real.driver()).args(*flags);
            command
        }
    };
    must(
        command
            .args(common)
            .args(real.arguments())
            .arg("-o")
            .arg(out),
    );
}

/// User and system time of one run.
fn time(program: &Path, argument: &str, directory: &Path) -> Duration {
    let script = "TIMEFORMAT='%U %S'; time \"$0\" \"$1\" > /dev/null";
    let mut command = Command::new("bash");
    command
        .args(["-c", script])
        .arg(program)
        .arg(argument)
        .current_dir(directory);
    command
        .env("LLVM_PROFILE_FILE", directory.join("raw"))
        .env("GCOV_PREFIX", directory);
    let output = must(command.stdout(Stdio::null()).stderr(Stdio::piped()));
    let line = text(&output.stderr);
    let seconds: f64 = line
        .split_whitespace()
        .rev()
        .take(2)
        .map(|word| word.parse::<f64>().unwrap())
        .sum();
    Duration::from_secs_f64(seconds)
}

fn instructions(program: &Path, directory: &Path) -> Option<u64> {
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .current_dir(directory);
    command
        .env("LLVM_PROFILE_FILE", directory.join("raw"))
        .env("GCOV_PREFIX", directory);
    let output = command.output().ok()?;
    let log = text(&output.stderr);
    let line = log.lines().find(|line| line.contains("Collected :"))?;
    line.rsplit(' ').next()?.parse().ok()
}

fn text_size(program: &Path) -> u64 {
    let output = must(Command::new("size").arg(program));
    text(&output.stdout)
        .lines()
        .nth(1)
        .and_then(|line| line.split_whitespace().next()?.parse().ok())
        .unwrap()
}

/// The fastest run: what others do to the machine only ever adds.
fn least(times: Vec<Duration>) -> f64 {
    times.into_iter().min().unwrap_or_default().as_secs_f64()
}

/// Text of a program that does nothing, built the same way: the runtime, and what every program has.
fn text_of_nothing(way: &Way, directory: &Path, stub: &Path) -> u64 {
    let (source, out) = (directory.join("empty.c"), directory.join("empty"));
    std::fs::write(&source, "int main(void) { return 0; }\n").unwrap();
    let mut command = match way {
        Way::Plain(flags) => {
            let mut command = Command::new("clang-22");
            command.args(*flags).arg(stub);
            command
        }
        Way::Counted(flags) => {
            let mut command = luthier_count();
            command.arg("cc").args(*flags);
            command
        }
    };
    must(
        command
            .args(["-O2", "-no-pie", "-fno-pie"])
            .arg(&source)
            .arg("-o")
            .arg(&out),
    );
    text_size(&out)
}

fn main() {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    let rounds = words
        .first()
        .and_then(|word| word.parse().ok())
        .unwrap_or(5usize);
    let programs: Vec<&Real> = REAL
        .iter()
        .filter(|real| {
            words.iter().all(|word| word.parse::<usize>().is_ok())
                || words.contains(&real.name.into())
        })
        .collect();
    let mut means = vec![(0.0, 0.0, 0.0, 0usize); VARIANTS.len()];
    for real in programs {
        let directory = tempfile::tempdir().unwrap();
        let (source, stub) = (
            directory.path().join("stub.c"),
            directory.path().join("stub.o"),
        );
        std::fs::write(&source, COVERAGE_STUB).unwrap();
        // (An object: C++ programs are compiled with flags that C does not take.)
        must(
            Command::new("clang-22")
                .args(["-O2", "-c"])
                .arg(&source)
                .arg("-o")
                .arg(&stub),
        );
        let paths: Vec<_> = (0..VARIANTS.len())
            .map(|index| directory.path().join(format!("v{index}")))
            .collect();
        for ((_, way, _), path) in VARIANTS.iter().zip(&paths) {
            build(real, way, path, &stub);
        }
        let mut times = vec![Vec::new(); VARIANTS.len()];
        for _ in 0..rounds {
            for (index, path) in paths.iter().enumerate() {
                times[index].push(time(path, real.long, directory.path()));
            }
        }
        let times_of: Vec<f64> = times.into_iter().map(least).collect();
        let counts: Vec<Option<u64>> = paths
            .iter()
            .map(|path| instructions(path, directory.path()))
            .collect();
        let sizes: Vec<u64> = VARIANTS
            .iter()
            .zip(&paths)
            .map(|((_, way, _), path)| {
                text_size(path).saturating_sub(text_of_nothing(way, directory.path(), &stub))
            })
            .collect();
        println!("{} ({:.2} s plain)", real.name, times_of[0]);
        for (index, (name, ..)) in VARIANTS.iter().enumerate() {
            let time = times_of[index] / times_of[0];
            let count = counts[index]
                .zip(counts[0])
                .map(|(ours, plain)| ours as f64 / plain as f64);
            let size = sizes[index] as f64 / sizes[0] as f64;
            println!(
                "  {name:30} time {time:.3}  instructions {:>6}  text {size:.2}",
                count.map_or("-".into(), |c| format!("{c:.3}"))
            );
            let mean = &mut means[index];
            *mean = (
                mean.0 + time.ln(),
                mean.1 + count.unwrap_or(1.0).ln(),
                mean.2 + size.ln(),
                mean.3 + 1,
            );
        }
    }
    println!("geometric mean");
    for ((name, _, target), mean) in VARIANTS.iter().zip(means) {
        let of = |sum: f64| (sum / mean.3 as f64).exp();
        let target = target.map_or(String::new(), |target| format!("  (target: time {target})"));
        println!(
            "  {name:30} time {:.3}  instructions {:.3}  text {:.2}{target}",
            of(mean.0),
            of(mean.1),
            of(mean.2)
        );
    }
}
