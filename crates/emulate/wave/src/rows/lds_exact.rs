//! A look at the addresses of an LDS access before it happens, for devices that shall be exact about what belongs to a workgroup.
//!
//! The hardware reads zeros beyond a workgroup's LDS and drops stores there, so that such an access passes unseen. Here it gets a
//! micro-op of its own in front, which stops the wave; without the wish for it nothing is looked at and nothing costs time.

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
pub(super) fn access(mnemonic: &str) -> Option<(Addresses, u32)> {
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

/// `lowered` with the check in front, where it accesses LDS. The error says that nothing is known about the instruction's addresses.
pub(crate) fn checked(row: &Row, mut lowered: Lowered) -> Result<Lowered, String> {
    if !matches!(row.shape, Shape::Lds { .. }) {
        return Ok(lowered);
    }
    let (addresses, bytes) = access(row.mnemonic)
        .ok_or_else(|| "how many bytes of LDS it accesses is not known".to_owned())?;
    let mut check = MicroOp::new(match addresses {
        Addresses::None => return Ok(lowered),
        Addresses::Lanes | Addresses::Pairs(_) => shell::scalar_handler::<Check<REGISTER>>(),
        Addresses::LaneNumbers => shell::scalar_handler::<Check<LANE_NUMBER>>(),
        Addresses::Counter => shell::scalar_handler::<Check<COUNTER>>(),
    });
    let op = &lowered.bare;
    let offsets = match addresses {
        Addresses::Pairs(unit) => op.lds().offsets().map(|offset| offset * bytes * unit),
        _ => [op.lds().offset; 2],
    };
    check.src = op.src;
    check.set(LdsBounds::new(offsets, bytes));
    lowered.ops.insert(0, check);
    Ok(lowered)
}

const REGISTER: u8 = 0;
const LANE_NUMBER: u8 = 1;
const COUNTER: u8 = 2;

struct Check<const ADDRESSES: u8>;

impl<const ADDRESSES: u8> Body for Check<ADDRESSES> {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let limit = lds::limit(wave, env);
        let LdsBounds { offsets, bytes, .. } = *op.lds_bounds();
        let [first, second] = offsets;
        // The greatest address of a group decides, unless it is too great.
        let is_inside = |group: usize, offset: u32| {
            let at = Self::addresses(wave, op, group, offset);
            lds::in_range(wave, group, &at, bytes, limit) == lds::active(wave, group)
        };
        let all = (0..wave.groups)
            .all(|group| is_inside(group, first) && (first == second || is_inside(group, second)));
        match all {
            true => flow::NEXT,
            false => Self::stop(wave, op, limit),
        }
    }
}

impl<const ADDRESSES: u8> Check<ADDRESSES> {
    #[inline(always)]
    fn addresses(wave: &Wave, op: &MicroOp, group: usize, offset: u32) -> [u32; GROUP] {
        let base = (wave.m0() & 0xffff).wrapping_add(offset);
        match ADDRESSES {
            REGISTER => lds::addresses(wave, op, group, offset),
            LANE_NUMBER => {
                std::array::from_fn(|i| base.wrapping_add(4 * (GROUP * group + i) as u32))
            }
            _ => [base; GROUP],
        }
    }

    /// Stops the wave at the first lane whose address is too great.
    #[cold]
    #[inline(never)]
    fn stop(wave: &mut Wave, op: &MicroOp, limit: u32) -> u32 {
        let LdsBounds { offsets, bytes, .. } = *op.lds_bounds();
        let exec = wave.exec();
        for lane in (0..wave.groups * GROUP).filter(|lane| exec >> lane & 1 != 0) {
            for offset in offsets {
                let at = Self::addresses(wave, op, lane / GROUP, offset)[lane % GROUP];
                let address = u64::from(at);
                if address + u64::from(bytes) > u64::from(limit) {
                    return wave.stop(Stop::Fault(Fault {
                        kind: FaultKind::LdsOutOfRange,
                        address,
                        bytes,
                        lane: lane as u32,
                    }));
                }
            }
        }
        flow::NEXT
    }
}
