//! Products of halves, bfloat16 values and eight-bit floats as gfx942 and gfx950 sum them, in vectors of 512 bits.
//!
//! What `numerics::matrix` does with integers goes for sixteen elements at once. The products, which are exact singles, are cut by scaling and converting them to integers; these and C, cut likewise, are added as integers and rounded once. Operands for which
//! that would not be exact are found before anything is written, and the product is left to the other path.

use std::{arch::x86_64::*, mem::MaybeUninit, sync::OnceLock};

use numerics::{
    convert::Fp8,
    matrix::{Place, Shape as Matrices},
};

use super::tile::{Addend, bfloats, halves};
use crate::LANES;

/// Lanes of a host vector.
const STEP: usize = 16;
/// Most elements of A or B.
const MOST: usize = 1024;

/// How elements of A and B lie in registers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Half,
    Bfloat,
    /// Of A or B, by [`Eight::formats`].
    Eight,
}

/// Elements of A or B: for each `k` those of all rows (or columns) of all blocks, and their exponents, which of denormals is that of the
/// smallest normals, where singles have theirs. Zeros have [`NONE`] there.
#[repr(C, align(64))]
struct Side {
    values: [MaybeUninit<f32>; MOST],
    exponents: [MaybeUninit<i32>; MOST],
}

/// Exponents of A and of B are no farther from zero.
const LIMIT: i32 = 40;
/// Exponent zero in a single.
const BIAS: i32 = 127 << 23;
/// Less than any exponent by so much that a sum with it is less than any sum of exponents.
const NONE: i32 = -0x4000_0000;
const _: () = assert!(NONE + (LIMIT << 23) < -2 * (LIMIT << 23));

/// All values of an eight-bit float and their powers, which are infinite for what is not finite.
struct Eight {
    values: [f32; 256],
    powers: [f32; 256],
}

impl Eight {
    fn of(format: Fp8) -> &'static Eight {
        static TABLES: OnceLock<[Eight; 4]> = OnceLock::new();
        let all = [Fp8::E4m3Fnuz, Fp8::E5m2Fnuz, Fp8::E4m3, Fp8::E5m2];
        let tables = TABLES.get_or_init(|| all.map(Eight::new));
        let index = all.iter().position(|other| *other == format).unwrap_or(0);
        &tables[index]
    }

    fn new(format: Fp8) -> Eight {
        let values = std::array::from_fn(|bits| f32::from_bits(format.to_f32(bits as u8)));
        // The value with fraction 0 and exponent field 1, which denormals have, too.
        let least = f32::from_bits(format.to_f32(1 << format.mantissa_bits()));
        let power = |value: f32| match value {
            value if !value.is_finite() => f32::INFINITY,
            0.0 => 0.0,
            value => f32::from_bits(value.to_bits() & 0x7f80_0000).max(least),
        };
        Eight {
            values,
            powers: values.map(power),
        }
    }
}

/// A and B in registers, and how to read them.
#[derive(Clone, Copy)]
pub(super) struct Input {
    pub rows: *const u32,
    pub format: Format,
    /// Of [`Format::Eight`].
    pub eight: Fp8,
}

/// The product if the operands allow it.
///
/// # Safety
/// The host has what [`crate::shell::Form::AVX512`] stands for; pointers lead to as many rows as `shape` says.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) unsafe fn product(
    inputs: [Input; 2],
    c: Addend,
    d: *mut u32,
    shape: &Matrices,
    source: impl Fn(u32) -> u32,
) -> bool {
    let blocks = shape.blocks as usize;
    let strides = [shape.m as usize * blocks, shape.n as usize * blocks];
    let depth = shape.k as usize;
    // SAFETY: the caller's promises; `convert` gives values to all that is read.
    unsafe {
        let mut sides = [const { MaybeUninit::<Side>::uninit() }; 2];
        for index in 0..2 {
            let side = sides[index].as_mut_ptr();
            let done = match inputs[index].format {
                Format::Half => convert::<0>(inputs[index], strides[index], depth, side),
                Format::Bfloat => convert::<1>(inputs[index], strides[index], depth, side),
                Format::Eight => convert::<2>(inputs[index], strides[index], depth, side),
            };
            if !done {
                return false;
            }
        }
        let outputs = shape.outputs_per_lane() as usize;
        if !ordinary(c, outputs) {
            return false;
        }
        let (side_a, side_b) = (sides[0].as_ptr(), sides[1].as_ptr());
        for position in 0..outputs {
            for first in (0..LANES).step_by(STEP) {
                let place = Place {
                    lane: first as u32,
                    position: position as u32,
                };
                let [row, column, block] = shape.element(place);
                let row = (source(block) * shape.m + row) as usize;
                let column = (block * shape.n + column) as usize;
                let a = Terms {
                    values: (&raw const (*side_a).values).cast::<f32>().add(row),
                    exponents: (&raw const (*side_a).exponents).cast::<i32>().add(row),
                    stride: strides[0],
                };
                let b = Terms {
                    values: (&raw const (*side_b).values).cast::<f32>().add(column),
                    exponents: (&raw const (*side_b).exponents).cast::<i32>().add(column),
                    stride: strides[1],
                };
                let at = LANES * position + first;
                let mut sums = c.load(at);
                let mut k = 0;
                while k < depth {
                    if inputs[0].format == Format::Eight {
                        sums = add(
                            sums,
                            both(cut::<8, 2>(a, b, k), cut::<8, 2>(a, b, k + 1)),
                            true,
                        );
                        k += 16;
                    } else if depth == 4 {
                        sums = add(sums, cut::<4, 1>(a, b, k), false);
                        k += 4;
                    } else {
                        sums = add(sums, cut::<8, 1>(a, b, k), false);
                        k += 8;
                    }
                }
                _mm512_storeu_ps(d.add(at).cast(), sums);
            }
        }
    }
    true
}

/// A row of A or sixteen columns of B, from `k` 0 on.
#[derive(Clone, Copy)]
struct Terms {
    values: *const f32,
    exponents: *const i32,
    stride: usize,
}

/// Sums of products in units of 2^-24 of `power`, which is 2 to the largest exponent of these, or zero without products.
#[derive(Clone, Copy)]
struct Cut {
    sums: __m512i,
    power: __m512,
}

/// `COUNT` products from `k` on, every `EVERY`th, cut to 24 fraction bits of the largest and added.
///
/// # Safety
/// The host has the vectors; the terms exist.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn cut<const COUNT: usize, const EVERY: usize>(a: Terms, b: Terms, k: usize) -> Cut {
    // SAFETY: the caller's promises.
    unsafe {
        let mut largest = _mm512_set1_epi32(2 * NONE);
        let mut index = 0;
        while index < COUNT {
            let k = k + EVERY * index;
            let x = _mm512_set1_epi32(a.exponents.add(k * a.stride).read());
            let y = _mm512_loadu_si512(b.exponents.add(k * b.stride).cast());
            largest = _mm512_max_epi32(largest, _mm512_add_epi32(x, y));
            index += 1;
        }
        let there = _mm512_cmpge_epi32_mask(largest, _mm512_set1_epi32(-2 * (LIMIT << 23)));
        let power = _mm512_maskz_add_epi32(there, largest, _mm512_set1_epi32(BIAS));
        let power = _mm512_castsi512_ps(power);
        let scale = inverse(power);
        let mut sums = _mm512_setzero_si512();
        let mut index = 0;
        while index < COUNT {
            let k = k + EVERY * index;
            let x = _mm512_set1_ps(a.values.add(k * a.stride).read());
            let y = _mm512_loadu_ps(b.values.add(k * b.stride));
            // Below 2^26: each value is below twice its power.
            let product = _mm512_mul_ps(_mm512_mul_ps(x, y), scale);
            sums = _mm512_add_epi32(sums, _mm512_cvttps_epi32(product));
            index += 1;
        }
        Cut { sums, power }
    }
}

/// 2^24 by `power`. Without products it is some number.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn inverse(power: __m512) -> __m512 {
    let twice = _mm512_set1_epi32(((127 + 24 + 127) << 23) as u32 as i32);
    _mm512_castsi512_ps(_mm512_sub_epi32(twice, _mm512_castps_si512(power)))
}

/// The exponent field of powers, and of the sizes of other singles.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn field(single: __m512) -> __m512i {
    _mm512_srli_epi32::<24>(_mm512_slli_epi32::<1>(_mm512_castps_si512(single)))
}

/// Both sums in units of the larger power, rounded down.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn both(even: Cut, odd: Cut) -> Cut {
    let power = _mm512_max_ps(even.power, odd.power);
    let largest = field(power);
    let even = _mm512_srav_epi32(even.sums, _mm512_sub_epi32(largest, field(even.power)));
    let odd = _mm512_srav_epi32(odd.sums, _mm512_sub_epi32(largest, field(odd.power)));
    Cut {
        sums: _mm512_add_epi32(even, odd),
        power,
    }
}

/// C, of which `drops` says whether it counts where it is more than 25 binary orders below, and the products.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn add(c: __m512, products: Cut, drops: bool) -> __m512 {
    let Cut { sums, power } = products;
    let mut c = c;
    let size = _mm512_abs_ps(c);
    if drops {
        let least = _mm512_mul_ps(power, _mm512_set1_ps(f32::from_bits((127 - 25) << 23)));
        c = _mm512_maskz_mov_ps(_mm512_cmp_ps_mask::<_CMP_GE_OQ>(size, least), c);
    }
    // Most often C is not larger by so much that the total would not fit a word.
    let limit = _mm512_mul_ps(power, _mm512_set1_ps(64.0));
    let near = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(size, limit);
    let scaled =
        _mm512_mul_round_ps::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(c, inverse(power));
    let floor = _mm512_cvt_roundps_epi32::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(scaled);
    let total = _mm512_cvtepi32_ps(_mm512_add_epi32(sums, floor));
    let unit = _mm512_sub_epi32(_mm512_castps_si512(power), _mm512_set1_epi32(24 << 23));
    let result = _mm512_mul_ps(total, _mm512_castsi512_ps(unit));
    if near == 0xffff {
        return result;
    }
    _mm512_mask_mov_ps(far(c, products), near, result)
}

/// [`add`] where C is at least 64 times `power`: in units of 2^-31 of C's own exponent, below which the sum of products is cut.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn far(c: __m512, products: Cut) -> __m512 {
    let bits = _mm512_castps_si512(c);
    let exponent = field(c);
    let orders = _mm512_sub_epi32(exponent, field(products.power));
    let by = _mm512_sub_epi32(orders, _mm512_set1_epi32(6));
    let sums = _mm512_srav_epi32(_mm512_slli_epi32::<1>(products.sums), by);
    let fraction = _mm512_and_si512(bits, _mm512_set1_epi32(0x007f_ffff));
    let size = _mm512_or_si512(fraction, _mm512_set1_epi32(0x0080_0000));
    let negative = _mm512_movepi32_mask(bits);
    let significand = _mm512_mask_sub_epi32(size, negative, _mm512_setzero_si512(), size);
    // C has eight bits of these units below it. Six of them are kept, which is more than rounding needs if the others only say whether
    // there is something.
    let whole = _mm512_add_epi32(significand, _mm512_srai_epi32::<8>(sums));
    let part = _mm512_srli_epi32::<2>(_mm512_and_si512(sums, _mm512_set1_epi32(0xff)));
    let lost = _mm512_test_epi32_mask(sums, _mm512_set1_epi32(3));
    let total = _mm512_or_si512(_mm512_slli_epi32::<6>(whole), part);
    let total = _mm512_mask_or_epi32(total, lost, total, _mm512_set1_epi32(1));
    let unit = _mm512_slli_epi32::<23>(_mm512_sub_epi32(exponent, _mm512_set1_epi32(29)));
    let result = _mm512_mul_ps(_mm512_cvtepi32_ps(total), _mm512_castsi512_ps(unit));
    // A zero is only here without products, and becomes positive.
    _mm512_maskz_mov_ps(_mm512_test_epi32_mask(exponent, exponent), result)
}

/// Whether every C is zero or of ordinary size.
///
/// # Safety
/// The host has the vectors; C has `outputs` rows.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn ordinary(c: Addend, outputs: usize) -> bool {
    let rows = if matches!(c, Addend::Constant(_)) {
        1
    } else {
        outputs
    };
    let mut other = 0;
    for at in (0..LANES * rows).step_by(STEP) {
        // SAFETY: the caller's promise.
        let bits = _mm512_castps_si512(unsafe { c.load(at) });
        let size = _mm512_slli_epi32::<1>(bits);
        let from_least = _mm512_sub_epi32(size, _mm512_set1_epi32(40 << 24));
        let outside = _mm512_cmpgt_epu32_mask(
            from_least,
            _mm512_set1_epi32(((250 - 40) << 24) as u32 as i32),
        );
        other |= _mm512_mask_test_epi32_mask(outside, size, size);
    }
    other == 0
}

/// Reads A or B of `stride` rows (or columns) in all blocks; false if an element is not ordinary.
///
/// # Safety
/// As of [`product`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn convert<const FORMAT: u8>(
    input: Input,
    stride: usize,
    depth: usize,
    side: *mut Side,
) -> bool {
    let eight = Eight::of(input.eight);
    let per_register = if FORMAT == 2 { 4 } else { 2 };
    let per_lane = stride * depth / LANES;
    let mut most = _mm512_setzero_ps();
    let mut least = _mm512_set1_ps(f32::INFINITY);
    // SAFETY: the caller's promises; there are `stride * depth` elements, of which every one is written.
    unsafe {
        let values = (&raw mut (*side).values).cast::<f32>();
        let exponents = (&raw mut (*side).exponents).cast::<i32>();
        for register in 0..per_lane / per_register {
            for first in (0..LANES).step_by(STEP) {
                let words = input.rows.add(LANES * register + first);
                let bits = _mm512_loadu_si512(words.cast());
                let (part, column) = (first / stride, first % stride);
                let position = register * per_register + per_lane * part;
                let mut index = 0;
                while index < per_register {
                    let (value, power) = match FORMAT {
                        0 => (halves(words)[index], half_powers(bits, index)),
                        1 => (bfloats(bits)[index], bfloat_powers(bits, index)),
                        _ => {
                            let byte = _mm512_srl_epi32(bits, _mm_cvtsi32_si128(8 * index as i32));
                            let byte = _mm512_and_si512(byte, _mm512_set1_epi32(0xff));
                            (
                                _mm512_i32gather_ps::<4>(byte, eight.values.as_ptr()),
                                _mm512_i32gather_ps::<4>(byte, eight.powers.as_ptr()),
                            )
                        }
                    };
                    let at = (position + index) * stride + column;
                    _mm512_storeu_ps(values.add(at), value);
                    most = _mm512_max_ps(most, power);
                    let there = _mm512_cmp_ps_mask::<_CMP_NEQ_OQ>(power, _mm512_setzero_ps());
                    let (bits, bias) = (_mm512_castps_si512(power), _mm512_set1_epi32(BIAS));
                    let none = _mm512_set1_epi32(NONE);
                    let exponent = _mm512_mask_sub_epi32(none, there, bits, bias);
                    _mm512_storeu_si512(exponents.add(at).cast(), exponent);
                    least = _mm512_mask_min_ps(least, there, least, power);
                    index += 1;
                }
            }
        }
    }
    // Halves have no exponents above 15 unless they are not finite; of the others products must stay far from what singles hold.
    let limit = if FORMAT == 0 { 15 } else { LIMIT };
    let power = |exponent: i32| f32::from_bits(((127 + exponent) as u32) << 23);
    let high = _mm512_set1_ps(power(limit));
    let low = _mm512_set1_ps(power(-LIMIT));
    _mm512_cmp_ps_mask::<_CMP_GT_OQ>(most, high) | _mm512_cmp_ps_mask::<_CMP_LT_OQ>(least, low) == 0
}

/// Powers of the low (`index` 0) or high halves.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn half_powers(bits: __m512i, index: usize) -> __m512 {
    let half = _mm512_srl_epi32(bits, _mm_cvtsi32_si128(16 * index as i32));
    let exponent = _mm512_and_si512(half, _mm512_set1_epi32(0x7c00));
    let exponent = _mm512_max_epu32(exponent, _mm512_set1_epi32(0x400));
    let power = _mm512_add_epi32(
        _mm512_slli_epi32::<13>(exponent),
        _mm512_set1_epi32(112 << 23),
    );
    let there = _mm512_test_epi32_mask(half, _mm512_set1_epi32(0x7fff));
    _mm512_castsi512_ps(_mm512_maskz_mov_epi32(there, power))
}

/// Powers of the low (`index` 0) or high bfloat16 values.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn bfloat_powers(bits: __m512i, index: usize) -> __m512 {
    let single = _mm512_sll_epi32(bits, _mm_cvtsi32_si128(16 - 16 * index as i32));
    let exponent = _mm512_and_si512(single, _mm512_set1_epi32(0x7f80_0000));
    let power = _mm512_max_epu32(exponent, _mm512_set1_epi32(0x0080_0000));
    let there = _mm512_test_epi32_mask(single, _mm512_set1_epi32(0x7fff_0000));
    _mm512_castsi512_ps(_mm512_maskz_mov_epi32(there, power))
}
