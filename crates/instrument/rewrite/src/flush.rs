//! Counters to memory, before the end of the program.

use crate::counting::{Array, Counting};
use crate::encode::Encodings;
use crate::instruction::{EXEC, Instruction, InstructionSink, Op, SourceOperand};
use crate::ir::{Code, HazardScope, Seam};
use crate::lower::{HookSite, Lowering, fixed};
use crate::registers::Home;
use crate::save::move_mask;
use crate::{AddressHalf, Refusal, Symbol};
use lift::registers::{RegisterSet, Span};

impl Counting {
    /// Adds the arrays to memory, all lanes at once; nothing of the application is alive any more.
    pub fn flush<'p>(
        &self,
        lowering: &mut Lowering<'_, 'p>,
        place: &HookSite<'_>,
        code: &mut Code<'p>,
    ) -> Result<(), Refusal> {
        if self.arrays.is_empty() {
            return Ok(());
        }
        let (scalars, vectors) = lowering.borrow_at_end(2, 3)?;
        // Three registers in a row from an even number: a pair for data, then the address.
        let (data, address) = (vectors, vectors + 2);
        let mut registers = RegisterSet::default();
        registers.insert(Span::Scalar(scalars, 2));
        registers.insert(Span::Vector(vectors, 3));
        let seam = code.enter();
        let all_lanes = SourceOperand::Constant(u32::MAX);
        let move_mask = move_mask(u16::from(place.wave_size / 32));
        code.scalar1(move_mask, EXEC, all_lanes);
        let lane = SourceOperand::Vector(address);
        code.vector(
            Op::VMbcntLo,
            address,
            &[all_lanes, SourceOperand::Constant(0)],
        );
        if place.wave_size == 64 {
            code.vector(Op::VMbcntHi, address, &[all_lanes, lane]);
        }
        code.vector(
            Op::VLshlrevB32,
            address,
            &[SourceOperand::Constant(3), lane],
        );
        let with = FlushRegisters {
            scalars,
            data,
            address,
        };
        for array in &self.arrays {
            let name = lowering.globals.get(array.global).ok_or(Refusal::BadPlan {
                what: "global",
                index: array.global,
            })?;
            array.flush(name, with, lowering.codes, code);
        }
        let seam_is = Seam::new(place.function, place.spot, HazardScope::All, registers);
        code.leave(seam, seam_is);
        Ok(())
    }
}

/// The registers with which counters are added to memory: a pair for the variable's address, a pair for counters, one for offsets.
#[derive(Clone, Copy)]
struct FlushRegisters {
    scalars: u16,
    data: u16,
    address: u16,
}

impl Array {
    fn flush(&self, name: &str, with: FlushRegisters, codes: &Encodings, code: &mut Code<'_>) {
        let wave_size = codes.wave_size;
        for (index, home) in self.homes.iter().enumerate() {
            if let Home::Scalar(register) = *home {
                let lane = index % usize::from(wave_size);
                let vgpr = self.vgprs[index / usize::from(wave_size)];
                code.write_lane(vgpr, lane as u16, register);
            }
        }
        for (group, vgpr) in self.vgprs.iter().enumerate() {
            let is_last = self.vgprs.len() == group + 1;
            self.flush_group(name, with, codes, (group, *vgpr, is_last), code);
        }
    }

    /// As many counters as a wave has lanes.
    fn flush_group(
        &self,
        name: &str,
        FlushRegisters {
            scalars,
            data,
            address,
        }: FlushRegisters,
        codes: &Encodings,
        (group, vgpr, is_last): (usize, u16, bool),
        code: &mut Code<'_>,
    ) {
        let wave_size = codes.wave_size;
        let first = group * usize::from(wave_size);
        for (half, register) in [
            (AddressHalf::Low, scalars),
            (AddressHalf::High, scalars + 1),
        ] {
            let symbol = Symbol::Tool(name.to_owned());
            let literal = SourceOperand::Address(code.address(half, symbol, first as i64 * 8));
            code.move_scalar(register, literal);
        }
        code.move_vector(data, SourceOperand::Vector(vgpr));
        let high = self.high_vgprs[group];
        let high = high.map_or(SourceOperand::Constant(0), SourceOperand::Vector);
        code.move_vector(data + 1, high);
        for (lane, high) in (0..wave_size).zip(&self.highs[first..]) {
            if let Some(Home::Scalar(register)) = *high {
                code.write_lane(data + 1, lane.into(), register);
            }
        }
        let left = self.homes.len() - first;
        let is_part = left < usize::from(wave_size);
        if is_part {
            let mask = (1u64 << left) - 1;
            code.move_scalar(EXEC, SourceOperand::Constant(mask as u32));
            if wave_size == 64 {
                code.move_scalar(EXEC + 1, SourceOperand::Constant((mask >> 32) as u32));
            }
        }
        let sources = [
            SourceOperand::Vector(data),
            SourceOperand::Scalar(scalars),
            SourceOperand::Vector(address),
        ];
        code.put(Instruction::new(Op::GlobalAtomicAddU64, 0, &sources));
        fixed(codes, code, Op::SettleRegisters);
        if is_part && is_last {
            let op = move_mask(u16::from(wave_size / 32));
            code.scalar1(op, EXEC, SourceOperand::Constant(u32::MAX));
        }
    }
}
