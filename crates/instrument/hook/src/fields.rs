//! The bits of an instruction that hold the bits of each register operand, found by flipping bits and decoding again.

use crate::VerifyError;
use isa::{Decoder, Inst, Operand, Reg, RegKind};
use std::{cell::RefCell, collections::HashMap, rc::Rc};

/// Register-index bit `index_bit` of the operand is bit `bit` of the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FieldBit {
    pub bit: u32,
    pub index_bit: u8,
}

/// The general register an operand names.
pub(crate) fn register_of(operand: &Operand) -> Option<Reg> {
    match operand {
        Operand::Def(reg) | Operand::Use(reg)
            if matches!(reg.kind, RegKind::Sgpr | RegKind::Vgpr | RegKind::Agpr) =>
        {
            Some(*reg)
        }
        _ => None,
    }
}

/// Bits of an index that tuples of this width in this file have.
pub(crate) fn alignment(kind: RegKind, width: u8, even_vector_tuples: bool) -> u16 {
    match (kind, width) {
        (RegKind::Sgpr, 2) => 2,
        (RegKind::Sgpr, 3..) => 4,
        (RegKind::Vgpr | RegKind::Agpr, 2..) if even_vector_tuples => 2,
        _ => 1,
    }
}

/// The register fields of an instruction, one list per operand (empty for operands that are no registers, or that another operand
/// determines).
type Lists = Rc<[Vec<FieldBit>]>;
/// The opcode and the kinds of registers of an instruction, on which its fields depend.
type Layout = (u32, Vec<Option<(RegKind, u8, Option<bool>)>>);

/// The fields that instructions of one decoder had: hooks consist of few different ones.
#[derive(Default)]
pub(crate) struct Known(RefCell<HashMap<Layout, Lists>>);

impl Known {
    /// The register fields of `inst`.
    pub fn fields(
        &self,
        decoder: &Decoder,
        inst: &Inst,
        even_vector_tuples: bool,
    ) -> Result<Lists, VerifyError> {
        let registers = || inst.operands.iter().map(register_of);
        // From higher ones, tuples reach beyond the last register when a bit is flipped.
        if registers()
            .flatten()
            .any(|reg| reg.index + u16::from(reg.width) > 128)
        {
            return fields(decoder, inst, even_vector_tuples);
        }
        let kinds = registers().map(|reg| reg.map(|reg| (reg.kind, reg.width, reg.half)));
        let layout = (inst.opcode, kinds.collect());
        if let Some(known) = self.0.borrow().get(&layout) {
            return Ok(known.clone());
        }
        let found = fields(decoder, inst, even_vector_tuples)?;
        self.0.borrow_mut().insert(layout, found.clone());
        Ok(found)
    }
}

fn fields(decoder: &Decoder, inst: &Inst, even_vector_tuples: bool) -> Result<Lists, VerifyError> {
    let mut bytes = bytes_of(inst);
    let mut fields: Vec<Vec<FieldBit>> = vec![Vec::new(); inst.operands.len()];
    for bit in 0..bytes.len() as u32 * 8 {
        flip(&mut bytes, bit);
        let changed = decoder.decode(&bytes, inst.pc);
        flip(&mut bytes, bit);
        let Ok(changed) = changed else { continue };
        if let Some((operands, index_bit)) = difference(inst, &changed) {
            for operand in operands {
                fields[operand].push(FieldBit { bit, index_bit });
            }
        }
    }
    for (operand, found) in fields.iter_mut().enumerate() {
        let Some(reg) = register_of(&inst.operands[operand]) else {
            continue;
        };
        found.sort_by_key(|field| field.index_bit);
        if reg.kind == RegKind::Sgpr && !found.is_empty() {
            complete(found, alignment(reg.kind, reg.width, even_vector_tuples));
        }
    }
    // An operand without bits of its own repeats another one (a tied source), or is fixed by the encoding.
    for (operand, found) in fields.iter().enumerate() {
        let Some(reg) = register_of(&inst.operands[operand]) else {
            continue;
        };
        let repeated = |other: usize| {
            !fields[other].is_empty() && register_of(&inst.operands[other]) == Some(reg)
        };
        if found.is_empty() && !(0..fields.len()).any(repeated) {
            return Err(VerifyError::Unpatchable {
                offset: inst.pc,
                instruction: decoder.print(inst),
                operand,
            });
        }
    }
    Ok(fields.into())
}

/// SGPR indices above 101 are other registers, so that high bits cannot always be flipped; fields are contiguous, which
/// gives the rest. The caller decodes what it binds, which proves it.
fn complete(found: &mut Vec<FieldBit>, alignment: u16) {
    let Some(&known) = found.first() else { return };
    let lowest = alignment.trailing_zeros() as u8;
    for index_bit in lowest..7 {
        if found.iter().all(|field| field.index_bit != index_bit) {
            found.push(FieldBit {
                bit: known.bit + u32::from(index_bit) - u32::from(known.index_bit),
                index_bit,
            });
        }
    }
    found.sort_by_key(|field| field.index_bit);
}

pub(crate) fn bytes_of(inst: &Inst) -> Vec<u8> {
    inst.words[..usize::from(inst.size) / 4]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect()
}

fn flip(bytes: &mut [u8], bit: u32) {
    bytes[bit as usize / 8] ^= 1 << (bit % 8);
}

/// The operands that differ, when all of them differ in the same single bit of a register index and nothing else does.
fn difference(before: &Inst, after: &Inst) -> Option<(Vec<usize>, u8)> {
    if before.opcode != after.opcode
        || before.size != after.size
        || before.operands.len() != after.operands.len()
    {
        return None;
    }
    let mut operands = Vec::new();
    let mut index_bit = None;
    for (number, (old, new)) in before.operands.iter().zip(&after.operands).enumerate() {
        if old == new {
            continue;
        }
        let (old, new) = (register_of(old)?, register_of(new)?);
        let changed = old.index ^ new.index;
        let same = old.kind == new.kind && old.width == new.width && old.half == new.half;
        if !same || !changed.is_power_of_two() {
            return None;
        }
        let bit = changed.trailing_zeros() as u8;
        if *index_bit.get_or_insert(bit) != bit {
            return None;
        }
        operands.push(number);
    }
    Some((operands, index_bit?))
}
