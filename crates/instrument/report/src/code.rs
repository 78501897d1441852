//! The code of kernels, with what tools counted at their instructions.

use crate::{
    live::Registers,
    mix::{KINDS, kind},
    model::{Block, Code, Edge, Frame, Function, Metric},
    results::{By, Results},
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The results of tools for one kernel: those with the same name and code object, of all processes.
pub(crate) type KernelResults<'r> = Vec<(&'r str, &'r Value)>;

/// By code object and symbol; and for [`of_any_object`], of the runs that kept no objects.
pub(crate) fn by_kernel(results: &Results) -> HashMap<(String, String), KernelResults<'_>> {
    // A summary of a run that kept no objects does not say which one a kernel is from, and a tool not which target it is for.
    let mut targets: HashMap<(By, &str), BTreeSet<&str>> = HashMap::new();
    for summary in &results.summaries {
        let lines = summary.kernels.iter().filter(|line| line.object.is_none());
        for line in lines {
            let of = targets.entry((summary.by(), &line.symbol)).or_default();
            of.insert(&line.target);
        }
    }
    let mut found: HashMap<(String, String), KernelResults<'_>> = HashMap::new();
    for result in &results.tools {
        for row in result.value.as_array().into_iter().flatten() {
            let text = |key: &str| row[key].as_str();
            let (Some(object), Some(kernel)) = (text("object"), text("kernel")) else {
                continue;
            };
            let mut add = |object: String| {
                let rows = found.entry((object, kernel.to_owned())).or_default();
                rows.push((&result.tool, row));
            };
            add(object.to_owned());
            let targets = targets.get(&(result.by, kernel)).into_iter().flatten();
            // If there are several, it is not known which one the counts belong to.
            if let [target] = targets.collect::<Vec<_>>()[..] {
                add(of_any_object(target));
            }
        }
    }
    found
}

/// Stands for the code object of kernels for a target where the run says none.
pub(crate) fn of_any_object(target: &str) -> String {
    format!("for {target}")
}

/// Functions that a kernel called, as far as a tool says so.
fn called<'r>(rows: &'r KernelResults<'_>) -> impl Iterator<Item = &'r str> {
    let lists = rows
        .iter()
        .filter_map(|(_, row)| row["functions"].as_array());
    lists.flatten().filter_map(Value::as_str)
}

/// Codes of the wanted kernels of one code object, by symbol; and what could not be read.
pub(crate) fn of_object(
    bytes: &[u8],
    object: &str,
    kernels: &BTreeSet<&str>,
    rows: &HashMap<(String, String), KernelResults<'_>>,
) -> (BTreeMap<String, Code>, Vec<String>) {
    let of = |kernel: &str| rows.get(&(object.to_owned(), kernel.to_owned()));
    let mut names: BTreeSet<String> = kernels.iter().map(|name| (*name).to_owned()).collect();
    for kernel in kernels {
        names.extend(of(kernel).into_iter().flat_map(called).map(str::to_owned));
    }
    let options = inspect::Options {
        names: Some(names),
        disassembly: true,
        blocks: true,
        ..inspect::Options::default()
    };
    let report = match inspect::inspect(bytes, object, &options) {
        Ok(report) => report,
        Err(error) => return (BTreeMap::new(), vec![error.to_string()]),
    };
    let mut problems: Vec<String> = Vec::new();
    for (place, reason) in &report.problems {
        problems.push(format!("{place}: {reason}"));
    }
    let parsed = codeobj::CodeObject::parse(bytes).ok();
    let registers = Registers::new(parsed.as_ref(), kernels.len());
    let mut codes = BTreeMap::new();
    for found in &report.objects {
        for kernel in &found.kernels {
            let Some(own) = kernel.code.as_ref() else {
                continue;
            };
            let empty = Vec::new();
            let rows = of(&kernel.name).unwrap_or(&empty);
            let callees: BTreeSet<&str> = called(rows).collect();
            let others = found
                .functions
                .iter()
                .filter(|function| callees.contains(function.name.as_str()));
            let mut builder = Builder::default();
            for function in std::iter::once(own).chain(others) {
                builder.add(function);
            }
            for (tool, row) in rows {
                builder.count(tool, row);
            }
            let mut code = builder.code;
            code.live = registers.live(&kernel.name, &code.pc);
            let mut facts = kernel.clone();
            facts.code = None;
            code.facts = serde_json::to_value(facts).unwrap_or_default();
            codes.insert(kernel.name.clone(), code);
        }
    }
    (codes, problems)
}

#[derive(Default)]
struct Builder {
    code: Code,
    /// Position of the instruction at an address.
    at: HashMap<u64, u32>,
    places: HashMap<Vec<Frame>, u32>,
}

impl Builder {
    fn add(&mut self, function: &inspect::Function) {
        let code = &mut self.code;
        if code.kinds.is_empty() {
            code.kinds = KINDS.map(str::to_owned).to_vec();
            code.places.push(Vec::new());
            self.places.insert(Vec::new(), 0);
        }
        let first = code.pc.len() as u32;
        for line in &function.lines {
            let frames: Vec<Frame> = line.source.iter().filter_map(frame).collect();
            let next = code.places.len() as u32;
            let place = *self.places.entry(frames).or_insert_with_key(|frames| {
                code.places.push(frames.clone());
                next
            });
            self.at.insert(line.pc, code.pc.len() as u32);
            code.pc.push(line.pc);
            code.kind.push(kind(line.what));
            code.what.push(line.what);
            code.text.push(line.text.replace('\t', " "));
            code.place.push(place);
        }
        let end = code.pc.len() as u32;
        code.waves.resize(code.pc.len(), None);
        code.lanes.resize(code.pc.len(), None);
        let numbers = code.blocks.len() as u32;
        for block in &function.blocks {
            let position = |pc: u64| self.at.get(&pc).copied().unwrap_or(end);
            let exit = serde_json::to_value(block.exit).unwrap_or_default();
            code.blocks.push(Block {
                first: position(block.start),
                end: position(block.end).max(position(block.start)).min(end),
                exit: exit.as_str().unwrap_or_default().to_owned(),
            });
            let from = numbers + block.index as u32;
            code.edges.extend(block.successors.iter().map(|to| Edge {
                from,
                to: numbers + *to as u32,
                waves: None,
            }));
        }
        code.functions.push(Function {
            name: demangle::readable(&function.name),
            first,
            end,
        });
    }

    /// Takes over what one tool counted in one process.
    fn count(&mut self, tool: &str, row: &Value) {
        if let Some(stretches) = row["stretches"].as_array() {
            stretches.iter().for_each(|row| self.stretch(row));
            self.edges(row["edges"].as_array().map_or(&[][..], Vec::as_slice));
        }
        if let Some(sites) = row["sites"].as_array() {
            self.sites(tool, sites);
        }
    }

    fn stretch(&mut self, row: &Value) {
        let first = row["pc"].as_u64().and_then(|pc| self.at.get(&pc));
        let (Some(&first), Some(length)) = (first, row["instructions"].as_u64()) else {
            return;
        };
        let last = (first as usize + length as usize).min(self.code.pc.len());
        for (column, key) in [
            (&mut self.code.waves, "waves"),
            (&mut self.code.lanes, "lanes"),
        ] {
            if let Some(count) = row[key].as_u64() {
                for cell in &mut column[first as usize..last] {
                    *cell = Some(cell.unwrap_or(0) + count);
                }
            }
        }
    }

    /// Edges between the blocks that tools counted, which end at calls. The blocks here go on after calls, so an edge that no tool counted
    /// leads into the next block.
    fn edges(&mut self, rows: &[Value]) {
        let last = |from: u32| self.code.blocks.get(from as usize);
        let mut ends: HashMap<u32, u64> = HashMap::new();
        let mut counted: HashMap<(u64, u64), Option<u64>> = HashMap::new();
        // The last counted block that begins in a block of this report ends it.
        let mut starts: Vec<u64> = Vec::new();
        for row in rows {
            if let (Some(from), Some(to)) = (row["from"].as_u64(), row["to"].as_u64()) {
                starts.push(from);
                counted.insert((from, to), row["waves"].as_u64());
            }
        }
        starts.sort_unstable();
        for number in 0..self.code.blocks.len() as u32 {
            let Some(block) = last(number) else { continue };
            let pc = |at: u32| self.code.pc.get(at as usize).copied();
            if let (Some(first), Some(end)) = (pc(block.first), pc(block.end.saturating_sub(1))) {
                let below = starts.partition_point(|start| *start <= end);
                let start = below.checked_sub(1).map(|index| starts[index]);
                if let Some(start) = start.filter(|start| *start >= first) {
                    ends.insert(number, start);
                }
            }
        }
        for edge in &mut self.code.edges {
            let to = self.code.blocks.get(edge.to as usize);
            let to = to.and_then(|block| self.code.pc.get(block.first as usize));
            let waves = ends
                .get(&edge.from)
                .zip(to)
                .and_then(|(from, to)| *counted.get(&(*from, *to))?);
            if let Some(waves) = waves {
                edge.waves = Some(edge.waves.unwrap_or(0) + waves);
            }
        }
    }

    fn sites(&mut self, tool: &str, rows: &[Value]) {
        const NOT_COUNTED: [&str; 3] = ["pc", "source", "text"];
        let Some(first) = rows.first().and_then(Value::as_object) else {
            return;
        };
        let names: Vec<String> = first
            .iter()
            .filter(|(name, value)| value.is_u64() && !NOT_COUNTED.contains(&name.as_str()))
            .map(|(name, _)| name.clone())
            .collect();
        let known = |metric: &Metric| metric.tool == tool && metric.names == names;
        let mut sums: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
        let old = self.code.metrics.iter().position(known);
        if let Some(old) = old {
            let old = self.code.metrics.swap_remove(old);
            sums.extend(old.at.into_iter().zip(old.values));
        }
        for row in rows {
            let Some(at) = row["pc"].as_u64().and_then(|pc| self.at.get(&pc)) else {
                continue;
            };
            let sum = sums.entry(*at).or_insert_with(|| vec![0; names.len()]);
            for (sum, name) in sum.iter_mut().zip(&names) {
                *sum += row[name].as_u64().unwrap_or(0);
            }
        }
        let (at, values) = sums.into_iter().unzip();
        let tool = tool.to_owned();
        self.code.metrics.push(Metric {
            tool,
            names,
            at,
            values,
        });
        self.code.metrics.sort_by(|a, b| a.tool.cmp(&b.tool));
    }
}

fn frame(frame: &inspect::SourceFrame) -> Option<Frame> {
    let function = frame.function.as_deref().unwrap_or_default();
    Some(Frame {
        file: frame.file.clone()?,
        line: frame.line?,
        column: frame.column.unwrap_or(0),
        function: demangle::readable(function),
    })
}

/// Wave and lane instructions by kind.
pub(crate) fn mix(code: &Code) -> [(u64, u64); KINDS.len()] {
    let mut sums = [(0, 0); KINDS.len()];
    let counts = code.waves.iter().zip(&code.lanes);
    for (kind, (waves, lanes)) in code.kind.iter().zip(counts) {
        let sum = &mut sums[usize::from(*kind)];
        sum.0 += waves.unwrap_or(0);
        sum.1 += lanes.unwrap_or(0);
    }
    sums
}

impl Results {
    /// Returns `true` if a tool counted instructions of this kernel.
    pub fn counted(rows: Option<&KernelResults<'_>>) -> bool {
        rows.is_some_and(|rows| rows.iter().any(|(_, row)| row["stretches"].is_array()))
    }
}
