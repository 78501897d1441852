//! Memory accesses of a whole wave at once: one base, a 32-bit offset per lane, and one check for all.
//!
//! Nearly every access has this form: its lanes lie in one allocation (or in LDS) within 4 GiB. Lanes that are off take
//! the address of one that is on, so that loads need not ask about lanes at all; their results are not delivered. An
//! access that does not fit (a lane out of range, several allocations) goes the long way, group by group, which also
//! finds faults.

#[cfg(target_arch = "x86_64")]
use vectors::{full_wave, masked};

use super::{
    lanes::{self, Fill, GROUP},
    modify::Word,
};
use crate::{
    LANES,
    engine::Env,
    memory::host_address,
    state::{VectorRow, Wave},
};

/// Host addresses of all lanes: every active lane may access the bytes that were asked for at `base` plus its word of `row`.
/// No lane's word there is that of an inactive lane.
#[derive(Clone, Copy)]
pub(crate) struct Spread {
    base: *mut u8,
    row: usize,
    /// Known to be elements of the size that was asked for, in lane order without gaps but for lanes that are off.
    consecutive: bool,
}

/// 32-bit addresses of all lanes: those in a row, with stand-ins for inactive lanes.
#[derive(Clone, Copy)]
pub(crate) struct Offsets {
    row: usize,
    lowest: u32,
    highest: u32,
    consecutive: bool,
}

/// Temporary row for addresses with stand-ins.
const OFFSET_ROW: usize = 0;

impl Offsets {
    /// Addresses from `row`. `None`: no lane is active.
    #[inline(always)]
    pub fn of_row(wave: &mut Wave, row: usize) -> Option<Offsets> {
        Offsets::of_bytes(wave, row, 0)
    }

    /// Addresses from `row` of elements of `bytes` bytes, a constant in every caller.
    #[inline(always)]
    pub fn of_bytes(wave: &mut Wave, row: usize, bytes: u32) -> Option<Offsets> {
        #[cfg(target_arch = "x86_64")]
        if bytes == 4 && wave.wide != 0 {
            let words = wave.row(row);
            // SAFETY: the wave is wide.
            if unsafe { full_wave::consecutive(wave.wide, words) } {
                let last = (GROUP * wave.wide - 1) as u32;
                return Some(Offsets {
                    row,
                    lowest: words.0[0],
                    highest: words.0[0] + 4 * last,
                    consecutive: true,
                });
            }
        }
        if wave.all_lanes {
            let words = &wave.row(row).0;
            let (lowest, highest) = match wave.groups == LANES / GROUP {
                true => extremes::<LANES>(words),
                false => extremes::<{ LANES / 2 }>(words),
            };
            return Some(Offsets {
                row,
                lowest,
                highest,
                consecutive: false,
            });
        }
        outlined::offsets(wave, row, bytes)
    }

    /// Addresses from `row`, lanes that are off standing in for others.
    #[inline(always)]
    fn masked(wave: &mut Wave, row: usize) -> Option<Offsets> {
        let (mut lowest, mut highest) = (!0, 0);
        let exec = wave.exec();
        if exec == 0 {
            return None;
        }
        let mut words = *wave.row(row);
        let stand_in = words.0[exec.trailing_zeros() as usize & (LANES - 1)];
        let mut lane = 0;
        while lane < LANES {
            let mask = wave.exec_lanes.0[lane];
            let word = words.0[lane] & mask | stand_in & !mask;
            words.0[lane] = word;
            lowest = lowest.min(word);
            highest = highest.max(word);
            lane += 1;
        }
        *wave.temporary(OFFSET_ROW) = words;
        Some(Offsets {
            row: wave.temporaries + OFFSET_ROW,
            lowest,
            highest,
            consecutive: false,
        })
    }

    /// The given addresses, in a row that no instruction's result overwrites. Inactive lanes get the address of an
    /// active one.
    #[inline(always)]
    pub fn staged(wave: &mut Wave, addresses: &[u32; LANES]) -> Offsets {
        let (mut lowest, mut highest) = (!0, 0);
        let mut lane = 0;
        while lane < LANES {
            lowest = lowest.min(addresses[lane]);
            highest = highest.max(addresses[lane]);
            lane += 1;
        }
        wave.temporary(OFFSET_ROW).0 = *addresses;
        Offsets {
            row: wave.temporaries + OFFSET_ROW,
            lowest,
            highest,
            consecutive: false,
        }
    }

    /// The same addresses in a row that no instruction's result overwrites.
    #[inline(always)]
    pub fn kept(self, wave: &mut Wave) -> Offsets {
        *wave.temporary(OFFSET_ROW) = *wave.row(self.row);
        Offsets {
            row: wave.temporaries + OFFSET_ROW,
            ..self
        }
    }

    /// Returns `true` if writing rows `first..first + count` destroys them.
    #[inline(always)]
    pub fn lie_in(&self, first: usize, count: usize) -> bool {
        self.row.wrapping_sub(first) < count
    }

    /// The one value that row `row` has in all active lanes. Some lane must be active.
    #[inline(always)]
    pub fn common(wave: &Wave, row: usize) -> Option<u32> {
        #[cfg(target_arch = "x86_64")]
        if wave.wide != 0 {
            let words = wave.row(row);
            // SAFETY: the wave is wide.
            return unsafe { full_wave::uniform(wave.wide, words) }.then_some(words.0[0]);
        }
        Self::common_of_some(wave, row)
    }

    /// [`Offsets::common`] for bodies that are compiled for wide waves, too.
    #[inline(always)]
    pub fn common_in_place(wave: &Wave, row: usize) -> Option<u32> {
        #[cfg(target_arch = "x86_64")]
        if wave.wide != 0 {
            let words = wave.row(row);
            // SAFETY: the wave is wide.
            return unsafe { full_wave::uniform_in_place(wave.wide, words) }.then_some(words.0[0]);
        }
        Self::common_of_some(wave, row)
    }

    /// [`Offsets::common`] where some lanes may be off.
    #[inline(always)]
    fn common_of_some(wave: &Wave, row: usize) -> Option<u32> {
        let words = &wave.row(row).0;
        let first = words[wave.exec().trailing_zeros() as usize & (LANES - 1)];
        #[cfg(target_arch = "x86_64")]
        if wave.avx512 {
            // SAFETY: the host has it.
            return unsafe { masked::uniform(wave.exec(), wave.row(row), first) }.then_some(first);
        }
        let mut differing = 0;
        let mut lane = 0;
        while lane < LANES {
            differing |= (words[lane] ^ first) & wave.exec_lanes.0[lane];
            lane += 1;
        }
        (differing == 0).then_some(first)
    }

    /// The lanes' bytes in device memory at `base` plus their offsets, if one range holds all of them.
    #[inline(always)]
    pub fn in_memory(
        self,
        env: &mut Env<'_>,
        base: u64,
        bytes: u32,
        write: bool,
    ) -> Option<Spread> {
        let first = base.wrapping_add(u64::from(self.lowest));
        let last = base
            .wrapping_add(u64::from(self.highest))
            .wrapping_add(u64::from(bytes) - 1);
        if !env.memory.allows(first, last, write) {
            return None;
        }
        let host = (host_address(first) as usize).wrapping_sub(self.lowest as usize);
        Some(Spread {
            base: std::ptr::with_exposed_provenance_mut(host),
            row: self.row,
            consecutive: self.consecutive,
        })
    }

    /// The lanes' bytes in LDS at `base` plus their offsets, if all exist.
    #[inline(always)]
    pub fn in_lds(&self, wave: &Wave, env: &mut Env<'_>, base: u32, bytes: u32) -> Option<Spread> {
        let limit = super::lds::limit(wave, env);
        let end = u64::from(self.highest) + u64::from(base) + u64::from(bytes);
        if end > u64::from(limit) {
            return None;
        }
        Some(Spread {
            base: env.lds.as_mut_ptr().wrapping_add(base as usize),
            row: self.row,
            consecutive: self.consecutive,
        })
    }

    /// Highest offset of an active lane.
    #[inline(always)]
    pub fn highest(&self) -> u32 {
        self.highest
    }

    /// Lowest offset of an active lane.
    #[inline(always)]
    pub fn lowest(&self) -> u32 {
        self.lowest
    }
}

/// The lowest and the highest of the first `COUNT` words.
#[inline(always)]
fn extremes<const COUNT: usize>(words: &[u32; LANES]) -> (u32, u32) {
    let (mut lowest, mut highest) = (!0, 0);
    let mut lane = 0;
    while lane < COUNT {
        lowest = lowest.min(words[lane]);
        highest = highest.max(words[lane]);
        lane += 1;
    }
    (lowest, highest)
}

/// How the addresses of a group of lanes lie.
enum Pattern {
    /// Each element behind the one before.
    Consecutive,
    Uniform,
    Other,
}

#[inline(always)]
fn pattern(offsets: &[u32; GROUP], stride: u32) -> Pattern {
    // Not by comparing with lane 0: the compiler would drop that lane, and ragged rests of vectors are slow.
    let (mut any, mut all) = (0, !0);
    let (mut any_start, mut all_start) = (0, !0);
    let mut lane = 0;
    while lane < GROUP {
        let offset = offsets[lane];
        let start = offset.wrapping_sub(stride * lane as u32);
        any |= offset;
        all &= offset;
        any_start |= start;
        all_start &= start;
        lane += 1;
    }
    if any_start == all_start {
        Pattern::Consecutive
    } else if any == all {
        Pattern::Uniform
    } else {
        Pattern::Other
    }
}

#[inline(always)]
fn equal(a: &[u32; GROUP], b: &[u32; GROUP]) -> bool {
    let mut differing = 0;
    let mut lane = 0;
    while lane < GROUP {
        differing |= a[lane] ^ b[lane];
        lane += 1;
    }
    differing == 0
}

/// Functions that spaces share, so that they do not have a copy each.
mod outlined {
    use super::{OFFSET_ROW, Offsets, Spread, Wave};
    #[cfg(target_arch = "x86_64")]
    use vectors::masked;

    /// Not part of its caller, which needs few registers.
    #[inline(never)]
    fn offsets_of_any_host(wave: &mut Wave, row: usize) -> Option<Offsets> {
        Offsets::masked(wave, row)
    }

    #[inline(never)]
    pub(crate) fn offsets(wave: &mut Wave, row: usize, bytes: u32) -> Option<Offsets> {
        #[cfg(target_arch = "x86_64")]
        {
            vectors::compiled_for! { Avx2:
                fn with_avx2(wave: &mut Wave, row: usize) -> Option<Offsets> {
                    Offsets::masked(wave, row)
                }
            }
            let exec = wave.exec();
            if wave.avx512 && exec != 0 {
                let to = wave.temporaries + OFFSET_ROW;
                assert!(row < wave.rows.len() && to < wave.rows.len());
                let rows = wave.rows.as_mut_ptr();
                // SAFETY: the host has it, and the rows exist.
                let bounds = unsafe { masked::stand_in(exec, bytes, rows.add(row), rows.add(to)) };
                return Some(Offsets {
                    row: to,
                    lowest: bounds.lowest(),
                    highest: bounds.highest(),
                    consecutive: bounds.consecutive && bytes > 0,
                });
            }
            if wave.avx2 {
                // SAFETY: the host has it.
                return unsafe { with_avx2(wave, row) };
            }
        }
        offsets_of_any_host(wave, row)
    }

    #[inline(never)]
    pub(crate) fn load_part<const WORDS: usize>(spread: &Spread, wave: &mut Wave, dst: usize) {
        #[cfg(target_arch = "x86_64")]
        {
            vectors::compiled_for! { Avx2:
                fn with_avx2<const WORDS: usize>(spread: &Spread, wave: &mut Wave, dst: usize) {
                    spread.load_part::<WORDS>(wave, dst);
                }
            }
            if wave.avx512 {
                assert!(dst + WORDS <= wave.rows.len() && spread.row < wave.rows.len());
                let (exec, rows) = (wave.exec(), wave.rows.as_mut_ptr());
                let lanes = wave.exec_lanes.0.as_ptr();
                // SAFETY: the host has it, the rows exist, and every lane may read `WORDS` dwords.
                return unsafe {
                    let (offsets, target) = (rows.add(spread.row).cast(), rows.add(dst).cast());
                    let (base, consecutive) = (spread.base, spread.consecutive);
                    masked::load::<WORDS>(exec, lanes, base, offsets, target, consecutive);
                };
            }
            if wave.avx2 {
                // SAFETY: the host has it.
                return unsafe { with_avx2::<WORDS>(spread, wave, dst) };
            }
        }
        spread.load_part::<WORDS>(wave, dst);
    }

    #[inline(never)]
    pub(crate) fn store_part<const WORDS: usize>(spread: &Spread, wave: &Wave, data: usize) {
        #[cfg(target_arch = "x86_64")]
        {
            vectors::compiled_for! { Avx2:
                fn with_avx2<const WORDS: usize>(spread: &Spread, wave: &Wave, data: usize) {
                    spread.store_part::<WORDS>(wave, data);
                }
            }
            if wave.avx512 {
                assert!(data + WORDS <= wave.rows.len() && spread.row < wave.rows.len());
                let (exec, rows) = (wave.exec(), wave.rows.as_ptr());
                // SAFETY: the host has it, the rows exist, and every active lane may write `WORDS` dwords.
                return unsafe {
                    let (offsets, data) = (rows.add(spread.row).cast(), rows.add(data).cast());
                    masked::store::<WORDS>(exec, spread.base, offsets, data, spread.consecutive);
                };
            }
            if wave.avx2 {
                // SAFETY: the host has it.
                return unsafe { with_avx2::<WORDS>(spread, wave, data) };
            }
        }
        spread.store_part::<WORDS>(wave, data);
    }
}

/// Where the words of a load go: to the register, or to staging rows while lanes are off.
#[inline(always)]
fn target(wave: &mut Wave, dst: usize, words: usize) -> usize {
    // Registers are checked here once.
    assert!(dst + words <= wave.temporaries + crate::state::TEMPORARY_ROWS);
    if wave.all_lanes {
        dst
    } else {
        wave.partial_row()
    }
}

/// Copies the active lanes of staged words to the register.
#[inline(always)]
fn deliver(wave: &mut Wave, dst: usize, words: usize) {
    if wave.all_lanes {
        return;
    }
    let staged = wave.partial_row();
    for word in 0..words {
        let values = *wave.row(staged + word);
        let mask = wave.exec_lanes;
        let target = &mut wave.row_mut(dst + word).0;
        let mut lane = 0;
        while lane < LANES {
            target[lane] = values.0[lane] & mask.0[lane] | target[lane] & !mask.0[lane];
            lane += 1;
        }
    }
}

impl Spread {
    #[inline(always)]
    fn group(&self, wave: &Wave, group: usize) -> [u32; GROUP] {
        *lanes::words(wave, self.row, group)
    }

    #[inline(always)]
    fn at(&self, offset: u32) -> *mut u8 {
        self.base.wrapping_add(offset as usize)
    }

    /// The address of the first of 64 consecutive dwords, if that is what the lanes access that are on.
    #[inline(always)]
    pub fn block(&self, wave: &Wave) -> Option<u64> {
        let lane = wave.exec().trailing_zeros() as usize & (LANES - 1);
        let first = self.at(wave.row(self.row).0[lane]);
        self.consecutive
            .then(|| (first.addr() as u64).wrapping_sub(4 * lane as u64))
    }

    /// Loads `WORDS` dwords per lane to rows `dst..`, which may be those of the addresses.
    #[inline(always)]
    pub fn load_words<const WORDS: usize>(&self, wave: &mut Wave, dst: usize) {
        #[cfg(target_arch = "x86_64")]
        if wave.wide != 0 {
            assert!(dst + WORDS <= wave.rows.len() && self.row < wave.rows.len());
            let rows = wave.rows.as_mut_ptr();
            // SAFETY: the wave is wide, the rows exist, and every lane may read `WORDS` dwords.
            unsafe {
                let (offsets, target) = (rows.add(self.row).cast(), rows.add(dst).cast());
                if WORDS == 1 && self.consecutive {
                    let first = *wave.rows[self.row].0.first().expect("a row has lanes");
                    full_wave::copy(wave.avx512, wave.wide, self.at(first).cast(), target);
                } else {
                    full_wave::load::<WORDS>(wave.avx512, wave.wide, self.base, offsets, target);
                }
            }
            return;
        }
        outlined::load_part::<WORDS>(self, wave, dst);
    }

    /// [`Spread::load_words`] while lanes are off.
    #[inline(always)]
    fn load_part<const WORDS: usize>(&self, wave: &mut Wave, dst: usize) {
        let rows = target(wave, dst, WORDS);
        let mut previous = [0; GROUP];
        for group in 0..wave.groups {
            let offsets = self.group(wave, group);
            match pattern(&offsets, 4 * WORDS as u32) {
                Pattern::Consecutive if WORDS == 1 => {
                    // SAFETY: 16 consecutive dwords, each of which a lane may read.
                    let block =
                        unsafe { self.at(offsets[0]).cast::<[u32; GROUP]>().read_unaligned() };
                    *lanes::words_mut(wave, rows, group) = block;
                }
                Pattern::Uniform => {
                    // SAFETY: a lane may read this.
                    let element = unsafe { lanes::read_element::<WORDS>(self.at(offsets[0])) };
                    for word in 0..WORDS {
                        *lanes::words_mut(wave, rows + word, group) = [element[word]; GROUP];
                    }
                }
                // Rows of a two-dimensional workgroup often read the same.
                _ if group > 0 && equal(&offsets, &previous) => {
                    for word in 0..WORDS {
                        let same = *lanes::words(wave, rows + word, group - 1);
                        *lanes::words_mut(wave, rows + word, group) = same;
                    }
                }
                _ => self.gather::<WORDS>(wave, rows, group, &offsets),
            }
            previous = offsets;
        }
        deliver(wave, dst, WORDS);
    }

    #[inline(always)]
    fn gather<const WORDS: usize>(
        &self,
        wave: &mut Wave,
        rows: usize,
        group: usize,
        offsets: &[u32; GROUP],
    ) {
        #[cfg(target_arch = "x86_64")]
        if WORDS > 1 {
            let mut quarter = 0;
            while quarter < 4 {
                let mut at = [std::ptr::null_mut(); 4];
                let mut lane = 0;
                while lane < 4 {
                    at[lane] = self.at(offsets[4 * quarter + lane]);
                    lane += 1;
                }
                // SAFETY: every lane may read `WORDS` dwords.
                let columns = unsafe { lanes::quads::load::<WORDS>(at) };
                let mut word = 0;
                while word < WORDS {
                    let target = lanes::words_mut(wave, rows + word, group);
                    let part: &mut [u32; 4] =
                        target[4 * quarter..].first_chunk_mut().expect("a quarter");
                    *part = columns[word];
                    word += 1;
                }
                quarter += 1;
            }
            return;
        }
        let mut lane = 0;
        while lane < GROUP {
            // SAFETY: every lane may read `WORDS` dwords.
            let element = unsafe { lanes::read_element::<WORDS>(self.at(offsets[lane])) };
            let mut word = 0;
            while word < WORDS {
                lanes::words_mut(wave, rows + word, group)[lane] = element[word];
                word += 1;
            }
            lane += 1;
        }
    }

    /// Stores `WORDS` dwords per lane from rows `data..`, in lane order.
    #[inline(always)]
    pub fn store_words<const WORDS: usize>(&self, wave: &Wave, data: usize) {
        #[cfg(target_arch = "x86_64")]
        if wave.wide != 0 {
            assert!(data + WORDS <= wave.rows.len() && self.row < wave.rows.len());
            let rows = wave.rows.as_ptr();
            // SAFETY: the wave is wide, the rows exist, and every lane may write `WORDS` dwords.
            unsafe {
                let (offsets, data) = (rows.add(self.row).cast(), rows.add(data).cast());
                if WORDS == 1 && self.consecutive {
                    let first = *wave.rows[self.row].0.first().expect("a row has lanes");
                    full_wave::copy(wave.avx512, wave.wide, data, self.at(first).cast());
                } else {
                    full_wave::store::<WORDS>(wave.wide, self.base, offsets, data);
                }
            }
            return;
        }
        outlined::store_part::<WORDS>(self, wave, data);
    }

    /// [`Spread::store_words`] while lanes are off.
    #[inline(always)]
    fn store_part<const WORDS: usize>(&self, wave: &Wave, data: usize) {
        let exec = wave.exec();
        for group in 0..wave.groups {
            let offsets = self.group(wave, group);
            let active = (exec >> (GROUP * group)) as u16;
            if WORDS == 1 && active == !0 && matches!(pattern(&offsets, 4), Pattern::Consecutive) {
                let block = *lanes::words(wave, data, group);
                // SAFETY: 16 consecutive dwords, each of which a lane may write.
                unsafe {
                    self.at(offsets[0])
                        .cast::<[u32; GROUP]>()
                        .write_unaligned(block);
                }
                continue;
            }
            let mut rows = [&[0; GROUP]; WORDS];
            let mut word = 0;
            while word < WORDS {
                rows[word] = lanes::words(wave, data + word, group);
                word += 1;
            }
            let store = |lane: usize| {
                let element = std::array::from_fn(|word| rows[word][lane]);
                // SAFETY: the lane is active and may write `WORDS` dwords.
                unsafe { lanes::write_element::<WORDS>(self.at(offsets[lane]), element) };
            };
            if active == !0 {
                let mut lane = 0;
                while lane < GROUP {
                    store(lane);
                    lane += 1;
                }
            } else {
                lanes::each_lane(active, store);
            }
        }
    }

    /// Loads 1 or 2 bytes per lane.
    #[inline(always)]
    pub fn load_bytes<const BYTES: usize>(&self, wave: &mut Wave, dst: usize, fill: Fill) {
        #[cfg(target_arch = "x86_64")]
        if wave.wide != 0 && matches!(fill, Fill::Zero | Fill::Sign8 | Fill::Sign16) {
            assert!(dst < wave.rows.len() && self.row < wave.rows.len());
            let rows = wave.rows.as_mut_ptr();
            // SAFETY: the wave is wide, the rows exist, and every lane may read `BYTES` bytes.
            unsafe {
                let (offsets, target) = (rows.add(self.row).cast(), rows.add(dst).cast());
                if fill == Fill::Zero {
                    full_wave::load_bytes::<BYTES, false>(wave.wide, self.base, offsets, target);
                } else {
                    full_wave::load_bytes::<BYTES, true>(wave.wide, self.base, offsets, target);
                }
            }
            return;
        }
        for group in 0..wave.groups {
            let offsets = self.group(wave, group);
            let mut values = [0u32; GROUP];
            let consecutive = matches!(pattern(&offsets, BYTES as u32), Pattern::Consecutive);
            let first = self.at(offsets[0]);
            let mut lane = 0;
            // SAFETY: every lane may read `BYTES` bytes.
            unsafe {
                if consecutive && BYTES == 1 {
                    let block = first.cast::<[u8; GROUP]>().read_unaligned();
                    while lane < GROUP {
                        values[lane] = u32::from(block[lane]);
                        lane += 1;
                    }
                } else if consecutive {
                    let block = first.cast::<[u16; GROUP]>().read_unaligned();
                    while lane < GROUP {
                        values[lane] = u32::from(block[lane]);
                        lane += 1;
                    }
                } else {
                    while lane < GROUP {
                        let at = self.at(offsets[lane]);
                        values[lane] = if BYTES == 1 {
                            u32::from(at.read())
                        } else {
                            u32::from(at.cast::<u16>().read_unaligned())
                        };
                        lane += 1;
                    }
                }
            }
            if fill != Fill::Zero {
                let old = *lanes::words(wave, dst, group);
                let mut lane = 0;
                while lane < GROUP {
                    values[lane] = fill.apply(old[lane], values[lane]);
                    lane += 1;
                }
            }
            if wave.all_lanes {
                *lanes::words_mut(wave, dst, group) = values;
            } else {
                lanes::write_active(wave, dst, group, values);
            }
        }
    }

    /// Stores the low 1 or 2 bytes of row `data` shifted right by `shift`, in lane order.
    #[inline(always)]
    pub fn store_bytes<const BYTES: usize>(&self, wave: &Wave, data: usize, shift: u32) {
        #[cfg(target_arch = "x86_64")]
        if wave.wide != 0 {
            assert!(data < wave.rows.len() && self.row < wave.rows.len());
            let rows = wave.rows.as_ptr();
            // SAFETY: the wave is wide, the rows exist, and every lane may write `BYTES` bytes; the shift is 0 or 16.
            unsafe {
                let (offsets, data) = (rows.add(self.row).cast(), rows.add(data).cast());
                full_wave::store_bytes::<BYTES>(
                    wave.wide,
                    self.base,
                    offsets,
                    data,
                    (shift as usize / 8) & 2,
                );
            }
            return;
        }
        let exec = wave.exec();
        for group in 0..wave.groups {
            let offsets = self.group(wave, group);
            let values = lanes::words(wave, data, group);
            lanes::each_lane((exec >> (GROUP * group)) as u16, |lane| {
                let at = self.at(offsets[lane]);
                let value = values[lane] >> shift;
                // SAFETY: the lane is active and may write `BYTES` bytes.
                unsafe {
                    if BYTES == 1 {
                        at.write(value as u8);
                    } else {
                        at.cast::<u16>().write_unaligned(value as u16);
                    }
                }
            });
        }
    }

    /// Returns `true` if all active lanes' host addresses are multiples of `bytes`, a power of two.
    pub fn is_aligned(&self, wave: &Wave, bytes: u32) -> bool {
        let base = self.base.addr() as u32;
        let add = |bits: u32, word: &u32| bits | base.wrapping_add(*word);
        wave.row(self.row).0.iter().fold(0, add) & (bytes - 1) == 0
    }

    /// Host addresses of the lowest and the highest word.
    pub fn bounds(&self, wave: &Wave) -> (u64, u64) {
        let words = &wave.row(self.row).0;
        let at = |word: u32| self.at(word).addr() as u64;
        let lowest = words.iter().fold(!0, |lowest: u32, &word| lowest.min(word));
        let highest = words
            .iter()
            .fold(0, |highest: u32, &word| highest.max(word));
        (at(lowest), at(highest))
    }

    /// The one address of all active lanes, if they have only one.
    pub fn uniform(&self, wave: &Wave) -> Option<*mut u8> {
        let words = &wave.row(self.row).0;
        let first = words[0];
        let differing = words.iter().fold(0, |bits, word| bits | word ^ first);
        (differing == 0).then(|| self.at(first))
    }

    /// Calls `visit(lane of the group, host address)` for active lanes of a group in order.
    #[inline(always)]
    pub fn each(&self, wave: &Wave, group: usize, mut visit: impl FnMut(usize, *mut u8)) {
        let offsets = self.group(wave, group);
        lanes::each_lane(
            (wave.exec() >> (GROUP * group)) as u16,
            #[inline(always)]
            |lane| visit(lane, self.at(offsets[lane])),
        );
    }

    /// Replaces every active lane's word in memory by `new(lane, old)`, in lane order, without locking: for LDS. The old
    /// values stay in `before`.
    #[inline(always)]
    pub fn update<W: Word>(
        &self,
        wave: &Wave,
        before: &mut [W; LANES],
        new: impl Fn(usize, W) -> W,
    ) {
        let offsets = &wave.row(self.row).0;
        if self.consecutive && W::WORDS == 1 && wave.active_lanes as usize == LANES {
            // No two lanes have the same word: they need not take turns.
            let block = self.at(offsets[0]).cast::<[W; LANES]>();
            // SAFETY: all lanes are active, and may access their words, which are the block; LDS belongs to this thread.
            unsafe {
                *before = block.read_unaligned();
                let mut words = *before;
                let mut lane = 0;
                while lane < LANES {
                    words[lane] = new(lane, words[lane]);
                    lane += 1;
                }
                block.write_unaligned(words);
            }
            return;
        }
        let mut visit = |lane: usize| {
            let at = self.at(offsets[lane]).cast::<W>();
            // SAFETY: the lane is active and may access the word; LDS belongs to this thread.
            unsafe {
                let old = at.read_unaligned();
                at.write_unaligned(new(lane, old));
                before[lane] = old;
            }
        };
        let mut exec = wave.exec();
        if exec == !0 {
            for lane in 0..LANES {
                visit(lane);
            }
            return;
        }
        while exec != 0 {
            visit(exec.trailing_zeros() as usize);
            exec &= exec - 1;
        }
    }
}

/// Private memory at one address in all lanes: dword `w` of lane `l` at `base + step * w + 4 * l`, which belongs to this wave
/// alone.
pub(crate) struct Column {
    base: *mut u8,
    step: usize,
    /// Where in its dword a lane's element begins, if that is less than a dword.
    byte: u32,
}

impl Column {
    /// Returns `true` if `bytes` bytes from `offset` on are whole dwords or lie in one.
    #[inline(always)]
    pub fn holds(offset: u32, bytes: u32) -> bool {
        offset % 4 + bytes.min(4) <= 4
    }

    /// The elements (offset and size) of all lanes, if they are one range's; the first lane's dword there is at device address
    /// `first`, a next one `step` bytes later.
    #[inline(always)]
    pub fn new(
        wave: &Wave,
        env: &mut Env<'_>,
        first: u64,
        step: u32,
        (offset, bytes): (u32, u32),
        write: bool,
    ) -> Option<Column> {
        let next = u64::from(step) * u64::from((bytes - 1) / 4);
        let last = first.wrapping_add(next + 4 * u64::from(wave.wave_size) - 1);
        if !env.memory.allows(first, last, write) {
            return None;
        }
        Some(Column {
            base: std::ptr::with_exposed_provenance_mut(host_address(first) as usize),
            step: step as usize,
            byte: offset % 4,
        })
    }

    /// The bits of an element of `BYTES` bytes before it is moved to its place.
    const fn mask<const BYTES: usize>() -> u32 {
        if BYTES == 1 { 0xff } else { 0xffff }
    }

    /// The dwords that hold a group's elements.
    #[inline(always)]
    fn block(&self, group: usize) -> *mut [u32; GROUP] {
        self.base.wrapping_add(4 * GROUP * group).cast()
    }

    #[inline(always)]
    pub fn load_bytes<const BYTES: usize>(&self, wave: &mut Wave, dst: usize, fill: Fill) {
        let rows = target(wave, dst, 1);
        for group in 0..wave.groups {
            // SAFETY: `new` checked the dwords of all lanes.
            let mut values = unsafe { self.block(group).read_unaligned() };
            for value in &mut values {
                *value = *value >> (8 * self.byte) & Self::mask::<BYTES>();
            }
            if fill != Fill::Zero {
                let old = *lanes::words(wave, dst, group);
                let mut lane = 0;
                while lane < GROUP {
                    values[lane] = fill.apply(old[lane], values[lane]);
                    lane += 1;
                }
            }
            *lanes::words_mut(wave, rows, group) = values;
        }
        deliver(wave, dst, 1);
    }

    /// Stores the data's bits from `shift` on.
    #[inline(always)]
    pub fn store_bytes<const BYTES: usize>(&self, wave: &Wave, data: usize, shift: u32) {
        let element = Self::mask::<BYTES>() << (8 * self.byte);
        for group in 0..wave.groups {
            let at = self.block(group);
            let values = lanes::words(wave, data, group);
            let exec = &wave.exec_lanes.0[GROUP * group..GROUP * group + GROUP];
            // SAFETY: `new` checked the dwords of all lanes; the bytes beside the elements are this wave's too, so that
            // writing them back races with no other wave.
            unsafe {
                let mut block = at.read_unaligned();
                let mut lane = 0;
                while lane < GROUP {
                    let mask = element & exec[lane];
                    let value = values[lane] >> shift << (8 * self.byte);
                    block[lane] = value & mask | block[lane] & !mask;
                    lane += 1;
                }
                at.write_unaligned(block);
            }
        }
    }

    #[inline(always)]
    pub fn load_words<const WORDS: usize>(&self, wave: &mut Wave, dst: usize) {
        let rows = target(wave, dst, WORDS);
        for word in 0..WORDS {
            for group in 0..wave.groups {
                let at = self.base.wrapping_add(self.step * word + 4 * GROUP * group);
                // SAFETY: `new` checked the dwords of all lanes.
                let block = unsafe { at.cast::<[u32; GROUP]>().read_unaligned() };
                *lanes::words_mut(wave, rows + word, group) = block;
            }
        }
        deliver(wave, dst, WORDS);
    }

    #[inline(always)]
    pub fn store_words<const WORDS: usize>(&self, wave: &Wave, data: usize) {
        for word in 0..WORDS {
            for group in 0..wave.groups {
                let at = self.base.wrapping_add(self.step * word + 4 * GROUP * group);
                let at = at.cast::<[u32; GROUP]>();
                let values = lanes::words(wave, data + word, group);
                let mask: &VectorRow = &wave.exec_lanes;
                // SAFETY: `new` checked the dwords of all lanes; other lanes' dwords are this wave's too, so that
                // writing them back races with no other wave.
                unsafe {
                    let mut block = if wave.all_lanes {
                        *values
                    } else {
                        at.read_unaligned()
                    };
                    if !wave.all_lanes {
                        let mut lane = 0;
                        while lane < GROUP {
                            let mask = mask.0[GROUP * group + lane];
                            block[lane] = values[lane] & mask | block[lane] & !mask;
                            lane += 1;
                        }
                    }
                    at.write_unaligned(block);
                }
            }
        }
    }
}
