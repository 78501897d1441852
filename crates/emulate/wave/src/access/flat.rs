//! FLAT and GLOBAL: how their addresses are formed and checked.

use super::{
    lanes::{self, GROUP, Lanes},
    private,
    space::{Access, Checked, Space, resolve_checked},
    spread::{Offsets, Spread},
};
use crate::{
    engine::Env,
    memory::{Fault, FaultKind},
    micro_op::MicroOp,
    state::Wave,
};

/// The bytes that an access adds to every lane's base.
#[inline(always)]
fn offset(op: &MicroOp, access: &Access) -> u64 {
    (i64::from(op.vector_memory().offset) as u64).wrapping_add(u64::from(access.extra))
}

/// Byte address of every lane of a group.
#[inline(always)]
fn addresses(wave: &Wave, op: &MicroOp, access: &Access) -> [u64; GROUP] {
    sums(wave, op, access.group, offset(op, access))
}

/// The same without the instruction's offset.
#[inline(always)]
fn bases(wave: &Wave, op: &MicroOp, access: &Access) -> [u64; GROUP] {
    sums(wave, op, access.group, 0)
}

/// The sum of base registers and `offset` for every lane of a group.
#[inline(always)]
fn sums(wave: &Wave, op: &MicroOp, group: usize, offset: u64) -> [u64; GROUP] {
    let low = lanes::words(wave, op.src[0].index as usize, group);
    if op.vector_memory().has_scalar_base() {
        let base = wave.scalar64(op.src[2].index as usize).wrapping_add(offset);
        return low.map(
            #[inline(always)]
            |low| base.wrapping_add(u64::from(low)),
        );
    }
    let high = lanes::words(wave, op.src[0].index as usize + 1, group);
    std::array::from_fn(
        #[inline(always)]
        |i| (u64::from(low[i]) | u64::from(high[i]) << 32).wrapping_add(offset),
    )
}

/// Offsets of all lanes, and the address they start from.
#[inline(always)]
fn spread_offsets(wave: &mut Wave, op: &MicroOp, bytes: u32) -> Option<(Offsets, u64)> {
    let row = op.src[0].index as usize;
    let offset = i64::from(op.vector_memory().offset) as u64;
    let offsets = Offsets::of_bytes(wave, row, bytes)?;
    if op.vector_memory().has_scalar_base() {
        let base = wave.scalar64(op.src[2].index as usize);
        return Some((offsets, base.wrapping_add(offset)));
    }
    let high = Offsets::common(wave, row + 1)?;
    Some((offsets, (u64::from(high) << 32).wrapping_add(offset)))
}

/// GLOBAL: every address is one of the device's memory.
pub(crate) struct Global;

impl Space for Global {
    #[inline(always)]
    fn spread(
        wave: &mut Wave,
        op: &MicroOp,
        env: &mut Env<'_>,
        bytes: u32,
        write: bool,
    ) -> Option<Spread> {
        let (offsets, base) = spread_offsets(wave, op, bytes)?;
        offsets.in_memory(env, base, bytes, write)
    }

    #[inline(always)]
    fn contiguous(_: &Wave, _: &MicroOp, _: &Env<'_>, _: &Access) -> bool {
        true
    }

    #[inline(always)]
    fn torn(_: &Wave, _: &MicroOp, _: &Access) -> bool {
        false
    }

    #[inline(always)]
    fn resolve(
        wave: &Wave,
        op: &MicroOp,
        env: &mut Env<'_>,
        access: &Access,
        lanes: &mut Lanes,
    ) -> Checked {
        let at = addresses(wave, op, access);
        resolve_checked(env, wave, at, access.active, access, lanes)
    }
}

/// FLAT: the high half of the base decides between LDS, scratch and the device's memory, whatever the instruction's
/// offset. (Compilers therefore put offsets there only if they know that they stay in the same memory.)
pub(crate) struct Flat;

/// Returns `true` if an active lane's base has `aperture` as its high half.
#[inline(always)]
fn any_in(aperture: u64, bases: &[u64; GROUP], active: u16) -> bool {
    if aperture == 0 {
        return false;
    }
    let high = (aperture >> 32) as u32;
    let mut found = 0u32;
    for (i, base) in bases.iter().enumerate() {
        found |= u32::from((base >> 32) as u32 == high) << i;
    }
    found & u32::from(active) != 0
}

/// Scratch at addresses of its aperture, of which the low halves are the lanes' own.
#[inline(never)]
fn private_elements(
    wave: &mut Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
    bytes: u32,
    write: bool,
) -> Option<Spread> {
    if wave.private_aperture == 0 {
        return None;
    }
    private::in_scratch(
        wave,
        op,
        env,
        op.vector_memory().offset as u32,
        bytes,
        write,
    )
}

impl Space for Flat {
    #[inline(always)]
    fn spread(
        wave: &mut Wave,
        op: &MicroOp,
        env: &mut Env<'_>,
        bytes: u32,
        write: bool,
    ) -> Option<Spread> {
        let (offsets, base) = spread_offsets(wave, op, bytes)?;
        let offset = i64::from(op.vector_memory().offset) as u64;
        let half = |low: u32| {
            let base = base.wrapping_sub(offset);
            base.wrapping_add(u64::from(low)) >> 32
        };
        let high = half(offsets.lowest());
        if high != half(offsets.highest()) {
            return None;
        }
        if high == wave.private_aperture >> 32 {
            // The sum of low halves has no carry to lose.
            let fits = |low: u32| u32::try_from(i64::from(low) + offset as i64).is_ok();
            if !fits(offsets.lowest()) || !fits(offsets.highest()) {
                return None;
            }
            return private_elements(wave, op, env, bytes, write);
        }
        if high == wave.shared_aperture >> 32 && wave.shared_aperture != 0 {
            return offsets.in_lds(wave, env, base as u32, bytes);
        }
        offsets.in_memory(env, base, bytes, write)
    }

    #[inline(always)]
    fn contiguous(wave: &Wave, op: &MicroOp, _: &Env<'_>, access: &Access) -> bool {
        let bases = bases(wave, op, access);
        !any_in(wave.private_aperture, &bases, access.active)
    }

    fn torn(wave: &Wave, op: &MicroOp, access: &Access) -> bool {
        let mask = u64::from(access.bytes.min(4)) - 1;
        addresses(wave, op, access)
            .iter()
            .enumerate()
            .any(|(i, address)| access.active >> i & 1 != 0 && address & mask != 0)
    }

    #[inline(always)]
    fn resolve(
        wave: &Wave,
        op: &MicroOp,
        env: &mut Env<'_>,
        access: &Access,
        lanes: &mut Lanes,
    ) -> Checked {
        let bases = bases(wave, op, access);
        let offset = offset(op, access);
        if any_in(wave.shared_aperture, &bases, access.active)
            || any_in(wave.private_aperture, &bases, access.active)
        {
            return resolve_apertures(wave, env, bases, offset, access, lanes);
        }
        let at = bases.map(
            #[inline(always)]
            |base| base.wrapping_add(offset),
        );
        resolve_checked(env, wave, at, access.active, access, lanes)
    }
}

/// FLAT with at least one lane's base in an aperture: each lane by itself.
#[inline(never)]
fn resolve_apertures(
    wave: &Wave,
    env: &mut Env<'_>,
    bases: [u64; GROUP],
    offset: u64,
    access: &Access,
    lanes: &mut Lanes,
) -> Checked {
    let mut at = bases.map(|base| base.wrapping_add(offset));
    let fits = |at: i64, limit: u32| at >= 0 && at + i64::from(access.bytes) <= i64::from(limit);
    for i in (0..GROUP).filter(|i| access.active >> i & 1 != 0) {
        let address = at[i];
        let lane = (GROUP * access.group + i) as u32;
        let aperture = bases[i] & !0xffff_ffff;
        let within = i64::from(bases[i] as u32) + offset as i64;
        let fault = |kind| {
            Box::new(Fault {
                kind,
                address,
                bytes: access.bytes,
                lane,
            })
        };
        if aperture == wave.shared_aperture && aperture != 0 {
            let limit = wave.lds_bytes.min(env.lds.len() as u32);
            if !fits(within, limit) {
                return Err(fault(FaultKind::LdsOutOfRange));
            }
            at[i] = env.lds[within as usize..].as_mut_ptr().expose_provenance() as u64;
            continue;
        }
        if aperture == wave.private_aperture && aperture != 0 {
            if !fits(within, wave.scratch_bytes_per_lane) {
                return Err(fault(FaultKind::ScratchOutOfRange));
            }
            at[i] = scratch_address(wave, within as u32, lane as usize);
        }
        env.memory
            .pointer(at[i], access.bytes, access.write, lane)
            .map_err(Box::new)?;
    }
    // SAFETY: every active lane was checked: against the LDS buffer this thread owns, or as memory.
    *lanes = unsafe { Lanes::new(at, access.active, access.active) };
    Ok(())
}

/// Scratch is kept as the hardware keeps it: dword d of lane l at `(d * wave size + l) * 4`.
#[inline(always)]
pub(crate) fn scratch_address(wave: &Wave, offset: u32, lane: usize) -> u64 {
    let dword = u64::from(offset >> 2) * u64::from(wave.wave_size) + lane as u64;
    wave.scratch_base
        .wrapping_add(dword * 4 + u64::from(offset & 3))
}

/// `global_*_dword_addtid` (gfx10): scalar base, offset and four bytes per lane number.
pub(crate) struct LaneIndexed;

impl Space for LaneIndexed {
    #[inline(always)]
    fn contiguous(_: &Wave, _: &MicroOp, _: &Env<'_>, _: &Access) -> bool {
        true
    }

    #[inline(always)]
    fn torn(_: &Wave, _: &MicroOp, _: &Access) -> bool {
        false
    }

    fn resolve(
        wave: &Wave,
        op: &MicroOp,
        env: &mut Env<'_>,
        access: &Access,
        lanes: &mut Lanes,
    ) -> Checked {
        let base = if op.vector_memory().has_scalar_base() {
            wave.scalar64(op.src[2].index as usize)
        } else {
            0
        };
        let base = base.wrapping_add(i64::from(op.vector_memory().offset) as u64);
        let at = std::array::from_fn(|i| base.wrapping_add(4 * (GROUP * access.group + i) as u64));
        resolve_checked(env, wave, at, access.active, access, lanes)
    }
}
