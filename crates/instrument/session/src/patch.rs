//! Fills in the addresses that a variant left open.

use crate::{Patch, PatchKind, Refusal, Symbol};

/// Writes all patches into `object`. `original` is what to add to an address of the original object, `tool` finds globals.
pub fn apply(
    object: &mut [u8],
    patches: &[Patch],
    original: u64,
    tool: impl Fn(&str) -> Option<u64>,
) -> Result<(), Refusal> {
    for patch in patches {
        let base = match &patch.symbol {
            Symbol::Original(address) => original.wrapping_add(*address),
            Symbol::Tool(name) => tool(name).ok_or_else(|| {
                Refusal::Tool(format!(
                    "its code refers to {name}, which is none of the tool's globals"
                ))
            })?,
        };
        let value = base.wrapping_add_signed(patch.addend);
        let half = match patch.kind {
            PatchKind::Low32 => value as u32,
            PatchKind::High32 => (value >> 32) as u32,
        };
        let slot = usize::try_from(patch.file_offset)
            .ok()
            .and_then(|start| object.get_mut(start..start.checked_add(4)?));
        let Some(slot) = slot else {
            return Err(Refusal::Internal(format!(
                "a patch at offset {:#x} lies outside the instrumented object",
                patch.file_offset
            )));
        };
        slot.copy_from_slice(&half.to_le_bytes());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch(file_offset: u64, kind: PatchKind, symbol: Symbol, addend: i64) -> Patch {
        Patch {
            file_offset,
            kind,
            symbol,
            addend,
        }
    }

    #[test]
    fn halves_are_taken_after_the_addition() {
        let mut object = [0xaa; 16];
        let patches = [
            patch(4, PatchKind::Low32, Symbol::Original(0xffff_fff0), 0x20),
            patch(8, PatchKind::High32, Symbol::Original(0xffff_fff0), 0x20),
            patch(12, PatchKind::Low32, Symbol::Tool("t".into()), -1),
        ];
        apply(&mut object, &patches, 0x7_0000_0000, |_| Some(0x1000)).unwrap();
        assert_eq!(object[..4], [0xaa; 4]);
        assert_eq!(object[4..8], 0x10u32.to_le_bytes());
        assert_eq!(object[8..12], 8u32.to_le_bytes());
        assert_eq!(object[12..], 0xfffu32.to_le_bytes());
    }

    #[test]
    fn unknown_globals_and_offsets_outside_are_refused() {
        let low = |offset, symbol| [patch(offset, PatchKind::Low32, symbol, 0)];
        for offset in [1, 4, u64::MAX] {
            let patches = low(offset, Symbol::Original(0));
            assert!(
                apply(&mut [0; 4], &patches, 0, |_| None).is_err(),
                "{offset}"
            );
        }
        let error = apply(&mut [0; 4], &low(0, Symbol::Tool("hits".into())), 0, |_| {
            None
        });
        assert!(error.unwrap_err().to_string().contains("hits"));
    }
}
