//! The pages of old fat binaries, which are removed from a host file when the new ones go to its end.
//!
//! Addresses stay the same. The segment with the pages becomes two, with an unused gap in memory, and everything behind the pages moves
//! towards the start of the file. The first page of the first fat binary stays. It has room for the program headers, which are more now.
//! Its address fits their place in the file, as kernels before Linux 5.18 require.

use super::{PROGRAM_HEADER, WHAT, number, program_headers, row_of_segment};
use crate::Result;
use crate::bytes::{u16_at, u64_at};
use crate::elf::{Elf, Section, Segment};
use crate::replace::ALIGNMENT;
use object::elf;
use std::ops::Range;

const LOAD: u32 = elf::PT_LOAD.0;
/// In files that are not damaged, loaded parts end before this address. It keeps sums in range.
const LAST_ADDRESS: u64 = 1 << 47;

/// Pages that leave the file, and what comes of the rest.
pub(super) struct Cut {
    /// In the old file, in order.
    removed: Vec<Range<u64>>,
    /// The new place of the program headers. Nothing before it moves.
    table: u64,
    /// The start of the new segment, in the file and in memory.
    pub place: u64,
    pub address: u64,
    /// All program headers but that of the new segment.
    rows: Vec<[u8; PROGRAM_HEADER]>,
}

impl Cut {
    /// `None` if there are no whole pages, or something in the file is in the way. `fat`: in order.
    pub fn find(data: &[u8], host: &Elf<'_>, fat: &[&Section<'_>]) -> Result<Option<Cut>> {
        let Ok(old) = program_headers(data) else {
            return Ok(None);
        };
        let loads = || host.segments.iter().filter(|segment| segment.kind == LOAD);
        let steps = loads().map(|segment| segment.align.max(ALIGNMENT));
        let step = steps.max().unwrap_or(ALIGNMENT);
        if !step.is_power_of_two() || step > LAST_ADDRESS {
            return Ok(None);
        }
        // Each becomes one more, and there is a new one.
        let count = (old.len() + fat.len() + 1) as u64;
        let mut table = Some(count * PROGRAM_HEADER as u64);
        let removed: Vec<_> = fat
            .iter()
            .map(|section| {
                let start = section.file_offset + table.take().unwrap_or(0);
                let end = section.file_offset + section.data.len() as u64;
                pages(start..end, step)
            })
            .filter(|range| !range.is_empty())
            .collect();
        let (Some(first), Some(base)) = (fat.first(), loads().next().map(base_of)) else {
            return Ok(None);
        };
        let table = first.file_offset;
        let fits = removed.first().is_some_and(|range| range.start > table)
            && loads()
                .any(|segment| base_of(segment) == base && file_range(segment).contains(&table));
        let in_the_way = |range: &Range<u64>| {
            let others = host.sections.iter().filter(|section| {
                let is_fat = fat.iter().any(|fat| fat.index == section.index);
                !is_fat && !section.data.is_empty()
            });
            let mut sections = others.map(|section| {
                section.file_offset..section.file_offset + section.data.len() as u64
            });
            let mut segments = host.segments.iter().filter(|segment| {
                let own = file_range(segment);
                let around = own.start <= range.start && range.end <= own.end;
                overlap(&own, range) && (segment.kind != LOAD || !around)
            });
            sections.any(|section| overlap(&section, range)) || segments.next().is_some()
        };
        let apart = fat
            .windows(2)
            .all(|pair| pair[0].file_offset + pair[0].data.len() as u64 <= pair[1].file_offset);
        let ends = loads().map(|segment| segment.address.saturating_add(segment.memory_size));
        let end = ends.max().unwrap_or(0);
        if !fits || !apart || end > LAST_ADDRESS || removed.iter().any(in_the_way) {
            return Ok(None);
        }
        let address = end.next_multiple_of(step);
        let mut cut = Cut {
            removed,
            table,
            place: 0,
            address,
            rows: Vec::new(),
        };
        cut.place = cut.moved(data.len() as u64).next_multiple_of(ALIGNMENT);
        cut.rows = old.iter().flat_map(|row| cut.rows_of(row)).collect();
        Ok((cut.rows.len() < 0xfffe).then_some(cut))
    }

    /// The new place of the byte at an offset of the old file.
    pub fn moved(&self, offset: u64) -> u64 {
        let before = self.removed.iter().map(|range| {
            let end = range.end.min(offset);
            end.saturating_sub(range.start)
        });
        offset - before.sum::<u64>()
    }

    /// The program headers that replace one.
    fn rows_of(&self, row: &[u8; PROGRAM_HEADER]) -> Vec<[u8; PROGRAM_HEADER]> {
        let [kind, flags] = [0, 4].map(|at| u32_of(row, at));
        let [start, address, _, size, memory, align] =
            [8, 16, 24, 32, 40, 48].map(|at| number(row, at));
        let end = start.saturating_add(size);
        let inside: Vec<_> = (self.removed.iter())
            .filter(|range| kind == LOAD && overlap(range, &(start..end)))
            .collect();
        let mut at = start;
        let mut rows = Vec::new();
        let mut add = |from: u64, to: u64, zeros: u64| {
            let address = address.wrapping_add(from - start);
            let numbers = [
                self.moved(from),
                address,
                address,
                to - from,
                to - from + zeros,
                align,
            ];
            rows.push(row_of_segment(kind, flags, numbers));
        };
        for range in &inside {
            add(at, range.start, 0);
            at = range.end;
        }
        let zeros = memory.saturating_sub(size);
        if inside.is_empty() || at < end || zeros > 0 {
            add(at, end, zeros);
        }
        rows
    }

    /// The program headers with one for what lies from [`Cut::place`] to `end`, and where they go.
    pub fn table(&self, end: u64) -> (u64, Vec<[u8; PROGRAM_HEADER]>) {
        let size = end - self.place;
        let numbers = [
            self.place,
            self.address,
            self.address,
            size,
            size,
            ALIGNMENT,
        ];
        let new = row_of_segment(LOAD, elf::PF_R.0, numbers);
        let mut rows = self.rows.clone();
        let behind = rows.iter().rposition(|row| u32_of(row, 0) == LOAD);
        // Segments have to be in the order of their addresses.
        rows.insert(behind.map_or(rows.len(), |last| last + 1), new);
        let base = self
            .rows
            .iter()
            .find(|row| u32_of(row.as_slice(), 0) == LOAD);
        let base = base.map_or(0, |row| number(row, 16).wrapping_sub(number(row, 8)));
        let size = (rows.len() * PROGRAM_HEADER) as u64;
        for row in rows
            .iter_mut()
            .filter(|row| u32_of(row.as_slice(), 0) == elf::PT_PHDR.0)
        {
            let address = base.wrapping_add(self.table);
            *row = row_of_segment(
                elf::PT_PHDR.0,
                elf::PF_R.0,
                [self.table, address, address, size, size, 8],
            );
        }
        (self.table, rows)
    }

    /// Where section headers say that contents are: places in the new file, and what to write there.
    pub fn section_offsets(&self, data: &[u8]) -> Result<Vec<(u64, u64)>> {
        let table = u64_at(data, 40, WHAT)?;
        let count = u64::from(u16_at(data, 60, WHAT)?);
        let offsets = (0..count).map(|index| {
            let at = table + index * super::SECTION_HEADER + 24;
            Ok((
                self.moved(at),
                self.moved(u64_at(data, at, "section header")?),
            ))
        });
        offsets.chain([Ok((40, self.moved(table)))]).collect()
    }
}

/// The whole pages of a range that can be taken out without a change of what lies behind, modulo `step`.
fn pages(range: Range<u64>, step: u64) -> Range<u64> {
    let start = range.start.next_multiple_of(ALIGNMENT);
    let end = range.end / ALIGNMENT * ALIGNMENT;
    start..start + end.saturating_sub(start) / step * step
}

fn overlap(one: &Range<u64>, other: &Range<u64>) -> bool {
    one.start < other.end && other.start < one.end
}

fn file_range(segment: &Segment<'_>) -> Range<u64> {
    segment.file_offset
        ..segment
            .file_offset
            .saturating_add(segment.data.len() as u64)
}

/// The address of the file's first byte, as far as this segment is concerned.
fn base_of(segment: &Segment<'_>) -> u64 {
    segment.address.wrapping_sub(segment.file_offset)
}

fn u32_of(row: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([row[at], row[at + 1], row[at + 2], row[at + 3]])
}
