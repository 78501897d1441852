//! Moves between rows and memory where lanes are off, or a wave has 32 lanes, with AVX-512: under a mask, sixteen lanes at a time.
//!
//! Where the active lanes' elements lie as far apart as the lanes do, they move as blocks. The host leaves out the other lanes' parts:
//! it neither reads nor writes them, nor does it fault on them. The functions blend registers and store them whole, not under the mask.
//! We have not measured which of the two is quicker for the instruction that reads them next.

use std::arch::x86_64::*;

use crate::{LANES, VectorRow, compiled_for};
use crate::{element::read_element, full_wave};

/// Lanes of a host vector.
const STEP: usize = 16;

/// Two bits for each of four: quadwords of those of four dwords each.
const PAIRS: [u8; 16] = {
    let mut pairs = [0; 16];
    let mut bits = 0;
    while bits < 64 {
        if (bits / 4) >> (bits % 4) & 1 != 0 {
            pairs[bits / 4] |= 3 << (2 * (bits % 4));
        }
        bits += 1;
    }
    pairs
};

compiled_for! { Avx512:
/// Host vector of the group that starts at `words`.
#[inline]
unsafe fn part(words: *const u32) -> __m512i {
    // SAFETY: the callers pass groups of rows.
    unsafe { _mm512_loadu_si512(words.cast()) }
}
}

compiled_for! { Avx512:
#[inline]
fn splat(word: u32) -> __m512i {
    _mm512_set1_epi32(word as i32)
}
}

compiled_for! { Avx512:
/// `stride` times the number of each lane.
#[inline]
fn steps(stride: u32) -> __m512i {
    let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    _mm512_mullo_epi32(lanes, splat(stride))
}
}

/// The words of a row in all active lanes. Two registers: in memory, two halves that are written apart and read as one would
/// stall the processor.
pub struct Bounds {
    /// The lowest, and above it the highest.
    both: u64,
    /// Each is so many strides above lane 0's place as its lane's number says.
    pub consecutive: bool,
}

impl Bounds {
    fn new(lowest: u32, highest: u32, consecutive: bool) -> Bounds {
        Bounds {
            both: u64::from(lowest) | u64::from(highest) << 32,
            consecutive,
        }
    }

    pub fn lowest(&self) -> u32 {
        self.both as u32
    }

    pub fn highest(&self) -> u32 {
        (self.both >> 32) as u32
    }
}

compiled_for! { Avx512:
/// Copies a row, with the first active lane's word for lanes that are off. Some lane is on.
///
/// # Safety
/// The host has AVX-512. The rows exist; they may be the same.
#[inline]
pub unsafe fn stand_in(
    exec: u64,
    stride: u32,
    from: *const VectorRow,
    to: *mut VectorRow,
) -> Bounds {
    let (from, to) = (from.cast::<u32>(), to.cast::<u32>());
    // SAFETY: a lane of a row.
    let word = |lane: usize| unsafe { from.add(lane).read() };
    let first = exec.trailing_zeros() as usize & (LANES - 1);
    let last = (LANES - 1 - exec.leading_zeros() as usize) & (LANES - 1);
    let (first_word, last_word) = (word(first), word(last));
    let lane_0 = first_word.wrapping_sub(stride * first as u32);
    let mut expected = _mm512_add_epi32(splat(lane_0), steps(stride));
    let mut words = [splat(first_word); LANES / STEP];
    let mut others = 0;
    let mut group = 0;
    while group < LANES / STEP {
        let active = (exec >> (STEP * group)) as u16;
        // SAFETY: groups of rows.
        unsafe {
            let own = part(from.add(STEP * group));
            words[group] = _mm512_mask_mov_epi32(words[group], active, own);
            _mm512_storeu_si512(to.add(STEP * group).cast(), words[group]);
            others |= _mm512_mask_cmpneq_epi32_mask(active, own, expected);
        }
        expected = _mm512_add_epi32(expected, splat(stride * STEP as u32));
        group += 1;
    }
    // They may have passed 2^32.
    if others == 0 && first_word <= last_word {
        return Bounds::new(first_word, last_word, true);
    }
    let [a, b, c, d] = words;
    let lowest = _mm512_min_epu32(_mm512_min_epu32(a, b), _mm512_min_epu32(c, d));
    let highest = _mm512_max_epu32(_mm512_max_epu32(a, b), _mm512_max_epu32(c, d));
    let (lowest, highest) = (
        _mm512_reduce_min_epu32(lowest),
        _mm512_reduce_max_epu32(highest),
    );
    Bounds::new(lowest, highest, false)
}
}

compiled_for! { Avx512:
/// Returns `true` if all active lanes of a row hold `word`.
///
/// # Safety
/// The host has AVX-512.
#[inline]
pub unsafe fn uniform(exec: u64, row: &VectorRow, word: u32) -> bool {
    let mut others = 0;
    let mut group = 0;
    while group < LANES / STEP {
        let active = (exec >> (STEP * group)) as u16;
        // SAFETY: a group of a row.
        let own = unsafe { part(row.0.as_ptr().add(STEP * group)) };
        others |= _mm512_mask_cmpneq_epi32_mask(active, own, splat(word));
        group += 1;
    }
    others == 0
}
}

/// How the elements of a group's active lanes lie.
enum Pattern {
    /// In lane order without gaps but for inactive lanes; the value is the place where lane 0 of the group would find
    /// its own.
    Block(isize),
    /// They are one.
    Uniform,
    Other,
}

compiled_for! { Avx512:
/// The first active lane's offset, and how the others lie. The last one's tells most patterns apart.
#[inline]
unsafe fn pattern<const WORDS: usize>(
    active: u16,
    offsets: *const u32,
    words: __m512i,
) -> (u32, Pattern) {
    let stride = 4 * WORDS as u32;
    let lane = active.trailing_zeros();
    let last_lane = active.ilog2();
    // SAFETY: lanes of the callers' group.
    let (first, last) = unsafe {
        (
            offsets.add(lane as usize).read(),
            offsets.add(last_lane as usize).read(),
        )
    };
    let differ = |expected| _mm512_mask_cmpneq_epi32_mask(active, words, expected) != 0;
    if last == first {
        let pattern = if differ(splat(first)) {
            Pattern::Other
        } else {
            Pattern::Uniform
        };
        return (first, pattern);
    }
    let before = stride * lane;
    let is_block = WORDS != 3
        && last > first
        && last - first == stride * (last_lane - lane)
        && !differ(_mm512_add_epi32(
            splat(first.wrapping_sub(before)),
            steps(stride),
        ));
    let pattern = if is_block {
        Pattern::Block(first as isize - before as isize)
    } else {
        Pattern::Other
    };
    (first, pattern)
}
}

compiled_for! { Avx512:
/// Words of elements that lie in a row at `at`, one vector each.
#[inline]
unsafe fn load_block<const WORDS: usize>(active: u16, at: *const u8) -> [__m512i; 4] {
    // SAFETY: the callers' active lanes may read their elements; nothing else is read.
    unsafe {
        if WORDS == 1 {
            return [_mm512_maskz_loadu_epi32(active, at.cast()); 4];
        }
        if WORDS == 2 {
            let low = _mm512_maskz_loadu_epi64(active as u8, at.cast());
            let high = _mm512_maskz_loadu_epi64((active >> 8) as u8, at.add(64).cast());
            let even = _mm512_slli_epi32::<1>(steps(1));
            let odd = _mm512_or_si512(even, splat(1));
            let low_words = _mm512_permutex2var_epi32(low, even, high);
            let high_words = _mm512_permutex2var_epi32(low, odd, high);
            return [low_words, high_words, high_words, high_words];
        }
        let four = |index: usize| {
            let lanes = PAIRS[(active >> (4 * index)) as usize & 15];
            _mm512_maskz_loadu_epi64(lanes, at.add(64 * index).cast())
        };
        turn([four(0), four(1), four(2), four(3)]).map(
            #[inline(always)]
            |column| _mm512_permutexvar_epi32(by_fours(), column),
        )
    }
}
}

compiled_for! { Avx512:
/// Lane `4 * (i % 4) + i / 4` for lane i.
#[inline]
fn by_fours() -> __m512i {
    _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15)
}
}

compiled_for! { Avx512:
/// Transposes a 4 by 4 block in each quarter.
#[inline]
fn turn(rows: [__m512i; 4]) -> [__m512i; 4] {
    let low01 = _mm512_unpacklo_epi32(rows[0], rows[1]);
    let low23 = _mm512_unpacklo_epi32(rows[2], rows[3]);
    let high01 = _mm512_unpackhi_epi32(rows[0], rows[1]);
    let high23 = _mm512_unpackhi_epi32(rows[2], rows[3]);
    [
        _mm512_unpacklo_epi64(low01, low23),
        _mm512_unpackhi_epi64(low01, low23),
        _mm512_unpacklo_epi64(high01, high23),
        _mm512_unpackhi_epi64(high01, high23),
    ]
}
}

compiled_for! { Avx512:
/// The reverse of [`load_block`] up to the store: elements of lanes in order, `4 * WORDS` bytes each (16 for three words).
#[inline]
fn elements<const WORDS: usize>(columns: [__m512i; 4]) -> [__m512i; 4] {
    if WORDS == 1 {
        return columns;
    }
    if WORDS == 2 {
        let [low, high, ..] = columns;
        let places = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        let first = _mm512_permutex2var_epi32(low, places, high);
        let places = _mm512_add_epi32(places, splat(8));
        return [
            first,
            _mm512_permutex2var_epi32(low, places, high),
            first,
            first,
        ];
    }
    turn(columns.map(
        #[inline(always)]
        |column| _mm512_permutexvar_epi32(by_fours(), column),
    ))
}
}

compiled_for! { Avx512:
#[inline]
unsafe fn store_block<const WORDS: usize>(active: u16, elements: [__m512i; 4], at: *mut u8) {
    // SAFETY: the callers' active lanes may write their elements; nothing else is written.
    unsafe {
        match WORDS {
            1 => _mm512_mask_storeu_epi32(at.cast(), active, elements[0]),
            2 => {
                _mm512_mask_storeu_epi64(at.cast(), active as u8, elements[0]);
                _mm512_mask_storeu_epi64(at.add(64).cast(), (active >> 8) as u8, elements[1]);
            }
            _ => {
                let mut index = 0;
                while index < 4 {
                    let lanes = PAIRS[(active >> (4 * index)) as usize & 15];
                    _mm512_mask_storeu_epi64(at.add(64 * index).cast(), lanes, elements[index]);
                    index += 1;
                }
            }
        }
    }
}
}

compiled_for! { Avx512:
/// [`gather`] of the elements of eight lanes or less.
#[inline]
unsafe fn gather_few<const WORDS: usize>(
    active: u16,
    base: *const u8,
    offsets: __m512i,
    first: u32,
) -> [__m512i; 4] {
    let mut few = [0; STEP / 2];
    let packed = _mm512_mask_compress_epi32(splat(first), active, offsets);
    // SAFETY: the callers may read the elements of active lanes, which are all that is left.
    unsafe {
        _mm256_storeu_si256(few.as_mut_ptr().cast(), _mm512_castsi512_si256(packed));
        full_wave::gather::<WORDS>(base, few.as_ptr()).map(
            #[inline(always)]
            |word| _mm512_maskz_expand_epi32(active, _mm512_castsi256_si512(word)),
        )
    }
}
}

compiled_for! { Avx512:
/// Words of the elements at any sixteen addresses, one vector each.
#[inline]
unsafe fn gather<const WORDS: usize>(base: *const u8, offsets: *const u32) -> [__m512i; 4] {
    // SAFETY: the callers may read all elements.
    unsafe {
        let low = full_wave::gather::<WORDS>(base, offsets);
        let high = full_wave::gather::<WORDS>(base, offsets.add(STEP / 2));
        let mut words = [_mm512_setzero_si512(); 4];
        let mut word = 0;
        while word < WORDS {
            words[word] = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low[word]), high[word]);
            word += 1;
        }
        words
    }
}
}

compiled_for! { Avx512:
/// Writes the active lanes of one group of `WORDS` rows. `lanes` is that group of EXEC's expansion.
#[inline]
unsafe fn deliver<const WORDS: usize>(lanes: *const u32, values: [__m512i; 4], target: *mut u32) {
    // SAFETY: the callers pass groups of rows.
    unsafe {
        // Not blended by a mask register: the compiler would make a masked store of it.
        let on = part(lanes);
        let mut word = 0;
        while word < WORDS {
            let target = target.add(LANES * word);
            let value = _mm512_ternarylogic_epi32::<0xca>(on, values[word], part(target));
            _mm512_storeu_si512(target.cast(), value);
            word += 1;
        }
    }
}
}

compiled_for! { Avx512:
/// Loads `WORDS` dwords per active lane to the rows from `dst` on. `consecutive`: as [`stand_in`] found, for elements of this
/// size.
///
/// # Safety
/// The host has AVX-512. `lanes` is a row, EXEC's expansion. `offsets` is a row that [`stand_in`] wrote for `exec`, `4 * WORDS`
/// bytes are readable at `base` plus each of its words, and `dst` has `WORDS` rows.
pub unsafe fn load<const WORDS: usize>(
    exec: u64,
    lanes: *const u32,
    base: *const u8,
    offsets: *const u32,
    dst: *mut u32,
    consecutive: bool,
) {
    // SAFETY: the caller's promises.
    unsafe {
        if consecutive && WORDS != 3 {
            let start = base.wrapping_offset(lane_0::<WORDS>(exec, offsets));
            let mut group = 0;
            while group < LANES / STEP {
                let active = (exec >> (STEP * group)) as u16;
                let at = STEP * group;
                group += 1;
                if active != 0 {
                    let block = start.wrapping_add(4 * WORDS * at);
                    let values = load_block::<WORDS>(active, block);
                    deliver::<WORDS>(lanes.add(at), values, dst.add(at));
                }
            }
            return;
        }
        let mut values = [_mm512_setzero_si512(); 4];
        let (mut previous, mut previous_first, mut loaded) = (values[0], 0, 0);
        let mut group = 0;
        while group < LANES / STEP {
            let active = (exec >> (STEP * group)) as u16;
            let at = STEP * group;
            let own = offsets.add(at);
            group += 1;
            if active == 0 {
                continue;
            }
            let words = part(own);
            let (first, pattern) = pattern::<WORDS>(active, own, words);
            // Rows of a two-dimensional workgroup often read the same.
            let same = first == previous_first
                && active == loaded
                && _mm512_mask_cmpneq_epi32_mask(active, words, previous) == 0;
            if !same {
                match pattern {
                    Pattern::Block(start) => {
                        values = load_block::<WORDS>(active, base.wrapping_offset(start));
                    }
                    Pattern::Uniform => {
                        let at = base.wrapping_add(first as usize).cast_mut();
                        let element = read_element::<WORDS>(at);
                        let mut word = 0;
                        while word < WORDS {
                            values[word] = splat(element[word]);
                            word += 1;
                        }
                    }
                    Pattern::Other if active.count_ones() as usize <= STEP / 2 => {
                        values = gather_few::<WORDS>(active, base, words, first);
                    }
                    Pattern::Other => values = gather::<WORDS>(base, own),
                }
                (previous, previous_first, loaded) = (words, first, active);
            }
            deliver::<WORDS>(lanes.add(at), values, dst.add(at));
        }
    }
}
}

/// Where lane 0 would find its element, from `base` on, if elements lie in lane order.
#[inline(always)]
unsafe fn lane_0<const WORDS: usize>(exec: u64, offsets: *const u32) -> isize {
    let lane = exec.trailing_zeros() as usize & (LANES - 1);
    // SAFETY: a lane of a row.
    let first = unsafe { offsets.add(lane).read() };
    first as isize - (4 * WORDS * lane) as isize
}

compiled_for! { Avx512:
/// Stores `WORDS` dwords per active lane from the rows at `data`, in lane order. `consecutive`: as in [`load`].
///
/// # Safety
/// The host has AVX-512. `offsets` is a row, `4 * WORDS` bytes are writable at `base` plus the words of active lanes, and
/// `data` has `WORDS` rows.
pub unsafe fn store<const WORDS: usize>(
    exec: u64,
    base: *mut u8,
    offsets: *const u32,
    data: *const u32,
    consecutive: bool,
) {
    // SAFETY: the caller's promises.
    unsafe {
        let all = (consecutive && WORDS != 3).then(|| lane_0::<WORDS>(exec, offsets));
        let mut group = 0;
        while group < LANES / STEP {
            let active = (exec >> (STEP * group)) as u16;
            let at = STEP * group;
            let (own, data) = (offsets.add(at), data.add(at));
            group += 1;
            if active == 0 {
                continue;
            }
            let start = match all {
                Some(start) => Some(start + (4 * WORDS * at) as isize),
                None => match pattern::<WORDS>(active, own, part(own)).1 {
                    Pattern::Block(start) => Some(start),
                    Pattern::Uniform | Pattern::Other => None,
                },
            };
            if WORDS == 1 && start.is_none() {
                each(active, |lane| {
                    let at = base.wrapping_add(own.add(lane).read() as usize);
                    at.cast::<u32>().write_unaligned(data.add(lane).read());
                });
                continue;
            }
            let mut columns = [_mm512_setzero_si512(); 4];
            let mut word = 0;
            while word < WORDS {
                columns[word] = part(data.add(LANES * word));
                word += 1;
            }
            let elements = elements::<WORDS>(columns);
            if let Some(start) = start {
                store_block::<WORDS>(active, elements, base.wrapping_offset(start));
                continue;
            }
            let stride = if WORDS == 2 { 8 } else { 16 };
            let from = elements.as_ptr().cast::<u8>();
            each(active, |lane| {
                let element = from.add(stride * lane);
                let at = base.wrapping_add(own.add(lane).read() as usize);
                if WORDS == 4 {
                    _mm_storeu_si128(at.cast(), _mm_loadu_si128(element.cast()));
                    return;
                }
                _mm_storel_epi64(at.cast(), _mm_loadl_epi64(element.cast()));
                if WORDS == 3 {
                    let third = element.add(8).cast::<u32>().read();
                    at.add(8).cast::<u32>().write_unaligned(third);
                }
            });
        }
    }
}
}

/// Calls `visit` for every active lane, in order.
#[inline(always)]
fn each(mut active: u16, visit: impl Fn(usize)) {
    while active != 0 {
        visit(active.trailing_zeros() as usize);
        active &= active - 1;
    }
}
