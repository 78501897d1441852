//! Lowers MFMA, SMFMAC and what moves their operands between the two register files.

use isa::{Format, Inst};
use numerics::convert::Micro;

use super::{
    Config,
    operands::{agpr, source, vgpr},
};
use crate::{
    micro_op::{Mfma, MicroOp, Src, SrcKind},
    ports::Type,
    rows::{MatrixForm, VectorShape, matrix_plan},
};
use isa::fields::bits;

/// A row of either register file with `words` registers behind it.
pub(super) fn run_of(
    config: &Config,
    index: u16,
    words: u16,
    accumulator: bool,
) -> Result<u16, String> {
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
pub(super) fn source_of(
    config: &Config,
    code: u32,
    words: u16,
    accumulator: bool,
    kind: Type,
) -> Result<Src, String> {
    if code < 256 {
        return source(config, code, kind, 0);
    }
    Ok(Src::vector(run_of(
        config,
        code as u16 - 256,
        words,
        accumulator,
    )?))
}

/// Moves between VGPRs and AccVGPRs, whose mnemonic alone says which file is meant.
pub(super) fn move_accumulator(
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
    op.src[0] = source_of(config, code, 1, from, Type::B32)?;
    op.dst = run_of(config, destination as u16, 1, to)?;
    Ok(())
}

/// MFMA: acc bits choose the file per operand.
pub(super) fn lower(
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
        op.src[index] = source_of(
            config,
            codes[index],
            words[index],
            acc[index],
            shape.sources[index],
        )?;
    }
    op.dst = run_of(config, bits(w0, 7, 0) as u16, outputs, acc_cd)?;
    let mut number = shape.instruction;
    if shape.matrix_form == MatrixForm::Dense {
        let plan = matrix_plan(shape.instruction, config.target.matrix);
        (number, op.handler) = plan.ok_or("a matrix product that the target does not have")?;
    }
    let mut product = Mfma::new(number, cbsz, bits(w0, 14, 11), blgp);
    if scaled {
        let [p0, p1, ..] = inst.words;
        let codes = [bits(p1, 8, 0), bits(p1, 17, 9)];
        if bits(p1, 31, 29) != 0 {
            return Err("a negated scale".into());
        }
        for index in 0..2 {
            let src = source_of(config, codes[index], 1, false, Type::B32)?;
            if src.kind != SrcKind::Vector {
                return Err(format!("scale operand {}", codes[index]));
            }
            // The byte of the register: op_sel is its low bit, op_sel_hi its high one.
            let byte = p0 >> (11 + index) & 1 | (p1 >> (27 + index) & 1) << 1;
            product.set_scale(index, src.index, byte);
        }
    }
    op.set(product);
    Ok(())
}
