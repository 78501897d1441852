//! A small object with one rewritten kernel, to be loaded beside the original.

use super::lines::{OriginalLines, functions};
use super::{describe, kind_of};
use crate::{AddressHalf, Kernels, Refusal, Rewritten, Symbol};
use codeobj::CodeObject;
use codeobj::edit::{NewObject, create};

/// A literal to patch before a live object is loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LivePatch {
    /// In the file, in bytes.
    pub offset: u64,
    pub half: AddressHalf,
    pub symbol: Symbol,
    pub addend: i64,
}

/// A new code object with this kernel only, and the literals that hold addresses of other objects. The caller patches these
/// literals into the file before loading it. The loader fills in addresses of the new code itself.
pub fn live_object(
    kernel: &Rewritten,
    original: &CodeObject<'_>,
) -> Result<(Vec<u8>, Vec<LivePatch>), Refusal> {
    live_object_of(&Kernels::all(original)?, kernel, original)
}

/// The same for one of many kernels of an object.
pub fn live_object_of(
    kernels: &Kernels,
    kernel: &Rewritten,
    original: &CodeObject<'_>,
) -> Result<(Vec<u8>, Vec<LivePatch>), Refusal> {
    let metadata = kernels.metadata_of(&kernel.kernel);
    let mut metadata = metadata.ok_or_else(|| Refusal::Object("it has no metadata".to_owned()))?;
    if let Some(edit) = metadata.kernel_mut(&kernel.kernel) {
        describe(edit, kernel);
    }
    let mut relocations = Vec::new();
    let mut patches = Vec::new();
    for relocation in &kernel.relocations {
        let kind = kind_of(relocation.half);
        match &relocation.symbol {
            Symbol::Text(offset) => {
                let meant = offset.wrapping_add_signed(relocation.addend);
                relocations.push((relocation.offset, kind, meant));
            }
            symbol => patches.push(LivePatch {
                offset: relocation.offset,
                half: relocation.half,
                symbol: symbol.clone(),
                addend: relocation.addend,
            }),
        }
    }
    let elf = original.elf();
    let rows = OriginalLines::new(original).lines(kernel).into_owned();
    let created = create(&NewObject {
        flags: elf.flags,
        abi_version: elf.abi_version,
        kernel: &kernel.kernel,
        text: &kernel.text,
        entry: kernel.entry,
        size: kernel.functions.first().map_or(0, |function| function.size),
        descriptor: kernel.descriptor.clone(),
        metadata: &metadata,
        relocations: &relocations,
        lines: &rows,
        functions: &functions(kernel),
    });
    for patch in &mut patches {
        patch.offset += created.text;
    }
    Ok((created.bytes, patches))
}

impl LivePatch {
    /// Writes the literal into the object, given the symbol's address in memory (for [`Symbol::Original`] the address at
    /// which the original has been loaded to).
    pub fn apply(&self, object: &mut [u8], address: u64) {
        let value = address.wrapping_add_signed(self.addend);
        let word = match self.half {
            AddressHalf::Low => value as u32,
            AddressHalf::High => (value >> 32) as u32,
        };
        let at = self.offset as usize;
        if let Some(place) = object.get_mut(at..at + 4) {
            place.copy_from_slice(&word.to_le_bytes());
        }
    }
}
