//! Vector ALU instructions, halves of dual ones, and the passes around them.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::{ports::Type, state::sreg};

/// Bits of [`Vector::modifiers`], same layout for all vector formats.
pub(crate) mod modifier {
    #[cfg(doc)]
    use super::super::Src;

    /// Bit 0 + source number.
    pub const NEG: u32 = 0;
    /// Bit 3 + source number. For VOP3P these are neg_hi.
    pub const ABS: u32 = 3;
    /// Bits 6-9: op_sel (source 0, 1, 2, destination).
    pub const OP_SEL: u32 = 6;
    /// Bits 10-12: op_sel_hi.
    pub const OP_SEL_HI: u32 = 10;
    pub const CLAMP: u32 = 1 << 13;
    /// Bits 14-15.
    pub const OMOD: u32 = 14;
    /// The modifiers that change a float result.
    pub const OUTPUT: u32 = CLAMP | 3 << OMOD;
    /// 16-bit results leave the other half of the register alone (gfx10 and later; gfx9 writes zeros).
    pub const PRESERVE_HIGH: u32 = 1 << 16;
    /// A vector ALU instruction, whose registers gfx9's index mode moves.
    pub const VECTOR_ALU: u32 = 1 << 17;
    /// Sources are pairs of singles: [`Src::pair_distance`] says where the second words of a vector source lie, and bodies apply
    /// op_sel, op_sel_hi, neg_lo and neg_hi to uniform ones.
    pub const PAIR: u32 = 1 << 19;
    /// Bits 23 and 24: elements of source 0 and 1 are signed, for rows whose encoding says so.
    pub const SIGNED: u32 = 23;
    /// MODE has no bit that turns OMOD off (gfx12).
    pub const NO_IEEE: u32 = 1 << 25;
    /// VOP3: NEG and ABS act on both halves of a pair.
    pub const BOTH_HALVES: u32 = 1 << 26;
    /// `MicroOp::dst` is a vector row.
    pub const VECTOR_RESULT: u32 = 1 << 18;
}

/// Control dword that follows VOP1/VOP2/VOPC.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, Immutable, IntoBytes, KnownLayout,
)]
#[repr(transparent)]
pub(crate) struct Control(u8);

impl Control {
    pub const NONE: Control = Control(0);
    pub const SDWA: Control = Control(1);
    pub const DPP16: Control = Control(2);
    pub const DPP8: Control = Control(3);
}

/// A vector ALU instruction: VOP1, VOP2, VOPC, VOP3, VOP3P, or half of VOPD.
#[derive(Clone, Copy, Debug, Default, FromBytes, Immutable, IntoBytes, KnownLayout)]
#[repr(C)]
pub(crate) struct Vector {
    /// [`modifier`] bits.
    pub modifiers: u32,
    /// The SDWA or DPP dword.
    pub control_word: u32,
    /// Scalar slot of a mask or carry source.
    pub mask_src: u16,
    /// Scalar slot of a mask or carry result.
    pub mask_dst: u16,
    /// Number of the instruction in the table that its row was made from, if it was.
    pub instruction: u16,
    pub control: Control,
    _reserved: [u8; 13],
}

impl Vector {
    /// An instruction without modifiers whose masks are in VCC.
    pub fn new(instruction: u16) -> Vector {
        Vector {
            mask_src: sreg::VCC as u16,
            mask_dst: sreg::VCC as u16,
            instruction,
            ..Vector::default()
        }
    }

    /// Bit `index` (the number of a source, or 3 for the destination) of the group of modifiers that starts at `base`.
    #[inline(always)]
    pub fn modifier(&self, base: u32, index: usize) -> u32 {
        self.modifiers >> (base + index as u32) & 1
    }

    /// The bits of op_sel.
    #[inline(always)]
    pub fn op_sel(&self) -> u32 {
        self.modifiers >> modifier::OP_SEL & 15
    }

    /// OMOD.
    #[inline(always)]
    pub fn output_modifier(&self) -> u32 {
        self.modifiers >> modifier::OMOD & 3
    }

    /// Returns `true` if results of floats are clamped, and those of integers saturate.
    #[inline(always)]
    pub fn clamp(&self) -> bool {
        self.modifiers & modifier::CLAMP != 0
    }
}

/// The step that makes a source of a vector ALU instruction a plain row, before the instruction.
#[derive(Clone, Copy, Debug, Default, FromBytes, Immutable, IntoBytes, KnownLayout)]
#[repr(C)]
pub(crate) struct Pass {
    /// The parameters that the pass's own documentation describes.
    pub parameters: [u32; 3],
    /// The DPP dword.
    pub control_word: u32,
    /// [`modifier`] bits, of which only [`modifier::VECTOR_ALU`] means something.
    pub modifiers: u32,
    /// Number of the source that the pass works on.
    source: u8,
    /// Rows of the result.
    words: u8,
    _reserved: [u8; 6],
}

impl Pass {
    /// A pass that makes `words` rows for source `source`.
    pub fn new(source: usize, words: usize, parameters: [u32; 3]) -> Pass {
        Pass {
            parameters,
            source: source as u8,
            words: words as u8,
            ..Pass::default()
        }
    }

    /// The same for an instruction with this DPP dword, which gfx9's index mode moves.
    pub fn before(self, control_word: u32) -> Pass {
        Pass {
            control_word,
            modifiers: modifier::VECTOR_ALU,
            ..self
        }
    }

    /// Number of the source that the pass works on, below 4.
    #[inline(always)]
    pub fn source(&self) -> usize {
        (self.source & 3) as usize
    }

    /// Rows of the result.
    #[inline(always)]
    pub fn words(&self) -> usize {
        self.words as usize
    }
}

/// The steps that a result needs behind a vector ALU instruction.
#[derive(Clone, Copy, Debug, Default, FromBytes, Immutable, IntoBytes, KnownLayout)]
#[repr(C)]
pub(crate) struct Completion {
    /// [`modifier`] bits of the instruction.
    pub modifiers: u32,
    /// Its SDWA dword.
    pub control_word: u32,
    /// [`Type`] of its result.
    result: u32,
    pub control: Control,
    _reserved: [u8; 15],
}

impl Completion {
    /// The steps for an instruction with a result of type `result`.
    pub fn new(instruction: &Vector, result: Type) -> Completion {
        Completion {
            modifiers: instruction.modifiers,
            control_word: instruction.control_word,
            result: result as u32,
            control: instruction.control,
            ..Completion::default()
        }
    }

    /// Type of the result.
    #[inline(always)]
    pub fn result(&self) -> Type {
        Type::from_code(self.result)
    }
}
