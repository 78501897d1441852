//! Encoding formats by the first dword, from the "Microcode formats" chapters of the ISA manuals.

use crate::Format;
use gfx::Family;

/// One format: an encoding matches when `word & mask == bits`. The first matching row of a table counts.
struct Row {
    mask: u32,
    bits: u32,
    format: Format,
}

const fn row(mask: u32, bits: u32, format: Format) -> Row {
    Row { mask, bits, format }
}

/// Scalar formats and the 32-bit vector formats have not moved since the first of these families.
#[rustfmt::skip]
const COMMON: &[Row] = &[
    row(0xff80_0000, 0xbe80_0000, Format::Sop1),
    row(0xff80_0000, 0xbf00_0000, Format::Sopc),
    row(0xff80_0000, 0xbf80_0000, Format::Sopp),
    row(0xf000_0000, 0xb000_0000, Format::Sopk),
    row(0xc000_0000, 0x8000_0000, Format::Sop2),
    row(0xfe00_0000, 0x7e00_0000, Format::Vop1),
    row(0xfe00_0000, 0x7c00_0000, Format::Vopc),
    row(0x8000_0000, 0x0000_0000, Format::Vop2),
    row(0xfc00_0000, 0xd800_0000, Format::Ds),
];

#[rustfmt::skip]
const GFX9: &[Row] = &[
    row(0xff80_0000, 0xd380_0000, Format::Vop3p),
    row(0xfc00_0000, 0xd000_0000, Format::Vop3),
    row(0xfc00_0000, 0xc000_0000, Format::Smem),
    row(0xfc00_0000, 0xc400_0000, Format::Exp),
    row(0xfc00_0000, 0xdc00_0000, Format::Flat),
    row(0xfc00_0000, 0xe000_0000, Format::Mubuf),
    row(0xfc00_0000, 0xe800_0000, Format::Mtbuf),
    row(0xfc00_0000, 0xf000_0000, Format::Mimg),
];

#[rustfmt::skip]
const GFX10: &[Row] = &[
    row(0xfc00_0000, 0xd400_0000, Format::Vop3),
    row(0xfc00_0000, 0xcc00_0000, Format::Vop3p),
    row(0xfc00_0000, 0xf400_0000, Format::Smem),
    row(0xfc00_0000, 0xf800_0000, Format::Exp),
    row(0xfc00_0000, 0xdc00_0000, Format::Flat),
    row(0xfc00_0000, 0xe000_0000, Format::Mubuf),
    row(0xfc00_0000, 0xe800_0000, Format::Mtbuf),
    row(0xfc00_0000, 0xf000_0000, Format::Mimg),
];

#[rustfmt::skip]
const GFX11: &[Row] = &[
    row(0xfc00_0000, 0xd400_0000, Format::Vop3),
    row(0xff00_0000, 0xcd00_0000, Format::Vinterp),
    row(0xff00_0000, 0xce00_0000, Format::LdsDirect),
    row(0xfc00_0000, 0xcc00_0000, Format::Vop3p),
    row(0xfc00_0000, 0xc800_0000, Format::Vopd),
    row(0xfc00_0000, 0xf400_0000, Format::Smem),
    row(0xfc00_0000, 0xf800_0000, Format::Exp),
    row(0xfc00_0000, 0xdc00_0000, Format::Flat),
    row(0xfc00_0000, 0xe000_0000, Format::Mubuf),
    row(0xfc00_0000, 0xe800_0000, Format::Mtbuf),
    row(0xfc00_0000, 0xf000_0000, Format::Mimg),
];

#[rustfmt::skip]
const GFX12: &[Row] = &[
    row(0xfc00_0000, 0xd400_0000, Format::Vop3),
    row(0xff00_0000, 0xcd00_0000, Format::Vinterp),
    row(0xff00_0000, 0xce00_0000, Format::LdsDirect),
    row(0xff00_0000, 0xcf00_0000, Format::Vopd), // VOPD3, gfx1250
    row(0xfc00_0000, 0xcc00_0000, Format::Vop3p),
    row(0xfc00_0000, 0xc800_0000, Format::Vopd),
    row(0xfc00_0000, 0xf400_0000, Format::Smem),
    row(0xfc00_0000, 0xf800_0000, Format::Exp),
    row(0xfc00_0000, 0xec00_0000, Format::Flat),
    row(0xfc00_0000, 0xc400_0000, Format::Mubuf), // VBUFFER; typed ones are told apart by opcode
    row(0xfc00_0000, 0xd000_0000, Format::Mimg),  // VIMAGE
    row(0xfc00_0000, 0xe400_0000, Format::Mimg),  // VSAMPLE
];

/// The format of an instruction by its first dword. Segment-specific FLAT forms, VOP3 with a scalar destination and
/// two-part VOP3P are told apart later, by opcode.
pub(crate) fn of_word(family: Family, word: u32) -> Format {
    find(family, word).map_or(Format::Other, |row| row.format)
}

/// Opcodes that always carry a literal, on some family before gfx11: `s_setreg_imm32_b32`.
const SOPK_WITH_LITERAL: &[u32] = &[0x14, 0x15];
/// `v_madmk`, `v_madak`, `v_fmamk`, `v_fmaak` of singles and halves.
const VOP2_WITH_LITERAL: &[u32] = &[0x17, 0x18, 0x20, 0x21, 0x24, 0x25, 0x2c, 0x2d, 0x37, 0x38];

/// Returns `true` if the dword alone is surely a whole instruction, if it is one at all. LLVM tries its tables from the longest
/// encoding down, so showing it 4 bytes saves half the time. "No" is always a right answer.
pub(crate) fn is_one_dword(family: Family, word: u32) -> bool {
    // A scalar source field of 254 or 255 is followed by a literal.
    let literal = |field: u32| field & 0xfe == 0xfe;
    // A vector source field is extended alike, and may also announce DPP8, SDWA or DPP16.
    let extended = |field: u32| matches!(field & 0x1ff, 233 | 234 | 249 | 250 | 254 | 255);
    if family >= Family::Gfx11 {
        return false;
    }
    match find(family, word).map(|row| row.format) {
        Some(Format::Sopp) => true,
        Some(Format::Sop1) => !literal(word),
        Some(Format::Sopc) => !literal(word) && !literal(word >> 8),
        Some(Format::Sop2) => !literal(word) && !literal(word >> 8),
        Some(Format::Sopk) => !SOPK_WITH_LITERAL.contains(&(word >> 23 & 0x1f)),
        Some(Format::Vop1 | Format::Vopc) => !extended(word),
        Some(Format::Vop2) => !extended(word) && !VOP2_WITH_LITERAL.contains(&(word >> 25)),
        _ => false,
    }
}

fn find(family: Family, word: u32) -> Option<&'static Row> {
    let own = match family {
        Family::Gfx9 => GFX9,
        Family::Gfx10 | Family::Gfx10_3 => GFX10,
        Family::Gfx11 => GFX11,
        Family::Gfx12 | Family::Gfx12_5 => GFX12,
    };
    COMMON
        .iter()
        .chain(own)
        .find(|row| word & row.mask == row.bits)
}
