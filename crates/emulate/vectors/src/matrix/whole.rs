//! Sums of products of eight-bit floats and smaller ones of which none has to be cut.
//!
//! These values have few bits: in a row (or a column) they are mostly whole numbers of 16 bits in one unit. The host
//! adds products of these two at a time. Nothing is lost where the units of a row and of a column together are not
//! below the unit to which sums are cut.

use std::arch::x86_64::*;

use super::{
    side::{Extent, STEP, Terms, ZERO},
    sum::{BIAS, Scales, Sums, TILE, power, scales},
};
use crate::compiled_for;

/// `k` that are summed together.
pub const DEPTH: usize = 16;

/// Sixteen `k` of sixteen rows (or columns) in units of each.
#[derive(Clone, Copy)]
pub struct Block {
    /// Neighbours in the halves of a word.
    pairs: [__m512i; DEPTH / 2],
    /// As powers of two.
    units: __m512i,
}

compiled_for! { Avx512:
/// The first sixteen `k` of the first sixteen rows, if they have units; scales are by `base`.
///
/// # Safety
/// The host has the vectors; the terms exist.
pub unsafe fn block(terms: Terms, base: i32, extent: Extent) -> Option<Block> {
    let zero = _mm_set1_epi8(ZERO as i8);
    let (mut least, mut most) = (zero, _mm_setzero_si128());
    for k in 0..DEPTH {
        // SAFETY: the caller's promise.
        let scales = unsafe { _mm_loadu_si128(terms.scales.add(k * terms.stride).cast()) };
        let there = _mm_cmpneq_epu8_mask(scales, zero);
        least = _mm_min_epu8(least, scales);
        most = _mm_mask_max_epu8(most, there, most, scales);
    }
    let room = _mm_set1_epi8((14 - extent.fraction) as i8);
    if _mm_cmpgt_epu8_mask(_mm_subs_epu8(most, least), room) != 0 {
        return None;
    }
    let most = _mm512_cvtepu8_epi32(most);
    let units = _mm512_sub_epi32(_mm512_set1_epi32(base - extent.fraction), most);
    let factor = power(_mm512_sub_epi32(_mm512_set1_epi32(BIAS), units));
    let mut pairs = [units; DEPTH / 2];
    for (index, pair) in pairs.iter_mut().enumerate() {
        let [low, high] = [0, 1].map(|odd| {
            // SAFETY: the caller has promised the values of `DEPTH` terms.
            let values = unsafe { _mm512_loadu_ps(terms.values.add((2 * index + odd) * terms.stride)) };
            _mm512_cvtps_epi32(_mm512_mul_ps(values, factor))
        });
        *pair = _mm512_mask_blend_epi16(0xaaaa_aaaa, low, _mm512_slli_epi32::<16>(high));
    }
    Some(Block { pairs, units })
}
}

compiled_for! { Avx512:
/// Products of four rows of A, of which the first is row `row` of its block, if none has to be cut.
///
/// # Safety
/// As of [`block`]; `row` is below 13, and `a` leads to that row.
#[inline]
pub unsafe fn sums<const STRIDE: usize>(
    (a, block_of_a, row): (Terms, &Block, usize),
    b: &Block,
    scales_of_b: &[__m512i; DEPTH],
) -> Option<Sums> {
    // SAFETY: the caller's promise.
    let Scales { powers, without } = unsafe { scales::<DEPTH, STRIDE>(a, 1, scales_of_b) };
    let mut all = Sums {
        sums: powers,
        scales: [_mm512_setzero_ps(); TILE],
        without,
    };
    let units = _mm512_sub_epi32(b.units, _mm512_set1_epi32(BIAS));
    let mut below = _mm512_setzero_si512();
    let mut index = 0;
    while index < TILE {
        let word = |vector: &__m512i| {
            // SAFETY: a word of a vector's sixteen.
            let word = unsafe { (&raw const *vector).cast::<i32>().add(row + index).read() };
            _mm512_set1_epi32(word)
        };
        let mut sum = _mm512_setzero_si512();
        let mut pair = 0;
        while pair < DEPTH / 2 {
            let products = _mm512_madd_epi16(word(&block_of_a.pairs[pair]), b.pairs[pair]);
            sum = _mm512_add_epi32(sum, products);
            pair += 1;
        }
        // From these units down to what sums are cut to.
        let field = _mm512_srli_epi32::<23>(powers[index]);
        let up = _mm512_add_epi32(_mm512_add_epi32(field, units), word(&block_of_a.units));
        below = _mm512_or_si512(below, up);
        all.sums[index] = _mm512_sllv_epi32(sum, up);
        all.scales[index] = _mm512_castsi512_ps(powers[index]);
        index += 1;
    }
    (_mm512_movepi32_mask(below) == 0).then_some(all)
}
}

const _: () = assert!(STEP == 16);
