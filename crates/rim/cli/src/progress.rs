//! How far a long command is, for someone who waits at a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

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

/// Bytes of a file for which nobody waits.
const WORTH_IT: u64 = 8 << 20;
