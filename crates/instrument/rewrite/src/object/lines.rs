//! Source lines of rewritten kernels.

use crate::Rewritten;
use codeobj::edit::{CodeLines, LineRow, LineUnit};
use codeobj::{CodeObject, Moved, SourceLines};
use std::{borrow::Cow, cell::OnceCell};

impl Rewritten {
    /// Finds the lines of the new text, as far as the original tells; inserted code has the line of the place it is at. For
    /// who has the line tables at hand: else [`crate::static_object`] and [`crate::live_object`] read them.
    pub fn find_lines(&mut self, source: &SourceLines) {
        self.lines = Some(lines(self, source));
    }

    /// Prepares what [`crate::static_object`] needs of the lines that were found, for that is the same wherever the code goes.
    pub fn encode_lines(&mut self) {
        let rows = self.lines.take();
        self.unit = rows.map(|rows| unit(self, &rows));
    }
}

fn lines(kernel: &Rewritten, source: &SourceLines) -> Vec<LineRow> {
    source.moved(kernel.pcs.iter().map(|run| Moved {
        offset: run.new,
        pc: run.old,
        length: run.length,
    }))
}

fn unit(kernel: &Rewritten, rows: &[LineRow]) -> LineUnit {
    LineUnit::encode(&CodeLines {
        size: kernel.text.len() as u64,
        rows,
        functions: &functions(kernel),
    })
}

/// The original's line tables, read when they are first needed.
pub(super) struct OriginalLines<'o, 'b> {
    original: &'o CodeObject<'b>,
    tables: OnceCell<Option<SourceLines>>,
}

impl<'o, 'b> OriginalLines<'o, 'b> {
    pub fn new(original: &'o CodeObject<'b>) -> OriginalLines<'o, 'b> {
        OriginalLines {
            original,
            tables: OnceCell::new(),
        }
    }

    pub fn lines<'k>(&self, kernel: &'k Rewritten) -> Cow<'k, [LineRow]> {
        if let Some(lines) = &kernel.lines {
            return Cow::Borrowed(lines);
        }
        // Damaged line tables cost the lines, not the result.
        let read = || SourceLines::read(self.original).ok().flatten();
        let tables = self.tables.get_or_init(read).as_ref();
        tables
            .map(|source| lines(kernel, source))
            .unwrap_or_default()
            .into()
    }
}

impl OriginalLines<'_, '_> {
    pub fn unit<'k>(&self, kernel: &'k Rewritten) -> Cow<'k, LineUnit> {
        match &kernel.unit {
            Some(unit) => Cow::Borrowed(unit),
            None => Cow::Owned(unit(kernel, &self.lines(kernel))),
        }
    }
}

/// Name, offset and bytes of the new functions.
pub(super) fn functions(kernel: &Rewritten) -> Vec<(&str, u64, u64)> {
    let functions = kernel.functions.iter();
    functions
        .map(|function| (&*function.name, function.offset, function.size))
        .collect()
}
