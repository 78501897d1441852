//! A and B of products that are aligned: converted to singles once, with their exponents.

use std::{arch::x86_64::*, mem::MaybeUninit, sync::OnceLock};

use numerics::convert::Fp8;

use crate::{LANES, host_level::compiled_for};

/// Lanes of a host vector.
pub(super) const STEP: usize = 16;
/// Most elements of A or B.
const MOST: usize = 2048;
/// Exponents of A and of B are no farther from zero.
pub(super) const LIMIT: i32 = 40;
/// What zeros have for an exponent.
pub(super) const NONE: i32 = -127;
/// Exponents of products are not below this; sums with [`NONE`] are.
pub(super) const LEAST: i8 = -2 * LIMIT as i8;
const _: () = assert!(NONE + LIMIT < LEAST as i32);

/// How elements of A and B lie in registers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Half,
    Bfloat,
    /// Of A or B, by [`Input::eight`].
    Eight,
}

impl Format {
    pub(super) const fn bits(self) -> usize {
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
pub(super) struct Input {
    pub rows: *const u32,
    pub format: Format,
    /// Of [`Format::Eight`].
    pub eight: Fp8,
}

/// What all elements of a side are multiples and less than: powers of two.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    /// Exponent of the largest.
    pub highest: i32,
    /// Exponent of a unit that divides all; nothing if that is farther below the largest than a single reaches.
    pub unit: Option<i32>,
}

impl Extent {
    const ZEROS: Extent = Extent {
        highest: 0,
        unit: Some(0),
    };

    compiled_for! { Avx512:
    /// Of values of which the largest is below twice 2^`highest`; [`NONE`] where all are zeros.
    ///
    /// # Safety
    /// There are `count` values, a multiple of sixteen.
    #[inline]
    pub(super) unsafe fn of(values: *const f32, count: usize, highest: i32) -> Extent {
        if highest == NONE {
            return Extent::ZEROS;
        }
        // SAFETY: the caller's promise.
        let unit = unsafe { unit(values, count, highest) };
        Extent { highest, unit }
    }
    }
}

/// Elements of A or B: for each `k` those of all rows (or columns) of all blocks, and their exponents, which of denormals is that of
/// the smallest normals. Zeros have [`NONE`].
#[repr(C, align(64))]
pub(super) struct Side {
    values: [MaybeUninit<f32>; MOST],
    exponents: [MaybeUninit<i8>; MOST],
}

impl Side {
    /// Where values and exponents of `count` elements are to be written.
    pub(super) fn parts(side: &mut MaybeUninit<Side>, count: usize) -> (*mut f32, *mut i8) {
        assert!(count <= MOST && count.is_multiple_of(STEP));
        let side = side.as_mut_ptr();
        // SAFETY: the addresses of parts of a value that is there, though not initialised.
        unsafe {
            let values = (&raw mut (*side).values).cast();
            (values, (&raw mut (*side).exponents).cast())
        }
    }
}

/// A row of A or columns of B, from `k` 0 on; those of the next `k` are `stride` further.
#[derive(Clone, Copy)]
pub(super) struct Terms {
    pub values: *const f32,
    pub exponents: *const i8,
    pub stride: usize,
}

impl Terms {
    /// All of a side.
    ///
    /// # Safety
    /// [`convert`] wrote it, or whoever asked for its [`Side::parts`].
    pub(super) unsafe fn of(side: *const Side, stride: usize) -> Terms {
        // SAFETY: the caller's promise.
        unsafe {
            Terms {
                values: (&raw const (*side).values).cast(),
                exponents: (&raw const (*side).exponents).cast(),
                stride,
            }
        }
    }

    /// From the element `first` further on.
    ///
    /// # Safety
    /// The side has that element.
    #[inline]
    pub(super) unsafe fn from(self, first: usize) -> Terms {
        // SAFETY: the caller's promise.
        unsafe {
            Terms {
                values: self.values.add(first),
                exponents: self.exponents.add(first),
                ..self
            }
        }
    }
}

/// What conversion asks of an eight-bit format.
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

/// What the exponents of elements lie between, and whether there is an eight-bit one that is not finite.
#[derive(Clone, Copy)]
struct Range {
    most: __m512i,
    /// Of those that are not zero.
    least: __m512i,
    special: u64,
}

compiled_for! { Avx512:
/// Exponents of all elements in sixteen words, each in the bits of its element.
#[inline]
fn exponents<const FORMAT: u8>(words: __m512i, eight: Eight, range: &mut Range) -> __m512i {
    let (field, size, bias) = match const { Format::of(FORMAT) } {
        Format::Half => {
            let size = _mm512_and_si512(words, _mm512_set1_epi16(0x7fff));
            (_mm512_srli_epi16::<10>(size), size, 15)
        }
        Format::Bfloat => {
            let size = _mm512_and_si512(words, _mm512_set1_epi16(0x7fff));
            (_mm512_srli_epi16::<7>(size), size, 127)
        }
        Format::Eight => {
            let size = _mm512_and_si512(words, _mm512_set1_epi8(0x7f));
            let there = _mm512_test_epi8_mask(size, size);
            let field = _mm512_srl_epi16(size, _mm_cvtsi32_si128(eight.fraction_bits));
            let field = _mm512_and_si512(field, _mm512_set1_epi8(0x7f >> eight.fraction_bits));
            let field = _mm512_max_epu8(field, _mm512_set1_epi8(1));
            let bias = _mm512_set1_epi8((128 - eight.least) as i8);
            let none = _mm512_set1_epi8(NONE as i8);
            let exponents = _mm512_mask_sub_epi8(none, there, field, bias);
            range.most = _mm512_max_epi8(range.most, exponents);
            range.least = _mm512_mask_min_epi8(range.least, there, range.least, exponents);
            let largest = _mm512_set1_epi8(eight.largest_finite as i8);
            range.special |= _mm512_cmpgt_epu8_mask(size, largest);
            if eight.one_zero {
                range.special |= _mm512_cmpeq_epi8_mask(words, _mm512_set1_epi8(i8::MIN));
            }
            return exponents;
        }
    };
    let there = _mm512_test_epi16_mask(size, size);
    let field = _mm512_max_epi16(field, _mm512_set1_epi16(1));
    let none = _mm512_set1_epi16(NONE as i16);
    let exponents = _mm512_mask_sub_epi16(none, there, field, _mm512_set1_epi16(bias));
    range.most = _mm512_max_epi16(range.most, exponents);
    range.least = _mm512_mask_min_epi16(range.least, there, range.least, exponents);
    exponents
}
}

compiled_for! { Avx512:
/// The smallest and the largest of the signed numbers of `bits` bits in words.
#[inline]
fn ends(words: __m512i, bits: usize) -> [i32; 2] {
    let mut ends = [i32::MAX, i32::MIN];
    for index in 0..32 / bits {
        let up = _mm512_sll_epi32(words, _mm_cvtsi32_si128((32 - bits * (index + 1)) as i32));
        let part = _mm512_sra_epi32(up, _mm_cvtsi32_si128((32 - bits) as i32));
        ends[0] = ends[0].min(_mm512_reduce_min_epi32(part));
        ends[1] = ends[1].max(_mm512_reduce_max_epi32(part));
    }
    ends
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
/// Reads A or B of `stride` rows (or columns) in all blocks; nothing if an element is not finite, or of an exponent beyond [`LIMIT`].
///
/// # Safety
/// The host has the vectors; the input's rows are as many as `stride * depth` elements need.
#[inline]
pub(super) unsafe fn convert<const FORMAT: u8>(
    input: Input,
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
        most: _mm512_set1_epi8(NONE as i8),
        least: _mm512_set1_epi8(i8::MAX),
        special: 0,
    };
    if format != Format::Eight {
        range.most = _mm512_set1_epi16(NONE as i16);
        range.least = _mm512_set1_epi16(i16::MAX);
    }
    // SAFETY: the caller's promises; there are `stride * depth` elements, of which every one is written.
    unsafe {
        let (to, to_exponents) = Side::parts(side, stride * depth);
        for group in 0..per_lane / per_register * (LANES / STEP) {
            let (register, first) = (group / (LANES / STEP), group % (LANES / STEP) * STEP);
            let words = _mm512_loadu_si512(input.rows.add(LANES * register + first).cast());
            let (part, column) = (first >> shift, first & (stride - 1));
            let position = register * per_register + per_lane * part;
            let exponents = exponents::<FORMAT>(words, eight, &mut range);
            let mut index = 0;
            while index < per_register {
                let at = (position + index) * stride + column;
                _mm512_storeu_ps(to.add(at), values::<FORMAT>(words, index, eight));
                let down = _mm_cvtsi32_si128((format.bits() * index) as i32);
                let exponents = _mm512_cvtepi32_epi8(_mm512_srl_epi32(exponents, down));
                _mm_storeu_si128(to_exponents.add(at).cast(), exponents);
                index += 1;
            }
        }
        let [_, highest] = ends(range.most, format.bits());
        let [lowest, _] = ends(range.least, format.bits());
        // Halves that are not finite are of the exponent beyond the largest.
        let most = if format == Format::Half { 15 } else { LIMIT };
        if range.special != 0 || highest > most || lowest < -LIMIT {
            return None;
        }
        Some(Extent::of(to, stride * depth, highest))
    }
}
}

compiled_for! { Avx512:
/// Exponent of the largest power of two that divides all values, of which the largest is below twice 2^`highest`. Nothing if the
/// largest has more than so many bits above it that products cannot be exact.
///
/// # Safety
/// The host has the vectors; there are `count` values, a multiple of sixteen.
#[inline]
unsafe fn unit(values: *const f32, count: usize, highest: i32) -> Option<i32> {
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
    let zeros = _mm512_reduce_or_epi32(bits).trailing_zeros() as i32;
    Some(highest - (BITS - 1) + zeros)
}
}
