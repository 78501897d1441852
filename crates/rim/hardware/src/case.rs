//! The instructions to try, each on registers of its own.

use std::collections::BTreeSet;

use gfx::{Family, Target};
use isa::{Decoded, Decoder, Effects, Format, Inst, Operand, Reg, RegKind};

use crate::{
    Result,
    encoding::{self, Encoding, Field, Holds, RESULT, SECOND_RESULT, SOURCES},
    frame::{FIRST, Layout, SCALAR_SLOT, arena::Arena},
    left::{Left, why_not},
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
    /// The memory that it accesses.
    pub arena: Arena,
    pub kind: Kind,
    pub decoded: Decoded,
}

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
    for encoding in encoding::encodings(target) {
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
    let ways = || {
        encoding
            .subsets()
            .flat_map(|used| SOURCES.iter().map(move |sources| (used, sources)))
    };
    for &extra in encoding.extras {
        for (used, sources) in ways() {
            let probe = |field: &Field| match field.holds {
                _ if !used.contains(field) => (0, false),
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
                if !used.contains(field) {
                    return (0, false);
                }
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
            let half = Arena::Lds.size(decoder.wave_size()) as u32 / 2;
            if decoded.format == Format::Ds {
                words[0] |= encoding::two_offsets(decoded.op, half).unwrap_or(0);
            }
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
        let same = decoded.mnemonic() == case.mnemonic
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
    for modifiers in encoding::Modifiers::for_format(case.format) {
        add(modifiers.apply(words), true);
    }
    let is_atomic = case.decoded.effects.contains(Effects::ATOMIC);
    for variant in encoding.variants {
        let mut changed = variant.apply(words);
        if variant.returns {
            if !is_atomic {
                continue;
            }
            if let Some(result) = encoding.fields.iter().find(|field| field.slot == RESULT) {
                encoding::put(&mut changed, result, (number(result, case.width), true));
            }
        }
        add(changed, false);
    }
    let first_is_vector = |field: &Field| {
        field.holds == Holds::Either && words[field.dword] >> field.bit & 0x100 != 0
    };
    if encoding.fields.first().is_some_and(first_is_vector) {
        for form in encoding::Form::for_format(encoding.format) {
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

/// Returns `true` if what was decoded is of another format than what was meant: short opcodes overlap with the longer formats.
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
        let same = |after: &Decoded| after.operands == before.operands && after.op == before.op;
        if decode(decoder, &fewer).as_ref().is_some_and(same) {
            *words = fewer;
        }
    }
}

pub fn registers(decoded: &Decoded) -> impl Iterator<Item = Reg> + '_ {
    decoded.operands.iter().filter_map(|operand| match operand {
        Operand::Def(reg) | Operand::Use(reg) => Some(*reg),
        Operand::Imm(_) | Operand::PcRel(_) => None,
    })
}

/// Vector registers of the widest operand in a slot.
fn widest(decoded: &Decoded) -> u16 {
    let in_slot =
        |reg: &Reg| matches!(reg.kind, RegKind::Vgpr | RegKind::Agpr) && reg.index >= FIRST;
    let vectors = registers(decoded).filter(in_slot);
    vectors.map(|reg| u16::from(reg.width)).max().unwrap_or(0)
}

fn is_scalar_result(decoded: &Decoded) -> bool {
    let first = decoded.operands.iter().find_map(|operand| match operand {
        Operand::Def(reg) => Some(reg.kind),
        _ => None,
    });
    first.is_some_and(|kind| !matches!(kind, RegKind::Vgpr | RegKind::Agpr))
}

impl Case {
    fn new(decoder: &Decoder, words: [u32; 4], width: u16, decoded: Decoded) -> Case {
        let mnemonic = decoded.mnemonic();
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
            arena: Arena::of_format(decoded.format),
            kind: if approximate {
                Kind::Approximate
            } else {
                Kind::Exact
            },
            decoded,
        }
    }

    pub fn layout(&self, wave_size: u8) -> Layout {
        Layout {
            wave_size,
            width: self.width,
            arena: self.arena,
            accumulating: self.accumulating(),
        }
    }

    /// A bit for each slot whose registers are AccVGPRs.
    fn accumulating(&self) -> u8 {
        registers(&self.decoded)
            .filter(|reg| reg.kind == RegKind::Agpr && reg.index >= FIRST)
            .fold(0, |slots, reg| {
                slots | 1 << ((reg.index - FIRST) / self.width.max(1))
            })
    }

    /// Returns `true` if MODE changes what it computes.
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

    /// Returns `true` if it acts on all lanes, and is undefined where some are off.
    pub fn needs_all_lanes(&self, family: Family) -> bool {
        self.decoded.effects.contains(Effects::MATRIX) && family >= Family::Gfx9
            || self
                .types()
                .any(|part| matches!(part, "tr" | "tr4" | "tr6" | "tr8" | "tr16"))
    }
}
