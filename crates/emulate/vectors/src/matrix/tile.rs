//! WMMA and SWMMAC of ordinary numbers in vectors of 512 bits: all sixteen rows of D are summed at once, one host vector each.
//!
//! Every sum of floats is a chain of fused multiply-adds in single precision, rounded once more where D has halves; integers are
//! exact. If a sum is a NaN, nothing is written, and the product is left to the caller.

use std::{arch::x86_64::*, mem::MaybeUninit};

use numerics::wmma::{Input, Instruction, Output};

use super::{
    Addend, Operands,
    layout::{DEEPEST, Layout, SIDE},
    ordinary::{bfloats, halves},
};
use crate::{
    LANES, compiled_for,
    host::{Host, Zmm},
};

/// One product: an instruction with its fields, and where its operands lie.
#[derive(Clone, Copy, Debug)]
pub struct Product<'a> {
    pub instruction: &'a Instruction,
    pub layout: &'a Layout,
    /// C of a sparse product is D.
    pub operands: Operands,
    /// The first row of the indices of a sparse A, and how far their bits are shifted up.
    pub index: *const u32,
    pub index_shift: u32,
    /// How far C and D are shifted up in their words.
    pub output_shift: u32,
    /// For A and for B, the bits of words of halves that are changed: their signs.
    pub toggles: [u32; 2],
    /// Integers are signed: for A and for B.
    pub signed: [bool; 2],
    /// C loses its sign, and then it may be negated.
    pub absolute: bool,
    pub negative: bool,
    /// Integers saturate.
    pub saturates: bool,
}

/// A or B: for each `k` (for integers, for each pair of them) the values of all sixteen rows or columns. An A of halves
/// or eight-bit floats is in the order of [`value_of_a`]: its values are read one by one.
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

    /// The factor of the values: those with four bits of exponent are read as halves.
    fn scale(self) -> f32 {
        match self {
            Format::Fp8 => 256.0,
            _ => 1.0,
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

impl Product<'_> {
    compiled_for! { Avx512:
    /// Does the product if the operands allow it, and returns whether they do.
    ///
    /// # Safety
    /// The host has the vectors; the rows of all operands exist.
    pub unsafe fn run(&self) -> bool {
        let instruction = self.instruction;
        let integers = instruction.output == Output::I32;
        if integers && instruction.sparse {
            return false;
        }
        let format = |side| Format::select(instruction.input, side as u32, self.signed[side]);
        let formats = [format(0), format(1)];
        let mut sides = [const { MaybeUninit::<Side>::uninit() }; 2];
        let mut depth = 0;
        // SAFETY: the caller's promise; `read` gives values to the `depth` vectors of A, and of B to as many as there are `k`;
        // `addend` gives one to every sum.
        unsafe {
            for index in [1, 0] {
                let toggle = match formats[index] {
                    Format::Half | Format::Bfloat => self.toggles[index],
                    _ => 0,
                };
                // (Powers of two: it is all the same which side of a product is multiplied.)
                let of_a = (index == 0).then(|| formats[0].scale() * formats[1].scale());
                let words = self.operands.inputs[index];
                let places = &self.layout.input_places[index];
                let side = sides[index].as_mut_ptr();
                let Some(read) = read(words, places, formats[index], (toggle, of_a), side) else {
                    return false;
                };
                depth = read;
            }
            let (a, b) = (sides[0].as_ptr().cast(), sides[1].as_ptr().cast());
            if integers {
                let sums = pairs(a, b, depth);
                self.add_integers(sums);
                return true;
            }
            let mut sums = MaybeUninit::uninit();
            self.addend(&mut sums);
            let sums = sums.assume_init_mut();
            let of_b = instruction.sparse.then(|| self.stored_rows_of_b());
            match instruction.input {
                Input::F16 => chains_by::<2>(a, b, sums, depth, of_b.as_ref()),
                Input::Fp8 { .. } => chains_by::<4>(a, b, sums, depth, of_b.as_ref()),
                _ => chains_by::<1>(a, b, sums, depth, of_b.as_ref()),
            }
            let mut nans = 0;
            for pair in sums.chunks_exact(2) {
                nans |= _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(pair[0], pair[1]);
            }
            if nans != 0 {
                return false;
            }
            self.store(sums);
        }
        true
    }
    }

    compiled_for! { Avx512:
    /// C by rows, with its sign changed as the instruction says.
    ///
    /// # Safety
    /// As of [`Product::run`].
    #[inline]
    unsafe fn addend(&self, sums: &mut MaybeUninit<[__m512; SIDE]>) {
        let output = self.instruction.output;
        let to = sums.as_mut_ptr().cast::<__m512>();
        match self.operands.addend {
        Addend::Constant(word) => {
            let words = _mm512_set1_epi32(word as i32);
            let value = match output {
                Output::F16 => low_half(words),
                Output::Bf16 => bfloats(words)[0],
                _ => _mm512_castsi512_ps(words),
            };
            for row in 0..SIDE {
                // SAFETY: there are as many sums.
                unsafe { to.add(row).write(value) };
            }
        }
        Addend::Rows(from) => {
            let down = _mm_cvtsi32_si128(self.output_shift as i32);
            let places = &self.layout.output_places;
            let pair = |row: usize| (places[row], places[row + 1]);
            // SAFETY: the caller promises that C's rows exist; there are as many sums.
            unsafe {
                let load = |place: usize| _mm512_loadu_si512(from.add(place).cast());
                let half = |place: usize| _mm512_srl_epi32(load(place), down);
                // (A loop for each output: of loads that several of them share, the compiler makes other ones word by word.)
                match output {
                    Output::F16 => {
                        for row in (0..SIDE).step_by(2) {
                            let (place, next) = pair(row);
                            let [first, second] = if place == next {
                                halves(from.add(place))
                            } else {
                                [low_half(half(place)), low_half(half(next))]
                            };
                            to.add(row).write(first);
                            to.add(row + 1).write(second);
                        }
                    }
                    Output::Bf16 => {
                        for row in (0..SIDE).step_by(2) {
                            let (place, next) = pair(row);
                            let [first, second] = if place == next {
                                bfloats(load(place))
                            } else {
                                [bfloats(half(place))[0], bfloats(half(next))[0]]
                            };
                            to.add(row).write(first);
                            to.add(row + 1).write(second);
                        }
                    }
                    _ => {
                        for (row, &place) in places.iter().enumerate() {
                            to.add(row).write(_mm512_castsi512_ps(load(place)));
                        }
                    }
                }
            }
        }
        }
        if self.absolute || self.negative {
            let kept = _mm512_set1_epi32(if self.absolute { i32::MAX } else { !0 });
            let toggled = _mm512_set1_epi32(if self.negative { i32::MIN } else { 0 });
            for row in 0..SIDE {
                // SAFETY: all sums have got values.
                unsafe {
                    let bits = _mm512_and_si512(_mm512_castps_si512(to.add(row).read()), kept);
                    to.add(row).write(_mm512_castsi512_ps(_mm512_xor_si512(bits, toggled)));
                }
            }
        }
    }
    }

    compiled_for! { Avx512:
    /// Writes D.
    ///
    /// # Safety
    /// As of [`Product::run`].
    #[inline]
    unsafe fn store(&self, sums: &[__m512; SIDE]) {
        let (output, target) = (self.instruction.output, self.operands.target);
        let places = &self.layout.output_places;
        if output.bits() == 32 {
            for (&sum, place) in sums.iter().zip(places) {
                // SAFETY: the caller promises that D's rows exist.
                unsafe { _mm512_storeu_ps(target.add(*place).cast(), sum) };
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
        let shift = self.output_shift;
        for row in (0..SIDE).step_by(2) {
            let [first, second] = [row, row + 1].map(|row| half(sums[row]));
            let [place, next] = [row, row + 1].map(|row| places[row]);
            // SAFETY: the caller promises that D's rows exist.
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

    compiled_for! { Avx512:
    /// The meaning of the bits beside a sparse A.
    ///
    /// # Safety
    /// As of [`Product::run`].
    #[inline]
    unsafe fn stored_rows_of_b(&self) -> RowsOfB {
        let set = |value: u32| _mm512_set1_epi32(value as i32);
        let mut all = RowsOfB([MaybeUninit::uninit(); DEEPEST / 2]);
        for (quad, spot) in self.layout.index.iter().enumerate() {
            let place = LANES * spot.register as usize + SIDE * spot.group as usize;
            let down = _mm_cvtsi32_si128(i32::from(spot.bit) + self.index_shift as i32);
            // SAFETY: the caller promises that the row exists; two vectors for each four `k` are half of them.
            unsafe {
                let words = _mm512_loadu_si512(self.index.add(place).cast());
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
    /// D = C + `sums`, saturated with CLAMP. The sums themselves are far from overflow.
    ///
    /// # Safety
    /// As of [`Product::run`].
    #[inline]
    unsafe fn add_integers(&self, sums: [__m512i; SIDE]) {
        let places = &self.layout.output_places;
        let mut c = [_mm512_setzero_si512(); SIDE];
        match self.operands.addend {
            Addend::Constant(word) => c = [_mm512_set1_epi32(word as i32); SIDE],
            Addend::Rows(from) => {
                // (A loop: the closure of a `map` would not be compiled for these vectors.)
                for (c, &place) in c.iter_mut().zip(places) {
                    // SAFETY: the caller promises that C's rows exist.
                    *c = unsafe { _mm512_loadu_si512(from.add(place).cast()) };
                }
            }
        }
        for ((c, place), products) in c.into_iter().zip(places).zip(sums) {
            let sum = _mm512_add_epi32(c, products);
            let result = if self.saturates {
                let changed =
                    _mm512_and_si512(_mm512_xor_si512(c, sum), _mm512_xor_si512(products, sum));
                let limit = _mm512_xor_si512(_mm512_srai_epi32::<31>(c), _mm512_set1_epi32(i32::MAX));
                _mm512_mask_mov_epi32(sum, _mm512_movepi32_mask(changed), limit)
            } else {
                sum
            };
            // SAFETY: the caller promises that D's rows exist.
            unsafe { _mm512_storeu_si512(self.operands.target.add(*place).cast(), result) };
        }
    }
    }
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
    changes: (u32, Option<f32>),
    side: *mut Side,
) -> Option<usize> {
    macro_rules! formats {
        ($($code:literal),*) => {
            $(if format == FORMATS[$code] {
                // SAFETY: the caller's promises.
                return unsafe { read_as::<$code>(words, places, changes, side) };
            })*
        };
    }
    formats!(0, 1, 2, 3, 4, 5, 6, 7);
    None
}
}

compiled_for! { Avx512:
/// Converts A, of which eight-bit floats are multiplied by `of_a`, or B; signs are changed as `toggle` says for the halves of words. Gives the
/// number of vectors, nothing if there is an eight-bit float that is not finite.
///
/// # Safety
/// The promises are those of [`Product::run`]; `words` leads to the rows that `places` lie in.
unsafe fn read_as<const FORMAT: usize>(
    words: *const u32,
    places: &[usize],
    (toggle, of_a): (u32, Option<f32>),
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
                    let signs = if of_a.is_some() {
                        let both = _mm512_set1_epi64((u64::from(high) << 32 | u64::from(low)) as i64);
                        [vectors[0], vectors[1]] = Zmm::load_widened_pairs(words);
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
                    vectors = eight_bits(bits, format == Format::Bf8, of_a);
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
/// The four eight-bit floats in each of sixteen words, those with four bits of exponent divided by 256. The values of A
/// (multiplied) come by turns: first and third, then second and fourth. The values of B come in order: all first, all
/// second and so on. Floats with five bits of exponent are the upper bytes of halves; the others are halves but for the
/// exponent's bias, denormals too.
#[inline]
fn eight_bits(words: __m512i, is_bf8: bool, of_a: Option<f32>) -> [__m512; 4] {
    let upper = _mm512_set1_epi32(0xff00_ff00_u32 as i32);
    let bytes = [
        _mm512_and_si512(_mm512_slli_epi32::<8>(words), upper),
        _mm512_and_si512(words, upper),
    ];
    let mut all = bytes;
    if !is_bf8 {
        for (all, bytes) in all.iter_mut().zip(bytes) {
            let sign = _mm512_and_si512(bytes, _mm512_set1_epi32(0x8000_8000_u32 as i32));
            let size = _mm512_and_si512(bytes, _mm512_set1_epi32(0x7f00_7f00));
            *all = _mm512_or_si512(sign, _mm512_srli_epi32::<1>(size));
        }
    }
    let [even, odd] = all;
    // SAFETY: functions of this level run where the host has the vectors.
    let [even, odd] = unsafe {
        let pairs = [
            Zmm::widen_pairs(_mm512_castsi512_ps(even)),
            Zmm::widen_pairs(_mm512_castsi512_ps(odd)),
        ];
        match of_a {
            Some(_) => pairs,
            None => [Zmm::apart(pairs[0]), Zmm::apart(pairs[1])],
        }
    };
    match of_a {
        Some(scale) => [even[0], even[1], odd[0], odd[1]].map(|x| _mm512_mul_ps(x, _mm512_set1_ps(scale))),
        None => [even[0], odd[0], even[1], odd[1]],
    }
}
}

compiled_for! { Avx512:
/// The low halves of words as singles.
#[inline]
fn low_half(words: __m512i) -> __m512 {
    _mm512_cvtph_ps(_mm512_cvtepi32_epi16(words))
}
}

/// Where the value of A is, in [`Side`]: `PER_WORD` halves or eight-bit floats of a register are converted together.
const fn value_of_a<const PER_WORD: usize>(k: usize, row: usize) -> usize {
    match PER_WORD {
        4 => 4 * SIDE * (k / 4) + 2 * SIDE * (k % 2) + 2 * row + k % 4 / 2,
        2 => 2 * SIDE * (k / 2) + 2 * row + k % 2,
        _ => SIDE * k + row,
    }
}

/// `k` between which the places of values of A in memory differ by constants.
const STEP: usize = 4;

compiled_for! { Avx512:
/// A fused multiply-add for every `k` of every element, in order of `k`; of a sparse A, `of_b` says which rows of B its values belong to.
///
/// # Safety
/// The host has the vectors; A, and `of_b` if there is one, have `depth` vectors, a multiple of four, and B all that are named.
#[inline]
unsafe fn chains_by<const PER_WORD: usize>(
    a: *const f32,
    b: *const f32,
    sums: &mut [__m512; SIDE],
    depth: usize,
    of_b: Option<&RowsOfB>,
) {
    // SAFETY: the caller's promises.
    unsafe {
        match of_b {
            Some(of_b) => sparse_chains::<PER_WORD>(a, b, sums, depth, of_b),
            None => chains::<PER_WORD>(a, b, sums, depth),
        }
    }
}
}

compiled_for! { Avx512:
/// [`chains_by`] of an A that is not sparse.
///
/// # Safety
/// As of [`chains_by`].
#[inline]
unsafe fn chains<const PER_WORD: usize>(
    a: *const f32,
    b: *const f32,
    all: &mut [__m512; SIDE],
    depth: usize,
) {
    let mut sums = *all;
    for first in (0..depth).step_by(STEP) {
        let mut next = 0;
        while next < STEP {
            // SAFETY: the caller's promise.
            unsafe {
                let columns = _mm512_loadu_ps(b.add(SIDE * (first + next)));
                let a = a.add(SIDE * first);
                let mut row = 0;
                while row < SIDE {
                    let value = _mm512_set1_ps(a.add(value_of_a::<PER_WORD>(next, row)).read());
                    sums[row] = _mm512_fmadd_ps(value, columns, sums[row]);
                    row += 1;
                }
            }
            next += 1;
        }
    }
    *all = sums;
}
}

/// For each stored value of A's sixteen rows, where the row of B that it belongs to starts.
#[repr(C, align(64))]
struct RowsOfB([MaybeUninit<[u32; SIDE]>; DEEPEST / 2]);

compiled_for! { Avx512:
/// [`chains_by`] of a sparse A.
///
/// # Safety
/// As of [`chains_by`].
#[inline]
unsafe fn sparse_chains<const PER_WORD: usize>(
    a: *const f32,
    b: *const f32,
    all: &mut [__m512; SIDE],
    depth: usize,
    of_b: &RowsOfB,
) {
    let mut sums = *all;
    for (step, starts) in of_b.0[..depth].chunks_exact(STEP).enumerate() {
        let mut next = 0;
        while next < STEP {
            let mut row = 0;
            while row < SIDE {
                // SAFETY: the caller's promise.
                unsafe {
                    let a = a.add(SIDE * STEP * step);
                    let value = _mm512_set1_ps(a.add(value_of_a::<PER_WORD>(next, row)).read());
                    let start = starts[next].assume_init_ref()[row] as usize;
                    sums[row] = _mm512_fmadd_ps(value, _mm512_loadu_ps(b.add(start)), sums[row]);
                }
                row += 1;
            }
            next += 1;
        }
    }
    *all = sums;
}
}

compiled_for! { Avx512:
/// Sums of products of integers, two at a time.
///
/// # Safety
/// As of [`chains_by`].
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
