//! Code objects in a host program's data, without a bundle around them: GCC's offload compilers write them as arrays of bytes, of
//! which nothing but their contents says what they are.

use crate::bytes::{slice, u16_at, u32_at, u64_at};
use crate::elf::{CodeObject, Elf};
use crate::{Error, Result};
use memchr::memmem;
use object::elf;

/// The first bytes of such a file: magic number, 64 bits, little-endian, version 1.
const START: &[u8] = b"\x7fELF\x02\x01\x01";
const HEADER: u64 = 64;
const WHAT: &str = "embedded code object";

/// A part of a host file where they may be.
pub(crate) struct Part<'a> {
    pub name: String,
    pub file_offset: u64,
    pub data: &'a [u8],
}

/// Data that is loaded with the program; by segments where the section headers are stripped.
pub(crate) fn parts<'a>(host: &Elf<'a>) -> Vec<Part<'a>> {
    if host.sections.is_empty() {
        let data = |kind, flags| kind == elf::PT_LOAD.0 && flags & elf::PF_X.0 == 0;
        let segments = host.segments.iter().enumerate();
        return segments
            .filter(|(_, segment)| data(segment.kind, segment.flags))
            .map(|(index, segment)| Part {
                name: format!("segment {index}"),
                file_offset: segment.file_offset,
                data: segment.data,
            })
            .collect();
    }
    let sections = host.sections.iter();
    sections
        .filter(|section| section.kind == elf::SHT_PROGBITS.0)
        .filter(|section| section.is_allocated() && !section.is_code())
        .map(|section| Part {
            name: section.name.to_owned(),
            file_offset: section.file_offset,
            data: section.data,
        })
        .collect()
}

/// Start and length of each code object in `data`, in order.
///
/// Rows of their tables are looked at no more often than `data` has room for: bytes that pretend to be thousands of files with one
/// large table end in an error.
pub(crate) fn find(data: &[u8]) -> impl Iterator<Item = Result<(u64, u64)>> {
    let finder = memmem::Finder::new(START);
    let mut at = 0;
    let mut rows = data.len() as u64 / ROW;
    std::iter::from_fn(move || {
        while let Some(found) = finder.find(data.get(at..)?) {
            let start = at + found;
            match length(&data[start..], &mut rows) {
                Some(length) => {
                    at = start + length as usize;
                    return Some(Ok((start as u64, length)));
                }
                None if rows == 0 => {
                    at = data.len();
                    let reason = "too much data before it looks like one but is none";
                    return Some(Err(Error::Malformed {
                        what: WHAT,
                        offset: start as u64,
                        reason,
                    }));
                }
                None => at = start + 1,
            }
        }
        None
    })
}

/// Returns `true` if there is one in `data`.
pub(crate) fn has_any(data: &[u8]) -> bool {
    find(data).any(|found| found.is_ok())
}

/// The smaller of a program header and a section header.
const ROW: u64 = 56;

/// Length of the code object that `data` begins with; None if it begins with none, or if `rows` are used up.
fn length(data: &[u8], rows: &mut u64) -> Option<u64> {
    let half = |offset| u16_at(data, offset, WHAT).ok();
    let word = |offset| u64_at(data, offset, WHAT).ok();
    let is_one = CodeObject::is_code_object(data)
        && [elf::ET_REL.0, elf::ET_EXEC.0, elf::ET_DYN.0].contains(&half(16)?)
        && u32_at(data, 20, WHAT).ok()? == 1
        && u64::from(half(52)?) == HEADER;
    let mut end = HEADER;
    // Place and rows of a table, bytes of a row, and which words of a row say where something lies in the file, and how large it is.
    // The kind of a section without contents has a size that is not the file's.
    let segments = (word(32)?, half(56)?, half(54)?, ROW, 8, 32);
    let sections = (word(40)?, half(60)?, half(58)?, 64, 24, 32);
    if !is_one || segments.1 == 0 && sections.1 == 0 {
        return None;
    }
    for (place, count, row_size, expected, offset, size) in [segments, sections] {
        if count == 0 {
            continue;
        }
        if u64::from(row_size) != expected || place < HEADER {
            return None;
        }
        let table = slice(data, place, u64::from(count) * expected, WHAT).ok()?;
        end = end.max(place + table.len() as u64);
        for row in table.chunks_exact(expected as usize) {
            *rows = rows.checked_sub(1)?;
            let kind = u32_at(row, 4, WHAT).ok()?;
            if expected == 64 && (kind == elf::SHT_NOBITS.0 || kind == elf::SHT_NULL.0) {
                continue;
            }
            let (offset, size) = (
                u64_at(row, offset, WHAT).ok()?,
                u64_at(row, size, WHAT).ok()?,
            );
            slice(data, offset, size, WHAT).ok()?;
            end = end.max(offset + size);
        }
    }
    Some(end)
}
