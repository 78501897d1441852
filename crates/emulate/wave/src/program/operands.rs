//! Lowers one instruction: operand fields of every format to a [`MicroOp`].

use gfx::Family;
use isa::{Effects, Format, Inst};

use super::{Config, vector};
use crate::{
    fields::{Buffer, Ds, Flat, Image, Smem, bits, signed},
    hwreg, messages,
    micro_op::{MicroOp, Src, SrcKind, flow},
    ports::Type,
    rows::{
        Fill, NO_VECTOR_ADDRESS, Row, SINCE_GFX10, SINCE_GFX11, SINCE_GFX12, ScalarShape, Shape,
        image_field, to_lds,
    },
    state::sreg,
};

/// Number of the literal marker among source operands.
pub(super) const LITERAL: u32 = 255;

/// What an instruction becomes.
#[derive(Clone, Debug)]
pub(crate) struct Lowered {
    /// Micro-ops in their order.
    pub ops: Vec<MicroOp>,
    /// The instruction's operands as they are encoded, without the passes that `ops` may have around it.
    pub bare: MicroOp,
}

/// Lowers `inst` by `row` to one or more micro-ops. The error says what about it cannot execute.
pub(super) fn lower(config: &Config, inst: &Inst, row: &Row) -> Result<Lowered, String> {
    let mut op = row.micro_op();
    let family = config.target.family;
    // Every instruction may need to know where it ends (calls, getpc), none has a third constant then.
    let end = inst.end();
    match &row.shape {
        Shape::Nop => {}
        Shape::Program => {
            op.offset = signed(bits(inst.words[0], 15, 0), 16);
            op.constant = [end as u32, (end >> 32) as u32, 0];
        }
        Shape::Scalar(shape) => scalar(config, inst, shape, &mut op)?,
        Shape::Vector(shape) => {
            return vector::lower(config, inst, shape, op);
        }
        Shape::ScalarMemory => {
            let fields = Smem::decode(inst, family);
            op.src[0] = Src {
                index: fields.sbase,
                kind: SrcKind::Scalar,
            };
            op.dst = scalar_destination(config, u32::from(fields.sdata), row.width as usize)?;
            op.src[2] = Src {
                index: fields.sdata,
                kind: SrcKind::Scalar,
            };
            op.offset = fields.offset;
            if let Some(soffset) = fields.soffset {
                (op.src[1], op.constant[1]) = source(config, u32::from(soffset), Type::B32, 0)?;
            }
            op.modifiers = u32::from(fields.glc);
            op.after = exec_after(op.dst, row.width as usize);
        }
        Shape::Flat { segment_relative } => {
            let fields = Flat::decode(inst, config.target, *segment_relative);
            let data_row = |index| data_row(config, fields.acc, index);
            op.offset = fields.offset;
            op.modifiers = u32::from(fields.glc)
                | u32::from(fields.lds) << 1
                | u32::from(fields.saddr.is_some()) << 2;
            op.src[0] = Src {
                index: vgpr(config, fields.addr)?,
                kind: SrcKind::Vector,
            };
            op.src[1] = Src {
                index: data_row(fields.data)?,
                kind: SrcKind::Vector,
            };
            if let Some(saddr) = fields.saddr {
                op.src[2] = Src {
                    index: scalar_slot(config, u32::from(saddr)),
                    kind: SrcKind::Scalar,
                };
            }
            op.dst = data_row(fields.vdst)?;
            if inst.format == Format::Scratch && fields.no_vector_address {
                op.extra = NO_VECTOR_ADDRESS;
            }
        }
        Shape::Ds => {
            let fields = Ds::decode(inst, family);
            if fields.gds && op.attribute != crate::rows::DEVICE_BARRIER {
                return Err("GDS does not exist on the emulated device".into());
            }
            let data_row = |index| data_row(config, fields.acc, index);
            op.src[0] = Src {
                index: vgpr(config, fields.addr)?,
                kind: SrcKind::Vector,
            };
            op.src[1] = Src {
                index: data_row(fields.data0)?,
                kind: SrcKind::Vector,
            };
            op.src[2] = Src {
                index: data_row(fields.data1)?,
                kind: SrcKind::Vector,
            };
            op.dst = data_row(fields.vdst)?;
            op.offset = i32::from(fields.offset());
            op.extra = since_gfx10(family);
        }
        Shape::Buffer { typed } => {
            let fields = Buffer::decode(inst, family, *typed);
            op.offset = fields.offset as i32;
            op.src[0] = Src {
                index: vgpr(config, fields.vaddr)?,
                kind: SrcKind::Vector,
            };
            op.dst = data_row(config, fields.acc, fields.vdata)?;
            op.src[1] = Src {
                index: fields.srsrc,
                kind: SrcKind::Scalar,
            };
            (op.src[2], op.constant[2]) = source(config, u32::from(fields.soffset), Type::B32, 0)?;
            op.modifiers = u32::from(fields.glc)
                | u32::from(fields.lds) << 1
                | u32::from(fields.offen) << 2
                | u32::from(fields.idxen) << 3;
            op.modifiers |= since_gfx10(family);
            op.extra = fields.format;
            if fields.lds {
                op.handler =
                    to_lds(row.mnemonic).ok_or_else(|| "no such load to LDS".to_owned())?;
            }
        }
        Shape::Image => image(config, inst, row, &mut op)?,
        Shape::WaveMatrix => super::wave_matrix::lower(config, inst, &mut op)?,
        Shape::Message => {
            op.offset = bits(inst.words[0], 7, 0) as i32;
            let words = row.width as usize;
            op.dst = scalar_destination(config, bits(inst.words[0], 22, 16), words)?;
            op.after = exec_after(op.dst, words);
        }
        Shape::LdsDirect => op.dst = vgpr(config, bits(inst.words[0], 7, 0) as u16)?,
    }
    let immediate = bits(inst.words[0], 15, 0);
    match inst.mnemonic {
        "s_getreg_b32" | "s_setreg_b32" | "s_setreg_imm32_b32" => {
            op.extra = hwreg::check(config.target, inst.mnemonic, immediate as u16)?;
        }
        "s_sendmsg" | "s_sendmsghalt" => messages::check(config.target, immediate)?,
        _ => {}
    }
    if config.target.has_sramecc_by_default() && is_half_load(inst) {
        op.attribute = Fill::with_ecc(op.attribute);
    }
    Ok(Lowered {
        ops: vec![op],
        bare: op,
    })
}

fn image(config: &Config, inst: &Inst, row: &Row, op: &mut MicroOp) -> Result<(), String> {
    let fields = Image::decode(inst, config);
    if fields.r128 || fields.status {
        return Err("half a descriptor, or a status behind the data".into());
    }
    op.src[0] = Src {
        index: vgpr(config, u16::from(fields.addresses[0]))?,
        kind: SrcKind::Vector,
    };
    for (index, &address) in fields.addresses[1..].iter().enumerate() {
        op.constant[index / 4] |= u32::from(address) << (8 * (index % 4));
    }
    let scalar = |index| Src {
        index,
        kind: SrcKind::Scalar,
    };
    (op.src[1], op.src[2]) = (scalar(fields.srsrc), scalar(fields.ssamp));
    let data_row = |index| data_row(config, fields.acc, index);
    let components = u16::from(row.width).max(fields.dmask.count_ones() as u16);
    let registers = if fields.d16 {
        components.div_ceil(2)
    } else {
        components
    };
    op.dst = data_row(fields.vdata)?;
    data_row(fields.vdata + registers.max(1) - 1)?;
    let flag = |set, flag| if set { flag } else { 0 };
    op.extra = fields.dmask
        | flag(fields.unorm, image_field::UNNORMALIZED)
        | flag(fields.d16, image_field::D16)
        | flag(fields.a16, image_field::A16)
        | flag(fields.glc, image_field::RETURNS)
        | flag(fields.array, image_field::ARRAY)
        | fields.dim << image_field::DIMENSIONS;
    op.modifiers = since_gfx10(config.target.family);
    Ok(())
}

/// A load of 8 or 16 bits into one half of a register, whose row's attribute is a [`Fill`].
fn is_half_load(inst: &Inst) -> bool {
    let ends = |end| inst.mnemonic.ends_with(end);
    inst.effects.contains(Effects::LOAD)
        && !inst.mnemonic.contains("_format_")
        && (ends("_d16") || ends("_d16_hi"))
}

/// `SINCE_GFX10`, `SINCE_GFX11` and `SINCE_GFX12` if `family` is.
fn since_gfx10(family: Family) -> u32 {
    match family {
        Family::Gfx9 => 0,
        Family::Gfx10 | Family::Gfx10_3 => SINCE_GFX10,
        Family::Gfx11 => SINCE_GFX10 | SINCE_GFX11,
        _ => SINCE_GFX10 | SINCE_GFX11 | SINCE_GFX12,
    }
}

fn scalar(
    config: &Config,
    inst: &Inst,
    shape: &ScalarShape,
    op: &mut MicroOp,
) -> Result<(), String> {
    let w0 = inst.words[0];
    let literal = inst.words[1];
    let end = inst.end();
    let read = |op: &mut MicroOp, index: usize, code: u32| -> Result<(), String> {
        (op.src[index], op.constant[index]) = source(config, code, shape.sources[index], literal)?;
        Ok(())
    };
    let mut destination = bits(w0, 22, 16);
    match inst.format {
        Format::Sop1 => {
            if shape.sources[0] == Type::None {
                op.constant = [end as u32, (end >> 32) as u32, 0];
            } else {
                read(op, 0, bits(w0, 7, 0))?;
                // s_swappc_b64 needs the return address beside its source.
                op.constant[1] = end as u32;
                op.constant[2] = (end >> 32) as u32;
            }
        }
        Format::Sop2 | Format::Sopc => {
            read(op, 0, bits(w0, 7, 0))?;
            read(op, 1, bits(w0, 15, 8))?;
            // s_fmaak_f32 and s_fmamk_f32.
            if shape.sources[2] != Type::None {
                read(op, 2, LITERAL)?;
            }
        }
        Format::Sopk => {
            op.offset = signed(bits(w0, 15, 0), 16);
            op.constant = [end as u32, (end >> 32) as u32, literal];
            // SOPK reads what it also writes.
            op.src[0] = Src {
                index: scalar_slot(config, destination),
                kind: SrcKind::Scalar,
            };
        }
        other => return Err(format!("row is scalar, encoding is {other:?}")),
    }
    if inst.format == Format::Sopc {
        destination = 0;
    }
    let words = shape.result.words();
    if words > 0 {
        op.dst = scalar_destination(config, destination, words)?;
        if op.after == flow::NEXT as u8 {
            op.after = exec_after(op.dst, words);
        }
    } else {
        op.dst = scalar_slot(config, destination);
    }
    op.width = words as u8;
    Ok(())
}

/// `flow::EXEC_CHANGED` if scalar slots `first..first + words` include EXEC.
pub(super) fn exec_after(first: u16, words: usize) -> u8 {
    let exec = sreg::EXEC as u16;
    if first <= exec + 1 && first as usize + words > exec as usize {
        flow::EXEC_CHANGED as u8
    } else {
        flow::NEXT as u8
    }
}

/// Whether operand number `code` is NULL. It and M0 changed places on gfx11.
fn is_null(config: &Config, code: u32) -> bool {
    match config.target.family {
        Family::Gfx9 => false,
        Family::Gfx10 | Family::Gfx10_3 => code == 125,
        _ => code == 124,
    }
}

/// Scalar slot of operand number `code`, which is no NULL that is read or written.
pub(super) fn scalar_slot(config: &Config, code: u32) -> u16 {
    match code {
        125 if config.target.family >= Family::Gfx11 => sreg::M0 as u16,
        124 if config.target.family >= Family::Gfx11 => sreg::NULL as u16,
        _ => code as u16,
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
fn data_row(config: &Config, acc: bool, index: u16) -> Result<u16, String> {
    if acc {
        agpr(config, index)
    } else {
        vgpr(config, index)
    }
}

/// Resolves a 9-bit source operand number for an operand of type `kind`.
pub(super) fn source(
    config: &Config,
    code: u32,
    kind: Type,
    literal: u32,
) -> Result<(Src, u32), String> {
    let scalar = |code: u32| {
        (
            Src {
                index: scalar_slot(config, code),
                kind: SrcKind::Scalar,
            },
            0,
        )
    };
    let constant = |kind, value| (Src { index: 0, kind }, value);
    let integer = |value: i32| constant(SrcKind::ConstantSigned, value as u32);
    Ok(match code {
        0..=127 if is_null(config, code) => integer(0),
        0..=127 => scalar(code),
        128 => integer(0),
        129..=192 => integer(code as i32 - 128),
        193..=208 => integer(192 - code as i32),
        235..=238 => (
            Src {
                index: code as u16 - 235,
                kind: SrcKind::Aperture,
            },
            0,
        ),
        240..=248 => float_constant(code, kind),
        251 => (
            Src {
                index: 1,
                kind: SrcKind::Condition,
            },
            0,
        ),
        252 => (
            Src {
                index: 2,
                kind: SrcKind::Condition,
            },
            0,
        ),
        253 => (
            Src {
                index: 0,
                kind: SrcKind::Condition,
            },
            0,
        ),
        LITERAL => match kind {
            Type::F64 => constant(SrcKind::ConstantHigh, literal),
            _ => constant(SrcKind::Constant, literal),
        },
        256..=511 => (
            Src {
                index: vgpr(config, code as u16 - 256)?,
                kind: SrcKind::Vector,
            },
            0,
        ),
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

fn float_constant(code: u32, kind: Type) -> (Src, u32) {
    let (f32_bits, f16_bits, f64_high) = FLOAT_CONSTANTS[code as usize - 240];
    let constant = |kind, value| (Src { index: 0, kind }, value);
    match kind {
        Type::F64 | Type::B64 if code == 248 => constant(SrcKind::InverseTwoPi64, 0),
        Type::F64 | Type::B64 => constant(SrcKind::ConstantHigh, f64_high),
        Type::F16 | Type::B16 | Type::PackedF16 => constant(SrcKind::Constant, u32::from(f16_bits)),
        Type::Bf16 | Type::PackedBf16 => constant(SrcKind::Constant, f32_bits >> 16),
        _ => constant(SrcKind::Constant, f32_bits),
    }
}
