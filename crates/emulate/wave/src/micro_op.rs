//! The decoded form that executes: one [`MicroOp`] per instruction, operands resolved to rows, slots and constants.

use crate::{engine::Env, state::Wave};

/// Executes one micro-op. Returns one of the constants of [`flow`]. Unsafe only because shells enable host features: call
/// through [`crate::shell::call`].
pub(crate) type Handler = unsafe fn(&mut Wave, &MicroOp, &mut Env<'_>) -> u32;

/// What a handler tells the engine's loop.
pub(crate) mod flow {
    /// Continue with the next micro-op.
    pub const NEXT: u32 = 0;
    /// EXEC was (or may have been) written; continue with the next micro-op.
    pub const EXEC_CHANGED: u32 = 1;
    /// Continue at `Wave::next`.
    pub const BRANCH: u32 = 2;
    /// Continue at address `Wave::next_pc`.
    pub const JUMP: u32 = 3;
    /// `Wave::stop` says why; `Wave::next` is already past this instruction.
    pub const STOP: u32 = 4;
}

/// Where a source operand comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub(crate) enum SrcKind {
    /// The operand does not exist.
    #[default]
    None,
    /// Vector row `index`.
    Vector,
    /// Scalar slot `index` (and the next one for 64-bit operands).
    Scalar,
    /// `MicroOp::constant`, high word zero.
    Constant,
    /// `MicroOp::constant`, sign-extended to 64 bits.
    ConstantSigned,
    /// `MicroOp::constant` is the high word, low word zero (f64 literals and inline constants).
    ConstantHigh,
    /// 1/(2*pi) as f64, the only inline constant with two significant words.
    InverseTwoPi64,
    /// SCC, VCCZ or EXECZ by index 0, 1, 2.
    Condition,
    /// SRC_SHARED_BASE, SHARED_LIMIT, PRIVATE_BASE, PRIVATE_LIMIT by index 0 to 3.
    Aperture,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Src {
    pub index: u16,
    pub kind: SrcKind,
}

/// Modifier bits of `MicroOp::modifiers`, same layout for all vector formats.
pub(crate) mod modifier {
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
    /// 16-bit results leave the other half of the register alone (gfx10 and later; gfx9 writes zeros).
    pub const PRESERVE_HIGH: u32 = 1 << 16;
    /// A vector ALU instruction, whose registers gfx9's index mode moves.
    pub const VECTOR_ALU: u32 = 1 << 17;
    /// Sources are pairs of singles: `MicroOp::constant` of a vector source says how many words behind its first one the
    /// second lies, and bodies apply op_sel, op_sel_hi, neg_lo and neg_hi to uniform ones.
    pub const PAIR: u32 = 1 << 19;
    /// The micro-op is chain `MicroOp::extra` of its segment.
    pub const CHAIN: u32 = 1 << 20;
    /// Bits 23 and 24: elements of source 0 and 1 are signed, for rows whose encoding says so.
    pub const SIGNED: u32 = 23;
    /// MODE has no bit that turns OMOD off (gfx12).
    pub const NO_IEEE: u32 = 1 << 25;
    /// `MicroOp::dst` is a vector row.
    pub const VECTOR_RESULT: u32 = 1 << 18;
}

/// Control dword that follows VOP1/VOP2/VOPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub(crate) enum Control {
    #[default]
    None,
    Sdwa,
    Dpp16,
    Dpp8,
}

/// One executable operation.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct MicroOp {
    pub handler: Handler,
    /// Vector row or scalar slot, by what the row's signature says.
    pub dst: u16,
    /// Scalar slot of a mask or carry result.
    pub mask_dst: u16,
    /// Scalar slot of a mask or carry source.
    pub mask_src: u16,
    pub control: Control,
    pub src: [Src; 3],
    pub constant: [u32; 3],
    /// `modifier` bits; memory instructions keep their cache and addressing bits here.
    pub modifiers: u32,
    /// SDWA/DPP dword, or a format's own extra (waitcnt immediate, matrix controls, dfmt/nfmt).
    pub extra: u32,
    /// Signed byte offset of memory instructions or simm16.
    pub offset: i32,
    /// Branch target as micro-op index.
    pub target: u32,
    /// `flow::NEXT` or `flow::EXEC_CHANGED`, decided at decode.
    pub after: u8,
    /// Dwords moved by memory instructions, or words of the result.
    pub width: u8,
    /// Row attribute, meaning known to the handler.
    pub attribute: u16,
}

const _: () = assert!(size_of::<MicroOp>() <= 128);
