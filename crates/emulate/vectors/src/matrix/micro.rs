//! A and B of gfx950's microscaling products as `aligned_tile` wants them, in vectors of 512 bits: sixteen lanes' values at a position
//! are looked up and scaled at a time.

use std::{arch::x86_64::*, mem::MaybeUninit, sync::OnceLock};

use numerics::convert::{Micro, Wide};

use super::{
    scaled::{BLOCK, ONE, PER_LANE, k_of},
    side::{Extent, NONE, STEP, Side, ZERO},
};
use crate::{LANES, compiled_for};

/// Scales that are farther from one, as powers of two, make what is too large or too small in any case.
const FARTHEST: i32 = 80;

/// A or B as the instruction names it.
#[derive(Clone, Copy)]
pub struct Input {
    pub format: Micro,
    /// The first of its registers, the others behind it.
    pub rows: *const u32,
    /// The register of its scales, and from which bit on they stand there.
    pub scales: Option<(*const u32, u32)>,
}

/// The values of a format by their bits.
struct Values {
    values: [f32; 256],
    /// Exponent of the smallest normal value.
    least: i32,
    /// The shift by which an element of eight bits becomes a half with its fraction, and the factor of that half.
    as_half: (u32, f32),
}

impl Values {
    fn of(format: Micro) -> &'static Values {
        static ALL: OnceLock<Vec<Values>> = OnceLock::new();
        let formats = || (0..).map_while(Micro::from_code);
        let values = |format: Micro| {
            let mask = 0xff >> (8 - format.bits());
            let value =
                |bits: usize| f32::from_bits(format.widen(bits as u8 & mask, Wide::F32, ONE));
            let normal = value(1 << format.mantissa_bits());
            let least = (normal.to_bits() >> 23) as i32 - 127;
            Values {
                values: std::array::from_fn(value),
                least,
                // The smallest normal half is 2^-14.
                as_half: (10 - format.mantissa_bits(), 2.0f32.powi(least + 14)),
            }
        };
        let all = ALL.get_or_init(|| formats().map(values).collect());
        let index = formats().position(|other| other == format);
        &all[index.unwrap_or(0)]
    }

    compiled_for! { Avx512:
    /// The values of sixteen elements of `BITS` bits.
    #[inline]
    fn look_up<const BITS: usize>(&self, elements: __m512i) -> __m512 {
        let table = self.values.as_ptr();
        // SAFETY: elements are below two to their bits, and there are 256 values.
        unsafe {
            let sixteen = |first: usize| _mm512_loadu_ps(table.add(first));
            match BITS {
                4 => _mm512_permutexvar_ps(elements, sixteen(0)),
                6 => {
                    let lower = _mm512_permutex2var_ps(sixteen(0), elements, sixteen(16));
                    let upper = _mm512_permutex2var_ps(sixteen(32), elements, sixteen(48));
                    let is_upper = _mm512_test_epi32_mask(elements, _mm512_set1_epi32(32));
                    _mm512_mask_blend_ps(is_upper, lower, upper)
                }
                // Through halves, which takes a fifth of the time of reading from a table.
                _ => {
                    let (up, power) = self.as_half;
                    let size = _mm512_and_si512(elements, _mm512_set1_epi32(0x7f));
                    let sign = _mm512_slli_epi32::<8>(_mm512_xor_si512(elements, size));
                    let half = _mm512_sll_epi32(size, _mm_cvtsi32_si128(up as i32));
                    let half = _mm512_cvtepi32_epi16(_mm512_or_si512(half, sign));
                    let value = _mm512_mul_ps(_mm512_cvtph_ps(half), _mm512_set1_ps(power));
                    let is_nan = _mm512_cmpeq_epi32_mask(size, _mm512_set1_epi32(0x7f));
                    _mm512_mask_blend_ps(is_nan, value, _mm512_set1_ps(f32::NAN))
                }
            }
        }
    }
    }
}

/// The side with scales by `base`, if all of it is finite and of ordinary size.
///
/// # Safety
/// The host has the vectors; `side` rows (or columns) of `k` elements are in the input's registers.
pub unsafe fn convert(
    input: Input,
    base: i32,
    (side, k): (usize, usize),
    to: &mut MaybeUninit<Side>,
) -> Option<Extent> {
    // SAFETY: the caller's promises.
    unsafe {
        match input.format.bits() {
            4 => convert_as::<4>(input, base, (side, k), to),
            6 => convert_as::<6>(input, base, (side, k), to),
            _ => convert_as::<8>(input, base, (side, k), to),
        }
    }
}

compiled_for! { Avx512:
/// [`convert`] of elements of `BITS` bits.
unsafe fn convert_as<const BITS: usize>(
    input: Input,
    base: i32,
    (side, k): (usize, usize),
    to: &mut MaybeUninit<Side>,
) -> Option<Extent> {
    let set = |value: i32| _mm512_set1_epi32(value);
    let down = |words: __m512i, bits: usize| _mm512_srl_epi32(words, _mm_cvtsi32_si128(bits as i32));
    let table = Values::of(input.format);
    let (mut most, mut least, mut special) = (set(NONE), set(-NONE), 0);
    let (values, scales) = Side::parts(to, side * k);
    for lanes in (0..LANES).step_by(STEP) {
        let (row, group) = (lanes % side, lanes / side);
        // SAFETY: the caller's promises; there are `side * k` elements, of which every one is written.
        unsafe {
            let (mut order, mut power) = (set(0), _mm512_set1_ps(1.0));
            let mut position = 0;
            while position < PER_LANE {
                let of_k = k_of(BITS, k, group, position);
                // No sixteen positions are of two blocks; a block's scales are in lanes of their own, not in those of its elements.
                if let (Some((from, bit)), true) = (input.scales, position % 16 == 0) {
                    let words = _mm512_loadu_si512(from.add(of_k / BLOCK * side + row).cast());
                    let biased = _mm512_and_si512(down(words, bit as usize), set(0xff));
                    order = _mm512_sub_epi32(biased, set(ONE.into()));
                    power = _mm512_castsi512_ps(_mm512_slli_epi32::<23>(biased));
                    // A scale of all ones, which is a NaN, is among those far away.
                    special |= _mm512_cmpgt_epi32_mask(_mm512_abs_epi32(order), set(FARTHEST));
                }
                let bit = BITS * position;
                let word = |index: usize| {
                    let at = input.rows.add(LANES * (bit / 32 + index) + lanes);
                    _mm512_loadu_si512(at.cast())
                };
                let mut elements = down(word(0), bit % 32);
                if bit % 32 + BITS > 32 {
                    let up = _mm_cvtsi32_si128(32 - (bit % 32) as i32);
                    elements = _mm512_or_si512(elements, _mm512_sll_epi32(word(1), up));
                }
                let value = table.look_up::<BITS>(_mm512_and_si512(elements, set((1 << BITS) - 1)));
                let size = _mm512_slli_epi32::<1>(_mm512_castps_si512(value));
                let there = _mm512_test_epi32_mask(size, size);
                let field = _mm512_srli_epi32::<24>(size);
                special |= _mm512_cmpeq_epi32_mask(field, set(0xff));
                let exponent = _mm512_max_epi32(_mm512_sub_epi32(field, set(127)), set(table.least));
                let exponent = _mm512_mask_add_epi32(set(NONE), there, exponent, order);
                most = _mm512_max_epi32(most, exponent);
                least = _mm512_mask_min_epi32(least, there, least, exponent);
                let at = of_k * side + row;
                _mm512_storeu_ps(values.add(at), _mm512_mul_ps(value, power));
                let scale = _mm512_mask_sub_epi32(set(ZERO), there, set(base), exponent);
                _mm_storeu_si128(scales.add(at).cast(), _mm512_cvtepi32_epi8(scale));
                position += 1;
            }
        }
    }
    let (highest, lowest) = (_mm512_reduce_max_epi32(most), _mm512_reduce_min_epi32(least));
    if special != 0 {
        return None;
    }
    Extent::new(lowest, highest, input.format.mantissa_bits() as i32)
}
}
