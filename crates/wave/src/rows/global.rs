//! FLAT and GLOBAL loads and stores.
//!
//! Addresses of 16 lanes are formed at once. Consecutive dwords move as one block; anything else goes lane by lane after
//! one check that covers the whole group.

use super::{Row, Shape};
use crate::{
    LANES,
    engine::{Env, Stop},
    memory::{Fault, FaultKind},
    micro_op::{MicroOp, SrcKind, flow},
    shell::{self, Body},
    state::Wave,
};

/// Bits of `MicroOp::modifiers` in flat formats.
mod bit {
    pub const GLC: u32 = 1;
    pub const SADDR: u32 = 4;
}

/// Which flat encoding, and so how addresses are formed and checked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    /// Address decides: LDS, scratch or global.
    Flat = 0,
    Global = 1,
}

/// Byte address of every lane of `group`.
#[inline(always)]
pub(super) fn addresses(wave: &Wave, op: &MicroOp, group: usize) -> [u64; 16] {
    let low = wave.row(op.src[0].index as usize);
    let offset = op.offset as i64 as u64;
    if op.modifiers & bit::SADDR != 0 {
        let base = wave.scalar64(op.src[2].index as usize).wrapping_add(offset);
        return std::array::from_fn(|i| base.wrapping_add(u64::from(low.0[16 * group + i])));
    }
    let high = wave.row(op.src[0].index as usize + 1);
    std::array::from_fn(|i| {
        (u64::from(low.0[16 * group + i]) | u64::from(high.0[16 * group + i]) << 32)
            .wrapping_add(offset)
    })
}

/// What a FLAT address points into.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Global(u64),
    /// Byte offset into LDS.
    Lds(u32),
    /// Host address of the lane's dword in the swizzled scratch backing.
    Scratch(u64),
}

/// Resolves one lane's FLAT address against the apertures.
#[inline(always)]
pub(super) fn place(wave: &Wave, address: u64, lane: usize) -> Place {
    let aperture = address & !0xffff_ffff;
    if aperture == wave.shared_aperture && aperture != 0 {
        Place::Lds(address as u32)
    } else if aperture == wave.private_aperture && aperture != 0 {
        Place::Scratch(scratch_address(wave, address as u32, lane))
    } else {
        Place::Global(address)
    }
}

/// Scratch is kept as the hardware keeps it: dword d of lane l at `(d * wave size + l) * 4`.
#[inline(always)]
pub(super) fn scratch_address(wave: &Wave, offset: u32, lane: usize) -> u64 {
    let dword = u64::from(offset >> 2) * u64::from(wave.wave_size) + lane as u64;
    wave.scratch_base
        .wrapping_add(dword * 4 + u64::from(offset & 3))
}

/// Reads `bytes` (1, 2, 4) at one lane's address in any space.
#[inline(always)]
pub(super) fn read_lane<const FLAT: bool>(
    wave: &Wave,
    env: &mut Env<'_>,
    address: u64,
    bytes: u32,
    lane: usize,
) -> Result<u32, Fault> {
    if FLAT {
        match place(wave, address, lane) {
            Place::Global(_) => {}
            Place::Lds(offset) => return read_lds(wave, env, offset, bytes, address, lane),
            Place::Scratch(host) => {
                if address as u32 >= wave.scratch_bytes_per_lane {
                    return Err(fault(FaultKind::ScratchOutOfRange, address, bytes, lane));
                }
                return env.memory.read_bytes(host, bytes, lane as u32);
            }
        }
    }
    env.memory.read_bytes(address, bytes, lane as u32)
}

#[inline(always)]
pub(super) fn write_lane<const FLAT: bool>(
    wave: &Wave,
    env: &mut Env<'_>,
    address: u64,
    bytes: u32,
    value: u32,
    lane: usize,
) -> Result<(), Fault> {
    if FLAT {
        match place(wave, address, lane) {
            Place::Global(_) => {}
            Place::Lds(offset) => return write_lds(wave, env, offset, bytes, value, address, lane),
            Place::Scratch(host) => {
                if address as u32 >= wave.scratch_bytes_per_lane {
                    return Err(fault(FaultKind::ScratchOutOfRange, address, bytes, lane));
                }
                return env.memory.write_bytes(host, bytes, value, lane as u32);
            }
        }
    }
    env.memory.write_bytes(address, bytes, value, lane as u32)
}

fn fault(kind: FaultKind, address: u64, bytes: u32, lane: usize) -> Fault {
    Fault {
        kind,
        address,
        bytes,
        lane: lane as u32,
    }
}

fn read_lds(
    wave: &Wave,
    env: &Env<'_>,
    offset: u32,
    bytes: u32,
    address: u64,
    lane: usize,
) -> Result<u32, Fault> {
    let range = offset as usize..offset as usize + bytes as usize;
    if range.end > wave.lds_bytes as usize {
        return Err(fault(FaultKind::LdsOutOfRange, address, bytes, lane));
    }
    let mut word = [0; 4];
    word[..bytes as usize].copy_from_slice(&env.lds[range]);
    Ok(u32::from_le_bytes(word))
}

fn write_lds(
    wave: &Wave,
    env: &mut Env<'_>,
    offset: u32,
    bytes: u32,
    value: u32,
    address: u64,
    lane: usize,
) -> Result<(), Fault> {
    let range = offset as usize..offset as usize + bytes as usize;
    if range.end > wave.lds_bytes as usize {
        return Err(fault(FaultKind::LdsOutOfRange, address, bytes, lane));
    }
    env.lds[range].copy_from_slice(&value.to_le_bytes()[..bytes as usize]);
    Ok(())
}

/// Whether lane i of the group accesses `first + stride * i`.
#[inline(always)]
pub(super) fn consecutive(addresses: &[u64; 16], stride: u64) -> bool {
    let first = addresses[0];
    let mut difference = 0;
    for (i, &address) in addresses.iter().enumerate() {
        difference |= address ^ first.wrapping_add(stride * i as u64);
    }
    difference == 0
}

/// Whether all of the group's accesses of `bytes` lie in one range.
#[inline(always)]
fn group_covered(env: &mut Env<'_>, addresses: &[u64; 16], bytes: u64, write: bool) -> bool {
    let (mut lowest, mut highest) = (addresses[0], addresses[0]);
    for &address in &addresses[1..] {
        lowest = lowest.min(address);
        highest = highest.max(address);
    }
    env.memory
        .covers(lowest, highest.wrapping_add(bytes - 1), write)
}

/// Loads `WORDS` dwords per lane.
struct LoadWords<const WORDS: usize, const FLAT: bool>;

impl<const WORDS: usize, const FLAT: bool> Body for LoadWords<WORDS, FLAT> {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let exec = wave.exec();
        let dst = op.dst as usize;
        for group in 0..wave.groups {
            let active = (exec >> (16 * group)) as u16;
            if active == 0 {
                continue;
            }
            let at = addresses(wave, op, group);
            if !FLAT && active == !0 && group_covered(env, &at, 4 * WORDS as u64, false) {
                if WORDS == 1 && consecutive(&at, 4) {
                    let words = env.memory.read_group(at[0]);
                    wave.row_mut(dst).0[16 * group..16 * group + 16].copy_from_slice(&words);
                } else {
                    for word in 0..WORDS {
                        for i in 0..16 {
                            let value = env.memory.read_checked(at[i] + 4 * word as u64);
                            wave.row_mut(dst + word).0[16 * group + i] = value;
                        }
                    }
                }
                continue;
            }
            for i in (0..16).filter(|i| active >> i & 1 != 0) {
                for word in 0..WORDS {
                    match read_lane::<FLAT>(
                        wave,
                        env,
                        at[i].wrapping_add(4 * word as u64),
                        4,
                        16 * group + i,
                    ) {
                        Ok(value) => wave.row_mut(dst + word).0[16 * group + i] = value,
                        Err(fault) => return wave.stop(Stop::Fault(fault)),
                    }
                }
            }
        }
        flow::NEXT
    }
}

struct StoreWords<const WORDS: usize, const FLAT: bool>;

impl<const WORDS: usize, const FLAT: bool> Body for StoreWords<WORDS, FLAT> {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let exec = wave.exec();
        let data = op.src[1].index as usize;
        for group in 0..wave.groups {
            let active = (exec >> (16 * group)) as u16;
            if active == 0 {
                continue;
            }
            let at = addresses(wave, op, group);
            if !FLAT && active == !0 && group_covered(env, &at, 4 * WORDS as u64, true) {
                if WORDS == 1 && consecutive(&at, 4) {
                    let mut words = [0; 16];
                    words.copy_from_slice(&wave.row(data).0[16 * group..16 * group + 16]);
                    env.memory.write_group(at[0], words);
                } else {
                    for i in 0..16 {
                        for word in 0..WORDS {
                            let value = wave.row(data + word).0[16 * group + i];
                            env.memory.write_checked(at[i] + 4 * word as u64, value);
                        }
                    }
                }
                continue;
            }
            for i in (0..16).filter(|i| active >> i & 1 != 0) {
                for word in 0..WORDS {
                    let value = wave.row(data + word).0[16 * group + i];
                    let address = at[i].wrapping_add(4 * word as u64);
                    if let Err(fault) =
                        write_lane::<FLAT>(wave, env, address, 4, value, 16 * group + i)
                    {
                        return wave.stop(Stop::Fault(fault));
                    }
                }
            }
        }
        flow::NEXT
    }
}

/// How a sub-dword load fills the register.
#[derive(Clone, Copy)]
#[repr(u16)]
enum Fill {
    Zero,
    Sign8,
    Sign16,
    /// d16: into the low half, keeping the high.
    Low,
    LowSign8,
    High,
    HighSign8,
}

const FILLS: [Fill; 7] = [
    Fill::Zero,
    Fill::Sign8,
    Fill::Sign16,
    Fill::Low,
    Fill::LowSign8,
    Fill::High,
    Fill::HighSign8,
];

fn fill(how: Fill, old: u32, value: u32) -> u32 {
    let sign8 = value as u8 as i8 as i16 as u16;
    match how {
        Fill::Zero => value,
        Fill::Sign8 => value as u8 as i8 as i32 as u32,
        Fill::Sign16 => value as u16 as i16 as i32 as u32,
        Fill::Low => old & 0xffff_0000 | value & 0xffff,
        Fill::LowSign8 => old & 0xffff_0000 | u32::from(sign8),
        Fill::High => old & 0xffff | value << 16,
        Fill::HighSign8 => old & 0xffff | u32::from(sign8) << 16,
    }
}

/// Loads 1 or 2 bytes per lane; `attribute` says how they fill the register.
struct LoadBytes<const BYTES: u32, const FLAT: bool>;

impl<const BYTES: u32, const FLAT: bool> Body for LoadBytes<BYTES, FLAT> {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let exec = wave.exec();
        let how = FILLS[op.attribute as usize];
        for group in 0..wave.groups {
            let active = (exec >> (16 * group)) as u16;
            let at = addresses(wave, op, group);
            for i in (0..16).filter(|i| active >> i & 1 != 0) {
                let lane = 16 * group + i;
                match read_lane::<FLAT>(wave, env, at[i], BYTES, lane) {
                    Ok(value) => {
                        let register = &mut wave.row_mut(op.dst as usize).0[lane];
                        *register = fill(how, *register, value);
                    }
                    Err(fault) => return wave.stop(Stop::Fault(fault)),
                }
            }
        }
        flow::NEXT
    }
}

/// Stores the low (attribute 0) or high half's (attribute 1) bytes.
struct StoreBytes<const BYTES: u32, const FLAT: bool>;

impl<const BYTES: u32, const FLAT: bool> Body for StoreBytes<BYTES, FLAT> {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let exec = wave.exec();
        let shift = 16 * u32::from(op.attribute);
        for group in 0..wave.groups {
            let active = (exec >> (16 * group)) as u16;
            let at = addresses(wave, op, group);
            for i in (0..16).filter(|i| active >> i & 1 != 0) {
                let lane = 16 * group + i;
                let value = wave.row(op.src[1].index as usize).0[lane] >> shift;
                if let Err(fault) = write_lane::<FLAT>(wave, env, at[i], BYTES, value, lane) {
                    return wave.stop(Stop::Fault(fault));
                }
            }
        }
        flow::NEXT
    }
}

macro_rules! both {
    ($rows:ident, $name:literal, $attribute:expr, $body:ident<$parameter:literal>) => {
        push(
            $rows,
            concat!("global_", $name),
            true,
            $attribute,
            shell::handler::<$body<$parameter, false>>,
        );
        push(
            $rows,
            concat!("flat_", $name),
            false,
            $attribute,
            shell::handler::<$body<$parameter, true>>,
        );
    };
}

fn push(
    rows: &mut Vec<Row>,
    mnemonic: &'static str,
    segment_relative: bool,
    attribute: u16,
    handler: fn() -> crate::micro_op::Handler,
) {
    let shape = Shape::Flat { segment_relative };
    rows.push(Row {
        mnemonic,
        shape,
        handler,
        width: 0,
        attribute,
        changes_exec: false,
    });
}

/// Appends this file's rows.
#[rustfmt::skip]
pub(super) fn rows(rows: &mut Vec<Row>) {
    both!(rows, "load_dword",           0, LoadWords<1>);
    both!(rows, "load_dwordx2",         0, LoadWords<2>);
    both!(rows, "load_dwordx3",         0, LoadWords<3>);
    both!(rows, "load_dwordx4",         0, LoadWords<4>);
    both!(rows, "store_dword",          0, StoreWords<1>);
    both!(rows, "store_dwordx2",        0, StoreWords<2>);
    both!(rows, "store_dwordx3",        0, StoreWords<3>);
    both!(rows, "store_dwordx4",        0, StoreWords<4>);
    both!(rows, "load_ubyte",           Fill::Zero as u16,      LoadBytes<1>);
    both!(rows, "load_sbyte",           Fill::Sign8 as u16,     LoadBytes<1>);
    both!(rows, "load_ushort",          Fill::Zero as u16,      LoadBytes<2>);
    both!(rows, "load_sshort",          Fill::Sign16 as u16,    LoadBytes<2>);
    both!(rows, "load_ubyte_d16",       Fill::Low as u16,       LoadBytes<1>);
    both!(rows, "load_ubyte_d16_hi",    Fill::High as u16,      LoadBytes<1>);
    both!(rows, "load_sbyte_d16",       Fill::LowSign8 as u16,  LoadBytes<1>);
    both!(rows, "load_sbyte_d16_hi",    Fill::HighSign8 as u16, LoadBytes<1>);
    both!(rows, "load_short_d16",       Fill::Low as u16,       LoadBytes<2>);
    both!(rows, "load_short_d16_hi",    Fill::High as u16,      LoadBytes<2>);
    both!(rows, "store_byte",           0, StoreBytes<1>);
    both!(rows, "store_short",          0, StoreBytes<2>);
    both!(rows, "store_byte_d16_hi",    1, StoreBytes<1>);
    both!(rows, "store_short_d16_hi",   1, StoreBytes<2>);
}
