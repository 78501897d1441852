//! LLVM offload binaries (`0x10ff10ad`): what `.llvm.offloading` sections hold since clang's new offloading driver.

use crate::Error;
use crate::Result;
use crate::bytes::{slice, string, u32_at, u64_at};

pub(super) const MAGIC: [u8; 4] = [0x10, 0xff, 0x10, 0xad];

/// One device image.
pub(super) struct Image<'a> {
    /// Triple and target id from the string table.
    pub id: String,
    /// From the start of the first binary.
    pub offset: u64,
    pub bytes: &'a [u8],
}

/// All images of the binaries one after the other at the start of `data`.
pub(super) fn images(data: &[u8]) -> Result<Vec<Image<'_>>> {
    let what = "offload binary";
    let mut images = Vec::new();
    let mut base = 0u64;
    while let Ok(MAGIC) =
        slice(data, base, 4, what).map(|magic| magic.try_into().unwrap_or_default())
    {
        let version = u32_at(data, base + 4, what)?;
        let size = u64_at(data, base + 8, what)?;
        let binary = slice(data, base, size, what)?;
        let damaged = |offset, reason| Error::Malformed {
            what,
            offset,
            reason,
        };
        // Version 1 has one entry; version 2 replaces the entry's size by the number of entries.
        let (first, count) = match version {
            1 => (u64_at(binary, 16, what)?, 1),
            2 => (u64_at(binary, 16, what)?, u64_at(binary, 24, what)?),
            _ => return Err(damaged(base + 4, "its version is unknown (known: 1 and 2)")),
        };
        if size < 32 || count > size / ENTRY_SIZE {
            return Err(damaged(base, "its sizes contradict each other"));
        }
        for index in 0..count {
            let at = first
                .checked_add(index * ENTRY_SIZE)
                .ok_or_else(|| damaged(base + 16, "it wraps around"))?;
            let image = image(binary, at)?;
            images.push(Image {
                offset: base + image.offset,
                ..image
            });
        }
        base = (base + size).next_multiple_of(8);
    }
    Ok(images)
}

/// u16 image kind, u16 offload kind, u32 flags, then offsets: strings, number of strings, image, image size.
const ENTRY_SIZE: u64 = 40;

fn image(binary: &[u8], at: u64) -> Result<Image<'_>> {
    let what = "offload image";
    slice(binary, at, ENTRY_SIZE, what)?;
    let strings = u64_at(binary, at + 8, what)?;
    let count = u64_at(binary, at + 16, what)?;
    let offset = u64_at(binary, at + 24, what)?;
    let bytes = slice(binary, offset, u64_at(binary, at + 32, what)?, what)?;
    let (mut triple, mut arch) = ("", "");
    for index in 0..count.min(binary.len() as u64 / 16) {
        let Some(row) = strings.checked_add(16 * index) else {
            break;
        };
        let key = string(binary, u64_at(binary, row, what)?, 0, what)?;
        let value = string(binary, u64_at(binary, row + 8, what)?, 0, what)?;
        match key {
            "triple" => triple = value,
            "arch" => arch = value,
            _ => {}
        }
    }
    Ok(Image {
        id: format!("{triple}--{arch}"),
        offset,
        bytes,
    })
}
