//! Launches on their queues, copies beside them, where host threads enqueued them, and arrows between both.

use super::{Entry, Signatures, copies::way, first, microseconds, object, thread};
use luthier::{Copied, Enqueued, Event, Moment, Result, Timeline};
use std::collections::{BTreeMap, BTreeSet};

/// The row of host threads in timelines, which is no device's: those are counted from 0.
const HOST: u64 = 1 << 30;
/// An event without duration has no arrows in viewers: the shortest that there is, in microseconds.
const SHORTEST: f64 = 1e-3;

/// Rows of copies within a device, behind those of queues: by where they come from, the host or a device.
const COPIES: u64 = 1 << 20;
/// Arrows to copies, behind those to launches; viewers read numbers as doubles.
const ARROWS: u64 = 1 << 50;

/// Rows for devices with their queues and for the host with its threads, and arrows from who enqueued a launch to the launch;
/// says how many launches there are.
pub fn write(
    entries: &[Entry],
    copies: &[Copied],
    kernels: &Signatures,
    mut timeline: Timeline,
) -> Result<usize> {
    let first = first(entries, copies).unwrap_or(0);
    // (A thread may change its name; it is one row, by its last name.)
    let threads: BTreeMap<_, _> = entries
        .iter()
        .filter_map(|entry| entry.enqueued)
        .chain(copies.iter().map(|copied| copied.enqueued))
        .map(|by| (by.thread, thread(&by)))
        .collect();
    if !threads.is_empty() {
        let name = format!("host threads of process {}", std::process::id());
        timeline.name_process(HOST, &name)?;
    }
    for (thread, name) in threads {
        timeline.name_thread(HOST, thread.into(), &name)?;
    }
    let queues: BTreeSet<_> = entries
        .iter()
        .map(|entry| (entry.device, entry.queue))
        .collect();
    let rows: BTreeMap<_, _> = copies
        .iter()
        .map(|copied| (row(copied), format!("copies {}", way(copied))))
        .collect();
    let of_queues = queues.iter().map(|(device, _)| u64::from(*device));
    let of_copies = rows.keys().map(|(process, _)| *process);
    let devices: BTreeSet<_> = of_queues.chain(of_copies).collect();
    for device in devices.into_iter().filter(|device| *device != HOST) {
        timeline.name_process(device, &format!("device {device}"))?;
    }
    for ((process, thread), name) in &rows {
        timeline.name_thread(*process, *thread, name)?;
    }
    for (device, queue) in queues {
        timeline.name_thread(device.into(), queue, &format!("queue {queue}"))?;
    }
    let mut launches = 0;
    for entry in entries {
        if let Some((start, end)) = entry.time {
            launches += 1;
            timeline.write(&entry.event(start, end, first, kernels))?;
        }
        if let Some(by) = entry.enqueued {
            let to = entry.time.map(|(start, _)| Moment {
                process: entry.device.into(),
                thread: entry.queue,
                time: microseconds(start - first),
            });
            let enqueued = entry.enqueued_event(by, first, kernels);
            led(&mut timeline, &enqueued, entry.number, to)?;
        }
    }
    for copied in copies {
        let ran = copied.time.map(|time| copy_event(copied, time, first));
        let to = ran.as_ref().map(|event| Moment {
            process: event.process,
            thread: event.thread,
            time: event.start,
        });
        if let Some(event) = &ran {
            timeline.write(event)?;
        }
        let name = format!("enqueue copy {}", way(copied));
        let event = enqueued_event(&name, copied.enqueued, first, &[("copy", copied.number)]);
        led(&mut timeline, &event, ARROWS + copied.number, to)?;
    }
    timeline.finish()?;
    Ok(launches)
}

/// Writes where something was enqueued, and the arrow to where it began.
fn led(timeline: &mut Timeline, from: &Event, number: u64, to: Option<Moment>) -> Result<()> {
    timeline.write(from)?;
    let begin = Moment {
        process: from.process,
        thread: from.thread,
        time: from.start,
    };
    if let Some(to) = to {
        timeline.arrow(number, begin, to)?;
    }
    Ok(())
}

fn enqueued_event(what: &str, by: Enqueued, first: u64, numbers: &[(&str, u64)]) -> Event {
    Event {
        name: what.to_owned(),
        process: HOST,
        thread: by.thread.into(),
        start: microseconds(by.nanoseconds - first),
        duration: SHORTEST,
        arguments: numbers
            .iter()
            .map(|(name, number)| ((*name).to_owned(), serde_json::Value::from(*number)))
            .collect(),
    }
}

/// Where a copy is drawn: with the device that it goes to, or else comes from.
fn row(copied: &Copied) -> (u64, u64) {
    let process = copied.to.or(copied.from).map_or(HOST, u64::from);
    let from = copied.from.map_or(0, |device| u64::from(device) + 1);
    let to_host = u64::from(copied.to.is_none()) << 10;
    (process, COPIES + to_host + from)
}

fn copy_event(copied: &Copied, (start, end): (u64, u64), first: u64) -> Event {
    let (process, thread) = row(copied);
    Event {
        name: format!("copy {}", way(copied)),
        process,
        thread,
        start: microseconds(start.saturating_sub(first)),
        duration: microseconds(end.saturating_sub(start)),
        arguments: serde_json::json!({ "copy": copied.number, "bytes": copied.bytes }),
    }
}

impl Entry {
    fn event(&self, start: u64, end: u64, first: u64, kernels: &Signatures) -> Event {
        let (name, values) = self.described(kernels);
        Event {
            name,
            process: self.device.into(),
            thread: self.queue,
            start: microseconds(start - first),
            duration: microseconds(end.saturating_sub(start)),
            arguments: serde_json::json!({
                "launch": self.number, "grid": self.grid, "workgroup": self.workgroup,
                "arguments": object(values),
            }),
        }
    }

    fn enqueued_event(&self, by: Enqueued, first: u64, kernels: &Signatures) -> Event {
        let name = format!("enqueue {}", self.described(kernels).0);
        let numbers = [("launch", self.number), ("queue", self.queue)];
        enqueued_event(&name, by, first, &numbers)
    }
}
