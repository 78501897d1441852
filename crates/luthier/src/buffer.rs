//! Accesses through buffer descriptors: what a hook needs to work out their addresses.
//!
//! Stride, swizzling and bounds are in registers, so no sum of registers is the address. `luthier::buffer_address` of
//! `luthier_device.h` does what the hardware does, given the registers.

use crate::{Argument, Instruction};
use gfx::Family;
use isa::{Format, Reg, RegKind};

/// Flags of `luthier::buffer_address`.
const INDEXED: u64 = 1;
const SINCE_GFX10: u64 = 2;

/// Parameters of `luthier::buffer_address` behind the first.
pub const BUFFER_ARGUMENTS: usize = 9;

/// Highest numbers of scalar operands that are registers, zero, and the largest and smallest integer constants.
const LAST_SGPR: u32 = 105;
const ZERO: u32 = 128;
const LARGEST: u32 = 192;
const SMALLEST: u32 = 208;

impl Instruction<'_> {
    /// Arguments for `luthier::buffer_address`: the descriptor's four words, scalar offset, index, offset, constant offset,
    /// flags. `None` if the instruction is no MUBUF or MTBUF, or is one of gfx11 or later.
    pub fn buffer_arguments(&self) -> Option<[Argument; BUFFER_ARGUMENTS]> {
        let inst = self.decoded();
        let family = self.family();
        let buffer = matches!(inst.format, Format::Mubuf | Format::Mtbuf);
        // Cache control has the format too, but no address.
        if !buffer || !self.is_memory() || family >= Family::Gfx11 {
            return None;
        }
        let [low, high, ..] = inst.words;
        let (with_offset, indexed) = (low >> 12 & 1 != 0, low >> 13 & 1 != 0);
        let vector = (high & 0xff) as u16;
        let descriptor = (high >> 16 & 0x1f) as u16 * 4;
        let word = |number: u16| Argument::Register(register(RegKind::Sgpr, descriptor + number));
        let scalar_offset = match high >> 24 {
            sgpr @ ..=LAST_SGPR => Argument::Register(register(RegKind::Sgpr, sgpr as u16)),
            constant @ ZERO..=LARGEST => Argument::Constant((constant - ZERO).into()),
            constant @ ..=SMALLEST if constant > LARGEST => {
                Argument::Constant(u64::from(LARGEST.wrapping_sub(constant)))
            }
            _ => return None,
        };
        let lane = |present: bool, behind: bool| match present {
            true => Argument::Register(register(RegKind::Vgpr, vector + u16::from(behind))),
            false => Argument::Constant(0),
        };
        let mut flags = if indexed { INDEXED } else { 0 };
        if family >= Family::Gfx10 {
            flags |= SINCE_GFX10;
        }
        Some([
            word(0),
            word(1),
            word(2),
            word(3),
            scalar_offset,
            lane(indexed, false),
            lane(with_offset, indexed),
            Argument::Constant((low & 0xfff).into()),
            Argument::Constant(flags),
        ])
    }
}

pub(crate) fn register(kind: RegKind, index: u16) -> Reg {
    Reg {
        kind,
        index,
        width: 1,
        half: None,
    }
}
