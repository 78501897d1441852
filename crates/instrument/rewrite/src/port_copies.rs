//! Values of ports that are not bound in place: copied to a template's registers, and back.

use crate::bind::Dword;
use crate::encode::Encodings;
use crate::instruction::{Instruction, InstructionSink, Op, SourceOperand};
use crate::ir::Code;
use crate::lower::{HookSite, Lowering, fixed};
use crate::registers::Home;
use crate::{AddressHalf, HookVariants, Refusal, Symbol};
use template::{RegisterFile, Template};

/// A dword of a port that is not bound in place.
pub(crate) struct PortCopy {
    pub file: RegisterFile,
    pub register: u16,
    pub dword: Dword,
}

impl PortCopy {
    pub fn is_scalar(&self) -> bool {
        self.file == RegisterFile::Sgpr
    }

    /// True if moves of scalars suffice.
    pub fn is_scalar_move(&self) -> bool {
        let from_scalar = match self.dword {
            Dword::Application(file, _) => file == RegisterFile::Sgpr,
            Dword::Kept(Home::Lane(..) | Home::Stored(_)) | Dword::Mode => false,
            _ => true,
        };
        self.is_scalar() && from_scalar
    }

    /// True if a vector instruction writes an SGPR.
    pub fn is_from_vector(&self) -> bool {
        let in_vector = matches!(
            self.dword,
            Dword::Application(RegisterFile::Vgpr, _) | Dword::Kept(Home::Lane(..))
        );
        self.is_scalar() && in_vector
    }
}

impl PortCopy {
    /// Takes half of an address that was computed in two VGPRs, if it was not computed here.
    pub fn take_half(&self, half: AddressHalf, [low, high]: [u16; 2], code: &mut Code<'_>) {
        let from = match half {
            AddressHalf::Low => low,
            AddressHalf::High => high,
        };
        if self.register != from {
            code.move_vector(self.register, SourceOperand::Vector(from));
        }
    }
}

/// The values that go into a template, and those that come out, if they are not bound in place.
#[derive(Default)]
pub(crate) struct PortCopies {
    pub inward: Vec<PortCopy>,
    pub outward: Vec<PortCopy>,
}

impl PortCopies {
    /// Where the address that lanes access with is best computed: in the template's own registers, or in the pair from `otherwise` on.
    pub fn sum(&self, otherwise: u16) -> [u16; 2] {
        let taken = |half| {
            let wanted = |copy: &&PortCopy| {
                copy.file == RegisterFile::Vgpr && copy.dword == Dword::Accessed(half)
            };
            self.inward.iter().find(wanted).map(|copy| copy.register)
        };
        [
            taken(AddressHalf::Low).unwrap_or(otherwise),
            taken(AddressHalf::High).unwrap_or(otherwise + 1),
        ]
    }

    pub fn new(template: &Template, dwords: &[Vec<Dword>], first: &[u16]) -> PortCopies {
        let mut copies = PortCopies::default();
        for (port, dwords) in template.ports.iter().zip(dwords) {
            for (place, &dword) in port.dwords.iter().zip(dwords) {
                let Some((group, offset)) = *place else {
                    continue;
                };
                let register = first[usize::from(group)] + offset;
                let file = port.file;
                let in_place = dword == Dword::Application(file, register)
                    || dword == Dword::Kept(Home::Scalar(register)) && file == RegisterFile::Sgpr;
                if in_place {
                    continue;
                }
                let copy = || PortCopy {
                    file,
                    register,
                    dword,
                };
                if port.read {
                    copies.inward.push(copy());
                }
                if port.written {
                    copies.outward.push(copy());
                }
            }
        }
        copies
    }
}

impl<'p> Lowering<'_, 'p> {
    /// `through`: an SGPR, where a VGPR takes a value out of a lane.
    pub fn copy_in(
        &self,
        copy: &PortCopy,
        through: Option<u16>,
        code: &mut Code<'p>,
    ) -> Result<(), Refusal> {
        let to = copy.register;
        match (copy.file, copy.dword) {
            (file, Dword::Address(global, half, addend)) => {
                let name = self.globals.get(global).ok_or(Refusal::BadPlan {
                    what: "global",
                    index: global,
                })?;
                let symbol = Symbol::Tool(name.clone());
                let address = SourceOperand::Address(code.address(half, symbol, addend.into()));
                if file == RegisterFile::Sgpr {
                    code.move_scalar(to, address);
                } else {
                    code.move_vector(to, address);
                }
            }
            (RegisterFile::Sgpr, Dword::Application(RegisterFile::Vgpr, from)) => {
                code.first_lane(to, from);
            }
            (RegisterFile::Sgpr, Dword::Kept(Home::Lane(vgpr, lane))) => {
                code.read_lane(to, vgpr, lane);
            }
            (RegisterFile::Vgpr, Dword::Mode | Dword::Kept(Home::Lane(..))) => {
                let through = through.ok_or(Refusal::BadPlan {
                    what: "a value by way of an SGPR, for a VGPR: number",
                    index: usize::from(to),
                })?;
                if let Dword::Kept(Home::Lane(vgpr, lane)) = copy.dword {
                    code.read_lane(through, vgpr, lane);
                    scalar_gap(self.codes, code);
                } else {
                    code.scalar1(Op::SGetWholeMode, through, SourceOperand::None);
                }
                code.move_vector(to, SourceOperand::Scalar(through));
            }
            (RegisterFile::Sgpr, Dword::Mode) => {
                code.scalar1(Op::SGetWholeMode, to, SourceOperand::None);
            }
            (RegisterFile::Sgpr, dword) => code.move_scalar(to, dword.operand()),
            (RegisterFile::Vgpr, Dword::Application(RegisterFile::Agpr, from)) => {
                code.vector(Op::VAccRead, to, &[SourceOperand::Vector(from)]);
            }
            (RegisterFile::Vgpr, dword) => code.move_vector(to, dword.operand()),
            // Hooks get no inputs there.
            (RegisterFile::Agpr, _) => {}
        }
        Ok(())
    }
}

pub(crate) fn copy_out(
    hook: &HookVariants<'_>,
    copy: &PortCopy,
    place: &HookSite<'_>,
    code: &mut Code<'_>,
) -> Result<(), Refusal> {
    let from = copy.register;
    match (copy.file, copy.dword) {
        (RegisterFile::Sgpr, Dword::Application(RegisterFile::Sgpr, to) | Dword::Special(to)) => {
            code.move_scalar(to, SourceOperand::Scalar(from));
        }
        (RegisterFile::Sgpr, Dword::Application(RegisterFile::Vgpr, to)) => {
            code.move_vector(to, SourceOperand::Scalar(from));
        }
        (RegisterFile::Vgpr, Dword::Application(RegisterFile::Vgpr, to)) => {
            code.move_vector(to, SourceOperand::Vector(from));
        }
        (RegisterFile::Vgpr, Dword::Application(RegisterFile::Agpr, to)) => {
            code.vector(Op::VAccWrite, to, &[SourceOperand::Vector(from)]);
        }
        (RegisterFile::Vgpr, Dword::Application(RegisterFile::Sgpr, to)) => {
            code.first_lane(to, from);
        }
        (RegisterFile::Sgpr, Dword::Scc) => {
            code.compare(
                Op::SCmpLgU32,
                SourceOperand::Scalar(from),
                SourceOperand::Constant(0),
            );
        }
        (RegisterFile::Sgpr, Dword::Mode) => {
            // gfx9: two wait states behind what may have put it back for the application.
            code.scalar1(Op::SNop, 0, SourceOperand::Constant(1));
            let from = SourceOperand::Scalar(from);
            code.put(Instruction::new(Op::SSetMode, 0, &[from]));
        }
        // The high half of a mask of 32 lanes.
        (RegisterFile::Sgpr, Dword::Constant(_)) => {}
        _ => {
            return Err(Refusal::NoValue {
                hook: hook.name.clone(),
                port: "an output".to_owned(),
                pc: place.pc,
                reason: "what the hook writes has no register to go to".to_owned(),
            });
        }
    }
    Ok(())
}

/// Behind instructions of the vector unit that wrote SGPRs.
pub(crate) fn scalar_gap(codes: &Encodings, code: &mut dyn InstructionSink) {
    fixed(codes, code, Op::ScalarGap);
    fixed(codes, code, Op::WaitAlu);
}
