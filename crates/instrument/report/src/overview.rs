//! The table of all kernels that ran.

use crate::{
    code,
    mix::KINDS,
    model::{Code, KernelRow, Overview, usage},
    results::{Results, SummaryKernel},
    run::Options,
};
use std::collections::{BTreeMap, BTreeSet};

/// Version of the data in a page.
pub(crate) const VERSION: u32 = 1;

pub(crate) fn build(results: &Results, options: &Options) -> Overview {
    let mut overview = Overview {
        version: VERSION,
        title: options.title.clone(),
        command: options.command.clone(),
        files: results.others.clone(),
        ..Overview::default()
    };
    let mut tools: BTreeSet<String> = BTreeSet::new();
    let mut devices: BTreeSet<String> = BTreeSet::new();
    let mut rows: BTreeMap<(String, String, String), KernelRow> = BTreeMap::new();
    for summary in &results.summaries {
        tools.extend(
            summary
                .tool
                .split([',', '+'])
                .map(|tool| tool.trim().to_owned()),
        );
        devices.extend(
            summary
                .agents
                .iter()
                .map(|agent| format!("{}: {} ({})", agent.number, agent.product, agent.target)),
        );
        let by = summary.by();
        let process = match by.rank {
            Some(rank) => format!("{} (rank {rank})", by.process),
            None => by.process.to_string(),
        };
        if !overview.processes.contains(&process) {
            overview.processes.push(process);
        }
        if by.session > 1 {
            overview.sessions.push(by.to_string());
        }
        overview.launches += summary.launches;
        overview.unknown_launches += summary.unknown_launches;
        let longest = overview.seconds.unwrap_or(0.0).max(summary.seconds);
        overview.seconds = Some(longest);
        for line in &summary.kernels {
            let object = line.object.clone().unwrap_or_default();
            let key = (line.symbol.clone(), line.target.clone(), object);
            add(rows.entry(key).or_default(), line);
        }
        for line in &summary.records {
            let records = (line.name.clone(), line.written, line.dropped);
            overview.records.push(records);
        }
        overview.notes.extend(summary.notes.iter().cloned());
    }
    tools.extend(results.tools.iter().map(|result| result.tool.clone()));
    overview.tools = tools.into_iter().filter(|tool| !tool.is_empty()).collect();
    overview.devices = devices.into_iter().collect();
    overview.kernels = rows.into_values().collect();
    add_statistics(&mut overview, results);
    overview
}

/// Outcomes of a kernel, lowest rank first: the page shows the one with the highest rank.
const OUTCOMES: [&str; 5] = ["", "unselected", "unused", "late", "refused"];

fn add(row: &mut KernelRow, line: &SummaryKernel) {
    let rank = |status: &str| {
        let known = OUTCOMES.iter().position(|known| *known == status);
        known.unwrap_or(OUTCOMES.len())
    };
    row.launches += line.launches;
    row.instrumented += line.instrumented_launches;
    row.sites = row.sites.max(line.sites);
    for note in &line.notes {
        if !row.notes.contains(note) {
            row.notes.push(note.clone());
        }
    }
    if rank(&line.status) < rank(&row.status) {
        return;
    }
    row.status.clone_from(&line.status);
    row.reason.clone_from(&line.reason);
    row.full.clone_from(&line.name);
    row.name = without_parameters(&line.name).to_owned();
    row.symbol.clone_from(&line.symbol);
    row.target.clone_from(&line.target);
    row.object = line.object.clone().unwrap_or_default();
    row.before = line.before.map(usage);
    row.after = line.after.map(usage);
}

/// `f` of `void f(int)`, with its template arguments.
fn without_parameters(name: &str) -> &str {
    let mut depth = 0;
    let mut end = name.len();
    for (at, character) in name.char_indices().rev() {
        match character {
            ')' | '>' | ']' => depth += 1,
            '(' | '<' | '[' => depth -= 1,
            _ => {}
        }
        if character == '(' && depth == 0 {
            end = at;
            break;
        }
    }
    let name = &name[..end];
    name.strip_prefix("void ").unwrap_or(name)
}

/// Adds the counts of the emulated device. Its kernels differ only by name and device, so a figure is given if these identify one row.
/// Kernels that no tool saw have rows of their own.
fn add_statistics(overview: &mut Overview, results: &Results) {
    for statistics in &results.statistics {
        let longest = overview.seconds.unwrap_or(0.0).max(statistics.seconds);
        overview.seconds = Some(longest);
        let reasons = statistics.reasons.iter();
        let texts = reasons.map(|(name, meaning)| (name.to_string(), meaning.to_string()));
        overview.reasons.extend(texts);
    }
    let told = !results.summaries.is_empty();
    let mut known: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
    for (number, row) in overview.kernels.iter().enumerate() {
        let key = (row.symbol.clone(), gfx::processor(&row.target).to_owned());
        known.entry(key).or_default().push(number);
    }
    for kernel in results.statistics.iter().flat_map(|all| &all.kernels) {
        let symbol = kernel.kernel.strip_suffix(".kd").unwrap_or(&kernel.kernel);
        let name = without_parameters(&demangle::readable(symbol)).to_owned();
        if let Some(reached) = &kernel.reached {
            let rows = reached.iter().map(|one| {
                let [what, by, from] = [&one.what, &one.by, &one.from].map(|text| text.to_string());
                (name.clone(), what, by, from, one.times)
            });
            overview.reached.get_or_insert_default().extend(rows);
        }
        if let Some(inexact) = &kernel.inexact {
            let rows = inexact.iter().map(|one| {
                (
                    one.reason.to_string(),
                    name.clone(),
                    one.op.to_string(),
                    one.waves,
                )
            });
            overview.inexact.get_or_insert_default().extend(rows);
        }
        let key = (symbol.to_owned(), gfx::processor(&kernel.device).to_owned());
        match known.get(&key).map(Vec::as_slice) {
            Some([number]) => {
                let row = &mut overview.kernels[*number];
                row.nanoseconds = Some(row.nanoseconds.unwrap_or(0) + kernel.nanoseconds);
                if !told {
                    row.launches += kernel.dispatches;
                    row.waves = Some(row.waves.unwrap_or(0) + kernel.executed.wave_instructions);
                    row.lanes = Some(row.lanes.unwrap_or(0) + kernel.executed.lane_instructions);
                }
            }
            Some(_) => {}
            None if told => {}
            None => {
                known.insert(key, vec![overview.kernels.len()]);
                let full = demangle::readable(symbol);
                overview.launches += kernel.dispatches;
                overview.kernels.push(KernelRow {
                    name: without_parameters(&full).to_owned(),
                    full,
                    symbol: symbol.to_owned(),
                    target: kernel.device.to_string(),
                    launches: kernel.dispatches,
                    status: if kernel.faults > 0 { "faulted" } else { "ran" }.to_owned(),
                    waves: Some(kernel.executed.wave_instructions),
                    lanes: Some(kernel.executed.lane_instructions),
                    nanoseconds: Some(kernel.nanoseconds),
                    ..KernelRow::default()
                });
            }
        }
    }
}

/// Executed instructions, from what was counted at each; kernels with most first come from the page's own sorting.
pub(crate) fn add_counts(
    overview: &mut Overview,
    codes: &BTreeMap<usize, Code>,
    results: &Results,
) {
    let mut sums = [(0, 0); KINDS.len()];
    let rows = code::by_kernel(results);
    for (number, row) in overview.kernels.iter_mut().enumerate() {
        let object = match row.object.is_empty() {
            true => code::of_any_object(&row.target),
            false => row.object.clone(),
        };
        let said = rows.get(&(object, row.symbol.clone()));
        if let Some(code) = codes.get(&number).filter(|_| Results::counted(said)) {
            let own = code::mix(code);
            row.waves = Some(own.iter().map(|kind| kind.0).sum());
            row.lanes = Some(own.iter().map(|kind| kind.1).sum());
            for (sum, own) in sums.iter_mut().zip(own) {
                *sum = (sum.0 + own.0, sum.1 + own.1);
            }
        } else if let Some(said) = said {
            // Of `instr-count`.
            let sum = |key: &str| {
                let counts = said.iter().filter_map(|(_, row)| row[key].as_u64());
                counts.reduce(|sum, more| sum + more)
            };
            row.waves = sum("wave_instructions").or(row.waves);
            row.lanes = sum("lane_instructions").or(row.lanes);
        }
    }
    let mut mix: Vec<_> = KINDS
        .iter()
        .zip(sums)
        .filter(|(_, (waves, _))| *waves != 0)
        .map(|(kind, (waves, lanes))| ((*kind).to_owned(), waves, lanes))
        .collect();
    mix.sort_by_key(|(_, waves, _)| std::cmp::Reverse(*waves));
    overview.mix = mix;
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ranks::rank_directory;

    #[test]
    fn names_lose_their_parameters_only() {
        for (full, expected) in [
            ("void f(int, float)", "f"),
            (
                "void scan<int (*)(float), 4>(T*)",
                "scan<int (*)(float), 4>",
            ),
            ("plain", "plain"),
        ] {
            assert_eq!(without_parameters(full), expected, "{full}");
        }
    }

    /// Runs that kept no code objects, for two targets and with two builds of one kernel.
    #[test]
    fn counts_of_one_run_are_not_those_of_another() {
        let folders = [(); 3].map(|()| tempfile::tempdir().unwrap());
        let runs = [
            (1, "gfx90a", json!(null), 100),
            (2, "gfx1030", json!(null), 20),
            (3, "gfx90a", json!("c"), 3),
        ];
        for ((process, target, object, waves), folder) in runs.iter().zip(&folders) {
            let mut kernel = json!({
                "name": "k", "symbol": "k", "target": target, "launches": 1, "instrumented_launches": 1, "status": "instrumented",
                "notes": [], "sites": 1,
            });
            if object.is_string() {
                kernel["object"] = object.clone();
            }
            let summary = json!({
                "tool": "instr-count", "process": process, "session": 1, "launches": 1, "unknown_launches": 0, "seconds": 0.5,
                "kernels": [kernel],
            });
            let counts = json!([{
                "kernel": "k", "object": object.as_str().unwrap_or(target), "launches": 1, "wave_instructions": waves,
                "lane_instructions": 2 * waves,
            }]);
            for (tool, value) in [("summary", summary), ("instr-count", counts)] {
                let path = folder.path().join(format!("{tool}.{process}.json"));
                std::fs::write(path, value.to_string()).unwrap();
            }
        }
        let folders: Vec<_> = folders
            .iter()
            .map(|folder| folder.path().to_owned())
            .collect();
        let results = Results::read(&folders).unwrap();
        let options = Options {
            title: String::new(),
            command: String::new(),
            sources: false,
            beside: None,
        };
        let mut overview = build(&results, &options);
        add_counts(&mut overview, &BTreeMap::new(), &results);
        let mut rows: Vec<_> = overview
            .kernels
            .iter()
            .map(|row| (&*row.target, row.waves, row.lanes))
            .collect();
        rows.sort_unstable();
        let expected = [
            ("gfx1030", Some(20), Some(40)),
            ("gfx90a", Some(3), Some(6)),
            ("gfx90a", Some(100), Some(200)),
        ];
        assert_eq!(rows, expected);
    }

    #[test]
    fn processes_of_two_nodes_with_one_number_are_two() {
        let folder = tempfile::tempdir().unwrap();
        for rank in [0, 3] {
            let of_rank = folder.path().join(rank_directory(rank));
            std::fs::create_dir(&of_rank).unwrap();
            for (file, session) in [("summary.7.json", 1), ("summary.7-2.json", 2)] {
                let summary = json!({
                    "tool": "instr-count", "process": 7, "session": session, "launches": 1,
                    "unknown_launches": 0, "seconds": 0.5, "kernels": [],
                });
                std::fs::write(of_rank.join(file), summary.to_string()).unwrap();
            }
        }
        let results = Results::read(&[folder.path().to_owned()]).unwrap();
        let options = Options {
            title: String::new(),
            command: String::new(),
            sources: false,
            beside: None,
        };
        let overview = build(&results, &options);
        assert_eq!(overview.launches, 4);
        assert_eq!(overview.processes, ["7 (rank 0)", "7 (rank 3)"]);
        let sessions = [0, 3].map(|rank| format!("rank {rank}, process 7 (session 2)"));
        assert_eq!(overview.sessions, sessions);
    }
}
