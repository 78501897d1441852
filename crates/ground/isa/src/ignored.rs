//! Bits that instructions ignore and compilers have set, with which LLVM 22's decoder takes the words for no instruction.

use gfx::Family;

/// `v_permlane16_b32` and `v_permlanex16_b32`, the high half of the first dword.
fn is_permlane(family: Family, high: u16) -> bool {
    match family {
        Family::Gfx9 => false,
        Family::Gfx10 | Family::Gfx10_3 => matches!(high, 0xd777 | 0xd778),
        _ => matches!(high, 0xd65b | 0xd65c),
    }
}

/// Clears such bits in the first eight bytes of an instruction.
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
