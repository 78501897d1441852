//! How far something is that takes longer than a second: a line on a terminal, nothing elsewhere.

use std::{cell::RefCell, io::IsTerminal, time::Duration};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// What is done in less time is not worth a line that flashes up.
const PATIENCE: Duration = Duration::from_millis(500);

/// A line on standard error that goes away when this is dropped.
pub struct Steps {
    began: std::time::Instant,
    bar: RefCell<Option<ProgressBar>>,
    shown: bool,
}

impl Steps {
    pub fn new() -> Steps {
        Steps {
            began: std::time::Instant::now(),
            bar: RefCell::default(),
            shown: std::io::stderr().is_terminal(),
        }
    }

    /// So much of so much is done of `what`; with `all` 0 nobody knows how much there is.
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

/// A line that says what is being done, for as long as this is kept, where nobody knows how much of it there is.
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
