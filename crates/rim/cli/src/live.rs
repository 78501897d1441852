//! `luthier run --live`: what the emulated GPU is doing, in one line of the terminal, while the program runs.

use std::{
    collections::VecDeque,
    fs,
    io::IsTerminal,
    path::PathBuf,
    sync::mpsc::{RecvTimeoutError, Sender, channel},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::summary::Summary;

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
    /// `statistics`: where the emulated GPU keeps them up to date. `None` where nobody would see it.
    pub fn start(statistics: PathBuf) -> Option<Live> {
        if !std::io::stderr().is_terminal() {
            return None;
        }
        let (end, ended) = channel();
        let watch = move || {
            let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
                line.set_style(style);
            }
            let began = Instant::now();
            let mut seen = VecDeque::from([(began, 0)]);
            let mut wait = OFTEN;
            while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                let looked = Instant::now();
                let text = fs::read_to_string(&statistics).unwrap_or_default();
                // A line that is being written is read the next time.
                if let Ok(summary) = Summary::read(&text, began.elapsed()) {
                    let (then, before) = seen[0];
                    let since = looked.duration_since(then).as_secs_f64();
                    line.set_message(told(&summary, before, since));
                    line.tick();
                    seen.push_back((looked, summary.wave_instructions));
                    if seen.len() > LOOKS {
                        seen.pop_front();
                    }
                }
                wait = OFTEN.max(looked.elapsed() * SHARE);
            }
            line.finish_and_clear();
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

/// `before`: wave instructions that had been executed `since` seconds ago.
fn told(summary: &Summary, before: u64, since: f64) -> String {
    let more = summary.wave_instructions.saturating_sub(before) as f64;
    let mut told = format!(
        "luthier: {:.0} s, {} kernels, {} launches, {:.1} M wave instr., {:.1} M/s",
        summary.seconds,
        summary.kernels.len(),
        summary.dispatches,
        summary.wave_instructions as f64 / 1e6,
        more / since.max(1e-9) / 1e6,
    );
    if let Some(top) = summary.kernels.first() {
        let share = top.wave_instructions as f64 * 100.0 / summary.wave_instructions.max(1) as f64;
        let name = demangle::readable(&top.kernel);
        told.push_str(&format!(", most ({share:.0} %) in {name}"));
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_has_rates_of_the_last_seconds_and_the_top_kernel() {
        let line = |kernel: &str, instructions: u64| {
            format!(
                "{{\"kernel\":\"{kernel}\",\"device\":\"gfx90a\",\"node\":1,\"pid\":1,\"dispatches\":2,\"faults\":0,\"workgroups\":1,\
                 \"work_items\":64,\"nanoseconds\":5,\"waves\":1,\"wave_instructions\":{instructions},\"lane_instructions\":7,\"classes\":{{}}}}\n"
            )
        };
        let text = line("small", 1_000_000) + &line("large", 3_000_000);
        let summary = Summary::read(&text, Duration::from_secs(9)).unwrap();
        assert_eq!(
            told(&summary, 2_000_000, 2.0),
            "luthier: 9 s, 2 kernels, 4 launches, 4.0 M wave instr., 1.0 M/s, most (75 %) in large"
        );
    }
}
