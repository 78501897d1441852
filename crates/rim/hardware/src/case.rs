//! The instructions to try, each on registers of its own.

use std::collections::BTreeSet;

use gfx::{Family, Target};
use isa::{Decoded, Decoder, Effects, Format, Inst, Operand, Reg, RegKind};

use crate::{
    Result,
    encoding::{self, Encoding, Field, Holds, SECOND_RESULT, SOURCES},
    frame::{FIRST, SCALAR_SLOT, SCALARS},
};

/// How results are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Bit by bit.
    Exact,
    /// In units of the last place: the manuals leave the last bits open.
    Approximate,
}

/// One instruction.
#[derive(Clone, Debug)]
pub struct Case {
    pub mnemonic: &'static str,
    /// As an assembler would have it.
    pub text: String,
    pub format: Format,
    pub words: Vec<u32>,
    /// Vector registers of a slot of the frame: 0 if it has none, else a power of two.
    pub width: u16,
    pub kind: Kind,
    pub decoded: Decoded,
}

/// An instruction that is not tried.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Left {
    pub mnemonic: &'static str,
    pub reason: &'static str,
}

/// What arithmetic has in common is that it changes registers and nothing else.
#[rustfmt::skip]
const NOT_ALONE: &[(Effects, &str)] = &[
    (Effects::BRANCH.union(Effects::CALL).union(Effects::RETURN).union(Effects::INDIRECT), "goes elsewhere"),
    (Effects::END,     "ends the wave"),
    (Effects::BARRIER, "waits for other waves"),
    (Effects::TRAP,    "needs a trap handler"),
    (Effects::SENDMSG, "sends a message"),
    (Effects::LOAD.union(Effects::STORE).union(Effects::ATOMIC), "accesses memory"),
];

/// Beginnings of mnemonics.
#[rustfmt::skip]
const NOT_COMPARABLE: &[(&str, &str)] = &[
    ("s_getpc",            "its result is an address"),
    ("s_get_pc",           "its result is an address"),
    ("s_add_pc",           "goes elsewhere"),
    ("s_get_shader_cycles", "reads a clock"),
    ("s_getreg",           "reads state that differs between devices"),
    ("s_setreg",           "changes modes; every case sets MODE with it"),
    ("s_set_gpr_idx",      "changes modes"),
    ("s_cbranch",          "goes elsewhere"),
    ("s_call",             "goes elsewhere"),
    ("s_rfe",              "returns from a trap handler"),
    ("s_subvector",        "goes elsewhere"),
    ("s_sendmsg",          "sends a message"),
    ("s_barrier",          "waits for other waves"),
    ("s_get_barrier",      "waits for other waves"),
    ("s_wakeup",           "acts on other waves"),
    ("s_sleep",            "only takes time"),
    ("s_wait",             "only takes time"),
    ("s_version",          "does nothing"),
    ("s_alloc_vgpr",       "needs a kernel with dynamic registers"),
    ("v_illegal",          "stops by its nature"),
    ("v_interp",           "reads attributes of pixel shaders"),
    ("v_screen_partition", "is for rasterisation"),
    ("v_mfma_ld_scale",    "is half of another instruction"),
    ("v_movrel",           "names registers by M0"),
    ("v_swaprel",          "names registers by M0"),
    ("s_movrel",           "names registers by M0"),
    ("v_clrexcp",          "changes state that is not compared"),
];

/// Functions whose last bits the manuals leave open; the type follows.
const APPROXIMATE: &[&str] = &[
    "v_rcp_",
    "v_rsq_",
    "v_sqrt_",
    "v_exp_",
    "v_log_",
    "v_sin_",
    "v_cos_",
    "v_tanh_",
    "v_s_rcp_",
    "v_s_rsq_",
    "v_s_sqrt_",
    "v_s_exp_",
    "v_s_log_",
];

/// All cases of a target, in the order of their formats and opcodes, and what is left out with the reason.
pub fn cases(target: &'static Target, wave_size: u8) -> Result<(Vec<Case>, Vec<Left>)> {
    let decoder = Decoder::with_features(target, wave_size, "")?;
    let mut cases: Vec<Case> = Vec::new();
    let mut left = BTreeSet::new();
    let mut met = BTreeSet::new();
    for encoding in encoding::encodings(target.family) {
        for opcode in 0..encoding.opcodes {
            let Some(found) = find(&decoder, &encoding, opcode) else {
                continue;
            };
            let mnemonic = found.mnemonic;
            // Several opcodes may be one instruction.
            if !met.insert((mnemonic, found.decoded.format as u8)) {
                continue;
            }
            // A function is measured once, in its shorter encoding.
            let measured = |other: &Case| other.mnemonic == mnemonic;
            if found.kind == Kind::Approximate && cases.iter().any(measured) {
                continue;
            }
            match why_not(&found.decoded) {
                Some(reason) => {
                    left.insert(Left { mnemonic, reason });
                }
                None => {
                    let modified = modified(&decoder, &encoding, &found);
                    cases.push(found);
                    cases.extend(modified);
                }
            }
        }
    }
    Ok((cases, left.into_iter().collect()))
}

/// The opcode's instruction, if it has one, with registers that LLVM accepts; AccVGPRs only if it takes no others.
fn find(decoder: &Decoder, encoding: &Encoding, opcode: u32) -> Option<Case> {
    let mut accumulating = None;
    for &extra in encoding.extras {
        for sources in SOURCES {
            let probe = |field: &Field| match field.holds {
                Holds::Either => (number(field, 4), sources[usize::from(field.slot)]),
                Holds::Scalar => (number(field, SCALAR_SLOT), false),
                Holds::Vector | Holds::Result => (number(field, 4), true),
            };
            let words = encoding.words(opcode, extra, probe);
            let Some(decoded) = decode(decoder, &words) else {
                continue;
            };
            if encoding_differs(encoding.format, decoded.format) {
                continue;
            }
            let width = widest(&decoded).next_power_of_two();
            let width = if widest(&decoded) == 0 { 0 } else { width };
            let scalar_result = is_scalar_result(&decoded);
            let mut words = encoding.words(opcode, extra, |field| {
                let vector = match field.holds {
                    Holds::Either => sources[usize::from(field.slot)],
                    Holds::Scalar => false,
                    Holds::Vector => true,
                    Holds::Result => !scalar_result,
                };
                let size = if vector { width } else { SCALAR_SLOT };
                (number(field, size), vector)
            });
            if decoded.format == Format::Vop3Sd {
                let number = number(&SECOND_RESULT, SCALAR_SLOT);
                encoding::put(&mut words, &SECOND_RESULT, (number, false));
            }
            without_unused(decoder, encoding, &mut words);
            let Some(decoded) = decode(decoder, &words) else {
                continue;
            };
            let case = Case::new(decoder, words, width, decoded);
            if !registers(&case.decoded).any(|reg| reg.kind == RegKind::Agpr) {
                return Some(case);
            }
            accumulating.get_or_insert(case);
        }
    }
    accumulating
}

/// The same with what the format has to change operands, where the instruction has that, and with other first sources.
fn modified(decoder: &Decoder, encoding: &Encoding, case: &Case) -> Vec<Case> {
    // Products of matrices have other fields there, and functions are measured once.
    if case.decoded.effects.contains(Effects::MATRIX) || case.kind == Kind::Approximate {
        return Vec::new();
    }
    let mut words = [encoding::LITERAL; 4];
    words[..case.words.len()].copy_from_slice(&case.words);
    let mut cases: Vec<Case> = Vec::new();
    let mut add = |changed: [u32; 4], same_registers: bool| {
        let Some(decoded) = decode(decoder, &changed) else {
            return;
        };
        let same = decoded.mnemonic == case.mnemonic
            && decoded.format == case.format
            && (!same_registers || registers(&decoded).eq(registers(&case.decoded)))
            && why_not(&decoded).is_none();
        let new = Case::new(decoder, changed, case.width, decoded);
        // Bits that nothing reads do not show.
        let known = cases.iter().any(|other| other.text == new.text);
        // LLVM's remarks are on what the target does not have.
        let sound = !new.text.contains("/*");
        if same && sound && new.text != case.text && !known {
            cases.push(new);
        }
    };
    for modifiers in encoding::Modifiers::of(case.format) {
        add(modifiers.apply(words), true);
    }
    let first_is_vector = |field: &Field| {
        field.holds == Holds::Either && words[field.dword] >> field.bit & 0x100 != 0
    };
    if encoding.fields.first().is_some_and(first_is_vector) {
        for form in encoding::Form::of(encoding.format) {
            add(form.apply(encoding, words), false);
        }
    }
    cases
}

fn number(field: &Field, size: u16) -> u16 {
    FIRST + size * field.slot
}

fn decode(decoder: &Decoder, words: &[u32; 4]) -> Option<Decoded> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    decoder.decode_alone(&bytes, 0).ok()
}

/// Whether what was decoded is of another format than what was meant: short opcodes overlap with the longer formats.
fn encoding_differs(meant: Format, decoded: Format) -> bool {
    match meant {
        Format::Vop3 => !matches!(decoded, Format::Vop3 | Format::Vop3Sd),
        Format::Vop3p => decoded != Format::Vop3p,
        meant => decoded != meant,
    }
}

/// Zeros in fields that no operand comes from.
fn without_unused(decoder: &Decoder, encoding: &Encoding, words: &mut [u32; 4]) {
    let Some(before) = decode(decoder, words) else {
        return;
    };
    for field in encoding.fields {
        let mut fewer = *words;
        encoding::put(&mut fewer, field, (0, false));
        let same = |after: &Decoded| {
            after.operands == before.operands && after.mnemonic == before.mnemonic
        };
        if decode(decoder, &fewer).as_ref().is_some_and(same) {
            *words = fewer;
        }
    }
}

fn registers(decoded: &Decoded) -> impl Iterator<Item = Reg> + '_ {
    decoded.operands.iter().filter_map(|operand| match operand {
        Operand::Def(reg) | Operand::Use(reg) => Some(*reg),
        Operand::Imm(_) | Operand::PcRel(_) => None,
    })
}

/// Vector registers of the widest operand.
fn widest(decoded: &Decoded) -> u16 {
    let vectors =
        registers(decoded).filter(|reg| matches!(reg.kind, RegKind::Vgpr | RegKind::Agpr));
    vectors.map(|reg| u16::from(reg.width)).max().unwrap_or(0)
}

fn is_scalar_result(decoded: &Decoded) -> bool {
    let first = decoded.operands.iter().find_map(|operand| match operand {
        Operand::Def(reg) => Some(reg.kind),
        _ => None,
    });
    first.is_some_and(|kind| !matches!(kind, RegKind::Vgpr | RegKind::Agpr))
}

/// The reason for which an instruction cannot be tried.
fn why_not(decoded: &Decoded) -> Option<&'static str> {
    let by_name = NOT_COMPARABLE
        .iter()
        .find(|(name, _)| decoded.mnemonic.starts_with(name));
    let by_effect = NOT_ALONE
        .iter()
        .find(|(effects, _)| decoded.effects.intersects(*effects));
    if let Some((_, reason)) = by_name {
        return Some(reason);
    }
    if let Some((_, reason)) = by_effect {
        return Some(reason);
    }
    let outside = |reg: Reg| match reg.kind {
        RegKind::Agpr => Some("works on AccVGPRs"),
        RegKind::Sgpr if !SCALARS.contains(&reg.index) => {
            Some("names a register outside the frame")
        }
        RegKind::Sgpr | RegKind::Vgpr | RegKind::Vcc | RegKind::Exec => None,
        RegKind::Scc | RegKind::M0 | RegKind::Null | RegKind::Mode => None,
        _ => Some("names a register that differs between devices"),
    };
    registers(decoded).find_map(outside)
}

impl Case {
    fn new(decoder: &Decoder, words: [u32; 4], width: u16, decoded: Decoded) -> Case {
        let mnemonic = decoded.mnemonic;
        let approximate = APPROXIMATE.iter().any(|name| mnemonic.starts_with(name));
        let inst = Inst::new(0, &decoded);
        Case {
            mnemonic,
            text: decoder
                .print(&inst)
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" "),
            format: decoded.format,
            words: words[..usize::from(decoded.size / 4)].to_vec(),
            width,
            kind: if approximate {
                Kind::Approximate
            } else {
                Kind::Exact
            },
            decoded,
        }
    }

    /// Whether MODE changes what it computes.
    pub fn is_float(&self) -> bool {
        self.types()
            .any(|part| matches!(part, "f16" | "f32" | "f64" | "bf16"))
            || ["legacy", "dx9", "fp8", "bf8", "norm", "pkrtz", "dot2c"]
                .iter()
                .any(|part| self.mnemonic.contains(part))
    }

    /// Parts of the mnemonic, among them the types of its operands.
    pub fn types(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.mnemonic.split('_')
    }

    /// Whether it acts on all lanes, and is undefined where some are off.
    pub fn needs_all_lanes(&self, family: Family) -> bool {
        self.decoded.effects.contains(Effects::MATRIX) && family >= Family::Gfx9
    }
}
