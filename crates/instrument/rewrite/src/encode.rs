//! Instructions of our own to bytes: the only place that knows where fields are.
//!
//! LLVM assembles each row of the table once per target, and instructions fill their operands in.

use crate::Refusal;
use crate::instruction::{Instruction, Op, SourceOperand};
use crate::ir::AddressIndex;
use crate::table::{MemoryFields, ROWS, Shape, WAITS};
use gfx::Target;
use isa::Assembler;
use lift::Counter;
use std::collections::BTreeMap;

const SCC_SOURCE: u16 = isa::numbers::SCC;
const LITERAL: u16 = 255;
const FIRST_VGPR: u16 = 256;
/// Bytes of the longest instruction that we emit, without a literal.
const LONGEST: usize = 12;

impl SourceOperand {
    /// The operand's field, and the literal behind the instruction.
    fn field(self) -> (u16, Option<u32>) {
        match self {
            SourceOperand::None => (0, None),
            SourceOperand::Scalar(register) => (register, None),
            SourceOperand::Vector(register) => (FIRST_VGPR + register, None),
            SourceOperand::Scc => (SCC_SOURCE, None),
            SourceOperand::Constant(value @ 0..=64) => (128 + value as u16, None),
            SourceOperand::Constant(value) if value as i32 >= -16 && (value as i32) < 0 => {
                ((192 - value as i32) as u16, None)
            }
            SourceOperand::Constant(value) => (LITERAL, Some(value)),
            SourceOperand::Address(_) => (LITERAL, Some(0)),
        }
    }

    /// The number in a field that holds nothing but registers of one file, or nothing but numbers.
    fn number(self) -> u32 {
        match self {
            SourceOperand::None | SourceOperand::Scc | SourceOperand::Address(_) => 0,
            SourceOperand::Scalar(number) | SourceOperand::Vector(number) => number.into(),
            SourceOperand::Constant(value) => value,
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
pub(crate) struct Encodings {
    pub target: &'static Target,
    pub wave_size: u8,
    /// By instruction; none where the target does not have it.
    patterns: Vec<Option<Pattern>>,
}

impl Encodings {
    pub fn new(target: &'static Target, wave_size: u8) -> Result<Encodings, Refusal> {
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
        Ok(Encodings {
            target,
            wave_size,
            patterns,
        })
    }

    /// M0's operand encoding.
    pub fn m0(&self) -> u16 {
        isa::numbers::m0(self.target.family)
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
        let literal = |source: &SourceOperand| source.field().1.is_some();
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
        let [first, second, _] = instruction.sources;
        let to = u32::from(instruction.to);
        let operand = |source: SourceOperand| u32::from(source.field().0);
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
            Shape::Vop3 | Shape::Vop3CarryOut | Shape::Vop3CarryIn => {
                fields.vop3(shape, to, instruction.sources);
            }
            Shape::ScratchLoad | Shape::ScratchStore | Shape::Atomic => {
                let at = MemoryFields::for_family(self.target.family);
                fields.memory(at, shape, to, instruction.sources);
            }
        }
        if !takes_literals {
            return None;
        }
        let literal = |source: &SourceOperand| Some((*source, source.field().1?));
        let (source, literal) = instruction.sources.iter().find_map(literal)?;
        code.extend_from_slice(&literal.to_le_bytes());
        match source {
            SourceOperand::Address(index) => Some(index),
            _ => None,
        }
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

    /// Operands that an instruction does not have stay as the row's text has them. Carries are the third.
    fn vop3(&mut self, shape: Shape, to: u32, sources: [SourceOperand; 3]) {
        self.set(0, 8, to);
        let carries = shape != Shape::Vop3;
        if carries {
            self.set(8, 7, sources[2].number());
        }
        for (bit, source) in [32, 41, 50].into_iter().zip(sources) {
            let is_operand = source != SourceOperand::None;
            if is_operand && (bit != 50 || shape != Shape::Vop3CarryOut) {
                self.set(bit, 9, source.field().0.into());
            }
        }
    }

    /// Loads: `to`, base, offset. Stores: data, base, offset. Atomics: data, base, address.
    fn memory(&mut self, at: &MemoryFields, shape: Shape, to: u32, sources: [SourceOperand; 3]) {
        let [first, second, third] = sources.map(SourceOperand::number);
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
mod tests;
