//! Moves between rows and memory where all lanes are active, with AVX2, eight lanes at a time. The functions get the number of groups
//! of 16 lanes: two or four. A function that reads a whole row does the first two without a loop, because a loop costs time.
//!
//! The functions use intrinsics because the shape matters more than the arithmetic. They must store registers in whole host vectors: a
//! later load that spans two smaller stores stalls the processor. They tell the pattern of addresses by one compare with the first lane.

use std::arch::x86_64::*;

use crate::{LANES, VectorRow, compiled_for};
use crate::{
    element::read_element,
    host::{Host, Ymm, Zmm},
};

/// Lanes of a host vector.
const STEP: usize = 8;
/// Lanes whose addresses are looked at together.
const GROUP: usize = 16;

compiled_for! { Avx2:
/// Host vector `index` of the row at `row`.
#[inline]
unsafe fn part(row: *const u32, index: usize) -> __m256i {
    // SAFETY: the callers pass rows and indices below 8.
    unsafe { _mm256_loadu_si256(row.add(STEP * index).cast()) }
}
}

compiled_for! { Avx2:
#[inline]
unsafe fn set_part(row: *mut u32, index: usize, value: __m256i) {
    // SAFETY: as in `part`.
    unsafe { _mm256_storeu_si256(row.add(STEP * index).cast(), value) }
}
}

compiled_for! { Avx2:
#[inline]
fn all(mask: __m256i) -> bool {
    _mm256_movemask_epi8(mask) == -1
}
}

compiled_for! { Avx2:
/// `stride` times the number of each lane.
#[inline]
fn steps(stride: i32) -> __m256i {
    _mm256_mullo_epi32(
        _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
        _mm256_set1_epi32(stride),
    )
}
}

compiled_for! { Avx2:
/// Returns `true` if lane i holds the first lane's word plus `4 * i`, without passing 2^32.
///
/// # Safety
/// The host has AVX2.
#[inline]
pub fn consecutive(groups: usize, row: &VectorRow) -> bool {
    let words = row.0.as_ptr();
    if row.0[0] > u32::MAX - 4 * LANES as u32 {
        return false;
    }
    // SAFETY: parts of a row.
    unsafe {
        let mut expected = _mm256_add_epi32(_mm256_set1_epi32(row.0[0] as i32), steps(4));
        let mut same = _mm256_cmpeq_epi32(part(words, 0), expected);
        let mut index = 1;
        while index < LANES / STEP {
            if index == LANES / STEP / 2 && groups <= LANES / GROUP / 2 {
                break;
            }
            expected = _mm256_add_epi32(expected, _mm256_set1_epi32(4 * STEP as i32));
            same = _mm256_and_si256(same, _mm256_cmpeq_epi32(part(words, index), expected));
            index += 1;
        }
        all(same)
    }
}
}

compiled_for! { Avx2:
/// Returns `true` if all lanes hold the same word.
///
/// # Safety
/// The host has AVX2.
#[inline]
pub fn uniform(groups: usize, row: &VectorRow) -> bool {
    // SAFETY: the host has what wide waves need.
    unsafe { uniform_in_place(groups, row) }
}
}

/// [`uniform`] as a part of its caller, whatever the compiler thinks of its size: a call costs private loads a tenth of their time.
///
/// # Safety
/// The wave is wide. Where the caller is not compiled for its vectors, this is right and slow.
#[inline(always)]
pub unsafe fn uniform_in_place(groups: usize, row: &VectorRow) -> bool {
    let words = row.0.as_ptr();
    // SAFETY: parts of a row, and the caller's promise.
    unsafe {
        let first = _mm256_set1_epi32(row.0[0] as i32);
        let mut differing = _mm256_xor_si256(part(words, 0), first);
        let mut index = 1;
        while index < LANES / STEP {
            if index == LANES / STEP / 2 && groups <= LANES / GROUP / 2 {
                break;
            }
            let other = _mm256_xor_si256(part(words, index), first);
            differing = _mm256_or_si256(differing, other);
            index += 1;
        }
        _mm256_testz_si256(differing, differing) != 0
    }
}

/// Copies one row's worth of dwords.
#[inline(always)]
unsafe fn copy_as<H: Host>(groups: usize, from: *const u32, to: *mut u32) {
    // SAFETY: the callers' promises.
    let copy_half = |first: usize| unsafe {
        let mut parts = [_mm256_setzero_si256(); LANES / STEP / 2];
        let mut index = 0;
        while index < LANES / STEP / 2 {
            parts[index] = part(from, first + index);
            index += 1;
        }
        index = 0;
        while index < LANES / STEP / 2 {
            H::store_pair(
                to.add(STEP * (first + index)),
                parts[index],
                parts[index + 1],
            );
            index += 2;
        }
    };
    copy_half(0);
    if groups > LANES / GROUP / 2 {
        copy_half(LANES / STEP / 2);
    }
}

/// Copies 16 words for each of `lines`.
#[inline(always)]
unsafe fn copy_lines_as<H: Host>(lines: usize, from: *const u32, to: *mut u32) {
    let mut line = 0;
    while line < lines {
        // SAFETY: the callers' promises.
        unsafe {
            let (low, high) = (part(from, 2 * line), part(from, 2 * line + 1));
            H::store_pair(to.add(GROUP * line), low, high);
        }
        line += 1;
    }
}

/// Makes the words of rows zeros that waves have lanes for.
#[inline(always)]
unsafe fn clear_as<H: Host>(groups: usize, rows: *mut VectorRow, set: u64) {
    let mut left = set;
    while left != 0 {
        // SAFETY: the callers' promises, and parts of a row.
        unsafe {
            let row = rows.add(left.trailing_zeros() as usize).cast::<u32>();
            let zero = _mm256_setzero_si256();
            let mut index = 0;
            while index < LANES {
                if index == LANES / 2 && groups <= LANES / GROUP / 2 {
                    break;
                }
                H::store_pair(row.add(index), zero, zero);
                index += 2 * STEP;
            }
        }
        left &= left - 1;
    }
}

compiled_for! { Avx2:
/// The `WORDS` dwords at `at`, words behind them are arbitrary.
#[inline]
unsafe fn element<const WORDS: usize>(at: *const u8) -> __m128i {
    // SAFETY: the callers may read exactly that.
    unsafe {
        match WORDS {
            1 => _mm_cvtsi32_si128(at.cast::<i32>().read_unaligned()),
            2 => _mm_loadl_epi64(at.cast()),
            3 => {
                let third = _mm_cvtsi32_si128(at.add(8).cast::<i32>().read_unaligned());
                _mm_unpacklo_epi64(_mm_loadl_epi64(at.cast()), third)
            }
            _ => _mm_loadu_si128(at.cast()),
        }
    }
}
}

compiled_for! { Avx2:
/// Transposes a 4 by 4 block in each half.
#[inline]
fn turn(rows: [__m256i; 4]) -> [__m256i; 4] {
    let low01 = _mm256_unpacklo_epi32(rows[0], rows[1]);
    let low23 = _mm256_unpacklo_epi32(rows[2], rows[3]);
    let high01 = _mm256_unpackhi_epi32(rows[0], rows[1]);
    let high23 = _mm256_unpackhi_epi32(rows[2], rows[3]);
    [
        _mm256_unpacklo_epi64(low01, low23),
        _mm256_unpackhi_epi64(low01, low23),
        _mm256_unpacklo_epi64(high01, high23),
        _mm256_unpackhi_epi64(high01, high23),
    ]
}
}

compiled_for! { Avx2:
/// One host vector per dword of the elements at eight addresses.
///
/// # Safety
/// The host has AVX2, and `4 * WORDS` bytes are readable at `base` plus each of eight offsets.
#[inline]
pub unsafe fn gather<const WORDS: usize>(
    base: *const u8,
    offsets: *const u32,
) -> [__m256i; 4] {
    // SAFETY: the callers may read these elements.
    unsafe {
        let at = |lane: usize| base.wrapping_add(offsets.add(lane).read() as usize);
        if WORDS == 1 {
            let four = |lane: usize| {
                let word = |lane: usize| at(lane).cast::<i32>().read_unaligned();
                let low = _mm_insert_epi32::<1>(_mm_cvtsi32_si128(word(lane)), word(lane + 1));
                let high = _mm_insert_epi32::<1>(_mm_cvtsi32_si128(word(lane + 2)), word(lane + 3));
                _mm_unpacklo_epi64(low, high)
            };
            return [_mm256_set_m128i(four(4), four(0)); 4];
        }
        if WORDS == 2 {
            // Two elements a vector: their words then are apart by one shuffle.
            let two = |lane: usize| {
                let low = _mm_castsi128_pd(_mm_loadl_epi64(at(lane).cast()));
                _mm_loadh_pd(low, at(lane + 1).cast())
            };
            let four = |lane: usize| _mm256_castpd_ps(_mm256_set_m128d(two(lane + 4), two(lane)));
            let (a, b) = (four(0), four(2));
            let low = _mm256_castps_si256(_mm256_shuffle_ps::<0x88>(a, b));
            let high = _mm256_castps_si256(_mm256_shuffle_ps::<0xdd>(a, b));
            return [low, high, high, high];
        }
        let pair = |lane: usize| {
            _mm256_set_m128i(element::<WORDS>(at(lane + 4)), element::<WORDS>(at(lane)))
        };
        turn([pair(0), pair(1), pair(2), pair(3)])
    }
}
}

/// Loads `WORDS` dwords per lane to the rows from `dst` on, which may be the row of the addresses, too.
#[inline(always)]
unsafe fn load_as<H: Host, const WORDS: usize>(
    groups: usize,
    base: *const u8,
    offsets: *const u32,
    dst: *mut u32,
) {
    // SAFETY: the callers' promises.
    unsafe {
        let mut previous = [_mm256_setzero_si256(); 2];
        let mut group = 0;
        while group < groups {
            let own = offsets.add(GROUP * group);
            let (a, b) = (part(own, 0), part(own, 1));
            let first = _mm256_set1_epi32(own.cast::<i32>().read());
            let target = dst.add(GROUP * group);
            let same = |x: __m256i, y: __m256i| {
                all(_mm256_and_si256(
                    _mm256_cmpeq_epi32(a, x),
                    _mm256_cmpeq_epi32(b, y),
                ))
            };
            let next = _mm256_add_epi32(first, steps(4));
            if WORDS == 1 && same(next, _mm256_add_epi32(next, _mm256_set1_epi32(32))) {
                let at = base.wrapping_add(own.read() as usize).cast();
                let (low, high) = (part(at, 0), part(at, 1));
                H::store_pair(target, low, high);
            } else if same(first, first) {
                let at = base.wrapping_add(own.read() as usize).cast_mut();
                let element = read_element::<WORDS>(at);
                let mut values = [first; 4];
                let mut word = 0;
                while word < WORDS {
                    values[word] = _mm256_set1_epi32(element[word] as i32);
                    word += 1;
                }
                word = 0;
                while word < WORDS {
                    H::store_pair(target.add(LANES * word), values[word], values[word]);
                    word += 1;
                }
            } else if group > 0 && same(previous[0], previous[1]) {
                // Rows of a two-dimensional workgroup often read the same.
                let mut word = 0;
                while word < WORDS {
                    let target = target.add(LANES * word);
                    let before = target.sub(GROUP);
                    let (low, high) = (part(before, 0), part(before, 1));
                    H::store_pair(target, low, high);
                    word += 1;
                }
            } else {
                let low = gather::<WORDS>(base, own);
                let high = gather::<WORDS>(base, own.add(STEP));
                let mut word = 0;
                while word < WORDS {
                    H::store_pair(target.add(LANES * word), low[word], high[word]);
                    word += 1;
                }
            }
            previous = [a, b];
            group += 1;
        }
    }
}

/// `v_lshlrev_b64` by the same number of bits, below 64, in every lane.
#[inline(always)]
unsafe fn shift_left64_as<H: Host>(groups: usize, from: *const u32, to: *mut u32, bits: u32) {
    // SAFETY: the callers' promises.
    unsafe {
        // The host shifts everything out if the count is 32 or more, read as unsigned.
        let bits = i64::from(bits);
        let left = _mm_cvtsi64_si128(bits);
        let (over, far) = (_mm_cvtsi64_si128(32 - bits), _mm_cvtsi64_si128(bits - 32));
        let shifted = |index: usize| {
            let (low, high) = (part(from, index), part(from.add(LANES), index));
            let carried = _mm256_or_si256(_mm256_srl_epi32(low, over), _mm256_sll_epi32(low, far));
            let high = _mm256_or_si256(_mm256_sll_epi32(high, left), carried);
            [_mm256_sll_epi32(low, left), high]
        };
        let mut index = 0;
        while index < groups * GROUP / STEP {
            let (a, b) = (shifted(index), shifted(index + 1));
            H::store_pair(to.add(STEP * index), a[0], b[0]);
            H::store_pair(to.add(LANES + STEP * index), a[1], b[1]);
            index += 2;
        }
    }
}

/// The functions above for each width of vectors, chosen by `avx512`.
macro_rules! for_the_host {
    ($($(#[$attribute:meta])* fn $name:ident, $narrow:ident, $wide:ident, $as:ident [$(const $words:ident)?] ($($argument:ident: $type:ty),*);)*) => {$(
        $(#[$attribute])*
        #[inline(always)]
        pub unsafe fn $name$(<const $words: usize>)?(avx512: bool, $($argument: $type),*) {
            // SAFETY: the caller's promises.
            unsafe {
                if avx512 {
                    $wide$(::<$words>)?($($argument),*)
                } else {
                    $narrow$(::<$words>)?($($argument),*)
                }
            }
        }
        $crate::compiled_for! { Avx2:
        #[inline]
        unsafe fn $narrow$(<const $words: usize>)?($($argument: $type),*) {
            // SAFETY: the caller's promises.
            unsafe { $as::<Ymm $(, $words)?>($($argument),*) }
        }
        }
        $crate::compiled_for! { Avx512:
        #[inline]
        unsafe fn $wide$(<const $words: usize>)?($($argument: $type),*) {
            // SAFETY: the caller's promises.
            unsafe { $as::<Zmm $(, $words)?>($($argument),*) }
        }
        }
    )*};
}

for_the_host! {
    /// # Safety
    /// The host has AVX2, and AVX-512 if `avx512`; 64 bytes are readable at `from` and writable at `to` for each group.
    fn copy, copy256, copy512, copy_as [] (groups: usize, from: *const u32, to: *mut u32);
    /// # Safety
    /// As [`copy`]; `from` and `to` have 16 words for each of `lines`.
    fn copy_lines, copy_lines256, copy_lines512, copy_lines_as [] (lines: usize, from: *const u32, to: *mut u32);
    /// # Safety
    /// As [`copy`]. For each bit of `set` there is a row behind `rows`.
    fn clear, clear256, clear512, clear_as [] (groups: usize, rows: *mut VectorRow, set: u64);
    /// # Safety
    /// As [`copy`]. `offsets` is a row, `4 * WORDS` bytes are readable at `base` plus each of its words, and `dst` has `WORDS`
    /// rows.
    fn load, load256, load512, load_as [const WORDS] (groups: usize, base: *const u8, offsets: *const u32, dst: *mut u32);
    /// # Safety
    /// As [`copy`]; `from` and `to` have two rows each.
    fn shift_left64, shift256, shift512, shift_left64_as [] (groups: usize, from: *const u32, to: *mut u32, bits: u32);
}

compiled_for! { Avx2:
/// Stores `WORDS` dwords per lane from the rows at `data`, in lane order.
///
/// # Safety
/// The host has AVX2. `offsets` is a row, `4 * WORDS` bytes are writable at `base` plus each of its words, and `data` has
/// `WORDS` rows.
pub unsafe fn store<const WORDS: usize>(
    groups: usize,
    base: *mut u8,
    offsets: *const u32,
    data: *const u32,
) {
    // SAFETY: the caller's promises.
    unsafe {
        let mut group = 0;
        while group < groups {
            let own = offsets.add(GROUP * group);
            let values = data.add(GROUP * group);
            let at = |lane: usize| base.wrapping_add(own.add(lane).read() as usize);
            if WORDS == 1 {
                let first = _mm256_set1_epi32(own.cast::<i32>().read());
                let next = _mm256_add_epi32(first, steps(4));
                let second = _mm256_add_epi32(next, _mm256_set1_epi32(32));
                let same = _mm256_and_si256(
                    _mm256_cmpeq_epi32(part(own, 0), next),
                    _mm256_cmpeq_epi32(part(own, 1), second),
                );
                if all(same) {
                    let block = at(0).cast();
                    set_part(block, 0, part(values, 0));
                    set_part(block, 1, part(values, 1));
                } else {
                    let mut lane = 0;
                    while lane < GROUP {
                        at(lane)
                            .cast::<u32>()
                            .write_unaligned(values.add(lane).read());
                        lane += 1;
                    }
                }
                group += 1;
                continue;
            }
            let mut half = 0;
            while half < 2 {
                let column = |word: usize| {
                    if word < WORDS {
                        part(values.add(LANES * word), half)
                    } else {
                        _mm256_setzero_si256()
                    }
                };
                let lanes = turn([column(0), column(1), column(2), column(3)]);
                let mut lane = 0;
                while lane < STEP {
                    let of = lanes[lane % 4];
                    let element = if lane < 4 {
                        _mm256_castsi256_si128(of)
                    } else {
                        _mm256_extracti128_si256::<1>(of)
                    };
                    let at = at(STEP * half + lane);
                    match WORDS {
                        2 => _mm_storel_epi64(at.cast(), element),
                        3 => {
                            _mm_storel_epi64(at.cast(), element);
                            let third = _mm_extract_epi32::<2>(element);
                            at.add(8).cast::<i32>().write_unaligned(third);
                        }
                        _ => _mm_storeu_si128(at.cast(), element),
                    }
                    lane += 1;
                }
                half += 1;
            }
            group += 1;
        }
    }
}
}

compiled_for! { Avx2:
/// Returns `true` if eight lanes' offsets are `stride` apart.
#[inline]
unsafe fn in_a_row(offsets: *const u32, stride: i32) -> bool {
    // SAFETY: the callers pass parts of rows.
    unsafe {
        let first = _mm256_set1_epi32(offsets.cast::<i32>().read());
        let expected = _mm256_add_epi32(first, steps(stride));
        all(_mm256_cmpeq_epi32(part(offsets, 0), expected))
    }
}
}

compiled_for! { Avx2:
/// Loads `BYTES` (1 or 2) bytes per lane to row `dst`, with the sign if `SIGNED`.
///
/// # Safety
/// As [`load`], with `BYTES` bytes.
pub unsafe fn load_bytes<const BYTES: usize, const SIGNED: bool>(
    groups: usize,
    base: *const u8,
    offsets: *const u32,
    dst: *mut u32,
) {
    // SAFETY: the caller's promises.
    unsafe {
        let mut index = 0;
        while index < groups * GROUP / STEP {
            let own = offsets.add(STEP * index);
            let at = |lane: usize| base.wrapping_add(own.add(lane).read() as usize);
            let row = in_a_row(own, BYTES as i32);
            let elements = match (BYTES, row) {
                (1, true) => _mm_loadl_epi64(at(0).cast()),
                (1, false) => {
                    let byte = |lane: usize| at(lane).read() as i8;
                    let (a, b, c, d) = (byte(0), byte(1), byte(2), byte(3));
                    let (e, f, g, h) = (byte(4), byte(5), byte(6), byte(7));
                    _mm_setr_epi8(a, b, c, d, e, f, g, h, 0, 0, 0, 0, 0, 0, 0, 0)
                }
                (_, true) => _mm_loadu_si128(at(0).cast()),
                (_, false) => {
                    let half = |lane: usize| at(lane).cast::<i16>().read_unaligned();
                    let (a, b, c, d) = (half(0), half(1), half(2), half(3));
                    _mm_setr_epi16(a, b, c, d, half(4), half(5), half(6), half(7))
                }
            };
            let words = match (BYTES, SIGNED) {
                (1, false) => _mm256_cvtepu8_epi32(elements),
                (1, true) => _mm256_cvtepi8_epi32(elements),
                (_, false) => _mm256_cvtepu16_epi32(elements),
                (_, true) => _mm256_cvtepi16_epi32(elements),
            };
            set_part(dst, index, words);
            index += 1;
        }
    }
}
}

compiled_for! { Avx2:
/// Stores `BYTES` (1 or 2) bytes per lane, `first` bytes into the words of the row at `data`, in lane order.
///
/// # Safety
/// As [`store`]; `first` is 0 or 2.
pub unsafe fn store_bytes<const BYTES: usize>(
    groups: usize,
    base: *mut u8,
    offsets: *const u32,
    data: *const u32,
    first: usize,
) {
    // SAFETY: the caller's promises.
    unsafe {
        let mut index = 0;
        while index < groups * GROUP / STEP {
            let own = offsets.add(STEP * index);
            let values = data.add(STEP * index);
            let at = |lane: usize| base.wrapping_add(own.add(lane).read() as usize);
            if BYTES == 2 && in_a_row(own, 2) {
                let words = if first == 0 {
                    _mm256_slli_epi32::<16>(part(values, 0))
                } else {
                    part(values, 0)
                };
                let halves = _mm256_srli_epi32::<16>(words);
                let low = _mm256_castsi256_si128(halves);
                let high = _mm256_extracti128_si256::<1>(halves);
                _mm_storeu_si128(at(0).cast(), _mm_packus_epi32(low, high));
            } else {
                let mut lane = 0;
                while lane < STEP {
                    let value = values.add(lane).cast::<u8>().add(first);
                    if BYTES == 1 {
                        at(lane).write(value.read());
                    } else {
                        let value = value.cast::<u16>().read_unaligned();
                        at(lane).cast::<u16>().write_unaligned(value);
                    }
                    lane += 1;
                }
            }
            index += 1;
        }
    }
}
}

compiled_for! { Avx2:
/// `v_perm_b32` with the same selectors, all of them 0 to 7 or 12, in every lane.
///
/// # Safety
/// The host has AVX2; `a`, `b` and `dst` are rows.
#[inline]
pub unsafe fn permute_bytes(groups: usize, a: *const u32, b: *const u32, dst: *mut u32, selectors: u32) {
    // The host takes the byte that the low four bits name, in either half of a vector by itself, and zero if bit 7 is
    // set. The selectors must therefore be 0 to 3 for `a`, 4 to 7 for `b`, and 12 for both.
    let all = _mm256_set1_epi32(selectors as i32);
    let lane = _mm256_setr_epi32(
        0,
        0x0404_0404,
        0x0808_0808,
        0x0c0c_0c0c,
        0,
        0x0404_0404,
        0x0808_0808,
        0x0c0c_0c0c,
    );
    let below_four = _mm256_cmpgt_epi8(_mm256_set1_epi8(4), all);
    let above_seven = _mm256_cmpgt_epi8(all, _mm256_set1_epi8(7));
    let place = _mm256_add_epi8(_mm256_and_si256(all, _mm256_set1_epi8(3)), lane);
    let of_a = _mm256_or_si256(place, _mm256_or_si256(below_four, above_seven));
    let of_b = _mm256_or_si256(place, _mm256_cmpgt_epi8(all, _mm256_set1_epi8(3)));
    // SAFETY: the caller's promise.
    unsafe {
        let mut index = 0;
        while index < groups * GROUP / STEP {
            let a = _mm256_shuffle_epi8(part(a, index), of_a);
            let b = _mm256_shuffle_epi8(part(b, index), of_b);
            set_part(dst, index, _mm256_or_si256(a, b));
            index += 1;
        }
    }
}
}

compiled_for! { Avx512:
/// One word of ones per set bit, for the first `groups` groups of 16 lanes.
///
/// # Safety
/// The host has AVX-512.
#[inline]
pub unsafe fn expand512(groups: usize, mask: u64, row: &mut VectorRow) {
    let mut group = 0;
    while group < groups {
        let words = &mut row.0[16 * group..][..16];
        let lanes = _mm512_movm_epi32((mask >> (16 * group)) as u16);
        // SAFETY: the slice has 16 words.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), lanes) };
        group += 1;
    }
}
}

compiled_for! { Avx512:
/// For each lane the word of the lane that its address plus `offset`, in bytes, names: of all 64 if `across`, else of its own 32.
///
/// # Safety
/// The host has AVX-512.
#[inline(never)]
pub unsafe fn pulled512(across: bool, words: &[u32; LANES], addresses: &VectorRow, offset: u32) -> [u32; LANES] {
    let mut pulled = [0; LANES];
    // SAFETY: parts of rows of 64 words.
    unsafe {
        let part = |index: usize| _mm512_loadu_si512(words.as_ptr().add(16 * index).cast());
        let (lower, upper) = ([part(0), part(1)], [part(2), part(3)]);
        let mut group = 0;
        while group < LANES / 16 {
            let address = _mm512_loadu_si512(addresses.0.as_ptr().add(16 * group).cast());
            let sum = _mm512_add_epi32(address, _mm512_set1_epi32(offset as i32));
            // The permutations look at bits 0 to 4 of an index; bit 5 chooses between them.
            let from = _mm512_srli_epi32::<2>(sum);
            let low = _mm512_permutex2var_epi32(lower[0], from, lower[1]);
            let high = _mm512_permutex2var_epi32(upper[0], from, upper[1]);
            let is_high = if across {
                _mm512_test_epi32_mask(from, _mm512_set1_epi32(32))
            } else if group < 2 {
                0
            } else {
                !0
            };
            let chosen = _mm512_mask_mov_epi32(low, is_high, high);
            _mm512_storeu_si512(pulled.as_mut_ptr().add(16 * group).cast(), chosen);
            group += 1;
        }
    }
    pulled
}
}

compiled_for! { Avx2:
/// One word of ones per set bit.
///
/// # Safety
/// The host has AVX2.
#[inline]
pub unsafe fn expand(mask: u64, row: &mut VectorRow) {
    let words = row.0.as_mut_ptr();
    let mut bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    let mut index = 0;
    while index < LANES / STEP / 2 {
        let (low, high) = (mask as u32 as i32, (mask >> 32) as u32 as i32);
        // SAFETY: parts of a row.
        unsafe {
            for (half, word) in [(0, low), (LANES / STEP / 2, high)] {
                let found = _mm256_and_si256(_mm256_set1_epi32(word), bits);
                set_part(words, half + index, _mm256_cmpeq_epi32(found, bits));
            }
        }
        bits = _mm256_slli_epi32::<8>(bits);
        index += 1;
    }
}
}
