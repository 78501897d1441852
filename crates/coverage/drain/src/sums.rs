//! Counts that lanes gathered in registers, and added to a function's table when they ended.
//!
//! Code that was compiled with `coverage-pass` adds nothing to LLVM's counters. For each function a note in the section
//! `luthier_prf_notes` says where its table is, and what the counters are in terms of it (`coverage-pass/shim/notes.cpp` writes them).

use crate::{
    locate::{SECTION_LIMIT, Span},
    runtime::RuntimeError,
};

/// Fixed part of a note in bytes.
const HEADER: usize = 32;
/// Bits of a mask that share rows of the table.
const GROUP: u32 = 8;

/// One function's note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The table of 64-bit words.
    pub table: Span,
    /// Words of a row.
    columns: usize,
    /// Rows that are sums; rows for combinations of bits follow.
    sums: usize,
    bits: u32,
    /// Address of a counter, and its factors: for every lane, each bit, each sum.
    counters: Vec<(u64, Vec<u32>)>,
}

/// Reads the notes of a section that was loaded at an address. A damaged one hides those behind it; the text says where.
pub fn parse(section: &[u8], address: u64) -> (Vec<Note>, Option<String>) {
    let mut notes = Vec::new();
    let mut at = 0;
    while at < section.len() {
        let here = address.wrapping_add(at as u64);
        let Some((note, size)) = section.get(at..).and_then(|bytes| one(bytes, here)) else {
            let problem = format!(
                "the note at {here:#x} about counts of waves is damaged, or from another release; its counts are lost"
            );
            return (notes, Some(problem));
        };
        notes.push(note);
        at += size;
    }
    (notes, None)
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn wide(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

fn one(bytes: &[u8], address: u64) -> Option<(Note, usize)> {
    let size = word(bytes, 4)? as usize;
    let [columns, counters, sums, bits] = [
        word(bytes, 16)?,
        word(bytes, 20)?,
        word(bytes, 24)?,
        word(bytes, 28)?,
    ];
    let factors = 1usize
        .checked_add(bits as usize)?
        .checked_add(sums as usize)?;
    let entry = 8usize.checked_add(factors.next_multiple_of(2).checked_mul(4)?)?;
    let expected = entry.checked_mul(counters as usize)?.checked_add(HEADER)?;
    if word(bytes, 0)? != 1 || size != expected || size > bytes.len() || columns == 0 {
        return None;
    }
    let rows = u64::from(sums) + groups(bits).map(|bits| 1 << bits).sum::<u64>();
    let table = Span {
        address: address.wrapping_add(wide(bytes, 8)?),
        size: rows.checked_mul(u64::from(columns) * 8)?,
    };
    if table.size > SECTION_LIMIT {
        return None;
    }
    let counters = bytes[HEADER..size].chunks_exact(entry).map(|entry| {
        let values = (0..factors).map(|factor| word(entry, 8 + 4 * factor));
        Some((
            address.wrapping_add(wide(entry, 0)?),
            values.collect::<Option<_>>()?,
        ))
    });
    let note = Note {
        table,
        columns: columns as usize,
        sums: sums as usize,
        bits,
        counters: counters.collect::<Option<_>>()?,
    };
    Some((note, size))
}

/// How many bits each group has; without bits, one group of none counts the lanes.
fn groups(bits: u32) -> impl Iterator<Item = u32> {
    let count = bits.div_ceil(GROUP).max(1);
    (0..count).map(move |group| (bits - group * GROUP).min(GROUP))
}

impl Note {
    /// The counts in the table's bytes, in the order of the factors.
    fn measured(&self, table: &[u8]) -> Vec<u64> {
        let mut rows = table.chunks_exact(self.columns * 8).map(|row| {
            let words = row.chunks_exact(8).filter_map(|bytes| wide(bytes, 0));
            words.fold(0u64, u64::wrapping_add)
        });
        let sums: Vec<u64> = rows.by_ref().take(self.sums).collect();
        let mut lanes = 0u64;
        let mut measured = vec![0];
        for (group, bits) in groups(self.bits).enumerate() {
            let mut set = vec![0u64; bits as usize];
            for combination in 0..1usize << bits {
                let count = rows.next().unwrap_or(0);
                if group == 0 {
                    lanes = lanes.wrapping_add(count);
                }
                for (bit, total) in set.iter_mut().enumerate() {
                    if combination >> bit & 1 == 1 {
                        *total = total.wrapping_add(count);
                    }
                }
            }
            measured.extend(set);
        }
        measured[0] = lanes;
        measured.extend(sums);
        measured
    }

    /// Adds what was counted to the counters that lie in `counters`, the section at `span`.
    fn add(&self, table: &[u8], span: Span, counters: &mut [u8]) {
        let measured = self.measured(table);
        for (address, factors) in &self.counters {
            let at = address.wrapping_sub(span.address);
            let place = usize::try_from(at)
                .ok()
                .and_then(|at| counters.get_mut(at..at.checked_add(8)?));
            let Some(place) = place else { continue };
            let more = factors
                .iter()
                .zip(&measured)
                .fold(0u64, |sum, (&factor, &count)| {
                    sum.wrapping_add(u64::from(factor).wrapping_mul(count))
                });
            if let Some(old) = wide(place, 0) {
                place.copy_from_slice(&old.wrapping_add(more).to_le_bytes());
            }
        }
    }
}

/// Adds the contents of the tables to the counters at `span`. A table that could not be read is reported, and loses only its own counts.
pub fn complete(
    notes: &[Note],
    span: Span,
    counters: &mut [u8],
    read: impl Fn(Span) -> Result<Vec<u8>, RuntimeError>,
) -> Result<Vec<String>, RuntimeError> {
    let mut problems = Vec::new();
    for note in notes {
        match read(note.table) {
            Ok(table) => note.add(&table, span, counters),
            Err(RuntimeError::NotRunning) => return Err(RuntimeError::NotRunning),
            Err(error) => problems.push(format!("the counts of waves cannot be read: {error}")),
        }
    }
    Ok(problems)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nine bits (two groups) and a sum; two counters.
    fn note() -> Vec<u8> {
        let words = |words: &[u32]| -> Vec<u8> {
            words.iter().flat_map(|word| word.to_le_bytes()).collect()
        };
        let mut bytes = words(&[1, 32 + 2 * (8 + 48)]);
        bytes.extend(0x100u64.to_le_bytes());
        bytes.extend(words(&[2, 2, 1, 9]));
        bytes.extend((-8i64).to_le_bytes());
        bytes.extend(words(&[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
        bytes.extend(0i64.to_le_bytes());
        bytes.extend(words(&[0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 3, 0]));
        bytes
    }

    #[test]
    fn counters_are_made_of_lanes_bits_and_sums() {
        let (notes, problem) = parse(&note(), 0x1000);
        assert_eq!((notes.len(), problem), (1, None));
        assert_eq!(
            notes[0].table,
            Span {
                address: 0x1100,
                size: (1 + 256 + 2) * 16
            }
        );
        // Two columns: the sum is 5 + 6; 7 lanes have bits 0 and 1, 2 have none; 4 have bit 8.
        let mut table = vec![0u64; (1 + 256 + 2) * 2];
        table[0] = 5;
        table[1] = 6;
        table[2 * (1 + 3)] = 7;
        table[2 + 1] = 2;
        table[2 * (1 + 256)] = 5;
        table[2 * (1 + 256 + 1)] = 4;
        let bytes: Vec<u8> = table.iter().flat_map(|word| word.to_le_bytes()).collect();
        let span = Span {
            address: 0xff8,
            size: 16,
        };
        let mut counters = [100u64.to_le_bytes(), 1000u64.to_le_bytes()].concat();
        let said = complete(&notes, span, &mut counters, |_| Ok(bytes.clone())).unwrap();
        assert!(said.is_empty());
        assert_eq!(wide(&counters, 0), Some(100 + 9));
        assert_eq!(wide(&counters, 8), Some(1000 + 7 + 2 * 4 + 3 * 11));
    }

    #[test]
    fn damaged_notes_are_told_of() {
        let good = note();
        for at in [0, 4, 16, 20, 24, 28] {
            let mut bytes = good.clone();
            bytes[at + 1] ^= 0x55;
            let (notes, problem) = parse(&bytes, 0);
            assert!(
                notes.is_empty() && problem.is_some() || at == 16,
                "{at}: {notes:?}"
            );
        }
        for size in 1..good.len() {
            assert!(parse(&good[..size], 0).1.is_some(), "{size}");
        }
        let two = [good.clone(), good].concat();
        assert_eq!(parse(&two, 0).0.len(), 2);
    }
}
