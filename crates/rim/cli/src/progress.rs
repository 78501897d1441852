//! How far a long command is, for someone who waits at a terminal; nothing elsewhere.

use std::{
    cell::RefCell,
    io::IsTerminal,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Files of fewer bytes take no time that a user would notice.
const WORTH_IT: u64 = 8 << 20;
/// Work that takes less time gets no line, because the line would only flash up.
const PATIENCE: Duration = Duration::from_millis(500);

/// A bar on standard error, if that is a terminal and the work takes longer than a moment.
pub struct Progress(Option<ProgressBar>);

impl Progress {
    /// `bytes`: all there is to do.
    pub fn new(bytes: u64) -> Progress {
        let target = ProgressDrawTarget::stderr_with_hz(5);
        if target.is_hidden() || bytes < WORTH_IT {
            return Progress(None);
        }
        let bar = ProgressBar::with_draw_target(Some(bytes), target);
        let style = ProgressStyle::with_template("{bar:30} {bytes} of {total_bytes}, {eta} left");
        if let Ok(style) = style {
            bar.set_style(style);
        }
        // The thread of the steady tick may start after the work has ended.
        bar.tick();
        bar.enable_steady_tick(Duration::from_secs(1));
        Progress(Some(bar))
    }

    /// None, where a bar would be in the way of what is printed.
    pub fn none() -> Progress {
        Progress(None)
    }

    pub fn reached(&self, bytes: u64) {
        if let Some(bar) = &self.0 {
            bar.set_position(bytes);
        }
    }

    /// Leaves no trace.
    pub fn end(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
}

/// A line on standard error that goes away when this is dropped.
pub struct Steps {
    began: Instant,
    bar: RefCell<Option<ProgressBar>>,
    shown: bool,
}

impl Steps {
    pub fn new() -> Steps {
        Steps {
            began: Instant::now(),
            bar: RefCell::default(),
            shown: std::io::stderr().is_terminal(),
        }
    }

    /// Shows that `done` of `all` of `what` is done. If `all` is 0, the total is not known.
    pub fn step(&self, what: &str, done: usize, all: usize) {
        if !self.shown || self.began.elapsed() < PATIENCE {
            return;
        }
        let mut bar = self.bar.borrow_mut();
        let bar = bar.get_or_insert_with(|| {
            let bar =
                ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr_with_hz(10));
            let known = "{msg} {wide_bar} {pos} of {len}, {eta} left";
            let style = ProgressStyle::with_template(known);
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        bar.set_length(all.max(done) as u64);
        bar.set_position(done as u64);
        if bar.message() != what {
            bar.set_message(what.to_owned());
        }
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get_mut() {
            bar.finish_and_clear();
        }
    }
}

/// Shows a line about the current work while this value lives, for work whose amount is not known.
pub fn waiting(what: &str) -> Waiting {
    let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(5));
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}, {elapsed}") {
        line.set_style(style);
    }
    line.set_message(what.to_owned());
    line.enable_steady_tick(PATIENCE);
    Waiting(line)
}

/// See [`waiting`].
pub struct Waiting(ProgressBar);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
