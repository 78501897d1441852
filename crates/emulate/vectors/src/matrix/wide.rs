//! Sums of bfloat16 products that are too small for singles, as those of denormals are, in vectors of 512 bits.
//!
//! Products are cut as in `sum`, by scaling and converting them to integers, but in doubles. Every product, and every
//! number that is added to C, is exact in these.

use std::arch::x86_64::*;

use numerics::matrix::Shape as Matrices;

use super::{
    Addend, Sources,
    ordinary::Places,
    side::{Extent, SCALES, STEP, Terms, ZERO},
    sum::{BIAS, DOWN, TILE, quiet},
};
use crate::{LANES, compiled_for};

/// Products of larger exponents may be infinite.
const HIGHEST: i32 = 125;
/// The sum of both scales of a product with exponent zero.
const ONE: i32 = SCALES[0] + SCALES[1];
/// The same of the smallest products, which are those of denormals; it stands for no products, too.
const LARGEST: i32 = ONE + 2 * 126;
/// The scale of zeros: more than any sum.
const WITHOUT: i32 = 1000;
const _: () = assert!(LARGEST < WITHOUT);
/// Exponent zero in a double.
const WIDE_BIAS: i32 = 1023;

/// Some `COUNT` `k` of sixteen columns of B.
struct Columns<const COUNT: usize> {
    values: [[__m512d; 2]; COUNT],
    scales: [__m512i; COUNT],
}

compiled_for! { Avx512:
/// All of D, unless products may be infinite.
///
/// # Safety
/// The host has the vectors; the terms are whole sides of bfloat16 values, and C and D have as many rows as `shape` says, the same
/// registers or apart.
pub unsafe fn product(
    terms: [Terms; 2],
    [of_a, of_b]: [Extent; 2],
    (c, d): (Addend, *mut u32),
    shape: &Matrices,
    sources: Sources,
) -> bool {
    if of_a.highest + of_b.highest > HIGHEST {
        return false;
    }
    // SAFETY: the caller's promises. Eight products are cut together, or all four.
    unsafe {
        if shape.k.is_multiple_of(8) {
            sum::<8>(terms, (c, d), shape, sources);
        } else {
            sum::<4>(terms, (c, d), shape, sources);
        }
    }
    true
}
}

compiled_for! { Avx512:
/// All of D, `COUNT` products cut together.
///
/// # Safety
/// As of [`product`].
unsafe fn sum<const COUNT: usize>(
    [of_a, of_b]: [Terms; 2],
    (first_c, d): (Addend, *mut u32),
    shape: &Matrices,
    sources: Sources,
) {
    let [m, n, depth] = [shape.m, shape.n, shape.k].map(|size| size as usize);
    let of_tiles = Places::new(shape);
    for block in 0..shape.blocks as usize {
        let first_row = sources.of(shape, block) * m;
        for column in (0..n).step_by(STEP) {
            let mut c = first_c;
            for k in (0..depth).step_by(COUNT) {
                // SAFETY: the caller's promises.
                unsafe {
                    let columns = columns::<COUNT>(of_b.from(k * of_b.stride + block * n + column));
                    let a = of_a.from(k * of_a.stride + first_row);
                    for row in 0..m {
                        let tile = of_tiles.of(block, row / TILE * TILE, column);
                        let at = tile + LANES * (row % TILE);
                        let (sums, scales) = cut(a.from(row), &columns);
                        let result = add(c.load(at), sums, scales);
                        _mm512_storeu_ps(d.add(at).cast(), result);
                    }
                }
                c = Addend::Rows(d);
            }
        }
    }
}
}

compiled_for! { Avx512:
/// `COUNT` `k` of sixteen columns.
///
/// # Safety
/// The host has the vectors; the terms exist.
#[inline]
unsafe fn columns<const COUNT: usize>(b: Terms) -> Columns<COUNT> {
    let mut columns = Columns {
        values: [[_mm512_setzero_pd(); 2]; COUNT],
        scales: [_mm512_setzero_si512(); COUNT],
    };
    let mut k = 0;
    while k < COUNT {
        let at = k * b.stride;
        // SAFETY: the caller's promise.
        unsafe {
            let values = b.values.add(at);
            columns.values[k] = [
                _mm512_cvtps_pd(_mm256_loadu_ps(values)),
                _mm512_cvtps_pd(_mm256_loadu_ps(values.add(STEP / 2))),
            ];
            let scales = _mm512_cvtepu8_epi32(_mm_loadu_si128(b.scales.add(at).cast()));
            let zeros = _mm512_cmpeq_epi32_mask(scales, _mm512_set1_epi32(ZERO));
            columns.scales[k] = _mm512_mask_mov_epi32(scales, zeros, _mm512_set1_epi32(WITHOUT));
        }
        k += 1;
    }
    columns
}
}

compiled_for! { Avx512:
/// The products of a row of A, cut and added, and the least sum of scales for each column.
///
/// # Safety
/// As of [`columns`].
#[inline]
unsafe fn cut<const COUNT: usize>(
    a: Terms,
    b: &Columns<COUNT>,
) -> ([__m256i; 2], __m512i) {
    // Without any product everything is zero, whatever the scale.
    let mut least = _mm512_set1_epi32(LARGEST);
    let mut k = 0;
    while k < COUNT {
        // SAFETY: the caller's promise.
        let scale = i32::from(unsafe { a.scales.add(k * a.stride).read() });
        let scale = if scale == ZERO { WITHOUT } else { scale };
        least = _mm512_min_epi32(least, _mm512_add_epi32(_mm512_set1_epi32(scale), b.scales[k]));
        k += 1;
    }
    // 24 fraction bits below the largest exponent are kept.
    let factors = powers(_mm512_add_epi32(least, _mm512_set1_epi32(24 - ONE)));
    let mut sums = [_mm256_setzero_si256(); 2];
    k = 0;
    while k < COUNT {
        // SAFETY: the caller has promised `COUNT` values of A.
        let value = _mm256_set1_ps(unsafe { a.values.add(k * a.stride).read() });
        let value = _mm512_cvtps_pd(value);
        let mut half = 0;
        while half < 2 {
            // Below 2^26: each value is below twice its power.
            let product = _mm512_mul_pd(_mm512_mul_pd(value, b.values[k][half]), factors[half]);
            sums[half] = _mm256_add_epi32(sums[half], _mm512_cvttpd_epi32(product));
            half += 1;
        }
        k += 1;
    }
    (sums, least)
}
}

compiled_for! { Avx512:
/// C with the products: both are rounded down to what counts below the larger exponent, and their sum to a single.
#[inline]
fn add(c: __m512, sums: [__m256i; 2], scales: __m512i) -> __m512 {
    let set = |value: i32| _mm512_set1_epi32(value);
    let exponent = _mm512_sub_epi32(set(ONE), scales);
    let field = _mm512_srli_epi32::<23>(_mm512_castps_si512(_mm512_abs_ps(c)));
    let of_c = _mm512_sub_epi32(_mm512_max_epi32(field, set(1)), set(BIAS));
    let top = _mm512_max_epi32(exponent, of_c);
    // 31 bits below the largest exponent count for products, 24 for C.
    let by_sum = powers(_mm512_add_epi32(set(7), _mm512_sub_epi32(exponent, top)));
    let by_c = powers(_mm512_sub_epi32(set(24), top));
    let unit = powers(_mm512_sub_epi32(top, set(31)));
    let halves = [_mm512_castps512_ps256(c), _mm512_extractf32x8_ps::<1>(c)];
    let mut results = halves;
    let mut half = 0;
    while half < 2 {
        let sum = _mm512_mul_pd(_mm512_cvtepi32_pd(sums[half]), by_sum[half]);
        let sum = _mm512_roundscale_pd::<DOWN>(sum);
        let addend = _mm512_mul_pd(_mm512_cvtps_pd(halves[half]), by_c[half]);
        let addend = _mm512_roundscale_pd::<DOWN>(addend);
        let total = _mm512_fmadd_pd(addend, _mm512_set1_pd(128.0), sum);
        // Adding zero makes a negative one positive.
        let total = _mm512_add_pd(total, _mm512_setzero_pd());
        results[half] = _mm512_cvtpd_ps(_mm512_mul_pd(total, unit[half]));
        half += 1;
    }
    let result = _mm512_insertf32x8::<1>(_mm512_castps256_ps512(results[0]), results[1]);
    // All products are finite.
    const NAN_OR_INFINITE: i32 = 0x99;
    _mm512_mask_mov_ps(result, _mm512_fpclass_ps_mask::<NAN_OR_INFINITE>(c), quiet(c))
}
}

compiled_for! { Avx512:
/// Powers of two with these exponents, of ordinary doubles.
#[inline]
fn powers(exponents: __m512i) -> [__m512d; 2] {
    let fields = _mm512_add_epi32(exponents, _mm512_set1_epi32(WIDE_BIAS));
    let halves = [_mm512_castsi512_si256(fields), _mm512_extracti64x4_epi64::<1>(fields)];
    halves.map(|half| _mm512_castsi512_pd(_mm512_slli_epi64::<52>(_mm512_cvtepi32_epi64(half))))
}
}
