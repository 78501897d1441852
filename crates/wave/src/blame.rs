//! Which instruction and which lane met a fault of the host, from what its registers and stack held.

use std::ops::Range;

use isa::Effects;

use crate::{
    Fault, FaultKind, Stop, Wave,
    engine::UNROLLED,
    host_address,
    micro_op::{MicroOp, SrcKind},
    program::DecodedInst,
};

/// Of an access whose lane cannot be told.
pub const NO_LANE: u32 = u32::MAX;
/// Bytes before an address at which an access of a lane may begin that reaches it.
const WIDEST: u64 = 16;

impl Wave {
    /// Where its micro-ops lie in the host's memory.
    pub fn code_range(&self) -> Range<u64> {
        let ops = self.segment.ops.as_ptr_range();
        ops.start as u64..ops.end as u64
    }

    /// The host refused the memory at `address`, which the device had been allowed. `words` are those of the host's registers and stack
    /// that lie in [`Wave::code_range`], innermost first: the instruction's micro-op is among them, or the first of the group that the
    /// engine's loop calls in a row.
    pub fn host_fault(&mut self, words: &[u64], address: u64) -> Stop {
        let size = size_of::<MicroOp>() as u64;
        let start = self.code_range().start;
        let places = words.iter().map(|word| ((word - start) / size) as usize);
        let own = places.clone().find(|place| self.accesses_memory(*place));
        // Somewhere behind the first of the group.
        let near = || {
            places
                .flat_map(|place| place..place + UNROLLED)
                .find(|place| self.accesses_memory(*place))
        };
        let mut lane = NO_LANE;
        if let Some(place) = own.or_else(near) {
            self.next = place + 1;
            lane = self.lane_at(place, address).unwrap_or(NO_LANE);
        }
        Stop::Fault(Fault {
            kind: FaultKind::Withdrawn,
            address,
            bytes: 1,
            lane,
        })
    }

    fn inst(&self, place: usize) -> Option<&DecodedInst> {
        let insts = &self.segment.insts;
        insts.get(insts.partition_point(|inst| (inst.op as usize) < place))
    }

    fn accesses_memory(&self, place: usize) -> bool {
        let memory = Effects::LOAD | Effects::STORE;
        self.inst(place)
            .is_some_and(|inst| inst.effects.intersects(memory))
    }

    /// The first active lane whose access by this instruction may reach `address`. A load that has overwritten its own address does not
    /// tell any more.
    fn lane_at(&self, place: usize, address: u64) -> Option<u32> {
        let op = self.segment.ops.get(place)?;
        let mnemonic = self.inst(place)?.mnemonic;
        if !["global_", "flat_"]
            .iter()
            .any(|part| mnemonic.starts_with(part))
        {
            return None;
        }
        let row = usize::from(op.src[0].index);
        let scalar = (op.src[2].kind == SrcKind::Scalar && op.modifiers & 4 != 0)
            .then(|| self.scalar64(usize::from(op.src[2].index)));
        let of_lane = |lane: usize| {
            let low = u64::from(self.vgpr(row, lane));
            let base = match scalar {
                Some(base) => base.wrapping_add(low),
                None => low | u64::from(self.vgpr(row + 1, lane)) << 32,
            };
            host_address(base.wrapping_add_signed(i64::from(op.offset)))
        };
        (0..self.wave_size)
            .filter(|lane| self.exec() >> lane & 1 != 0)
            .find(|lane| {
                (of_lane(*lane as usize)..).contains(&address)
                    && address - of_lane(*lane as usize) < WIDEST
            })
    }
}
