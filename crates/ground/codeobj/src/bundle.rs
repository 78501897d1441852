//! Uncompressed offload bundles: `__CLANG_OFFLOAD_BUNDLE__`, a table of entries, and their bytes.

use crate::bytes::{slice, u64_at};
use crate::{Error, Result};

/// The first bytes of a bundle.
pub const MAGIC: &[u8; 24] = b"__CLANG_OFFLOAD_BUNDLE__";
/// Smallest table row: three numbers and an empty id.
const MIN_ROW: u64 = 24;

/// One entry of a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BundleEntry<'a> {
    /// Kind, triple and target id, e.g. `hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-`; `host-...` entries are mostly empty.
    pub id: &'a str,
    /// Offset of the bytes from the start of the bundle.
    pub offset: u64,
    /// Its contents.
    pub bytes: &'a [u8],
}

/// One bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle<'a> {
    /// In the order of the bundle's table.
    pub entries: Vec<BundleEntry<'a>>,
    /// Bytes from the bundle's start to the end of its last entry.
    pub size: u64,
}

impl<'a> Bundle<'a> {
    /// Reads the bundle at the start of `data`; what follows its last entry is left alone.
    pub fn parse(data: &'a [u8]) -> Result<Bundle<'a>> {
        let what = "offload bundle";
        if !data.starts_with(MAGIC) {
            return Err(Error::Malformed {
                what,
                offset: 0,
                reason: "its magic number is missing",
            });
        }
        let count = u64_at(data, 24, what)?;
        let mut at = 32u64;
        if count > data.len() as u64 / MIN_ROW {
            return Err(Error::Malformed {
                what,
                offset: 24,
                reason: "it claims more entries than could fit",
            });
        }
        let mut entries = Vec::with_capacity(count as usize);
        let mut size = at;
        for _ in 0..count {
            let offset = u64_at(data, at, "bundle entry")?;
            let length = u64_at(data, at + 8, "bundle entry")?;
            let id_length = u64_at(data, at + 16, "bundle entry")?;
            let id = slice(data, at + 24, id_length, "bundle entry id")?;
            let id = std::str::from_utf8(id).map_err(|_| Error::Malformed {
                what: "bundle entry id",
                offset: at + 24,
                reason: "it is not UTF-8",
            })?;
            at += MIN_ROW + id_length;
            let bytes = slice(data, offset, length, "bundle entry's code")?;
            size = size
                .max(at)
                .max(if length == 0 { at } else { offset + length });
            // Nothing is anywhere: only entries with bytes have a place that counts.
            let offset = if length == 0 { at } else { offset };
            entries.push(BundleEntry { id, offset, bytes });
        }
        Ok(Bundle { entries, size })
    }
}

/// The places of the entries of a bundle that is written piece by piece.
#[derive(Clone, Debug)]
pub struct Layout<'a> {
    ids: Vec<&'a str>,
    align: u64,
    /// Offset and size of those that have a place.
    placed: Vec<(u64, u64)>,
    end: u64,
}

impl<'a> Layout<'a> {
    /// Every entry starts at a multiple of `align`, as the loader maps it in place (clang uses 4096).
    pub fn new(ids: impl Iterator<Item = &'a str>, align: u64) -> Layout<'a> {
        let ids: Vec<_> = ids.collect();
        let table: u64 = ids.iter().map(|id| MIN_ROW + id.len() as u64).sum();
        Layout {
            ids,
            align: align.max(1),
            placed: Vec::new(),
            end: 32 + table,
        }
    }

    /// Offset from the start of the bundle of the next entry, which has `size` bytes.
    pub fn place(&mut self, size: u64) -> u64 {
        let offset = self.end.next_multiple_of(self.align);
        self.placed.push((offset, size));
        self.end = offset + size;
        offset
    }

    /// Bytes from the start of the bundle to the end of the last entry.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// The bytes before the entries, once all entries have a place.
    pub fn header(&self) -> Vec<u8> {
        let mut header = Vec::from(&MAGIC[..]);
        header.extend((self.ids.len() as u64).to_le_bytes());
        for (id, (offset, size)) in self.ids.iter().zip(&self.placed) {
            for number in [*offset, *size, id.len() as u64] {
                header.extend(number.to_le_bytes());
            }
            header.extend(id.as_bytes());
        }
        header
    }
}

/// Writes a bundle. Every entry starts at a multiple of `align`.
pub fn write(entries: &[(&str, &[u8])], align: u64) -> Vec<u8> {
    let mut layout = Layout::new(entries.iter().map(|(id, _)| *id), align);
    let offsets: Vec<u64> = entries
        .iter()
        .map(|(_, bytes)| layout.place(bytes.len() as u64))
        .collect();
    let mut written = layout.header();
    for ((_, bytes), offset) in entries.iter().zip(offsets) {
        written.resize(offset as usize, 0);
        written.extend(*bytes);
    }
    written
}

/// The bundle at the start of `data` with the bytes of entry `id` replaced and all else kept. The result is laid out anew.
pub fn replace_entry(data: &[u8], id: &str, bytes: &[u8], align: u64) -> Result<Vec<u8>> {
    let bundle = Bundle::parse(data)?;
    let mut entries: Vec<_> = bundle
        .entries
        .iter()
        .map(|entry| (entry.id, entry.bytes))
        .collect();
    let missing = || {
        let known: Vec<_> = entries.iter().map(|(id, _)| *id).collect();
        Error::NoSuchEntry {
            id: id.to_owned(),
            known: known.join(", "),
        }
    };
    let index = entries
        .iter()
        .position(|(known, _)| *known == id)
        .ok_or_else(missing)?;
    entries[index].1 = bytes;
    Ok(write(&entries, align))
}
