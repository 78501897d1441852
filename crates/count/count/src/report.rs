//! Reports of counted processes; `docs/count/report-format.md` describes the format.

use serde::Serialize;
use std::collections::BTreeMap;

/// One process.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Process {
    /// Process id.
    pub pid: u32,
    /// Id of its parent.
    pub parent: u32,
    /// Path of the program.
    pub program: String,
    /// The contracts of its objects, as `key=value` lists.
    pub contracts: Vec<String>,
    /// Why it was stopped, if it was.
    pub stopped: Option<String>,
    /// It was killed and could not report: the counts are the last that were seen, lower bounds.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// Units over all threads.
    pub total: u64,
    /// It has executed more than `total`, which is the most that is counted: loops that became products.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub more_than: bool,
    /// Its threads in order of creation.
    pub threads: Vec<Thread>,
    /// Units per function, when the program keeps them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub functions: BTreeMap<String, u64>,
    /// Units per source line, when the program keeps them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub lines: BTreeMap<Line, u64>,
}

impl Process {
    /// A process that ended without a report, before its counters were looked at.
    pub fn lost(pid: u32) -> Process {
        Process {
            pid,
            program: "?".to_owned(),
            stopped: Some("killed before its count could be looked at".to_owned()),
            at_least: true,
            ..Process::default()
        }
    }
}

/// A thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Thread {
    /// In order of creation, from 0.
    pub number: u64,
    /// Units it executed.
    pub units: u64,
    /// It executed more than `units`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub more_than: bool,
    /// `ended`, `running` (when the process ended) or `last` (it ended the process).
    pub state: String,
}

/// A source line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Line {
    /// Path as the compiler recorded it; empty for code without a position.
    pub file: String,
    /// From 1.
    pub line: u32,
}

impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.file.is_empty() {
            true => write!(f, "(no source position)"),
            false => write!(f, "{}:{}", self.file, self.line),
        }
    }
}

impl Serialize for Line {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// All processes of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Report {
    /// Units over all processes.
    pub total: u64,
    /// They have executed more than `total`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub more_than: bool,
    /// The processes by id.
    pub processes: Vec<Process>,
}

/// A report that is not one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReportError {
    #[error("not a count report (its first line is not `luthier-count 1`)")]
    NotAReport,
    #[error("line {line}: {what}")]
    Line { line: usize, what: &'static str },
    #[error("the report ends early; the disk may be full")]
    Truncated,
}

struct Slot {
    function: String,
    unit: u64,
    lines: Vec<(usize, u32, u64)>,
}

impl Process {
    /// It was stopped at a budget of so many units (`luthier_pool_describe` in the runtime's `c/pool.c`).
    pub fn met_budget(&self, units: u64) -> bool {
        let begins = format!("budget of {units} units ");
        (self.stopped.as_ref()).is_some_and(|reason| reason.starts_with(&begins))
    }

    /// Reads one report.
    pub fn parse(text: &str) -> Result<Process, ReportError> {
        let mut lines = text.lines().enumerate();
        if lines.next().map(|(_, line)| line) != Some("luthier-count\t1") {
            return Err(ReportError::NotAReport);
        }
        let mut process = Process::default();
        let mut files: Vec<String> = Vec::new();
        let mut slots: Vec<Slot> = Vec::new();
        let mut complete = false;
        for (index, line) in lines {
            let wrong = |what| ReportError::Line {
                line: index + 1,
                what,
            };
            let fields: Vec<&str> = line.split('\t').collect();
            match fields.as_slice() {
                ["process", pid, parent, program] => {
                    process.pid = pid
                        .parse()
                        .map_err(|_| wrong("the process id is not a number"))?;
                    process.parent = parent
                        .parse()
                        .map_err(|_| wrong("the parent's id is not a number"))?;
                    process.program = (*program).to_owned();
                }
                ["contract", contract] => process.contracts.push((*contract).to_owned()),
                ["stopped", reason] => process.stopped = Some((*reason).to_owned()),
                ["thread", number, units, state] => process.threads.push(Thread {
                    number: number
                        .parse()
                        .map_err(|_| wrong("the thread's number is not a number"))?,
                    units: units
                        .parse()
                        .map_err(|_| wrong("the thread's count is not a number"))?,
                    more_than: false,
                    state: (*state).to_owned(),
                }),
                ["beyond", number] => {
                    let thread = process.threads.iter_mut();
                    let thread = thread
                        .rev()
                        .find(|thread| thread.number.to_string() == *number);
                    thread
                        .ok_or(wrong("there is no thread of this number"))?
                        .more_than = true;
                }
                ["module"] => {
                    files.clear();
                    slots.clear();
                }
                ["file", path] => files.push((*path).to_owned()),
                ["slot", function, unit, spread @ ..] => slots.push(Slot {
                    function: (*function).to_owned(),
                    unit: unit
                        .parse()
                        .map_err(|_| wrong("the slot's unit is not a number"))?,
                    lines: spread
                        .iter()
                        .map(|text| parse_spread(text, files.len()))
                        .collect::<Option<_>>()
                        .ok_or(wrong("a slot names no known file, line and cost"))?,
                }),
                ["counts", counts @ ..] => {
                    if counts.len() != slots.len() {
                        return Err(wrong("as many counts as slots are needed"));
                    }
                    for (slot, count) in slots.iter().zip(counts) {
                        let count: u64 = count
                            .parse()
                            .map_err(|_| wrong("a count is not a number"))?;
                        process.book(slot, count, &files);
                    }
                }
                ["end"] => complete = true,
                _ => return Err(wrong("not a line of a report")),
            }
        }
        if !complete {
            return Err(ReportError::Truncated);
        }
        let counts = process.threads.iter();
        (process.total, process.more_than) =
            sum(counts.map(|thread| (thread.units, thread.more_than)));
        // If a thread's sum was too large, so was the count of one of its functions or lines, and the report cannot tell which.
        if process.threads.iter().any(|thread| thread.more_than) {
            process.functions.clear();
            process.lines.clear();
        }
        Ok(process)
    }

    fn book(&mut self, slot: &Slot, count: u64, files: &[String]) {
        if count == 0 {
            return;
        }
        let units = count.saturating_mul(slot.unit);
        let function = self.functions.entry(demangle(&slot.function)).or_default();
        *function = function.saturating_add(units);
        for &(file, line, cost) in &slot.lines {
            let key = Line {
                file: files[file].clone(),
                line,
            };
            let sum = self.lines.entry(key).or_default();
            *sum = sum.saturating_add(count.saturating_mul(cost));
        }
    }
}

/// Adds counts up, each of which may be less than what it counts; so may be the sum, where it does not fit.
pub fn sum(counts: impl Iterator<Item = (u64, bool)>) -> (u64, bool) {
    counts.fold((0, false), |(total, more), (count, is_more)| {
        let (next, wrapped) = u64::overflowing_add(total, count);
        let total = if wrapped { u64::MAX } else { next };
        (total, more || is_more || wrapped)
    })
}

/// `<file>:<line>=<cost>`
fn parse_spread(text: &str, files: usize) -> Option<(usize, u32, u64)> {
    let (file, rest) = text.split_once(':')?;
    let (line, cost) = rest.split_once('=')?;
    let file: usize = file.parse().ok()?;
    (file < files).then_some((file, line.parse().ok()?, cost.parse().ok()?))
}

/// Rust and C++ names as their authors wrote them; names of C stay as they are.
pub fn demangle(name: &str) -> String {
    // (The pass gives inline functions names of their own: shim/normalise.cpp.)
    let name = name.strip_suffix(".counted").unwrap_or(name);
    demangle::readable_of_any_system(name.strip_suffix(".entered").unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "luthier-count\t1\nprocess\t7\t1\t/bin/x\ncontract\tpreset=article,table=1,point=start\n\
        thread\t0\t30\tlast\nthread\t1\t12\tended\nmodule\nfile\ta.c\nslot\tmain\t3\t0:4=2\t0:5=1\nslot\t_Z1fv\t1\t0:9=1\n\
        counts\t10\t12\nend\n";

    #[test]
    fn reads_totals_functions_and_lines() {
        let process = Process::parse(REPORT).unwrap();
        assert_eq!(
            (process.pid, process.total, process.threads.len()),
            (7, 42, 2)
        );
        assert_eq!(process.functions["main"], 30);
        assert_eq!(process.functions["f()"], 12);
        let line = |line| {
            process.lines[&Line {
                file: "a.c".into(),
                line,
            }]
        };
        assert_eq!((line(4), line(5), line(9)), (20, 10, 12));
    }

    /// These names are codes of types inside mangled names.
    #[test]
    fn functions_of_c_keep_their_names() {
        for name in ["f", "i", "d", "v", "l", "c", "z", "St"] {
            let report = REPORT.replace("_Z1fv", name);
            let process = Process::parse(&report).unwrap();
            assert_eq!(process.functions.get(name), Some(&12), "{process:?}");
        }
    }

    #[test]
    fn refuses_what_is_damaged() {
        assert_eq!(Process::parse("ELF"), Err(ReportError::NotAReport));
        assert_eq!(
            Process::parse(REPORT.trim_end_matches("end\n")),
            Err(ReportError::Truncated)
        );
        let broken = REPORT.replace("counts\t10\t12", "counts\t10");
        assert_eq!(
            Process::parse(&broken),
            Err(ReportError::Line {
                line: 10,
                what: "as many counts as slots are needed"
            })
        );
        // No cut of a report panics or is taken for a whole one.
        for cut in 0..REPORT.len() - 4 {
            assert!(Process::parse(&REPORT[..cut]).is_err(), "{cut}");
        }
    }
}
