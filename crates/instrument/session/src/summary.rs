//! A summary of a session, as data, text and JSON.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    sync::{Arc, atomic::Ordering},
};

use serde::Serialize;

use crate::{
    Agent, Refusal, Report, Usage,
    kernel::{Kernel, Outcome},
    records::RecordLine,
};

/// See [`crate::Session::summary`].
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    pub tool: String,
    pub process: u32,
    /// From 1: a process may start HSA again.
    pub session: u32,
    pub agents: Vec<Agent>,
    /// Kernel dispatches of the application and its runtime.
    pub launches: u64,
    /// Launches among them whose code was loaded in a way that the session did not see.
    pub unknown_launches: u64,
    /// Instrumented kernels that were put on a device, and taken away again with their originals.
    pub variants_loaded: u64,
    pub variants_unloaded: u64,
    /// Since the session began.
    pub seconds: f64,
    /// By number of launches, most first.
    pub kernels: Vec<KernelLine>,
    pub records: Vec<RecordLine>,
    /// Selections of the user that chose nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    pub notes: Vec<String>,
}

/// A remark on a kernel of which a part of the code ran as it was.
const HAS_LEFT: &str = "it jumped to an address that is no known place of its code object, and ran on there as it was: none of its \
                        launches counts as instrumented, and what tools say of them lacks that part";

/// The result for a kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "status", rename_all = "lowercase")]
pub enum Status {
    /// Not chosen by the settings.
    Unselected,
    /// Chosen, but none of its launches was.
    Unused,
    Instrumented(Instrumented),
    Refused(Refusal),
    /// Instrumenting took too long for a launch to wait.
    Late,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Instrumented {
    #[serde(flatten)]
    pub report: Report,
    pub from_cache: bool,
}

/// Launches of an instrumented kernel that ran as they were.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnfitLine {
    pub reason: String,
    pub launches: u64,
}

/// One kernel on one kind of device.
#[derive(Clone, Debug, Serialize)]
pub struct KernelLine {
    /// The name in the source.
    pub name: String,
    pub symbol: String,
    /// SHA-256 of the code object, where objects are kept ([`crate::Config::keep_objects`]).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// Target of the device.
    pub target: String,
    pub launches: u64,
    pub instrumented_launches: u64,
    /// Launches that ran the original although there was a variant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uninstrumented: Vec<UnfitLine>,
    /// From the first launch's question to the answer.
    pub build_seconds: f64,
    #[serde(flatten)]
    pub status: Status,
    /// SHA-256 of the code object, if the kernel was chosen.
    #[serde(skip)]
    pub hash: Option<String>,
    /// Tells its code object apart from others that have a kernel of this name.
    #[serde(skip)]
    identity: String,
    /// There are such others.
    #[serde(skip)]
    is_ambiguous: bool,
}

/// Digits of hashes that tell code objects apart in texts.
pub const DIGITS: usize = 8;

impl KernelLine {
    /// The name in the text, no longer than `most`, with the code object where several have a kernel of this name.
    fn label(&self, most: usize) -> String {
        let name = shortened(&self.name, most);
        match self.is_ambiguous {
            true => format!("{name} (object {})", &self.identity),
            false => name,
        }
    }

    /// None if it was never launched, only expected. `name_object`: say which code object it is from; `has_left`: a wave went to
    /// code that is not instrumented.
    pub(crate) fn new(
        kernel: &Arc<Kernel>,
        name_object: bool,
        has_left: bool,
    ) -> Option<KernelLine> {
        let launches = kernel.launches.load(Ordering::Relaxed);
        if launches == 0 {
            return None;
        }
        let instrumented = kernel.instrumented.load(Ordering::Relaxed);
        let status = match kernel.outcome() {
            Some(Outcome::Ready(ready)) => {
                let mut report = ready.report.clone();
                report.notes.extend(has_left.then(|| HAS_LEFT.to_owned()));
                // This name is internal to the session.
                report.left = None;
                Status::Instrumented(Instrumented {
                    report,
                    from_cache: ready.from_cache,
                })
            }
            Some(Outcome::Refused(refusal)) => Status::Refused(refusal.clone()),
            None if !kernel.selected => Status::Unselected,
            None if kernel.was_late() => Status::Late,
            None => Status::Unused,
        };
        let unfit = kernel.unfit_launches();
        // The hash of a kernel that was not chosen is not known yet, and takes time.
        let hash = kernel.selected.then(|| kernel.object.hex());
        Some(KernelLine {
            name: kernel.pretty.clone(),
            symbol: kernel.original.name.clone(),
            object: name_object.then(|| kernel.object.hex()),
            target: kernel.agent.target.clone(),
            launches,
            instrumented_launches: if has_left { 0 } else { instrumented },
            uninstrumented: unfit
                .into_iter()
                .map(|(launches, reason)| UnfitLine { reason, launches })
                .collect(),
            build_seconds: kernel.build_time.load(Ordering::Relaxed) as f64 * 1e-9,
            identity: match &hash {
                Some(hash) => hash.chars().take(DIGITS).collect(),
                None => format!("of {} bytes", kernel.object.loaded.bytes.len()),
            },
            hash,
            is_ambiguous: false,
            status,
        })
    }
}

/// Joins the lines of one kernel that was loaded several times or on several like devices.
pub(crate) fn merged(lines: Vec<KernelLine>) -> Vec<KernelLine> {
    type Key = (String, String, String, &'static str, String);
    let mut known: BTreeMap<Key, KernelLine> = BTreeMap::new();
    for line in lines {
        let (status, detail) = match &line.status {
            Status::Unselected => ("unselected", String::new()),
            Status::Unused => ("unused", String::new()),
            Status::Late => ("late", String::new()),
            Status::Refused(refusal) => ("refused", format!("{refusal:?}")),
            Status::Instrumented(done) => ("instrumented", format!("{:?}", done.report)),
        };
        let (symbol, target) = (line.symbol.clone(), line.target.clone());
        let key = (symbol, target, line.identity.clone(), status, detail);
        match known.get_mut(&key) {
            None => {
                known.insert(key, line);
            }
            Some(sum) => {
                sum.launches += line.launches;
                sum.instrumented_launches += line.instrumented_launches;
                sum.build_seconds += line.build_seconds;
                for more in line.uninstrumented {
                    let mut known = sum.uninstrumented.iter_mut();
                    match known.find(|known| known.reason == more.reason) {
                        Some(known) => known.launches += more.launches,
                        None => sum.uninstrumented.push(more),
                    }
                }
                if let (Status::Instrumented(all), Status::Instrumented(one)) =
                    (&mut sum.status, &line.status)
                {
                    all.from_cache &= one.from_cache;
                }
            }
        }
    }
    let mut lines: Vec<KernelLine> = known.into_values().collect();
    let mut objects: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for line in &lines {
        let of = objects.entry((line.name.clone(), line.target.clone()));
        of.or_default().insert(line.identity.clone());
    }
    for line in &mut lines {
        let of = objects.get(&(line.name.clone(), line.target.clone()));
        line.is_ambiguous = of.is_some_and(|all| all.len() > 1);
    }
    lines.sort_by_key(|line| std::cmp::Reverse(line.launches));
    lines
}

/// A heading and its figure.
type Column = (&'static str, fn(&Usage) -> u32);

/// Columns of [`Usage`] in the text.
const COLUMNS: [Column; 5] = [
    ("VGPRs", |usage| usage.vgprs),
    ("SGPRs", |usage| usage.sgprs),
    ("LDS", |usage| usage.lds),
    ("scratch", |usage| usage.scratch),
    ("waves/SIMD", |usage| usage.waves_per_simd),
];
/// Different remarks on kernels beyond these are only in the JSON.
const KERNEL_NOTES: usize = 20;
/// Names that a condition may have meant.
const NEAR_NAMES: usize = 3;
/// Longer names are cut in the text.
const NAME: usize = 48;

impl Summary {
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self)
            .unwrap_or_else(|error| serde_json::json!({"error": error.to_string()}).to_string())
    }

    fn count(&self, which: impl Fn(&Status) -> bool) -> usize {
        let chosen = self.kernels.iter().filter(|line| which(&line.status));
        chosen.count()
    }

    /// Lines for a terminal, each with a line break.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let instrumented: u64 = self
            .kernels
            .iter()
            .map(|line| line.instrumented_launches)
            .sum();
        let refused = self.count(|status| matches!(status, Status::Refused { .. }));
        let building: f64 = self.kernels.iter().map(|line| line.build_seconds).sum();
        let cached =
            self.count(|status| matches!(status, Status::Instrumented(done) if done.from_cache));
        let _ = writeln!(
            text,
            "luthier {}{}: {} seen, {} instrumented, {refused} refused; {} of {} ran instrumented; {:.1} ms instrumenting, {cached} from cache",
            self.tool,
            match self.session {
                1 => String::new(),
                later => format!(" (session {later} of process {})", self.process),
            },
            plural(self.kernels.len() as u64, "kernel"),
            self.count(|status| matches!(status, Status::Instrumented(_))),
            instrumented,
            plural(self.launches, "launch"),
            // The sum of nothing is -0.
            building.abs() * 1e3,
        );
        for warning in &self.warnings {
            let _ = writeln!(text, "  warning: {warning}");
        }
        self.table(&mut text);
        let unselected = self.count(|status| *status == Status::Unselected);
        if unselected != 0 {
            let _ = writeln!(
                text,
                "  not chosen: {}; kernels of the HIP runtime never are unless -k names them",
                plural(unselected as u64, "kernel")
            );
        }
        for line in &self.kernels {
            for unfit in &line.uninstrumented {
                let launches = plural(unfit.launches, "launch");
                let (name, reason) = (line.label(usize::MAX), &unfit.reason);
                let _ = writeln!(text, "  not instrumented: {launches} of {name}: {reason}");
            }
            let reason = match &line.status {
                Status::Refused(refusal) => refusal.to_string(),
                Status::Late => {
                    "instrumenting took longer than a launch may wait (LUTHIER_BUILD_LIMIT)".into()
                }
                _ => continue,
            };
            let _ = writeln!(
                text,
                "  not instrumented: {}: {reason}",
                line.label(usize::MAX)
            );
        }
        if self.unknown_launches != 0 {
            let _ = writeln!(
                text,
                "  not instrumented: {} of code loaded before this tool or without the loader",
                plural(self.unknown_launches, "launch")
            );
        }
        for line in &self.records {
            let _ = writeln!(text, "  {line}");
        }
        self.unmatched(&mut text);
        self.kernel_notes(&mut text);
        for note in &self.notes {
            let _ = writeln!(text, "  note: {note}");
        }
        text
    }

    /// Hooks of descriptions that found no place in any kernel.
    fn unmatched(&self, text: &mut String) {
        let reports = self.kernels.iter().filter_map(|line| match &line.status {
            Status::Instrumented(done) => Some(&done.report),
            _ => None,
        });
        let reports: Vec<&Report> = reports.collect();
        let mut nowhere: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for unmatched in reports.iter().flat_map(|report| &report.unmatched) {
            let near = unmatched.near.iter().map(String::as_str);
            nowhere.entry(&unmatched.what).or_default().extend(near);
        }
        for (what, near) in nowhere {
            let lacks = |report: &&Report| report.unmatched.iter().any(|other| other.what == what);
            if !reports.iter().all(lacks) {
                continue;
            }
            let _ = write!(
                text,
                "  note: {what} in {}",
                plural(reports.len() as u64, "kernel")
            );
            let near: Vec<&str> = near.into_iter().take(NEAR_NAMES).collect();
            if !near.is_empty() {
                let _ = write!(text, "; did you mean {}?", near.join(" or "));
            }
            text.push('\n');
        }
    }

    /// Notes about instrumented kernels, each printed once.
    fn kernel_notes(&self, text: &mut String) {
        let mut notes: BTreeMap<&str, Vec<&KernelLine>> = BTreeMap::new();
        for line in &self.kernels {
            if let Status::Instrumented(done) = &line.status {
                for note in &done.report.notes {
                    notes.entry(note).or_default().push(line);
                }
            }
        }
        for (note, kernels) in notes.iter().take(KERNEL_NOTES) {
            let _ = write!(text, "  note: {}", kernels[0].label(NAME));
            if let more @ 1.. = kernels.len() - 1 {
                let _ = write!(text, " and {more} more");
            }
            let _ = writeln!(text, ": {note}");
        }
        if let more @ 1.. = notes.len().saturating_sub(KERNEL_NOTES) {
            let _ = writeln!(
                text,
                "  {more} more notes are in the file that --output writes"
            );
        }
    }

    /// One line per instrumented kernel; figures that changed as `before>after`.
    fn table(&self, text: &mut String) {
        let mut rows: Vec<Vec<String>> = Vec::new();
        for line in &self.kernels {
            let Status::Instrumented(done) = &line.status else {
                continue;
            };
            let mut row = vec![
                line.label(NAME),
                format!("{}/{}", line.instrumented_launches, line.launches),
                done.report.sites.to_string(),
            ];
            row.extend(COLUMNS.map(|(_, get)| {
                let (before, after) = (get(&done.report.before), get(&done.report.after));
                if before == after {
                    before.to_string()
                } else {
                    format!("{before}>{after}")
                }
            }));
            rows.push(row);
        }
        if rows.is_empty() {
            return;
        }
        let mut head = vec!["kernel".to_owned(), "launches".into(), "sites".into()];
        head.extend(COLUMNS.map(|(name, _)| name.to_owned()));
        rows.insert(0, head);
        let width = |column: usize| {
            rows.iter()
                .map(|row| row[column].chars().count())
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
        for row in &rows {
            let _ = write!(text, "  {:<1$}", row[0], widths[0]);
            for (cell, width) in row.iter().zip(&widths).skip(1) {
                let _ = write!(text, "  {cell:>width$}");
            }
            text.push('\n');
        }
    }
}

/// A number of things, such as `1 launch` and `2 kernels`.
pub fn plural(count: u64, noun: &str) -> String {
    match (count, noun.ends_with("ch")) {
        (1, _) => format!("1 {noun}"),
        (_, true) => format!("{count} {noun}es"),
        (_, false) => format!("{count} {noun}s"),
    }
}

fn shortened(name: &str, most: usize) -> String {
    if name.chars().count() <= most {
        return name.to_owned();
    }
    let kept: String = name.chars().take(most - 1).collect();
    kept + "…"
}
