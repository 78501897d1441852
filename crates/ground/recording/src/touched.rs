//! Finds the pages of this process that hold anything.

use std::{fs::File, io, os::unix::fs::FileExt};

use crate::PAGE;

/// Pages asked about at once.
const CHUNK: u64 = 1 << 16;
/// Bits of an entry of `pagemap`: in memory, or swapped out. Source: the kernel's documentation of pagemap.
const BACKED: u64 = 0b11 << 62;

/// Addresses of the pages in `start..end`, both multiples of a page, that were ever written or read. The others are zero if the
/// memory is anonymous.
pub fn touched(start: u64, end: u64) -> io::Result<Vec<u64>> {
    let pagemap = File::open("/proc/self/pagemap")?;
    let mut pages = Vec::new();
    let mut at = start;
    while at < end {
        let count = CHUNK.min((end - at) / PAGE);
        let mut entries = vec![0; count as usize * 8];
        pagemap.read_exact_at(&mut entries, at / PAGE * 8)?;
        let backed = entries
            .as_chunks::<8>()
            .0
            .iter()
            .zip((at..).step_by(PAGE as usize));
        let backed = backed.filter(|(entry, _)| u64::from_le_bytes(**entry) & BACKED != 0);
        pages.extend(backed.map(|(_, address)| address));
        at += count * PAGE;
    }
    Ok(pages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_in_use_are_named() {
        let memory = vec![0u8; 64 << 20];
        let start = (memory.as_ptr() as u64).next_multiple_of(PAGE);
        let end = start + (32 << 20);
        let before = touched(start, end).unwrap().len();
        let mut memory = memory;
        let offset = start as usize + (20 << 20) - memory.as_ptr() as usize;
        memory[offset] = 1;
        let after = touched(start, end).unwrap();
        assert!(after.contains(&(start + (20 << 20))));
        assert!(before < 64 && after.len() > before && after.len() < 4096);
    }
}
