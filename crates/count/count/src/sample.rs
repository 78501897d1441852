//! Counts of processes that were killed. A process of this kind cannot report, so its counters are read while it lives. The runtime writes
//! to
//! `<pid>.live` where its counters are; they are read through `/proc/<pid>/mem`.
//!
//! The last look before the end is a lower bound, and is reported as one.

use crate::report::{Process, Thread};
use std::collections::HashMap;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Time between two looks.
pub const INTERVAL: Duration = Duration::from_millis(20);

/// Addresses and offsets that the runtime writes, in this order (`write_live` in `report.c`).
#[derive(Debug, Clone, Copy)]
struct Layout {
    /// Address of the pointer to the first thread record.
    head: u64,
    /// How many words a counter has.
    lanes: u64,
    /// In a record: next, number, birth, total, running, counter.
    record: [u64; 6],
    /// In a thread: limit, signals, signals_unchecked, folded.
    thread: [u64; 4],
}

/// Looks at all processes of a run until it is finished.
pub struct Sampler {
    stop: Sender<()>,
    thread: JoinHandle<HashMap<u32, Process>>,
}

impl Sampler {
    /// Begins to look at processes that announce themselves in `directory`.
    pub fn start(directory: &Path) -> Sampler {
        let (stop, stopped) = channel();
        let directory: PathBuf = directory.to_owned();
        let thread = std::thread::spawn(move || {
            let mut seen = HashMap::new();
            loop {
                look(&directory, &mut seen);
                if stopped.recv_timeout(INTERVAL) != Err(RecvTimeoutError::Timeout) {
                    return seen;
                }
            }
        });
        Sampler { stop, thread }
    }

    /// The last counts that were read of every process.
    pub fn finish(self) -> HashMap<u32, Process> {
        drop(self.stop);
        self.thread.join().unwrap_or_default()
    }
}

/// The processes that announce themselves in `directory`.
pub fn announced(directory: &Path) -> impl Iterator<Item = u32> {
    let live = with_ending(directory, "live");
    live.filter_map(|path| path.file_stem()?.to_str()?.parse().ok())
}

/// The units that all processes of a run have executed until now. It is exact if none of them is executing anything.
pub fn executed(directory: &Path) -> u64 {
    let text = |path: PathBuf| fs::read_to_string(path).ok();
    let live = with_ending(directory, "live").filter_map(text);
    let ended = with_ending(directory, "count").filter_map(text);
    let counts = live.filter_map(|text| sample(&text));
    let counts = counts.chain(ended.filter_map(|text| Process::parse(&text).ok()));
    counts
        .map(|process| process.total)
        .fold(0, u64::saturating_add)
}

fn with_ending(directory: &Path, ending: &'static str) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths.filter(move |path| path.extension().is_some_and(|end| end == ending))
}

fn look(directory: &Path, seen: &mut HashMap<u32, Process>) {
    for path in with_ending(directory, "live") {
        if let Some(process) = fs::read_to_string(&path)
            .ok()
            .and_then(|text| sample(&text))
        {
            seen.insert(process.pid, process);
        }
    }
}

/// One look at one process; `None` if it is gone or was changing what is read.
fn sample(live: &str) -> Option<Process> {
    let (pid, layout) = parse(live)?;
    let memory = File::open(format!("/proc/{pid}/mem")).ok()?;
    let word = |address: u64| {
        let mut bytes = [0; 8];
        memory.read_exact_at(&mut bytes, address).ok()?;
        Some(u64::from_le_bytes(bytes))
    };
    let mut threads = Vec::new();
    let mut record = word(layout.head)?;
    while record != 0 && threads.len() < 100_000 {
        let [next, number, birth, total, running, counter] = layout.record;
        let thread = word(record + running)?;
        let (units, state) = if thread == 0 {
            (word(record + total)?, "ended")
        } else {
            let parts = || -> Option<Vec<u64>> {
                let offsets = layout.thread.into_iter();
                offsets.map(|offset| word(thread + offset)).collect()
            };
            // Setting a budget moves units between limit and counter: only an undisturbed sum means anything.
            let before = parts()?;
            let address = word(record + counter)?;
            let mut count = 0u64;
            for lane in 0..layout.lanes {
                count = count.wrapping_add(word(address + 8 * lane)?);
            }
            if before != parts()? {
                return None;
            }
            let sum = before.into_iter().fold(count, u64::wrapping_add);
            (sum.wrapping_sub(word(record + birth)?), "running")
        };
        threads.push(Thread {
            number: word(record + number)?,
            units,
            more_than: false,
            state: state.to_owned(),
        });
        record = word(record + next)?;
    }
    let program = fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    Some(Process {
        pid,
        program: program.display().to_string(),
        stopped: Some("killed: its count is at least this".to_owned()),
        at_least: true,
        total: threads
            .iter()
            .map(|thread: &Thread| thread.units)
            .fold(0, u64::wrapping_add),
        threads,
        ..Process::default()
    })
}

/// `luthier-count-live 1 PID HEAD LANES` and ten offsets.
fn parse(text: &str) -> Option<(u32, Layout)> {
    let mut words = text.split_whitespace();
    if words.next() != Some("luthier-count-live") || words.next() != Some("1") {
        return None;
    }
    let pid = words.next()?.parse().ok()?;
    let numbers: Vec<u64> = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
    Some((
        pid,
        Layout {
            head: *numbers.first()?,
            lanes: *numbers.get(1).filter(|&&lanes| lanes <= 64)?,
            record: numbers.get(2..8)?.try_into().ok()?,
            thread: numbers.get(8..12)?.try_into().ok()?,
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fake of the runtime's structures in this very process: a record of an ended and one of a running thread.
    #[test]
    fn reads_counters_where_the_layout_says() {
        let thread: [u64; 4] = [1000, 7, 10, 20];
        let counter: [i64; 2] = [-910, 10];
        let last: [u64; 6] = [
            0,
            1,
            37,
            0,
            thread.as_ptr() as u64,
            &raw const counter as u64,
        ];
        let first: [u64; 6] = [last.as_ptr() as u64, 0, 0, 55, 0, 0];
        let head = first.as_ptr() as u64;
        let pid = std::process::id();
        let live = format!(
            "luthier-count-live 1 {pid} {} 2 0 8 16 24 32 40 0 8 16 24\n",
            &raw const head as u64
        );
        let process = sample(&live).unwrap();
        let units: Vec<u64> = process.threads.iter().map(|thread| thread.units).collect();
        assert_eq!((units, process.total), (vec![55, 100], 155));
        assert!(process.at_least);
        std::hint::black_box((thread, counter, first, last, head));
    }

    #[test]
    fn other_versions_are_not_guessed_at() {
        assert!(parse("luthier-count-live 2 1 0 2 0 8 16 24 32 40 0 8 16 24").is_none());
        assert!(parse("luthier-count-live 1 1 0 2 0 8").is_none());
        assert!(parse("").is_none());
    }
}
