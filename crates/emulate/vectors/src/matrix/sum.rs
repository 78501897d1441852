//! Sums of products that are cut to 24 fraction bits of the largest: what `numerics::matrix` does with integers, for four rows of sixteen
//! columns at once.
//!
//! The products, which are exact singles, are cut by scaling and converting them to integers; these and C, cut likewise, are added as
//! integers and rounded once. The columns of B stay in host registers while one row of A after the other goes by.

use std::arch::x86_64::*;

use numerics::float32;

use super::side::{Terms, WITHOUT};
use crate::compiled_for;

/// Rows of D that follow each other in registers.
pub const TILE: usize = 4;
/// Exponent zero in a single.
pub const BIAS: i32 = 127;
/// The host's rounding towards less.
pub const DOWN: i32 = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;

/// Some `k` of sixteen columns of B.
#[derive(Clone, Copy)]
pub struct Columns<const COUNT: usize> {
    values: [__m512; COUNT],
    /// Each column's in all four bytes of its word: one for each of the rows that are summed side by side.
    pub scales: [__m512i; COUNT],
}

compiled_for! { Avx512:
/// `COUNT` `k`, every `every`th from the first on.
///
/// # Safety
/// The host has the vectors; the terms exist.
#[inline]
pub unsafe fn columns<const COUNT: usize>(b: Terms, every: usize) -> Columns<COUNT> {
    let mut columns = Columns {
        values: [_mm512_setzero_ps(); COUNT],
        scales: [_mm512_setzero_si512(); COUNT],
    };
    let mut index = 0;
    while index < COUNT {
        let at = every * index * b.stride;
        // SAFETY: the caller's promise.
        unsafe {
            columns.values[index] = _mm512_loadu_ps(b.values.add(at));
            let scales = _mm512_cvtepu8_epi32(_mm_loadu_si128(b.scales.add(at).cast()));
            columns.scales[index] = _mm512_shuffle_epi8(scales, in_all_bytes());
        }
        index += 1;
    }
    columns
}
}

compiled_for! { Avx512:
/// A vector that puts the lowest byte of each word into all of its bytes.
#[inline]
fn in_all_bytes() -> __m512i {
    _mm512_broadcast_i32x4(_mm_setr_epi8(0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12))
}
}

/// The bits of a single that are its exponent.
const EXPONENT: i32 = 0xff << 23;

/// The factors of the products of four rows of A before they are cut.
#[derive(Clone, Copy)]
pub struct Scales {
    /// Powers of two, as the bits of singles.
    pub powers: [__m512i; TILE],
    /// An element may have no products.
    pub without: bool,
}

compiled_for! { Avx512:
/// The scales of four rows of A. A cut waits long for these: callers with several fours ask for all scales first.
///
/// # Safety
/// As of [`columns`].
#[inline]
pub unsafe fn scales<const COUNT: usize, const STRIDE: usize>(
    a: Terms,
    every: usize,
    b: &[__m512i; COUNT],
) -> Scales {
    let none = _mm512_set1_epi8(WITHOUT as i8);
    let mut least = none;
    let mut index = 0;
    while index < COUNT {
        let at = every * index * STRIDE;
        // SAFETY: the caller's promise.
        let four = unsafe { a.scales.add(at).cast::<i32>().read_unaligned() };
        least = _mm512_min_epu8(least, _mm512_adds_epu8(_mm512_set1_epi32(four), b[index]));
        index += 1;
    }
    let alone = |bits| _mm512_and_si512(bits, _mm512_set1_epi32(EXPONENT));
    let powers = [
        alone(_mm512_slli_epi32::<23>(least)),
        alone(_mm512_slli_epi32::<15>(least)),
        alone(_mm512_slli_epi32::<7>(least)),
        alone(_mm512_srli_epi32::<1>(least)),
    ];
    Scales {
        powers,
        without: _mm512_cmpeq_epi8_mask(least, none) != 0,
    }
}
}

compiled_for! { Avx512:
/// Products of a row of A, cut and added.
///
/// # Safety
/// As of [`columns`].
#[inline]
unsafe fn cut<const COUNT: usize, const STRIDE: usize>(
    a: *const f32,
    every: usize,
    b: &[__m512; COUNT],
    scale: __m512,
) -> __m512i {
    let mut sum = _mm512_setzero_si512();
    let mut index = 0;
    while index < COUNT {
        // SAFETY: the caller's promise.
        let x = _mm512_set1_ps(unsafe { a.add(every * index * STRIDE).read() });
        // Below 2^26: each value is below twice its power.
        let product = _mm512_mul_ps(_mm512_mul_ps(x, b[index]), scale);
        sum = _mm512_add_epi32(sum, _mm512_cvttps_epi32(product));
        index += 1;
    }
    sum
}
}

compiled_for! { Avx512:
/// The power of two of an exponent field.
#[inline]
pub fn power(field: __m512i) -> __m512 {
    _mm512_castsi512_ps(_mm512_slli_epi32::<23>(field))
}
}

compiled_for! { Avx512:
/// One over a power of two.
#[inline]
fn inverse(power: __m512) -> __m512 {
    let bits = _mm512_castps_si512(power);
    _mm512_castsi512_ps(_mm512_sub_epi32(_mm512_set1_epi32((2 * BIAS) << 23), bits))
}
}

/// Sums of products in units of one over powers of two.
#[derive(Clone, Copy)]
pub struct Sums {
    pub sums: [__m512i; TILE],
    pub scales: [__m512; TILE],
    /// An element may have no products.
    pub without: bool,
}

/// The largest exponent of products that are scaled by additions to their exponents.
pub const SMALL: i32 = 24;

compiled_for! { Avx512:
/// The products of four rows of A with `count` columns by their scales.
///
/// No product has a larger exponent than [`SMALL`] if they `ARE_SMALL`: no scale is below one then, and an addition to the exponents
/// multiplies. It makes a zero less than one, which is cut to zero.
///
/// # Safety
/// As of [`columns`].
#[inline]
pub unsafe fn group<const STRIDE: usize, const ARE_SMALL: bool>(
    a: Terms,
    b: Terms,
    count: usize,
    scales: &Scales,
) -> Sums {
    let factors = scales.powers.map(|bits| _mm512_castsi512_ps(bits));
    let one = _mm512_set1_epi32(BIAS << 23);
    let up = scales.powers.map(|bits| _mm512_sub_epi32(bits, one));
    let mut sums = [_mm512_setzero_si512(); TILE];
    let (mut a, mut b, stride) = (a.values, b.values, b.stride);
    // (Not unrolled: the compiler would multiply everything first, and run out of registers.)
    for _ in 0..count {
        // SAFETY: the caller's promise.
        let columns = unsafe { _mm512_loadu_ps(b) };
        let mut row = 0;
        while row < TILE {
            // SAFETY: the caller has promised `count` rows of four values of A.
            let product = _mm512_mul_ps(_mm512_set1_ps(unsafe { a.add(row).read() }), columns);
            // Below 2^26: each value is below twice its power.
            let scaled = if ARE_SMALL {
                _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(product), up[row]))
            } else {
                _mm512_mul_ps(product, factors[row])
            };
            sums[row] = _mm512_add_epi32(sums[row], _mm512_cvttps_epi32(scaled));
            row += 1;
        }
        (a, b) = (a.wrapping_add(STRIDE), b.wrapping_add(stride));
    }
    Sums {
        sums,
        scales: factors,
        without: scales.without,
    }
}
}

compiled_for! { Avx512:
/// The same for eight-bit floats: of every sixteen, the even and the odd ones are cut apart.
///
/// # Safety
/// As of [`columns`].
#[inline(never)]
pub unsafe fn halves<const STRIDE: usize>(a: Terms, b: Terms) -> Sums {
    // SAFETY: the caller's promises.
    unsafe {
        let odd_a = a.from(STRIDE);
        let (even_b, odd_b) = (columns::<8>(b, 2), columns::<8>(b.from(b.stride), 2));
        let of_even = scales::<8, STRIDE>(a, 2, &even_b.scales);
        let of_odd = scales::<8, STRIDE>(odd_a, 2, &odd_b.scales);
        let mut all = Sums {
            sums: of_even.powers,
            scales: [_mm512_setzero_ps(); TILE],
            without: of_even.without || of_odd.without,
        };
        let mut row = 0;
        while row < TILE {
            let powers = [of_even.powers[row], of_odd.powers[row]];
            let [even, odd] = powers.map(|bits| _mm512_castsi512_ps(bits));
            let even = cut::<8, STRIDE>(a.values.add(row), 2, &even_b.values, even);
            let odd = cut::<8, STRIDE>(odd_a.values.add(row), 2, &odd_b.values, odd);
            let least = _mm512_min_epu32(powers[0], powers[1]);
            let [by_even, by_odd] =
                powers.map(|bits| _mm512_srli_epi32::<23>(_mm512_sub_epi32(bits, least)));
            let even = _mm512_srav_epi32(even, by_even);
            let odd = _mm512_srav_epi32(odd, by_odd);
            all.sums[row] = _mm512_add_epi32(even, odd);
            all.scales[row] = _mm512_castsi512_ps(least);
            row += 1;
        }
        all
    }
}
}

compiled_for! { Avx512:
/// C with the products. For eight-bit floats, where `DROPS`, C does not count if it is more than 25 binary orders
/// below.
#[inline]
pub fn add<const DROPS: bool>(c: [__m512; TILE], products: &Sums) -> [__m512; TILE] {
    let mut kept = c;
    let mut scaled = c;
    // As bits, of which those of NaNs are the largest.
    let mut largest = _mm512_setzero_si512();
    let mut row = 0;
    while row < TILE {
        // Rounded down, so that what is too small for a single still counts for less than nothing.
        scaled[row] = _mm512_mul_round_ps::<DOWN>(c[row], products.scales[row]);
        if DROPS {
            let half = _mm512_set1_ps(0.5);
            let counts = _mm512_cmp_ps_mask::<_CMP_NLT_UQ>(_mm512_abs_ps(scaled[row]), half);
            scaled[row] = _mm512_maskz_mov_ps(counts, scaled[row]);
            kept[row] = _mm512_maskz_mov_ps(counts, c[row]);
        }
        let size = _mm512_castps_si512(_mm512_abs_ps(scaled[row]));
        largest = _mm512_max_epu32(largest, size);
        row += 1;
    }
    let mut results = c;
    let limit = _mm512_set1_epi32((BIAS + 30) << 23);
    let unusual = products.without || _mm512_cmpge_epu32_mask(largest, limit) != 0;
    row = 0;
    while row < TILE {
        let (sum, scale) = (products.sums[row], products.scales[row]);
        results[row] = if unusual {
            let result = add_any(kept[row], sum, scale);
            let without = power(_mm512_set1_epi32(WITHOUT));
            let without = _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(scale, without);
            // Where there are none, C is the sum but for the sign of a zero.
            let alone = _mm512_add_ps(quiet(c[row]), _mm512_setzero_ps());
            _mm512_mask_mov_ps(result, without, alone)
        } else {
            let total = _mm512_add_epi32(sum, _mm512_cvt_roundps_epi32::<DOWN>(scaled[row]));
            _mm512_mul_ps(_mm512_cvtepi32_ps(total), inverse(scale))
        };
        row += 1;
    }
    results
}
}

compiled_for! { Avx512:
/// The sum with any C: in units of 2^-24 of the products' largest exponent, or of 2^-29 of C's where that is larger.
/// The sum of products is rounded down to two bits below these units; for rounding, these bits only say that there is a
/// remainder.
#[inline]
fn add_any(c: __m512, sum: __m512i, scale: __m512) -> __m512 {
    let of_sum = _mm512_srli_epi32::<23>(_mm512_castps_si512(inverse(scale)));
    let field = _mm512_srli_epi32::<23>(_mm512_castps_si512(_mm512_abs_ps(c)));
    let units = _mm512_max_epi32(of_sum, _mm512_sub_epi32(field, _mm512_set1_epi32(29)));
    let quarters = _mm512_srav_epi32(_mm512_slli_epi32::<2>(sum), _mm512_sub_epi32(units, of_sum));
    let lost = _mm512_test_epi32_mask(quarters, _mm512_set1_epi32(3));
    let sum = _mm512_srai_epi32::<2>(quarters);
    let sum = _mm512_mask_or_epi32(sum, lost, sum, _mm512_set1_epi32(1));
    let unit = power(units);
    let floor = _mm512_cvt_roundps_epi32::<DOWN>(_mm512_mul_round_ps::<DOWN>(c, inverse(unit)));
    let result = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_add_epi32(sum, floor)), unit);
    // All products are finite.
    const NAN_OR_INFINITE: i32 = 0x99;
    _mm512_mask_mov_ps(result, _mm512_fpclass_ps_mask::<NAN_OR_INFINITE>(c), quiet(c))
}
}

compiled_for! { Avx512:
/// C with the NaN that devices make in place of all.
#[inline]
pub fn quiet(c: __m512) -> __m512 {
    let nan = _mm512_set1_ps(f32::from_bits(float32::NAN));
    _mm512_mask_mov_ps(c, _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(c, c), nan)
}
}
