//! Tools that count how often each block runs and work out the rest afterwards.

use luthier::rows::{self, Section};
use luthier::{Cache, Edit, Kernel, KernelResults, Result, Results, Tool, ToolFile, ToolInfo};
use serde::{Deserialize, Serialize};
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
};

/// Data about the blocks of a kernel. Names that occur often are kept once.
#[derive(Default, Serialize, Deserialize)]
struct KernelData<'a> {
    functions: Vec<Cow<'a, str>>,
    files: Vec<Cow<'a, str>>,
    mnemonics: Vec<Cow<'a, str>>,
    blocks: Vec<Block>,
}

/// Data about a block. Names are positions in the lists beside it.
#[derive(Serialize, Deserialize)]
struct Block {
    function: u32,
    pc: u64,
    /// File and line.
    source: Option<(u32, u32)>,
    /// The number of instructions that the user chose.
    instructions: u32,
    /// In order, where they are asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    mnemonics: Vec<u32>,
}

/// Positions of names in a list.
struct Names<'l, 'a> {
    list: &'l mut Vec<Cow<'a, str>>,
    known: HashMap<Cow<'a, str>, u32>,
    last: u32,
}

impl<'l, 'a> Names<'l, 'a> {
    fn new(list: &'l mut Vec<Cow<'a, str>>) -> Self {
        let known = HashMap::new();
        Names {
            list,
            known,
            last: 0,
        }
    }

    fn position(&mut self, name: impl Into<Cow<'a, str>>) -> u32 {
        let name = name.into();
        // Mostly it is the one from before.
        if self.list.get(self.last as usize) == Some(&name) {
            return self.last;
        }
        let list = &mut *self.list;
        self.last = *self.known.entry(name).or_insert_with_key(|name| {
            list.push(name.clone());
            list.len() as u32 - 1
        });
        self.last
    }
}

/// `opcodes`: mnemonics are to be kept.
fn count_blocks(kernel: &Kernel<'_>, edit: &mut Edit<'_>, opcodes: bool) -> Result<()> {
    let wanted: Vec<_> = kernel
        .blocks()
        .filter(|block| edit.chosen(block) != 0)
        .collect();
    let count = wanted.len();
    let counters = edit.counters(count);
    let mut kept = KernelData::default();
    let mut blocks = Vec::with_capacity(count);
    let mut functions = Names::new(&mut kept.functions);
    let mut files = Names::new(&mut kept.files);
    let mut names = Names::new(&mut kept.mnemonics);
    for (index, block) in wanted.into_iter().enumerate() {
        let first = block.first();
        edit.at_block(&block).count(counters.at(index), 1)?;
        let mut mnemonics = Vec::new();
        if opcodes {
            let instructions = block.instructions().filter(|at| edit.chooses(at));
            mnemonics
                .extend(instructions.map(|instruction| names.position(instruction.mnemonic())));
        }
        let source = first.source();
        blocks.push(Block {
            function: functions.position(block.function().name()),
            pc: first.pc(),
            source: source.map(|(file, line)| (files.position(file), line)),
            instructions: edit.chosen(&block),
            mnemonics,
        });
    }
    kept.blocks = blocks;
    edit.attach(kept)
}

impl KernelData<'_> {
    fn source(&self, block: &Block) -> Option<(&str, u32)> {
        let (file, line) = block.source?;
        Some((self.files.get(file as usize)?, line))
    }

    fn function(&self, block: &Block) -> &str {
        self.functions
            .get(block.function as usize)
            .map_or("", |name| name)
    }
}

/// Blocks with the number of waves that ran them.
fn counted<'k>(kept: &'k KernelData<'_>, kernel: &'k KernelResults) -> Vec<(&'k Block, u64)> {
    kept.blocks
        .iter()
        .zip(kernel.counters().iter().copied())
        .collect()
}

pub struct BlockCount(pub ToolFile);

impl Tool for BlockCount {
    fn info(&self) -> ToolInfo<'_> {
        ToolInfo::new(&self.0).cached(Cache::Always)
    }

    fn instrument(&self, kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()> {
        count_blocks(kernel, edit, false)
    }

    fn finish(&self, results: &Results<'_>) -> Result<String> {
        let mut sections = Vec::new();
        for kernel in results.kernels() {
            let kept: KernelData<'static> = kernel.data()?;
            let blocks = counted(&kept, kernel);
            let heat = |(block, count): &(&Block, u64)| count * u64::from(block.instructions);
            let total: u64 = blocks.iter().map(heat).sum();
            let head = format!(
                "{}: {} blocks, {total} wave instructions",
                kernel.label(),
                blocks.len()
            );
            let rows = blocks.iter().map(|entry| {
                let (block, count) = entry;
                let place = match kept.source(block) {
                    Some((file, line)) => format!("{file}:{line}"),
                    None => kept.function(block).to_owned(),
                };
                let share = heat(entry) as f64 * 100.0 / total.max(1) as f64;
                let text = format!(
                    "{share:>6.1} %  {count:>12} x {:>3}  {:#x}  {place}",
                    block.instructions, block.pc
                );
                (heat(entry) as f64, text)
            });
            sections.push(Section::sorted(head, rows.collect()));
        }
        Ok(rows::most_important(&sections, results, self.0.name()))
    }

    fn finish_json(&self, results: &Results<'_>) -> Result<serde_json::Value> {
        let mut kernels = Vec::new();
        for kernel in results.kernels() {
            let kept: KernelData<'static> = kernel.data()?;
            let blocks: Vec<_> = counted(&kept, kernel)
                .into_iter()
                .map(|(block, count)| {
                    serde_json::json!({
                        "function": kept.function(block), "pc": block.pc, "source": kept.source(block),
                        "instructions": block.instructions, "waves": count,
                    })
                })
                .collect();
            kernels.push(serde_json::json!({ "kernel": kernel.name(), "object": kernel.object(), "blocks": blocks }));
        }
        Ok(kernels.into())
    }
}

pub struct OpcodeHistogram(pub ToolFile);

impl OpcodeHistogram {
    /// Waves by mnemonic.
    fn histogram(kernel: &KernelResults) -> Result<BTreeMap<String, u64>> {
        let kept: KernelData<'static> = kernel.data()?;
        let mut waves = vec![0; kept.mnemonics.len()];
        for (block, count) in counted(&kept, kernel) {
            for &mnemonic in &block.mnemonics {
                if let Some(waves) = waves.get_mut(mnemonic as usize) {
                    *waves += count;
                }
            }
        }
        let named = kept.mnemonics.into_iter().map(Cow::into_owned).zip(waves);
        Ok(named.filter(|(_, count)| *count != 0).collect())
    }
}

impl Tool for OpcodeHistogram {
    fn info(&self) -> ToolInfo<'_> {
        ToolInfo::new(&self.0).cached(Cache::Always)
    }

    fn instrument(&self, kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()> {
        count_blocks(kernel, edit, true)
    }

    fn finish(&self, results: &Results<'_>) -> Result<String> {
        let mut sections = Vec::new();
        for kernel in results.kernels() {
            let rows = Self::histogram(kernel)?.into_iter();
            let rows =
                rows.map(|(mnemonic, count)| (count as f64, format!("{count:>16}  {mnemonic}")));
            sections.push(Section::sorted(kernel.label(), rows.collect()));
        }
        Ok(rows::most_important(&sections, results, self.0.name()))
    }

    fn finish_json(&self, results: &Results<'_>) -> Result<serde_json::Value> {
        let mut kernels = Vec::new();
        for kernel in results.kernels() {
            let opcodes = Self::histogram(kernel)?;
            kernels.push(serde_json::json!({ "kernel": kernel.name(), "object": kernel.object(), "opcodes": opcodes }));
        }
        Ok(kernels.into())
    }
}
