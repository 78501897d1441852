//! The fields of buffer instructions from which addresses are made.

use gfx::Family;

/// Bits of an encoding: word, first bit, how many.
#[derive(Clone, Copy)]
struct Field(usize, u32, u32);

impl Field {
    fn extract(self, words: &[u32; 5]) -> u32 {
        words[self.0] >> self.1 & ((1 << self.2) - 1)
    }
}

struct Layout {
    since: Family,
    vector: Field,
    scalar_offset: Field,
    constant: Field,
    with_offset: Field,
    indexed: Field,
    format: Field,
}

#[rustfmt::skip]
const GFX9: Layout = Layout {
    since: Family::Gfx9,
    vector: Field(1, 0, 8), scalar_offset: Field(1, 24, 8), constant: Field(0, 0, 12),
    with_offset: Field(0, 12, 1), indexed: Field(0, 13, 1), format: Field(0, 19, 4),
};
const GFX10: Layout = Layout {
    since: Family::Gfx10,
    format: Field(0, 19, 7),
    ..GFX9
};
const GFX11: Layout = Layout {
    since: Family::Gfx11,
    with_offset: Field(1, 22, 1),
    indexed: Field(1, 23, 1),
    ..GFX10
};
#[rustfmt::skip]
const GFX12: Layout = Layout {
    since: Family::Gfx12,
    vector: Field(2, 0, 8), scalar_offset: Field(0, 0, 7), constant: Field(2, 8, 24),
    with_offset: Field(1, 30, 1), indexed: Field(1, 31, 1), format: Field(1, 23, 7),
};
/// Newest first.
const LAYOUTS: [Layout; 4] = [GFX12, GFX11, GFX10, GFX9];

/// The parts beside the descriptor from which MUBUF and MTBUF make an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferAddress {
    /// First VGPR: of the index, then of the offset.
    pub vector: u16,
    /// A scalar operand by its number: see [`crate::numbers`].
    pub scalar_offset: u16,
    /// The constant that is added.
    pub constant: u32,
    /// A VGPR has an offset.
    pub with_offset: bool,
    /// A VGPR has an index.
    pub indexed: bool,
    /// The format of typed instructions.
    pub format: u32,
}

impl BufferAddress {
    pub(super) fn of(words: &[u32; 5], family: Family) -> BufferAddress {
        let layout = LAYOUTS.iter().find(|layout| layout.since <= family);
        let layout = layout.unwrap_or(&GFX9);
        let field = |field: Field| field.extract(words);
        BufferAddress {
            vector: field(layout.vector) as u16,
            scalar_offset: field(layout.scalar_offset) as u16,
            constant: field(layout.constant),
            with_offset: field(layout.with_offset) != 0,
            indexed: field(layout.indexed) != 0,
            format: field(layout.format),
        }
    }
}
