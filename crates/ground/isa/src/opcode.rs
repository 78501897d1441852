//! The properties that all instructions of one opcode share: learnt when the opcode is first met, then looked up.

use crate::{Effects, Format, Op, Reg, RegKind, decoder::Decoder, effects, fixups, format};
use llvm_shim::{DecodedInst, DecodedOperand, Mc, flags};
use smallvec::SmallVec;

pub(crate) struct OpcodeFacts {
    pub op: Op,
    pub format: Format,
    pub effects: Effects,
    /// The first so many operands are written.
    pub definitions: usize,
    /// Sources that have no field of their own, with the definition whose register they are. LLVM's decoder finds the even
    /// neighbour for the accumulator in the second half of a dual-issue instruction.
    pub tied: SmallVec<[(u8, u8); 2]>,
    /// As [`crate::Decoded::unprinted`].
    pub unprinted: u64,
    /// Operand that is a displacement.
    pub pc_relative: Option<usize>,
    /// The displacement counts bytes, not dwords.
    pub displacement_in_bytes: bool,
    pub implicit_defs: SmallVec<[Reg; 2]>,
    pub implicit_uses: SmallVec<[Reg; 2]>,
    /// [`fixups::apply_to_inst`] has something to say about instructions of this opcode.
    pub special: bool,
}

/// Suffixes by which LLVM tells encodings of one mnemonic apart, longest first.
const ENCODING_SUFFIXES: &[&str] = &["_e64_dpp", "_dpp8", "_sdwa", "_dpp", "_e64", "_e32"];

impl OpcodeFacts {
    /// `decoded` is an instruction of the opcode, at the start of `code`, with first dword `word`.
    pub fn learn(
        mc: &mut Mc,
        decoded: &DecodedInst,
        decoder: &Decoder,
        code: &[u8],
        word: u32,
    ) -> OpcodeFacts {
        let opcode = decoded.opcode();
        let text = mc.print(code, 0).unwrap_or_default();
        let op = Op::of(&mnemonic(&text));
        let target = decoder.target();
        let Some(description) = mc.opcode(opcode) else {
            unreachable!("the disassembler made this opcode up")
        };

        let implicit = |list: &[u32]| -> SmallVec<[Reg; 2]> {
            list.iter()
                .filter_map(|&number| decoder.implicit_register(mc, number))
                .collect()
        };
        let implicit_defs = implicit(&description.implicit_definitions);
        let implicit_uses = implicit(&description.implicit_uses);

        let mut format = format::of_word(target.family, word);
        if description.flags & flags::FLAT_SCRATCH != 0 {
            format = Format::Scratch;
        } else if description.flags & flags::FLAT_GLOBAL != 0 {
            format = Format::Global;
        } else if description.flags & flags::MTBUF != 0 {
            format = Format::Mtbuf;
        } else if format == Format::Vop3p && decoded.size() >= 16 {
            format = Format::Vop3px2;
        } else if format == Format::Vop3 && description.definitions == 2 {
            let second = match decoded.operand(1) {
                DecodedOperand::Register(number) => decoder.register(mc, number),
                _ => None,
            };
            if second.is_some_and(|reg| {
                matches!(
                    reg.kind,
                    RegKind::Sgpr | RegKind::Vcc | RegKind::Null | RegKind::Ttmp
                )
            }) {
                format = Format::Vop3Sd;
            }
        }

        let pc_relative =
            (0..decoded.operand_count()).find(|&index| mc.operand_is_pc_relative(opcode, index));
        let operands = 0..decoded.operand_count();
        let is_dpp = description.flags & flags::DPP != 0;
        let tied = tied(mc, decoded, description.definitions, is_dpp);
        // LLVM's decoder adds the destination of LDS loads of 16 bits behind the operands that it describes.
        let modifiers = operands.filter(|&index| {
            mc.operand_is_modifier(opcode, index) || index >= description.operands
        });
        let unprinted = tied
            .iter()
            .map(|&(index, _)| usize::from(index))
            .chain(modifiers)
            .fold(0, |mask, index| mask | 1 << index);
        let mut facts = OpcodeFacts {
            tied,
            unprinted,
            op,
            format,
            effects: effects::of_opcode(target, op, format, description.flags)
                | dpp_kind(&text, description.flags),
            definitions: description.definitions,
            pc_relative,
            displacement_in_bytes: false,
            implicit_defs,
            implicit_uses,
            special: false,
        };
        fixups::apply(&mut facts);
        facts
    }

    /// Bytes from the end of the instruction.
    pub fn displacement(&self, value: i64) -> i64 {
        if self.displacement_in_bytes {
            value
        } else {
            i64::from(value as i16) * 4
        }
    }
}

/// Operands with the definition whose register they are.
fn tied(
    mc: &Mc,
    decoded: &DecodedInst,
    definitions: usize,
    is_dpp: bool,
) -> SmallVec<[(u8, u8); 2]> {
    let opcode = decoded.opcode();
    let mut tied: SmallVec<[(u8, u8); 2]> = (0..decoded.operand_count())
        .filter_map(|index| Some((index as u8, mc.operand_tied_to(opcode, index)? as u8)))
        .collect();
    // A sum with DPP has its destination twice among its sources. LLVM does not always tie the first, in front of the modifiers of the
    // first source.
    let is_old = is_dpp
        && tied.len() == 1
        && usize::from(tied[0].0) > definitions
        && !mc.operand_is_modifier(opcode, definitions)
        && definitions + 1 < decoded.operand_count()
        && mc.operand_is_modifier(opcode, definitions + 1);
    if is_old {
        tied.push((definitions as u8, 0));
    }
    tied
}

/// LLVM has one flag for both kinds of DPP; the text tells them apart.
fn dpp_kind(text: &str, bits: u64) -> Effects {
    if bits & flags::DPP == 0 {
        Effects::empty()
    } else if text.contains("dpp8:") {
        Effects::DPP8
    } else {
        Effects::DPP16
    }
}

/// The mnemonic in a line of assembly, without encoding suffix; both halves of a dual-issue instruction.
pub(crate) fn mnemonic(text: &str) -> String {
    text.split(" :: ")
        .map(|part| {
            let word = part.split_whitespace().next().unwrap_or_default();
            ENCODING_SUFFIXES
                .iter()
                .find_map(|suffix| word.strip_suffix(suffix))
                .unwrap_or(word)
        })
        .collect::<Vec<_>>()
        .join(" :: ")
}

#[cfg(test)]
mod tests {
    use super::mnemonic;

    #[test]
    fn mnemonics_lose_their_encoding_suffix_only() {
        assert_eq!(mnemonic("\tv_add_f32_e32 v0, v1, v2"), "v_add_f32");
        assert_eq!(
            mnemonic("\tv_add_f32_e64_dpp v0, v1, v2 quad_perm:[0,1,2,3]"),
            "v_add_f32"
        );
        assert_eq!(mnemonic("\ts_endpgm"), "s_endpgm");
        assert_eq!(
            mnemonic("\tv_dual_mov_b32 v0, v1 :: v_dual_add_f32 v2, v3, v4"),
            "v_dual_mov_b32 :: v_dual_add_f32"
        );
    }
}
