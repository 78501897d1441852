//! `hotspots`: waves and lanes that executed every instruction, and waves along every edge of the control flow graph.

use crate::flow::Flow;
use luthier::rows::{self, Section};
use luthier::{
    Argument, Cache, Edit, Function, HookValue, Instruction, Kernel, KernelResults, Result,
    Results, Tool, ToolFile, ToolInfo,
};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

pub struct Hotspots(pub ToolFile);

/// Data about a kernel. Counters: one for each block, then those of lanes, then one for each counted edge.
#[derive(Default, Serialize, Deserialize)]
struct KernelData {
    functions: Vec<String>,
    blocks: Vec<Block>,
    stretches: Vec<InstructionRun>,
    /// Counters of lanes.
    lane_counters: u32,
    /// Positions of blocks.
    edges: Vec<(u32, u32)>,
    counted_edges: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
struct Block {
    /// Position in the functions.
    function: u32,
    pc: u64,
    closed_in: bool,
    closed_out: bool,
}

/// Instructions of one block that run with one EXEC, one after another, and that the user chose.
#[derive(Serialize, Deserialize)]
struct InstructionRun {
    block: u32,
    pc: u64,
    instructions: u32,
    /// The counter of its lanes. Stretches that are separated only by an instruction that was not chosen share it.
    counter: u32,
}

impl KernelData {
    /// Blocks and their ways of some functions, in their order.
    fn new(functions: &[Function<'_>]) -> KernelData {
        let mut kept = KernelData::default();
        for function in functions {
            let (number, first) = (kept.functions.len() as u32, kept.blocks.len() as u32);
            kept.functions.push(function.name().to_owned());
            let blocks: Vec<_> = function.blocks().collect();
            let places = (first..).zip(&blocks);
            let position: HashMap<_, u32> = places.map(|(at, block)| (block.index(), at)).collect();
            // Where control may come from or go to somewhere unknown, nothing follows from the counts of blocks.
            let resolved = function.unresolved().is_empty();
            for block in &blocks {
                let at = kept.blocks.len() as u32;
                let ways = kept.edges.len();
                for next in block.successors() {
                    if let Some(to) = position.get(&next.index())
                        && !kept.edges[ways..].contains(&(at, *to))
                    {
                        kept.edges.push((at, *to));
                    }
                }
                let wanted = 1 + usize::from(block.last().is_conditional_branch());
                kept.blocks.push(Block {
                    function: number,
                    pc: block.first().pc(),
                    closed_in: resolved && block.first().pc() != function.entry(),
                    closed_out: resolved && kept.edges.len() - ways == wanted,
                });
            }
        }
        kept.counted_edges = kept.flow(|flow| flow.counted());
        kept
    }

    fn flow<T>(&self, act: impl FnOnce(&Flow<'_>) -> T) -> T {
        let closed_in: Vec<bool> = self.blocks.iter().map(|block| block.closed_in).collect();
        let closed_out: Vec<bool> = self.blocks.iter().map(|block| block.closed_out).collect();
        act(&Flow::new(&self.edges, &closed_in, &closed_out))
    }

    /// Counters of blocks, lanes and counted edges.
    fn split<'c>(&self, counters: &'c [u64]) -> (&'c [u64], &'c [u64], &'c [u64]) {
        let (blocks, rest) = counters.split_at(self.blocks.len().min(counters.len()));
        let (lanes, edges) = rest.split_at(rest.len().min(self.lane_counters as usize));
        (blocks, lanes, edges)
    }

    fn json(&self, kernel: &KernelResults) -> serde_json::Value {
        let (blocks, lanes, counted) = self.split(kernel.counters());
        let counted: Vec<_> = self
            .counted_edges
            .iter()
            .copied()
            .zip(counted.iter().copied())
            .collect();
        let ways = self.flow(|flow| flow.solve(blocks, &counted));
        let pc = |block: u32| self.blocks.get(block as usize).map(|block| block.pc);
        let stretches: Vec<_> = self
            .stretches
            .iter()
            .map(|stretch| {
                serde_json::json!({
                    "function": self.blocks.get(stretch.block as usize).map(|block| block.function),
                    "pc": stretch.pc, "instructions": stretch.instructions,
                    "waves": blocks.get(stretch.block as usize),
                    "lanes": lanes.get(stretch.counter as usize),
                })
            })
            .collect();
        let edges: Vec<_> = self.edges.iter().zip(ways).map(|((from, to), waves)| {
            serde_json::json!({ "from": pc(*from), "to": pc(*to), "waves": waves })
        }).collect();
        serde_json::json!({
            "kernel": kernel.name(), "object": kernel.object(), "launches": kernel.launches(),
            "functions": self.functions, "stretches": stretches, "edges": edges,
        })
    }
}

impl Tool for Hotspots {
    fn info(&self) -> ToolInfo<'_> {
        ToolInfo::new(&self.0).cached(Cache::Always)
    }

    fn instrument(&self, kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()> {
        // All blocks of a function are counted, because what goes along its edges follows from them.
        let functions = kernel.functions();
        let functions: Vec<_> = functions
            .filter(|function| function.blocks().any(|block| edit.chosen(&block) != 0))
            .collect();
        let mut kept = KernelData::new(&functions);
        let blocks: Vec<_> = functions.iter().flat_map(|at| at.blocks()).collect();
        let counters = edit.counters(blocks.len());
        let mut counted = Vec::new();
        for (index, block) in blocks.iter().enumerate() {
            let place = edit.before(&block.first()).for_others();
            place.count(counters.at(index), 1)?;
            let instructions: Vec<Instruction<'_>> = block.instructions().collect();
            for same in instructions.split_inclusive(|instruction| instruction.writes_exec()) {
                let before = kept.stretches.len();
                let runs = same.chunk_by(|a, b| edit.chooses(a) == edit.chooses(b));
                for run in runs.filter(|run| edit.chooses(&run[0])) {
                    kept.stretches.push(InstructionRun {
                        block: index as u32,
                        pc: run[0].pc(),
                        instructions: run.len() as u32,
                        counter: counted.len() as u32,
                    });
                }
                if kept.stretches.len() != before {
                    counted.push(same[0]);
                }
            }
        }
        kept.lane_counters = counted.len() as u32;
        let counters = edit.counters(counted.len());
        for (index, first) in counted.iter().enumerate() {
            let arguments = [Argument::Value(HookValue::Exec), counters.at(index).into()];
            let place = edit.before(first).for_others().once();
            place.call("lanes", arguments)?;
        }
        let counters = edit.counters(kept.counted_edges.len());
        for (index, edge) in kept.counted_edges.iter().enumerate() {
            let (from, to) = kept.edges[*edge as usize];
            let to = blocks[to as usize].index();
            let place = edit.edge(&blocks[from as usize], to).for_others();
            place.count(counters.at(index), 1)?;
        }
        edit.attach(kept)
    }

    fn finish(&self, results: &Results<'_>) -> Result<String> {
        let mut sections = Vec::new();
        for kernel in results.kernels() {
            let kept: KernelData = kernel.data()?;
            let (blocks, lanes, _) = kept.split(kernel.counters());
            let mut rows: Vec<(u64, u64, &InstructionRun)> = Vec::new();
            for stretch in &kept.stretches {
                let lanes = lanes.get(stretch.counter as usize).copied().unwrap_or(0);
                let waves = blocks.get(stretch.block as usize).copied().unwrap_or(0);
                rows.push((waves * u64::from(stretch.instructions), lanes, stretch));
            }
            let total: u64 = rows.iter().map(|row| row.0).sum();
            let head = format!("{}: {total} wave instructions", kernel.label());
            let ran = rows.into_iter().filter(|row| row.0 != 0);
            let rows = ran.map(|(heat, lanes, stretch)| {
                let waves = heat / u64::from(stretch.instructions.max(1));
                let text = format!(
                    "{:>6.1} %  {waves:>12} x {:>3}  {:>5.1} lanes  {:#x}",
                    heat as f64 * 100.0 / total.max(1) as f64,
                    stretch.instructions,
                    lanes as f64 / waves.max(1) as f64,
                    stretch.pc,
                );
                (heat as f64, text)
            });
            sections.push(Section::sorted(head, rows.collect()));
        }
        Ok(rows::most_important(&sections, results, self.0.name()))
    }

    fn finish_json(&self, results: &Results<'_>) -> Result<serde_json::Value> {
        let mut kernels = Vec::new();
        for kernel in results.kernels() {
            kernels.push(kernel.data::<KernelData>()?.json(kernel));
        }
        Ok(kernels.into())
    }
}
