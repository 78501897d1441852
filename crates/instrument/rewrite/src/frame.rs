//! A VGPR whose lanes a hook uses although the application needs it in every one of them, active or not: it goes to scratch
//! whole. Where all registers hold something, this takes one scalar register that is dead at the place, and nothing else: EXEC is
//! inverted in place, and SCC is told by which of two addresses the scalar register holds.
//!
//! A frame holds, for each lane, from its start: the VGPR where SCC was 0, the VGPR where SCC was 1, and two copies of the values that
//! the kernel's entry left for all places. With two copies, the values are at the same distance from either address.

use crate::allocate::Allocation;
use crate::encode::Encodings;
use crate::instruction::{EXEC, Instruction, InstructionSink, Op, SourceOperand, VCC};
use crate::lower::{Lowering, M0_NUMBER, SCC_NUMBER, fixed};
use template::{Clobbers, RegisterFile};

/// Dwords of scratch, before those of VGPRs that are spilled one by one.
pub(crate) const FRAME_SLOTS: u16 = 4;
/// Bytes from either place of the VGPR to what the entry left.
const LEFT: u32 = 8;

/// See the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub vgpr: u16,
    /// A scalar register, by its encoding.
    pub address: u16,
    /// The application needs SCC.
    pub keeps_scc: bool,
    /// The application needs the VGPR.
    pub saves: bool,
    /// The hook needs what the entry left.
    pub loads: bool,
}

fn store(vgpr: u16, base: u16, offset: u32, code: &mut impl InstructionSink) {
    let (vgpr, base) = (SourceOperand::Vector(vgpr), SourceOperand::Scalar(base));
    let sources = [vgpr, base, SourceOperand::Constant(offset)];
    code.put(Instruction::new(Op::ScratchStore, 0, &sources));
}

fn load(vgpr: u16, base: u16, offset: u32, code: &mut impl InstructionSink) {
    let sources = [SourceOperand::Scalar(base), SourceOperand::Constant(offset)];
    code.put(Instruction::new(Op::ScratchLoad, vgpr, &sources));
}

/// An access in the lanes that are on, then in the others; EXEC is as before behind it, SCC is not.
fn in_all_lanes<W: InstructionSink>(codes: &Encodings, code: &mut W, access: impl Fn(&mut W)) {
    let invert = match codes.wave_size {
        64 => Op::SNotB64,
        _ => Op::SNotB32,
    };
    for _ in 0..2 {
        access(code);
        fixed(codes, code, Op::MemoryGap);
        code.scalar1(invert, EXEC, SourceOperand::Scalar(EXEC));
    }
}

fn wait(codes: &Encodings, code: &mut impl InstructionSink) {
    if let Some(wait) = codes.wait(lift::Counter::Load) {
        code.fixed(wait);
    }
}

impl Frame {
    pub fn save(&self, scratch: u32, codes: &Encodings, code: &mut impl InstructionSink) {
        let (address, base) = (self.address, SourceOperand::Constant(scratch));
        if self.keeps_scc {
            let (one, zero) = (SourceOperand::Constant(4), SourceOperand::Constant(0));
            code.scalar2(Op::SCselectB32, address, one, zero);
            fixed(codes, code, Op::WaitAlu);
            code.scalar2(Op::SAddU32, address, SourceOperand::Scalar(address), base);
        } else {
            code.move_scalar(address, base);
        }
        if self.saves {
            in_all_lanes(codes, code, |code| store(self.vgpr, address, 0, code));
        }
        if self.loads {
            in_all_lanes(codes, code, |code| load(self.vgpr, address, LEFT, code));
            wait(codes, code);
        }
        self.restore_scc(base, codes, code);
    }

    pub fn restore(&self, scratch: u32, codes: &Encodings, code: &mut impl InstructionSink) {
        if !self.saves {
            return;
        }
        let address = self.address;
        in_all_lanes(codes, code, |code| load(self.vgpr, address, 0, code));
        wait(codes, code);
        self.restore_scc(SourceOperand::Constant(scratch), codes, code);
    }

    fn restore_scc(&self, base: SourceOperand, codes: &Encodings, code: &mut impl InstructionSink) {
        if self.keeps_scc {
            fixed(codes, code, Op::WaitAlu);
            code.compare(Op::SCmpLgU32, SourceOperand::Scalar(self.address), base);
        }
    }
}

/// At the entry: leaves the lanes of a VGPR for all places, whichever lanes are on. SCC changes, and `address`.
pub(crate) fn leave(
    vgpr: u16,
    address: u16,
    scratch: u32,
    codes: &Encodings,
    code: &mut Vec<Instruction>,
) {
    code.move_scalar(address, SourceOperand::Constant(scratch));
    in_all_lanes(codes, code, |code| {
        store(vgpr, address, LEFT, code);
        store(vgpr, address, LEFT + 4, code);
    });
}

impl Lowering<'_, '_> {
    /// Finds registers for a frame at a place, if there can be one.
    pub fn choose_frame(&mut self, chosen: &mut Allocation<'_>, loads: bool) -> Option<Frame> {
        self.scratch?;
        // The frame would lose the SCC that the hook leaves.
        if chosen.frame.is_some() || chosen.wanted.writes_scc {
            return None;
        }
        if !chosen.dead_given {
            chosen.dead_given = true;
            chosen.give_dead(self.supply.allocated);
        }
        let address = self.frame_address(chosen)?;
        let free = chosen.wholly_free().take(RegisterFile::Vgpr, 1, 1, 256);
        let live = || {
            let mut numbers = (0..self.supply.allocated.1).rev();
            numbers.find(|number| !chosen.in_use_vectors.contains(*number))
        };
        let vgpr = free.or_else(live)?;
        chosen.free.withhold(RegisterFile::Vgpr, vgpr, 1);
        chosen.use_up(RegisterFile::Vgpr, vgpr, 1);
        self.supply.use_up(RegisterFile::Vgpr, vgpr + 1);
        let frame = Frame {
            vgpr,
            address,
            keeps_scc: chosen.wanted.keeps_scc || chosen.place.live.scalars.contains(SCC_NUMBER),
            saves: free.is_none(),
            loads,
        };
        chosen.frame = Some(frame);
        Some(frame)
    }

    /// A scalar register that the application does not need here nor the hook anywhere: an SGPR, else VCC or M0.
    fn frame_address(&mut self, chosen: &mut Allocation<'_>) -> Option<u16> {
        let (file, limit) = (RegisterFile::Sgpr, self.codes.target.sgpr_addressable);
        if let Some(first) = chosen.free.take(file, 1, 1, limit) {
            self.supply.use_up(file, first + 1);
            chosen.use_up(file, first, 1);
            return Some(first);
        }
        let (live, clobbers) = (&chosen.place.live.scalars, chosen.template.clobbers);
        let special = [
            (VCC, VCC, Clobbers::VCC, true),
            (VCC + 1, VCC + 1, Clobbers::VCC, true),
            // Index mode is set from it.
            (
                self.codes.m0(),
                M0_NUMBER,
                Clobbers::M0,
                chosen.place.indexing.is_none(),
            ),
        ];
        let mut special = special.into_iter();
        let (operand, number, ..) = special.find(|(_, number, clobber, possible)| {
            let needed = live.contains(*number) || chosen.inputs.scalars.contains(*number);
            *possible && !needed && !clobbers.contains(*clobber)
        })?;
        chosen.use_up(file, number, 1);
        Some(operand)
    }
}
