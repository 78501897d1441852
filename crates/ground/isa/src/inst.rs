//! Decoded instructions and their parts.

use crate::Op;
use smallvec::SmallVec;
use std::{ops::Deref, sync::Arc};

/// Encoding format, as the ISA manuals name it. [`Effects`] tells which control dword follows a VOP1, VOP2 or VOPC, if
/// any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Scalar, one source.
    Sop1,
    /// Scalar, two sources.
    Sop2,
    /// Scalar compare.
    Sopc,
    /// Scalar with a 16-bit constant.
    Sopk,
    /// Scalar without operands, or with one constant: branches, waits, messages.
    Sopp,
    /// Scalar memory.
    Smem,
    /// Vector, one source.
    Vop1,
    /// Vector, two sources.
    Vop2,
    /// Vector compare.
    Vopc,
    /// Vector, three sources and modifiers, in 64 bits.
    Vop3,
    /// VOP3 with a scalar destination beside the vector one (`v_add_co_u32_e64`, `v_div_scale_f32`, ...).
    Vop3Sd,
    /// Packed vector, and matrix instructions.
    Vop3p,
    /// Two VOP3P-encoded halves (gfx950 scaled MFMA).
    Vop3px2,
    /// Two vector instructions in one.
    Vopd,
    /// Interpolation of attributes.
    Vinterp,
    /// LDS and GDS.
    Ds,
    /// Buffers without a format.
    Mubuf,
    /// Buffers with a format.
    Mtbuf,
    /// Images.
    Mimg,
    /// Memory of any address space by address.
    Flat,
    /// Global memory by address.
    Global,
    /// Scratch memory by address.
    Scratch,
    /// Exports.
    Exp,
    /// LDS to a register, for attributes.
    LdsDirect,
    /// None of these.
    Other,
}

bitflags::bitflags! {
    /// The effects of an instruction besides computing, one bit each.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
    pub struct Effects: u32 {
        /// Reads memory (global, scratch, LDS, constant).
        const LOAD = 1 << 0;
        /// Writes memory.
        const STORE = 1 << 1;
        /// Read-modify-write of memory.
        const ATOMIC = 1 << 2;
        /// Atomic that returns the value before the operation.
        const ATOMIC_RETURN = 1 << 3;
        /// May transfer control (`s_branch`, `s_cbranch_*`, `s_setpc_b64`, ...).
        const BRANCH = 1 << 4;
        /// Falls through as well when [`Effects::BRANCH`] is set.
        const CONDITIONAL = 1 << 5;
        /// Target comes from a register.
        const INDIRECT = 1 << 6;
        /// `s_swappc_b64`, `s_call_b64`.
        const CALL = 1 << 7;
        /// `s_setpc_b64` of a return address, `s_rfe_b64`.
        const RETURN = 1 << 8;
        /// `s_endpgm` and its variants.
        const END = 1 << 9;
        /// Workgroup barrier.
        const BARRIER = 1 << 10;
        /// `s_waitcnt` and the split wait instructions.
        const WAIT = 1 << 11;
        /// `s_trap`.
        const TRAP = 1 << 12;
        /// Sends a message to the host or to other hardware.
        const SENDMSG = 1 << 13;
        /// Runs on the scalar unit.
        const SALU = 1 << 14;
        /// Runs on the vector unit (matrix included).
        const VALU = 1 << 15;
        /// Matrix instruction.
        const MATRIX = 1 << 16;
        /// Runs on the unit for transcendental functions.
        const TRANSCENDENTAL = 1 << 17;
        /// Scalar memory.
        const SMEM = 1 << 18;
        /// Vector memory other than LDS.
        const VMEM = 1 << 19;
        /// Accesses LDS.
        const LDS = 1 << 20;
        /// Accesses scratch by an encoding of its own. [`Effects::FLAT`] and buffers may access scratch, too.
        const SCRATCH = 1 << 21;
        /// FLAT: global, LDS or scratch by address.
        const FLAT = 1 << 22;
        /// Increments vmcnt (loadcnt since gfx12).
        const COUNTS_VM = 1 << 23;
        /// Increments lgkmcnt (dscnt/kmcnt since gfx12).
        const COUNTS_LGKM = 1 << 24;
        /// Raises the counter of exports.
        const COUNTS_EXP = 1 << 25;
        /// Increments vscnt (storecnt).
        const COUNTS_VS = 1 << 26;
        /// Destination keeps bits it does not write (d16, SDWA preserve, op_sel high half, true16 halves, writelane).
        const PARTIAL_WRITE = 1 << 27;
        /// Vector instruction that acts regardless of EXEC (readlane, writelane, MFMA, ...).
        const IGNORES_EXEC = 1 << 28;
        /// Carries an SDWA control dword.
        const SDWA = 1 << 29;
        /// Carries a DPP16 control dword.
        const DPP16 = 1 << 30;
        /// Carries a DPP8 control dword.
        const DPP8 = 1 << 31;
    }
}

/// Register files and special registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RegKind {
    /// Scalar register.
    Sgpr,
    /// Vector register.
    Vgpr,
    /// AccVGPR.
    Agpr,
    /// Trap handler's register.
    Ttmp,
    /// `index` 0 is the low word.
    Vcc,
    /// Mask of lanes that are on.
    Exec,
    /// Condition bit of scalar instructions.
    Scc,
    /// Base and limit of LDS instructions, and index of others.
    M0,
    /// Rounding, denormals and exceptions.
    Mode,
    /// Base of scratch memory for FLAT instructions.
    FlatScratch,
    /// Mask of lanes that repeat after a page fault.
    XnackMask,
    /// Reads as zero; writes go nowhere.
    Null,
    /// Read-only sources: shared/private aperture bases and limits, pops id, vccz, execz, lds_direct.
    Source,
    /// hardware register or program counter state that is neither read nor written as an operand.
    Other,
}

/// A run of `width` registers (32-bit units) starting at `index`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reg {
    /// The kind of registers.
    pub kind: RegKind,
    /// Number of the first one.
    pub index: u16,
    /// Number of dwords.
    pub width: u8,
    /// For 16-bit operands (true16): `Some(false)` the low half, `Some(true)` the high half.
    pub half: Option<bool>,
}

/// One explicit operand, in the order in which LLVM's machine instruction lists them (definitions first).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// Written.
    Def(Reg),
    /// Read.
    Use(Reg),
    /// Immediate field or inline constant or literal, as LLVM stores it.
    Imm(i64),
    /// Branch target: displacement in bytes from the end of the instruction.
    PcRel(i64),
}

/// One decoded instruction at its place. Its description may be shared, or lie in a table: programs consist of few
/// different instructions.
#[derive(Clone, Copy, Debug)]
pub struct Inst<D = Arc<Decoded>> {
    /// Address it was decoded at.
    pub pc: u64,
    decoded: D,
}

/// The description of an instruction, which does not depend on its place.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// Length in bytes: 4 to 20.
    pub size: u8,
    /// The encoding, `size / 4` valid words.
    pub words: [u32; 5],
    /// Dense number of the LLVM opcode within one decoder; only good as a key for caches.
    pub opcode: u32,
    /// The opcode.
    pub op: Op,
    /// Format of the base encoding. A VOP2 with SDWA or DPP dword has `Vop2` here and the bit in `effects`.
    pub format: Format,
    /// The effects beside writing the operands.
    pub effects: Effects,
    /// As LLVM's machine instruction lists them: also modifiers of sources, and sources that are the destination.
    /// [`Decoded::printed`] has those of the instruction's text.
    pub operands: SmallVec<[Operand; 8]>,
    /// Bit N: the text does not list operand N. It modifies a source, or it is a source that is the destination.
    pub unprinted: u64,
    /// Registers that it writes without naming them.
    pub implicit_defs: SmallVec<[Reg; 2]>,
    /// Registers that it reads without naming them.
    pub implicit_uses: SmallVec<[Reg; 2]>,
}

impl Decoded {
    /// Assembler mnemonic without encoding suffix: `v_add_f32`, never `v_add_f32_e64`.
    pub fn mnemonic(&self) -> &'static str {
        self.op.name()
    }
}

impl<D: Deref<Target = Decoded>> Deref for Inst<D> {
    type Target = Decoded;

    fn deref(&self) -> &Decoded {
        &self.decoded
    }
}

impl<D: Deref<Target = Decoded>> Inst<D> {
    /// At an address; what it means does not depend on that, as branches have displacements.
    pub fn new(pc: u64, decoded: D) -> Inst<D> {
        Inst { pc, decoded }
    }

    /// The same, referred to.
    pub fn by_reference(&self) -> Inst<&Decoded> {
        Inst::new(self.pc, &self.decoded)
    }

    /// Address of the next instruction in memory.
    pub fn end(&self) -> u64 {
        self.pc + u64::from(self.size)
    }

    /// Direct branch or call target.
    pub fn target(&self) -> Option<u64> {
        self.operands.iter().find_map(|operand| match operand {
            Operand::PcRel(displacement) => Some(self.end().wrapping_add_signed(*displacement)),
            _ => None,
        })
    }
}

impl<'a> Inst<&'a Decoded> {
    /// With a copy of what it is.
    pub fn to_owned(self) -> Inst {
        Inst::new(self.pc, Arc::new(self.decoded.clone()))
    }

    /// The description, for as long as it lasts.
    pub fn decoded(self) -> &'a Decoded {
        self.decoded
    }
}
