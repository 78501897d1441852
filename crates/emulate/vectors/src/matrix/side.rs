//! A and B of products that are aligned: converted to singles once, with their exponents.

use std::{arch::x86_64::*, mem::MaybeUninit, sync::OnceLock};

use numerics::convert::Fp8;

use crate::{LANES, compiled_for};

/// Lanes of a host vector.
pub const STEP: usize = 16;
/// Most elements of A or B.
pub const MOST: usize = 2048;
/// Exponents of products are no farther from zero, [`Extent::fit`] sees to that.
const MOST_EXPONENT: i32 = 100;
/// The exponent of zeros.
pub const NONE: i32 = -127;
/// Scales of A and of B: these less the exponents. Their sum is the exponent field of what leaves 24 fraction bits of a product.
pub const SCALES: [i32; 2] = [75, 76];
/// The scale of zeros.
pub const ZERO: i32 = 255;
/// More than a sum of scales, and less than one with a zero's.
pub const WITHOUT: i32 = SCALES[0] + SCALES[1] + MOST_EXPONENT + 1;
const _: () = assert!(SCALES[0] + SCALES[1] == 24 + 127 && WITHOUT < 254);

/// How elements of A and B lie in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Half,
    Bfloat,
    /// Eight-bit values of A or B, by [`Input::eight`].
    Eight,
}

impl Format {
    pub const fn bits(self) -> usize {
        match self {
            Format::Half | Format::Bfloat => 16,
            Format::Eight => 8,
        }
    }

    const fn of(code: u8) -> Format {
        match code {
            0 => Format::Half,
            1 => Format::Bfloat,
            _ => Format::Eight,
        }
    }
}

/// A or B in registers, and how to read it.
#[derive(Clone, Copy)]
pub struct Input {
    pub rows: *const u32,
    pub format: Format,
    /// Of [`Format::Eight`].
    pub eight: Fp8,
}

/// The properties that all elements of a side share.
#[derive(Clone, Copy)]
pub struct Extent {
    /// Exponents of the smallest and of the largest that is not a zero.
    pub lowest: i32,
    pub highest: i32,
    /// Bits of their fractions.
    pub fraction: i32,
}

impl Extent {
    /// The extent of values with exponents from `lowest` to `highest`, which is [`NONE`] where all are zeros; `None`
    /// where one is so large that it has no scale.
    pub fn new(lowest: i32, highest: i32, fraction: i32) -> Option<Extent> {
        let [lowest, highest] = match highest {
            NONE => [0; 2],
            _ => [lowest, highest],
        };
        let extent = Extent {
            lowest,
            highest,
            fraction,
        };
        (highest <= SCALES[0]).then_some(extent)
    }

    /// Returns `true` if products of two sides are of sizes that their sums are right for.
    pub fn fit([a, b]: [Extent; 2]) -> bool {
        a.lowest + b.lowest >= -MOST_EXPONENT && a.highest + b.highest <= MOST_EXPONENT
    }
}

/// Elements of A or B: for each `k` those of all rows (or columns) of all blocks, and their scales by [`SCALES`], for which
/// denormals have the exponent of the smallest normals, or [`ZERO`].
#[repr(C, align(64))]
pub struct Side {
    values: [MaybeUninit<f32>; MOST],
    scales: [MaybeUninit<u8>; MOST],
}

impl Side {
    /// The places for values and exponents of `count` elements.
    pub fn parts(side: &mut MaybeUninit<Side>, count: usize) -> (*mut f32, *mut u8) {
        assert!(count <= MOST && count.is_multiple_of(STEP));
        let side = side.as_mut_ptr();
        // SAFETY: the addresses of parts of a value that is there, though not initialised.
        unsafe {
            let values = (&raw mut (*side).values).cast();
            (values, (&raw mut (*side).scales).cast())
        }
    }
}

/// A row of A or columns of B, from `k` 0 on; those of the next `k` are `stride` further.
#[derive(Clone, Copy)]
pub struct Terms {
    pub values: *const f32,
    pub scales: *const u8,
    pub stride: usize,
}

impl Terms {
    /// All of a side.
    ///
    /// # Safety
    /// [`convert`] wrote it, or the caller of [`Side::parts`].
    pub unsafe fn of(side: *const Side, stride: usize) -> Terms {
        // SAFETY: the caller's promise.
        unsafe {
            Terms {
                values: (&raw const (*side).values).cast(),
                scales: (&raw const (*side).scales).cast(),
                stride,
            }
        }
    }

    /// From the element `first` further on.
    ///
    /// # Safety
    /// The side has that element.
    #[inline]
    pub unsafe fn from(self, first: usize) -> Terms {
        // SAFETY: the caller's promise.
        unsafe {
            Terms {
                values: self.values.add(first),
                scales: self.scales.add(first),
                ..self
            }
        }
    }
}

/// The parameters of converting an eight-bit format.
#[derive(Clone, Copy)]
struct Eight {
    fraction_bits: i32,
    /// Exponent field of a single with the smallest normal value.
    least: i32,
    largest_finite: i32,
    /// The sign alone is a NaN.
    one_zero: bool,
}

impl Eight {
    const NONE: Eight = Eight {
        fraction_bits: 0,
        least: 0,
        largest_finite: 0,
        one_zero: false,
    };

    fn of(format: Fp8) -> Eight {
        static ALL: OnceLock<[Eight; 4]> = OnceLock::new();
        let formats = [Fp8::E4m3Fnuz, Fp8::E5m2Fnuz, Fp8::E4m3, Fp8::E5m2];
        let value = |format: Fp8, bits: u8| f32::from_bits(format.to_f32(bits));
        let all = ALL.get_or_init(|| {
            formats.map(|format| {
                let fraction_bits = format.mantissa_bits();
                let least = value(format, 1 << fraction_bits).to_bits() >> 23;
                let finite = (0..128).rev().find(|&bits| value(format, bits).is_finite());
                Eight {
                    fraction_bits: fraction_bits as i32,
                    least: least as i32,
                    largest_finite: i32::from(finite.unwrap_or(0)),
                    one_zero: value(format, 0x80).is_nan(),
                }
            })
        });
        let index = formats.iter().position(|&other| other == format);
        all[index.unwrap_or(0)]
    }

    compiled_for! { Avx512:
    /// The values of bytes that are finite.
    #[inline]
    fn values(self, bytes: __m512i) -> __m512 {
        let set = |value: i32| _mm512_set1_epi32(value);
        let size = _mm512_and_si512(bytes, set(0x7f));
        let one = 1 << self.fraction_bits;
        let normal = _mm512_cmpge_epi32_mask(size, set(one));
        let field = _mm512_srl_epi32(size, _mm_cvtsi32_si128(self.fraction_bits));
        let field = _mm512_max_epi32(field, set(1));
        let fraction = _mm512_and_si512(size, set(one - 1));
        let significand = _mm512_mask_or_epi32(fraction, normal, fraction, set(one));
        let power = _mm512_add_epi32(field, set(self.least - 1 - self.fraction_bits));
        let power = _mm512_castsi512_ps(_mm512_slli_epi32::<23>(power));
        let value = _mm512_mul_ps(_mm512_cvtepi32_ps(significand), power);
        let sign = _mm512_slli_epi32::<24>(_mm512_and_si512(bytes, set(0x80)));
        let value = _mm512_or_si512(_mm512_castps_si512(value), sign);
        _mm512_castsi512_ps(value)
    }
    }
}

/// The least and the greatest scale of elements, and whether there is an eight-bit one that is not finite.
#[derive(Clone, Copy)]
struct Range {
    least: __m512i,
    /// The greatest exponent of elements that are not zeros.
    most: __m512i,
    special: u64,
}

compiled_for! { Avx512:
/// Scales by `base` of all elements in sixteen words, each in the bits of its element.
#[inline]
fn scales<const FORMAT: u8>(words: __m512i, base: i32, eight: Eight, range: &mut Range) -> __m512i {
    let (bits, bias) = match const { Format::of(FORMAT) } {
        Format::Half => (10, 15),
        Format::Bfloat => (7, 127),
        Format::Eight => {
            let set = |value: i32| _mm512_set1_epi8(value as i8);
            let size = _mm512_and_si512(words, set(0x7f));
            let there = _mm512_test_epi8_mask(size, size);
            let field = _mm512_srl_epi16(size, _mm_cvtsi32_si128(eight.fraction_bits));
            let field = _mm512_and_si512(field, set(0x7f >> eight.fraction_bits));
            let field = _mm512_max_epu8(field, set(1));
            let first = set(base + 128 - eight.least);
            let scales = _mm512_mask_sub_epi8(set(ZERO), there, first, field);
            range.least = _mm512_min_epu8(range.least, scales);
            range.most = _mm512_mask_max_epu8(range.most, there, range.most, scales);
            range.special |= _mm512_cmpgt_epu8_mask(size, set(eight.largest_finite));
            if eight.one_zero {
                range.special |= _mm512_cmpeq_epi8_mask(words, set(0x80));
            }
            return scales;
        }
    };
    let set = |value: i32| _mm512_set1_epi16(value as i16);
    let size = _mm512_and_si512(words, set(0x7fff));
    let there = _mm512_test_epi16_mask(size, size);
    let field = _mm512_srl_epi16(size, _mm_cvtsi32_si128(bits));
    let field = _mm512_max_epi16(field, set(1));
    let scales = _mm512_mask_sub_epi16(set(ZERO), there, set(base + bias), field);
    range.least = _mm512_min_epi16(range.least, scales);
    range.most = _mm512_mask_max_epi16(range.most, there, range.most, scales);
    scales
}
}

compiled_for! { Avx512:
/// The smallest signed number of 16 bits.
#[inline]
fn least(numbers: __m512i) -> i32 {
    let half = _mm256_min_epi16(_mm512_castsi512_si256(numbers), _mm512_extracti64x4_epi64::<1>(numbers));
    let quarter = _mm_min_epi16(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half));
    // The host finds the smallest unsigned one.
    let flipped = _mm_minpos_epu16(_mm_xor_si128(quarter, _mm_set1_epi16(i16::MIN)));
    i32::from((_mm_cvtsi128_si32(flipped) ^ 0x8000) as i16)
}
}

compiled_for! { Avx512:
/// The least and the largest scale of `bits` bits.
#[inline]
fn ends(range: Range, bits: usize) -> [i32; 2] {
    let set = |value: i16| _mm512_set1_epi16(value);
    let [mut low, mut high] = [range.least, range.most];
    if bits == 8 {
        let halves = |bytes| [_mm512_and_si512(bytes, set(0xff)), _mm512_srli_epi16::<8>(bytes)];
        let ([a, b], [c, d]) = (halves(low), halves(high));
        (low, high) = (_mm512_min_epi16(a, b), _mm512_max_epi16(c, d));
    }
    [least(low), -least(_mm512_sub_epi16(set(0), high))]
}
}

compiled_for! { Avx512:
/// The values of the elements at `index` of sixteen words.
#[inline]
fn values<const FORMAT: u8>(words: __m512i, index: usize, eight: Eight) -> __m512 {
    let format = const { Format::of(FORMAT) };
    let down = _mm512_srl_epi32(words, _mm_cvtsi32_si128((format.bits() * index) as i32));
    match format {
        Format::Half => _mm512_cvtph_ps(_mm512_cvtepi32_epi16(down)),
        Format::Bfloat => _mm512_castsi512_ps(_mm512_slli_epi32::<16>(down)),
        Format::Eight => eight.values(_mm512_and_si512(down, _mm512_set1_epi32(0xff))),
    }
}
}

compiled_for! { Avx512:
/// Reads A or B of `stride` rows (or columns) in all blocks; nothing if an element is not finite, or too large.
///
/// # Safety
/// The host has the vectors; the input's rows are as many as `stride * depth` elements need.
#[inline]
pub unsafe fn convert<const FORMAT: u8>(
    input: Input,
    base: i32,
    stride: usize,
    depth: usize,
    side: &mut MaybeUninit<Side>,
) -> Option<Extent> {
    let format = const { Format::of(FORMAT) };
    let eight = match format {
        Format::Eight => Eight::of(input.eight),
        _ => Eight::NONE,
    };
    let per_register = 32 / format.bits();
    let per_lane = stride * depth / LANES;
    // A power of two.
    let shift = stride.trailing_zeros();
    let mut range = Range {
        least: match format {
            Format::Eight => _mm512_set1_epi8(-1),
            _ => _mm512_set1_epi16(i16::MAX),
        },
        most: _mm512_setzero_si512(),
        special: 0,
    };
    // SAFETY: the caller's promises; there are `stride * depth` elements, of which every one is written.
    unsafe {
        let (to, to_scales) = Side::parts(side, stride * depth);
        for group in 0..per_lane / per_register * (LANES / STEP) {
            let (register, first) = (group / (LANES / STEP), group % (LANES / STEP) * STEP);
            let words = _mm512_loadu_si512(input.rows.add(LANES * register + first).cast());
            let (part, column) = (first >> shift, first & (stride - 1));
            let position = register * per_register + per_lane * part;
            let scales = scales::<FORMAT>(words, base, eight, &mut range);
            let mut index = 0;
            while index < per_register {
                let at = (position + index) * stride + column;
                _mm512_storeu_ps(to.add(at), values::<FORMAT>(words, index, eight));
                let down = _mm_cvtsi32_si128((format.bits() * index) as i32);
                let scales = _mm512_cvtepi32_epi8(_mm512_srl_epi32(scales, down));
                _mm_storeu_si128(to_scales.add(at).cast(), scales);
                index += 1;
            }
        }
    }
    let [least, most] = ends(range, format.bits());
    let highest = if least == ZERO { NONE } else { base - least };
    let lowest = base - most;
    // Halves that are not finite are of the exponent beyond the largest.
    if range.special != 0 || format == Format::Half && highest > 15 {
        return None;
    }
    let fraction = match format {
        Format::Half => 10,
        Format::Bfloat => 7,
        Format::Eight => eight.fraction_bits,
    };
    Extent::new(lowest, highest, fraction)
}
}

compiled_for! { Avx512:
/// Exponent of the largest power of two that divides all values, of which the largest is below twice 2^`highest`. Nothing if the
/// largest has more than so many bits above it that products cannot be exact.
///
/// # Safety
/// The host has the vectors; there are `count` values, a multiple of sixteen.
#[inline]
pub unsafe fn unit(values: *const f32, count: usize, highest: i32) -> Option<i32> {
    const BITS: i32 = 20;
    let scale = _mm512_set1_ps(f32::from_bits(((127 + BITS - 1 - highest) as u32) << 23));
    let mut bits = _mm512_setzero_si512();
    let mut at = 0;
    while at < count {
        // SAFETY: the caller's promise.
        let scaled = _mm512_mul_ps(unsafe { _mm512_loadu_ps(values.add(at)) }, scale);
        let integer = _mm512_cvtps_epi32(scaled);
        bits = _mm512_or_si512(bits, integer);
        if _mm512_cmp_ps_mask::<_CMP_NEQ_OQ>(_mm512_cvtepi32_ps(integer), scaled) != 0 {
            return None;
        }
        at += STEP;
    }
    let zeros = _mm512_reduce_or_epi32(bits)
        .trailing_zeros()
        .min(BITS as u32 - 1) as i32;
    Some(highest - (BITS - 1) + zeros)
}
}
