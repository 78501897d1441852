//! Corrections of what LLVM's instruction descriptions say, one row each. `tests/decode/*.txt` holds a case per row.

use crate::{
    Decoded, Effects, Format, Operand, Reg, RegKind, effects::matches, opcode::OpcodeFacts,
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

/// DS instructions whose address or size comes from M0 on every family.
const DS_READING_M0: &[&str] = &[
    "ds_append",
    "ds_consume",
    "ds_gws_*",
    "ds_ordered_count",
    "ds_read_addtid_b32",
    "ds_write_addtid_b32",
    "ds_load_addtid_b32",
    "ds_store_addtid_b32",
];

/// Image instructions that take a sampler.
const SAMPLES: &[&str] = &["image_sample*", "image_gather4*", "image_get_lod"];

/// Address registers of samples at most: offset, bias, reference, six derivatives, three coordinates, a level.
const MOST_SAMPLE_ADDRESSES: u16 = 13;

/// Address registers of other image instructions at most: three coordinates and a level or sample.
const MOST_IMAGE_ADDRESSES: u16 = 4;

/// Instructions that write 16 bits and keep the other half on gfx9 already: those of VOP3 that select halves, and mixed ones.
const HALF_WRITERS: &[&str] = &[
    "v_mad_f16",
    "v_mad_u16",
    "v_mad_i16",
    "v_fma_f16",
    "v_div_fixup_f16",
    "v_interp_p2_f16",
    "v_ashr_pk_i8_i32",
    "v_ashr_pk_u8_i32",
    "v_mad_mixlo_f16",
    "v_mad_mixhi_f16",
    "v_fma_mixlo_f16",
    "v_fma_mixhi_f16",
    "v_fma_mixlo_bf16",
    "v_fma_mixhi_bf16",
];

/// Corrections that hold for every instruction of an opcode.
pub(crate) fn apply(facts: &mut OpcodeFacts) {
    for row in ROWS {
        if !matches(row.mnemonic, facts.mnemonic)
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
            let gds_bit = if target.family == Family::Gfx9 {
                16
            } else {
                17
            };
            let gds = inst.words[0] >> gds_bit & 1 == 1 && target.family < Family::Gfx12;
            if gds {
                inst.effects.remove(Effects::LDS);
                inst.effects |= Effects::COUNTS_EXP;
            } else if !DS_READING_M0
                .iter()
                .any(|pattern| matches(pattern, inst.mnemonic))
            {
                inst.implicit_uses.retain(|reg| reg.kind != RegKind::M0);
            }
        }
        Format::Mimg if target.family == Family::Gfx9 => {
            let first = (inst.words[1] & 0xff) as u16;
            let most = if SAMPLES.iter().any(|name| matches(name, inst.mnemonic)) {
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
            let control = inst.words[1];
            let (select, unused) = (control >> 8 & 7, control >> 11 & 3);
            const DWORD: u32 = 6;
            const PRESERVE: u32 = 2;
            if select != DWORD && unused == PRESERVE {
                inst.effects |= Effects::PARTIAL_WRITE;
            }
        }
        Format::Vop1 | Format::Vop2 | Format::Vop3 | Format::Vop3p => {
            let writes_high_half = inst.format == Format::Vop3 && inst.words[0] >> 14 & 1 == 1;
            let keeps_other_half = target.family >= Family::Gfx10 || writes_high_half;
            if HALF_WRITERS.contains(&inst.mnemonic)
                || keeps_other_half && writes_16_bits(inst.mnemonic)
            {
                inst.effects |= Effects::PARTIAL_WRITE;
            }
        }
        _ => {}
    }
    if inst.mnemonic == "v_pk_fmac_f16"
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

/// By the naming rule of the manuals: the first type in a mnemonic is the result's.
fn writes_16_bits(mnemonic: &str) -> bool {
    if mnemonic.starts_with("v_pk_")
        || mnemonic.starts_with("v_cmp")
        || mnemonic.starts_with("v_cvt_pk")
    {
        return false;
    }
    let result = mnemonic.split('_').find(|part| {
        let digits = part.trim_start_matches(['b', 'f', 'i', 'u']);
        digits.len() < part.len()
            && !digits.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_digit())
    });
    result.is_some_and(|part| part.ends_with("16")) || mnemonic == "v_sat_pk_u8_i16"
}

#[cfg(test)]
mod tests {
    use super::writes_16_bits;

    #[test]
    fn result_types_by_name() {
        for half in [
            "v_add_f16",
            "v_cvt_f16_f32",
            "v_mad_u16",
            "v_fma_mixlo_f16",
            "v_dot2_bf16_bf16",
            "v_cndmask_b16",
        ] {
            assert!(writes_16_bits(half), "{half}");
        }
        for full in [
            "v_cvt_f32_f16",
            "v_mad_u32_u16",
            "v_pack_b32_f16",
            "v_pk_add_f16",
            "v_cmp_eq_u16",
            "v_add_f32",
        ] {
            assert!(!writes_16_bits(full), "{full}");
        }
    }
}
