//! The meaning of operand numbers: rows, slots and constants.

use isa::numbers;

use super::Config;
use crate::{
    micro_op::{Src, SrcKind, flow},
    ports::Type,
    state::sreg,
};

/// Number of the literal marker among source operands.
pub(super) const LITERAL: u32 = numbers::LITERAL as u32;
const VCCZ: u32 = numbers::VCCZ as u32;
const EXECZ: u32 = numbers::EXECZ as u32;
const SCC: u32 = numbers::SCC as u32;

/// `flow::EXEC_CHANGED` if scalar slots `first..first + words` include EXEC.
pub(super) fn exec_after(first: u16, words: usize) -> u8 {
    let exec = sreg::EXEC as u16;
    if first <= exec + 1 && first as usize + words > exec as usize {
        flow::EXEC_CHANGED as u8
    } else {
        flow::NEXT as u8
    }
}

/// Returns `true` if operand number `code` is NULL. It and M0 changed places on gfx11.
fn is_null(config: &Config, code: u32) -> bool {
    numbers::null(config.target.family).is_some_and(|null| code == null.into())
}

/// Scalar slot of operand number `code`, which is no NULL that is read or written.
pub(super) fn scalar_slot(config: &Config, code: u32) -> u16 {
    match code as u16 {
        m0 if m0 == numbers::m0(config.target.family) => sreg::M0 as u16,
        null if Some(null) == numbers::null(config.target.family) => sreg::NULL as u16,
        other => other,
    }
}

/// Scalar slot for a destination operand number.
pub(super) fn scalar_destination(config: &Config, code: u32, words: usize) -> Result<u16, String> {
    if is_null(config, code) {
        return Ok(sreg::SINK as u16);
    }
    if code as usize + words > 128 {
        return Err(format!("scalar destination {code} with {words} words"));
    }
    Ok(scalar_slot(config, code))
}

/// Row of VGPR `index`.
pub(super) fn vgpr(config: &Config, index: u16) -> Result<u16, String> {
    // Rows the wave does not have are caught when the whole run of registers is known; see `Wave::operands`.
    if u32::from(index) < config.vector_rows {
        Ok(index)
    } else {
        Err(format!(
            "v{index} is beyond the {} registers of the kernel",
            config.vector_rows
        ))
    }
}

/// Row of AccVGPR `index`.
pub(super) fn agpr(config: &Config, index: u16) -> Result<u16, String> {
    let row = config.agpr_base + u32::from(index);
    if row < config.vector_rows {
        Ok(row as u16)
    } else {
        Err(format!(
            "a{index} is beyond the {} registers of the kernel",
            config.vector_rows
        ))
    }
}

/// Row of a memory instruction's data register, which is an AccVGPR if `acc`.
pub(super) fn data_row(config: &Config, acc: bool, index: u16) -> Result<u16, String> {
    if acc {
        agpr(config, index)
    } else {
        vgpr(config, index)
    }
}

/// Resolves a 9-bit source operand number for an operand of type `kind`.
pub(super) fn source(config: &Config, code: u32, kind: Type, literal: u32) -> Result<Src, String> {
    let integer = |value: i32| Src::constant(SrcKind::ConstantSigned, value as u32);
    Ok(match code {
        0..=127 if is_null(config, code) => integer(0),
        0..=127 => Src::scalar(scalar_slot(config, code)),
        128 => integer(0),
        129..=192 => integer(code as i32 - 128),
        193..=208 => integer(192 - code as i32),
        235..=238 => Src::special(SrcKind::Aperture, code as u16 - 235),
        240..=248 => float_constant(code, kind),
        VCCZ => Src::special(SrcKind::Condition, 1),
        EXECZ => Src::special(SrcKind::Condition, 2),
        SCC => Src::special(SrcKind::Condition, 0),
        LITERAL => match kind {
            Type::F64 => Src::constant(SrcKind::ConstantHigh, literal),
            _ => Src::constant(SrcKind::Constant, literal),
        },
        256..=511 => Src::vector(vgpr(config, code as u16 - 256)?),
        _ => return Err(format!("source operand {code}")),
    })
}

/// Inline floating-point constants, encoded for the operand's type.
#[rustfmt::skip]
const FLOAT_CONSTANTS: [(u32, u16, u32); 9] = [
    // f32          f16     high word of f64
    (0x3f00_0000, 0x3800, 0x3fe0_0000), //  0.5
    (0xbf00_0000, 0xb800, 0xbfe0_0000), // -0.5
    (0x3f80_0000, 0x3c00, 0x3ff0_0000), //  1.0
    (0xbf80_0000, 0xbc00, 0xbff0_0000), // -1.0
    (0x4000_0000, 0x4000, 0x4000_0000), //  2.0
    (0xc000_0000, 0xc000, 0xc000_0000), // -2.0
    (0x4080_0000, 0x4400, 0x4010_0000), //  4.0
    (0xc080_0000, 0xc400, 0xc010_0000), // -4.0
    (0x3e22_f983, 0x3118, 0x3fc4_5f30), //  1/(2*pi), whose f64 form has a low word too
];

fn float_constant(code: u32, kind: Type) -> Src {
    let (f32_bits, f16_bits, f64_high) = FLOAT_CONSTANTS[code as usize - 240];
    let constant = |value| Src::constant(SrcKind::Constant, value);
    match kind {
        Type::F64 | Type::B64 if code == 248 => Src::special(SrcKind::InverseTwoPi64, 0),
        Type::F64 | Type::B64 => Src::constant(SrcKind::ConstantHigh, f64_high),
        Type::F16 | Type::B16 | Type::PackedF16 => constant(u32::from(f16_bits)),
        Type::Bf16 | Type::PackedBf16 => constant(f32_bits >> 16),
        _ => constant(f32_bits),
    }
}
