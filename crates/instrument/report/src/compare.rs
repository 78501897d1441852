//! Two runs side by side.

use crate::{
    model::{Code, KernelRow},
    run::Run,
};
use serde::Serialize;
use std::collections::BTreeMap;

/// The contents of `luthier report --diff`. Kernels of the two runs are the same if symbol and target are equal; their code may differ.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Comparison {
    pub titles: [String; 2],
    pub commands: [String; 2],
    pub kernels: Vec<ComparedKernel>,
    /// For each kernel; a chunk of its own in the page.
    #[serde(skip)]
    pub parts: Vec<Parts>,
}

/// Figures of the first and of the second run; none where a run has no such kernel, or did not count.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ComparedKernel {
    pub name: String,
    pub symbol: String,
    pub target: String,
    pub launches: [u64; 2],
    /// Executed wave instructions.
    pub waves: [Option<u64>; 2],
    pub vgprs: [Option<u32>; 2],
    /// Waves of a SIMD.
    pub occupancy: [Option<u32>; 2],
}

/// Executed wave instructions of the two runs.
pub type Row = (String, Option<u64>, Option<u64>);

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Parts {
    /// By `FILE:LINE`, of the innermost inlined function.
    pub lines: Vec<Row>,
    /// By mnemonic.
    pub opcodes: Vec<Row>,
}

/// A kernel's figures in both runs.
#[derive(Default)]
struct Pair<'r> {
    rows: [Vec<(&'r KernelRow, Option<&'r Code>)>; 2],
}

pub fn compare(a: &Run, b: &Run) -> Comparison {
    let mut pairs: BTreeMap<(&str, &str), Pair<'_>> = BTreeMap::new();
    for (side, run) in [a, b].into_iter().enumerate() {
        for (number, row) in run.overview.kernels.iter().enumerate() {
            let key = (row.symbol.as_str(), row.target.as_str());
            let code = run.codes.get(&number);
            pairs.entry(key).or_default().rows[side].push((row, code));
        }
    }
    let mut comparison = Comparison {
        titles: [a, b].map(|run| run.overview.title.clone()),
        commands: [a, b].map(|run| run.overview.command.clone()),
        ..Comparison::default()
    };
    for ((symbol, target), pair) in pairs {
        let both = |of: &dyn Fn(&KernelRow) -> Option<u64>| {
            [0, 1].map(|side| {
                let values = pair.rows[side].iter().filter_map(|(row, _)| of(row));
                values.reduce(|sum, more| sum + more)
            })
        };
        let usage = |index: usize| {
            [0, 1].map(|side| {
                let rows = pair.rows[side].iter();
                let mut known = rows.filter_map(|(row, _)| row.before.as_ref());
                known.next().map(|usage| usage[index])
            })
        };
        let first = pair.rows.iter().flatten().next();
        comparison.kernels.push(ComparedKernel {
            name: first.map(|(row, _)| row.name.clone()).unwrap_or_default(),
            symbol: symbol.to_owned(),
            target: target.to_owned(),
            launches: both(&|row| Some(row.launches)).map(Option::unwrap_or_default),
            waves: both(&|row| row.waves),
            vgprs: usage(0),
            occupancy: usage(4),
        });
        comparison.parts.push(Parts {
            lines: rows(&pair, line),
            opcodes: rows(&pair, |code, at| {
                let text = code.text[at].split(' ').next();
                text.unwrap_or_default().to_owned()
            }),
        });
    }
    comparison
}

fn line(code: &Code, at: usize) -> String {
    match code.places[code.place[at] as usize].first() {
        Some(frame) => format!("{}:{}", frame.file, frame.line),
        None => "no source line".to_owned(),
    }
}

/// Executions summed by what `of` says of an instruction, those that differ most first.
fn rows(pair: &Pair<'_>, of: impl Fn(&Code, usize) -> String) -> Vec<Row> {
    let mut sums: BTreeMap<String, [Option<u64>; 2]> = BTreeMap::new();
    for (side, rows) in pair.rows.iter().enumerate() {
        for code in rows.iter().filter_map(|(_, code)| *code) {
            for at in 0..code.pc.len() {
                if let Some(waves) = code.waves[at] {
                    let sum = &mut sums.entry(of(code, at)).or_default()[side];
                    *sum = Some(sum.unwrap_or(0) + waves);
                }
            }
        }
    }
    let mut rows: Vec<Row> = sums
        .into_iter()
        .map(|(name, [a, b])| (name, a, b))
        .collect();
    rows.sort_by_key(|(_, a, b)| std::cmp::Reverse(a.unwrap_or(0).abs_diff(b.unwrap_or(0))));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(title: &str, kernel: &str, waves: &[u64]) -> Run {
        let mut run = Run::default();
        run.overview.title = title.to_owned();
        let sum = waves.iter().sum();
        run.overview.kernels.push(KernelRow {
            symbol: kernel.to_owned(),
            waves: Some(sum),
            launches: 1,
            ..KernelRow::default()
        });
        let count = waves.len();
        let text = ["s_nop 0", "v_mov_b32 v0, 0", "s_nop 1"].map(str::to_owned);
        run.codes.insert(
            0,
            Code {
                pc: (0..count as u64).collect(),
                text: text[..count].to_vec(),
                place: vec![0; count],
                places: vec![Vec::new()],
                waves: waves.iter().copied().map(Some).collect(),
                ..Code::default()
            },
        );
        run
    }

    #[test]
    fn kernels_are_matched_by_symbol_and_mnemonics_are_summed() {
        let comparison = compare(&run("a", "k", &[5, 7]), &run("b", "k", &[5, 1, 20]));
        assert_eq!(comparison.kernels[0].waves, [Some(12), Some(26)]);
        let expected = [("s_nop", 5, 25), ("v_mov_b32", 7, 1)];
        let expected = expected.map(|(name, a, b)| (name.to_owned(), Some(a), Some(b)));
        assert_eq!(comparison.parts[0].opcodes, expected);
    }

    #[test]
    fn kernels_of_one_run_only_have_no_figures_in_the_other() {
        let comparison = compare(&run("a", "old", &[1]), &run("b", "new", &[2]));
        let waves: Vec<_> = comparison
            .kernels
            .iter()
            .map(|kernel| kernel.waves)
            .collect();
        assert_eq!(waves, [[None, Some(2)], [Some(1), None]]);
    }
}
