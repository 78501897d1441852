//! Matrix products of ordinary numbers in vectors of 512 bits.
//!
//! The product first converts its operands: A to single values, which the host repeats when it loads them, B to vectors of sixteen
//! columns. It then sums four rows of D at a time, in the order and with the roundings of `numerics::matrix`.
//!
//! The host's arithmetic differs from the device's for some values of A and B: NaNs, infinities, and denormals where the device flushes
//! them. The conversion finds these before the product writes anything, and leaves the product to the caller. C may be anything. A NaN
//! in C is then the only one, and comes out quiet on host and device alike; a denormal is lost in any sum that is not zero.

use std::{arch::x86_64::*, mem::MaybeUninit};

use numerics::convert::Fp8;
use numerics::matrix::{Kind, Model, Shape as Matrices};

use super::{Addend, Operands, Sources, aligned};
use crate::{
    LANES, compiled_for,
    host::{Host, Zmm},
};

/// Lanes of a host vector.
const STEP: usize = 16;
/// Rows of D that are summed at a time.
const TILE: usize = 4;
/// Most elements of A or B.
const MOST: usize = 1024;

/// How the terms of an element are added to C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sums {
    /// One fused multiply-add after another.
    Chain,
    /// Two products are added, then C.
    Pairs,
    /// Two pairs of products are added, then C.
    Fours,
    /// Pairs of 16-bit integers, exactly.
    Integers,
}

/// How elements of A and B lie in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Single,
    /// Denormals become zeros.
    Half,
    Bfloat,
    /// Signed.
    Byte,
}

impl Format {
    /// Elements in a register once they are converted: of bytes, pairs.
    const fn per_register(self) -> usize {
        match self {
            Format::Single => 1,
            _ => 2,
        }
    }
}

/// Smallest and largest sizes of elements.
#[derive(Clone, Copy)]
struct Extent {
    /// Less one, so that zero counts as the largest.
    least: __m512i,
    most: __m512i,
}

impl Extent {
    compiled_for! { Avx512:
    /// The products of both halves of words, too.
    #[inline]
    fn of_halves(&mut self, words: __m512i) {
        let size = _mm512_and_si512(words, _mm512_set1_epi16(0x7fff));
        self.most = _mm512_max_epu16(self.most, size);
        let less = _mm512_sub_epi16(size, _mm512_set1_epi16(1));
        self.least = _mm512_min_epu16(self.least, less);
    }
    }
}

/// Elements of A or B: for each `k` those of all rows (or columns) of all blocks. An A of halves has those of two `k`
/// by turns, as they lie in registers: its values are read one by one.
#[repr(C, align(64))]
struct Side([MaybeUninit<u32>; MOST]);

/// How an instruction's products are made: what A and B hold, and how the terms of an element are summed.
#[derive(Clone, Copy, Debug)]
pub enum Plan {
    /// As the host rounds.
    Ordinary(Format, Sums),
    /// Cut to the bits of the largest: [`aligned`].
    Aligned(aligned::Format, [Fp8; 2]),
}

impl Plan {
    /// The plan for `kind` on `model`, whose eight-bit formats are `eight`, if there is one.
    pub const fn new(kind: Kind, model: Model, eight: [Fp8; 2]) -> Option<Plan> {
        Some(match (kind, model) {
            (Kind::Fp8 { .. }, _) => Plan::Aligned(aligned::Format::Eight, eight),
            (Kind::F16, Model::Mfma3) => Plan::Aligned(aligned::Format::Half, eight),
            (Kind::Bf16, Model::Mfma3) => Plan::Aligned(aligned::Format::Bfloat, eight),
            (Kind::F32, _) => Plan::Ordinary(Format::Single, Sums::Chain),
            (Kind::F16, Model::Mfma2) => Plan::Ordinary(Format::Half, Sums::Fours),
            (Kind::Bf16, Model::Mfma2) => Plan::Ordinary(Format::Bfloat, Sums::Fours),
            (Kind::Bf16Pairs, Model::Mfma2) => Plan::Ordinary(Format::Bfloat, Sums::Pairs),
            (Kind::I8, _) => Plan::Ordinary(Format::Byte, Sums::Integers),
            _ => return None,
        })
    }

    /// The product if the operands allow it: otherwise nothing is written.
    ///
    /// # Safety
    /// The host has what [`crate::level::Level::Avx512`] stands for. Pointers lead to as many rows as `shape` says, and C and D are the
    /// same rows or apart.
    pub unsafe fn product(self, operands: Operands, shape: &Matrices, sources: Sources) -> bool {
        // Sixteen lanes must be columns of one row.
        if (shape.n as usize) < STEP {
            return false;
        }
        macro_rules! as_host_rounds {
            ($format:ident, $sums:ident) => {
                whole::<{ Format::$format as u8 }, { Sums::$sums as u8 }>(operands, shape, sources)
            };
        }
        // SAFETY: the caller's promises.
        unsafe {
            match self {
                Plan::Aligned(format, eight) => {
                    let input = |side: usize| aligned::Input {
                        rows: operands.inputs[side],
                        format,
                        eight: eight[side],
                    };
                    let to = (operands.addend, operands.target);
                    aligned::product([input(0), input(1)], to, shape, sources)
                }
                Plan::Ordinary(Format::Single, _) => as_host_rounds!(Single, Chain),
                Plan::Ordinary(Format::Half, _) => as_host_rounds!(Half, Fours),
                Plan::Ordinary(Format::Bfloat, Sums::Pairs) => as_host_rounds!(Bfloat, Pairs),
                Plan::Ordinary(Format::Bfloat, _) => as_host_rounds!(Bfloat, Fours),
                Plan::Ordinary(Format::Byte, _) => as_host_rounds!(Byte, Integers),
            }
        }
    }
}

const fn format_of(code: u8) -> Format {
    match code {
        0 => Format::Single,
        1 => Format::Half,
        2 => Format::Bfloat,
        _ => Format::Byte,
    }
}

impl Addend {
    compiled_for! { Avx512:
    /// # Safety
    /// The host has the vectors; `at` is inside of C's rows.
    #[inline]
    pub unsafe fn load(self, at: usize) -> __m512 {
        match self {
            // SAFETY: the caller's promise.
            Addend::Rows(rows) => unsafe { _mm512_loadu_ps(rows.add(at).cast()) },
            Addend::Constant(value) => _mm512_castsi512_ps(_mm512_set1_epi32(value as i32)),
        }
    }
    }
}

/// The places in registers of tiles of four rows and sixteen columns of D.
#[derive(Clone, Copy)]
pub struct Places {
    n: usize,
    groups_per_block: usize,
    /// Groups of four rows lie beside each other: two to this.
    abreast: u32,
}

impl Places {
    pub fn new(shape: &Matrices) -> Places {
        let n = shape.n as usize;
        Places {
            n,
            groups_per_block: shape.m as usize / TILE,
            abreast: LANES.ilog2() - n.ilog2(),
        }
    }

    /// The first lane, counted from the first register on; the other rows are in the registers behind.
    #[inline]
    pub fn of(self, block: usize, row: usize, column: usize) -> usize {
        let group = row / TILE + self.groups_per_block * block;
        let slot = group & ((1 << self.abreast) - 1);
        LANES * TILE * (group >> self.abreast) + self.n * slot + column
    }
}

compiled_for! { Avx512:
/// All of D, unless an element of A or B is not ordinary.
///
/// # Safety
/// The host has the vectors; pointers lead to as many rows as `shape` says.
unsafe fn whole<const FORMAT: u8, const SUMS: u8>(
    operands: Operands,
    shape: &Matrices,
    sources: Sources,
) -> bool {
    let ([a, b], c, d) = (operands.inputs, operands.addend, operands.target);
    // A pair of bytes counts as one.
    let depth = if format_of(FORMAT) == Format::Byte {
        shape.k / 2
    } else {
        shape.k
    } as usize;
    let [m, n, blocks] = [shape.m, shape.n, shape.blocks].map(|size| size as usize);
    let (a_stride, b_stride) = (m * blocks, n * blocks);
    let mut sides = [const { MaybeUninit::<Side>::uninit() }; 2];
    let to = [sides[0].as_mut_ptr(), sides[1].as_mut_ptr()];
    // SAFETY: the caller's promises; `convert` gives values to all elements, which are what `tile` reads.
    unsafe {
        if !convert::<FORMAT, true>(a, a_stride, depth, to[0].cast())
            || !convert::<FORMAT, false>(b, b_stride, depth, to[1].cast())
        {
            return false;
        }
        let (a, b) = (to[0].cast::<f32>().cast_const(), to[1].cast::<f32>().cast_const());
        let places = Places::new(shape);
        let mut least = [_mm512_set1_ps(f32::INFINITY); 2];
        for block in 0..blocks {
            let first_row = sources.of(shape, block) * m;
            for row in (0..m).step_by(TILE) {
                let at = places.of(block, row, 0);
                let a = (a.add(place_in_a::<FORMAT>(0, first_row + row, a_stride)), a_stride);
                let b = (b.add(block * n), b_stride);
                if n == STEP {
                    tile::<FORMAT, SUMS, 1>(a, b, depth, c, d, at, &mut least);
                } else {
                    tile::<FORMAT, SUMS, 2>(a, b, depth, c, d, at, &mut least);
                }
            }
        }
        let least = _mm512_castps_si512(smaller(least[0], least[1]));
        if flushes(SUMS) && _mm512_testn_epi32_mask(least, exponents()) != 0 {
            flush(d.cast(), LANES * shape.outputs_per_lane() as usize, f32::MIN_POSITIVE);
        }
    }
    true
}
}

/// Returns `true` if the device makes zeros of denormals in C. Where a sum of products is not zero, it is far above all denormals, so that
/// the host need only do so with those that are left in D.
const fn flushes(sums: u8) -> bool {
    sums == Sums::Fours as u8 || sums == Sums::Pairs as u8
}

compiled_for! { Avx512:
/// Each element that is smaller than the other one, without its sign. A NaN is not.
#[inline]
fn smaller(a: __m512, b: __m512) -> __m512 {
    const SIZES: i32 = 0b1010;
    _mm512_range_ps::<SIZES>(a, b)
}
}

compiled_for! { Avx512:
/// The bits of singles that are zeros in denormals.
#[inline]
fn exponents() -> __m512i {
    _mm512_set1_epi32(0x7f80_0000)
}
}

/// The place of the element of A with this `k` and `row`.
const fn place_in_a<const FORMAT: u8>(k: usize, row: usize, stride: usize) -> usize {
    if FORMAT == Format::Half as u8 {
        k / 2 * 2 * stride + 2 * row + k % 2
    } else {
        k * stride + row
    }
}

compiled_for! { Avx512:
/// Four rows of `ACROSS` times sixteen columns. A value of A is loaded once for all columns. Where the device [`flushes`] denormals,
/// `least` keeps the smallest sizes.
///
/// # Safety
/// As of [`whole`]: `a` and `b` lead to the elements of the first `k`; those of the others lie behind them, A's as [`place_in_a`] says, B's
/// by multiples of the second number.
#[inline]
unsafe fn tile<const FORMAT: u8, const SUMS: u8, const ACROSS: usize>(
    (a, a_stride): (*const f32, usize),
    (b, b_stride): (*const f32, usize),
    depth: usize,
    c: Addend,
    d: *mut u32,
    at: usize,
    least: &mut [__m512; 2],
) {
    let zero = _mm512_setzero_ps();
    // SAFETY: the caller's promises.
    unsafe {
        let value = |k: usize, row: usize| {
            _mm512_set1_ps(a.add(place_in_a::<FORMAT>(k, row, a_stride)).read())
        };
        let columns = |k: usize, part: usize| _mm512_loadu_ps(b.add(k * b_stride + STEP * part));
        let mut sums = [[zero; ACROSS]; TILE];
        let mut row = 0;
        while row < TILE {
            let mut part = 0;
            while part < ACROSS {
                sums[row][part] = c.load(at + LANES * row + STEP * part);
                part += 1;
            }
            row += 1;
        }
        let taken = if SUMS == Sums::Fours as u8 {
            4
        } else if SUMS == Sums::Pairs as u8 {
            2
        } else {
            1
        };
        let mut k = 0;
        while k < depth {
            let mut b = [[zero; 4]; ACROSS];
            let mut part = 0;
            while part < ACROSS {
                let mut next = 0;
                while next < taken {
                    b[part][next] = columns(k + next, part);
                    next += 1;
                }
                part += 1;
            }
            let mut row = 0;
            while row < TILE {
                let mut a = [zero; 4];
                let mut next = 0;
                while next < taken {
                    a[next] = value(k + next, row);
                    next += 1;
                }
                let mut part = 0;
                while part < ACROSS {
                    let (b, sum) = (b[part], sums[row][part]);
                    // The products are exact, so that a fused multiply-add rounds as the sum of two products does. To begin with a zero
                    // keeps the sum of two negative zeros from being one, which would come out where C is one, too.
                    let pair = |k: usize| {
                        let first = _mm512_fmadd_ps(a[k], b[k], zero);
                        _mm512_fmadd_ps(a[k + 1], b[k + 1], first)
                    };
                    sums[row][part] = if SUMS == Sums::Fours as u8 {
                        _mm512_add_ps(sum, _mm512_add_ps(pair(0), pair(2)))
                    } else if SUMS == Sums::Pairs as u8 {
                        _mm512_add_ps(sum, pair(0))
                    } else if SUMS == Sums::Integers as u8 {
                        let [a, b, sum] = [a[0], b[0], sum].map(|x| _mm512_castps_si512(x));
                        _mm512_castsi512_ps(_mm512_add_epi32(sum, _mm512_madd_epi16(a, b)))
                    } else {
                        _mm512_fmadd_ps(a[0], b[0], sum)
                    };
                    part += 1;
                }
                row += 1;
            }
            k += taken;
        }
        let mut row = 0;
        while row < TILE {
            let mut part = 0;
            while part < ACROSS {
                let to = d.add(at + LANES * row + STEP * part);
                let sum = sums[row][part];
                _mm512_storeu_ps(to.cast(), sum);
                if flushes(SUMS) {
                    least[part] = smaller(least[part], sum);
                }
                part += 1;
            }
            row += 1;
        }
    }
}
}

compiled_for! { Avx512:
/// Reads A or B of `stride` rows (or columns, a power of two) in all blocks; false if an element is not ordinary.
///
/// # Safety
/// As of [`whole`]; `values` leads to room for all elements.
#[inline]
unsafe fn convert<const FORMAT: u8, const IS_A: bool>(
    from: *const u32,
    stride: usize,
    depth: usize,
    values: *mut f32,
) -> bool {
    let format = format_of(FORMAT);
    let mut extent = Extent {
        least: _mm512_set1_epi32(-1),
        most: _mm512_setzero_si512(),
    };
    let per_lane = stride * depth / LANES;
    // SAFETY: the caller's promises; there are `stride * depth` elements, of which every one is written.
    unsafe {
        for register in 0..per_lane / format.per_register() {
            for first in (0..LANES).step_by(STEP) {
                let words = from.add(LANES * register + first);
                let (part, column) = (first >> stride.trailing_zeros(), first & (stride - 1));
                let position = register * format.per_register() + per_lane * part;
                let to = values.add(position * stride);
                let [low, high] = elements::<FORMAT, IS_A>(words, &mut extent);
                if IS_A && format == Format::Half {
                    _mm512_storeu_ps(to.add(2 * column), low);
                    _mm512_storeu_ps(to.add(2 * column + STEP), high);
                    continue;
                }
                _mm512_storeu_ps(to.add(column), low);
                if format.per_register() > 1 {
                    _mm512_storeu_ps(to.add(stride + column), high);
                }
            }
        }
    }
    let reaches = |limit: i16| _mm512_cmpge_epu16_mask(extent.most, _mm512_set1_epi16(limit)) != 0;
    let below = |limit: i16| _mm512_cmplt_epu16_mask(extent.least, _mm512_set1_epi16(limit)) != 0;
    match format {
        Format::Single => _mm512_cmpge_epu32_mask(extent.most, _mm512_set1_epi32(0x7f80_0000)) == 0,
        Format::Half => {
            if below(0x3ff) {
                // SAFETY: that many values have just been written.
                unsafe { flush(values, stride * depth, 1.0 / 16384.0) };
            }
            !reaches(0x7c00)
        }
        // Between 2^-40 and 2^40 no product and no sum of products is a denormal, nor does any overflow.
        Format::Bfloat => !reaches((127 + 40) << 7) && !below(((127 - 40) << 7) - 1),
        Format::Byte => true,
    }
}
}

compiled_for! { Avx512:
/// Makes zeros of all values smaller than `least`. The signs of these zeros may be wrong: they matter neither to sums
/// that begin with a zero, nor to D, which has no negative zero.
///
/// # Safety
/// There are `count` values, a multiple of sixteen.
#[cold]
unsafe fn flush(values: *mut f32, count: usize, least: f32) {
    for first in (0..count).step_by(STEP) {
        // SAFETY: the caller's promise.
        unsafe {
            let value = _mm512_loadu_ps(values.add(first));
            let small = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(_mm512_abs_ps(value), _mm512_set1_ps(least));
            _mm512_mask_storeu_ps(values.add(first), small, _mm512_setzero_ps());
        }
    }
}
}

compiled_for! { Avx512:
/// The elements in sixteen words, one or two of each. For halves of A, the elements of eight words each.
///
/// # Safety
/// The host has the vectors; sixteen words are readable.
#[inline]
unsafe fn elements<const FORMAT: u8, const IS_A: bool>(words: *const u32, extent: &mut Extent) -> [__m512; 2] {
    // SAFETY: the caller's promise.
    let bits = unsafe { _mm512_loadu_si512(words.cast()) };
    match format_of(FORMAT) {
        Format::Single => {
            let size = _mm512_and_si512(bits, _mm512_set1_epi32(0x7fff_ffff));
            extent.most = _mm512_max_epu32(extent.most, size);
            [_mm512_castsi512_ps(bits); 2]
        }
        Format::Half => {
            extent.of_halves(bits);
            // SAFETY: the caller has promised sixteen words there.
            unsafe {
                match IS_A {
                    true => Zmm::load_widened_pairs(words),
                    false => halves(words),
                }
            }
        }
        Format::Bfloat => {
            extent.of_halves(bits);
            bfloats(bits)
        }
        Format::Byte => {
            let even = _mm512_srai_epi16::<8>(_mm512_slli_epi16::<8>(bits));
            let odd = _mm512_srai_epi16::<8>(bits);
            [_mm512_castsi512_ps(even), _mm512_castsi512_ps(odd)]
        }
    }
}
}

compiled_for! { Avx512:
/// The halves in sixteen words: all low ones, all high ones.
///
/// # Safety
/// The host has the vectors; sixteen words are readable.
#[inline]
pub unsafe fn halves(words: *const u32) -> [__m512; 2] {
    // SAFETY: the caller's promise.
    unsafe { Zmm::apart(Zmm::load_widened_pairs(words)) }
}
}

compiled_for! { Avx512:
/// The bfloat16 values in sixteen words.
///
/// # Safety
/// The host has the vectors.
#[inline]
pub fn bfloats(words: __m512i) -> [__m512; 2] {
    let high = _mm512_and_si512(words, _mm512_set1_epi32(0xffff_0000_u32 as i32));
    let low = _mm512_slli_epi32::<16>(words);
    [_mm512_castsi512_ps(low), _mm512_castsi512_ps(high)]
}
}
