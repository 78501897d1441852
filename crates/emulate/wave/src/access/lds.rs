//! LDS: where its instructions point, and what becomes of bytes that do not exist.
//!
//! Bytes outside the workgroup's allocation load zero and swallow stores, dword by dword. M0 does not limit addresses
//! (gfx9 and later).

use super::{
    lanes::{self, GROUP, Lanes},
    spread::{Offsets, Spread},
};
use crate::{
    engine::Env,
    micro_op::{MicroOp, flow},
    state::Wave,
};

/// LDS addresses of a group: the address register plus `offset`, modulo 2^32.
#[inline(always)]
pub(crate) fn addresses(wave: &Wave, op: &MicroOp, group: usize, offset: u32) -> [u32; GROUP] {
    lanes::words(wave, op.src[0].index as usize, group).map(
        #[inline(always)]
        |address| address.wrapping_add(offset),
    )
}

/// Address that instructions with M0 as base and the lane number as index form.
#[inline(always)]
pub(crate) fn lane_addresses(wave: &Wave, op: &MicroOp, group: usize) -> [u32; GROUP] {
    let base = (wave.m0() & 0xffff).wrapping_add(op.lds().offset);
    std::array::from_fn(
        #[inline(always)]
        |i| base.wrapping_add(4 * (GROUP * group + i) as u32),
    )
}

/// Bytes of LDS that exist.
#[inline(always)]
pub(crate) fn limit(wave: &Wave, env: &Env<'_>) -> u32 {
    wave.lds_bytes.min(env.lds.len() as u32)
}

/// Active lanes of `group`.
#[inline(always)]
pub(crate) fn active(wave: &Wave, group: usize) -> u16 {
    (wave.exec() >> (GROUP * group)) as u16
}

/// Lanes of `active` whose `bytes` at `at` lie below `limit`.
#[inline(always)]
pub(crate) fn in_range(
    wave: &Wave,
    group: usize,
    at: &[u32; GROUP],
    bytes: u32,
    limit: u32,
) -> u16 {
    let exec: &[u32] = &wave.exec_lanes.0[GROUP * group..GROUP * group + GROUP];
    let mut highest = 0;
    for i in 0..GROUP {
        highest = highest.max(at[i] & exec[i]);
    }
    let active = active(wave, group);
    match limit.checked_sub(bytes) {
        Some(last) if highest <= last => active,
        Some(last) => (0..GROUP).fold(0, |valid, i| valid | u16::from(at[i] <= last) << i) & active,
        None => 0,
    }
}

/// The group's lanes as host addresses of `bytes` bytes each.
#[inline(always)]
pub(crate) fn resolve(
    wave: &Wave,
    env: &mut Env<'_>,
    group: usize,
    at: &[u32; GROUP],
    bytes: u32,
    limit: u32,
) -> Lanes {
    let valid = in_range(wave, group, at, bytes, limit);
    let base = env.lds.as_mut_ptr().expose_provenance() as u64;
    let at = at.map(
        #[inline(always)]
        |address| base.wrapping_add(u64::from(address)),
    );
    // SAFETY: `valid` lanes lie below `limit`, which is inside the LDS buffer that this thread owns.
    unsafe { Lanes::new(at, valid, active(wave, group)) }
}

#[inline(always)]
pub(crate) fn uniform(at: &[u32; GROUP]) -> bool {
    // This follows `lanes::consecutive`, without singling out lane 0.
    let (any, all) = at.iter().fold((0, !0), |(any, all), &address| {
        (any | address, all & address)
    });
    any == all
}

/// Reads `WORDS` dwords per lane at `at`.
#[inline(always)]
pub(crate) fn read_words<const WORDS: usize>(
    wave: &mut Wave,
    env: &mut Env<'_>,
    dst: usize,
    group: usize,
    at: &[u32; GROUP],
    limit: u32,
) {
    let bytes = 4 * WORDS as u32;
    if active(wave, group) == !0 && uniform(at) {
        for word in 0..WORDS {
            let value = read_word(env, at[0].wrapping_add(4 * word as u32), limit);
            *lanes::words_mut(wave, dst + word, group) = [value; GROUP];
        }
        return;
    }
    let whole = resolve(wave, env, group, at, bytes, limit);
    if WORDS > 1 && in_range(wave, group, at, bytes, limit) != active(wave, group) {
        // Some lanes stick out: each dword has its own say.
        for word in 0..WORDS {
            let at = at.map(|address| address.wrapping_add(4 * word as u32));
            let part = resolve(wave, env, group, &at, 4, limit);
            lanes::load_words::<1>(wave, dst + word, group, &part);
        }
        return;
    }
    lanes::load_words::<WORDS>(wave, dst, group, &whole);
}

#[inline(always)]
pub(crate) fn write_words<const WORDS: usize>(
    wave: &Wave,
    env: &mut Env<'_>,
    data: usize,
    group: usize,
    at: &[u32; GROUP],
    limit: u32,
) {
    let bytes = 4 * WORDS as u32;
    let whole = resolve(wave, env, group, at, bytes, limit);
    if WORDS > 1 && in_range(wave, group, at, bytes, limit) != active(wave, group) {
        for word in 0..WORDS {
            let at = at.map(|address| address.wrapping_add(4 * word as u32));
            let part = resolve(wave, env, group, &at, 4, limit);
            lanes::store_words::<1>(wave, data + word, group, &part);
        }
        return;
    }
    lanes::store_words::<WORDS>(wave, data, group, &whole);
}

/// The dword at `address`, zero if any byte of it does not exist.
#[inline(always)]
pub(crate) fn read_word(env: &Env<'_>, address: u32, limit: u32) -> u32 {
    if limit < 4 || address > limit - 4 {
        return 0;
    }
    env.lds[address as usize..]
        .first_chunk()
        .map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// Calls `visit` for every group with active lanes.
#[inline(always)]
pub(crate) fn each_group(wave: &mut Wave, mut visit: impl FnMut(&mut Wave, usize)) -> u32 {
    for group in 0..wave.groups {
        if active(wave, group) != 0 {
            visit(wave, group);
        }
    }
    flow::NEXT
}

/// All lanes at once, `bytes` each.
#[inline(always)]
pub(crate) fn spread(
    wave: &mut Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
    bytes: u32,
) -> Option<Spread> {
    let offsets = Offsets::of_bytes(wave, op.src[0].index as usize, bytes)?;
    offsets.in_lds(wave, env, op.lds().offset, bytes)
}

/// Byte offsets of the two elements that offset0 and offset1 name.
#[inline(always)]
pub(crate) fn two_offsets<const WORDS: usize, const SCALE: u32>(op: &MicroOp) -> [u32; 2] {
    let unit = 4 * WORDS as u32 * SCALE;
    op.lds().offsets().map(|offset| offset * unit)
}
