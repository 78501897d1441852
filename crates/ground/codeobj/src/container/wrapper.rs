//! `.hipFatBinSegment`: the records through which a host program registers its fat binaries.

use crate::Result;
use crate::bytes::u64_at;
use crate::elf::Elf;
use object::elf;

/// `HIPF`, little-endian in the first word.
const MAGIC: u32 = 0x4849_5046;
const SIZE: u64 = 24;

/// One registration record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FatBinaryWrapper {
    /// Address of the record in the host image.
    pub address: u64,
    /// Address of the bundle it points to.
    pub binary_address: u64,
    /// Where that bundle is in the file, if it is in the file.
    pub file_offset: Option<u64>,
}

/// Records of a linked host file. In position-independent files the pointer is the addend of a relative relocation.
pub fn fat_binary_wrappers(host: &Elf<'_>) -> Result<Vec<FatBinaryWrapper>> {
    let mut wrappers = Vec::new();
    let mut relocations = Vec::new();
    for section in host
        .sections
        .iter()
        .filter(|section| section.kind == elf::SHT_RELA.0)
    {
        relocations.extend(host.relocations(section)?);
    }
    for section in host
        .sections
        .iter()
        .filter(|section| section.name.starts_with(".hipFatBinSegment"))
    {
        let count = section.data.len() as u64 / SIZE;
        for index in 0..count {
            let start = index * SIZE;
            if crate::bytes::u32_at(section.data, start, "fat binary wrapper")? != MAGIC {
                continue;
            }
            let address = section.address.wrapping_add(start);
            let stored = u64_at(section.data, start + 8, "fat binary wrapper")?;
            let pointer = relocations
                .iter()
                .find(|relocation| relocation.offset == address.wrapping_add(8));
            let addend = pointer
                .and_then(|relocation| relocation.addend)
                .filter(|addend| *addend != 0);
            let binary_address = addend.map_or(stored, |addend| addend as u64);
            let file_offset = host.file_offset_of(binary_address);
            wrappers.push(FatBinaryWrapper {
                address,
                binary_address,
                file_offset,
            });
        }
    }
    Ok(wrappers)
}
