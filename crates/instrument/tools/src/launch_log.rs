//! `launch-log`: what was launched in which order, by which host thread, with which arguments, and when it ran.

mod copies;
mod timeline;

use crate::arguments::{self, Parameter};
use luthier::rows::{self, Section};
use luthier::{
    Cache, Copied, Edit, Enqueued, Kernel, Launch, Result, Results, Timeline, Tool, ToolFile,
    ToolInfo, Wants,
};
use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

pub struct LaunchLog {
    file: ToolFile,
    entries: Mutex<Vec<Entry>>,
    copies: Mutex<Vec<Copied>>,
}

/// One launch.
struct Entry {
    number: u64,
    kernel: String,
    device: u32,
    queue: u64,
    grid: [u32; 3],
    workgroup: [u16; 3],
    arguments: Vec<u8>,
    enqueued: Option<Enqueued>,
    /// Nanoseconds.
    time: Option<(u64, u64)>,
}

impl LaunchLog {
    pub fn new(file: ToolFile) -> LaunchLog {
        LaunchLog {
            file,
            entries: Mutex::default(),
            copies: Mutex::default(),
        }
    }

    fn copies(&self) -> std::sync::MutexGuard<'_, Vec<Copied>> {
        self.copies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn entries(&self) -> std::sync::MutexGuard<'_, Vec<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tool for LaunchLog {
    fn info(&self) -> ToolInfo<'_> {
        let wants = Wants {
            launches: true,
            ..Wants::default()
        };
        ToolInfo::new(&self.file)
            .cached(Cache::Always)
            .wanting(wants)
    }

    fn instrument(&self, kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()> {
        edit.attach(arguments::parameters(kernel))
    }

    fn launch(&self, launch: &Launch<'_>) {
        self.entries().push(Entry {
            number: launch.number,
            kernel: launch.kernel.to_owned(),
            device: launch.agent.number,
            queue: launch.queue,
            grid: launch.grid,
            workgroup: launch.workgroup,
            arguments: launch.arguments.to_vec(),
            enqueued: launch.enqueued,
            time: None,
        });
    }

    fn ended(&self, launch: u64, start: u64, end: u64) {
        let mut entries = self.entries();
        // The end of a launch comes soon after its beginning.
        let found = entries
            .iter_mut()
            .rev()
            .find(|entry| entry.number == launch);
        if let Some(entry) = found {
            entry.time = Some((start, end));
        }
    }

    fn copied(&self, copied: &Copied) {
        self.copies().push(*copied);
    }

    fn finish(&self, results: &Results<'_>) -> Result<String> {
        let kernels = kernels(results)?;
        let entries = self.entries();
        let mut copies = self.copies();
        copies.sort_by_key(|copied| copied.number);
        let first = first(&entries, &copies);
        let mut launches = Section {
            head: "launch  device  queue                   thread   enqueued us      start us   duration us  kernel".to_owned(),
            rows: Vec::new(),
        };
        for entry in entries.iter() {
            let since = |time: Option<u64>| match (time, first) {
                (Some(time), Some(first)) => format!("{:.1}", microseconds(time - first)),
                _ => "-".to_owned(),
            };
            let start = since(entry.time.map(|time| time.0));
            let duration = match entry.time {
                Some((start, end)) => format!("{:.1}", microseconds(end.saturating_sub(start))),
                None => "-".to_owned(),
            };
            let (thread, enqueued) = match &entry.enqueued {
                Some(by) => (thread(by), since(Some(by.nanoseconds))),
                None => ("-".to_owned(), "-".to_owned()),
            };
            let [x, y, z] = entry.grid;
            let [a, b, c] = entry.workgroup;
            let (name, values) = entry.described(&kernels);
            let values: Vec<_> = values
                .iter()
                .map(|(name, value)| format!("{name} = {value}"))
                .collect();
            let text = format!(
                "{:>6}  {:>6}  {:>5}  {thread:>23}  {enqueued:>12}  {start:>12}  {duration:>12}  {name}  grid {x}x{y}x{z}  workgroup {a}x{b}x{c}  ({})",
                entry.number,
                entry.device,
                entry.queue,
                values.join(", ")
            );
            launches.rows.push((took(entry.time), text));
        }
        // (A heading over nothing is none.)
        let shown = |section: Section, file: &str| match section.rows.is_empty() {
            true => String::new(),
            false => rows::most_important(&[section], results, file),
        };
        let mut report = shown(launches, self.file.name());
        report.push_str(&shown(copies::section(&copies, first), "copies"));
        if let Some(path) = results.file("launch-log.trace.json") {
            let timeline = Timeline::create(&path)?;
            let launches = timeline::write(&entries, &copies, &kernels, timeline)?;
            report.push_str(&format!("{}: {launches} launches\n", path.display()));
        }
        if let Some(path) = results
            .report_file("copies.json")
            .filter(|_| !copies.is_empty())
        {
            report.push_str(&copies::write(&copies, &path)?);
        }
        Ok(report)
    }

    fn finish_json(&self, results: &Results<'_>) -> Result<serde_json::Value> {
        let kernels = kernels(results)?;
        let entries = self.entries();
        let launches = entries.iter().map(|entry| {
            let (name, values) = entry.described(&kernels);
            serde_json::json!({
                "launch": entry.number, "kernel": entry.kernel, "name": name, "device": entry.device,
                "queue": entry.queue, "grid": entry.grid, "workgroup": entry.workgroup,
                "arguments": object(values),
                "thread": entry.enqueued.map(|by| by.thread),
                "thread_name": entry.enqueued.map(|by| by.thread_name().into_owned()),
                "enqueued_nanoseconds": entry.enqueued.map(|by| by.nanoseconds),
                "start_nanoseconds": entry.time.map(|time| time.0),
                "end_nanoseconds": entry.time.map(|time| time.1),
            })
        });
        Ok(launches.collect())
    }
}

/// The earliest time that anything says.
fn first(entries: &[Entry], copies: &[Copied]) -> Option<u64> {
    let times = entries.iter().flat_map(|entry| {
        let enqueued = entry.enqueued.map(|by| by.nanoseconds);
        [enqueued, entry.time.map(|time| time.0)]
    });
    let copies = copies.iter().map(|copied| copied.enqueued.nanoseconds);
    times.flatten().chain(copies).min()
}

fn thread(by: &Enqueued) -> String {
    format!("{} ({})", by.thread_name(), by.thread)
}

/// A kernel's name as in the source, and its parameters.
type Signatures = HashMap<String, (String, Vec<Parameter>)>;

fn kernels(results: &Results<'_>) -> Result<Signatures> {
    let kernels = results.kernels().map(|kernel| {
        let name = kernel.demangled();
        let name = demangle::without_parameters(&name).to_owned();
        Ok((kernel.name().to_owned(), (name, kernel.data()?)))
    });
    kernels.collect()
}

impl Entry {
    /// The kernel's name, and its arguments by name.
    fn described(&self, kernels: &Signatures) -> (String, Vec<(String, String)>) {
        match kernels.get(&self.kernel) {
            Some((name, parameters)) => (
                name.clone(),
                parameters
                    .iter()
                    .map(|parameter| (parameter.name.clone(), parameter.value(&self.arguments)))
                    .collect(),
            ),
            None => (self.kernel.clone(), Vec::new()),
        }
    }
}

fn object(values: Vec<(String, String)>) -> serde_json::Value {
    let values = values.into_iter().map(|(name, value)| (name, value.into()));
    serde_json::Value::Object(values.collect())
}

/// How important something is that took so long: the longest are shown.
fn took(time: Option<(u64, u64)>) -> f64 {
    time.map_or(0.0, |(start, end)| end.saturating_sub(start) as f64)
}

fn microseconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e3
}
