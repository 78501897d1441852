//! A kernel as rules see it.

use crate::model::{Code, KernelRow, Metric};
use inspect::What;
use isa::{Effects, Traits};

pub(super) struct View<'a> {
    pub code: &'a Code,
    /// Executed wave instructions of the kernel; 0 if no tool counted.
    pub total: u64,
    /// Lanes of a wave.
    pub wave_size: u64,
}

impl<'a> View<'a> {
    pub fn new(row: &'a KernelRow, code: &'a Code) -> View<'a> {
        View {
            code,
            total: code.waves.iter().flatten().sum(),
            wave_size: u64::from(row.wave_size.unwrap_or(64)),
        }
    }

    pub fn mnemonic(&self, at: usize) -> &'a str {
        let text = self.code.text[at].as_str();
        text.split(' ').next().unwrap_or_default()
    }

    /// The kind of an instruction; none if the bytes are none of the target.
    pub fn what(&self, at: usize) -> Option<What> {
        self.code.what.get(at).copied().flatten()
    }

    /// Returns `true` if an instruction does any of these.
    pub fn does(&self, at: usize, effects: Effects) -> bool {
        self.what(at)
            .is_some_and(|what| what.effects.intersects(effects))
    }

    /// Returns `true` if any of these holds of an instruction.
    pub fn is_of(&self, at: usize, traits: Traits) -> bool {
        self.what(at).is_some_and(|what| what.op.has(traits))
    }

    /// Returns `true` if an instruction loads from vector memory or LDS to vector registers. Loads to LDS store there.
    pub fn loads(&self, at: usize) -> bool {
        let memory = self.does(at, Effects::VMEM | Effects::LDS);
        memory && self.does(at, Effects::LOAD) && !self.does(at, Effects::STORE)
    }

    /// Operands as they are printed.
    pub fn operands(&self, at: usize) -> impl Iterator<Item = &'a str> + use<'a> {
        let text = self.code.text[at].as_str();
        let operands = text.split_once(' ').map_or("", |(_, rest)| rest);
        operands.split(',').map(str::trim)
    }

    /// Waves that executed an instruction; 0 if no tool counted.
    pub fn executed(&self, at: usize) -> u64 {
        self.code.waves[at].unwrap_or(0)
    }

    /// Lanes that were on, on average; all of a wave's if no tool counted.
    pub fn lanes(&self, at: usize) -> f64 {
        match (self.code.waves[at], self.code.lanes[at]) {
            (Some(waves), Some(lanes)) if waves > 0 => lanes as f64 / waves as f64,
            _ => self.wave_size as f64,
        }
    }

    /// Returns `true` if a tool counted executions.
    pub fn is_counted(&self) -> bool {
        self.total > 0
    }

    pub fn share(&self, weight: u64) -> Option<f64> {
        self.is_counted().then(|| weight as f64 / self.total as f64)
    }

    /// Innermost source line.
    pub fn source(&self, at: usize) -> Option<String> {
        let places = &self.code.places[self.code.place[at] as usize];
        let frame = places.first()?;
        Some(format!("{}:{}", frame.file, frame.line))
    }

    /// A tool's counts by instruction: position and the counters with these names.
    pub fn counters<const N: usize>(&self, tool: &str, names: [&str; N]) -> Vec<(usize, [u64; N])> {
        let known = |metric: &&Metric| metric.tool == tool;
        let mut all = Vec::new();
        for metric in self.code.metrics.iter().filter(known) {
            let column = |name: &&str| metric.names.iter().position(|known| known == name);
            let columns: Vec<_> = names.iter().filter_map(column).collect();
            let Ok(columns) = <[usize; N]>::try_from(columns) else {
                continue;
            };
            for (at, values) in metric.at.iter().zip(&metric.values) {
                all.push((*at as usize, columns.map(|column| values[column])));
            }
        }
        all
    }

    /// Instructions of each block, first and behind the last.
    pub fn blocks(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        let blocks = self.code.blocks.iter();
        blocks.map(|block| block.first as usize..block.end as usize)
    }
}
