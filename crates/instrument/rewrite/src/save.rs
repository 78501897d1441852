//! Saves around a template. Each knows how a value is saved and how it is restored.

use crate::allocate::Allocated;
use crate::encode::Encodings;
use crate::frame::{FRAME_SLOTS, Frame};
use crate::instruction::{EXEC, Instruction, InstructionSink, Op, SourceOperand, VCC};
use crate::ir::Code;
use crate::lower::{HookSite, fixed};
use smallvec::SmallVec;

/// Values that are saved together.
pub(crate) type SaveGroup = SmallVec<[Save; 2]>;

/// One thing that is saved in front of a template and restored behind it.
#[derive(Debug)]
pub(crate) enum Save {
    /// Index mode, with its enables: it is off for the template.
    IndexMode(u8),
    /// A VGPR in scratch, with the bytes to where VGPRs may be spilled.
    Frame(Frame, u32),
    /// SGPRs in lanes of a VGPR: lane and SGPR.
    Scalars(u16, Vec<(u16, u16)>),
    /// To an SGPR.
    Scc(u16),
    /// To as many SGPRs as there are halves.
    Vcc(u16, u16),
    M0(u16),
    /// Lane 0 of VGPRs: VGPR and SGPR.
    FirstLanes(Vec<(u16, u16)>),
    /// To so many SGPRs; lane 0 alone is on for the template.
    Exec(u16, u16),
    /// VGPRs in scratch from an offset on, with an SGPR for the address.
    Scratch {
        register: u16,
        offset: u32,
        vgprs: Vec<u16>,
    },
    /// To an SGPR; for the template it is as hooks want it.
    Mode(u16),
}

impl Save {
    /// The saves before scalar inputs are put in place, then before vector inputs, then before the template.
    pub fn levels(
        chosen: &Allocated,
        place: &HookSite<'_>,
        scratch: Option<u32>,
    ) -> [SaveGroup; 3] {
        let wide = u16::from(place.wave_size / 32);
        let spills = &chosen.spills;
        let scalars = spills.lanes_of.filter(|_| !spills.scalars.is_empty());
        let lanes = (!spills.first_lanes.is_empty()).then(|| spills.first_lanes.clone());
        // Values that go to lanes come first: the others may go to registers that are free only then.
        let outer = [
            place.indexing.map(Save::IndexMode),
            (chosen.frame.zip(scratch)).map(|(frame, scratch)| Save::Frame(frame, scratch)),
            scalars.map(|vgpr| Save::Scalars(vgpr, spills.scalars.clone())),
            chosen.scc.map(Save::Scc),
            chosen.vcc.map(|first| Save::Vcc(first, wide)),
            chosen.m0.map(Save::M0),
            lanes.map(Save::FirstLanes),
        ];
        let in_scratch = spills.scratch.as_ref();
        let middle = [
            chosen.exec.map(|first| Save::Exec(first, wide)),
            in_scratch.map(|(register, vgprs)| Save::Scratch {
                register: *register,
                offset: scratch.unwrap_or(0) + 4 * u32::from(FRAME_SLOTS),
                vgprs: vgprs.clone(),
            }),
        ];
        [
            outer.into_iter().flatten().collect(),
            middle.into_iter().flatten().collect(),
            chosen.mode.map(Save::Mode).into_iter().collect(),
        ]
    }

    /// Returns `true` if it takes nothing but scalar instructions that no hazard is about.
    pub fn is_scalar_move(&self) -> bool {
        matches!(self, Save::Scc(_) | Save::Vcc(..) | Save::Exec(..))
    }

    pub fn save(&self, codes: &Encodings, code: &mut Code<'_>) {
        match self {
            Save::IndexMode(_) => fixed(codes, code, Op::IndexOff),
            Save::Frame(frame, scratch) => frame.save(*scratch, codes, code),
            Save::Scalars(vgpr, scalars) => {
                for (lane, number) in scalars {
                    code.write_lane(*vgpr, *lane, *number);
                }
            }
            Save::Scc(register) => {
                let (one, zero) = (SourceOperand::Constant(1), SourceOperand::Constant(0));
                code.scalar2(Op::SCselectB32, *register, one, zero);
            }
            Save::Vcc(first, wide) => {
                for half in 0..*wide {
                    code.move_scalar(first + half, SourceOperand::Scalar(VCC + half));
                }
            }
            Save::M0(register) => code.move_scalar(*register, SourceOperand::Scalar(codes.m0())),
            Save::FirstLanes(lanes) => {
                for (vgpr, scalar) in lanes {
                    code.read_lane(*scalar, *vgpr, 0);
                }
            }
            Save::Exec(first, wide) => {
                let op = move_mask(*wide);
                code.scalar1(op, *first, SourceOperand::Scalar(EXEC));
                code.scalar1(op, EXEC, SourceOperand::Constant(1));
            }
            Save::Scratch {
                register,
                offset,
                vgprs,
            } => {
                code.move_scalar(*register, SourceOperand::Constant(*offset));
                let base = SourceOperand::Scalar(*register);
                for (slot, vgpr) in (0..).zip(vgprs) {
                    let sources = [
                        SourceOperand::Vector(*vgpr),
                        base,
                        SourceOperand::Constant(4 * slot),
                    ];
                    code.put(Instruction::new(Op::ScratchStore, 0, &sources));
                }
                fixed(codes, code, Op::SettleRegisters);
            }
            Save::Mode(register) => {
                code.scalar1(Op::SGetMode, *register, SourceOperand::None);
                code.fixed(Op::SSetModeOfHooks);
                // gfx9: two wait states between instructions that write the same hardware register.
                code.scalar1(Op::SNop, 0, SourceOperand::Constant(1));
            }
        }
    }

    pub fn restore(&self, codes: &Encodings, code: &mut Code<'_>) {
        match self {
            Save::IndexMode(enables) => {
                let (m0, enables) = (
                    SourceOperand::Scalar(codes.m0()),
                    SourceOperand::Constant(u32::from(*enables)),
                );
                code.scalar2(Op::IndexOn, 0, m0, enables);
            }
            Save::Frame(frame, scratch) => frame.restore(*scratch, codes, code),
            Save::Scalars(vgpr, scalars) => {
                for (lane, number) in scalars {
                    code.read_lane(*number, *vgpr, *lane);
                }
                fixed(codes, code, Op::WaitAlu);
            }
            Save::Scc(register) => {
                let zero = SourceOperand::Constant(0);
                code.compare(Op::SCmpLgU32, SourceOperand::Scalar(*register), zero);
            }
            Save::Vcc(first, wide) => {
                for half in 0..*wide {
                    code.move_scalar(VCC + half, SourceOperand::Scalar(first + half));
                }
            }
            Save::M0(register) => code.move_scalar(codes.m0(), SourceOperand::Scalar(*register)),
            Save::FirstLanes(lanes) => {
                for (vgpr, scalar) in lanes {
                    code.write_lane(*vgpr, 0, *scalar);
                }
            }
            Save::Exec(first, wide) => {
                code.scalar1(move_mask(*wide), EXEC, SourceOperand::Scalar(*first));
            }
            Save::Scratch {
                register, vgprs, ..
            } => {
                // The template may have left its own accesses unfinished; those to one address stay in order.
                let base = SourceOperand::Scalar(*register);
                for (slot, vgpr) in (0..).zip(vgprs) {
                    let sources = [base, SourceOperand::Constant(4 * slot)];
                    code.put(Instruction::new(Op::ScratchLoad, *vgpr, &sources));
                }
                if let Some(wait) = codes.wait(lift::Counter::Load) {
                    code.fixed(wait);
                }
                fixed(codes, code, Op::SettleRegisters);
            }
            Save::Mode(register) => {
                let register = SourceOperand::Scalar(*register);
                code.put(Instruction::new(Op::SSetMode, 0, &[register]));
            }
        }
    }
}

/// Moves as much as EXEC has.
pub(crate) fn move_mask(wide: u16) -> Op {
    if wide == 2 { Op::SMovB64 } else { Op::SMovB32 }
}
