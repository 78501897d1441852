//! Runs what [`crate::build`] made, and prints ratios.

use crate::support::{must, sources::Real, text};
use crate::variants::{NOTHING, VARIANTS, chosen, path};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

pub struct How {
    pub rounds: usize,
    /// Programs at the same time, each on a core of its own.
    pub side_by_side: usize,
    pub instructions: bool,
    /// A part of the names of the variants wanted.
    pub only: Option<String>,
}

/// One variant of a program, relative to the first; `None` where a tool is missing.
struct Ratios {
    time: f64,
    instructions: Option<f64>,
    text: Option<f64>,
}

pub fn all(programs: &[&Real], directory: &Path, how: &How) {
    // Programs run inside of it.
    let directory = &directory.canonicalize().unwrap();
    let cores = cores();
    // An interrupted build leaves the first ones.
    let built = |index: &usize| {
        programs
            .iter()
            .all(|real| path(directory, real.name, *index).exists())
    };
    let variants: Vec<usize> = (0..VARIANTS.len())
        .filter(|index| chosen(*index, how.only.as_deref()))
        .take_while(built)
        .collect();
    let queue = Mutex::new(programs.iter());
    let rows = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for worker in 0..how.side_by_side.clamp(1, programs.len().max(1)) {
            let (queue, rows, cores, variants) = (&queue, &rows, &cores, &variants);
            scope.spawn(move || {
                if how.side_by_side > 1 {
                    stay_on(cores[worker % cores.len()]);
                }
                loop {
                    let next = queue.lock().unwrap().next();
                    let Some(real) = next else { break };
                    let ratios = program(real, variants, directory, how);
                    rows.lock().unwrap().push(ratios);
                }
            });
        }
    });
    let rows = rows.into_inner().unwrap();
    println!("geometric mean of {} programs", rows.len());
    for (index, (name, _, target)) in variants.iter().map(|&index| &VARIANTS[index]).enumerate() {
        let of = |value: fn(&Ratios) -> Option<f64>| {
            let logs: Option<Vec<f64>> = rows
                .iter()
                .map(|row| value(&row[index]).map(f64::ln))
                .collect();
            logs.map(|logs| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
        };
        let mean = Ratios {
            time: of(|ratios| Some(ratios.time)).unwrap_or(f64::NAN),
            instructions: of(|ratios| ratios.instructions),
            text: of(|ratios| ratios.text),
        };
        let target = target.map_or(String::new(), |target| format!("  (target: time {target})"));
        println!("{}{target}", line(name, &mean));
    }
}

/// All variants of one program, printed when they are complete.
fn program(real: &Real, variants: &[usize], directory: &Path, how: &How) -> Vec<Ratios> {
    let paths: Vec<_> = variants
        .iter()
        .map(|&index| path(directory, real.name, index))
        .collect();
    let (mut plain, mut times) = (Vec::new(), vec![Vec::new(); paths.len()]);
    for _ in 0..how.rounds {
        for ((ratios, path), variant) in times.iter_mut().zip(&paths).zip(variants) {
            let environment = VARIANTS[*variant].1.environment();
            // A shared machine's speed changes by a quarter within seconds: each run has its own to be compared with.
            let before = time(&paths[0], real.long, directory, &[]).as_secs_f64();
            plain.push(before);
            ratios.push(time(path, real.long, directory, environment).as_secs_f64() / before);
        }
    }
    let counts: Vec<Option<u64>> = paths
        .iter()
        .map(|path| {
            how.instructions
                .then(|| instructions(path, directory))
                .flatten()
        })
        .collect();
    let sizes: Vec<Option<u64>> = variants
        .iter()
        .zip(&paths)
        .map(|(&index, program)| {
            let nothing = text_size(&path(directory, NOTHING, index))?;
            Some(text_size(program)?.saturating_sub(nothing))
        })
        .collect();
    let ratio = |of: &[Option<u64>], index: usize| Some(of[index]? as f64 / of[0]? as f64);
    let rows: Vec<Ratios> = (0..paths.len())
        .map(|index| Ratios {
            time: median(&mut times[index]),
            instructions: ratio(&counts, index),
            text: ratio(&sizes, index),
        })
        .collect();
    let lines: Vec<String> = variants
        .iter()
        .zip(&rows)
        .map(|(&index, row)| line(VARIANTS[index].0, row))
        .collect();
    println!(
        "{} ({:.2} s plain)\n{}",
        real.name,
        median(&mut plain),
        lines.join("\n")
    );
    rows
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn line(name: &str, ratios: &Ratios) -> String {
    let cell = |value: Option<f64>| value.map_or("-".into(), |value| format!("{value:.3}"));
    format!(
        "  {name:30} time {:.3}  instructions {:>6}  text {:>6}",
        ratios.time,
        cell(ratios.instructions),
        cell(ratios.text)
    )
}

fn cores() -> Vec<usize> {
    let allowed = sched_getaffinity(None).expect("a thread may ask where it runs");
    (0..CpuSet::MAX_CPU)
        .filter(|&core| allowed.is_set(core))
        .collect()
}

/// This thread, and the programs it starts.
fn stay_on(core: usize) {
    let mut set = CpuSet::new();
    set.set(core);
    sched_setaffinity(None, &set).expect("a thread may choose among its cores");
}

/// Runs a counted program, whose files stay in `directory`.
fn run(program: &Path, directory: &Path, wrapper: &[&str]) -> Command {
    let mut command = Command::new(wrapper[0]);
    command
        .args(&wrapper[1..])
        .arg(program)
        .current_dir(directory);
    command
        .env("LLVM_PROFILE_FILE", directory.join("raw-%p"))
        .env("GCOV_PREFIX", directory);
    command
}

/// User and system time of one run.
fn time(
    program: &Path,
    argument: &str,
    directory: &Path,
    environment: &[(&str, &str)],
) -> Duration {
    let script = "TIMEFORMAT='%U %S'; time \"$0\" \"$1\" > /dev/null";
    let mut command = run(program, directory, &["bash", "-c", script]);
    let output = must(
        command
            .arg(argument)
            .envs(environment.iter().copied())
            .stdout(Stdio::null())
            .stderr(Stdio::piped()),
    );
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
    let wrapper = [
        "valgrind",
        "--tool=callgrind",
        "--callgrind-out-file=/dev/null",
    ];
    let output = run(program, directory, &wrapper).output().ok()?;
    let log = text(&output.stderr);
    let line = log.lines().find(|line| line.contains("Collected :"))?;
    line.rsplit(' ').next()?.parse().ok()
}

fn text_size(program: &Path) -> Option<u64> {
    let output = Command::new("size").arg(program).output().ok()?;
    text(&output.stdout)
        .lines()
        .nth(1)?
        .split_whitespace()
        .next()?
        .parse()
        .ok()
}
