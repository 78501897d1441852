//! Lowers vector ALU instructions: VOP1, VOP2, VOPC, VOP3, VOP3P with their SDWA and DPP forms.

use gfx::Family;
use isa::{Format, Inst};
use numerics::convert::Micro;

use super::{
    Config,
    operands::{Lowered, agpr, exec_after, scalar_destination, scalar_slot, source, vgpr},
};
use crate::{
    fields::bits,
    micro_op::{Control, Handler, MicroOp, Src, SrcKind, flow, modifier},
    passes,
    ports::{Type, has_form},
    rows::{self, Destination, MatrixForm, VectorShape},
    shell::{self, Handlers},
    state::{LANES, sreg},
};

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
        None if op.control != Control::None => {
            return Err("SDWA or DPP on an instruction that moves lanes itself".into());
        }
        None => ops.push(op),
    }
    Ok(Lowered { ops, bare: op })
}

/// Since gfx11 the number of bits or bytes to shift by is a half of a register.
fn of_target(config: &Config, inst: &Inst, shape: &VectorShape) -> VectorShape {
    let mut shape = *shape;
    let shifts = ["v_alignbit_b32", "v_alignbyte_b32"].contains(&inst.mnemonic);
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
    let vcc = sreg::VCC as u16;
    (op.mask_dst, op.mask_src) = (vcc, vcc);
    let count = source_count(shape);
    if let Some(files) = shape.accumulators {
        return move_accumulator(config, inst, files, op);
    }
    if shape.runs != [0; 4] {
        return runs(config, inst, shape, op);
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
            (destination, literal) = (u32::from(vcc), w1);
        }
        Format::Vop3 | Format::Vop3Sd => {
            codes = [bits(w1, 8, 0), bits(w1, 17, 9), bits(w1, 26, 18)];
            (destination, literal) = (bits(w0, 7, 0), w2);
            op.modifiers = bits(w1, 31, 29) << modifier::NEG | bits(w1, 28, 27) << modifier::OMOD;
            if bits(w0, 15, 15) != 0 {
                op.modifiers |= modifier::CLAMP;
            }
            if inst.format == Format::Vop3Sd {
                op.mask_dst =
                    scalar_destination(config, bits(w0, 14, 8), config.wave_size as usize / 32)?;
            } else {
                op.modifiers |=
                    bits(w0, 10, 8) << modifier::ABS | bits(w0, 14, 11) << modifier::OP_SEL;
            }
            // With three sources the mask is VCC.
            if shape.mask_source && count == 2 {
                let code = bits(w1, 26, 18);
                if code > 127 {
                    return Err(format!("lane mask operand {code}"));
                }
                op.mask_src = scalar_slot(config, code);
            }
        }
        Format::Vop3px2 => return matrix(config, inst, shape, op),
        Format::Vop3p => {
            codes = [bits(w1, 8, 0), bits(w1, 17, 9), bits(w1, 26, 18)];
            (destination, literal) = (bits(w0, 7, 0), w2);
            if shape.matrix_words[1] != 0 {
                return matrix(config, inst, shape, op);
            }
            op.modifiers = bits(w1, 31, 29) << modifier::NEG
                | bits(w0, 10, 8) << modifier::ABS
                | bits(w0, 13, 11) << modifier::OP_SEL
                | bits(w1, 28, 27) << modifier::OP_SEL_HI
                | bits(w0, 14, 14) << (modifier::OP_SEL_HI + 2);
            if bits(w0, 15, 15) != 0 {
                op.modifiers |= modifier::CLAMP;
            }
            if shape.neg_is_sign {
                op.modifiers |= (op.modifiers >> modifier::NEG & 3) << modifier::SIGNED;
                op.modifiers &= !(7 << modifier::NEG);
            }
        }
        other => return Err(format!("row is vector, encoding is {other:?}")),
    }
    control(inst, op, &mut codes);
    if config.target.family >= Family::Gfx11 {
        halves(inst.format, shape, op, &mut codes, &mut destination)?;
    }
    if inst.format != Format::Vop3p {
        // Packed operands of the older formats are not swizzled.
        op.modifiers |= 7 << modifier::OP_SEL_HI;
    }
    op.modifiers |= modifier::VECTOR_ALU;
    if config.target.family >= Family::Gfx12 {
        op.modifiers |= modifier::NO_IEEE;
    }
    if shape.destination == Destination::Vector {
        op.modifiers |= modifier::VECTOR_RESULT;
    }
    if shape.high_half {
        op.modifiers |= 1 << (modifier::OP_SEL + 3);
    }
    if op.control == Control::Sdwa && inst.format == Format::Vopc && bits(w1, 15, 15) != 0 {
        destination = bits(w1, 14, 8);
        op.extra &= !0xff00;
    }
    assign(config, shape, op, codes, destination, literal)
}

/// Source operand numbers of VOP2 and of the halves of VOPD.
pub(super) fn two_sources(shape: &VectorShape, first: u32, second: u32) -> [u32; 3] {
    let literal = super::operands::LITERAL;
    match shape.literal_position {
        1 => [first, literal, 256 + second],
        2 => [first, 256 + second, literal],
        _ => [first, 256 + second, 0],
    }
}

/// Halves of registers as sources and destinations become op_sel, since gfx11. VOP3 says it so already; elsewhere bit 7 of a
/// register's number does, where the operand has 16 bits.
fn halves(
    format: Format,
    shape: &VectorShape,
    op: &mut MicroOp,
    codes: &mut [u32; 3],
    destination: &mut u32,
) -> Result<(), String> {
    let is_half = |kind| matches!(kind, Type::B16 | Type::F16 | Type::Bf16);
    match format {
        Format::Vop1 | Format::Vop2 | Format::Vopc => {
            for (index, code) in codes.iter_mut().enumerate() {
                if is_half(shape.sources[index]) && *code >= 256 + 128 {
                    *code -= 128;
                    op.modifiers |= 1 << (modifier::OP_SEL as usize + index);
                }
            }
            if is_half(shape.result) && *destination >= 128 {
                *destination -= 128;
                op.modifiers |= 8 << modifier::OP_SEL;
            }
        }
        Format::Vop3 => {
            let packed =
                |kind| matches!(kind, Type::PackedF16 | Type::PackedB16 | Type::PackedBf16);
            let changed = op.modifiers >> modifier::NEG | op.modifiers >> modifier::ABS;
            if (0..3).any(|index| packed(shape.sources[index]) && changed >> index & 1 != 0) {
                return Err("negated pairs outside of VOP3P".to_owned());
            }
        }
        _ => {}
    }
    if shape.tied && is_half(shape.result) && op.modifiers & 8 << modifier::OP_SEL != 0 {
        op.modifiers |= 1 << (modifier::OP_SEL as usize + source_count(shape) - 1);
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
    let count = source_count(shape);
    if shape.tied && count == 3 {
        codes[2] = 256 + destination;
    }
    for index in 0..count {
        (op.src[index], op.constant[index]) =
            source(config, codes[index], shape.sources[index], literal)?;
        check_run(config, op.src[index], shape.sources[index].words())?;
    }
    match shape.destination {
        Destination::Vector => {
            op.dst = vgpr(config, destination as u16)?;
            let words = shape.result.words();
            check_run(
                config,
                Src {
                    index: op.dst,
                    kind: SrcKind::Vector,
                },
                words,
            )?;
            op.width = words as u8;
        }
        Destination::Scalar => {
            op.dst = scalar_destination(config, destination, 1)?;
            op.after = exec_after(op.dst, 1);
        }
        Destination::Mask => {
            let words = config.wave_size as usize / 32;
            op.mask_dst = scalar_destination(config, destination, words)?;
            op.after = exec_after(op.mask_dst, words);
        }
    }
    if shape.writes_exec {
        op.after = flow::EXEC_CHANGED as u8;
        if config.target.family != Family::Gfx9 {
            op.mask_dst = sreg::EXEC as u16;
        }
    }
    if op.mask_dst as usize == sreg::EXEC && shape.mask_result {
        op.after = flow::EXEC_CHANGED as u8;
    }
    Ok(())
}

/// What the first source field announces, the field, and the dword that follows.
fn announced(inst: &Inst) -> (Control, u32, u32) {
    let [w0, w1, w2, ..] = inst.words;
    let short = matches!(inst.format, Format::Vop1 | Format::Vop2 | Format::Vopc);
    let long = matches!(inst.format, Format::Vop3 | Format::Vop3Sd | Format::Vop3p);
    let (source, dword) = if short { (w0, w1) } else { (w1, w2) };
    let source = bits(source, 8, 0);
    let control = match source {
        233 | 234 if short || long => Control::Dpp8,
        249 if short => Control::Sdwa,
        250 if short || long => Control::Dpp16,
        _ => Control::None,
    };
    (control, source, dword)
}

/// Takes the SDWA, DPP16 or DPP8 dword apart.
fn control(inst: &Inst, op: &mut MicroOp, codes: &mut [u32; 3]) {
    let (control, source, dword) = announced(inst);
    let short = matches!(inst.format, Format::Vop1 | Format::Vop2 | Format::Vopc);
    op.control = control;
    if op.control == Control::Sdwa {
        op.extra = dword;
        let scalar0 = bits(dword, 23, 23) != 0;
        codes[0] = bits(dword, 7, 0) + if scalar0 { 0 } else { 256 };
        if bits(dword, 31, 31) != 0 && inst.format != Format::Vop1 {
            codes[1] -= 256;
        }
        op.modifiers = bits(dword, 20, 20) << modifier::NEG
            | bits(dword, 28, 28) << (modifier::NEG + 1)
            | bits(dword, 21, 21) << modifier::ABS
            | bits(dword, 29, 29) << (modifier::ABS + 1);
        if inst.format != Format::Vopc {
            op.modifiers |= bits(dword, 15, 14) << modifier::OMOD;
            if bits(dword, 13, 13) != 0 {
                op.modifiers |= modifier::CLAMP;
            }
        }
    } else if op.control == Control::Dpp16 {
        op.extra = dword;
        codes[0] = 256 + bits(dword, 7, 0);
        if !short {
            // VOP3 has its own.
            return;
        }
        op.modifiers = bits(dword, 20, 20) << modifier::NEG
            | bits(dword, 22, 22) << (modifier::NEG + 1)
            | bits(dword, 21, 21) << modifier::ABS
            | bits(dword, 23, 23) << (modifier::ABS + 1);
    } else if op.control == Control::Dpp8 {
        // The source field's marker 234 (instead of 233) is the fetch-inactive form.
        op.extra = dword & !0xff | u32::from(source == 234);
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

/// Appends `op` with the passes that its operands need, and picks its body.
pub(super) fn surround(
    config: &Config,
    shape: &VectorShape,
    handlers: Handlers,
    op: MicroOp,
    ops: &mut Vec<MicroOp>,
) -> Result<(), String> {
    let mut op = op;
    // Integers saturate in the body for any mode.
    let saturates = op.modifiers & modifier::CLAMP != 0 && !is_float(shape.result);
    op.handler = if saturates {
        handlers.general
    } else {
        handlers.vector
    };
    let mut may_be_uniform = !saturates;
    for index in 0..source_count(shape) {
        let kind = shape.sources[index];
        let row = passes::source_row(config.vector_rows, index);
        let pass = |op: &MicroOp, handler: fn() -> Handler, constant| {
            let mut src = [Src::default(); 3];
            src[index] = op.src[index];
            MicroOp {
                dst: row,
                src,
                constant,
                modifiers: modifier::VECTOR_ALU,
                extra: op.extra,
                width: kind.words() as u8,
                attribute: index as u16,
                ..rows::blank(handler())
            }
        };
        let mut passed: Vec<passes::PassCall> = Vec::new();
        if index == 0
            && op.src[0].kind == SrcKind::Vector
            && let Some(handler) = shape.moved_source
        {
            passed.push((handler, [0; 3]));
        }
        if op.control == Control::Sdwa
            && index < 2
            && let Some(parameters) = passes::sdwa_selection(op.extra, index)
        {
            passed.push((
                shell::handler::<passes::SdwaSelect> as fn() -> Handler,
                parameters,
            ));
        }
        if op.control == Control::Dpp16 && index == 0 {
            let lanes = passes::static_lanes(op.extra);
            let parameters = [lanes as u32, (lanes >> 32) as u32, 0];
            passed.push((shell::vector_handler::<passes::DppEnter>, parameters));
        }
        if op.control == Control::Dpp8 && index == 0 {
            passed.push((shell::handler::<passes::Dpp8Enter>, [0; 3]));
        }
        if let Some(parameters) = passes::widening(&op, index, kind) {
            if passed.is_empty()
                && op.src[index].kind == SrcKind::Vector
                && passes::modification(&op, index, kind).is_none()
            {
                // The body loads halves itself.
                op.constant[index] = 1 + parameters[0] / 16;
                continue;
            }
            passed.push((shell::handler::<passes::Widen>, parameters));
        }
        let mut modification = passes::modification(&op, index, kind);
        if kind == Type::PackedF32 {
            op.modifiers |= modifier::PAIR;
            if op.src[index].kind != SrcKind::Vector {
                if may_be_uniform
                    && has_form(op.src[index].kind)
                    && handlers.uniform[index].is_some()
                {
                    modification = None;
                }
            } else if let Some((first, second)) = passes::pair_rows(&op, index) {
                op.src[index].index += first;
                op.constant[index] = (LANES as i32 * (second - i32::from(first))) as u32;
                continue;
            }
        }
        passed.extend(modification);
        if op.src[index].kind != SrcKind::Vector {
            if passed.is_empty()
                && may_be_uniform
                && has_form(op.src[index].kind)
                && let Some(handler) = handlers.uniform[index]
            {
                op.handler = handler;
                may_be_uniform = false;
                continue;
            }
            passed.insert(0, (shell::handler::<passes::Splat>, op.constant));
        }
        for (handler, parameters) in passed {
            ops.push(pass(&op, handler, parameters));
            op.src[index] = Src {
                index: row,
                kind: SrcKind::Vector,
            };
        }
        match kind {
            Type::PackedF32 => op.constant[index] = LANES as u32,
            Type::Mix => op.constant[index] = 0,
            _ => {}
        }
    }
    let after = op.after;
    let mut behind = Vec::new();
    if needs_finish(config, shape, &mut op) {
        if shape.moved_source.is_some() {
            return Err("part of a register that M0 chooses".into());
        }
        behind.push(MicroOp {
            dst: op.dst,
            modifiers: op.modifiers,
            control: op.control,
            extra: op.extra,
            target: shape.result as u32,
            ..rows::blank(shell::handler::<passes::Finish>())
        });
        op.dst = passes::result_row(config.vector_rows);
    }
    // (Comparisons that write EXEC have done so.)
    if op.control == Control::Dpp16 && !shape.writes_exec {
        behind.push(rows::blank(shell::handler::<passes::DppLeave>()));
    }
    if let Some(last) = behind.last_mut() {
        op.after = flow::NEXT as u8;
        last.after = after;
    }
    ops.push(op);
    ops.extend(behind);
    Ok(())
}

fn source_count(shape: &VectorShape) -> usize {
    shape
        .sources
        .iter()
        .filter(|&&kind| kind != Type::None)
        .count()
}

fn is_float(kind: Type) -> bool {
    matches!(
        kind,
        Type::F32 | Type::F64 | Type::F16 | Type::PackedF16 | Type::PackedF32 | Type::Mix
    )
}

/// Whether the result needs work behind the body: clamp, omod, op_sel or SDWA destination, half-register write.
fn needs_finish(config: &Config, shape: &VectorShape, op: &mut MicroOp) -> bool {
    let half_result = matches!(shape.result, Type::B16 | Type::F16);
    if half_result && (config.target.family != Family::Gfx9 || shape.keep_high) {
        op.modifiers |= modifier::PRESERVE_HIGH;
    }
    let output_modifiers = op.modifiers & (modifier::CLAMP | 3 << modifier::OMOD) != 0;
    let partial = op.modifiers & (1 << (modifier::OP_SEL + 3) | modifier::PRESERVE_HIGH) != 0;
    let sdwa_partial = op.control == Control::Sdwa && bits(op.extra, 10, 8) != 6;
    let byte = shape.result == Type::B8;
    shape.destination == Destination::Vector
        && (byte
            || is_float(shape.result) && output_modifiers
            || half_result && partial
            || sdwa_partial)
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
            (op.src[index], op.constant[index]) =
                matrix_source(config, codes[index], words, false, shape.sources[index])?;
        }
    }
    if !shape.raw_modifiers && bits(w1, 28, 27) | bits(w0, 15, 15) != 0 {
        return Err("an output modifier of a conversion".into());
    }
    op.modifiers = negated << modifier::NEG
        | absolute << modifier::ABS
        | bits(w0, 14, 11) << modifier::OP_SEL
        | bits(w1, 28, 27) << modifier::OMOD;
    op.dst = run_of(config, bits(w0, 7, 0) as u16, shape.runs[3], false)?;
    Ok(())
}

/// A row of either register file with `words` registers behind it.
fn run_of(config: &Config, index: u16, words: u16, accumulator: bool) -> Result<u16, String> {
    let row = |index| {
        if accumulator {
            agpr(config, index)
        } else {
            vgpr(config, index)
        }
    };
    row(index + words - 1)?;
    row(index)
}

/// A source of a matrix encoding: a run of registers of either file, or a constant.
fn matrix_source(
    config: &Config,
    code: u32,
    words: u16,
    accumulator: bool,
    kind: Type,
) -> Result<(Src, u32), String> {
    if code < 256 {
        return source(config, code, kind, 0);
    }
    let index = run_of(config, code as u16 - 256, words, accumulator)?;
    let kind = SrcKind::Vector;
    Ok((Src { index, kind }, 0))
}

/// Moves between VGPRs and AccVGPRs, whose mnemonic alone says which file is meant.
fn move_accumulator(
    config: &Config,
    inst: &Inst,
    [from, to]: [bool; 2],
    op: &mut MicroOp,
) -> Result<(), String> {
    let [w0, w1, ..] = inst.words;
    let (code, destination) = if inst.format == Format::Vop1 {
        (bits(w0, 8, 0), bits(w0, 24, 17))
    } else {
        (bits(w1, 8, 0), bits(w0, 7, 0))
    };
    (op.src[0], op.constant[0]) = matrix_source(config, code, 1, from, Type::B32)?;
    op.dst = run_of(config, destination as u16, 1, to)?;
    Ok(())
}

/// MFMA: acc bits choose the file per operand; cbsz, abid and blgp stay in `extra`.
fn matrix(
    config: &Config,
    inst: &Inst,
    shape: &VectorShape,
    op: &mut MicroOp,
) -> Result<(), String> {
    // A scaled product has its scales in an encoding of its own before the other.
    let scaled = inst.size == 16;
    let [w0, w1] = if scaled {
        [inst.words[2], inst.words[3]]
    } else {
        [inst.words[0], inst.words[1]]
    };
    let unified = config.target.unified_register_file;
    let acc_cd = if unified { bits(w0, 15, 15) != 0 } else { true };
    let acc = [bits(w1, 27, 27) != 0, bits(w1, 28, 28) != 0, acc_cd];
    let codes = [bits(w1, 8, 0), bits(w1, 17, 9), bits(w1, 26, 18)];
    let [inputs, outputs] = shape.matrix_words;
    let (cbsz, blgp) = (bits(w0, 10, 8), bits(w1, 31, 29));
    let (words, acc) = match shape.matrix_form {
        MatrixForm::Dense => ([inputs, inputs, outputs], acc),
        MatrixForm::Sparse => ([inputs / 2, inputs, 1], [acc[0], acc[1], false]),
        MatrixForm::Micro => {
            let words = |code: u32| {
                let format = Micro::from_code(code).ok_or_else(|| format!("matrix format {code}"));
                format.map(|format| format.bits() as u16)
            };
            ([words(cbsz)?, words(blgp)?, outputs], acc)
        }
    };
    for index in 0..3 {
        (op.src[index], op.constant[index]) = matrix_source(
            config,
            codes[index],
            words[index],
            acc[index],
            shape.sources[index],
        )?;
    }
    op.dst = run_of(config, bits(w0, 7, 0) as u16, outputs, acc_cd)?;
    if scaled {
        let [p0, p1, ..] = inst.words;
        let codes = [bits(p1, 8, 0), bits(p1, 17, 9)];
        if bits(p1, 31, 29) != 0 {
            return Err("a negated scale".into());
        }
        for index in 0..2 {
            let (src, _) = matrix_source(config, codes[index], 1, false, Type::B32)?;
            if src.kind != SrcKind::Vector {
                return Err(format!("scale operand {}", codes[index]));
            }
            // The byte of the register: op_sel is its low bit, op_sel_hi its high one.
            let byte = p0 >> (11 + index) & 1 | (p1 >> (27 + index) & 1) << 1;
            op.constant[index] = rows::SCALED | byte << 19 | u32::from(src.index);
        }
    }
    // cbsz 0-2, abid 3-6, blgp 7-9.
    op.extra = cbsz | bits(w0, 14, 11) << 3 | blgp << 7;
    Ok(())
}
