//! A look at the addresses of an LDS access before it happens, for devices that shall be exact about what belongs to a workgroup.
//!
//! The hardware reads zeros beyond a workgroup's LDS and drops stores there, so that such an access passes unseen. On an exact device it
//! stops the wave. Nearly every access is known to be inside by the greatest of its addresses, which the handlers of most rows compare with
//! the limit anyway; they look closer only where that fails. The other rows get a micro-op for the look in front. Without the wish for it
//! nothing is looked at.
//!
//! Tensile's kernels, which rocBLAS contains, name an address that no LDS has for lanes that shall do nothing ([`NOWHERE`]). It stops no wave.

use std::ops::RangeInclusive;

use super::{Row, Shape};
use crate::{
    access::{lanes::GROUP, lds},
    engine::{Env, Stop},
    memory::{Fault, FaultKind},
    micro_op::{LdsBounds, MicroOp, flow},
    program::Lowered,
    shell::{self, Body},
    state::Wave,
};

/// Addresses from 0xF00000 on: the register has that one, and offsets are below 128 KiB.
const NOWHERE: RangeInclusive<u64> = 0xf0_0000..=0xf1_ffff;

/// The addresses that an instruction names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Addresses {
    /// None: data moves between lanes only.
    None,
    /// Each lane's register plus the offset.
    Lanes,
    /// Each lane's register plus two offsets in units of so many elements.
    Pairs(u32),
    /// M0 plus the offset plus four times the lane's number.
    LaneNumbers,
    /// M0 plus the offset, once for the wave.
    Counter,
}

/// Addresses of a DS instruction, and how many bytes lie at each.
fn access(mnemonic: &str) -> Option<(Addresses, u32)> {
    let name = mnemonic.strip_prefix("ds_")?;
    let is = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
    if is(&["permute", "bpermute", "swizzle", "nop"]) {
        return Some((Addresses::None, 0));
    }
    if is(&["append", "consume"]) {
        return Some((Addresses::Counter, 4));
    }
    let addresses = match name {
        name if name.contains("2st64_") => Addresses::Pairs(64),
        _ if is(&["read2_", "write2_", "wrxchg2_"]) => Addresses::Pairs(1),
        name if name.contains("_addtid_") => Addresses::LaneNumbers,
        _ => Addresses::Lanes,
    };
    // Two halves are one dword in memory.
    if is(&["pk_add_"]) {
        return Some((addresses, 4));
    }
    let name = name.strip_suffix("_hi").unwrap_or(name);
    let name = name.strip_suffix("_d16").unwrap_or(name);
    // A transposing load moves rows of elements; the name ends with their size.
    let name = name.split("_tr_").next()?;
    let digits = name.len() - name.bytes().rev().take_while(u8::is_ascii_digit).count();
    let bits: u32 = name[digits..].parse().ok()?;
    Some((addresses, bits / 8))
}

/// The addresses that an instruction names in LDS, and the bytes there; `None` if it accesses none. The error says that nothing is known
/// about them.
pub(super) fn named(row: &Row, op: &MicroOp) -> Result<Option<(Addresses, LdsBounds)>, String> {
    let Shape::Lds { gds: false, .. } = row.shape else {
        return Ok(None);
    };
    let (addresses, bytes) = access(row.mnemonic)
        .ok_or_else(|| "how many bytes of LDS it accesses is not known".to_owned())?;
    let offsets = match addresses {
        Addresses::None => return Ok(None),
        Addresses::Pairs(unit) => op.lds().offsets().map(|offset| offset * bytes * unit),
        _ => [op.lds().offset; 2],
    };
    Ok(Some((addresses, LdsBounds { offsets, bytes })))
}

/// `lowered` with the look at its addresses, where it accesses LDS. The error says that nothing is known about the instruction's addresses.
pub(crate) fn checked(row: &Row, mut lowered: Lowered) -> Result<Lowered, String> {
    let Some((addresses, bounds)) = named(row, &lowered.bare)? else {
        return Ok(lowered);
    };
    if matches!(row.shape, Shape::Lds { looks: true, .. }) {
        for own in &mut lowered.ops {
            own.lds_mut().bind(bounds);
        }
        return Ok(lowered);
    }
    let mut check = MicroOp::new(match addresses {
        Addresses::None => return Ok(lowered),
        Addresses::Lanes | Addresses::Pairs(_) => shell::scalar_handler::<Check<REGISTER>>(),
        Addresses::LaneNumbers => shell::scalar_handler::<Check<LANE_NUMBER>>(),
        Addresses::Counter => shell::scalar_handler::<Check<COUNTER>>(),
    });
    check.src = lowered.bare.src;
    check.set(*lowered.bare.lds());
    check.lds_mut().bind(bounds);
    lowered.ops.insert(0, check);
    Ok(lowered)
}

/// For handlers that have not found all lanes inside at once: the stop of a wave of which a lane is going to leave LDS, if it must not.
#[inline(always)]
pub(crate) fn outside(wave: &mut Wave, op: &MicroOp, env: &Env<'_>) -> Option<u32> {
    let bounds = op.lds().bounds()?;
    first_outside(wave, op, env, bounds)
}

/// One copy for all rows.
#[inline(never)]
fn first_outside(wave: &mut Wave, op: &MicroOp, env: &Env<'_>, bounds: LdsBounds) -> Option<u32> {
    stop_outside::<REGISTER>(wave, op, env, bounds)
}

pub(super) const REGISTER: u8 = 0;
pub(super) const LANE_NUMBER: u8 = 1;
pub(super) const COUNTER: u8 = 2;

struct Check<const ADDRESSES: u8>;

impl<const ADDRESSES: u8> Body for Check<ADDRESSES> {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let stopped = op
            .lds()
            .bounds()
            .and_then(|bounds| stop_outside::<ADDRESSES>(wave, op, env, bounds));
        stopped.unwrap_or(flow::NEXT)
    }
}

/// The addresses of a group's lanes.
#[inline(always)]
pub(super) fn addresses<const ADDRESSES: u8>(
    wave: &Wave,
    op: &MicroOp,
    group: usize,
    offset: u32,
) -> [u32; GROUP] {
    let base = (wave.m0() & 0xffff).wrapping_add(offset);
    match ADDRESSES {
        REGISTER => lds::addresses(wave, op, group, offset),
        LANE_NUMBER => std::array::from_fn(|i| base.wrapping_add(4 * (GROUP * group + i) as u32)),
        _ => [base; GROUP],
    }
}

/// Stops the wave if a lane leaves LDS; the greatest address of a group decides, unless it is too great.
#[inline(always)]
fn stop_outside<const ADDRESSES: u8>(
    wave: &mut Wave,
    op: &MicroOp,
    env: &Env<'_>,
    bounds: LdsBounds,
) -> Option<u32> {
    let limit = lds::limit(wave, env);
    let LdsBounds { offsets, bytes } = bounds;
    let [first, second] = offsets;
    let is_inside = |group: usize, offset: u32| {
        let at = addresses::<ADDRESSES>(wave, op, group, offset);
        lds::in_range(wave, group, &at, bytes, limit) == lds::active(wave, group)
    };
    let all = (0..wave.groups)
        .all(|group| is_inside(group, first) && (first == second || is_inside(group, second)));
    match all {
        true => None,
        false => stop::<ADDRESSES>(wave, op, limit, bounds),
    }
}

/// Stops the wave at the first lane whose address is too great.
#[cold]
#[inline(never)]
fn stop<const ADDRESSES: u8>(
    wave: &mut Wave,
    op: &MicroOp,
    limit: u32,
    bounds: LdsBounds,
) -> Option<u32> {
    let LdsBounds { offsets, bytes } = bounds;
    let exec = wave.exec();
    for lane in (0..wave.groups * GROUP).filter(|lane| exec >> lane & 1 != 0) {
        for offset in offsets {
            let at = addresses::<ADDRESSES>(wave, op, lane / GROUP, offset)[lane % GROUP];
            let address = u64::from(at);
            if address + u64::from(bytes) > u64::from(limit) && !NOWHERE.contains(&address) {
                return Some(wave.stop(Stop::Fault(Fault {
                    kind: FaultKind::LdsOutOfRange,
                    address,
                    bytes,
                    lane: lane as u32,
                })));
            }
        }
    }
    None
}
