//! WMMA and SWMMAC of ordinary numbers in vectors of 512 bits: all sixteen rows of D are summed at once, one host vector each.
//!
//! The order of sums and the roundings are those of `wmma.rs`. NaNs, and infinities among A and B, are found before anything is
//! written, and such products are left to it.

use std::{arch::x86_64::*, mem::MaybeUninit};

use numerics::wmma::{INSTRUCTIONS, Input, Output, Spot};

use super::{
    tile::{bfloats, halves},
    wmma::{DEEPEST, Plan, SIDE, output_shift, shifted, sign, stored_columns},
};
use crate::{
    LANES,
    host_level::compiled_for,
    micro_op::{MicroOp, SrcKind},
    state::Wave,
};

/// Quiet and signalling NaNs.
const NAN: i32 = 0x81;

/// A or B: for each `k` (of integers for each pair of them) the values of all sixteen rows or columns.
#[repr(C, align(64))]
struct Side([MaybeUninit<[u32; SIDE]>; DEEPEST]);

/// Elements in a register, and how they become singles or pairs of integers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Half,
    Bfloat,
    Fp8,
    Bf8,
    Byte { signed: bool },
    Nibble { signed: bool },
}

/// Every format.
const FORMATS: [Format; 8] = [
    Format::Half,
    Format::Bfloat,
    Format::Fp8,
    Format::Bf8,
    Format::Byte { signed: false },
    Format::Byte { signed: true },
    Format::Nibble { signed: false },
    Format::Nibble { signed: true },
];

impl Format {
    const fn select(input: Input, side: u32, signed: bool) -> Format {
        match input {
            Input::F16 => Format::Half,
            Input::Bf16 => Format::Bfloat,
            Input::Fp8 { a_is_bf8, b_is_bf8 } => {
                if (side == 0 && a_is_bf8) || (side == 1 && b_is_bf8) {
                    Format::Bf8
                } else {
                    Format::Fp8
                }
            }
            Input::Iu8 => Format::Byte { signed },
            Input::Iu4 => Format::Nibble { signed },
        }
    }

    /// Vectors that sixteen words make.
    const fn vectors(self) -> usize {
        match self {
            Format::Half | Format::Bfloat | Format::Byte { .. } => 2,
            Format::Fp8 | Format::Bf8 | Format::Nibble { .. } => 4,
        }
    }
}

compiled_for! { Avx512:
/// The product if the operands allow it.
///
/// # Safety
/// The host has what [`crate::shell::Form::AVX512`] stands for.
pub(super) unsafe fn product(wave: &mut Wave, op: &MicroOp, plan: &Plan) -> bool {
    let instruction = &INSTRUCTIONS[op.wmma().instruction as usize];
    let integers = instruction.output == Output::I32;
    if integers && instruction.sparse {
        return false;
    }
    let mut sides = [const { MaybeUninit::<Side>::uninit() }; 2];
    let mut depth = 0;
    // SAFETY: the caller's promise; decoding checked that all registers of the operands exist, and `read` gives values to the
    // `depth` vectors of A, and of B to as many as there are `k`.
    unsafe {
        for index in [1, 0] {
            let format = Format::select(instruction.input, index as u32, op.wmma().neg(index as u32));
            let toggle = match format {
                Format::Half | Format::Bfloat => {
                    let of = |k| sign(op, index as u32, k);
                    of(0) & 0xffff | of(1) & 0xffff_0000
                }
                _ => 0,
            };
            let words = rows(wave, op.src[index].index);
            let spots = &plan.inputs[index];
            let Some(read) = read(words, spots, format, toggle, sides[index].as_mut_ptr()) else {
                return false;
            };
            depth = read;
        }
        let (a, b) = (sides[0].as_ptr().cast(), sides[1].as_ptr().cast());
        if integers {
            let sums = pairs(a, b, depth);
            add_integers(wave, op, plan, sums);
            return true;
        }
        let Some(c) = addend(wave, op, plan, instruction.sparse, instruction.output) else {
            return false;
        };
        let sums = if instruction.sparse {
            let columns = stored_columns(wave, op, plan);
            sparse_chains(a, b, c, depth, &columns)
        } else {
            chains(a, b, c, depth)
        };
        store(wave, op, plan, instruction.output, sums);
    }
    true
}
}

fn rows(wave: &Wave, first: u16) -> *const u32 {
    wave.rows[first as usize..].as_ptr().cast()
}

/// Where the sixteen words of a spot lie from the first row on.
fn place(spot: Spot) -> usize {
    LANES * spot.register as usize + SIDE * spot.group as usize
}

compiled_for! { Avx512:
/// [`read_as`] of `format`.
///
/// # Safety
/// As of [`read_as`].
#[inline]
unsafe fn read(
    words: *const u32,
    spots: &[Spot],
    format: Format,
    toggle: u32,
    side: *mut Side,
) -> Option<usize> {
    macro_rules! formats {
        ($($code:literal),*) => {
            $(if format == FORMATS[$code] {
                // SAFETY: the caller's promises.
                return unsafe { read_as::<$code>(words, spots, toggle, side) };
            })*
        };
    }
    formats!(0, 1, 2, 3, 4, 5, 6, 7);
    None
}
}

compiled_for! { Avx512:
/// Converts A or B; gives the number of vectors, nothing if there is a NaN or an infinity.
///
/// # Safety
/// As of [`product`]; `words` leads to the rows that `spots` name.
unsafe fn read_as<const FORMAT: usize>(
    words: *const u32,
    spots: &[Spot],
    toggle: u32,
    side: *mut Side,
) -> Option<usize> {
    let format = FORMATS[FORMAT];
    let per_word = match format {
        Format::Half | Format::Bfloat => 2,
        Format::Fp8 | Format::Bf8 | Format::Byte { .. } => 4,
        Format::Nibble { .. } => 8,
    };
    let to = side.cast::<f32>();
    let mut most = _mm512_setzero_si512();
    let mut special = 0;
    let mut count = 0;
    // SAFETY: the caller's promises; there are at most as many vectors as values, of which a side has room for `DEEPEST`.
    unsafe {
        for spot in spots.iter().step_by(per_word) {
            let words = words.add(place(*spot));
            let bits = _mm512_loadu_si512(words.cast());
            let mut vectors = [_mm512_setzero_ps(); 4];
            match format {
                Format::Half => {
                    let size = _mm512_and_si512(bits, _mm512_set1_epi32(0x7fff_7fff));
                    most = _mm512_max_epu16(most, size);
                    let [low, high] = halves(words);
                    let negated = |x: __m512, toggle: u32| {
                        _mm512_xor_ps(x, _mm512_castsi512_ps(_mm512_set1_epi32(toggle as i32)))
                    };
                    vectors[0] = negated(low, toggle << 16);
                    vectors[1] = negated(high, toggle & 0x8000_0000);
                }
                Format::Bfloat => {
                    let size = _mm512_and_si512(bits, _mm512_set1_epi32(0x7fff_7fff));
                    most = _mm512_max_epu16(most, size);
                    let bits = _mm512_xor_si512(bits, _mm512_set1_epi32(toggle as i32));
                    [vectors[0], vectors[1]] = bfloats(bits);
                }
                Format::Fp8 | Format::Bf8 => {
                    let size = _mm512_and_si512(bits, _mm512_set1_epi32(0x7f7f_7f7f));
                    let first = if format == Format::Fp8 { 0x7f } else { 0x7c };
                    special |= _mm512_cmpge_epu8_mask(size, _mm512_set1_epi8(first));
                    vectors = eight_bits(bits, format == Format::Bf8);
                }
                Format::Byte { signed } => {
                    let up = _mm512_slli_epi16::<8>(bits);
                    for (vector, bits) in vectors.iter_mut().zip([up, bits]) {
                        let shifted = if signed {
                            _mm512_srai_epi16::<8>(bits)
                        } else {
                            _mm512_srli_epi16::<8>(bits)
                        };
                        *vector = _mm512_castsi512_ps(shifted);
                    }
                }
                Format::Nibble { signed } => {
                    let mut up = _mm512_slli_epi16::<12>(bits);
                    for (index, vector) in vectors.iter_mut().enumerate() {
                        let shifted = if signed {
                            _mm512_srai_epi16::<12>(up)
                        } else {
                            _mm512_srli_epi16::<12>(up)
                        };
                        *vector = _mm512_castsi512_ps(shifted);
                        let left = _mm_cvtsi32_si128(8 - 4 * index as i32);
                        up = _mm512_sll_epi16(bits, left);
                    }
                }
            }
            for vector in &vectors[..format.vectors()] {
                _mm512_storeu_ps(to.add(SIDE * count), *vector);
                count += 1;
            }
        }
    }
    let limit = match format {
        Format::Half => 0x7c00,
        Format::Bfloat => 0x7f80,
        _ => return (special == 0).then_some(count),
    };
    let reached = _mm512_cmpge_epu16_mask(most, _mm512_set1_epi16(limit));
    (reached == 0).then_some(count)
}
}

compiled_for! { Avx512:
/// The four eight-bit floats in each of sixteen words. Those with five bits of exponent are the upper bytes of halves; the others are
/// halves but for the exponent's bias, denormals too.
#[inline]
fn eight_bits(words: __m512i, is_bf8: bool) -> [__m512; 4] {
    let upper = _mm512_set1_epi32(0xff00_ff00_u32 as i32);
    let even = _mm512_and_si512(_mm512_slli_epi32::<8>(words), upper);
    let odd = _mm512_and_si512(words, upper);
    let [first, third] = upper_bytes(even, is_bf8);
    let [second, fourth] = upper_bytes(odd, is_bf8);
    [first, second, third, fourth]
}
}

compiled_for! { Avx512:
/// The eight-bit floats in the upper bytes of the low halves of words, and in those of the high ones.
#[inline]
fn upper_bytes(words: __m512i, is_bf8: bool) -> [__m512; 2] {
    let halves = if is_bf8 {
        words
    } else {
        let sign = _mm512_and_si512(words, _mm512_set1_epi32(0x8000_8000_u32 as i32));
        let size = _mm512_and_si512(words, _mm512_set1_epi32(0x7f00_7f00));
        _mm512_or_si512(sign, _mm512_srli_epi32::<1>(size))
    };
    let scale = _mm512_set1_ps(if is_bf8 { 1.0 } else { 256.0 });
    let low = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(halves));
    let high = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(_mm512_srli_epi32::<16>(halves)));
    [_mm512_mul_ps(low, scale), _mm512_mul_ps(high, scale)]
}
}

compiled_for! { Avx512:
/// C by rows, with its sign changed as the instruction says; nothing if there is a NaN.
///
/// # Safety
/// As of [`product`].
#[inline]
unsafe fn addend(
    wave: &Wave,
    op: &MicroOp,
    plan: &Plan,
    sparse: bool,
    output: Output,
) -> Option<[__m512; SIDE]> {
    let constant = !sparse && op.src[2].kind != SrcKind::Vector;
    let first = if sparse { op.dst } else { op.src[2].index };
    let shift = output_shift(op, plan);
    let kept = if op.wmma().neg_hi(2) {
        0x7fff_ffff
    } else {
        !0
    };
    let negated = u32::from(op.wmma().neg(2)) << 31;
    let mut sums = [_mm512_setzero_ps(); SIDE];
    let mut nans = 0;
    for (sum, spot) in sums.iter_mut().zip(plan.output) {
        let spot = shifted(spot, shift);
        let words = if constant {
            _mm512_set1_epi32(wave.uniform(op, 2) as i32)
        } else {
            // SAFETY: decoding checked that C's registers exist.
            let words = unsafe { _mm512_loadu_si512(rows(wave, first).add(place(spot)).cast()) };
            _mm512_srl_epi32(words, _mm_cvtsi32_si128(i32::from(spot.bit)))
        };
        let single = match output {
            Output::F16 => _mm512_castps_si512(_mm512_cvtph_ps(_mm512_cvtepi32_epi16(words))),
            Output::Bf16 => _mm512_slli_epi32::<16>(words),
            _ => words,
        };
        let single = _mm512_and_si512(single, _mm512_set1_epi32(kept));
        let single = _mm512_xor_si512(single, _mm512_set1_epi32(negated as i32));
        *sum = _mm512_castsi512_ps(single);
        nans |= _mm512_fpclass_ps_mask::<NAN>(*sum);
    }
    (nans == 0).then_some(sums)
}
}

compiled_for! { Avx512:
/// Writes D.
///
/// # Safety
/// As of [`product`].
#[inline]
unsafe fn store(wave: &mut Wave, op: &MicroOp, plan: &Plan, output: Output, sums: [__m512; SIDE]) {
    let shift = output_shift(op, plan);
    let target = wave.rows[op.dst as usize..].as_mut_ptr().cast::<u32>();
    for (sum, spot) in sums.into_iter().zip(plan.output) {
        let spot = shifted(spot, shift);
        let bits = _mm512_castps_si512(sum);
        let half = match output {
            Output::F16 => {
                let halves = _mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(sum);
                _mm512_cvtepu16_epi32(halves)
            }
            Output::Bf16 => {
                // To nearest even; there are no NaNs.
                let last = _mm512_and_si512(_mm512_srli_epi32::<16>(bits), _mm512_set1_epi32(1));
                let up = _mm512_add_epi32(last, _mm512_set1_epi32(0x7fff));
                _mm512_srli_epi32::<16>(_mm512_add_epi32(bits, up))
            }
            _ => bits,
        };
        // SAFETY: decoding checked that D's registers exist.
        unsafe {
            let to = target.add(place(spot));
            let words = if output.bits() == 16 {
                let kept = _mm512_set1_epi32(!(0xffff << spot.bit));
                let old = _mm512_and_si512(_mm512_loadu_si512(to.cast()), kept);
                let count = _mm_cvtsi32_si128(i32::from(spot.bit));
                _mm512_or_si512(old, _mm512_sll_epi32(half, count))
            } else {
                bits
            };
            _mm512_storeu_si512(to.cast(), words);
        }
    }
}
}

compiled_for! { Avx512:
/// A fused multiply-add for every `k` of every element, in order of `k`.
///
/// # Safety
/// The host has the vectors; A and B have `depth` vectors.
#[inline]
unsafe fn chains(
    a: *const f32,
    b: *const f32,
    mut sums: [__m512; SIDE],
    depth: usize,
) -> [__m512; SIDE] {
    let mut k = 0;
    while k < depth {
        // SAFETY: the caller's promise.
        unsafe {
            let columns = _mm512_loadu_ps(b.add(SIDE * k));
            let mut row = 0;
            while row < SIDE {
                let value = _mm512_set1_ps(a.add(SIDE * k + row).read());
                sums[row] = _mm512_fmadd_ps(value, columns, sums[row]);
                row += 1;
            }
        }
        k += 1;
    }
    sums
}
}

compiled_for! { Avx512:
/// The same where `columns` says which `k` each value of A belongs to.
///
/// # Safety
/// The host has the vectors; A has `depth` vectors, and B one for every `k` in `columns`.
#[inline]
unsafe fn sparse_chains(
    a: *const f32,
    b: *const f32,
    mut sums: [__m512; SIDE],
    depth: usize,
    columns: &[[u8; DEEPEST / 2]; SIDE],
) -> [__m512; SIDE] {
    let mut k = 0;
    while k < depth {
        let mut row = 0;
        while row < SIDE {
            // SAFETY: the caller's promise.
            unsafe {
                let value = _mm512_set1_ps(a.add(SIDE * k + row).read());
                let at = SIDE * columns[row][k] as usize;
                sums[row] = _mm512_fmadd_ps(value, _mm512_loadu_ps(b.add(at)), sums[row]);
            }
            row += 1;
        }
        k += 1;
    }
    sums
}
}

compiled_for! { Avx512:
/// Sums of products of integers, two at a time.
///
/// # Safety
/// As of [`chains`].
#[inline]
unsafe fn pairs(a: *const f32, b: *const f32, depth: usize) -> [__m512i; SIDE] {
    let mut sums = [_mm512_setzero_si512(); SIDE];
    let mut k = 0;
    while k < depth {
        // SAFETY: the caller's promise.
        unsafe {
            let columns = _mm512_loadu_si512(b.add(SIDE * k).cast());
            let mut row = 0;
            while row < SIDE {
                let value = _mm512_set1_epi32(a.add(SIDE * k + row).cast::<i32>().read());
                let products = _mm512_madd_epi16(value, columns);
                sums[row] = _mm512_add_epi32(sums[row], products);
                row += 1;
            }
        }
        k += 1;
    }
    sums
}
}

compiled_for! { Avx512:
/// D = C + `sums`, saturated with CLAMP. The sums themselves are far from overflow.
///
/// # Safety
/// As of [`product`].
#[inline]
unsafe fn add_integers(wave: &mut Wave, op: &MicroOp, plan: &Plan, sums: [__m512i; SIDE]) {
    let constant = wave.uniform(op, 2) as i32;
    let is_constant = op.src[2].kind != SrcKind::Vector;
    let mut c = [_mm512_set1_epi32(constant); SIDE];
    if !is_constant {
        for (c, spot) in c.iter_mut().zip(plan.output) {
            // SAFETY: decoding checked that C's registers exist.
            *c = unsafe { _mm512_loadu_si512(rows(wave, op.src[2].index).add(place(spot)).cast()) };
        }
    }
    let saturates = op.wmma().clamp();
    let target = wave.rows[op.dst as usize..].as_mut_ptr().cast::<u32>();
    for ((c, spot), products) in c.into_iter().zip(plan.output).zip(sums) {
        let sum = _mm512_add_epi32(c, products);
        let result = if saturates {
            let changed =
                _mm512_and_si512(_mm512_xor_si512(c, sum), _mm512_xor_si512(products, sum));
            let limit = _mm512_xor_si512(_mm512_srai_epi32::<31>(c), _mm512_set1_epi32(i32::MAX));
            _mm512_mask_mov_epi32(sum, _mm512_movepi32_mask(changed), limit)
        } else {
            sum
        };
        // SAFETY: decoding checked that D's registers exist.
        unsafe { _mm512_storeu_si512(target.add(place(spot)).cast(), result) };
    }
}
}
