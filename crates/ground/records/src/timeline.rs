//! Timelines in the Trace Event Format, which Chrome's `about:tracing` and Perfetto open.

use crate::{
    Error,
    kept::{failed, keep},
    whole_file::WholeFile,
};
use files::Kept;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Something with a beginning and an end.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// What the viewer shows on it.
    pub name: String,
    /// Row of the timeline it is drawn in: a device and a queue.
    pub process: u64,
    /// Row of the viewer that it lies in.
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
    path: PathBuf,
    file: Kept<WholeFile>,
    written: u64,
}

impl Timeline {
    /// Makes the file. It appears under its name when it is finished.
    pub fn create(path: &Path) -> Result<Timeline, Error> {
        let file = keep(path, |path| {
            let mut file = WholeFile::create(path)?;
            file.write(b"[\n")?;
            Ok(file)
        })?;
        Ok(Timeline {
            path: path.to_path_buf(),
            file,
            written: 0,
        })
    }

    /// Appends an event.
    pub fn write(&mut self, event: &Event) -> Result<(), Error> {
        let object = json!({
            "ph": "X", "name": event.name, "pid": event.process, "tid": event.thread,
            "ts": event.start, "dur": event.duration, "args": event.arguments,
        });
        let separator = if self.written == 0 { "" } else { ",\n" };
        self.written += 1;
        let text = format!("{separator}{object}");
        let written = self.file.with(move |file| file.write(text.as_bytes()));
        written.map_err(|source| failed(&self.path, source))?
    }

    /// Completes the file; says how many events are in it.
    pub fn finish(self) -> Result<u64, Error> {
        let finished = self.file.take(|mut file| {
            file.write(b"\n]\n")?;
            file.finish()
        });
        finished.map_err(|source| failed(&self.path, source))??;
        Ok(self.written)
    }
}
