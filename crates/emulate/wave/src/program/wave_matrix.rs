//! Lowers WMMA and SWMMAC: runs of registers whose lengths depend on the target and the wave size.

use gfx::Family;
use isa::Inst;
use numerics::wmma::{Generation, INSTRUCTIONS, Output};

use super::{
    Config,
    operands::{source, vgpr},
};
use crate::{
    fields::bits,
    micro_op::{MicroOp, Src, SrcKind},
    ports::Type,
    rows::wmma_control as control,
};

/// Resolves operands and modifiers of the instruction that `op.attribute` names.
pub(super) fn lower(config: &Config, inst: &Inst, op: &mut MicroOp) -> Result<(), String> {
    let instruction = &INSTRUCTIONS[op.attribute as usize];
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
        Ok(Src {
            index: vgpr(config, index)?,
            kind: SrcKind::Vector,
        })
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
        (op.src[2], op.constant[2]) = source(config, third, kind, 0)?;
        // Constants of floats have bfloat16's bits on top.
        if instruction.output == Output::Bf16 && third >= 240 {
            op.constant[2] >>= 16;
        }
    }
    op.dst = run(256 + bits(w0, 7, 0), d)?.index;
    let flag = |set: bool, flag: u32| if set { flag } else { 0 };
    op.extra = bits(w1, 31, 29) << control::NEG
        | bits(w0, 10, 8) << control::NEG_HI
        | bits(w0, 13, 11) << control::OP_SEL
        | flag(bits(w0, 15, 15) != 0, control::CLAMP)
        | flag(wave64, control::WAVE64)
        | flag(generation == Generation::Rdna4, control::RDNA4);
    Ok(())
}
