//! Lanes that move within a wave, each from one lane of a group of 16: one permutation of the host's vectors for each group.
//!
//! Words are read before the first is written, so that a row may move into itself.

use std::arch::x86_64::*;

use crate::state::{LANES, VectorRow};

/// The lanes that the lanes of a row come from.
pub(crate) struct Sources<'a> {
    /// For each lane, where in a group its source is.
    pub within: &'a VectorRow,
    /// For each group, in which its sources are.
    pub groups: [usize; LANES / 16],
    /// Lanes that have a source.
    pub exists: u64,
}

/// `COUNT` groups of 16 words.
pub(crate) type Words<const COUNT: usize> = [__m512i; COUNT];

impl Sources<'_> {
    /// Returns group `group` of `row` after the move, with zeros for lanes that are not in `readable`.
    ///
    /// # Safety
    /// The host has AVX-512 F.
    #[inline(always)]
    unsafe fn group(&self, group: usize, readable: u64, row: &VectorRow) -> __m512i {
        let source = &row.0[16 * (self.groups[group] % (LANES / 16))..][..16];
        let within = &self.within.0[16 * group..][..16];
        // SAFETY: the slices have 16 words.
        unsafe {
            let words = _mm512_loadu_si512(source.as_ptr().cast());
            let from = _mm512_loadu_si512(within.as_ptr().cast());
            _mm512_maskz_permutexvar_epi32((readable >> (16 * group)) as u16, from, words)
        }
    }

    /// Lanes of `COUNT` groups that have a source which, if there is a row of active lanes, is one of them.
    ///
    /// # Safety
    /// The host has AVX-512 F.
    #[inline(always)]
    pub unsafe fn readable<const COUNT: usize>(&self, active: Option<&VectorRow>) -> u64 {
        let Some(active) = active else {
            return self.exists;
        };
        let (mut readable, mut group) = (0, 0);
        while group < COUNT {
            // SAFETY: the caller's promise about the host.
            let lanes = unsafe {
                let moved = self.group(group, self.exists, active);
                _mm512_test_epi32_mask(moved, moved)
            };
            readable |= u64::from(lanes) << (16 * group);
            group += 1;
        }
        readable
    }

    /// Returns the first groups of `row` after the move, with zeros for lanes that are not in `readable`.
    ///
    /// # Safety
    /// The host has AVX-512 F.
    #[inline(always)]
    pub unsafe fn words<const COUNT: usize>(&self, readable: u64, row: &VectorRow) -> Words<COUNT> {
        // SAFETY: the caller's promise about the host.
        unsafe {
            let mut words = [_mm512_setzero_si512(); COUNT];
            let mut group = 0;
            while group < COUNT {
                words[group] = self.group(group, readable, row);
                group += 1;
            }
            words
        }
    }
}

/// Writes the lanes in `mask`.
///
/// # Safety
/// The host has AVX-512 F.
#[inline(always)]
pub(crate) unsafe fn store<const COUNT: usize>(
    words: Words<COUNT>,
    mask: u64,
    target: &mut VectorRow,
) {
    let mut group = 0;
    while group < COUNT {
        let target = &mut target.0[16 * group..][..16];
        let lanes = (mask >> (16 * group)) as u16;
        // SAFETY: the slice has 16 words. (A store of some lanes takes hosts longer than a load of the others.)
        unsafe {
            let mut all = words[group];
            if lanes != !0 {
                all = _mm512_mask_loadu_epi32(all, !lanes, target.as_ptr().cast());
            }
            _mm512_storeu_si512(target.as_mut_ptr().cast(), all);
        }
        group += 1;
    }
}
