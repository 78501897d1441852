//! The few instructions of our own, as values: what they do and on which registers, no bytes.

use crate::ir::AddressIndex;

/// Instructions with a row in [`crate::table::ROWS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Op {
    SMovB32,
    SMovB64,
    SCselectB32,
    SCmpLgU32,
    SCmpEqU32,
    SCmpLtU32,
    SAddU32,
    SAddcU32,
    SSubU32,
    SSubbU32,
    SAndB32,
    SLshlB32,
    SLshrB32,
    SAddNcU64,
    SNotB32,
    SNotB64,
    SNop,
    /// Between a scalar register that a VALU instruction wrote, however it changed since, and one that reads it, with one other
    /// instruction there.
    LaneGap,
    /// Between a vector instruction that wrote a scalar register and one that reads it, of any kind.
    ScalarGap,
    /// Between an access to memory and a scalar instruction that writes what it read.
    MemoryGap,
    STrap,
    SBranch,
    SCbranchScc1,
    SCbranchScc0,
    SSetpcB64,
    SLoadDword,
    SLoadDwordx2,
    /// All of MODE, to an SGPR.
    SGetWholeMode,
    /// The bits of MODE that hooks depend on, to an SGPR.
    SGetMode,
    /// Sets those bits as hooks need them.
    SSetModeOfHooks,
    /// Sets those bits from an SGPR.
    SSetMode,
    SGetScratchLow,
    SGetScratchHigh,
    SSetScratchLow,
    SSetScratchHigh,
    VMovB32,
    VReadfirstlaneB32,
    VReadlaneB32,
    VWritelaneB32,
    VAddU32,
    VAndB32,
    VLshlrevB32,
    VBfeU32,
    VMbcntLo,
    VMbcntHi,
    VAddCo,
    VAddCi,
    VAccRead,
    VAccWrite,
    ScratchStore,
    ScratchLoad,
    GlobalAtomicAddU64,
    GlobalStoreDword,
    WaitLoad,
    WaitSample,
    WaitBvh,
    WaitStore,
    WaitData,
    WaitScalar,
    WaitExport,
    WaitAlu,
    WaitVector,
    /// Until memory instructions have read their registers, and scalar ones have written theirs.
    SettleRegisters,
    /// Until scalar loads have read theirs.
    SettleLoads,
    /// Until all stores are done.
    SettleStores,
    IndexOff,
    IndexOn,
    EndPadding,
}

/// Operand encodings that do not depend on the family.
pub(crate) use isa::numbers::{EXEC, TTMP, VCC};

/// Where a dispatch's first work-group number is since gfx12, and the two others, 16 bits each.
pub(crate) const TTMP7: u16 = TTMP + 7;
pub(crate) const TTMP9: u16 = TTMP + 9;
/// On gfx9.
pub(crate) const FLAT_SCRATCH: u16 = 102;

/// A source operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SourceOperand {
    /// The instruction has no such operand.
    None,
    /// SGPR or special register by its encoding.
    Scalar(u16),
    Vector(u16),
    Constant(u32),
    Scc,
    /// A literal that becomes half of an address.
    Address(AddressIndex),
}

/// One instruction of our own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instruction {
    pub op: Op,
    /// The register that is written, if any.
    pub to: u16,
    pub sources: [SourceOperand; 3],
}

impl Instruction {
    /// One that has no operands to choose.
    pub fn fixed(op: Op) -> Instruction {
        Instruction::new(op, 0, &[])
    }

    pub fn new(op: Op, to: u16, given: &[SourceOperand]) -> Instruction {
        let mut sources = [SourceOperand::None; 3];
        sources[..given.len()].copy_from_slice(given);
        Instruction { op, to, sources }
    }
}

/// A receiver of instructions, one after the other.
pub(crate) trait InstructionSink {
    fn put(&mut self, instruction: Instruction);

    fn fixed(&mut self, op: Op) {
        self.put(Instruction::fixed(op));
    }

    /// `to` from one source of 32 or 64 bits.
    fn scalar1(&mut self, op: Op, to: u16, source: SourceOperand) {
        self.put(Instruction::new(op, to, &[source]));
    }

    fn scalar2(&mut self, op: Op, to: u16, left: SourceOperand, right: SourceOperand) {
        self.put(Instruction::new(op, to, &[left, right]));
    }

    /// Sets SCC.
    fn compare(&mut self, op: Op, left: SourceOperand, right: SourceOperand) {
        self.put(Instruction::new(op, 0, &[left, right]));
    }

    fn move_scalar(&mut self, to: u16, source: SourceOperand) {
        self.scalar1(Op::SMovB32, to, source);
    }

    /// Under EXEC.
    fn move_vector(&mut self, to: u16, source: SourceOperand) {
        self.put(Instruction::new(Op::VMovB32, to, &[source]));
    }

    /// The first active lane (lane 0 if there is none) of a VGPR.
    fn first_lane(&mut self, to: u16, from: u16) {
        let from = SourceOperand::Vector(from);
        self.put(Instruction::new(Op::VReadfirstlaneB32, to, &[from]));
    }

    /// Vector instructions of two or three operands under EXEC.
    fn vector(&mut self, op: Op, to: u16, sources: &[SourceOperand]) {
        self.put(Instruction::new(op, to, sources));
    }

    /// `to = left + right`, all but `left` VGPRs.
    fn add_vector(&mut self, to: u16, left: SourceOperand, right: u16) {
        self.vector(Op::VAddU32, to, &[left, SourceOperand::Vector(right)]);
    }

    /// `to = left + right`, carries to an SGPR (pair). No literals.
    fn add_carry_out(&mut self, to: u16, carry: u16, left: SourceOperand, right: SourceOperand) {
        self.vector(Op::VAddCo, to, &[left, right, SourceOperand::Scalar(carry)]);
    }

    /// `to = left + right + carry`.
    fn add_carry_in(&mut self, to: u16, carry: u16, left: SourceOperand, right: SourceOperand) {
        self.vector(Op::VAddCi, to, &[left, right, SourceOperand::Scalar(carry)]);
    }

    fn write_lane(&mut self, vgpr: u16, lane: u16, from: u16) {
        let lane = SourceOperand::Constant(lane.into());
        self.vector(
            Op::VWritelaneB32,
            vgpr,
            &[SourceOperand::Scalar(from), lane],
        );
    }

    fn read_lane(&mut self, to: u16, vgpr: u16, lane: u16) {
        let lane = SourceOperand::Constant(lane.into());
        self.vector(Op::VReadlaneB32, to, &[SourceOperand::Vector(vgpr), lane]);
    }
}

impl InstructionSink for Vec<Instruction> {
    fn put(&mut self, instruction: Instruction) {
        self.push(instruction);
    }
}
