//! Corrections of what LLVM's instruction descriptions say, one row each. `tests/decode/*.txt` holds a case per row.

use crate::{
    Decoded, Effects, Format, Known, Operand, Reg, RegKind, Traits, op::matches,
    opcode::OpcodeFacts,
};
use gfx::{Family, Target};

use Correction::*;

/// A change to an opcode's facts.
#[derive(Clone, Copy)]
enum Correction {
    /// LLVM lists a register that the hardware does not read.
    DoesNotRead(RegKind),
    /// LLVM lists a register that the hardware does not write.
    DoesNotWrite(RegKind),
    /// The hardware reads a register that LLVM does not list.
    Reads(RegKind, u16, u8),
    /// The hardware reads and writes EXEC, and LLVM does not list it (gfx9, which has waves of 64 lanes).
    ChangesExec,
    /// The displacement counts bytes and is the first operand.
    ByteDisplacement,
    /// [`apply_to_inst`] looks at each instruction.
    PerInstruction,
}

struct Row {
    /// A trailing `*` matches any rest.
    mnemonic: &'static str,
    format: Option<Format>,
    correction: Correction,
    #[allow(dead_code)] // for the reader
    reason: &'static str,
}

const fn row(
    mnemonic: &'static str,
    format: Option<Format>,
    correction: Correction,
    reason: &'static str,
) -> Row {
    Row {
        mnemonic,
        format,
        correction,
        reason,
    }
}

/// All matching rows apply, in order.
#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("v_mfma_*",     None,               DoesNotRead(RegKind::Exec), "matrix instructions run all lanes"),
    row("v_smfmac_*",   None,               DoesNotRead(RegKind::Exec), "matrix instructions run all lanes"),
    row("v_wmma_*",     None,               DoesNotRead(RegKind::Exec), "matrix instructions run all lanes"),
    row("v_swmmac_*",   None,               DoesNotRead(RegKind::Exec), "matrix instructions run all lanes"),
    row("v_readlane_b32",  None,            DoesNotRead(RegKind::Exec), "the lane is given, EXEC does not matter"),
    row("v_writelane_b32", None,            DoesNotRead(RegKind::Exec), "the lane is given, EXEC does not matter"),
    row("ds_*",         Some(Format::Ds),   PerInstruction,             "M0 is read by GDS, append, consume and addtid only, since gfx9"),
    row("image_*",      Some(Format::Mimg), PerInstruction,             "gfx9's encodings do not say how many registers the address has"),
    row("s_add_pc_i64", None,               ByteDisplacement,           "LLVM sees an ordinary operand"),
    row("s_setvskip",   None,               DoesNotWrite(RegKind::Scc), "it writes VSKIP in MODE; LLVM sees a comparison"),
    row("s_cbranch_g_fork", None,           ChangesExec,                "the lanes that go another way wait"),
    row("s_cbranch_i_fork", None,           ChangesExec,                "the lanes that go another way wait"),
    row("s_cbranch_join", None,             ChangesExec,                "the lanes that waited go on"),
    row("v_pk_fmac_f16", Some(Format::Vop2), PerInstruction,            "it adds to its destination; LLVM says so on gfx9 only"),
    row("s_cbranch_join", None,             Reads(RegKind::Mode, 0, 1), "the fork stack pointer is in MODE"),
    row("*",            Some(Format::Vop1), PerInstruction,             "SDWA dst_unused:UNUSED_PRESERVE keeps the rest"),
    row("*",            Some(Format::Vop2), PerInstruction,             "SDWA dst_unused:UNUSED_PRESERVE keeps the rest"),
    row("*",            Some(Format::Vop3), PerInstruction,             "op_sel[3] writes the high half and keeps the low one"),
    row("*",            Some(Format::Vop3p), PerInstruction,            "v_mad_mixlo/hi and v_fma_mixlo/hi write one half"),
];

/// Address registers of samples at most: offset, bias, reference, six derivatives, three coordinates, a level.
const MOST_SAMPLE_ADDRESSES: u16 = 13;

/// Address registers of other image instructions at most: three coordinates and a level or sample.
const MOST_IMAGE_ADDRESSES: u16 = 4;

/// Corrections that hold for every instruction of an opcode.
pub(crate) fn apply(facts: &mut OpcodeFacts) {
    for row in ROWS {
        if !matches(row.mnemonic, facts.op.name())
            || row.format.is_some_and(|format| format != facts.format)
        {
            continue;
        }
        match row.correction {
            DoesNotRead(kind) => facts.implicit_uses.retain(|reg| reg.kind != kind),
            DoesNotWrite(kind) => facts.implicit_defs.retain(|reg| reg.kind != kind),
            ChangesExec => {
                let exec = Reg {
                    kind: RegKind::Exec,
                    index: 0,
                    width: 2,
                    half: None,
                };
                for list in [&mut facts.implicit_defs, &mut facts.implicit_uses] {
                    if !list.contains(&exec) {
                        list.push(exec);
                    }
                }
            }
            Reads(kind, index, width) => {
                let reg = Reg {
                    kind,
                    index,
                    width,
                    half: None,
                };
                if !facts.implicit_uses.contains(&reg) {
                    facts.implicit_uses.push(reg);
                }
            }
            ByteDisplacement => {
                facts.pc_relative = Some(0);
                facts.displacement_in_bytes = true;
            }
            PerInstruction => facts.special = true,
        }
    }
}

/// Corrections that depend on fields of one instruction.
pub(crate) fn apply_to_inst(target: &Target, inst: &mut Decoded) {
    match inst.format {
        Format::Ds => {
            if inst.has_gds_bit(target) {
                inst.effects.remove(Effects::LDS);
                inst.effects |= Effects::COUNTS_EXP;
            } else if !inst.op.has(Traits::LDS_BY_M0) {
                inst.implicit_uses.retain(|reg| reg.kind != RegKind::M0);
            }
        }
        Format::Mimg if target.family == Family::Gfx9 => {
            let first = (inst.words[1] & 0xff) as u16;
            let most = if inst.op.has(Traits::SAMPLER) {
                MOST_SAMPLE_ADDRESSES
            } else {
                MOST_IMAGE_ADDRESSES
            };
            // LLVM lists the first.
            inst.implicit_uses.push(Reg {
                kind: RegKind::Vgpr,
                index: first,
                width: most.min(256 - first) as u8,
                half: None,
            });
        }
        Format::Vop1 | Format::Vop2 if inst.effects.contains(Effects::SDWA) => {
            let kept = inst.sdwa_destination();
            if kept.is_some_and(|kept| !kept.whole && kept.preserves) {
                inst.effects |= Effects::PARTIAL_WRITE;
            }
        }
        Format::Vop1 | Format::Vop2 | Format::Vop3 | Format::Vop3p => {
            let keeps_other_half = target.family >= Family::Gfx10 || inst.writes_upper_half();
            if inst.op.has(Traits::WRITES_HALF)
                || keeps_other_half && inst.op.has(Traits::RESULT_16)
            {
                inst.effects |= Effects::PARTIAL_WRITE;
            }
        }
        _ => {}
    }
    if inst.op.is(Known::VPkFmacF16)
        && let Some(&Operand::Def(reg)) = inst.operands.first()
        && !inst.operands.contains(&Operand::Use(reg))
    {
        inst.implicit_uses.push(reg);
    }
    let half_definition =
        |operand: &Operand| matches!(operand, Operand::Def(reg) if reg.half.is_some());
    if inst.operands.iter().any(half_definition) {
        inst.effects |= Effects::PARTIAL_WRITE;
    }
}
