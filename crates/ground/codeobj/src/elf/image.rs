//! The memory image that a loader makes: the `PT_LOAD` segments of a linked code object.

use super::file::Elf;
use crate::{Error, Result};
use object::elf;

/// One loaded segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageSegment<'a> {
    /// Offset from the load address.
    pub address: u64,
    /// Bytes from the file, zeros follow up to `memory_size`.
    pub data: &'a [u8],
    /// Bytes that it takes up in memory; those that the file lacks are zeros.
    pub memory_size: u64,
    /// File offset of its contents, in bytes.
    pub file_offset: u64,
    /// Holds instructions.
    pub executable: bool,
    /// Programs change it.
    pub writable: bool,
}

/// All loaded segments.
#[derive(Clone, Debug)]
pub struct Image<'a> {
    /// By address.
    pub segments: Vec<ImageSegment<'a>>,
    /// Bytes of address space needed, from address 0.
    pub size: u64,
}

impl<'a> Image<'a> {
    pub(super) fn new(file: &Elf<'a>) -> Image<'a> {
        let loaded = file
            .segments
            .iter()
            .filter(|segment| segment.kind == elf::PT_LOAD.0);
        let segments: Vec<_> = loaded
            .map(|segment| ImageSegment {
                address: segment.address,
                data: segment.data,
                memory_size: segment.memory_size,
                file_offset: segment.file_offset,
                executable: segment.flags & elf::PF_X.0 != 0,
                writable: segment.flags & elf::PF_W.0 != 0,
            })
            .collect();
        let size = segments
            .iter()
            .map(|segment| segment.address + segment.memory_size)
            .max()
            .unwrap_or(0);
        Image { segments, size }
    }

    /// Copies the image to the start of `memory`, which must be zero; what lies beyond its end is left out.
    pub fn copy_to(&self, memory: &mut [u8]) {
        for segment in &self.segments {
            let Some(room) = usize::try_from(segment.address)
                .ok()
                .and_then(|start| memory.get_mut(start..))
            else {
                continue;
            };
            let length = room.len().min(segment.data.len());
            room[..length].copy_from_slice(&segment.data[..length]);
        }
    }
}

/// Readers find code by sections, and loaders by segments. In a linked object both must mean the same bytes. Otherwise an editor would
/// change other bytes than those that run.
pub(super) fn check_code(file: &Elf<'_>) -> Result<()> {
    let linked = file.kind == elf::ET_DYN.0;
    let code = file
        .sections
        .iter()
        .filter(|section| linked && section.is_code() && !section.data.is_empty());
    for section in code {
        let last = section.data.len() as u64 - 1;
        let loaded = |offset: u64| {
            let address = section.address.checked_add(offset)?;
            Some(file.file_offset_of(address)? == section.file_offset + offset)
        };
        if loaded(0) != Some(true) || loaded(last) != Some(true) {
            return Err(Error::Malformed {
                what: "code section",
                offset: section.file_offset,
                reason: "no segment loads it to its address",
            });
        }
    }
    Ok(())
}
