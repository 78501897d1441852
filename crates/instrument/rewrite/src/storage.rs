//! Memory of hooks: their private variables lie behind the application's scratch, their LDS variables behind its LDS.
//!
//! The application's sizes are known at a launch only (dynamic LDS, a stack for recursion). A wave therefore computes the start
//! from its dispatch packet: the host adds the growth of the descriptor to the packet's sizes, and the hooks' part is the last
//! one.

use crate::encode::Encodings;
use crate::entry::{EntryValues, load};
use crate::frame::FRAME_SLOTS;
use crate::instruction::{FLAT_SCRATCH, Instruction, InstructionSink, Op, SourceOperand, VCC};
use crate::registers::Home;
use crate::{Action, HookVariants, Plan, Refusal};
use codeobj::KernelDescriptor;
use gfx::Family;
use std::collections::BTreeMap;

/// Where the sizes are in a dispatch packet (HSA specification, `hsa_kernel_dispatch_packet_t`).
const PACKET_PRIVATE_SIZE: u32 = 24;
const PACKET_GROUP_SIZE: u32 = 28;
/// The application's part of LDS may end anywhere. Variables start at multiples of this.
const LDS_ALIGNMENT: u32 = 16;
/// VGPRs that a hook may take beside those of its template: for addresses, for lanes, for values on their way.
const OWN_VECTORS: u16 = 8;

/// The memory that the hooks of a plan need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Storage {
    /// Bytes per lane, of the largest hook: no two run at a time.
    pub stack: u32,
    /// VGPRs of the hook that takes most.
    vectors: u16,
    /// Bytes per lane for VGPRs that are spilled, between the application's scratch and the stack.
    spills: u32,
    /// Offsets of LDS variables by name: all hooks that name one share it.
    shared: BTreeMap<String, u32>,
    shared_bytes: u32,
}

impl Storage {
    pub fn new(plan: &Plan<'_>) -> Storage {
        let mut storage = Storage::default();
        let mut used = vec![false; plan.hooks.len()];
        let calls = plan
            .insertions
            .iter()
            .filter_map(|insertion| match &insertion.action {
                Action::Call { hook, .. } => Some(*hook),
                _ => None,
            });
        let flushes = plan
            .accumulators
            .iter()
            .map(|accumulator| accumulator.flush);
        for hook in calls.chain(flushes) {
            if let Some(used) = used.get_mut(hook) {
                *used = true;
            }
        }
        let hooks = plan.hooks.iter().zip(&used);
        for (hook, _) in hooks.filter(|(_, used)| **used) {
            storage.add(hook);
        }
        storage
    }

    fn add(&mut self, hook: &HookVariants<'_>) {
        for (_, _, template) in &hook.templates {
            self.stack = self.stack.max(template.stack.next_multiple_of(16));
            self.vectors = self.vectors.max(template.vector_registers());
            for variable in &template.shared {
                if self.shared.contains_key(&variable.name) {
                    continue;
                }
                let offset = self
                    .shared_bytes
                    .next_multiple_of(variable.alignment.max(1));
                self.shared.insert(variable.name.clone(), offset);
                self.shared_bytes = offset.saturating_add(variable.size);
            }
        }
    }

    /// VGPRs of the application that can be in scratch at a time, beside a frame: as many as one hook may want.
    pub fn spill_slots(&self) -> u16 {
        self.vectors + OWN_VECTORS
    }

    /// With room for VGPRs of the application behind so many bytes of scratch; returns where it begins, in bytes from the start of a
    /// lane's scratch.
    pub fn with_room_for_spills(mut self, application: u32) -> (Storage, u32) {
        self.spills = 4 * u32::from(self.spill_slots() + FRAME_SLOTS);
        (self, application.next_multiple_of(4))
    }

    pub fn is_empty(&self) -> bool {
        self.private() == 0 && self.shared.is_empty()
    }

    /// Bytes per lane behind the application's scratch.
    fn private(&self) -> u32 {
        self.spills + self.stack
    }

    /// Makes room in the descriptor, and lets arrive what is needed to find it; returns the user SGPRs that this adds.
    pub fn enable(&self, descriptor: &mut KernelDescriptor) -> Result<u64, Refusal> {
        if self.is_empty() {
            return Ok(0);
        }
        let failed = |error: codeobj::Error| refused(&error.to_string());
        let target = descriptor.target();
        let mut wanted = Vec::new();
        if self.stack > 0 || !self.shared.is_empty() {
            wanted.push(("enable_sgpr_dispatch_ptr", 2));
        }
        if self.private() > 0 {
            let before = descriptor.private_segment_size().next_multiple_of(4);
            let size = u64::from(before) + u64::from(self.private());
            descriptor
                .set("private_segment_fixed_size", size)
                .map_err(failed)?;
            // A system SGPR, which does not count as a user SGPR.
            wanted.push(("enable_private_segment", 0));
            if !target.architected_flat_scratch {
                wanted.push(("enable_sgpr_flat_scratch_init", 2));
            }
        }
        if !self.shared.is_empty() {
            let grown = u64::from(self.shared_bytes) + u64::from(LDS_ALIGNMENT - 1);
            let size = u64::from(descriptor.group_segment_size()) + grown;
            if size > u64::from(target.lds_bytes) {
                return Err(Refusal::Registers {
                    what: "LDS variables of hooks",
                    reason: format!(
                        "with them a workgroup takes {size} bytes of LDS, and {} has {}",
                        target.name, target.lds_bytes
                    ),
                });
            }
            descriptor
                .set("group_segment_fixed_size", size)
                .map_err(failed)?;
        }
        let mut added = 0;
        for (field, registers) in wanted {
            if descriptor.get(field) == Some(0) {
                added += registers;
                descriptor.set(field, 1).map_err(failed)?;
            }
        }
        Ok(added)
    }

    /// Code at the entry that computes the addresses. `position`: where a value arrives; `place`: SGPRs to keep.
    pub fn keep(
        &self,
        codes: &Encodings,
        position: &dyn Fn(&str) -> Option<u16>,
        place: &mut dyn FnMut(u16) -> Result<u16, Refusal>,
        kept: &mut EntryValues,
        code: &mut Vec<Instruction>,
    ) -> Result<(), Refusal> {
        if self.is_empty() {
            return Ok(());
        }
        let find = |name: &str| {
            position(name).ok_or_else(|| refused("the kernel's entry does not have them"))
        };
        if self.spills > 0 && !codes.target.architected_flat_scratch {
            let (init, wave) = (
                find("flat_scratch_init")?,
                find("private_segment_wave_offset")?,
            );
            set_flat_scratch(codes.target.family, init, wave, code);
        }
        if self.stack == 0 && self.shared.is_empty() {
            return Ok(());
        }
        let packet = find("dispatch_ptr")?;
        if self.stack > 0 {
            let low = place(2)?;
            load(
                codes,
                Op::SLoadDword,
                low,
                packet,
                PACKET_PRIVATE_SIZE,
                code,
            );
            self.stack_address(codes, &find, low, code)?;
            kept.stack = Some(Home::Scalar(low));
        }
        let mut start = None;
        // The variable at the start comes first: the others are found from it.
        let mut variables: Vec<_> = self.shared.iter().collect();
        variables.sort_by_key(|(_, offset)| **offset);
        for (name, &offset) in variables {
            let to = place(1)?;
            let own = SourceOperand::Scalar(to);
            match start {
                None => {
                    load(codes, Op::SLoadDword, to, packet, PACKET_GROUP_SIZE, code);
                    code.scalar2(
                        Op::SSubU32,
                        to,
                        own,
                        SourceOperand::Constant(self.shared_bytes),
                    );
                    let mask = SourceOperand::Constant(LDS_ALIGNMENT.wrapping_neg());
                    code.scalar2(Op::SAndB32, to, own, mask);
                    start = Some(SourceOperand::Scalar(to));
                }
                Some(start) => {
                    code.scalar2(Op::SAddU32, to, start, SourceOperand::Constant(offset))
                }
            }
            kept.shared.insert(name.clone(), Home::Scalar(to));
        }
        Ok(())
    }

    /// From the bytes per lane of the dispatch in `low` to the global address of lane 0's part for hooks in the pair.
    fn stack_address(
        &self,
        codes: &Encodings,
        find: &dyn Fn(&str) -> Result<u16, Refusal>,
        low: u16,
        code: &mut Vec<Instruction>,
    ) -> Result<(), Refusal> {
        let high = low + 1;
        let (low_is, high_is, zero) = (
            SourceOperand::Scalar(low),
            SourceOperand::Scalar(high),
            SourceOperand::Constant(0),
        );
        let shift = SourceOperand::Constant(codes.wave_size.trailing_zeros());
        code.scalar2(
            Op::SSubU32,
            low,
            low_is,
            SourceOperand::Constant(self.stack),
        );
        code.scalar2(Op::SLshlB32, low, low_is, shift);
        match (codes.target.architected_flat_scratch, codes.target.family) {
            (false, _) => {
                let init = find("flat_scratch_init")?;
                let wave = find("private_segment_wave_offset")?;
                code.scalar2(Op::SAddU32, low, low_is, SourceOperand::Scalar(init));
                code.scalar2(Op::SAddcU32, high, SourceOperand::Scalar(init + 1), zero);
                code.scalar2(Op::SAddU32, low, low_is, SourceOperand::Scalar(wave));
                code.scalar2(Op::SAddcU32, high, high_is, zero);
            }
            (true, Family::Gfx9) => {
                code.scalar2(
                    Op::SAddU32,
                    low,
                    low_is,
                    SourceOperand::Scalar(FLAT_SCRATCH),
                );
                code.scalar2(
                    Op::SAddcU32,
                    high,
                    SourceOperand::Scalar(FLAT_SCRATCH + 1),
                    zero,
                );
            }
            (true, _) => {
                code.scalar1(Op::SGetScratchLow, high, SourceOperand::None);
                code.scalar2(Op::SAddU32, low, low_is, high_is);
                code.scalar1(Op::SGetScratchHigh, high, SourceOperand::None);
                code.scalar2(Op::SAddcU32, high, high_is, zero);
            }
        }
        Ok(())
    }
}

/// Where the application uses FLAT_SCRATCH, it sets it to the same value. VCC is undefined at the entry.
fn set_flat_scratch(family: Family, init: u16, wave: u16, code: &mut Vec<Instruction>) {
    let (low, high) = (SourceOperand::Scalar(init), SourceOperand::Scalar(init + 1));
    let (wave, zero) = (SourceOperand::Scalar(wave), SourceOperand::Constant(0));
    if family == Family::Gfx9 {
        code.scalar2(Op::SAddU32, FLAT_SCRATCH, low, wave);
        code.scalar2(Op::SAddcU32, FLAT_SCRATCH + 1, high, zero);
        return;
    }
    let vcc = SourceOperand::Scalar(VCC);
    code.scalar2(Op::SAddU32, VCC, low, wave);
    code.scalar1(Op::SSetScratchLow, 0, vcc);
    code.scalar2(Op::SAddcU32, VCC, high, zero);
    code.scalar1(Op::SSetScratchHigh, 0, vcc);
}

fn refused(reason: &str) -> Refusal {
    Refusal::Registers {
        what: "memory for variables of hooks",
        reason: reason.to_owned(),
    }
}
