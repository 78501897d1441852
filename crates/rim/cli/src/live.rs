//! `luthier run --live`: what the emulated GPU is doing, in the last line of the terminal, while the program runs.

use std::{
    collections::VecDeque,
    fs,
    path::PathBuf,
    sync::mpsc::{RecvTimeoutError, Sender, channel},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use counts::Run;

use crate::{
    status_line::{StatusLine, is_seen},
    summary::{self, counted},
};

const OFTEN: Duration = Duration::from_millis(300);
/// Reading the statistics of many kernels takes time that the program wants: at most one part in so many.
const SHARE: u32 = 20;
/// Looks back so many times for how fast it is.
const LOOKS: usize = 10;

/// The line, until this is dropped.
pub struct Live {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Live {
    /// `statistics` is the file that the emulated GPU keeps up to date, and `records` the file in which sessions count records. `None` if
    /// no user would see the line.
    pub fn start(statistics: PathBuf, records: PathBuf) -> Option<Live> {
        if !is_seen() {
            return None;
        }
        let (end, ended) = channel();
        let watch = move || {
            let mut line = StatusLine::default();
            let began = Instant::now();
            let mut seen = VecDeque::from([(began, 0)]);
            let mut wait = OFTEN;
            while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                let looked = Instant::now();
                let text = fs::read_to_string(&statistics).unwrap_or_default();
                // A line that is being written is read the next time.
                if let Ok(summary) = summary::read(&text, began.elapsed()) {
                    let (then, before) = seen[0];
                    let since = looked.duration_since(then).as_secs_f64();
                    let records = sum(&fs::read(&records).unwrap_or_default());
                    line.show(&told(&summary, records, before, since));
                    seen.push_back((looked, summary.wave_instructions));
                    if seen.len() > LOOKS {
                        seen.pop_front();
                    }
                }
                wait = OFTEN.max(looked.elapsed() * SHARE);
            }
        };
        let thread = thread::Builder::new()
            .name("luthier-live".to_owned())
            .spawn(watch);
        Some(Live {
            end: Some(end),
            thread: Some(thread.ok()?),
        })
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // It only draws; if it panicked, nothing is lost.
            let _ = thread.join();
        }
    }
}

/// The sum of the numbers that sessions keep in one file, a word each.
fn sum(words: &[u8]) -> u64 {
    let (words, _) = words.as_chunks();
    words.iter().copied().map(u64::from_le_bytes).sum()
}

/// `before`: wave instructions that had been executed `since` seconds ago.
fn told(summary: &Run, records: u64, before: u64, since: f64) -> String {
    let more = summary.wave_instructions.saturating_sub(before) as f64;
    let mut told = format!(
        "{:.0} s, {}, {}, {} instr./s",
        summary.seconds,
        counted(summary.kernels.len() as u64, "kernel"),
        counted(summary.dispatches, "launch"),
        short(more / since.max(1e-9)),
    );
    if records != 0 {
        told.push_str(&format!(", {} records", short(records as f64)));
    }
    if let Some(top) = summary.kernels.first() {
        let share =
            top.executed.wave_instructions as f64 * 100.0 / summary.wave_instructions.max(1) as f64;
        let name = demangle::readable(&top.kernel);
        // (Only of templates the result is in the name.)
        let name = name.strip_prefix("void ").unwrap_or(&name);
        told.push_str(&format!(", {share:.0} % in {name}"));
    }
    told
}

/// `12.3 M`: there are eighty columns for all.
fn short(number: f64) -> String {
    const UNITS: [(f64, &str); 4] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    match UNITS.iter().find(|(size, _)| number >= *size) {
        Some((size, unit)) => format!("{:.1} {unit}", number / size),
        None => format!("{number:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use counts::{Executed, Kernel};

    #[test]
    fn the_line_has_rates_of_the_last_seconds_and_the_top_kernel() {
        let line = |kernel: &str, instructions: u64| {
            let kernel = Kernel {
                kernel: kernel.to_owned(),
                dispatches: 2,
                executed: Executed {
                    wave_instructions: instructions,
                    ..Executed::default()
                },
                ..Kernel::default()
            };
            String::from_utf8(counts::line(&kernel, 1000)).expect("a text")
        };
        let text = line("small", 1_000_000) + &line("large", 3_000_000);
        let summary = crate::summary::read(&text, Duration::from_secs(9)).unwrap();
        assert_eq!(
            told(&summary, 0, 2_000_000, 2.0),
            "9 s, 2 kernels, 4 launches, 1.0 M instr./s, 75 % in large"
        );
        let summary = crate::summary::read(&line("one", 999), Duration::from_secs(1)).unwrap();
        assert_eq!(
            told(&summary, 12_340, 0, 1.0),
            "1 s, 1 kernel, 2 launches, 999 instr./s, 12.3 k records, 100 % in one"
        );
    }
}
