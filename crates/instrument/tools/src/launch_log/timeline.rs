//! Launches on their queues, where host threads enqueued them, and arrows between both.

use super::{Entry, Signatures, first, microseconds, object, thread};
use luthier::{Enqueued, Event, Moment, Result, Timeline};
use std::collections::{BTreeMap, BTreeSet};

/// The row of host threads in timelines, which is no device's: those are counted from 0.
const HOST: u64 = 1 << 30;
/// An event without duration has no arrows in viewers: the shortest that there is, in microseconds.
const SHORTEST: f64 = 1e-3;

/// Rows for devices with their queues and for the host with its threads, and arrows from who enqueued a launch to the launch;
/// says how many launches there are.
pub fn write(entries: &[Entry], kernels: &Signatures, mut timeline: Timeline) -> Result<usize> {
    let first = first(entries).unwrap_or(0);
    // (A thread may change its name; it is one row, by its last name.)
    let threads: BTreeMap<_, _> = entries
        .iter()
        .filter_map(|entry| entry.enqueued)
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
    let devices: BTreeSet<_> = queues.iter().map(|(device, _)| *device).collect();
    for device in devices {
        timeline.name_process(device.into(), &format!("device {device}"))?;
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
            let enqueued = entry.enqueued_event(by, first, kernels);
            timeline.write(&enqueued)?;
            let to = entry.time.map(|(start, _)| Moment {
                process: entry.device.into(),
                thread: entry.queue,
                time: microseconds(start - first),
            });
            let from = Moment {
                process: enqueued.process,
                thread: enqueued.thread,
                time: enqueued.start,
            };
            if let Some(to) = to {
                timeline.arrow(entry.number, from, to)?;
            }
        }
    }
    timeline.finish()?;
    Ok(launches)
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
        Event {
            name: format!("launch {}", self.described(kernels).0),
            process: HOST,
            thread: by.thread.into(),
            start: microseconds(by.nanoseconds - first),
            duration: SHORTEST,
            arguments: serde_json::json!({ "launch": self.number, "queue": self.queue }),
        }
    }
}
