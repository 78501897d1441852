//! Timelines in the Trace Event Format, which Chrome's `about:tracing` and Perfetto open.

use crate::{Error, whole_file::WholeFile};
use serde_json::{Value, json};
use std::path::Path;

/// Something with a beginning and an end.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub name: String,
    /// Row of the timeline it is drawn in: a device and a queue.
    pub process: u64,
    pub thread: u64,
    /// Microseconds.
    pub start: f64,
    /// Microseconds.
    pub duration: f64,
    /// Shown when the event is selected.
    pub arguments: Value,
}

/// A file of events.
pub struct Timeline {
    file: WholeFile,
    written: u64,
}

impl Timeline {
    pub fn create(path: &Path) -> Result<Timeline, Error> {
        let mut file = WholeFile::create(path)?;
        file.write(b"[\n")?;
        Ok(Timeline { file, written: 0 })
    }

    pub fn write(&mut self, event: &Event) -> Result<(), Error> {
        let object = json!({
            "ph": "X", "name": event.name, "pid": event.process, "tid": event.thread,
            "ts": event.start, "dur": event.duration, "args": event.arguments,
        });
        let separator = if self.written == 0 { "" } else { ",\n" };
        self.written += 1;
        self.file.write(format!("{separator}{object}").as_bytes())
    }

    /// Completes the file; says how many events are in it.
    pub fn finish(mut self) -> Result<u64, Error> {
        self.file.write(b"\n]\n")?;
        self.file.finish()?;
        Ok(self.written)
    }
}
