//! Lowers WMMA and SWMMAC: runs of registers whose lengths depend on the target and the wave size.

use gfx::Family;
use isa::Inst;
use numerics::wmma::{Generation, INSTRUCTIONS, Output};

use super::{
    Config,
    operands::{source, vgpr},
};
use crate::{
    micro_op::{MicroOp, Src, Wmma, WmmaFields},
    ports::Type,
};
use isa::fields::bits;

/// Resolves operands and modifiers of `numerics::wmma`'s instruction `number`.
pub(super) fn lower(
    config: &Config,
    inst: &Inst,
    number: u16,
    op: &mut MicroOp,
) -> Result<(), String> {
    let instruction = &INSTRUCTIONS[number as usize];
    let [w0, w1, ..] = inst.words;
    let generation = match config.target.family {
        Family::Gfx11 => Generation::Rdna3,
        Family::Gfx12 => Generation::Rdna4,
        other => return Err(format!("no layout for {other:?}")),
    };
    let wave64 = config.wave_size == 64;
    let [a, b, d] = instruction.words(generation, wave64);
    let run = |code: u32, words: u16| -> Result<Src, String> {
        let index = code
            .checked_sub(256)
            .ok_or_else(|| format!("matrix in scalar operand {code}"))? as u16;
        vgpr(config, index + words - 1)?;
        Ok(Src::vector(vgpr(config, index)?))
    };
    op.src[0] = run(bits(w1, 8, 0), a)?;
    op.src[1] = run(bits(w1, 17, 9), b)?;
    let third = bits(w1, 26, 18);
    if instruction.sparse {
        op.src[2] = run(third, 1)?;
    } else if third >= 256 {
        op.src[2] = run(third, d)?;
    } else {
        let kind = match instruction.output {
            Output::F16 => Type::F16,
            Output::I32 => Type::B32,
            _ => Type::F32,
        };
        let constant = source(config, third, kind, 0)?;
        // Constants of floats have bfloat16's bits on top.
        op.src[2] = match instruction.output {
            Output::Bf16 if (240..=248).contains(&third) => {
                Src::constant(constant.kind, constant.constant_word() >> 16)
            }
            _ => constant,
        };
    }
    op.dst = run(256 + bits(w0, 7, 0), d)?.index;
    let fields = WmmaFields {
        neg: bits(w1, 31, 29),
        neg_hi: bits(w0, 10, 8),
        op_sel: bits(w0, 13, 11),
        clamp: bits(w0, 15, 15) != 0,
        wave64,
        rdna4: generation == Generation::Rdna4,
    };
    op.set(Wmma::new(number, &fields));
    Ok(())
}
