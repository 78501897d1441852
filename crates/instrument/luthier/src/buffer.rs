//! Accesses through buffer descriptors: what a hook needs to work out their addresses.
//!
//! Stride, swizzling and bounds are in registers, so no sum of registers is the address. `luthier::buffer_address` of
//! `luthier_device.h` does what the hardware does, given the registers.

use crate::{Argument, Instruction};
use gfx::Family;
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

/// Numbers of scalar operands that are registers end here; zero, and the largest and smallest integer constants.
const LAST_SGPR: u32 = 105;
const ZERO: u32 = 128;
const LARGEST: u32 = 192;
const SMALLEST: u32 = 208;

/// Bits of an encoding: word, first bit, how many.
#[derive(Clone, Copy)]
struct Field(usize, u32, u32);

impl Field {
    fn extract(self, words: &[u32]) -> u32 {
        words[self.0] >> self.1 & ((1 << self.2) - 1)
    }
}

/// The fields of an encoding from which addresses are made.
struct Layout {
    since: Family,
    flags: u64,
    /// First VGPR: of the index, then of the offset.
    vector: Field,
    scalar_offset: Field,
    /// The scalar operand that is zero without being a constant.
    null: Option<u32>,
    constant: Field,
    with_offset: Field,
    indexed: Field,
    /// The format of typed instructions.
    format: Field,
}

#[rustfmt::skip]
const GFX9: Layout = Layout {
    since: Family::Gfx9, flags: 0, null: None,
    vector: Field(1, 0, 8), scalar_offset: Field(1, 24, 8), constant: Field(0, 0, 12),
    with_offset: Field(0, 12, 1), indexed: Field(0, 13, 1), format: Field(0, 19, 4),
};
#[rustfmt::skip]
const GFX10: Layout = Layout {
    since: Family::Gfx10, flags: SINCE_GFX10, null: Some(125), format: Field(0, 19, 7), ..GFX9
};
#[rustfmt::skip]
const GFX11: Layout = Layout {
    since: Family::Gfx11, flags: GFX10.flags | SINCE_GFX11, null: Some(124),
    with_offset: Field(1, 22, 1), indexed: Field(1, 23, 1), ..GFX10
};
#[rustfmt::skip]
const GFX12: Layout = Layout {
    since: Family::Gfx12, flags: GFX11.flags | SINCE_GFX12, null: Some(124),
    vector: Field(2, 0, 8), scalar_offset: Field(0, 0, 7), constant: Field(2, 8, 24),
    with_offset: Field(1, 30, 1), indexed: Field(1, 31, 1), format: Field(1, 23, 7),
};
/// Newest first.
const LAYOUTS: [Layout; 4] = [GFX12, GFX11, GFX10, GFX9];

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
        let layout = LAYOUTS.iter().find(|layout| layout.since <= family)?;
        let field = |field: Field| field.extract(&inst.words);
        let descriptor = inst.operands.iter().find_map(|operand| match operand {
            Operand::Use(reg) if reg.kind == RegKind::Sgpr && reg.width == 4 => Some(reg.index),
            _ => None,
        })?;
        let word = |number: u16| Argument::Register(register(RegKind::Sgpr, descriptor + number));
        let scalar_offset = match field(layout.scalar_offset) {
            sgpr @ ..=LAST_SGPR => Argument::Register(register(RegKind::Sgpr, sgpr as u16)),
            null if Some(null) == layout.null => Argument::Constant(0),
            constant @ ZERO..=LARGEST => Argument::Constant((constant - ZERO).into()),
            constant @ ..=SMALLEST if constant > LARGEST => {
                Argument::Constant(u64::from(LARGEST.wrapping_sub(constant)))
            }
            _ => return None,
        };
        let (with_offset, indexed) = (field(layout.with_offset) != 0, field(layout.indexed) != 0);
        let vector = field(layout.vector) as u16;
        let lane = |present: bool, behind: bool| match present {
            true => Argument::Register(register(RegKind::Vgpr, vector + u16::from(behind))),
            false => Argument::Constant(0),
        };
        let flag = |set: bool, flag: u64| if set { flag } else { 0 };
        let flags = layout.flags
            | flag(indexed, INDEXED)
            | flag(typed || inst.op.data().formatted, FORMATTED)
            | flag(inst.effects.contains(Effects::ATOMIC), WHOLE)
            | flag(typed, u64::from(field(layout.format)) << FORMAT);
        Some([
            word(0),
            word(1),
            word(2),
            word(3),
            scalar_offset,
            lane(indexed, false),
            lane(with_offset, indexed),
            Argument::Constant(field(layout.constant).into()),
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
