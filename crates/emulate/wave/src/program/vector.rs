//! Lowers vector ALU instructions: VOP1, VOP2, VOPC, VOP3, VOP3P with their SDWA and DPP forms.

use gfx::Family;
use isa::{Format, Inst, Known};

use super::{
    Config,
    lowering::Lowered,
    matrix,
    operands::{LITERAL, exec_after, scalar_destination, scalar_slot, source, vgpr},
    surround::surround,
};
use crate::{
    micro_op::{Control, MicroOp, Src, SrcKind, Vector, flow, modifier},
    passes,
    ports::Type,
    rows::{Destination, VectorShape},
    state::sreg,
};
use isa::fields::bits;

/// Lowers `inst` to its micro-op with the passes around it.
pub(super) fn lower(
    config: &Config,
    inst: &Inst,
    shape: &VectorShape,
    op: MicroOp,
) -> Result<Lowered, String> {
    let (mut ops, mut op) = (Vec::new(), op);
    let shape = &of_target(config, inst, shape);
    operands(config, inst, shape, &mut op)?;
    match shape.handlers {
        Some(handlers) => surround(config, shape, handlers(), op, &mut ops)?,
        None if announced(inst).0 != Control::NONE => {
            return Err("SDWA or DPP on an instruction that moves lanes itself".into());
        }
        None => ops.push(op),
    }
    Ok(Lowered {
        ops,
        bare: op,
        halves: None,
    })
}

/// Since gfx11 the number of bits or bytes to shift by is a half of a register.
fn of_target(config: &Config, inst: &Inst, shape: &VectorShape) -> VectorShape {
    let mut shape = *shape;
    let shifts = matches!(
        inst.op.known(),
        Some(Known::VAlignbitB32 | Known::VAlignbyteB32)
    );
    if shifts && config.target.family >= Family::Gfx11 {
        shape.sources[2] = Type::B16;
    }
    shape
}

/// Resolves the operands.
fn operands(
    config: &Config,
    inst: &Inst,
    shape: &VectorShape,
    op: &mut MicroOp,
) -> Result<(), String> {
    let [w0, w1, w2, ..] = inst.words;
    op.set(Vector::new(shape.instruction));
    let count = shape.source_count();
    if let Some(files) = shape.accumulators {
        return matrix::move_accumulator(config, inst, files, op);
    }
    if shape.runs != [0; 4] {
        return runs(config, inst, shape, op);
    }
    if shape.matrix_words[1] != 0 {
        return match inst.format {
            Format::Vop3px2 | Format::Vop3p => matrix::lower(config, inst, shape, op),
            other => Err(format!(
                "row is a product of matrices, encoding is {other:?}"
            )),
        };
    }
    // Operand numbers of the sources, destination number, and the literal.
    let (mut codes, mut destination, literal);
    match inst.format {
        Format::Vop1 => {
            codes = [bits(w0, 8, 0), 0, 0];
            (destination, literal) = (bits(w0, 24, 17), w1);
        }
        Format::Vop2 => {
            codes = two_sources(shape, bits(w0, 8, 0), bits(w0, 16, 9));
            (destination, literal) = (bits(w0, 24, 17), w1);
        }
        Format::Vopc => {
            codes = [bits(w0, 8, 0), 256 + bits(w0, 16, 9), 0];
            (destination, literal) = (sreg::VCC as u32, w1);
        }
        Format::Vop3 | Format::Vop3Sd => {
            codes = [bits(w1, 8, 0), bits(w1, 17, 9), bits(w1, 26, 18)];
            (destination, literal) = (bits(w0, 7, 0), w2);
            let vector = op.vector_mut();
            vector.modifiers =
                bits(w1, 31, 29) << modifier::NEG | bits(w1, 28, 27) << modifier::OMOD;
            if bits(w0, 15, 15) != 0 {
                vector.modifiers |= modifier::CLAMP;
            }
            if inst.format == Format::Vop3Sd {
                vector.mask_dst =
                    scalar_destination(config, bits(w0, 14, 8), config.wave_size as usize / 32)?;
            } else {
                vector.modifiers |=
                    bits(w0, 10, 8) << modifier::ABS | bits(w0, 14, 11) << modifier::OP_SEL;
            }
            // With three sources the mask is VCC.
            if shape.mask_source && count == 2 {
                let code = bits(w1, 26, 18);
                if code > 127 {
                    return Err(format!("lane mask operand {code}"));
                }
                vector.mask_src = scalar_slot(config, code);
            }
        }
        Format::Vop3p => {
            codes = [bits(w1, 8, 0), bits(w1, 17, 9), bits(w1, 26, 18)];
            (destination, literal) = (bits(w0, 7, 0), w2);
            let vector = op.vector_mut();
            vector.modifiers = bits(w1, 31, 29) << modifier::NEG
                | bits(w0, 10, 8) << modifier::ABS
                | bits(w0, 13, 11) << modifier::OP_SEL
                | bits(w1, 28, 27) << modifier::OP_SEL_HI
                | bits(w0, 14, 14) << (modifier::OP_SEL_HI + 2);
            if bits(w0, 15, 15) != 0 {
                vector.modifiers |= modifier::CLAMP;
            }
            if shape.neg_is_sign {
                vector.modifiers |= (vector.modifiers >> modifier::NEG & 3) << modifier::SIGNED;
                vector.modifiers &= !(7 << modifier::NEG);
            }
        }
        other => return Err(format!("row is vector, encoding is {other:?}")),
    }
    let vector = op.vector_mut();
    control(inst, vector, &mut codes);
    if vector.control == Control::DPP16 {
        passes::known_dpp(config.target, vector.control_word)?;
    }
    if config.target.family >= Family::Gfx11 {
        halves(inst.format, shape, vector, &mut codes, &mut destination)?;
    }
    if inst.format != Format::Vop3p {
        // Packed operands of the older formats are not swizzled.
        vector.modifiers |= 7 << modifier::OP_SEL_HI;
    }
    vector.modifiers |= modifier::VECTOR_ALU;
    if config.target.family >= Family::Gfx12 {
        vector.modifiers |= modifier::NO_IEEE;
    }
    if shape.destination == Destination::Vector {
        vector.modifiers |= modifier::VECTOR_RESULT;
    }
    if shape.high_half {
        vector.modifiers |= 1 << (modifier::OP_SEL + 3);
    }
    let sdwa = vector.control == Control::SDWA;
    if sdwa && inst.format == Format::Vopc && bits(w1, 15, 15) != 0 {
        destination = bits(w1, 14, 8);
        vector.control_word &= !0xff00;
    }
    assign(config, shape, op, codes, destination, literal)
}

/// Source operand numbers of VOP2 and of the halves of VOPD.
pub(super) fn two_sources(shape: &VectorShape, first: u32, second: u32) -> [u32; 3] {
    match shape.literal_position {
        1 => [first, LITERAL, 256 + second],
        2 => [first, 256 + second, LITERAL],
        _ => [first, 256 + second, 0],
    }
}

/// Halves of registers as sources and destinations become op_sel, since gfx11. VOP3 says it so already; elsewhere bit 7 of a
/// register's number does, where the operand has 16 bits.
fn halves(
    format: Format,
    shape: &VectorShape,
    vector: &mut Vector,
    codes: &mut [u32; 3],
    destination: &mut u32,
) -> Result<(), String> {
    let is_half = |kind| matches!(kind, Type::B16 | Type::F16 | Type::Bf16);
    match format {
        Format::Vop1 | Format::Vop2 | Format::Vopc => {
            for (index, code) in codes.iter_mut().enumerate() {
                if is_half(shape.sources[index]) && *code >= 256 + 128 {
                    *code -= 128;
                    vector.modifiers |= 1 << (modifier::OP_SEL as usize + index);
                }
            }
            if is_half(shape.result) && *destination >= 128 {
                *destination -= 128;
                vector.modifiers |= 8 << modifier::OP_SEL;
            }
        }
        Format::Vop3 => {
            // LLVM makes NEG of the negation of a pair, and ABS likewise.
            vector.modifiers |= modifier::BOTH_HALVES;
            let changed = vector.modifiers >> modifier::NEG | vector.modifiers >> modifier::ABS;
            let is_changed = |index: usize| changed >> index & 1 != 0;
            if (0..3).any(|index| shape.sources[index] == Type::PackedB16 && is_changed(index)) {
                return Err("negated pairs of integers outside of VOP3P".to_owned());
            }
        }
        _ => {}
    }
    if shape.tied && is_half(shape.result) && vector.modifiers & 8 << modifier::OP_SEL != 0 {
        vector.modifiers |= 1 << (modifier::OP_SEL as usize + shape.source_count() - 1);
    }
    Ok(())
}

/// Finds the registers and constants that operand numbers stand for.
pub(super) fn assign(
    config: &Config,
    shape: &VectorShape,
    op: &mut MicroOp,
    mut codes: [u32; 3],
    destination: u32,
    literal: u32,
) -> Result<(), String> {
    let count = shape.source_count();
    if shape.tied && count == 3 {
        codes[2] = 256 + destination;
    }
    for index in 0..count {
        op.src[index] = source(config, codes[index], shape.sources[index], literal)?;
        check_run(config, op.src[index], shape.sources[index].words())?;
    }
    match shape.destination {
        Destination::Vector => {
            op.dst = vgpr(config, destination as u16)?;
            check_run(config, Src::vector(op.dst), shape.result.words())?;
        }
        Destination::Scalar => {
            op.dst = scalar_destination(config, destination, 1)?;
            op.after = exec_after(op.dst, 1);
        }
        Destination::Mask => {
            let words = config.wave_size as usize / 32;
            let mask = scalar_destination(config, destination, words)?;
            op.vector_mut().mask_dst = mask;
            op.after = exec_after(mask, words);
        }
    }
    if shape.writes_exec {
        op.after = flow::EXEC_CHANGED as u8;
        if config.target.family != Family::Gfx9 {
            op.vector_mut().mask_dst = sreg::EXEC as u16;
        }
    }
    if op.vector().mask_dst as usize == sreg::EXEC && shape.mask_result {
        op.after = flow::EXEC_CHANGED as u8;
    }
    Ok(())
}

/// The control that the first source field announces, the field, and the dword that follows.
fn announced(inst: &Inst) -> (Control, u32, u32) {
    let [w0, w1, w2, ..] = inst.words;
    let short = matches!(inst.format, Format::Vop1 | Format::Vop2 | Format::Vopc);
    let long = matches!(inst.format, Format::Vop3 | Format::Vop3Sd | Format::Vop3p);
    let (source, dword) = if short { (w0, w1) } else { (w1, w2) };
    let source = bits(source, 8, 0);
    let control = match source {
        233 | 234 if short || long => Control::DPP8,
        249 if short => Control::SDWA,
        250 if short || long => Control::DPP16,
        _ => Control::NONE,
    };
    (control, source, dword)
}

/// Takes the SDWA, DPP16 or DPP8 dword apart.
fn control(inst: &Inst, vector: &mut Vector, codes: &mut [u32; 3]) {
    let (control, source, dword) = announced(inst);
    let short = matches!(inst.format, Format::Vop1 | Format::Vop2 | Format::Vopc);
    vector.control = control;
    if vector.control == Control::SDWA {
        vector.control_word = dword;
        let scalar0 = bits(dword, 23, 23) != 0;
        codes[0] = bits(dword, 7, 0) + if scalar0 { 0 } else { 256 };
        if bits(dword, 31, 31) != 0 && inst.format != Format::Vop1 {
            codes[1] -= 256;
        }
        vector.modifiers = bits(dword, 20, 20) << modifier::NEG
            | bits(dword, 28, 28) << (modifier::NEG + 1)
            | bits(dword, 21, 21) << modifier::ABS
            | bits(dword, 29, 29) << (modifier::ABS + 1);
        if inst.format != Format::Vopc {
            vector.modifiers |= bits(dword, 15, 14) << modifier::OMOD;
            if bits(dword, 13, 13) != 0 {
                vector.modifiers |= modifier::CLAMP;
            }
        }
    } else if vector.control == Control::DPP16 {
        vector.control_word = dword;
        codes[0] = 256 + bits(dword, 7, 0);
        if !short {
            // VOP3 has its own.
            return;
        }
        vector.modifiers = bits(dword, 20, 20) << modifier::NEG
            | bits(dword, 22, 22) << (modifier::NEG + 1)
            | bits(dword, 21, 21) << modifier::ABS
            | bits(dword, 23, 23) << (modifier::ABS + 1);
    } else if vector.control == Control::DPP8 {
        // The source field's marker 234 (instead of 233) is the fetch-inactive form.
        vector.control_word = dword & !0xff | u32::from(source == 234);
        codes[0] = 256 + bits(dword, 7, 0);
    }
}

/// The registers behind a multi-word operand must exist too.
fn check_run(config: &Config, src: Src, words: usize) -> Result<(), String> {
    if src.kind == SrcKind::Vector && words > 1 {
        vgpr(config, src.index + words as u16 - 1)?;
    }
    Ok(())
}

/// Operands that are runs of registers. NEG and ABS are known for single-precision sources of one register alone.
fn runs(config: &Config, inst: &Inst, shape: &VectorShape, op: &mut MicroOp) -> Result<(), String> {
    if inst.format != Format::Vop3 {
        return Err(format!(
            "row has runs of registers, encoding is {:?}",
            inst.format
        ));
    }
    let [w0, w1, ..] = inst.words;
    let codes = [bits(w1, 8, 0), bits(w1, 17, 9), bits(w1, 26, 18)];
    let (negated, absolute) = (bits(w1, 31, 29), bits(w0, 10, 8));
    for index in 0..3 {
        let words = shape.runs[index];
        let modified = (negated | absolute) >> index & 1 != 0;
        if modified && shape.sources[index] != Type::F32 && !shape.raw_modifiers {
            return Err(format!("NEG or ABS of source {index}"));
        }
        if words != 0 {
            op.src[index] =
                matrix::source_of(config, codes[index], words, false, shape.sources[index])?;
        }
    }
    if !shape.raw_modifiers && bits(w1, 28, 27) | bits(w0, 15, 15) != 0 {
        return Err("an output modifier of a conversion".into());
    }
    op.vector_mut().modifiers = negated << modifier::NEG
        | absolute << modifier::ABS
        | bits(w0, 14, 11) << modifier::OP_SEL
        | bits(w1, 28, 27) << modifier::OMOD;
    op.dst = matrix::run_of(config, bits(w0, 7, 0) as u16, shape.runs[3], false)?;
    Ok(())
}
