//! `run`: starts a counted program and prints what it executed.

use crate::error::{Error, at};
use crate::left_behind;
use crate::report::{self, Process, Report, Thread};
use crate::sample::{self, Sampler};
use crate::turns::{self, Match, Turn};
use crate::{BudgetPer, Format, Per, RunArguments};
use command::{COUNT_FAILED, Status, grouped};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::fmt::{Display, Write};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

/// `ENOEXEC`, which the standard library has no name for.
const EXEC_FORMAT: i32 = 8;

/// The file in the run's directory that its processes share while a budget is for all of them; its size is `struct pool`'s.
pub const POOL_FILE: &str = "budget.pool";
const POOL_BYTES: usize = 64;

/// Runs the program; the exit status is the program's, but for a program that does not mind that one of its children was stopped.
pub fn run(arguments: &RunArguments) -> Result<ExitCode, Error> {
    let script = check_turns(arguments)?;
    let directory = tempfile::Builder::new()
        .prefix("luthier-count-")
        .tempdir()
        .map_err(at(std::env::temp_dir()))?;
    let program = arguments.program[0].to_string_lossy().into_owned();
    let mut command = Command::new(&arguments.program[0]);
    command
        .args(&arguments.program[1..])
        .env("LUTHIER_COUNT_OUTPUT", directory.path());
    // Per-function counters of libraries that are opened late need room in the static thread-local block.
    if std::env::var_os("GLIBC_TUNABLES").is_none() {
        command.env("GLIBC_TUNABLES", "glibc.rtld.optional_static_tls=65536");
    }
    if arguments.preload {
        command.env(
            "LD_PRELOAD",
            crate::runtime::Runtime::for_target(&[])?.shared(),
        );
    }
    if let Some(units) = arguments.budget {
        command.env("LUTHIER_COUNT_BUDGET", units.to_string());
        match arguments.budget_per {
            BudgetPer::Thread => {
                command.env("LUTHIER_COUNT_BUDGET_PER", "thread");
            }
            BudgetPer::Run | BudgetPer::Turn => {
                command.env_remove("LUTHIER_COUNT_BUDGET_PER");
                // All processes of the run map this file (`c/pool.c`).
                let path = directory.path().join(POOL_FILE);
                std::fs::write(&path, [0; POOL_BYTES]).map_err(at(&path))?;
            }
        }
    }
    let longest = arguments.watchdog.map(Duration::from_millis);
    if let (Some(time), BudgetPer::Run | BudgetPer::Thread) = (longest, arguments.budget_per) {
        command.env("LUTHIER_COUNT_WATCHDOG_MS", time.as_millis().to_string());
    }
    let sampler = Sampler::start(directory.path());
    let played = match arguments.budget_per {
        BudgetPer::Turn => turns::run(&mut command, directory.path(), script.clone(), longest),
        BudgetPer::Run | BudgetPer::Thread => command.status().map(|status| Match {
            status,
            turns: Vec::new(),
            overdue: false,
        }),
    };
    let Match { status, turns, overdue } = played.map_err(|source| Error::Tool {
        tool: program.clone(),
        hint: if source.raw_os_error() == Some(EXEC_FORMAT) {
            "it is built for another kind of machine: `luthier count run -- qemu-ARCHITECTURE PROGRAM`, or no program"
        } else {
            "give the path of a program built with `luthier count cc`"
        },
        source,
    })?;
    let code = command::of_child(status);
    left_behind::wait(directory.path(), &program);

    if let (true, Some(time)) = (overdue, longest) {
        let turn = turns.len() - 1;
        let milliseconds = time.as_millis();
        command::say!(
            "luthier count: turn {turn} took more than {milliseconds} ms; `{program}` was ended"
        );
    }
    let report = collect(directory.path(), sampler.finish())?;
    if report.processes.is_empty() {
        // A refusal of the runtime has said why already.
        if status.code() != Some(126) {
            eprintln!("luthier count: {}", Error::NoReport { program });
        }
        return Ok(match status.success() {
            true => COUNT_FAILED.into(),
            false => code,
        });
    }
    let missing = match arguments.per {
        Some(Per::Function) => report
            .processes
            .iter()
            .all(|process| process.functions.is_empty())
            .then_some("function"),
        Some(Per::Line) => report
            .processes
            .iter()
            .all(|process| process.lines.is_empty())
            .then_some("line"),
        None => None,
    };
    if let Some(per) = missing {
        return Err(Error::NotKept { program, per });
    }
    if let Some((one, other)) = disagreeing(&report) {
        command::say!(
            "luthier count: processes of this run count differently, and their sum means nothing: {one}, and {other}"
        );
    }
    let text = match arguments.format {
        Format::Json => {
            serde_json::to_string_pretty(&report).expect("a report is plain data") + "\n"
        }
        Format::Text => text(&report, arguments),
    };
    match &arguments.output {
        // The program has run: a status of its own that is not success is worth more than that the file is missing.
        Some(output) => {
            let path = &outputs::named(output, usual(arguments.format));
            if let Err(error) = outputs::write_whole(path, text.as_bytes()).map_err(at(path)) {
                let error = command::error_line(&error.to_string(), error.others());
                command::say!("luthier count: {error}");
                command::print_error(format_args!("{text}"));
                if status.success() {
                    return Ok(COUNT_FAILED.into());
                }
            }
        }
        None => command::print_error(format_args!("{text}")),
    }
    keep_turns(arguments, script.as_deref(), &turns)?;
    let met = |process: &Process| {
        arguments
            .budget
            .is_some_and(|units| process.met_budget(units))
    };
    let stopped = status.success() && report.processes.iter().any(met);
    Ok(match overdue || stopped {
        true => Status::Stopped.into(),
        false => code,
    })
}

/// The file's name in a directory that the user named.
fn usual(format: Format) -> &'static str {
    match format {
        Format::Json => "count.json",
        Format::Text => "count.txt",
    }
}

/// The recorded match that is to be played again. Options for turns need turns.
fn check_turns(arguments: &RunArguments) -> Result<Option<Vec<Turn>>, Error> {
    let asked = [
        ("--turns", arguments.turns.is_some()),
        ("--replay", arguments.replay.is_some()),
    ];
    if let Some((option, _)) = asked.into_iter().find(|(_, asked)| *asked)
        && arguments.budget_per != BudgetPer::Turn
    {
        return Err(Error::NoTurns { option });
    }
    arguments.replay.as_deref().map(turns::read).transpose()
}

/// Writes the file of `--turns`, and compares a replay with the match that was recorded.
fn keep_turns(
    arguments: &RunArguments,
    script: Option<&[Turn]>,
    turns: &[Turn],
) -> Result<(), Error> {
    if let Some(path) = &arguments.turns {
        let lines = turns
            .iter()
            .map(|turn| serde_json::to_string(turn).expect("a turn is plain data") + "\n");
        let text: String = lines.collect();
        outputs::write_whole(path, text.as_bytes()).map_err(at(path))?;
    }
    if let (Some(path), Some(script)) = (&arguments.replay, script)
        && let Some(what) = turns::difference(script, turns)
    {
        return Err(Error::Replay {
            path: path.clone(),
            what,
        });
    }
    Ok(())
}

/// Reports, and what was `seen` last of processes that could not write one.
fn collect(directory: &Path, mut seen: HashMap<u32, Process>) -> Result<Report, Error> {
    let mut report = Report::default();
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(at(directory))? {
        let path = entry.map_err(at(directory))?.path();
        if path.extension().is_some_and(|ending| ending == "count") {
            paths.push(path);
        }
    }
    // One process can report more than once: before it becomes another program, and as that.
    paths.sort_by_key(|path| (path.as_os_str().len(), path.clone()));
    for path in paths {
        let bytes = std::fs::read(&path).map_err(at(&path))?;
        let process =
            Process::parse(&String::from_utf8_lossy(&bytes)).map_err(|source| Error::Report {
                path: path.clone(),
                source,
            })?;
        report.processes.push(process);
    }
    seen.retain(|pid, _| {
        let reported = report.processes.iter().any(|process| process.pid == *pid);
        !reported && !Path::new(&format!("/proc/{pid}")).exists()
    });
    report.processes.extend(seen.into_values());
    if !report.processes.is_empty() {
        let known: HashSet<_> = report.processes.iter().map(|process| process.pid).collect();
        let lost = sample::announced(directory)
            .filter(|pid| !known.contains(pid) && !Path::new(&format!("/proc/{pid}")).exists());
        report.processes.extend(lost.map(Process::lost));
    }
    let counts = report.processes.iter();
    (report.total, report.more_than) =
        report::sum(counts.map(|process| (process.total, process.more_than)));
    report.processes.sort_by_key(|process| process.pid);
    Ok(report)
}

/// Two processes whose numbers cannot be compared, with what each counts.
fn disagreeing(report: &Report) -> Option<(String, String)> {
    let counts = |process: &Process| {
        let contracts = process.contracts.iter();
        let mut what: Vec<_> = contracts
            .filter(|text| !text.starts_with("checks="))
            .collect();
        what.sort();
        what.into_iter().cloned().collect::<Vec<_>>().join(" by ")
    };
    let said = |process: &Process| format!("{} ({})", process.program, counts(process));
    let mut known = report.processes.iter().filter(|process| !process.at_least);
    let first = known.next()?;
    let other = known.find(|other| counts(other) != counts(first))?;
    Some((said(first), said(other)))
}

fn text(report: &Report, arguments: &RunArguments) -> String {
    let mut out = String::new();
    for process in &report.processes {
        let _ = writeln!(out, "{} (process {})", process.program, process.pid);
        for contract in process
            .contracts
            .iter()
            .filter(|contract| !contract.starts_with("checks="))
        {
            let _ = writeln!(out, "  {contract}");
        }
        if let Some(reason) = &process.stopped {
            let _ = writeln!(out, "  stopped: {reason}");
        }
        if process.threads.len() > 1 {
            threads(&mut out, &process.threads, arguments.top);
        }
        let sum = if process.at_least {
            "total, at least"
        } else {
            "total"
        };
        let _ = writeln!(
            out,
            "{:>20}  {sum}",
            counted(process.total, process.more_than)
        );
        match arguments.per {
            Some(_) if process.threads.iter().any(|thread| thread.more_than) => {
                let _ = writeln!(
                    out,
                    "  (how much of it functions and lines executed is not known: a count has become too large)"
                );
            }
            Some(Per::Function) => rows(&mut out, process.functions.iter(), arguments.top),
            Some(Per::Line) => {
                rows(&mut out, process.lines.iter(), arguments.top);
                if process.lines.keys().all(|line| line.file.is_empty()) {
                    let _ = writeln!(
                        out,
                        "  (its objects have no line numbers: compile with -gline-tables-only or -g)"
                    );
                }
            }
            None => {}
        }
    }
    if report.processes.len() > 1 {
        let _ = writeln!(
            out,
            "{:>20}  all processes",
            counted(report.total, report.more_than)
        );
    }
    if arguments.per.is_none()
        && let Some(kept) = kept(report)
    {
        let _ = writeln!(out, "(more is kept: `luthier count run {kept}` lists it)");
    }
    out
}

/// The threads that executed most, in the order of their creation, and one line for all others.
fn threads(out: &mut String, threads: &[Thread], top: usize) {
    let mut order: Vec<usize> = (0..threads.len()).collect();
    order.sort_by_key(|index| Reverse((threads[*index].more_than, threads[*index].units)));
    let (shown, others) = order.split_at(top.min(order.len()));
    let mut shown = shown.to_vec();
    shown.sort_unstable();
    for thread in shown.into_iter().map(|index| &threads[index]) {
        let _ = writeln!(
            out,
            "{:>20}  thread {} ({})",
            counted(thread.units, thread.more_than),
            thread.number,
            thread.state
        );
    }
    let (sum, more) = report::sum(others.iter().map(|index| {
        let thread = &threads[*index];
        (thread.units, thread.more_than)
    }));
    if let count @ 1.. = others.len() {
        let noun = if count == 1 { "thread" } else { "threads" };
        let _ = writeln!(
            out,
            "{:>20}  {count} more {noun} (--top, or all with --format json)",
            counted(sum, more)
        );
    }
}

/// A count for people; `more`: it is the most that is counted, and there was more.
fn counted(units: u64, more: bool) -> String {
    let more = if more { "more than " } else { "" };
    format!("{more}{}", grouped(units))
}

/// The options that list what the processes kept beyond totals.
fn kept(report: &Report) -> Option<&'static str> {
    let any = |keeps: fn(&Process) -> bool| report.processes.iter().any(keeps);
    match (
        any(|process| !process.functions.is_empty()),
        any(|process| !process.lines.is_empty()),
    ) {
        (_, true) => Some("--per function|line"),
        (true, false) => Some("--per function"),
        (false, false) => None,
    }
}

fn rows<'a, Name: Display + 'a>(
    out: &mut String,
    rows: impl Iterator<Item = (&'a Name, &'a u64)>,
    top: usize,
) {
    let mut sorted: Vec<_> = rows.collect();
    // Ties stay in the order of names.
    sorted.sort_by_key(|(_, units)| std::cmp::Reverse(**units));
    for (name, units) in sorted.iter().take(top) {
        let _ = writeln!(out, "{:>20}  {name}", grouped(**units));
    }
    if sorted.len() > top {
        let rest = sorted[top..].iter().map(|(_, units)| **units);
        let rest = rest.fold(0, u64::saturating_add);
        let _ = writeln!(
            out,
            "{:>20}  {} more (--top)",
            grouped(rest),
            sorted.len() - top
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(number: u64, units: u64) -> Thread {
        Thread {
            number,
            units,
            more_than: false,
            state: "ended".to_owned(),
        }
    }

    #[test]
    fn many_threads_are_one_line_behind_those_that_executed_most() {
        let all: Vec<Thread> = (0..100).map(|number| thread(number, 10 + number)).collect();
        let mut out = String::new();
        threads(&mut out, &all, 3);
        let lines: Vec<&str> = out.lines().map(str::trim).collect();
        assert_eq!(
            lines,
            [
                "107  thread 97 (ended)",
                "108  thread 98 (ended)",
                "109  thread 99 (ended)",
                // 10 + ... + 106
                "5 626  97 more threads (--top, or all with --format json)",
            ]
        );
        let mut out = String::new();
        threads(&mut out, &all[..2], 3);
        assert_eq!(out.lines().count(), 2, "{out}");
    }
}
