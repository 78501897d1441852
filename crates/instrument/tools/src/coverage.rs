//! `coverage`: lines, functions and branches by lanes, of programs that were compiled with debug information and nothing else.
//!
//! Lanes are counted in every stretch of instructions with one EXEC. The count of a line is that of its most executed stretch in a
//! kernel; what several kernels executed is added. Where lanes are taken out of EXEC, or a wave as a whole branches, is a branch.

use crate::coverage_report::{File, Report};
use isa::{Known, Logic, Traits};
use luthier::rows;
use luthier::{
    Argument, Edit, Error, HookValue, Instruction, Kernel, KernelResults, Result, Results, Tool,
    ToolFile, ToolInfo,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};

pub struct Coverage(pub ToolFile);

/// Data about a kernel. Files and functions are positions in the lists.
#[derive(Default, Serialize, Deserialize)]
struct KernelData {
    files: Vec<String>,
    functions: Vec<Function>,
    /// In the order of their counters.
    counted: Vec<Vec<Line>>,
    branches: Vec<Branch>,
}

type Line = (u32, u32);

#[derive(Serialize, Deserialize)]
struct Function {
    name: String,
    line: Option<Line>,
    /// Counter of its entry.
    entry: u32,
}

/// Counters of a branch: lanes that came to it, and lanes on its first path.
#[derive(Serialize, Deserialize)]
struct Branch {
    line: Line,
    before: u32,
    taken: u32,
}

/// Numbers of files.
#[derive(Default)]
struct Files(HashMap<String, u32>);

impl Files {
    fn line(&mut self, instruction: &Instruction<'_>) -> Option<Line> {
        // Line 0 is code that belongs to no line.
        let (file, line) = instruction.source().filter(|(_, line)| *line != 0)?;
        let next = self.0.len() as u32;
        Some((*self.0.entry(file).or_insert(next), line))
    }

    fn names(self) -> Vec<String> {
        let mut names = vec![String::new(); self.0.len()];
        for (name, number) in self.0 {
            names[number as usize] = name;
        }
        names
    }
}

/// Instructions that only take lanes out of EXEC: what a condition leaves on.
fn narrows(instruction: &Instruction<'_>) -> bool {
    let op = instruction.decoded().op;
    let narrows = op.lane_mask().is_some_and(|mask| match mask.logic {
        // Without saving EXEC, loops take out the lanes that have left.
        Logic::And | Logic::AndNotB => !mask.writes_exec,
        Logic::AndNotA => mask.saves_exec,
        _ => false,
    });
    instruction.writes_exec() && (narrows || op.has(Traits::COMPARES_TO_EXEC))
}

/// Branches of the whole wave.
fn is_uniform(instruction: &Instruction<'_>) -> bool {
    matches!(
        instruction.decoded().op.known(),
        Some(
            Known::SCbranchScc0 | Known::SCbranchScc1 | Known::SCbranchVccz | Known::SCbranchVccnz
        )
    )
}

/// The points to count: each entry is an instruction and its line.
#[derive(Default)]
struct CountedPoints<'k> {
    before: Vec<(Instruction<'k>, u32)>,
    behind: Vec<(Instruction<'k>, u32)>,
    ways: Vec<(luthier::Block<'k>, luthier::Block<'k>, u32)>,
}

impl Tool for Coverage {
    fn info(&self) -> ToolInfo<'_> {
        ToolInfo::new(&self.0)
    }

    fn instrument(&self, kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()> {
        let mut files = Files::default();
        let mut kept = KernelData::default();
        let mut places = CountedPoints::default();
        for function in kernel.functions() {
            if function.blocks().all(|block| edit.chosen(&block) == 0) {
                continue;
            }
            let entry = kept.counted.len() as u32;
            let mut lines = Vec::new();
            for block in function.blocks() {
                lines.extend(block.instructions().filter_map(|at| files.line(&at)));
                look_at(block, edit, &mut files, &mut kept, &mut places);
            }
            kept.functions.push(Function {
                name: function.name().to_owned(),
                line: beginning(&lines),
                entry,
            });
        }
        kept.files = files.names();
        let counters = edit.counters(kept.counted.len());
        let lanes = |counter: u32| {
            [
                Argument::Value(HookValue::Exec),
                counters.at(counter as usize).into(),
            ]
        };
        for (at, counter) in &places.before {
            let place = edit.before(at).for_others().once();
            place.call("lanes", lanes(*counter))?;
        }
        for (at, counter) in &places.behind {
            let place = edit.after(at).for_others().once();
            place.call("lanes", lanes(*counter))?;
        }
        for (from, to, counter) in &places.ways {
            let place = edit.edge(from, to.index()).for_others().once();
            place.call("lanes", lanes(*counter))?;
        }
        if kept.files.is_empty() {
            edit.note(
                "no debug information: compile with -g or -gline-tables-only to see its lines",
            );
        }
        edit.attach(kept)
    }

    fn finish(&self, results: &Results<'_>) -> Result<String> {
        let report = report(results)?;
        let mut text = rows::most_important(&[report.table()], results, self.0.name());
        for (name, content) in report.files() {
            if let Some(path) = results.file(name) {
                let failed =
                    |error: std::io::Error| Error::Tool(format!("{}: {error}", path.display()));
                std::fs::write(&path, content).map_err(failed)?;
                text.push_str(&format!("{}\n", path.display()));
            }
        }
        if results.output().is_none() {
            text.push_str("(--output DIR writes coverage.lcov, .json, .xml and .html)\n");
        }
        Ok(text)
    }

    fn finish_json(&self, results: &Results<'_>) -> Result<serde_json::Value> {
        Ok(report(results)?.json())
    }
}

/// The first line in the file that most of a function's instructions are from: what comes before is inlined from headers.
fn beginning(lines: &[Line]) -> Option<Line> {
    let mut files: BTreeMap<u32, usize> = BTreeMap::new();
    for (file, _) in lines {
        *files.entry(*file).or_default() += 1;
    }
    let (most, _) = files.into_iter().max_by_key(|(_, count)| *count)?;
    lines.iter().copied().find(|(file, _)| *file == most)
}

/// Notes the stretches of one block, and lines and branches as far as the user chose them.
fn look_at<'k>(
    block: luthier::Block<'k>,
    edit: &Edit<'_>,
    files: &mut Files,
    kept: &mut KernelData,
    places: &mut CountedPoints<'k>,
) {
    let instructions: Vec<Instruction<'k>> = block.instructions().collect();
    let mut stretch = kept.counted.len() as u32;
    let mut fresh = true;
    for (index, instruction) in instructions.iter().enumerate() {
        if fresh {
            stretch = kept.counted.len() as u32;
            kept.counted.push(Vec::new());
            places.before.push((*instruction, stretch));
            fresh = false;
        }
        let chosen = edit.chooses(instruction);
        let line = chosen.then(|| files.line(instruction)).flatten();
        let lines = &mut kept.counted[stretch as usize];
        if let Some(line) = line.filter(|line| !lines.contains(line)) {
            lines.push(line);
        }
        if instruction.writes_exec() {
            fresh = true;
            let last = index + 1 == instructions.len();
            let next = kept.counted.len() as u32;
            if last && narrows(instruction) {
                // There is nothing behind it in its block.
                kept.counted.push(Vec::new());
                places.behind.push((*instruction, next));
            }
            if let Some(line) = line.filter(|_| narrows(instruction)) {
                kept.branches.push(Branch {
                    line,
                    before: stretch,
                    taken: next,
                });
            }
        }
    }
    let end = block.last();
    let ways: Vec<_> = block.successors().collect();
    if is_uniform(&end) && ways.len() == 2 && edit.chooses(&end) {
        let taken = kept.counted.len() as u32;
        if let Some(line) = files.line(&end) {
            kept.counted.push(Vec::new());
            places.ways.push((block, ways[1], taken));
            kept.branches.push(Branch {
                line,
                before: stretch,
                taken,
            });
        }
    }
}

fn report(results: &Results<'_>) -> Result<Report> {
    let mut files: BTreeMap<String, File> = BTreeMap::new();
    for kernel in results.kernels() {
        let kept: KernelData = kernel.data()?;
        add(&mut files, &kept, kernel);
    }
    Ok(Report::new(files))
}

fn add(files: &mut BTreeMap<String, File>, kept: &KernelData, kernel: &KernelResults) {
    let counters = kernel.counters();
    let count = |counter: u32| counters.get(counter as usize).copied().unwrap_or(0);
    let name = |file: u32| kept.files.get(file as usize).cloned().unwrap_or_default();
    let mut lines: BTreeMap<Line, u64> = BTreeMap::new();
    for (index, stretch) in kept.counted.iter().enumerate() {
        for line in stretch {
            let most = lines.entry(*line).or_default();
            *most = (*most).max(count(index as u32));
        }
    }
    for ((file, line), lanes) in lines {
        *files
            .entry(name(file))
            .or_default()
            .lines
            .entry(line)
            .or_default() += lanes;
    }
    for function in &kept.functions {
        let Some((file, line)) = function.line else {
            continue;
        };
        let known = files
            .entry(name(file))
            .or_default()
            .functions
            .entry(function.name.clone());
        known.or_insert((line, 0)).1 += count(function.entry);
    }
    let mut seen = BTreeSet::new();
    for branch in &kept.branches {
        // The n-th branch of a line in each kernel is taken for the same one.
        let number = (0..)
            .find(|number| seen.insert((branch.line, *number)))
            .unwrap_or(0);
        let (taken, before) = (count(branch.taken), count(branch.before));
        let sums = files
            .entry(name(branch.line.0))
            .or_default()
            .branches
            .entry((branch.line.1, number))
            .or_default();
        sums.0 += taken;
        sums.1 += before.saturating_sub(taken);
    }
}
