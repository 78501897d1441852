//! Timelines in the Trace Event Format, which Chrome's `about:tracing` and Perfetto open.

use crate::{
    Error,
    kept::{failed, keep},
    whole_file::WholeFile,
};
use guest::Kept;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Something with a beginning and an end.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The text that the viewer shows on it.
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

/// A moment in a row, as where an arrow begins or ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// See [`Event::process`].
    pub process: u64,
    /// See [`Event::thread`].
    pub thread: u64,
    /// Microseconds.
    pub time: f64,
}

/// A file of events.
pub struct Timeline {
    path: PathBuf,
    file: Kept<WholeFile>,
    /// Anything is in it.
    begun: bool,
    /// Events that are in it.
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
            begun: false,
            written: 0,
        })
    }

    /// Appends an event.
    pub fn write(&mut self, event: &Event) -> Result<(), Error> {
        self.written += 1;
        self.append(&json!({
            "ph": "X", "name": event.name, "pid": event.process, "tid": event.thread,
            "ts": event.start, "dur": event.duration, "args": event.arguments,
        }))
    }

    /// Says what the rows of a process are called together.
    pub fn name_process(&mut self, process: u64, name: &str) -> Result<(), Error> {
        let arguments = json!({ "name": name });
        self.append(
            &json!({ "ph": "M", "name": "process_name", "pid": process, "args": arguments }),
        )
    }

    /// Says what a row is called.
    pub fn name_thread(&mut self, process: u64, thread: u64, name: &str) -> Result<(), Error> {
        let (what, arguments) = ("thread_name", json!({ "name": name }));
        self.append(
            &json!({ "ph": "M", "name": what, "pid": process, "tid": thread, "args": arguments }),
        )
    }

    /// Draws an arrow from the event that begins at one moment to the one that begins at another; `number` is that of no other arrow.
    pub fn arrow(&mut self, number: u64, from: Moment, to: Moment) -> Result<(), Error> {
        // ("bp": to the event around that moment, not to the next one.)
        let ends = [("s", from, None), ("f", to, Some("e"))];
        for (phase, moment, binding) in ends {
            let mut end = json!({
                "ph": phase, "id": number, "name": "arrow", "cat": "arrow", "pid": moment.process,
                "tid": moment.thread, "ts": moment.time,
            });
            if let Some(binding) = binding {
                end["bp"] = binding.into();
            }
            self.append(&end)?;
        }
        Ok(())
    }

    fn append(&mut self, object: &Value) -> Result<(), Error> {
        let separator = if self.begun { ",\n" } else { "" };
        self.begun = true;
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
