//! Encodings that LLVM 22's decoder tables accept and on which its decoder or printer then crashes. Found by decoding
//! random words; `tests/hostile.rs` repeats that.

use crate::{Format, format};
use gfx::{Family, Matrix, Target};

/// A literal operand follows, in scalar source fields.
const LITERAL: u32 = 255;
/// High half of v_mfma_ld_scale_b32, the first half of scaled products.
const LOAD_SCALES: u32 = 0xd3ac;
/// An SDWA control dword follows.
const SDWA: u32 = 249;

/// Returns `true` if the first instruction of `code` is one of these. `code` has at least 4 bytes.
pub(crate) fn is_malformed(target: &Target, code: &[u8]) -> bool {
    let word = |index: usize| {
        let bytes = code.get(4 * index..4 * index + 4)?;
        Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    };
    let Some(first) = word(0) else { return true };
    let format = format::of_word(target.family, first);
    match format {
        // v_readfirstlane_b32 into a literal.
        Format::Vop1 if first >> 9 & 0xff == 2 && first >> 17 & 0xff == LITERAL => true,
        Format::Vop1 | Format::Vop2 | Format::Vopc
            if target.family <= Family::Gfx10_3 && first & 0x1ff == SDWA =>
        {
            word(1).is_some_and(|control| sdwa_is_malformed(format, control))
        }
        Format::Vop2 if word(1) == Some(0xff) => {
            is_half_precision_literal_form(target.family, first >> 25 & 0x3f)
        }
        Format::Vop3p | Format::Vop3px2 if target.matrix == Matrix::Mfma4 => {
            let product = |at: usize| Some([word(at)?, word(at + 1)?]);
            // Behind the scales, if there are some.
            let at = if first >> 16 == LOAD_SCALES { 2 } else { 0 };
            product(at).is_some_and(is_product_of_scalars)
        }
        Format::Sop1 if target.family >= Family::Gfx12 && first & 0xff == LITERAL => {
            // s_barrier_signal, s_barrier_signal_isfirst, s_get_barrier_state, s_barrier_init, s_barrier_join,
            // s_wakeup_barrier: the barrier is an inline constant or M0.
            matches!(first >> 8 & 0xff, 0x4e..=0x52 | 0x57)
        }
        _ => false,
    }
}

/// v_mfma_f32_*_f8f6f4 with something other than registers as A or B: LLVM makes registers of them as long as their formats
/// ask for.
fn is_product_of_scalars([first, second]: [u32; 2]) -> bool {
    let scalar = |shift: u32| second >> shift & 0x1ff < 256;
    matches!(first >> 16, 0xd3ad | 0xd3ae) && (scalar(0) || scalar(9))
}

/// Lane selects go up to 6 (DWORD), `dst_unused` up to 2 (PRESERVE).
fn sdwa_is_malformed(format: Format, control: u32) -> bool {
    let reserved_select = |shift: u32| control >> shift & 7 == 7;
    let destination = format != Format::Vopc && (reserved_select(8) || control >> 11 & 3 == 3);
    destination || reserved_select(16) || format != Format::Vop1 && reserved_select(24)
}

/// v_madmk_f16, v_madak_f16, v_fmamk_f16, v_fmaak_f16. LLVM takes their constant 0x00ff (a denormal) for the
/// announcement of another literal. This is the one case of a sound instruction that we refuse.
fn is_half_precision_literal_form(family: Family, opcode: u32) -> bool {
    match family {
        Family::Gfx9 => matches!(opcode, 0x24 | 0x25),
        _ => matches!(opcode, 0x37 | 0x38),
    }
}
