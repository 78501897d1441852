//! When launches and copies ran, and which host threads enqueued them when, from `launch-log`.

use crate::results::{By, ToolResult};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    io::{self, Write},
};

/// Launches and copies beyond these are left out of the page, and the page says so.
const MOST: usize = 200_000;

/// In columns, one entry for each launch and copy in the order of their beginnings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// The contents of one row: process, device and queue, or process, device and direction of copies.
    pub rows: Vec<String>,
    pub row: Vec<u32>,
    pub names: Vec<String>,
    pub name: Vec<u32>,
    /// Nanoseconds since the first one was enqueued, or began.
    pub start: Vec<u64>,
    pub duration: Vec<u64>,
    pub detail: Vec<String>,
    /// Rows of host threads: their process, and what they are called in it.
    #[serde(default)]
    pub threads: Vec<(String, String)>,
    /// The thread that enqueued a launch, and the time; none if it is not known, as in pages of earlier releases.
    #[serde(default)]
    pub enqueued: Vec<Option<(u32, u64)>>,
    /// Launches and copies that are not here because there were too many.
    pub left_out: u64,
}

/// Positions of texts in a list.
#[derive(Default)]
struct Texts {
    list: Vec<String>,
    known: HashMap<String, u32>,
}

impl Texts {
    fn position(&mut self, text: String) -> u32 {
        let list = &mut self.list;
        *self.known.entry(text).or_insert_with_key(|text| {
            list.push(text.clone());
            list.len() as u32 - 1
        })
    }
}

pub(crate) fn build(tools: &[ToolResult]) -> Option<Timeline> {
    let mut timed: Vec<(u64, u64, By, &Value, &Drawn)> = Vec::new();
    for result in tools {
        let Some((_, drawn)) = SOURCES.iter().find(|(tool, _)| result.tool == *tool) else {
            continue;
        };
        for row in result.value.as_array().into_iter().flatten() {
            let times = row["start_nanoseconds"]
                .as_u64()
                .zip(row["end_nanoseconds"].as_u64());
            timed.extend(times.map(|(start, end)| (start, end, result.by, row, drawn)));
        }
    }
    timed.sort_by_key(|(start, end, by, ..)| (*start, *end, *by));
    let hosts = timed.iter().filter_map(|(.., row, _)| enqueued(row));
    let first = hosts
        .map(|(_, time)| time)
        .chain([timed.first()?.0])
        .min()?;
    let mut timeline = Timeline {
        left_out: timed.len().saturating_sub(MOST) as u64,
        ..Timeline::default()
    };
    let (mut rows, mut names) = (Texts::default(), Texts::default());
    let mut threads: HashMap<(By, u64), u32> = HashMap::new();
    for (start, end, by, row, drawn) in timed.into_iter().take(MOST) {
        let (place, name, detail) = drawn(row);
        timeline.row.push(rows.position(format!("{by}, {place}")));
        timeline.name.push(names.position(name));
        timeline.detail.push(detail);
        timeline.start.push(start - first);
        timeline.duration.push(end.saturating_sub(start));
        let enqueued = enqueued(row).map(|(thread, time)| {
            let next = threads.len() as u32;
            let position = *threads.entry((by, thread)).or_insert(next);
            let name = row["thread_name"].as_str().unwrap_or_default();
            let name = (by.to_string(), format!("{name} ({thread})"));
            // A thread that changes its name is one row, with its last name.
            match timeline.threads.get_mut(position as usize) {
                Some(known) => *known = name,
                None => timeline.threads.push(name),
            }
            (position, time - first)
        });
        timeline.enqueued.push(enqueued);
    }
    timeline.rows = rows.list;
    timeline.names = names.list;
    Some(timeline)
}

/// The row of a process that something is drawn in, its name, and what else is known of it.
type Drawn = fn(&Value) -> (String, String, String);

/// Files whose rows are drawn, and how.
const SOURCES: [(&str, Drawn); 2] = [("launch-log", launch), ("copies", copy)];

fn launch(row: &Value) -> (String, String, String) {
    let number = |key: &str| row[key].as_u64().unwrap_or(0);
    let sizes = |key: &str| {
        let sizes = row[key].as_array().into_iter().flatten();
        let sizes: Vec<_> = sizes.map(ToString::to_string).collect();
        sizes.join("x")
    };
    let arguments = row["arguments"].as_object().into_iter().flatten();
    let arguments: Vec<_> = arguments
        .map(|(name, value)| match value.as_str() {
            Some(value) => format!("{name} = {value}"),
            None => format!("{name} = {value}"),
        })
        .collect();
    let detail = format!(
        "launch {}, grid {}, workgroup {}{}{}",
        number("launch"),
        sizes("grid"),
        sizes("workgroup"),
        if arguments.is_empty() { "" } else { ", " },
        arguments.join(", ")
    );
    let place = format!("device {}, queue {}", number("device"), number("queue"));
    let name = row["name"].as_str().unwrap_or_default();
    (place, name.to_owned(), detail)
}

fn copy(row: &Value) -> (String, String, String) {
    let memory = |key: &str| match row[key].as_u64() {
        Some(device) => format!("device {device}"),
        None => "host".to_owned(),
    };
    let way = format!("{} to {}", memory("from_device"), memory("to_device"));
    // With the device that it goes to, or else comes from.
    let owner = match row["to_device"].is_null() {
        true => memory("from_device"),
        false => memory("to_device"),
    };
    let number = |key: &str| row[key].as_u64().unwrap_or(0);
    let detail = format!("copy {}, {} bytes", number("copy"), number("bytes"));
    (
        format!("{owner}, copies {way}"),
        format!("copy {way}"),
        detail,
    )
}

/// The thread that enqueued a launch, and when.
fn enqueued(row: &Value) -> Option<(u64, u64)> {
    row["thread"]
        .as_u64()
        .zip(row["enqueued_nanoseconds"].as_u64())
}

fn microseconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e3
}

impl Timeline {
    /// Writes all in the Trace Event Format, which Perfetto and Chrome open: a row for each queue, one for each host
    /// thread, and arrows from where a launch was enqueued to the launch.
    pub fn write_trace(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut separator = "[";
        let mut write = |event: Value| {
            let written = write!(out, "{separator}{event}");
            separator = ",\n";
            written
        };
        let rows = self.rows.iter().map(|name| {
            let (group, row) = name.rsplit_once(", ").unwrap_or((name, ""));
            (group.to_owned(), row)
        });
        let threads = self.threads.iter();
        let threads = threads.map(|(process, name)| (format!("{process}, host threads"), &**name));
        let mut groups = Texts::default();
        let mut group_of = Vec::new();
        for (number, (group, row)) in rows.chain(threads).enumerate() {
            let pid = groups.position(group.clone());
            group_of.push(pid);
            for (what, name) in [("process_name", &*group), ("thread_name", row)] {
                write(
                    json!({ "ph": "M", "name": what, "pid": pid, "tid": number, "args": { "name": name } }),
                )?;
            }
        }
        for index in 0..self.start.len() {
            let row = self.row[index] as usize;
            let (name, start) = (&self.names[self.name[index] as usize], self.start[index]);
            let (pid, start) = (group_of[row], microseconds(start));
            write(json!({
                "ph": "X", "name": name, "cat": "ran", "pid": pid, "tid": row, "ts": start,
                "dur": microseconds(self.duration[index]), "args": { "launch": self.detail[index] },
            }))?;
            let Some((thread, time)) = self.enqueued.get(index).copied().flatten() else {
                continue;
            };
            let thread = self.rows.len() + thread as usize;
            let (by, time) = (group_of[thread], microseconds(time));
            // An event without duration has no arrows in viewers.
            let shortest = microseconds(1);
            write(json!({
                "ph": "X", "name": format!("enqueue {name}"), "cat": "enqueued", "pid": by, "tid": thread, "ts": time,
                "dur": shortest, "args": { "launch": self.detail[index] },
            }))?;
            write(json!({
                "ph": "s", "id": index, "name": "arrow", "cat": "arrow", "pid": by, "tid": thread, "ts": time,
            }))?;
            write(json!({
                "ph": "f", "bp": "e", "id": index, "name": "arrow", "cat": "arrow", "pid": pid, "tid": row, "ts": start,
            }))?;
        }
        writeln!(out, "]")
    }
}
