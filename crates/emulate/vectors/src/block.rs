//! Moves of a whole wave's dwords that lie one behind the other, with AVX-512. The functions get the number of groups of 16 lanes: two or
//! four. They do the first two without a loop, because a loop costs time.

use std::arch::x86_64::*;

use crate::{GROUP, LANES, VectorRow, compiled_for};

compiled_for! { Avx512:
/// The words of group `group`.
#[inline]
unsafe fn part(words: *const u32, group: usize) -> __m512i {
    // SAFETY: the callers may read as many groups.
    unsafe { _mm512_loadu_si512(words.add(GROUP * group).cast()) }
}
}

compiled_for! { Avx512:
/// Bits in which words of group `group` differ from `expected`, and those of `found`.
#[inline]
unsafe fn more(found: __m512i, words: *const u32, group: usize, expected: __m512i) -> __m512i {
    /// The first or the second is not the third: `a | (b ^ c)` as the host numbers its functions of three bits.
    const OR_DIFFERENT: i32 = 0xf0 | (0xcc ^ 0xaa);
    // SAFETY: the callers may read as many groups.
    unsafe { _mm512_ternarylogic_epi32::<OR_DIFFERENT>(found, part(words, group), expected) }
}
}

compiled_for! { Avx512:
/// Returns `true` if lane i holds in `low` the first lane's word plus `4 * i`, without passing 2^32, and all lanes hold the same word in
/// `high`, if there is one.
///
/// # Safety
/// The host has AVX-512.
#[inline]
pub unsafe fn is_one(groups: usize, low: &VectorRow, high: Option<&VectorRow>) -> bool {
    const HALF: usize = LANES / GROUP / 2;
    let first = low.0[0];
    if first > u32::MAX - 4 * LANES as u32 {
        return false;
    }
    let words = low.0.as_ptr();
    let step = _mm512_set1_epi32(4 * GROUP as i32);
    // SAFETY: groups of rows, and the caller's promise.
    unsafe {
        let lanes = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60);
        let start = _mm512_add_epi32(_mm512_set1_epi32(first as i32), lanes);
        let second = _mm512_add_epi32(start, step);
        let mut found = _mm512_xor_si512(part(words, 0), start);
        found = more(found, words, 1, second);
        if groups > HALF {
            let third = _mm512_add_epi32(second, step);
            found = more(found, words, 2, third);
            found = more(found, words, 3, _mm512_add_epi32(third, step));
        }
        if let Some(high) = high {
            let (words, same) = (high.0.as_ptr(), _mm512_set1_epi32(high.0[0] as i32));
            found = more(found, words, 0, same);
            found = more(found, words, 1, same);
            if groups > HALF {
                found = more(found, words, 2, same);
                found = more(found, words, 3, same);
            }
        }
        _mm512_test_epi32_mask(found, found) == 0
    }
}
}

compiled_for! { Avx512:
/// Copies a word for each lane.
///
/// # Safety
/// The host has AVX-512. 64 bytes are readable at `from` and writable at `to` for each group.
#[inline]
pub unsafe fn copy(groups: usize, from: *const u32, to: *mut u32) {
    // SAFETY: the caller's promise.
    unsafe {
        let set = |group: usize, words| _mm512_storeu_si512(to.add(GROUP * group).cast(), words);
        let (first, second) = (part(from, 0), part(from, 1));
        if groups > LANES / GROUP / 2 {
            let (third, fourth) = (part(from, 2), part(from, 3));
            set(2, third);
            set(3, fourth);
        }
        set(0, first);
        set(1, second);
    }
}
}

compiled_for! { Avx512:
/// Gives a wave its first values: copies `16 * LINES` words from `scalars.0` to `scalars.1`, clears each row with a bit in `clear`, and
/// copies `first`, row by row, to the first of `rows`.
///
/// # Safety
/// The host has AVX-512. `scalars` has `16 * LINES` words on both sides; `rows` has each row in `clear` and `first.len()` rows.
#[inline]
pub unsafe fn start<const LINES: usize>(
    groups: usize,
    scalars: (*const u32, *mut u32),
    rows: *mut VectorRow,
    clear: u64,
    first: &[[u32; LANES]],
) {
    // SAFETY: the caller's promise.
    unsafe {
        let (from, to) = scalars;
        let mut line = 0;
        while line < LINES {
            _mm512_storeu_si512(to.add(GROUP * line).cast(), part(from, line));
            line += 1;
        }
        let zero = _mm512_setzero_si512();
        let mut left = clear;
        while left != 0 {
            let row = rows.add(left.trailing_zeros() as usize).cast::<u32>();
            _mm512_storeu_si512(row.cast(), zero);
            _mm512_storeu_si512(row.add(GROUP).cast(), zero);
            if groups > LANES / GROUP / 2 {
                _mm512_storeu_si512(row.add(2 * GROUP).cast(), zero);
                _mm512_storeu_si512(row.add(3 * GROUP).cast(), zero);
            }
            left &= left - 1;
        }
        for (index, lanes) in first.iter().enumerate() {
            copy(groups, lanes.as_ptr(), rows.add(index).cast());
        }
    }
}
}
