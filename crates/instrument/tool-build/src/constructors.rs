//! Constructors of a tool's library, hidden from the loader.
//!
//! The loader runs constructors while it holds its lock. One that never comes back would stop every other thread that loads
//! something, and the end of the process, which takes the lock too. The entries of the dynamic section for constructors and
//! destructors therefore get tags that no loader knows. `tool-capi` looks for them when the library is loaded, and calls the
//! constructors where it can wait for them.

use std::ops::Range;

/// Added to tags: into the range that is left to operating systems, where none has anything.
pub const HIDDEN: u64 = 0x6000_1000;
/// `DT_INIT_ARRAY`, `DT_FINI_ARRAY` and their sizes.
const TAGS: Range<u64> = 25..29;

const PROGRAM_HEADERS: usize = 32;
const PROGRAM_HEADER_COUNT: usize = 56;
const PROGRAM_HEADER_SIZE: usize = 56;
const DYNAMIC: u32 = 2;

/// Changes the tags in a 64-bit little-endian ELF file; anything else stays as it is.
pub fn hide(library: &mut [u8]) {
    let Some(dynamic) = dynamic(library) else {
        return;
    };
    let Some(entries) = library.get_mut(dynamic) else {
        return;
    };
    for entry in entries.chunks_exact_mut(16) {
        let (tag, _) = entry.split_at_mut(8);
        let known = u64::from_le_bytes([
            tag[0], tag[1], tag[2], tag[3], tag[4], tag[5], tag[6], tag[7],
        ]);
        if TAGS.contains(&known) {
            tag.copy_from_slice(&(known + HIDDEN).to_le_bytes());
        }
    }
}

/// The position of the dynamic section in the file.
fn dynamic(library: &[u8]) -> Option<Range<usize>> {
    let word = |at: usize| {
        Some(u64::from_le_bytes(
            library.get(at..at + 8)?.try_into().ok()?,
        ))
    };
    let first = usize::try_from(word(PROGRAM_HEADERS)?).ok()?;
    let count = usize::from(word(PROGRAM_HEADER_COUNT)? as u16);
    let headers = (0..count).map(|index| first + index * PROGRAM_HEADER_SIZE);
    let mut headers = headers.filter(|&at| word(at).map(|word| word as u32) == Some(DYNAMIC));
    let header = headers.next()?;
    let start = usize::try_from(word(header + 8)?).ok()?;
    let size = usize::try_from(word(header + 32)?).ok()?;
    Some(start..start.checked_add(size)?)
}
