//! SCRATCH: per-lane private addresses, without an aperture.
//!
//! The emulated device gives each wave its own backing. A private address X therefore means dword X/4 of the lane
//! there, whatever FLAT_SCRATCH holds: the kernel's prologue only computes where the hardware would have put that
//! backing.

use super::{
    flat,
    lanes::{self, GROUP, Lanes},
    private,
    space::{Access, Checked, Space, resolve_checked},
    spread::{Column, Offsets, Spread},
};
use crate::{
    engine::Env,
    memory::{Fault, FaultKind},
    micro_op::MicroOp,
    state::Wave,
};

pub(crate) struct Scratch;

/// Private addresses of a group.
#[inline(always)]
fn offsets(wave: &Wave, op: &MicroOp, access: &Access) -> [u32; GROUP] {
    let base = fixed(wave, op).wrapping_add(access.extra);
    if !op.vector_memory().has_vector_address() {
        return [base; GROUP];
    }
    lanes::words(wave, op.src[0].index as usize, access.group).map(
        #[inline(always)]
        |address| address.wrapping_add(base),
    )
}

/// The offset that the instruction adds to the vector address.
#[inline(always)]
fn fixed(wave: &Wave, op: &MicroOp) -> u32 {
    let mut base = op.vector_memory().offset as u32;
    if op.vector_memory().has_scalar_base() {
        base = base.wrapping_add(wave.sgpr(op.src[2].index as usize));
    }
    base
}

impl Space for Scratch {
    #[inline(never)]
    fn spread(
        wave: &mut Wave,
        op: &MicroOp,
        env: &mut Env<'_>,
        bytes: u32,
        write: bool,
    ) -> Option<Spread> {
        if !op.vector_memory().has_vector_address() {
            return None;
        }
        let add = fixed(wave, op);
        private::in_scratch(wave, op, env, add, bytes, write)
    }

    #[inline(always)]
    fn column(
        wave: &mut Wave,
        op: &MicroOp,
        env: &mut Env<'_>,
        bytes: u32,
        write: bool,
    ) -> Option<Column> {
        if wave.exec() == 0 {
            return None;
        }
        let mut offset = fixed(wave, op);
        if op.vector_memory().has_vector_address() {
            offset = offset.wrapping_add(Offsets::common_in_place(wave, op.src[0].index as usize)?);
        }
        let end = u64::from(offset) + u64::from(bytes);
        if !Column::holds(offset, bytes) || end > u64::from(wave.scratch_bytes_per_lane) {
            return None;
        }
        let first = flat::scratch_address(wave, offset & !3, 0);
        Column::new(wave, env, first, 4 * wave.wave_size, (offset, bytes), write)
    }

    #[inline(always)]
    fn contiguous(_: &Wave, _: &MicroOp, _: &Env<'_>, access: &Access) -> bool {
        access.bytes == 1
    }

    #[inline(always)]
    fn torn(wave: &Wave, op: &MicroOp, access: &Access) -> bool {
        let mask = access.bytes.min(4) - 1;
        let at = offsets(wave, op, access);
        (0..GROUP).any(|i| access.active >> i & 1 != 0 && at[i] & mask != 0)
    }

    #[inline(always)]
    fn resolve(
        wave: &Wave,
        op: &MicroOp,
        env: &mut Env<'_>,
        access: &Access,
        lanes: &mut Lanes,
    ) -> Checked {
        let offsets = offsets(wave, op, access);
        let first = GROUP * access.group;
        let exec = &wave.exec_lanes.0[first..first + GROUP];
        let mut highest = 0;
        for i in 0..GROUP {
            highest = highest.max(offsets[i] & exec[i]);
        }
        if u64::from(highest) + u64::from(access.bytes) > u64::from(wave.scratch_bytes_per_lane) {
            return Err(Box::new(out_of_range(wave, &offsets, access)));
        }
        let at = std::array::from_fn(
            #[inline(always)]
            |i| flat::scratch_address(wave, offsets[i], first + i),
        );
        resolve_checked(env, wave, at, access.active, access, lanes)
    }
}

#[cold]
#[inline(never)]
fn out_of_range(wave: &Wave, offsets: &[u32; GROUP], access: &Access) -> Fault {
    let outside = |i: &usize| {
        access.active >> i & 1 != 0
            && u64::from(offsets[*i]) + u64::from(access.bytes)
                > u64::from(wave.scratch_bytes_per_lane)
    };
    let lane = (0..GROUP).find(outside).unwrap_or(0);
    Fault {
        kind: FaultKind::ScratchOutOfRange,
        address: u64::from(offsets[lane]),
        bytes: access.bytes,
        lane: (GROUP * access.group + lane) as u32,
    }
}
