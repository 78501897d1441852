//! Copies by the runtime, as text and as data.

use super::{microseconds, thread, took};
use luthier::rows::Section;
use luthier::{Copied, Result};
use serde_json::{Value, json};
use std::path::Path;

/// A line for each copy.
pub(crate) fn section(copies: &[Copied], first: Option<u64>) -> Section {
    let mut section = Section {
        head: "copy         bytes                   thread   enqueued us      start us   duration us  from and to".to_owned(),
        rows: Vec::new(),
    };
    for copied in copies {
        let since = |time: u64| microseconds(time.saturating_sub(first.unwrap_or(time)));
        let (start, duration) = match copied.time {
            Some((start, end)) => (
                format!("{:.1}", since(start)),
                format!("{:.1}", microseconds(end.saturating_sub(start))),
            ),
            None => ("-".to_owned(), "-".to_owned()),
        };
        let text = format!(
            "{:>4}  {:>12}  {:>23}  {:>12.1}  {start:>12}  {duration:>12}  {}",
            copied.number,
            copied.bytes,
            thread(&copied.enqueued),
            since(copied.enqueued.nanoseconds),
            way(copied)
        );
        section.rows.push((took(copied.time), text));
    }
    section
}

/// Between which memories.
pub fn way(copied: &Copied) -> String {
    let memory = |device: Option<u32>| match device {
        Some(number) => format!("device {number}"),
        None => "host".to_owned(),
    };
    format!("{} to {}", memory(copied.from), memory(copied.to))
}

/// Leaves `copies.PID.json`; says what to say if that fails.
pub fn write(copies: &[Copied], path: &Path) -> Result<String> {
    let rows: Vec<_> = copies.iter().map(row).collect();
    let text = serde_json::to_vec_pretty(&rows)?;
    Ok(match outputs::write_apart(path, &text) {
        Ok(()) => String::new(),
        Err(error) => format!("cannot write {}: {error}\n", path.display()),
    })
}

fn row(copied: &Copied) -> Value {
    json!({
        "copy": copied.number, "bytes": copied.bytes, "from_device": copied.from, "to_device": copied.to,
        "thread": copied.enqueued.thread, "thread_name": copied.enqueued.thread_name(),
        "enqueued_nanoseconds": copied.enqueued.nanoseconds,
        "start_nanoseconds": copied.time.map(|time| time.0),
        "end_nanoseconds": copied.time.map(|time| time.1),
    })
}
