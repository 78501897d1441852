//! Accesses through buffer descriptors: what a hook needs to work out their addresses.
//!
//! Stride, swizzling and bounds are in registers, so no sum of registers is the address. `luthier::buffer_address` of
//! `luthier_device.h` does what the hardware does, given the registers.

use crate::{Argument, Instruction};
use gfx::Family;
use isa::numbers::{self, LARGEST, SGPR_COUNT, SMALLEST, ZERO};
use isa::{Effects, Format, Operand, Reg, RegKind};

/// Flags of `luthier::buffer_address`.
const INDEXED: u64 = 1;
const SINCE_GFX10: u64 = 2;
const SINCE_GFX11: u64 = 4;
const SINCE_GFX12: u64 = 8;
/// Data in memory has the descriptor's format, or the instruction's format if it names one.
const FORMATTED: u64 = 16;
/// All of a lane's bytes are in bounds, or none.
const WHOLE: u64 = 32;
/// Shift of the format that the instruction names.
const FORMAT: u64 = 8;

/// Parameters of `luthier::buffer_address` behind the first two.
pub const BUFFER_ARGUMENTS: usize = 9;

/// Flags by the oldest family that has them, newest first.
const FAMILIES: [(Family, u64); 4] = [
    (Family::Gfx12, SINCE_GFX10 | SINCE_GFX11 | SINCE_GFX12),
    (Family::Gfx11, SINCE_GFX10 | SINCE_GFX11),
    (Family::Gfx10, SINCE_GFX10),
    (Family::Gfx9, 0),
];

impl Instruction<'_> {
    /// Arguments for `luthier::buffer_address`: the descriptor's four words, scalar offset, index, offset, constant offset,
    /// flags. `None` if the instruction is no MUBUF or MTBUF, or is one of gfx1250, whose descriptors are others.
    pub fn buffer_arguments(&self) -> Option<[Argument; BUFFER_ARGUMENTS]> {
        let inst = self.decoded();
        let family = self.family();
        let typed = inst.format == Format::Mtbuf;
        let buffer = typed || inst.format == Format::Mubuf;
        // Cache control has the format too, but no address.
        if !buffer || !self.is_memory() || family >= Family::Gfx12_5 {
            return None;
        }
        let address = inst.buffer(family)?;
        let since = FAMILIES.iter().find(|row| row.0 <= family)?;
        let descriptor = inst.operands.iter().find_map(|operand| match operand {
            Operand::Use(reg) if reg.kind == RegKind::Sgpr && reg.width == 4 => Some(reg.index),
            _ => None,
        })?;
        let word = |number: u16| Argument::Register(register(RegKind::Sgpr, descriptor + number));
        let scalar_offset = match address.soffset {
            sgpr @ ..SGPR_COUNT => Argument::Register(register(RegKind::Sgpr, sgpr)),
            null if Some(null) == numbers::null(family) => Argument::Constant(0),
            constant @ ZERO..=LARGEST => Argument::Constant((constant - ZERO).into()),
            constant @ ..=SMALLEST if constant > LARGEST => {
                let value = u32::from(LARGEST).wrapping_sub(constant.into());
                Argument::Constant(value.into())
            }
            _ => return None,
        };
        let (with_offset, indexed, vector) = (address.offen, address.idxen, address.vaddr);
        let lane = |present: bool, behind: bool| match present {
            true => Argument::Register(register(RegKind::Vgpr, vector + u16::from(behind))),
            false => Argument::Constant(0),
        };
        // The bytes of an element follow from the data format; on gfx9 the number format stands behind it.
        let format = match family {
            Family::Gfx9 => address.format & 0xf,
            _ => address.format,
        };
        let flag = |set: bool, flag: u64| if set { flag } else { 0 };
        let flags = since.1
            | flag(indexed, INDEXED)
            | flag(typed || inst.op.data().formatted, FORMATTED)
            | flag(inst.effects.contains(Effects::ATOMIC), WHOLE)
            | flag(typed, u64::from(format) << FORMAT);
        Some([
            word(0),
            word(1),
            word(2),
            word(3),
            scalar_offset,
            lane(indexed, false),
            lane(with_offset, indexed),
            Argument::Constant(address.offset.into()),
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
