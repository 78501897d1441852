//! Instructions of our own to bytes: the only place that knows where fields are.
//!
//! LLVM assembles each row of the table once per target, and instructions fill their operands in.

use crate::Refusal;
use crate::instruction::{Instruction, Op, Source};
use crate::ir::AddressIndex;
use crate::table::{MemoryFields, ROWS, Shape, WAITS};
use gfx::{Family, Target};
use isa::Assembler;
use lift::Counter;
use std::collections::BTreeMap;

const SCC_SOURCE: u16 = 253;
const LITERAL: u16 = 255;
const FIRST_VGPR: u16 = 256;
/// Bytes of the longest instruction of ours, without a literal.
const LONGEST: usize = 12;

impl Source {
    /// The operand's field, and the literal behind the instruction.
    fn field(self) -> (u16, Option<u32>) {
        match self {
            Source::None => (0, None),
            Source::Scalar(register) => (register, None),
            Source::Vector(register) => (FIRST_VGPR + register, None),
            Source::Scc => (SCC_SOURCE, None),
            Source::Constant(value @ 0..=64) => (128 + value as u16, None),
            Source::Constant(value) if value as i32 >= -16 && (value as i32) < 0 => {
                ((192 - value as i32) as u16, None)
            }
            Source::Constant(value) => (LITERAL, Some(value)),
            Source::Address(_) => (LITERAL, Some(0)),
        }
    }

    /// The number in a field that holds nothing but registers of one file, or nothing but numbers.
    fn number(self) -> u32 {
        match self {
            Source::None | Source::Scc | Source::Address(_) => 0,
            Source::Scalar(number) | Source::Vector(number) => number.into(),
            Source::Constant(value) => value,
        }
    }
}

/// One row for one target.
#[derive(Clone, Copy, Debug)]
struct Pattern {
    shape: Shape,
    size: u8,
    bytes: [u8; LONGEST],
}

/// Encodings for one target.
#[derive(Debug)]
pub(crate) struct Codes {
    pub target: &'static Target,
    pub wave_size: u8,
    /// By instruction; none where the target does not have it.
    patterns: Vec<Option<Pattern>>,
}

impl Codes {
    pub fn new(target: &'static Target, wave_size: u8) -> Result<Codes, Refusal> {
        let refused = |reason: String| Refusal::Assembler {
            target: target.name.to_owned(),
            reason,
        };
        let assembler = Assembler::with_features(target, wave_size, "")
            .map_err(|error| refused(error.to_string()))?;
        let mut patterns = vec![None; Op::EndPadding as usize + 1];
        // One text for all of them: it is the calls that take time.
        let rows = || ROWS.iter().filter(|(_, on, ..)| on(target, wave_size));
        let texts: Vec<&str> = rows().map(|(.., text)| *text).collect();
        let code = assembler.assemble(&texts.join("\n"));
        let code = code.map_err(|error| refused(error.to_string()))?;
        let mut rest = &code[..];
        for (op, _, shape, text) in rows() {
            let size = shape.size(target.family);
            let unexpected = || refused(format!("{text} is not {size} bytes long"));
            let (own, behind) = rest.split_at_checked(size).ok_or_else(unexpected)?;
            rest = behind;
            let mut bytes = [0; LONGEST];
            bytes[..size].copy_from_slice(own);
            patterns[*op as usize] = Some(Pattern {
                shape: *shape,
                size: size as u8,
                bytes,
            });
        }
        if !rest.is_empty() {
            return Err(refused(
                "an instruction is longer than its row says".to_owned(),
            ));
        }
        Ok(Codes {
            target,
            wave_size,
            patterns,
        })
    }

    /// M0's operand encoding.
    pub fn m0(&self) -> u16 {
        if self.target.family >= Family::Gfx11 {
            125
        } else {
            124
        }
    }

    pub fn has(&self, op: Op) -> bool {
        self.patterns[op as usize].is_some()
    }

    /// All that the target has.
    pub fn all(&self) -> impl Iterator<Item = Op> + '_ {
        let known: BTreeMap<Op, ()> = ROWS.iter().map(|(op, ..)| (*op, ())).collect();
        known.into_keys().filter(|op| self.has(*op))
    }

    /// The instruction that waits until nothing is outstanding on a counter, where there is that counter.
    pub fn wait(&self, counter: Counter) -> Option<Op> {
        let row = WAITS.iter().find(|row| row.0 == counter);
        row.map(|row| row.1).filter(|op| self.has(*op))
    }

    /// Bytes of an instruction.
    pub fn size(&self, instruction: &Instruction) -> usize {
        let literal = |source: &Source| source.field().1.is_some();
        let pattern = self.patterns[instruction.op as usize].as_ref();
        let Some(pattern) = pattern else { return 0 };
        let takes_literals = matches!(
            pattern.shape,
            Shape::Sop1 | Shape::Sop2 | Shape::Sopc | Shape::Vop1 | Shape::Vop2
        );
        let literal = takes_literals && instruction.sources.iter().any(literal);
        usize::from(pattern.size) + 4 * usize::from(literal)
    }

    /// Appends an instruction; says which address its literal, the last dword, becomes half of. Nothing is appended for one
    /// that the target does not have.
    pub fn encode(&self, instruction: &Instruction, code: &mut Vec<u8>) -> Option<AddressIndex> {
        let pattern = self.patterns[instruction.op as usize].as_ref();
        debug_assert!(pattern.is_some(), "{instruction:?} on {}", self.target.name);
        let Pattern { shape, size, bytes } = *pattern?;
        let start = code.len();
        code.extend_from_slice(&bytes[..usize::from(size)]);
        let mut fields = Fields(&mut code[start..]);
        let [first, second, third] = instruction.sources;
        let to = u32::from(instruction.to);
        let operand = |source: Source| u32::from(source.field().0);
        let mut takes_literals = false;
        match shape {
            Shape::Fixed | Shape::FixedWithLiteral => {}
            Shape::Nop => fields.set(0, 16, first.number()),
            Shape::Sopk => fields.set(16, 7, to),
            Shape::SopkSource => fields.set(16, 7, first.number()),
            Shape::IndexOn => {
                fields.set(0, 8, first.number());
                fields.set(8, 8, second.number());
            }
            Shape::Sop1 => {
                takes_literals = true;
                fields.set(16, 7, to);
                fields.set(0, 8, operand(first));
            }
            Shape::Sop2 => {
                takes_literals = true;
                fields.set(16, 7, to);
                fields.set(0, 8, operand(first));
                fields.set(8, 8, operand(second));
            }
            Shape::Sopc => {
                takes_literals = true;
                fields.set(0, 8, operand(first));
                fields.set(8, 8, operand(second));
            }
            Shape::Smem => {
                fields.set(6, 7, to);
                fields.set(0, 6, first.number() / 2);
                fields.set(32, 20, second.number());
            }
            Shape::Vop1 => {
                takes_literals = true;
                fields.set(17, 8, to);
                fields.set(0, 9, operand(first));
            }
            Shape::Vop2 => {
                takes_literals = true;
                fields.set(17, 8, to);
                fields.set(0, 9, operand(first));
                fields.set(9, 8, second.number());
            }
            Shape::Vop3 => {
                fields.set(0, 8, to);
                for (bit, source) in [(32, first), (41, second), (50, third)] {
                    if source != Source::None {
                        fields.set(bit, 9, operand(source));
                    }
                }
            }
            Shape::Vop3CarryOut | Shape::Vop3CarryIn => {
                fields.set(0, 8, to);
                fields.set(8, 7, third.number());
                fields.set(32, 9, operand(first));
                fields.set(41, 9, operand(second));
                if shape == Shape::Vop3CarryIn {
                    fields.set(50, 9, operand(third));
                }
            }
            Shape::ScratchLoad | Shape::ScratchStore | Shape::Atomic => {
                let at = MemoryFields::of(self.target.family);
                fields.memory(at, shape, to, instruction.sources);
            }
        }
        let mut address = None;
        for source in instruction.sources.iter().filter(|_| takes_literals) {
            if let Some(literal) = source.field().1 {
                code.extend_from_slice(&literal.to_le_bytes());
                if let Source::Address(index) = source {
                    address = Some(*index);
                }
                break;
            }
        }
        address
    }
}

/// The bytes of an instruction.
struct Fields<'a>(&'a mut [u8]);

impl Fields<'_> {
    /// Puts the lowest bits of a value at a bit of the instruction. No field crosses a dword.
    fn set(&mut self, bit: u32, length: u32, value: u32) {
        let at = bit as usize / 32 * 4;
        let Some(bytes) = self.0.get_mut(at..at + 4) else {
            return;
        };
        let word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let mask = ((1u32 << length) - 1) << (bit % 32);
        let word = word & !mask | value << (bit % 32) & mask;
        bytes.copy_from_slice(&word.to_le_bytes());
    }

    /// Loads: `to`, base, offset. Stores: data, base, offset. Atomics: data, base, address.
    fn memory(&mut self, at: &MemoryFields, shape: Shape, to: u32, sources: [Source; 3]) {
        let [first, second, third] = sources.map(Source::number);
        match shape {
            Shape::ScratchLoad => {
                self.set(at.loaded, 8, to);
                self.set(at.base, 7, first);
                self.set(at.offset, 11, second);
            }
            Shape::ScratchStore => {
                self.set(at.stored, 8, first);
                self.set(at.base, 7, second);
                self.set(at.offset, 11, third);
            }
            _ => {
                self.set(at.stored, 8, first);
                self.set(at.base, 7, second);
                self.set(at.address, 8, third);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instruction::{EXEC, TTMP7, Write};
    use isa::Decoder;

    fn text(target: &'static Target, code: &[u8]) -> Vec<String> {
        let decoder = Decoder::new(target).expect("a decoder");
        let insts = decoder.decode_all(code, 0);
        insts
            .map(|inst| {
                let text = decoder.print(&inst.expect("decodes"));
                text.split_whitespace().collect::<Vec<_>>().join(" ")
            })
            .collect()
    }

    fn encode(codes: &Codes, instructions: &[Instruction]) -> Vec<u8> {
        let mut code = Vec::new();
        for instruction in instructions {
            let before = code.len();
            codes.encode(instruction, &mut code);
            assert_eq!(
                code.len() - before,
                codes.size(instruction),
                "{instruction:?}"
            );
        }
        code
    }

    /// What we fill in is what LLVM reads back.
    #[test]
    fn fields_are_where_llvm_has_them() {
        for target in gfx::TARGETS {
            if target.family == Family::Gfx12_5 {
                continue;
            }
            let codes = Codes::new(target, target.wave_size).expect("all rows assemble");
            let mut code: Vec<Instruction> = Vec::new();
            code.move_scalar(7, Source::Scalar(9));
            code.move_scalar(7, Source::Constant(u32::MAX));
            code.move_scalar(7, Source::Constant(64));
            code.move_scalar(codes.m0(), Source::Constant(65));
            code.scalar1(Op::SMovB64, EXEC, Source::Scalar(10));
            let (one, zero) = (Source::Constant(1), Source::Constant(0));
            code.scalar2(Op::SCselectB32, 3, one, zero);
            code.compare(Op::SCmpLgU32, Source::Scalar(3), zero);
            code.scalar2(
                Op::SAndB32,
                3,
                Source::Scalar(TTMP7),
                Source::Constant(0xffff),
            );
            code.scalar2(Op::SSubU32, 3, Source::Scalar(4), Source::Constant(32));
            code.move_vector(200, Source::Scalar(5));
            code.move_vector(200, Source::Vector(201));
            code.first_lane(6, 199);
            code.write_lane(77, 33, 12);
            code.read_lane(12, 77, 33);
            code.vector(Op::VAndB32, 5, &[Source::Constant(1023), Source::Vector(6)]);
            code.vector(
                Op::VLshlrevB32,
                5,
                &[Source::Constant(3), Source::Vector(6)],
            );
            let field = [
                Source::Vector(0),
                Source::Constant(20),
                Source::Constant(10),
            ];
            code.vector(Op::VBfeU32, 5, &field);
            let all = Source::Constant(u32::MAX);
            code.vector(Op::VMbcntLo, 5, &[all, zero]);
            code.vector(Op::VMbcntHi, 5, &[all, Source::Vector(5)]);
            let expected = [
                "s_mov_b32 s7, s9",
                "s_mov_b32 s7, -1",
                "s_mov_b32 s7, 64",
                "s_mov_b32 m0, 0x41",
                "s_mov_b64 exec, s[10:11]",
                "s_cselect_b32 s3, 1, 0",
                "s_cmp_lg_u32 s3, 0",
                "s_and_b32 s3, ttmp7, 0xffff",
                "s_sub_u32 s3, s4, 32",
                "v_mov_b32_e32 v200, s5",
                "v_mov_b32_e32 v200, v201",
                "v_readfirstlane_b32 s6, v199",
                "v_writelane_b32 v77, s12, 33",
                "v_readlane_b32 s12, v77, 33",
                "v_and_b32_e32 v5, 0x3ff, v6",
                "v_lshlrev_b32_e32 v5, 3, v6",
                "v_bfe_u32 v5, v0, 20, 10",
                "v_mbcnt_lo_u32_b32 v5, -1, 0",
                "v_mbcnt_hi_u32_b32 v5, -1, v5",
            ];
            // From gfx12 on LLVM has another name for the same instruction.
            let found = text(target, &encode(&codes, &code)).join("\n");
            let found = found.replace("s_sub_co_u32", "s_sub_u32");
            assert_eq!(found, expected.join("\n"), "{}", target.name);
        }
    }

    #[test]
    fn carries_and_accumulators() {
        for target in gfx::TARGETS {
            if target.family == Family::Gfx12_5 {
                continue;
            }
            let codes = Codes::new(target, target.wave_size).expect("all rows assemble");
            let mut code: Vec<Instruction> = Vec::new();
            code.add_vector(5, Source::Constant(1000), 6);
            code.add_carry_out(5, 12, Source::Scalar(7), Source::Vector(6));
            code.add_carry_in(6, 12, Source::Constant(0), Source::Vector(7));
            let found = text(target, &encode(&codes, &code));
            let add = match target.family {
                Family::Gfx9 => "v_add_u32_e32 v5, 0x3e8, v6",
                _ => "v_add_nc_u32_e32 v5, 0x3e8, v6",
            };
            assert_eq!(found[0], add, "{}", target.name);
            assert!(
                found[1].contains(" v5, s") && found[1].ends_with(", s7, v6"),
                "{found:?}"
            );
            assert!(
                found[2].contains(" v6, s") && found[2].contains(", 0, v7, s"),
                "{found:?}"
            );
            assert!(
                found[1..].iter().all(|text| text.contains("12")),
                "{found:?}"
            );
            if codes.has(Op::VAccRead) {
                let mut code: Vec<Instruction> = Vec::new();
                code.vector(Op::VAccRead, 3, &[Source::Vector(5)]);
                code.vector(Op::VAccWrite, 5, &[Source::Vector(3)]);
                let expected = ["v_accvgpr_read_b32 v3, a5", "v_accvgpr_write_b32 a5, v3"];
                let found = text(target, &encode(&codes, &code));
                assert_eq!(found, expected, "{}", target.name);
            }
        }
    }

    /// What LLVM makes of the text is what we make of the instruction.
    #[test]
    fn memory_is_as_llvm_assembles_it() {
        for target in gfx::TARGETS {
            if target.family == Family::Gfx12_5 {
                continue;
            }
            let codes = Codes::new(target, target.wave_size).expect("all rows assemble");
            let width = if target.family >= Family::Gfx11 {
                "b32"
            } else {
                "dword"
            };
            let add = if target.family >= Family::Gfx12 {
                "u64"
            } else {
                "x2"
            };
            let (v, s, c) = (Source::Vector, Source::Scalar, Source::Constant);
            let rows = [
                (
                    Op::SLoadDword,
                    7,
                    vec![s(2), c(24)],
                    "s_load_dword s7, s[2:3], 24".to_owned(),
                ),
                (
                    Op::SLoadDwordx2,
                    4,
                    vec![s(98), c(48)],
                    "s_load_dwordx2 s[4:5], s[98:99], 48".to_owned(),
                ),
                (
                    Op::ScratchStore,
                    0,
                    vec![v(200), s(99), c(252)],
                    format!("scratch_store_{width} off, v200, s99 offset:252"),
                ),
                (
                    Op::ScratchLoad,
                    200,
                    vec![s(99), c(252)],
                    format!("scratch_load_{width} v200, off, s99 offset:252"),
                ),
                (
                    Op::GlobalAtomicAddU64,
                    0,
                    vec![v(8), s(4), v(3)],
                    format!("global_atomic_add_{add} v3, v[8:9], s[4:5]"),
                ),
            ];
            let assembler = Assembler::new(target).expect("an assembler");
            for (op, to, sources, text) in rows {
                let expected = assembler.assemble(&text).expect("assembles");
                let found = encode(&codes, &[Instruction::new(op, to, &sources)]);
                assert_eq!(found, expected, "{text} on {}", target.name);
            }
        }
    }
}
