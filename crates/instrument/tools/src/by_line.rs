//! Counters of single instructions, reported by source line or address.

use luthier::rows::{self, Section};
use luthier::{Edit, Instruction, KernelResults, Result, Results};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An instruction with counters.
#[derive(Serialize, Deserialize)]
pub(crate) struct Site {
    pub pc: u64,
    pub source: Option<(String, u32)>,
    pub text: String,
}

impl Site {
    pub fn new(instruction: &Instruction<'_>) -> Site {
        Site {
            pc: instruction.pc(),
            text: instruction.text().trim().replace('\t', " "),
            source: instruction.source(),
        }
    }

    /// Its line in the source, or its address.
    pub fn place(&self) -> String {
        match &self.source {
            Some((file, line)) => format!("{file}:{line}"),
            None => format!("{:#x} {}", self.pc, self.text),
        }
    }
}

/// Gives each instruction that the user chose `width` counters and calls `insert` with it, with what is known of it, and with the first counter.
pub(crate) fn count_at<T>(
    edit: &mut Edit<'_>,
    mut instructions: Vec<(Instruction<'_>, T)>,
    width: usize,
    insert: impl Fn(&mut Edit<'_>, &Instruction<'_>, T, luthier::Counter) -> Result<()>,
) -> Result<()> {
    instructions.retain(|(instruction, _)| edit.chooses(instruction));
    let counters = edit.counters(instructions.len() * width);
    let mut sites = Vec::new();
    for (index, (instruction, known)) in instructions.into_iter().enumerate() {
        insert(edit, &instruction, known, counters.at(index * width))?;
        sites.push(Site::new(&instruction));
    }
    edit.attach(sites)
}

/// Each instruction with its counters.
pub(crate) fn sites(kernel: &KernelResults, width: usize) -> Result<Vec<(Site, Vec<u64>)>> {
    let sites: Vec<Site> = kernel.data()?;
    let counters = kernel.counters().chunks_exact(width).map(<[u64]>::to_vec);
    Ok(sites.into_iter().zip(counters).collect())
}

/// One line per source line that ran, worst first; `row` turns its summed counters into a weight and a text. `tool`: its name.
pub(crate) fn report<const WIDTH: usize>(
    results: &Results<'_>,
    tool: &str,
    row: impl Fn(&[u64; WIDTH]) -> (f64, String),
) -> Result<String> {
    let mut sections = Vec::new();
    for kernel in results.kernels() {
        let mut lines: BTreeMap<String, [u64; WIDTH]> = BTreeMap::new();
        for (site, counters) in sites(kernel, WIDTH)? {
            let line = lines.entry(site.place()).or_insert([0; WIDTH]);
            for (sum, more) in line.iter_mut().zip(counters) {
                *sum += more;
            }
        }
        lines.retain(|_, counters| counters[0] != 0);
        let rows = lines.iter().map(|(place, counters)| {
            let (weight, text) = row(counters);
            (weight, format!("  {text}  {place}"))
        });
        sections.push(Section::sorted(kernel.label(), rows.collect()));
    }
    Ok(rows::most_important(&sections, results, tool))
}

/// The same as data.
pub(crate) fn json(results: &Results<'_>, names: &[&str]) -> Result<serde_json::Value> {
    let mut kernels = Vec::new();
    for kernel in results.kernels() {
        let mut rows = Vec::new();
        for (site, counters) in sites(kernel, names.len())? {
            let mut row = serde_json::to_value(&site)?;
            for (name, counter) in names.iter().zip(counters) {
                row[*name] = counter.into();
            }
            rows.push(row);
        }
        kernels.push(serde_json::json!({ "kernel": kernel.name(), "object": kernel.object(), "sites": rows }));
    }
    Ok(kernels.into())
}
