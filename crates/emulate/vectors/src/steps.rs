//! Words of lanes, and which of them differ.

use crate::{GROUP, LANES};
#[cfg(target_arch = "x86_64")]
use crate::{
    compiled_for,
    level::{has_avx2, has_avx512},
};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// Returns `true` if address i is `first + step * i`.
#[inline(always)]
pub fn lie_apart(at: &[u32; GROUP], step: u32) -> bool {
    // The host compares all at once if the compiler knows the step. These are those of most instructions.
    match step {
        0 => lie_by::<0>(at),
        4 => lie_by::<4>(at),
        8 => lie_by::<8>(at),
        16 => lie_by::<16>(at),
        _ => (1..GROUP).all(|i| at[i] == at[0].wrapping_add(step.wrapping_mul(i as u32))),
    }
}

#[inline(always)]
fn lie_by<const STEP: u32>(at: &[u32; GROUP]) -> bool {
    let expected: [u32; GROUP] = std::array::from_fn(|i| at[0].wrapping_add(STEP * i as u32));
    *at == expected
}

/// Lanes whose word is not `step` above that of the lane before. The bit of the first lane, which has none before it, may have any value.
#[inline]
pub fn breaks(words: &[u32; LANES], step: u32) -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        if has_avx512() {
            // SAFETY: the host has AVX-512.
            return unsafe { breaks_512(words, step) };
        }
        if has_avx2() {
            // SAFETY: the host has AVX2.
            return unsafe { breaks_256(words, step) };
        }
    }
    let mut differ = [0; LANES];
    for lane in 1..LANES {
        differ[lane] = words[lane] ^ words[lane - 1].wrapping_add(step);
    }
    set_bits(&differ)
}

/// Lanes whose word is not zero.
#[inline]
pub fn set(words: &[u32; LANES]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        if has_avx512() {
            // SAFETY: the host has AVX-512.
            return unsafe { set_512(words) };
        }
        if has_avx2() {
            // SAFETY: the host has AVX2.
            return unsafe { set_256(words) };
        }
    }
    set_bits(words)
}

/// The product of a byte for each of eight lanes, each 0 or 1, with this has the bit of each lane in its highest byte.
const TOGETHER: u64 = 0x0102_0408_1020_4080;

fn set_bits(words: &[u32; LANES]) -> u64 {
    // The compiler makes several hundred instructions of a loop that puts bits into a mask, and a call for each word of `map`.
    let mut bytes = [0; LANES];
    for (byte, word) in bytes.iter_mut().zip(words) {
        *byte = u8::from(*word != 0);
    }
    let groups = bytes.as_chunks().0.iter().rev();
    groups.fold(0, |mask, group| {
        mask << 8 | u64::from_le_bytes(*group).wrapping_mul(TOGETHER) >> 56
    })
}

#[cfg(target_arch = "x86_64")]
compiled_for! { Avx512:
fn breaks_512(words: &[u32; LANES], step: u32) -> u64 {
    let step = _mm512_set1_epi32(step as i32);
    let mut found = 0;
    for group in 0..LANES / 16 {
        let first = 16 * group;
        // No lane is before the first one: it is compared with the last one of its group.
        let before = &words[first.saturating_sub(1)..];
        // SAFETY: 16 words lie behind each of both places.
        let (own, before) = unsafe {
            (
                _mm512_loadu_si512(words[first..].as_ptr().cast()),
                _mm512_loadu_si512(before.as_ptr().cast()),
            )
        };
        let before = match group {
            0 => _mm512_alignr_epi32(own, own, 15),
            _ => before,
        };
        let differ = _mm512_cmpneq_epi32_mask(own, _mm512_add_epi32(before, step));
        found |= u64::from(differ) << first;
    }
    found
}
}

#[cfg(target_arch = "x86_64")]
compiled_for! { Avx2:
fn breaks_256(words: &[u32; LANES], step: u32) -> u64 {
    let step = _mm256_set1_epi32(step as i32);
    let turned = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
    let mut same = 0;
    for group in 0..LANES / 8 {
        let first = 8 * group;
        let before = &words[first.saturating_sub(1)..];
        // SAFETY: 8 words lie behind each of both places.
        let (own, before) = unsafe {
            (
                _mm256_loadu_si256(words[first..].as_ptr().cast()),
                _mm256_loadu_si256(before.as_ptr().cast()),
            )
        };
        let before = match group {
            0 => _mm256_permutevar8x32_epi32(own, turned),
            _ => before,
        };
        let equal = _mm256_cmpeq_epi32(own, _mm256_add_epi32(before, step));
        let mask = _mm256_movemask_ps(_mm256_castsi256_ps(equal)) as u8;
        same |= u64::from(mask) << first;
    }
    !same
}
}

#[cfg(target_arch = "x86_64")]
compiled_for! { Avx512:
fn set_512(words: &[u32; LANES]) -> u64 {
    let groups = words.as_chunks::<16>().0.iter().rev();
    groups.fold(0, |mask, group| {
        // SAFETY: a group has 16 words.
        let own = unsafe { _mm512_loadu_si512(group.as_ptr().cast()) };
        mask << 16 | u64::from(_mm512_test_epi32_mask(own, own))
    })
}
}

#[cfg(target_arch = "x86_64")]
compiled_for! { Avx2:
fn set_256(words: &[u32; LANES]) -> u64 {
    let groups = words.as_chunks::<8>().0.iter().rev();
    let zero = groups.fold(0, |mask, group| {
        // SAFETY: a group has 8 words.
        let own = unsafe { _mm256_loadu_si256(group.as_ptr().cast()) };
        let zero = _mm256_cmpeq_epi32(own, _mm256_setzero_si256());
        mask << 8 | u64::from(_mm256_movemask_ps(_mm256_castsi256_ps(zero)) as u8)
    });
    !zero
}
}
