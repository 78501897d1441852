//! When launches ran, from `launch-log`.

use crate::results::ToolResult;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    io::{self, Write},
};

/// Launches beyond these are left out of the page, and the page says so.
const MOST: usize = 200_000;

/// In columns, one entry for each launch in the order of their beginnings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// What is drawn in one row: process, device and queue.
    pub rows: Vec<String>,
    pub row: Vec<u32>,
    pub names: Vec<String>,
    pub name: Vec<u32>,
    /// Nanoseconds since the first one began.
    pub start: Vec<u64>,
    pub duration: Vec<u64>,
    pub detail: Vec<String>,
    /// Launches that are not here because there were too many.
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
    let mut timed: Vec<(u64, u64, u32, &Value)> = Vec::new();
    for result in tools.iter().filter(|result| result.tool == "launch-log") {
        for row in result.value.as_array().into_iter().flatten() {
            let times = row["start_nanoseconds"]
                .as_u64()
                .zip(row["end_nanoseconds"].as_u64());
            timed.extend(times.map(|(start, end)| (start, end, result.process, row)));
        }
    }
    timed.sort_by_key(|(start, end, process, _)| (*start, *end, *process));
    let first = timed.first()?.0;
    let mut timeline = Timeline {
        left_out: timed.len().saturating_sub(MOST) as u64,
        ..Timeline::default()
    };
    let (mut rows, mut names) = (Texts::default(), Texts::default());
    for (start, end, process, row) in timed.into_iter().take(MOST) {
        let number = |key: &str| row[key].as_u64().unwrap_or(0);
        let queue = format!(
            "process {process}, device {}, queue {}",
            number("device"),
            number("queue")
        );
        timeline.row.push(rows.position(queue));
        let name = row["name"].as_str().unwrap_or_default().to_owned();
        timeline.name.push(names.position(name));
        timeline.start.push(start - first);
        timeline.duration.push(end.saturating_sub(start));
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
        timeline.detail.push(format!(
            "launch {}, grid {}, workgroup {}{}{}",
            number("launch"),
            sizes("grid"),
            sizes("workgroup"),
            if arguments.is_empty() { "" } else { ", " },
            arguments.join(", ")
        ));
    }
    timeline.rows = rows.list;
    timeline.names = names.list;
    Some(timeline)
}

impl Timeline {
    /// Writes the launches in the Trace Event Format, which Perfetto and Chrome open: one row for each queue.
    pub fn write_trace(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "[")?;
        for (number, name) in self.rows.iter().enumerate() {
            let (process, queue) = name.rsplit_once(", ").unwrap_or((name, ""));
            let names = [("process_name", process), ("thread_name", queue)];
            for (what, name) in names {
                let separator = if number == 0 && what == "process_name" {
                    ""
                } else {
                    ",\n"
                };
                let event = json!({ "ph": "M", "name": what, "pid": number, "tid": number, "args": { "name": name } });
                write!(out, "{separator}{event}")?;
            }
        }
        for index in 0..self.start.len() {
            let microseconds = |nanoseconds: u64| nanoseconds as f64 / 1e3;
            let row = self.row[index];
            let event = json!({
                "ph": "X", "name": self.names[self.name[index] as usize], "pid": row, "tid": row,
                "ts": microseconds(self.start[index]), "dur": microseconds(self.duration[index]),
                "args": { "launch": self.detail[index] },
            });
            write!(out, ",\n{event}")?;
        }
        writeln!(out, "]")
    }
}
