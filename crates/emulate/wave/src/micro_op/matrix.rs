//! Products of matrices.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// MFMA and SMFMAC, those with scales too.
#[derive(Clone, Copy, Debug, Default, FromBytes, Immutable, IntoBytes, KnownLayout)]
#[repr(C)]
pub(crate) struct Mfma {
    /// Number of the plan (MFMA), or of the instruction in the table of its file.
    pub instruction: u16,
    cbsz: u8,
    abid: u8,
    blgp: u8,
    _reserved: [u8; 3],
    /// The row of a side's scales, with the first bit that counts from bit 16 on and [`SCALED`]; 0 without scales.
    scales: [u32; 2],
    _reserved_words: [u32; 3],
}

/// There are scales.
const SCALED: u32 = 1 << 31;

impl Mfma {
    /// Instruction `instruction` with these control fields.
    pub fn new(instruction: u16, cbsz: u32, abid: u32, blgp: u32) -> Mfma {
        Mfma {
            instruction,
            cbsz: cbsz as u8,
            abid: abid as u8,
            blgp: blgp as u8,
            ..Mfma::default()
        }
    }

    /// Side `side` (A is 0, B is 1) has scales in byte `byte` of row `row`.
    pub fn set_scale(&mut self, side: usize, row: u16, byte: u32) {
        self.scales[side] = SCALED | byte << 19 | u32::from(row);
    }

    /// Row of the scales of side `side`, and the first bit of each of them there.
    pub fn scale(&self, side: usize) -> Option<(usize, u32)> {
        let scale = self.scales[side];
        (scale & SCALED != 0).then_some((scale as usize & 0xffff, scale >> 16 & 31))
    }

    /// Control of broadcasting A; a format where instructions have several.
    #[inline(always)]
    pub fn cbsz(&self) -> u32 {
        self.cbsz.into()
    }

    /// The block of A that is broadcast.
    #[inline(always)]
    pub fn abid(&self) -> u32 {
        self.abid.into()
    }

    /// How the lanes of B are permuted; signs of doubles; a format where instructions have several.
    #[inline(always)]
    pub fn blgp(&self) -> u32 {
        self.blgp.into()
    }
}

/// WMMA and SWMMAC.
#[derive(Clone, Copy, Debug, Default, FromBytes, Immutable, IntoBytes, KnownLayout)]
#[repr(C)]
pub(crate) struct Wmma {
    /// Number of `numerics::wmma`'s instruction.
    pub instruction: u32,
    /// A bit each of A, B and C.
    neg: u8,
    neg_hi: u8,
    op_sel: u8,
    clamp: u8,
    wave64: u8,
    rdna4: u8,
    _reserved: [u8; 18],
}

/// Modifiers of WMMA and SWMMAC as they are encoded, and what else decides about the layout of matrices.
pub(crate) struct WmmaFields {
    pub neg: u32,
    pub neg_hi: u32,
    pub op_sel: u32,
    pub clamp: bool,
    pub wave64: bool,
    pub rdna4: bool,
}

impl Wmma {
    /// Instruction `instruction` with these fields.
    pub fn new(instruction: u16, fields: &WmmaFields) -> Wmma {
        Wmma {
            instruction: instruction.into(),
            neg: fields.neg as u8,
            neg_hi: fields.neg_hi as u8,
            op_sel: fields.op_sel as u8,
            clamp: fields.clamp.into(),
            wave64: fields.wave64.into(),
            rdna4: fields.rdna4.into(),
            ..Wmma::default()
        }
    }

    /// NEG of A, B or C (`operand` 0 to 2). For integers it says that A or B are signed.
    #[inline(always)]
    pub fn neg(&self, operand: u32) -> bool {
        self.neg >> operand & 1 != 0
    }

    /// NEG_HI of A and B; of C it is the absolute value.
    #[inline(always)]
    pub fn neg_hi(&self, operand: u32) -> bool {
        self.neg_hi >> operand & 1 != 0
    }

    /// OP_SEL.
    #[inline(always)]
    pub fn op_sel(&self) -> u32 {
        self.op_sel.into()
    }

    /// Integers saturate.
    #[inline(always)]
    pub fn clamp(&self) -> bool {
        self.clamp != 0
    }

    /// The wave has 64 lanes.
    #[inline(always)]
    pub fn wave64(&self) -> bool {
        self.wave64 != 0
    }

    /// Matrices lie in registers as gfx12 has it.
    #[inline(always)]
    pub fn rdna4(&self) -> bool {
        self.rdna4 != 0
    }
}
