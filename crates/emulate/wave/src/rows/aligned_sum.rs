//! Sums of products that are cut to 24 fraction bits of the largest: what `numerics::matrix` does with integers, for four rows of sixteen
//! columns at once.
//!
//! The products, which are exact singles, are cut by scaling and converting them to integers; these and C, cut likewise, are added as
//! integers and rounded once.

use std::arch::x86_64::*;

use super::aligned_side::{LEAST, Terms};
use crate::host_level::compiled_for;

/// Rows of D that are summed at a time.
pub(super) const TILE: usize = 4;
/// Exponent zero in a single.
pub(super) const BIAS: i32 = 127;

/// Sums of products in units of 2^-24 of two to `exponents`, the largest exponents of these; below [`LEAST`] without products.
struct Cut {
    sums: [__m512i; TILE],
    exponents: [__m512i; TILE],
}

compiled_for! { Avx512:
/// `count` products from `k` on, every `EVERY`th, cut to 24 fraction bits of the largest and added.
///
/// `count` is no constant so that these stay loops: the compiler would make all products of a group at once, for which there are not
/// enough host registers.
///
/// # Safety
/// The host has the vectors; the terms exist.
#[inline]
unsafe fn cut<const EVERY: usize>(a: Terms, b: Terms, k: usize, count: usize) -> Cut {
    // SAFETY: the caller's promises; four rows of A and sixteen columns of B are there.
    unsafe {
        // Sixteen bytes for each row, of which each is that row's exponent.
        let byte = _mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3);
        let rows = _mm512_shuffle_epi8(byte, _mm512_setzero_si512());
        let mut largest = _mm512_set1_epi8(LEAST - 16);
        let end = k + EVERY * count;
        let mut at = k;
        while at < end {
            let x = a.exponents.add(at * a.stride).cast::<i32>();
            let x = _mm512_shuffle_epi8(_mm512_set1_epi32(x.read_unaligned()), rows);
            let y = _mm_loadu_si128(b.exponents.add(at * b.stride).cast());
            let sum = _mm512_adds_epi8(x, _mm512_broadcast_i32x4(y));
            largest = _mm512_max_epi8(largest, sum);
            at += EVERY;
        }
        let exponents = [
            _mm512_cvtepi8_epi32(_mm512_castsi512_si128(largest)),
            _mm512_cvtepi8_epi32(_mm512_extracti32x4_epi32::<1>(largest)),
            _mm512_cvtepi8_epi32(_mm512_extracti32x4_epi32::<2>(largest)),
            _mm512_cvtepi8_epi32(_mm512_extracti32x4_epi32::<3>(largest)),
        ];
        let mut scales = [_mm512_setzero_ps(); TILE];
        let mut row = 0;
        while row < TILE {
            scales[row] = power(24, exponents[row]);
            row += 1;
        }
        let mut sums = [_mm512_setzero_si512(); TILE];
        at = k;
        while at < end {
            let y = _mm512_loadu_ps(b.values.add(at * b.stride));
            let mut row = 0;
            while row < TILE {
                let x = _mm512_set1_ps(a.values.add(at * a.stride + row).read());
                // Below 2^26: each value is below twice its power.
                let product = _mm512_mul_ps(_mm512_mul_ps(x, y), scales[row]);
                sums[row] = _mm512_add_epi32(sums[row], _mm512_cvttps_epi32(product));
                row += 1;
            }
            at += EVERY;
        }
        Cut { sums, exponents }
    }
}
}

compiled_for! { Avx512:
/// Two to `above` less the exponents.
#[inline]
fn power(above: i32, exponents: __m512i) -> __m512 {
    let field = _mm512_sub_epi32(_mm512_set1_epi32(above + BIAS), exponents);
    _mm512_castsi512_ps(_mm512_slli_epi32::<23>(field))
}
}

compiled_for! { Avx512:
/// C and the products in groups of `count`.
///
/// # Safety
/// The host has the vectors; the terms exist, and `depth` is a multiple of `count`.
#[inline]
pub(super) unsafe fn groups(
    a: Terms,
    b: Terms,
    depth: usize,
    count: usize,
    c: [__m512; TILE],
) -> [__m512; TILE] {
    let mut sums = c;
    let mut k = 0;
    while k < depth {
        // SAFETY: the caller's promises.
        let products = unsafe { cut::<1>(a, b, k, count) };
        sums = add(sums, products);
        k += count;
    }
    sums
}
}

compiled_for! { Avx512:
/// The same for eight-bit floats: of every sixteen, twice `count`, the even and the odd ones are cut apart.
///
/// # Safety
/// As of [`groups`], with 16 for `count`.
#[inline]
pub(super) unsafe fn eights(
    a: Terms,
    b: Terms,
    depth: usize,
    count: usize,
    c: [__m512; TILE],
) -> [__m512; TILE] {
    let mut sums = c;
    let mut k = 0;
    while k < depth {
        // SAFETY: the caller's promises.
        let (even, odd) = unsafe { (cut::<2>(a, b, k, count), cut::<2>(a, b, k + 1, count)) };
        let mut both = even;
        let mut row = 0;
        while row < TILE {
            let largest = _mm512_max_epi32(both.exponents[row], odd.exponents[row]);
            let down =
                |sums, exponents| _mm512_srav_epi32(sums, _mm512_sub_epi32(largest, exponents));
            let even = down(both.sums[row], both.exponents[row]);
            let odd = down(odd.sums[row], odd.exponents[row]);
            both.sums[row] = _mm512_add_epi32(even, odd);
            both.exponents[row] = largest;
            // C does not count where it is more than 25 binary orders below.
            let field = _mm512_add_epi32(largest, _mm512_set1_epi32(BIAS - 25));
            let least = _mm512_castsi512_ps(_mm512_slli_epi32::<23>(field));
            let counts = _mm512_cmp_ps_mask::<_CMP_GE_OQ>(_mm512_abs_ps(sums[row]), least);
            sums[row] = _mm512_maskz_mov_ps(counts, sums[row]);
            row += 1;
        }
        sums = add(sums, both);
        k += 2 * count;
    }
    sums
}
}

compiled_for! { Avx512:
/// C and the products.
#[inline]
fn add(c: [__m512; TILE], products: Cut) -> [__m512; TILE] {
    let mut results = c;
    let mut other = 0;
    let mut row = 0;
    while row < TILE {
        let exponents = products.exponents[row];
        let scaled = _mm512_mul_ps(c[row], power(24, exponents));
        let floor = _mm512_cvt_roundps_epi32::<DOWN>(scaled);
        let total = _mm512_add_epi32(products.sums[row], floor);
        results[row] = in_units(total, exponents);
        // Without products, and where C is larger by so much that the total may not fit a word, this is not the sum.
        let from_least = _mm512_add_epi32(floor, _mm512_set1_epi32(1 << 30));
        other |= _mm512_movepi32_mask(from_least);
        other |= _mm512_cmplt_epi32_mask(exponents, _mm512_set1_epi32(LEAST.into()));
        row += 1;
    }
    if other == 0 {
        return results;
    }
    add_any(&c, &products, &mut results);
    results
}
}

/// The host's rounding towards less.
const DOWN: i32 = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;

compiled_for! { Avx512:
/// `total`, in units of 2^-24 of two to `exponents`, rounded.
#[inline]
fn in_units(total: __m512i, exponents: __m512i) -> __m512 {
    let field = _mm512_add_epi32(exponents, _mm512_set1_epi32(BIAS - 24));
    let unit = _mm512_castsi512_ps(_mm512_slli_epi32::<23>(field));
    _mm512_mul_ps(_mm512_cvtepi32_ps(total), unit)
}
}

compiled_for! { Avx512:
/// [`add`] for any C and products: in units of 2^-24 of the products' largest exponent, or of 2^-29 of C's where that is larger. Of the
/// sum of products two bits below these units count, to which it is rounded down; for rounding they only say that there is something.
#[inline(never)]
fn add_any(c: &[__m512; TILE], products: &Cut, results: &mut [__m512; TILE]) {
    for row in 0..TILE {
        let (c, exponents) = (c[row], products.exponents[row]);
        let field = _mm512_srli_epi32::<23>(_mm512_castps_si512(_mm512_abs_ps(c)));
        let of_c = _mm512_sub_epi32(field, _mm512_set1_epi32(BIAS + 5));
        // A zero without products has units, too, of numbers that the host has.
        let without = _mm512_cmplt_epi32_mask(exponents, _mm512_set1_epi32(LEAST.into()));
        let least = _mm512_set1_epi32(-100);
        let exponents = _mm512_mask_mov_epi32(exponents, without, least);
        let units = _mm512_max_epi32(exponents, of_c);
        let by = _mm512_sub_epi32(units, exponents);
        let quarters = _mm512_srav_epi32(_mm512_slli_epi32::<2>(products.sums[row]), by);
        let lost = _mm512_test_epi32_mask(quarters, _mm512_set1_epi32(3));
        let sum = _mm512_srai_epi32::<2>(quarters);
        let sum = _mm512_mask_or_epi32(sum, lost, sum, _mm512_set1_epi32(1));
        let scaled = _mm512_mul_ps(c, power(24, units));
        let floor = _mm512_cvt_roundps_epi32::<DOWN>(scaled);
        results[row] = in_units(_mm512_add_epi32(sum, floor), units);
    }
}
}
