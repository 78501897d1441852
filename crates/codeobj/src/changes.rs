//! Addresses at which what debug information says of code may change.
//!
//! Between two of them every address has the same frames, so that one question serves all instructions there.

use gimli::{Dwarf, Reader};
use std::ops::Range;

/// Ascending.
pub(crate) struct Changes(Vec<u64>);

impl Changes {
    /// Rows of line tables, and ends of whatever has a range of addresses: units, functions, inlined calls.
    pub fn of<R: Reader>(dwarf: &Dwarf<R>) -> gimli::Result<Changes> {
        let mut all = Vec::new();
        let mut headers = dwarf.debug_aranges.headers();
        while let Some(header) = headers.next()? {
            let mut entries = header.entries();
            while let Some(entry) = entries.next()? {
                all.extend([entry.range().begin, entry.range().end]);
            }
        }
        let mut units = dwarf.units();
        while let Some(header) = units.next()? {
            let unit = dwarf.unit(header)?;
            if let Some(program) = unit.line_program.clone() {
                let mut rows = program.rows();
                while let Some((_, row)) = rows.next_row()? {
                    all.push(row.address());
                }
            }
            let mut entries = unit.entries();
            while let Some(entry) = entries.next_dfs()? {
                let mut ranges = dwarf.die_ranges(&unit, entry)?;
                while let Some(range) = ranges.next()? {
                    all.extend([range.begin, range.end]);
                }
            }
        }
        all.sort_unstable();
        all.dedup();
        Ok(Changes(all))
    }

    /// The addresses around one at which nothing changes.
    pub fn around(&self, address: u64) -> Range<u64> {
        let next = self.0.partition_point(|change| *change <= address);
        let start = next.checked_sub(1).map_or(0, |before| self.0[before]);
        start..self.0.get(next).copied().unwrap_or(u64::MAX)
    }
}
