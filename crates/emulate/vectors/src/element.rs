//! Elements of single lanes in memory: one dword to four.

use std::sync::atomic::{AtomicU64, Ordering};

/// A lane's element at `at`. Two dwords at a multiple of eight bytes move as one, as on the device: other threads, and the host,
/// may be writing them, a value and the flag that says it is there.
///
/// # Safety
/// `4 * WORDS` bytes must be readable at `at`.
#[inline(always)]
pub unsafe fn read_element<const WORDS: usize>(at: *mut u8) -> [u32; WORDS] {
    let mut words = [0; WORDS];
    let mut word = 0;
    while word < WORDS {
        let at = at.wrapping_add(4 * word);
        if word + 1 < WORDS && at.addr().is_multiple_of(8) {
            // SAFETY: readable by the caller's promise, and aligned.
            let both = unsafe { AtomicU64::from_ptr(at.cast()) }.load(Ordering::Relaxed);
            words[word] = both as u32;
            words[word + 1] = (both >> 32) as u32;
            word += 2;
        } else {
            // SAFETY: the caller's promise.
            words[word] = unsafe { at.cast::<u32>().read_unaligned() };
            word += 1;
        }
    }
    words
}

/// Writes a lane's element; two dwords at a multiple of eight bytes as one, see [`read_element`].
///
/// # Safety
/// `4 * WORDS` bytes must be writable at `at`.
#[inline(always)]
pub unsafe fn write_element<const WORDS: usize>(at: *mut u8, words: [u32; WORDS]) {
    let mut word = 0;
    while word < WORDS {
        let at = at.wrapping_add(4 * word);
        if word + 1 < WORDS && at.addr().is_multiple_of(8) {
            let both = u64::from(words[word]) | u64::from(words[word + 1]) << 32;
            // SAFETY: writable by the caller's promise, and aligned.
            unsafe { AtomicU64::from_ptr(at.cast()) }.store(both, Ordering::Relaxed);
            word += 2;
        } else {
            // SAFETY: the caller's promise.
            unsafe { at.cast::<u32>().write_unaligned(words[word]) };
            word += 1;
        }
    }
}

/// Four lanes of 2 to 4 dwords each, turned into one 4-lane column per dword and back, with SSE2 only.
#[cfg(target_arch = "x86_64")]
pub mod quads {
    use std::arch::x86_64::*;

    /// Columns of `WORDS` dwords at each of four addresses; columns beyond `WORDS` are arbitrary.
    ///
    /// # Safety
    /// `4 * WORDS` bytes must be readable at each address.
    #[inline(always)]
    pub unsafe fn load<const WORDS: usize>(at: [*mut u8; 4]) -> [[u32; 4]; 4] {
        // SAFETY: the caller's promise; loads read exactly `WORDS` dwords.
        unsafe {
            let mut lane = [_mm_setzero_si128(); 4];
            let mut i = 0;
            while i < 4 {
                let at = at[i];
                lane[i] = match WORDS {
                    2 => _mm_loadl_epi64(at.cast()),
                    3 => _mm_unpacklo_epi64(
                        _mm_loadl_epi64(at.cast()),
                        _mm_cvtsi32_si128(at.add(8).cast::<i32>().read_unaligned()),
                    ),
                    _ => _mm_loadu_si128(at.cast()),
                };
                i += 1;
            }
            let columns = turn(lane);
            std::mem::transmute::<[__m128i; 4], [[u32; 4]; 4]>(columns)
        }
    }

    /// # Safety
    /// `4 * WORDS` bytes must be writable at each address.
    #[inline(always)]
    pub unsafe fn store<const WORDS: usize>(at: [*mut u8; 4], columns: [[u32; 4]; WORDS]) {
        // SAFETY: the caller's promise; stores write exactly `WORDS` dwords, in lane order.
        unsafe {
            let mut column = [_mm_setzero_si128(); 4];
            for word in 0..WORDS {
                column[word] = _mm_loadu_si128(columns[word].as_ptr().cast());
            }
            let lane = turn(column);
            for i in 0..4 {
                let at = at[i];
                match WORDS {
                    2 => _mm_storel_epi64(at.cast(), lane[i]),
                    3 => {
                        _mm_storel_epi64(at.cast(), lane[i]);
                        let third = _mm_cvtsi128_si32(_mm_unpackhi_epi64(lane[i], lane[i]));
                        at.add(8).cast::<i32>().write_unaligned(third);
                    }
                    _ => _mm_storeu_si128(at.cast(), lane[i]),
                }
            }
        }
    }

    /// Transposes a 4 by 4 block.
    #[inline(always)]
    unsafe fn turn(rows: [__m128i; 4]) -> [__m128i; 4] {
        // SAFETY: SSE2 is part of every x86-64 processor.
        unsafe {
            let low01 = _mm_unpacklo_epi32(rows[0], rows[1]);
            let low23 = _mm_unpacklo_epi32(rows[2], rows[3]);
            let high01 = _mm_unpackhi_epi32(rows[0], rows[1]);
            let high23 = _mm_unpackhi_epi32(rows[2], rows[3]);
            [
                _mm_unpacklo_epi64(low01, low23),
                _mm_unpackhi_epi64(low01, low23),
                _mm_unpacklo_epi64(high01, high23),
                _mm_unpackhi_epi64(high01, high23),
            ]
        }
    }
}
