//! Code of an object, as findings name it.

use crate::Place;
use codeobj::{CodeObject, SourceFrame, SourceLines};
use isa::Decoder;
use lift::{Function, InstIndex, Module};

/// The code of an object, and its lines.
pub struct Code<'m> {
    pub module: &'m Module,
    lines: Option<SourceLines>,
}

impl<'m> Code<'m> {
    pub fn new(object: &CodeObject<'_>, module: &'m Module) -> Code<'m> {
        // Damaged line tables cost the lines, not the finding.
        let lines = SourceLines::read(object).ok().flatten();
        Code { module, lines }
    }

    /// The function and the instruction at an address.
    pub fn find(&self, pc: u64) -> Option<(&'m Function, InstIndex)> {
        let mut functions = self.module.functions.iter();
        functions.find_map(|function| Some((function, function.inst_at(pc)?)))
    }

    fn frames(&self, pc: u64) -> Vec<SourceFrame> {
        let lines = self.lines.as_ref();
        lines
            .and_then(|lines| lines.frames(pc).ok())
            .unwrap_or_default()
    }

    /// Returns `true` if two instructions are of one place in the source, with the same calls inlined. A column that the debug
    /// information does not have may be any.
    pub fn is_one_place(&self, a: u64, b: u64) -> bool {
        let (a, b) = (self.frames(a), self.frames(b));
        let same = |a: &SourceFrame, b: &SourceFrame| {
            let columns = a.column.zip(b.column);
            (&a.file, a.line) == (&b.file, b.line) && columns.is_none_or(|(a, b)| a == b)
        };
        let is_known = |frame: &SourceFrame| frame.file.is_some() && frame.line.is_some();
        a.iter().any(is_known) && a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| same(a, b))
    }

    /// Files and lines of an address, of the innermost function first.
    pub fn source(&self, pc: u64) -> Vec<String> {
        let frames = self.frames(pc).into_iter();
        frames
            .filter_map(|frame| Some(format!("{}:{}", frame.file?, frame.line?)))
            .collect()
    }

    /// The place as reports show it.
    pub fn place(&self, pc: u64) -> Option<Place> {
        let (function, inst) = self.find(pc)?;
        let decoder = Decoder::with_features(self.module.target, function.wave_size, "").ok()?;
        Some(Place {
            offset: pc - function.entry,
            address: pc,
            text: decoder.print(&function.insts.at(inst)),
            source: self.source(pc),
        })
    }

    /// The place as fingerprints have it: the line, or else the offset.
    pub fn stable(&self, pc: u64) -> String {
        match (self.source(pc).first(), self.find(pc)) {
            (Some(source), _) => source.rsplit('/').next().unwrap_or(source).to_owned(),
            (None, Some((function, _))) => format!("+{:#x}", pc - function.entry),
            (None, None) => format!("{pc:#x}"),
        }
    }
}
