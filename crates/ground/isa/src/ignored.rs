//! Bits that instructions ignore, with which LLVM 22's decoder takes the words for no instruction.

use gfx::Family;

use crate::{Format, format};

/// `v_permlane16_b32` and `v_permlanex16_b32`, the high half of the first dword.
fn is_permlane(family: Family, high: u16) -> bool {
    match family {
        Family::Gfx9 => false,
        Family::Gfx10 | Family::Gfx10_3 => matches!(high, 0xd777 | 0xd778),
        _ => matches!(high, 0xd65b | 0xd65c),
    }
}

/// Clears such bits in the first eight bytes of an instruction, as far as compilers have set them.
///
/// Before it was mended, LLVM set not only op_sel but also abs and neg of a permutation whose intrinsic fetches inactive lanes
/// or zeros, and device libraries have these.
pub(crate) fn clear(family: Family, code: &mut [u8]) {
    let Some([_, abs, low, high, .., neg]) = code.get_mut(..8) else {
        return;
    };
    if is_permlane(family, u16::from_le_bytes([*low, *high])) {
        *abs &= !0b111;
        *neg &= !0b1110_0000;
    }
}

/// Register fields that some instructions of a format do not use, as masks of the first eight bytes.
///
/// DS has room for two values and a result, of which each instruction uses what it needs. `v_dual_mov_b32` (8 in either
/// half of VOPD) has one source where others have two.
fn optional_fields(family: Family, code: u64) -> Vec<u64> {
    const MOVE: u64 = 8;
    /// Registers are AccVGPRs, which only some of gfx9 have: left to LLVM.
    const ACCUMULATORS: u64 = 1 << 25;
    match format::of_word(family, code as u32) {
        Format::Ds if family == Family::Gfx9 && code & ACCUMULATORS != 0 => Vec::new(),
        Format::Ds => vec![0xff << 56, 0xff << 48, 0xff << 40],
        Format::Vopd => [(22, 0xf, 9), (17, 0x1f, 41)]
            .into_iter()
            .filter(|(opcode, mask, _)| code >> opcode & mask == MOVE)
            .map(|(_, _, source)| 0xff << source)
            .collect(),
        _ => Vec::new(),
    }
}

/// The result of `look` for `code` without the unused register fields. LLVM's tables want zeros in fields that an
/// instruction does not use and refuse this code. The fields that have to be cleared, as few as possible, are therefore
/// the unused ones.
pub(crate) fn without_unused<T>(
    family: Family,
    code: &[u8],
    mut look: impl FnMut(&[u8]) -> Option<T>,
) -> Option<T> {
    let given = u64::from_le_bytes(*code.first_chunk::<8>()?);
    let mut fields = optional_fields(family, given);
    fields.retain(|mask| given & mask != 0);
    let mut choices: Vec<u32> = (1..1 << fields.len()).collect();
    choices.sort_by_key(|choice| choice.count_ones());
    choices.into_iter().find_map(|choice| {
        let chosen = fields.iter().enumerate();
        let cleared: Vec<u64> = chosen
            .filter(|(index, _)| choice >> index & 1 != 0)
            .map(|(_, mask)| *mask)
            .collect();
        let kept = cleared.iter().fold(given, |kept, mask| kept & !mask);
        let mut look_at = |words: u64| {
            let mut changed = code.to_vec();
            changed[..8].copy_from_slice(&words.to_le_bytes());
            look(&changed)
        };
        let found = look_at(kept)?;
        // A field that takes another register is used, and the one that it has is wrong: an odd number of a pair that must be even.
        let mut used = |mask: &u64| look_at(kept | (EVEN << mask.trailing_zeros())).is_some();
        (!cleared.iter().any(&mut used)).then_some(found)
    })
}

/// A register that may begin any tuple of two.
const EVEN: u64 = 2;
