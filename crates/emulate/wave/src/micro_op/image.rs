//! Image instructions.

use isa::fields::{self, MOST_ADDRESSES};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use super::Generation;

/// The operands in front of and behind an instruction's coordinates.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, Immutable, IntoBytes, KnownLayout,
)]
#[repr(transparent)]
pub(crate) struct ImageOperands(u16);

impl ImageOperands {
    /// Coordinates alone.
    pub const NONE: ImageOperands = ImageOperands(0);
    /// A level of detail behind the coordinates.
    pub const LEVEL: ImageOperands = ImageOperands(1);
    /// Derivatives in front of them: two per axis.
    pub const DERIVATIVES: ImageOperands = ImageOperands(2);
    /// The coordinates of neighbouring lanes say the level of detail.
    pub const IMPLICIT: ImageOperands = ImageOperands(4);
    /// A level instead of coordinates.
    pub const QUERY: ImageOperands = ImageOperands(8);
    /// Texels to go on by, one word in front of everything.
    pub const OFFSET: ImageOperands = ImageOperands(16);
    /// The value added to the level of detail, in front of the rest.
    pub const BIAS: ImageOperands = ImageOperands(32);
    /// The value with which texels are compared, in front of derivatives and coordinates.
    pub const COMPARE: ImageOperands = ImageOperands(64);
    /// The least level of detail, behind the coordinates.
    pub const CLAMP: ImageOperands = ImageOperands(128);
    /// Derivatives are pairs of halves.
    pub const HALF_DERIVATIVES: ImageOperands = ImageOperands(256);

    /// Both.
    pub const fn and(self, other: ImageOperands) -> ImageOperands {
        ImageOperands(self.0 | other.0)
    }

    /// How many words stand in front of derivatives and coordinates.
    pub const fn extras(self) -> usize {
        let extras = ImageOperands::OFFSET.0 | ImageOperands::BIAS.0 | ImageOperands::COMPARE.0;
        (self.0 & extras).count_ones() as usize
    }
}

/// MIMG, VIMAGE and VSAMPLE.
#[derive(Clone, Copy, Debug, Default, FromBytes, Immutable, IntoBytes, KnownLayout)]
#[repr(C)]
pub(crate) struct Image {
    /// Rows of the address registers behind the first.
    addresses: [u8; MOST_ADDRESSES - 1],
    operands: ImageOperands,
    pub generation: Generation,
    mask: u8,
    dimensions: u8,
    unnormalized: u8,
    d16: u8,
    a16: u8,
    array: u8,
    returns: u8,
    _reserved: [u8; 6],
}

impl Image {
    /// An instruction of `generation` with these fields.
    pub fn new(generation: Generation, operands: ImageOperands, fields: &fields::Image) -> Image {
        let [_, addresses @ ..] = fields.addresses;
        Image {
            addresses,
            generation,
            operands,
            mask: fields.dmask as u8,
            dimensions: fields.dim as u8,
            unnormalized: fields.unorm.into(),
            d16: fields.d16.into(),
            a16: fields.a16.into(),
            array: fields.array.into(),
            returns: fields.glc.into(),
            ..Image::default()
        }
    }

    /// Row of address register `index`, which is not the first.
    #[inline(always)]
    pub fn address(&self, index: usize) -> usize {
        self.addresses[index - 1].into()
    }

    /// All that the instruction has.
    #[inline(always)]
    pub fn operands(&self) -> ImageOperands {
        self.operands
    }

    /// Returns `true` if the instruction has these operands.
    #[inline(always)]
    pub fn has(&self, operands: ImageOperands) -> bool {
        self.operands.0 & operands.0 != 0
    }

    /// The components that are data.
    #[inline(always)]
    pub fn mask(&self) -> u32 {
        self.mask.into()
    }

    /// gfx10: the instruction's dimensions.
    #[inline(always)]
    pub fn dimensions(&self) -> u32 {
        self.dimensions.into()
    }

    /// Coordinates are in texels.
    #[inline(always)]
    pub fn unnormalized(&self) -> bool {
        self.unnormalized != 0
    }

    /// Data are packed halves.
    #[inline(always)]
    pub fn d16(&self) -> bool {
        self.d16 != 0
    }

    /// Addresses are packed halves.
    #[inline(always)]
    pub fn a16(&self) -> bool {
        self.a16 != 0
    }

    /// gfx9: the image may be an array.
    #[inline(always)]
    pub fn array(&self) -> bool {
        self.array != 0
    }

    /// An atomic returns what was there.
    #[inline(always)]
    pub fn returns(&self) -> bool {
        self.returns != 0
    }
}
