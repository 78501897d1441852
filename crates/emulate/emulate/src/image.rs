//! Puts a linked code object into device memory as a loader would.

use codeobj::CodeObject;
use gpu::Memory;

use crate::{Error, Result, allocate};

/// Relocations that ROCr's loader applies. Source: AMDGPU usage guide, "Relocation records".
mod relocation {
    pub const ABS32_LO: u32 = 1;
    pub const ABS32_HI: u32 = 2;
    pub const ABS64: u32 = 3;
    pub const ABS32: u32 = 6;
    pub const RELATIVE64: u32 = 13;
}

/// Loads `object` and returns where its address 0 is.
pub(crate) fn load(object: &CodeObject<'_>, memory: &Memory) -> Result<u64> {
    if !object.is_linked() {
        return Err(Error::NotLinked);
    }
    let image = object.image();
    let base = allocate(memory, image.size)?;
    for segment in &image.segments {
        write(memory, base + segment.address, segment.data)?;
    }
    let symbols = object.dynamic_symbols();
    for entry in object.dynamic_relocations()? {
        let symbol = symbols
            .iter()
            .find(|symbol| symbol.index == entry.symbol as usize && entry.symbol != 0);
        let target = match symbol {
            Some(symbol) if !symbol.is_defined() => {
                return Err(Error::Undefined {
                    name: symbol.name.to_owned(),
                });
            }
            Some(symbol) => base + symbol.value,
            None => base,
        };
        let address = base + entry.offset;
        let value = target.wrapping_add_signed(entry.addend.unwrap_or(0));
        match entry.kind {
            relocation::ABS32_LO | relocation::ABS32 => {
                write(memory, address, &(value as u32).to_le_bytes())?
            }
            relocation::ABS32_HI => write(memory, address, &((value >> 32) as u32).to_le_bytes())?,
            relocation::ABS64 | relocation::RELATIVE64 => {
                write(memory, address, &value.to_le_bytes())?
            }
            kind => {
                return Err(Error::Relocation {
                    kind,
                    address: entry.offset,
                });
            }
        }
    }
    Ok(base)
}

fn write(memory: &Memory, address: u64, bytes: &[u8]) -> Result<()> {
    memory
        .write_bytes(address, bytes)
        .map_err(|address| Error::NotMapped { address })
}
