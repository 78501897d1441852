//! Finds the instruction and the lane that met a fault of the host, from the host's registers and stack.

use std::ops::Range;

use isa::{Effects, Traits};

use crate::{Fault, FaultKind, Stop, Wave, host_address, micro_op::MicroOp, program::DecodedInst};

/// The lane of an access whose lane cannot be told.
pub const NO_LANE: u32 = u32::MAX;
/// Bytes before an address at which an access of a lane may begin that reaches it.
const WIDEST: u64 = 16;
/// Micro-ops looked at from an address of the code on.
const STRETCH: usize = 256;

impl Wave {
    /// The place of its micro-ops in the host's memory.
    pub fn code_range(&self) -> Range<u64> {
        let ops = self.segment.ops.as_ptr_range();
        ops.start as u64..ops.end as u64
    }

    /// The host refused the memory at `address`, which the device had been allowed. `words` are those of the host's registers and stack
    /// that lie in [`Wave::code_range`], innermost first: the engine's loop left some address of the stretch of code there that it was in.
    /// From there on, this function takes the first instruction that reads or writes, as `write` says, at this address in some lane. If no
    /// lane does ([`NO_LANE`]), it is one of the next that access memory.
    pub fn host_fault(&mut self, words: &[u64], address: u64, write: bool) -> Stop {
        let size = size_of::<MicroOp>() as u64;
        let start = self.code_range().start;
        let places = words.iter().map(|word| ((word - start) / size) as usize);
        let places = places.map(|place| self.segment.runs.place_in_code(place));
        let wanted = if write { Effects::STORE } else { Effects::LOAD };
        let mut stretch = places
            .flat_map(|place| place..place + STRETCH)
            .filter(|place| self.effects(*place).intersects(wanted));
        let exact = stretch.clone().find_map(|place| {
            let lane = self.lane_at(place, address)?;
            Some((place, lane))
        });
        let near = || Some((stretch.next()?, NO_LANE));
        let found = exact.or_else(near);
        let lane = found.map_or(NO_LANE, |(_, lane)| lane);
        if let Some((place, _)) = found {
            self.next = place + 1;
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

    fn effects(&self, place: usize) -> Effects {
        self.inst(place)
            .map_or(Effects::empty(), |inst| inst.effects)
    }

    /// The first active lane whose access by this instruction may reach `address`. A load that has overwritten its own address does not
    /// tell any more.
    fn lane_at(&self, place: usize, address: u64) -> Option<u32> {
        let segment = &self.segment;
        let op = segment.ops.get(segment.runs.original(place))?;
        if !self.inst(place)?.instruction.has(Traits::BY_ADDRESS) {
            return None;
        }
        let access = op.any_vector_memory()?;
        let row = usize::from(op.src[0].index);
        let scalar = access
            .has_scalar_base()
            .then(|| self.scalar64(usize::from(op.src[2].index)));
        let of_lane = |lane: usize| {
            let low = u64::from(self.vgpr(row, lane));
            let base = match scalar {
                Some(base) => base.wrapping_add(low),
                None => low | u64::from(self.vgpr(row + 1, lane)) << 32,
            };
            host_address(base.wrapping_add_signed(i64::from(access.offset)))
        };
        (0..self.wave_size)
            .filter(|lane| self.exec() >> lane & 1 != 0)
            .find(|lane| {
                (of_lane(*lane as usize)..).contains(&address)
                    && address - of_lane(*lane as usize) < WIDEST
            })
    }
}
