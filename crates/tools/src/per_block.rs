//! Tools that count how often each block runs and work out the rest afterwards.

use luthier::{Edit, Kernel, KernelResults, Result, Results, Tool, ToolFile};
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, collections::BTreeMap};

/// Rows of a report that has no bounds of its own.
const ROWS: usize = 20;

/// What is kept of a block.
#[derive(Serialize, Deserialize)]
struct Block<'a> {
    function: Cow<'a, str>,
    mnemonics: Vec<Cow<'a, str>>,
    pc: u64,
    source: Option<(String, u32)>,
}

fn count_blocks(kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()> {
    let blocks: Vec<_> = kernel.blocks().collect();
    let counters = edit.counters(blocks.len());
    for (index, block) in blocks.iter().enumerate() {
        edit.before(&block.first()).count(counters.at(index), 1)?;
    }
    let kept = blocks.iter().map(|block| Block {
        function: block.function().name().into(),
        pc: block.first().pc(),
        source: block.first().source(),
        mnemonics: block
            .instructions()
            .map(|instruction| instruction.mnemonic().into())
            .collect(),
    });
    edit.attach(kept.collect::<Vec<_>>())
}

/// Blocks with the number of waves that ran them.
fn counted(kernel: &KernelResults) -> Result<Vec<(Block<'static>, u64)>> {
    let blocks: Vec<Block<'static>> = kernel.data()?;
    Ok(blocks
        .into_iter()
        .zip(kernel.counters().iter().copied())
        .collect())
}

pub struct BlockCount(pub ToolFile);

impl Tool for BlockCount {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn file(&self) -> &ToolFile {
        &self.0
    }

    fn instrument(&self, kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()> {
        count_blocks(kernel, edit)
    }

    fn finish(&self, results: &Results<'_>) -> Result<String> {
        let mut report = String::new();
        for kernel in results.kernels() {
            let mut blocks = counted(kernel)?;
            let heat = |(block, count): &(Block<'_>, u64)| count * block.mnemonics.len() as u64;
            let total: u64 = blocks.iter().map(heat).sum();
            report.push_str(&format!(
                "{}: {} blocks, {total} wave instructions\n",
                kernel.demangled(),
                blocks.len()
            ));
            blocks.sort_by_key(|block| std::cmp::Reverse(heat(block)));
            for entry in blocks.iter().take(ROWS) {
                let (block, count) = entry;
                let place = match &block.source {
                    Some((file, line)) => format!("{file}:{line}"),
                    None => block.function.to_string(),
                };
                let share = heat(entry) as f64 * 100.0 / total.max(1) as f64;
                report.push_str(&format!(
                    "{share:>6.1} %  {count:>12} x {:>3}  {:#x}  {place}\n",
                    block.mnemonics.len(),
                    block.pc
                ));
            }
        }
        Ok(report)
    }

    fn finish_json(&self, results: &Results<'_>) -> Result<serde_json::Value> {
        let mut kernels = Vec::new();
        for kernel in results.kernels() {
            let blocks: Vec<_> = counted(kernel)?
                .into_iter()
                .map(|(block, count)| {
                    serde_json::json!({
                        "function": block.function, "pc": block.pc, "source": block.source,
                        "instructions": block.mnemonics.len(), "waves": count,
                    })
                })
                .collect();
            kernels.push(serde_json::json!({ "kernel": kernel.name(), "blocks": blocks }));
        }
        Ok(kernels.into())
    }
}

pub struct OpcodeHistogram(pub ToolFile);

impl OpcodeHistogram {
    /// Waves by mnemonic.
    fn histogram(kernel: &KernelResults) -> Result<BTreeMap<String, u64>> {
        let mut histogram = BTreeMap::new();
        for (block, count) in counted(kernel)? {
            for mnemonic in block.mnemonics {
                *histogram.entry(mnemonic.into_owned()).or_default() += count;
            }
        }
        histogram.retain(|_, count| *count != 0);
        Ok(histogram)
    }
}

impl Tool for OpcodeHistogram {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn file(&self) -> &ToolFile {
        &self.0
    }

    fn instrument(&self, kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()> {
        count_blocks(kernel, edit)
    }

    fn finish(&self, results: &Results<'_>) -> Result<String> {
        let mut report = String::new();
        for kernel in results.kernels() {
            report.push_str(&format!("{}\n", kernel.demangled()));
            let mut rows: Vec<_> = Self::histogram(kernel)?.into_iter().collect();
            rows.sort_by_key(|row| std::cmp::Reverse(row.1));
            for (mnemonic, count) in rows {
                report.push_str(&format!("{count:>16}  {mnemonic}\n"));
            }
        }
        Ok(report)
    }

    fn finish_json(&self, results: &Results<'_>) -> Result<serde_json::Value> {
        let mut kernels = Vec::new();
        for kernel in results.kernels() {
            let opcodes = Self::histogram(kernel)?;
            kernels.push(serde_json::json!({ "kernel": kernel.name(), "opcodes": opcodes }));
        }
        Ok(kernels.into())
    }
}
