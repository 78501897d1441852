//! Values that only a kernel's entry knows. They are kept in SGPRs that no instruction names, else in lanes of such a VGPR, else in
//! scratch, from where a frame loads them at each place.

use crate::Refusal;
use crate::encode::Encodings;
use crate::entry_homes::EntryHomes;
use crate::instruction::{Instruction, InstructionSink, Op, SourceOperand, TTMP7, TTMP9};
use crate::registers::{Home, RegisterPool};
use crate::required_values::RequiredValues;
use crate::storage::Storage;
use codeobj::{KernelDescriptor, metadata::KernelEntry};
use gfx::Family;
use std::collections::BTreeMap;
use template::RegisterFile;

/// The home of the first dword of each value that is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct EntryValues {
    pub kernarg: Option<Home>,
    pub dispatch: Option<Home>,
    pub implicit: Option<Home>,
    pub dispatch_id: Option<Home>,
    pub workgroup: [Option<Home>; 3],
    /// VGPRs.
    pub workitem: [Option<u16>; 3],
    /// Global address of lane 0's variables of hooks.
    pub stack: Option<Home>,
    /// LDS addresses of hooks' variables, by name.
    pub shared: BTreeMap<String, Home>,
    /// Lanes that frames load, see [`Home::Stored`].
    pub stored: u16,
}

impl EntryValues {
    pub fn homes(&mut self) -> impl Iterator<Item = &mut Home> {
        let values = [
            &mut self.kernarg,
            &mut self.dispatch,
            &mut self.implicit,
            &mut self.dispatch_id,
            &mut self.stack,
        ];
        let values = values.into_iter().chain(&mut self.workgroup);
        values.flatten().chain(self.shared.values_mut())
    }
}

/// User SGPRs that a wave starts with at most.
const MOST_USER_SGPRS: u64 = 16;
/// The name that [`KernelDescriptor::initial_sgprs`] gives user SGPRs without a value.
const UNDEFINED: &str = "undefined";
/// Where the second reserved field of a dispatch packet is, which carries the launch number.
const PACKET_RESERVED2: u32 = 48;

const WORKGROUP_FIELDS: [(&str, &str); 3] = [
    ("enable_sgpr_workgroup_id_x", "workgroup_id_x"),
    ("enable_sgpr_workgroup_id_y", "workgroup_id_y"),
    ("enable_sgpr_workgroup_id_z", "workgroup_id_z"),
];

/// Keeps what is needed; returns where, and the code that does it. Changes the descriptor so that it arrives at all.
pub(crate) fn keep(
    needs: RequiredValues,
    storage: &Storage,
    scratch: Option<u32>,
    codes: &Encodings,
    supply: &mut RegisterPool,
    descriptor: &mut KernelDescriptor,
    metadata: Option<KernelEntry<'_>>,
) -> Result<(EntryValues, Vec<Instruction>), Refusal> {
    let mut kept = EntryValues::default();
    let mut code: Vec<Instruction> = Vec::new();
    if needs == RequiredValues::default() && storage.is_empty() {
        return Ok((kept, code));
    }
    kept.workitem = workitems(needs.workitem, supply, descriptor, &mut code)?;
    let before = layout(descriptor);
    enable(needs, storage, &before, descriptor)?;
    let arriving = layout(descriptor);
    let ends = arriving.iter().map(|(_, first, count)| first + count);
    let end = ends.max().unwrap_or(0);
    let mut places = EntryHomes::new(supply, end, codes.wave_size, scratch);
    let position = |name: &str| {
        let found = arriving.iter().find(|(known, ..)| *known == name);
        found.map(|(_, first, _)| *first)
    };
    let arrived =
        |name: &str| position(name).ok_or_else(|| refused("the kernel's entry does not have them"));
    let (kernarg, dispatch) = (
        needs.kernarg || needs.implicit,
        needs.dispatch || needs.dispatch_id,
    );
    let mut pair = |name: &str, code: &mut Vec<Instruction>| {
        let (from, to) = (arrived(name)?, places.place(2)?);
        code.move_scalar(to, SourceOperand::Scalar(from));
        code.move_scalar(to + 1, SourceOperand::Scalar(from + 1));
        Ok(to)
    };
    let kernarg = kernarg.then(|| pair("kernarg_segment_ptr", &mut code));
    let kernarg = kernarg.transpose()?;
    let dispatch = dispatch.then(|| pair("dispatch_ptr", &mut code));
    let dispatch = dispatch.transpose()?;
    for (dimension, (_, name)) in WORKGROUP_FIELDS.iter().enumerate() {
        if needs.workgroup[dimension] {
            let to = places.place(1)?;
            kept.workgroup[dimension] = Some(Home::Scalar(to));
            workgroup(codes, dimension, || arrived(name), to, &mut code)?;
        }
    }
    if let Some(from) = kernarg.filter(|_| needs.implicit) {
        let offset = SourceOperand::Constant(hidden_arguments(metadata)?);
        let to = places.place(2)?;
        let (low, high) = (SourceOperand::Scalar(from), SourceOperand::Scalar(from + 1));
        code.scalar2(Op::SAddU32, to, low, offset);
        code.scalar2(Op::SAddcU32, to + 1, high, SourceOperand::Constant(0));
        kept.implicit = Some(Home::Scalar(to));
    }
    if let Some(from) = dispatch.filter(|_| needs.dispatch_id) {
        let to = places.place(2)?;
        let offset = PACKET_RESERVED2;
        load(codes, Op::SLoadDwordx2, to, from, offset, &mut code);
        kept.dispatch_id = Some(Home::Scalar(to));
    }
    kept.kernarg = kernarg.map(Home::Scalar);
    kept.dispatch = dispatch.map(Home::Scalar);
    let mut place = |width: u16| places.place(width);
    storage.keep(codes, &position, &mut place, &mut kept, &mut code)?;
    places.settle(codes, &mut kept, &mut code)?;
    // Back to where the kernel expects it: downwards, in ascending order.
    for (name, first, count) in before.iter().filter(|(name, ..)| *name != UNDEFINED) {
        let Some(arrived) = position(name).filter(|arrived| arrived != first) else {
            continue;
        };
        for index in 0..*count {
            code.move_scalar(first + index, SourceOperand::Scalar(arrived + index));
        }
    }
    Ok((kept, code))
}

pub(crate) fn refused(reason: &str) -> Refusal {
    Refusal::Registers {
        what: "values of the kernel's entry",
        reason: reason.to_owned(),
    }
}

/// Lets arrive what is needed. `before`: what arrives anyway.
fn enable(
    needs: RequiredValues,
    storage: &Storage,
    before: &[(&'static str, u16, u16)],
    descriptor: &mut KernelDescriptor,
) -> Result<(), Refusal> {
    let failed = |error: codeobj::Error| refused(&error.to_string());
    let mut wanted = Vec::new();
    if needs.kernarg || needs.implicit {
        wanted.push(("enable_sgpr_kernarg_segment_ptr", 2));
    }
    if needs.dispatch || needs.dispatch_id {
        wanted.push(("enable_sgpr_dispatch_ptr", 2));
    }
    for (needed, (field, _)) in needs.workgroup.iter().zip(WORKGROUP_FIELDS) {
        if *needed {
            // System SGPRs, which do not count as user SGPRs.
            wanted.push((field, 0));
        }
    }
    let mut added = 0;
    for (field, registers) in wanted {
        if descriptor.get(field) == Some(0) {
            added += registers;
            descriptor.set(field, 1).map_err(failed)?;
        }
    }
    added += storage.enable(descriptor)?;
    // Some chips want more user SGPRs than a kernel names (gfx1100: sixteen): those without a value are there to be used.
    let spare = before.iter().find(|(name, ..)| *name == UNDEFINED);
    let spare = spare.map_or(0, |(.., count)| u64::from(*count));
    let user = descriptor.get("user_sgpr_count").unwrap_or(0) + added.saturating_sub(spare);
    if user > MOST_USER_SGPRS {
        return Err(refused("no user SGPR is left to receive them in"));
    }
    descriptor.set("user_sgpr_count", user).map_err(failed)
}

/// The workgroup's number in a dimension. `arrived`: the register that it arrives in, before gfx12.
fn workgroup(
    codes: &Encodings,
    dimension: usize,
    arrived: impl Fn() -> Result<u16, Refusal>,
    to: u16,
    code: &mut Vec<Instruction>,
) -> Result<(), Refusal> {
    let (first, rest) = (SourceOperand::Scalar(TTMP9), SourceOperand::Scalar(TTMP7));
    match dimension {
        _ if codes.target.family < Family::Gfx12 => {
            code.move_scalar(to, SourceOperand::Scalar(arrived()?));
        }
        0 => code.move_scalar(to, first),
        1 => code.scalar2(Op::SAndB32, to, rest, SourceOperand::Constant(0xffff)),
        _ => code.scalar2(Op::SLshrB32, to, rest, SourceOperand::Constant(16)),
    }
    Ok(())
}

/// Bytes from the first argument to the first hidden one, which the caller does not name.
fn hidden_arguments(metadata: Option<KernelEntry<'_>>) -> Result<u32, Refusal> {
    let first = metadata.and_then(KernelEntry::hidden_arguments);
    first
        .map(|offset| offset as u32)
        .ok_or_else(|| refused("the kernel has no implicit arguments"))
}

/// Lanes' numbers in their workgroup go to VGPRs that nothing names.
fn workitems(
    needed: [bool; 3],
    supply: &mut RegisterPool,
    descriptor: &mut KernelDescriptor,
    code: &mut Vec<Instruction>,
) -> Result<[Option<u16>; 3], Refusal> {
    const FIELD: &str = "enable_vgpr_workitem_id";
    let mut kept = [None; 3];
    let Some(last) = needed.iter().rposition(|needed| *needed) else {
        return Ok(kept);
    };
    let refused = |reason: String| Refusal::Registers {
        what: "values of the kernel's entry",
        reason,
    };
    let packed = descriptor.target().packed_work_item_ids;
    let before = descriptor.get(FIELD).unwrap_or(0);
    let more = before < last as u64;
    if more {
        let set = descriptor.set(FIELD, last as u64);
        set.map_err(|error| refused(error.to_string()))?;
    }
    // The values that arrive must not be overwritten before they are taken, nor be beyond a wave's registers.
    let arriving = if packed { 1 } else { last as u16 + 1 };
    supply.use_up(RegisterFile::Vgpr, arriving);
    for (dimension, kept) in kept.iter_mut().enumerate() {
        if !needed[dimension] {
            continue;
        }
        let to = supply.keep(RegisterFile::Vgpr, 1, 1, arriving);
        let to = to.ok_or_else(|| refused("no VGPR is free for the whole kernel".to_owned()))?;
        let bit = SourceOperand::Constant(10 * dimension as u32);
        match packed {
            true => {
                let sources = [SourceOperand::Vector(0), bit, SourceOperand::Constant(10)];
                code.vector(Op::VBfeU32, to, &sources);
            }
            false => code.move_vector(to, SourceOperand::Vector(dimension as u16)),
        }
        *kept = Some(to);
    }
    if packed && more {
        // The kernel takes the register for what it asked for.
        let mask = (1u32 << (10 * (before + 1))) - 1;
        let sources = [SourceOperand::Constant(mask), SourceOperand::Vector(0)];
        code.vector(Op::VAndB32, 0, &sources);
    }
    Ok(kept)
}

/// Name, first register, registers.
fn layout(descriptor: &KernelDescriptor) -> Vec<(&'static str, u16, u16)> {
    let mut next = 0;
    let mut places = Vec::new();
    for (name, count) in descriptor.initial_sgprs() {
        places.push((name, next, count as u16));
        next += count as u16;
    }
    places
}

/// Scalars from memory, waited for. `base`: the pair with the address.
pub(crate) fn load(
    codes: &Encodings,
    op: Op,
    to: u16,
    base: u16,
    offset: u32,
    code: &mut Vec<Instruction>,
) {
    let sources = [SourceOperand::Scalar(base), SourceOperand::Constant(offset)];
    code.put(Instruction::new(op, to, &sources));
    let counter = if codes.target.family >= Family::Gfx12 {
        lift::Counter::Scalar
    } else {
        lift::Counter::Data
    };
    if let Some(wait) = codes.wait(counter) {
        code.fixed(wait);
    }
}
