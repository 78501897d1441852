//! WMMA and SWMMAC of ordinary numbers in vectors of 512 bits: all sixteen rows of D are summed at once, one host vector each.
//!
//! The order of sums and the roundings are those of `wmma.rs`. Where a sum is a NaN nothing is written, and the product is left to it.

use std::{arch::x86_64::*, mem::MaybeUninit};

use numerics::wmma::{INSTRUCTIONS, Input, Output};

use super::{
    tile::{bfloats, halves},
    wmma::{DEEPEST, Plan, SIDE, index_shift, output_shift, shifted, sign},
};
use crate::{
    LANES,
    host_level::compiled_for,
    micro_op::{MicroOp, SrcKind},
    state::Wave,
};

/// A or B: for each `k` (of integers for each pair of them) the values of all sixteen rows or columns. Of an A of halves those of two `k`
/// by turns, as they lie in registers: its values are read one by one.
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
            let places = &plan.input_places[index];
            let side = sides[index].as_mut_ptr();
            let Some(read) = read(words, places, format, (toggle, index == 0), side) else {
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
        let c = addend(wave, op, plan, instruction.sparse, instruction.output);
        let by_turns = instruction.input == Input::F16;
        let sums = if instruction.sparse {
            let of_b = stored_rows_of_b(wave, op, plan);
            match by_turns {
                true => sparse_chains::<true>(a, b, c, depth, &of_b),
                false => sparse_chains::<false>(a, b, c, depth, &of_b),
            }
        } else {
            match by_turns {
                true => chains::<true>(a, b, c, depth),
                false => chains::<false>(a, b, c, depth),
            }
        };
        let mut nans = 0;
        for pair in sums.chunks_exact(2) {
            nans |= _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(pair[0], pair[1]);
        }
        if nans != 0 {
            return false;
        }
        store(wave, op, plan, instruction.output, sums);
    }
    true
}
}

fn rows(wave: &Wave, first: u16) -> *const u32 {
    wave.rows[first as usize..].as_ptr().cast()
}

compiled_for! { Avx512:
/// [`read_as`] of `format`.
///
/// # Safety
/// As of [`read_as`].
#[inline]
unsafe fn read(
    words: *const u32,
    places: &[usize],
    format: Format,
    signs: (u32, bool),
    side: *mut Side,
) -> Option<usize> {
    macro_rules! formats {
        ($($code:literal),*) => {
            $(if format == FORMATS[$code] {
                // SAFETY: the caller's promises.
                return unsafe { read_as::<$code>(words, places, signs, side) };
            })*
        };
    }
    formats!(0, 1, 2, 3, 4, 5, 6, 7);
    None
}
}

compiled_for! { Avx512:
/// Converts A (if `is_a`) or B, of which signs are changed as `toggle` says for the halves of words; gives the number of vectors, nothing
/// if there is an eight-bit float that is not finite.
///
/// # Safety
/// As of [`product`]; `words` leads to the rows that `places` lie in.
unsafe fn read_as<const FORMAT: usize>(
    words: *const u32,
    places: &[usize],
    (toggle, is_a): (u32, bool),
    side: *mut Side,
) -> Option<usize> {
    let format = FORMATS[FORMAT];
    let to = side.cast::<f32>();
    let mut special = 0;
    let mut count = 0;
    // SAFETY: the caller's promises; there are at most as many vectors as values, of which a side has room for `DEEPEST`.
    unsafe {
        for &place in places {
            let words = words.add(place);
            let bits = _mm512_loadu_si512(words.cast());
            let mut vectors = [_mm512_setzero_ps(); 4];
            match format {
                Format::Half => {
                    let (low, high) = (toggle << 16, toggle & 0x8000_0000);
                    let signs = if is_a {
                        let both = _mm512_set1_epi64((u64::from(high) << 32 | u64::from(low)) as i64);
                        vectors[0] = _mm512_cvtph_ps(_mm512_castsi512_si256(bits));
                        vectors[1] = _mm512_cvtph_ps(_mm512_extracti64x4_epi64::<1>(bits));
                        [both; 2]
                    } else {
                        [vectors[0], vectors[1]] = halves(words);
                        [low, high].map(|sign| _mm512_set1_epi32(sign as i32))
                    };
                    if toggle != 0 {
                        for (vector, signs) in vectors.iter_mut().zip(signs) {
                            *vector = _mm512_xor_ps(*vector, _mm512_castsi512_ps(signs));
                        }
                    }
                }
                Format::Bfloat => {
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
    (special == 0).then_some(count)
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
/// C by rows, with its sign changed as the instruction says.
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
) -> [__m512; SIDE] {
    let constant = !sparse && op.src[2].kind != SrcKind::Vector;
    let first = if sparse { op.dst } else { op.src[2].index };
    let shift = output_shift(op, plan);
    let from = rows(wave, first);
    let mut sums = [_mm512_setzero_ps(); SIDE];
    for (row, sum) in sums.iter_mut().enumerate() {
        let words = if constant {
            _mm512_set1_epi32(wave.uniform(op, 2) as i32)
        } else {
            // SAFETY: decoding checked that C's registers exist.
            unsafe { _mm512_loadu_si512(from.add(plan.output_places[row]).cast()) }
        };
        let half = || {
            // A constant is the same for all rows.
            let bit = match constant {
                true => 0,
                false => i32::from(shifted(plan.output[row], shift).bit),
            };
            _mm512_srl_epi32(words, _mm_cvtsi32_si128(bit))
        };
        *sum = match output {
            Output::F16 => _mm512_cvtph_ps(_mm512_cvtepi32_epi16(half())),
            Output::Bf16 => _mm512_castsi512_ps(_mm512_slli_epi32::<16>(half())),
            _ => _mm512_castsi512_ps(words),
        };
    }
    let absolute = op.wmma().neg_hi(2);
    let negative = op.wmma().neg(2);
    if absolute || negative {
        let kept = _mm512_set1_epi32(if absolute { i32::MAX } else { !0 });
        let toggled = _mm512_set1_epi32(if negative { i32::MIN } else { 0 });
        for sum in &mut sums {
            let bits = _mm512_and_si512(_mm512_castps_si512(*sum), kept);
            *sum = _mm512_castsi512_ps(_mm512_xor_si512(bits, toggled));
        }
    }
    sums
}
}

compiled_for! { Avx512:
/// Writes D.
///
/// # Safety
/// As of [`product`].
#[inline]
unsafe fn store(wave: &mut Wave, op: &MicroOp, plan: &Plan, output: Output, sums: [__m512; SIDE]) {
    let target = wave.rows[op.dst as usize..].as_mut_ptr().cast::<u32>();
    if output.bits() == 32 {
        for (sum, place) in sums.into_iter().zip(plan.output_places) {
            // SAFETY: decoding checked that D's registers exist.
            unsafe { _mm512_storeu_ps(target.add(place).cast(), sum) };
        }
        return;
    }
    let half = |sum: __m512| match output {
        Output::F16 => {
            let halves = _mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(sum);
            _mm512_cvtepu16_epi32(halves)
        }
        _ => {
            // To nearest even; there are no NaNs.
            let bits = _mm512_castps_si512(sum);
            let last = _mm512_and_si512(_mm512_srli_epi32::<16>(bits), _mm512_set1_epi32(1));
            let up = _mm512_add_epi32(last, _mm512_set1_epi32(0x7fff));
            _mm512_srli_epi32::<16>(_mm512_add_epi32(bits, up))
        }
    };
    let shift = output_shift(op, plan);
    for row in (0..SIDE).step_by(2) {
        let [first, second] = [row, row + 1].map(|row| half(sums[row]));
        let [place, next] = [row, row + 1].map(|row| plan.output_places[row]);
        // SAFETY: as above.
        unsafe {
            if place == next {
                // Low and high halves of the same words.
                let words = _mm512_or_si512(first, _mm512_slli_epi32::<16>(second));
                _mm512_storeu_si512(target.add(place).cast(), words);
                continue;
            }
            for (place, half) in [(place, first), (next, second)] {
                let to = target.add(place);
                let kept = _mm512_set1_epi32((0xffff_0000_u32 >> shift) as i32);
                let old = _mm512_and_si512(_mm512_loadu_si512(to.cast()), kept);
                let up = _mm_cvtsi32_si128(shift as i32);
                let words = _mm512_or_si512(old, _mm512_sll_epi32(half, up));
                _mm512_storeu_si512(to.cast(), words);
            }
        }
    }
}
}

/// Where the value of A is, in [`Side`].
const fn value_of_a<const BY_TURNS: bool>(k: usize, row: usize) -> usize {
    match BY_TURNS {
        true => 2 * SIDE * (k / 2) + 2 * row + k % 2,
        false => SIDE * k + row,
    }
}

compiled_for! { Avx512:
/// A fused multiply-add for every `k` of every element, in order of `k`.
///
/// # Safety
/// The host has the vectors; A and B have `depth` vectors, an even number.
#[inline]
unsafe fn chains<const BY_TURNS: bool>(
    a: *const f32,
    b: *const f32,
    mut sums: [__m512; SIDE],
    depth: usize,
) -> [__m512; SIDE] {
    for pair in 0..depth / 2 {
        let mut odd = 0;
        while odd < 2 {
            // SAFETY: the caller's promise.
            unsafe {
                let columns = _mm512_loadu_ps(b.add(SIDE * (2 * pair + odd)));
                let a = a.add(2 * SIDE * pair);
                let mut row = 0;
                while row < SIDE {
                    let value = _mm512_set1_ps(a.add(value_of_a::<BY_TURNS>(odd, row)).read());
                    sums[row] = _mm512_fmadd_ps(value, columns, sums[row]);
                    row += 1;
                }
            }
            odd += 1;
        }
    }
    sums
}
}

/// For each stored value of A's sixteen rows, where the row of B that it belongs to starts.
#[repr(C, align(64))]
struct RowsOfB([MaybeUninit<[u32; SIDE]>; DEEPEST / 2]);

compiled_for! { Avx512:
/// What the bits beside a sparse A say.
///
/// # Safety
/// As of [`product`].
#[inline]
unsafe fn stored_rows_of_b(wave: &Wave, op: &MicroOp, plan: &Plan) -> RowsOfB {
    let set = |value: u32| _mm512_set1_epi32(value as i32);
    let shift = index_shift(op, plan);
    let mut all = RowsOfB([MaybeUninit::uninit(); DEEPEST / 2]);
    for (quad, spot) in plan.index.iter().enumerate() {
        let place = LANES * spot.register as usize + SIDE * spot.group as usize;
        let down = _mm_cvtsi32_si128(i32::from(spot.bit) + shift as i32);
        // SAFETY: decoding checked that the register exists; two vectors for each four `k` are half of them.
        unsafe {
            let words = _mm512_loadu_si512(rows(wave, op.src[2].index).add(place).cast());
            let bits = _mm512_srl_epi32(words, down);
            for (index, bits) in [bits, _mm512_srli_epi32::<2>(bits)].into_iter().enumerate() {
                let k = _mm512_or_si512(_mm512_and_si512(bits, set(3)), set(4 * quad as u32));
                let start = _mm512_slli_epi32::<{ SIDE.ilog2() }>(k);
                _mm512_storeu_si512(all.0[2 * quad + index].as_mut_ptr().cast(), start);
            }
        }
    }
    all
}
}

compiled_for! { Avx512:
/// The same where `of_b` says which rows of B the values of A belong to.
///
/// # Safety
/// As of [`chains`]; `of_b` has `depth` vectors, too, and B every one that is named.
#[inline]
unsafe fn sparse_chains<const BY_TURNS: bool>(
    a: *const f32,
    b: *const f32,
    mut sums: [__m512; SIDE],
    depth: usize,
    of_b: &RowsOfB,
) -> [__m512; SIDE] {
    for (pair, starts) in of_b.0[..depth].chunks_exact(2).enumerate() {
        let mut odd = 0;
        while odd < 2 {
            let mut row = 0;
            while row < SIDE {
                // SAFETY: the caller's promise.
                unsafe {
                    let a = a.add(2 * SIDE * pair);
                    let value = _mm512_set1_ps(a.add(value_of_a::<BY_TURNS>(odd, row)).read());
                    let start = starts[odd].assume_init_ref()[row] as usize;
                    sums[row] = _mm512_fmadd_ps(value, _mm512_loadu_ps(b.add(start)), sums[row]);
                }
                row += 1;
            }
            odd += 1;
        }
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
        for (c, place) in c.iter_mut().zip(plan.output_places) {
            // SAFETY: decoding checked that C's registers exist.
            *c = unsafe { _mm512_loadu_si512(rows(wave, op.src[2].index).add(place).cast()) };
        }
    }
    let saturates = op.wmma().clamp();
    let target = wave.rows[op.dst as usize..].as_mut_ptr().cast::<u32>();
    for ((c, place), products) in c.into_iter().zip(plan.output_places).zip(sums) {
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
        unsafe { _mm512_storeu_si512(target.add(place).cast(), result) };
    }
}
}
