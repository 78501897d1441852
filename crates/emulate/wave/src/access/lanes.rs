//! Moves between registers and host memory for one group of 16 lanes, shared by all memory instructions.
//!
//! An instruction resolves its lanes to host addresses once per group ([`Lanes`]); the moves here then need no further
//! checks. Consecutive dwords move as one block, wider elements are transposed in registers, the rest goes lane by lane.
//! Lanes are always written in lane order, so the highest lane wins where addresses collide.

use std::ptr;

pub(crate) use vectors::{
    GROUP,
    element::{read_element, write_element},
};

use super::modify::Word;
use crate::{LANES, ports::lanes, state::Wave};

#[cfg(target_arch = "x86_64")]
pub(crate) use vectors::element::quads;

/// 16 lanes resolved to host addresses.
#[derive(Clone, Copy)]
pub(crate) struct Lanes {
    /// Host address of each lane's bytes. Only those of `valid` lanes may be followed.
    at: [u64; GROUP],
    /// Lanes whose bytes exist, a subset of `active`.
    valid: u16,
    /// Lanes that execute; those not valid load zero and store nothing.
    active: u16,
}

impl Lanes {
    /// No lanes.
    pub const NONE: Lanes = Lanes {
        at: [0; GROUP],
        valid: 0,
        active: 0,
    };

    /// # Safety
    /// For every lane in `valid`, the bytes that the following move touches from `at` on must be accessible (for
    /// stores: writable) host memory.
    #[inline(always)]
    pub unsafe fn new(at: [u64; GROUP], valid: u16, active: u16) -> Lanes {
        Lanes { at, valid, active }
    }

    /// Calls `visit(lane of the group, host address)` for the valid lanes in order.
    #[inline(always)]
    pub fn each(&self, mut visit: impl FnMut(usize, *mut u8)) {
        if self.full() {
            for (i, &at) in self.at.iter().enumerate() {
                visit(i, pointer(at));
            }
            return;
        }
        each_lane(
            self.valid,
            #[inline(always)]
            |i| visit(i, pointer(self.at[i])),
        );
    }

    /// Leaves out the lanes whose host address `wanted` refuses, and returns how many these are.
    #[inline(always)]
    pub fn keep(&mut self, mut wanted: impl FnMut(u64) -> bool) -> u32 {
        let mut left_out = 0;
        each_lane(
            self.valid,
            #[inline(always)]
            |i| left_out |= u16::from(!wanted(self.at[i])) << i,
        );
        self.valid &= !left_out;
        left_out.count_ones()
    }

    pub fn valid(&self) -> u16 {
        self.valid
    }

    /// The one address of all valid lanes, if they have only one.
    #[inline(always)]
    pub fn uniform(&self) -> Option<*mut u8> {
        if self.valid == 0 {
            return None;
        }
        let first = self.at[self.valid.trailing_zeros() as usize];
        let differing = (0..GROUP).fold(0, |mask, i| mask | u16::from(self.at[i] != first) << i);
        (differing & self.valid == 0).then(|| pointer(first))
    }

    /// First valid lane whose address is not a multiple of `bytes`, with that address.
    #[inline(always)]
    pub fn unaligned(&self, bytes: u64) -> Option<(usize, u64)> {
        let mask = bytes - 1;
        if self.at.iter().fold(0, |bits, at| bits | at & mask) == 0 {
            return None;
        }
        (0..GROUP)
            .find(|&i| self.valid >> i & 1 != 0 && self.at[i] & mask != 0)
            .map(|i| (i, self.at[i]))
    }

    #[inline(always)]
    fn full(&self) -> bool {
        self.valid == !0
    }

    /// Returns `true` if lane i of the group accesses `first + stride * i`.
    #[inline(always)]
    fn consecutive(&self, stride: u64) -> bool {
        consecutive(&self.at, stride)
    }
}

/// Returns `true` if address i is `first + stride * i`.
#[inline(always)]
pub(crate) fn consecutive(addresses: &[u64; GROUP], stride: u64) -> bool {
    // Not by comparing with lane 0: the compiler would drop that lane and load the others across its own stores, which
    // stalls the processor.
    let (mut any, mut all) = (0, !0);
    for (i, &address) in addresses.iter().enumerate() {
        let first = address.wrapping_sub(stride * i as u64);
        any |= first;
        all &= first;
    }
    any == all
}

#[inline(always)]
fn pointer(address: u64) -> *mut u8 {
    ptr::with_exposed_provenance_mut(crate::memory::host_address(address) as usize)
}

/// Indices of the set bits, lowest first.
#[inline(always)]
pub(crate) fn each_lane(mut mask: u16, mut visit: impl FnMut(usize)) {
    while mask != 0 {
        visit(mask.trailing_zeros() as usize);
        mask &= mask - 1;
    }
}

/// The group's 16 words of row `row`.
#[inline(always)]
pub(crate) fn words(wave: &Wave, row: usize, group: usize) -> &[u32; GROUP] {
    let words = &wave.row(row).0;
    debug_assert!(GROUP * group < LANES);
    words[GROUP * group..]
        .first_chunk()
        .expect("a row has whole groups")
}

#[inline(always)]
pub(crate) fn words_mut(wave: &mut Wave, row: usize, group: usize) -> &mut [u32; GROUP] {
    wave.row_mut(row).0[GROUP * group..]
        .first_chunk_mut()
        .expect("a row has whole groups")
}

/// Writes `values` to the active lanes of a row's group.
#[inline(always)]
pub(crate) fn write_active(wave: &mut Wave, row: usize, group: usize, values: [u32; GROUP]) {
    let mask: [u32; GROUP] = *wave.exec_lanes.0[GROUP * group..]
        .first_chunk()
        .expect("a row has whole groups");
    let target = words_mut(wave, row, group);
    let mut i = 0;
    while i < GROUP {
        target[i] = values[i] & mask[i] | target[i] & !mask[i];
        i += 1;
    }
}

/// Loads `WORDS` dwords per lane to rows `dst..`.
#[inline(always)]
pub(crate) fn load_words<const WORDS: usize>(
    wave: &mut Wave,
    dst: usize,
    group: usize,
    lanes: &Lanes,
) {
    if lanes.full() {
        if WORDS == 1 && lanes.consecutive(4) {
            // SAFETY: 16 consecutive words, all valid by `Lanes::new`.
            let block = unsafe { pointer(lanes.at[0]).cast::<[u32; GROUP]>().read_unaligned() };
            *words_mut(wave, dst, group) = block;
            return;
        }
        #[cfg(target_arch = "x86_64")]
        if WORDS > 1 {
            for quarter in 0..4 {
                let at: [u64; 4] = std::array::from_fn(|i| lanes.at[4 * quarter + i]);
                // SAFETY: all lanes are valid for `WORDS` dwords by `Lanes::new`.
                let columns = unsafe { quads::load::<WORDS>(at.map(pointer)) };
                for (word, column) in columns.iter().enumerate().take(WORDS) {
                    words_mut(wave, dst + word, group)[4 * quarter..4 * quarter + 4]
                        .copy_from_slice(column);
                }
            }
            return;
        }
    }
    // Lanes out of range load zero.
    let mut loaded = [[0; GROUP]; WORDS];
    lanes.each(
        #[inline(always)]
        |i, at| {
            // SAFETY: lane i is valid by `Lanes::new`.
            let element = unsafe { read_element::<WORDS>(at) };
            for (word, value) in element.into_iter().enumerate() {
                loaded[word][i] = value;
            }
        },
    );
    for (word, values) in loaded.into_iter().enumerate() {
        if lanes.active == !0 {
            *words_mut(wave, dst + word, group) = values;
        } else {
            write_active(wave, dst + word, group, values);
        }
    }
}

/// Stores `WORDS` dwords per lane from rows `data..`.
#[inline(always)]
pub(crate) fn store_words<const WORDS: usize>(
    wave: &Wave,
    data: usize,
    group: usize,
    lanes: &Lanes,
) {
    if lanes.full() {
        if WORDS == 1 && lanes.consecutive(4) {
            let block = *words(wave, data, group);
            // SAFETY: 16 consecutive words, all valid and writable by `Lanes::new`.
            unsafe {
                pointer(lanes.at[0])
                    .cast::<[u32; GROUP]>()
                    .write_unaligned(block);
            }
            return;
        }
        #[cfg(target_arch = "x86_64")]
        if WORDS > 1 {
            for quarter in 0..4 {
                let at: [u64; 4] = std::array::from_fn(|i| lanes.at[4 * quarter + i]);
                let mut columns = [[0; 4]; WORDS];
                for (word, column) in columns.iter_mut().enumerate() {
                    column.copy_from_slice(
                        &words(wave, data + word, group)[4 * quarter..4 * quarter + 4],
                    );
                }
                // SAFETY: all lanes are valid and writable for `WORDS` dwords by `Lanes::new`.
                unsafe { quads::store(at.map(pointer), columns) };
            }
            return;
        }
    }
    let rows: [&[u32; GROUP]; WORDS] = std::array::from_fn(|word| words(wave, data + word, group));
    each_lane(
        lanes.valid,
        #[inline(always)]
        |i| {
            let value: [u32; WORDS] = std::array::from_fn(|word| rows[word][i]);
            // SAFETY: lane i is valid and writable by `Lanes::new`.
            unsafe { write_element(pointer(lanes.at[i]), value) };
        },
    );
}

/// How a sub-dword load fills the register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Fill {
    Zero,
    Sign8,
    Sign16,
    /// d16: into the low half, keeping the high.
    Low,
    LowSign8,
    High,
    HighSign8,
    /// d16 under SRAM ECC: the other half becomes zero.
    LoneSign8,
    LoneHigh,
    LoneHighSign8,
}

const FILLS: [Fill; 10] = [
    Fill::Zero,
    Fill::Sign8,
    Fill::Sign16,
    Fill::Low,
    Fill::LowSign8,
    Fill::High,
    Fill::HighSign8,
    Fill::LoneSign8,
    Fill::LoneHigh,
    Fill::LoneHighSign8,
];

impl Fill {
    /// The fill whose number micro-ops carry.
    #[inline(always)]
    pub fn from_code(code: u8) -> Fill {
        FILLS[code as usize]
    }

    /// The fill that takes its place where SRAM ECC forbids to write half a register. Source: LLVM's AMDGPU target, which takes it that d16
    /// loads do not preserve the other half there.
    pub fn with_ecc(self) -> Fill {
        match self {
            Fill::Low => Fill::Zero,
            Fill::LowSign8 => Fill::LoneSign8,
            Fill::High => Fill::LoneHigh,
            Fill::HighSign8 => Fill::LoneHighSign8,
            other => other,
        }
    }

    /// The register after loading `value`, which is zero-extended.
    #[inline(always)]
    pub fn apply(self, old: u32, value: u32) -> u32 {
        let sign8 = u32::from(value as u8 as i8 as i16 as u16);
        match self {
            Fill::Zero => value,
            Fill::Sign8 => value as u8 as i8 as i32 as u32,
            Fill::Sign16 => value as u16 as i16 as i32 as u32,
            Fill::Low => old & 0xffff_0000 | value & 0xffff,
            Fill::LowSign8 => old & 0xffff_0000 | sign8,
            Fill::High => old & 0xffff | value << 16,
            Fill::HighSign8 => old & 0xffff | sign8 << 16,
            Fill::LoneSign8 => sign8,
            Fill::LoneHigh => value << 16,
            Fill::LoneHighSign8 => sign8 << 16,
        }
    }
}

/// Loads 1 or 2 bytes per lane.
#[inline(always)]
pub(crate) fn load_bytes<const BYTES: usize>(
    wave: &mut Wave,
    dst: usize,
    group: usize,
    lanes: &Lanes,
    fill: Fill,
) {
    let mut values = [0u32; GROUP];
    if lanes.full() && lanes.consecutive(BYTES as u64) {
        // SAFETY: 16 consecutive elements, all valid by `Lanes::new`.
        unsafe {
            if BYTES == 1 {
                values = pointer(lanes.at[0])
                    .cast::<[u8; GROUP]>()
                    .read_unaligned()
                    .map(u32::from);
            } else {
                values = pointer(lanes.at[0])
                    .cast::<[u16; GROUP]>()
                    .read_unaligned()
                    .map(u32::from);
            }
        }
    } else {
        each_lane(
            lanes.valid,
            #[inline(always)]
            |i| {
                // SAFETY: lane i is valid by `Lanes::new`.
                values[i] = unsafe {
                    if BYTES == 1 {
                        u32::from(pointer(lanes.at[i]).read())
                    } else {
                        u32::from(pointer(lanes.at[i]).cast::<u16>().read_unaligned())
                    }
                };
            },
        );
    }
    let old = *words(wave, dst, group);
    let filled = match fill {
        Fill::Zero => values,
        _ => std::array::from_fn(
            #[inline(always)]
            |i| fill.apply(old[i], values[i]),
        ),
    };
    if lanes.active == !0 {
        *words_mut(wave, dst, group) = filled;
    } else {
        write_active(wave, dst, group, filled);
    }
}

/// Stores the low 1 or 2 bytes of row `data` shifted right by `shift`.
#[inline(always)]
pub(crate) fn store_bytes<const BYTES: usize>(
    wave: &Wave,
    data: usize,
    group: usize,
    lanes: &Lanes,
    shift: u32,
) {
    let values = *words(wave, data, group);
    if lanes.full() && lanes.consecutive(BYTES as u64) {
        // SAFETY: 16 consecutive elements, all valid and writable by `Lanes::new`.
        unsafe {
            if BYTES == 1 {
                pointer(lanes.at[0])
                    .cast::<[u8; GROUP]>()
                    .write_unaligned(values.map(|value| (value >> shift) as u8));
            } else {
                pointer(lanes.at[0])
                    .cast::<[u16; GROUP]>()
                    .write_unaligned(values.map(|value| (value >> shift) as u16));
            }
        }
        return;
    }
    each_lane(
        lanes.valid,
        #[inline(always)]
        |i| {
            let value = values[i] >> shift;
            // SAFETY: lane i is valid and writable by `Lanes::new`.
            unsafe {
                if BYTES == 1 {
                    pointer(lanes.at[i]).write(value as u8);
                } else {
                    pointer(lanes.at[i])
                        .cast::<u16>()
                        .write_unaligned(value as u16);
                }
            }
        },
    );
}

/// Reads lane i of a value of `W` in rows `row..`.
#[inline(always)]
pub(crate) fn operand<W: Word>(wave: &Wave, row: usize, group: usize) -> [W; GROUP] {
    let low = words(wave, row, group);
    if W::WORDS == 1 {
        return low.map(
            #[inline(always)]
            |low| W::join(low, 0),
        );
    }
    let high = words(wave, row + 1, group);
    std::array::from_fn(
        #[inline(always)]
        |i| W::join(low[i], high[i]),
    )
}

/// Writes the active lanes of a result.
#[inline(always)]
pub(crate) fn write_result<W: Word>(
    wave: &mut Wave,
    row: usize,
    group: usize,
    values: &[W; GROUP],
) {
    write_active(
        wave,
        row,
        group,
        values.map(
            #[inline(always)]
            |value| value.low(),
        ),
    );
    if W::WORDS == 2 {
        write_active(
            wave,
            row + 1,
            group,
            values.map(
                #[inline(always)]
                |value| value.high(),
            ),
        );
    }
}

/// One bit per lane.
#[inline(always)]
pub(crate) fn pack(holds: [bool; GROUP]) -> u16 {
    let bytes: [u8; GROUP] = lanes(
        #[inline(always)]
        |i| if holds[i] { 0xff } else { 0 },
    );
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: SSE2 is part of x86-64; the types have equal size.
        unsafe {
            use std::arch::x86_64::{__m128i, _mm_movemask_epi8};
            _mm_movemask_epi8(std::mem::transmute::<[u8; GROUP], __m128i>(bytes)) as u16
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        bytes
            .iter()
            .enumerate()
            .fold(0, |mask, (lane, &byte)| mask | u16::from(byte & 1) << lane)
    }
}
