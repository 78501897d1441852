//! Matrix products of ordinary numbers in vectors of 512 bits.
//!
//! Operands are converted once: of A single values, which the host repeats when it loads them, of B vectors of sixteen columns. Four
//! rows of D are then summed at a time. What is done to every element, in which order and with how many roundings, is what
//! `numerics::matrix` does; values for which the host's arithmetic would not do (NaNs, infinities, denormals where they are flushed)
//! are found before anything is written, and the product is left to the other path.

use std::{arch::x86_64::*, mem::MaybeUninit};

use numerics::convert::Fp8;
use numerics::matrix::{Kind, Model, Shape as Matrices};

use super::{aligned_tile, host_vector::widened_at};
use crate::{
    LANES,
    host_level::compiled_for,
    micro_op::{MicroOp, SrcKind},
    state::Wave,
};

/// Lanes of a host vector.
const STEP: usize = 16;
/// Rows of D that are summed at a time.
const TILE: usize = 4;
/// Most elements of A or B.
const MOST: usize = 1024;

/// How the terms of an element are added to C.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sums {
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
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
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
    /// Those of both halves of words, too.
    #[inline]
    fn of_halves(&mut self, words: __m512i) {
        let size = _mm512_and_si512(words, _mm512_set1_epi16(0x7fff));
        self.most = _mm512_max_epu16(self.most, size);
        let less = _mm512_sub_epi16(size, _mm512_set1_epi16(1));
        self.least = _mm512_min_epu16(self.least, less);
    }
    }
}

/// Elements of A or B: for each `k` those of all rows (or columns) of all blocks.
#[repr(C, align(64))]
struct Side {
    values: [MaybeUninit<u32>; MOST],
    stride: usize,
}

/// The product if the operands allow it.
///
/// # Safety
/// The host has what [`crate::shell::Form::AVX512`] stands for.
#[inline]
pub(super) unsafe fn product(
    wave: &mut Wave,
    op: &MicroOp,
    shape: &Matrices,
    kind: Kind,
    model: Model,
    eight: [Fp8; 2],
    source: impl Fn(u32) -> u32,
) -> bool {
    let aligned = match (kind, model) {
        (Kind::F16, Model::Mfma3) => Some([aligned_tile::Format::Half; 2]),
        (Kind::Bf16, Model::Mfma3) => Some([aligned_tile::Format::Bfloat; 2]),
        (Kind::Fp8 { .. }, _) => Some([aligned_tile::Format::Eight; 2]),
        _ => None,
    };
    let (format, sums) = match (kind, model) {
        // What these are is not asked for.
        _ if aligned.is_some() => (Format::Half, Sums::Chain),
        (Kind::F32, _) => (Format::Single, Sums::Chain),
        (Kind::F16, Model::Mfma2) => (Format::Half, Sums::Fours),
        (Kind::Bf16, Model::Mfma2) => (Format::Bfloat, Sums::Fours),
        (Kind::Bf16Pairs, Model::Mfma2) => (Format::Bfloat, Sums::Pairs),
        (Kind::I8, _) => (Format::Byte, Sums::Integers),
        _ => return false,
    };
    // Sixteen lanes must be columns of one row, and no place of C may be written before it is read.
    let words = shape.outputs_per_lane() as u16;
    let (c, d) = (op.src[2].index, op.dst);
    let apart = op.src[2].kind != SrcKind::Vector || c == d || c + words <= d || d + words <= c;
    if (shape.n as usize) < STEP || !apart {
        return false;
    }
    let rows = |index: u16| wave.rows[index as usize..].as_ptr().cast::<u32>();
    let [a, b] = [rows(op.src[0].index), rows(op.src[1].index)];
    let addend = if op.src[2].kind == SrcKind::Vector {
        Addend::Rows(rows(c))
    } else {
        Addend::Constant(wave.uniform(op, 2) as u32)
    };
    let target = wave.rows[d as usize..].as_mut_ptr().cast::<u32>();
    // SAFETY: the caller's promise; decoding checked that all registers of the operands exist.
    unsafe {
        if let Some([first, second]) = aligned {
            let input = |rows, format, eight| aligned_tile::Input {
                rows,
                format,
                eight,
            };
            let inputs = [input(a, first, eight[0]), input(b, second, eight[1])];
            return aligned_tile::product(inputs, addend, target, shape, source);
        }
        match (format, sums) {
            (Format::Single, _) => whole::<{ Format::Single as u8 }, { Sums::Chain as u8 }>(
                a, b, addend, target, shape, source,
            ),
            (Format::Half, _) => whole::<{ Format::Half as u8 }, { Sums::Fours as u8 }>(
                a, b, addend, target, shape, source,
            ),
            (Format::Bfloat, Sums::Pairs) => {
                whole::<{ Format::Bfloat as u8 }, { Sums::Pairs as u8 }>(
                    a, b, addend, target, shape, source,
                )
            }
            (Format::Bfloat, _) => whole::<{ Format::Bfloat as u8 }, { Sums::Fours as u8 }>(
                a, b, addend, target, shape, source,
            ),
            (Format::Byte, _) => whole::<{ Format::Byte as u8 }, { Sums::Integers as u8 }>(
                a, b, addend, target, shape, source,
            ),
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

/// Where C comes from.
#[derive(Clone, Copy)]
pub(super) enum Addend {
    Rows(*const u32),
    Constant(u32),
}

impl Addend {
    compiled_for! { Avx512:
    /// # Safety
    /// The host has the vectors; `at` is inside of C's rows.
    #[inline]
    pub(super) unsafe fn load(self, at: usize) -> __m512 {
        match self {
            // SAFETY: the caller's promise.
            Addend::Rows(rows) => unsafe { _mm512_loadu_ps(rows.add(at).cast()) },
            Addend::Constant(value) => _mm512_castsi512_ps(_mm512_set1_epi32(value as i32)),
        }
    }
    }
}

/// Where tiles of four rows and sixteen columns of D lie in registers.
#[derive(Clone, Copy)]
pub(super) struct Places {
    n: usize,
    groups_per_block: usize,
    /// Groups of four rows lie beside each other: two to this.
    abreast: u32,
}

impl Places {
    pub(super) fn new(shape: &Matrices) -> Places {
        let n = shape.n as usize;
        Places {
            n,
            groups_per_block: shape.m as usize / TILE,
            abreast: LANES.ilog2() - n.ilog2(),
        }
    }

    /// The first lane, counted from the first register on; the other rows are in the registers behind.
    #[inline]
    pub(super) fn of(self, block: usize, row: usize, column: usize) -> usize {
        let group = row / TILE + self.groups_per_block * block;
        let slot = group & ((1 << self.abreast) - 1);
        LANES * TILE * (group >> self.abreast) + self.n * slot + column
    }
}

compiled_for! { Avx512:
/// All of D, unless an operand is not ordinary.
///
/// # Safety
/// The host has the vectors; pointers lead to as many rows as `shape` says.
unsafe fn whole<const FORMAT: u8, const SUMS: u8>(
    a: *const u32,
    b: *const u32,
    c: Addend,
    d: *mut u32,
    shape: &Matrices,
    source: impl Fn(u32) -> u32,
) -> bool {
    let format = format_of(FORMAT);
    // Of bytes a pair counts as one.
    let depth = if format == Format::Byte {
        shape.k / 2
    } else {
        shape.k
    } as usize;
    let blocks = shape.blocks as usize;
    // SAFETY: the caller's promises.
    unsafe {
        let mut sides = [const { MaybeUninit::<Side>::uninit() }; 2];
        for (index, (from, side)) in [(a, shape.m), (b, shape.n)].into_iter().enumerate() {
            let stride = side as usize * blocks;
            if !convert::<FORMAT>(from, stride, depth, sides[index].as_mut_ptr()) {
                return false;
            }
        }
        let outputs = shape.outputs_per_lane() as usize;
        if SUMS != Sums::Integers as u8 && !ordinary::<SUMS>(c, outputs) {
            return false;
        }
        let [m, n] = [shape.m, shape.n].map(|side| side as usize);
        let [a, b] = sides.each_ref().map(|side| {
            let side = side.as_ptr();
            ((&raw const (*side).values).cast::<f32>(), (*side).stride)
        });
        let places = Places::new(shape);
        for block in 0..blocks {
            let first_row = source(block as u32) as usize * m;
            for row in (0..m).step_by(TILE) {
                let at = places.of(block, row, 0);
                let a = (a.0.add(first_row + row), a.1);
                let b = (b.0.add(block * n), b.1);
                if n == STEP {
                    tile::<SUMS, 1>(a, b, depth, c, d, at);
                } else {
                    tile::<SUMS, 2>(a, b, depth, c, d, at);
                }
            }
        }
    }
    true
}
}

compiled_for! { Avx512:
/// Four rows of `ACROSS` times sixteen columns. A value of A is loaded once for all columns.
///
/// # Safety
/// As of [`whole`]: `a` and `b` lead to the elements of the first `k`, those of the others are multiples of the second numbers further.
#[inline]
unsafe fn tile<const SUMS: u8, const ACROSS: usize>(
    (a, a_stride): (*const f32, usize),
    (b, b_stride): (*const f32, usize),
    depth: usize,
    c: Addend,
    d: *mut u32,
    at: usize,
) {
    // SAFETY: the caller's promises.
    unsafe {
        let value = |k: usize, row: usize| _mm512_set1_ps(a.add(k * a_stride + row).read());
        let columns = |k: usize, part: usize| _mm512_loadu_ps(b.add(k * b_stride + STEP * part));
        let mut sums = [[_mm512_setzero_ps(); ACROSS]; TILE];
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
            let mut b = [[_mm512_setzero_ps(); 4]; ACROSS];
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
                let mut a = [_mm512_setzero_ps(); 4];
                let mut next = 0;
                while next < taken {
                    a[next] = value(k + next, row);
                    next += 1;
                }
                let mut part = 0;
                while part < ACROSS {
                    let (b, sum) = (b[part], sums[row][part]);
                    sums[row][part] = if SUMS == Sums::Fours as u8 {
                        // The products are exact, so that a fused multiply-add rounds as the sum of two products does.
                        let first = _mm512_fmadd_ps(a[1], b[1], _mm512_mul_ps(a[0], b[0]));
                        let second = _mm512_fmadd_ps(a[3], b[3], _mm512_mul_ps(a[2], b[2]));
                        _mm512_add_ps(sum, _mm512_add_ps(first, second))
                    } else if SUMS == Sums::Pairs as u8 {
                        let pair = _mm512_fmadd_ps(a[1], b[1], _mm512_mul_ps(a[0], b[0]));
                        _mm512_add_ps(sum, pair)
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
                _mm512_storeu_ps(to.cast(), sums[row][part]);
                part += 1;
            }
            row += 1;
        }
    }
}
}

compiled_for! { Avx512:
/// Reads A or B of `stride` rows (or columns) in all blocks; false if an element is not ordinary.
///
/// # Safety
/// As of [`whole`].
#[inline]
unsafe fn convert<const FORMAT: u8>(
    from: *const u32,
    stride: usize,
    depth: usize,
    side: *mut Side,
) -> bool {
    let format = format_of(FORMAT);
    let mut extent = Extent {
        least: _mm512_set1_epi32(-1),
        most: _mm512_setzero_si512(),
    };
    let per_lane = stride * depth / LANES;
    // SAFETY: the caller's promises; there are `stride * depth` elements, of which every one is written.
    unsafe {
        (*side).stride = stride;
        let values = (&raw mut (*side).values).cast::<f32>();
        for register in 0..per_lane / format.per_register() {
            for first in (0..LANES).step_by(STEP) {
                let words = from.add(LANES * register + first);
                let (part, column) = (first / stride, first % stride);
                let position = register * format.per_register() + per_lane * part;
                let [low, high] = elements::<FORMAT>(words, &mut extent);
                _mm512_storeu_ps(values.add(position * stride + column), low);
                if format.per_register() > 1 {
                    _mm512_storeu_ps(values.add((position + 1) * stride + column), high);
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
                // SAFETY: `convert` wrote as many values.
                unsafe { flush((&raw mut (*side).values).cast(), stride * depth) };
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
/// Makes zeros of what was a denormal half. That zeros keep their signs does not matter: no C is a negative zero.
///
/// # Safety
/// There are `count` values, a multiple of sixteen.
#[cold]
unsafe fn flush(values: *mut f32, count: usize) {
    for first in (0..count).step_by(STEP) {
        // SAFETY: the caller's promise.
        unsafe {
            let value = _mm512_loadu_ps(values.add(first));
            let least = _mm512_set1_ps(1.0 / 16384.0);
            let normal = _mm512_cmp_ps_mask::<_CMP_GE_OQ>(_mm512_abs_ps(value), least);
            _mm512_storeu_ps(values.add(first), _mm512_maskz_mov_ps(normal, value));
        }
    }
}
}

compiled_for! { Avx512:
/// The elements in sixteen words, one or two of each.
///
/// # Safety
/// The host has the vectors; sixteen words are readable.
#[inline]
unsafe fn elements<const FORMAT: u8>(words: *const u32, extent: &mut Extent) -> [__m512; 2] {
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
            // SAFETY: as above.
            unsafe { halves(words) }
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
pub(super) unsafe fn halves(words: *const u32) -> [__m512; 2] {
    // SAFETY: the caller's promise.
    unsafe {
        let (first, second) = (widened_at(words), widened_at(words.add(8)));
        let low = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        let high = _mm512_add_epi32(low, _mm512_set1_epi32(1));
        [
            _mm512_permutex2var_ps(first, low, second),
            _mm512_permutex2var_ps(first, high, second),
        ]
    }
}
}

compiled_for! { Avx512:
/// The bfloat16 values in sixteen words.
#[inline]
pub(super) fn bfloats(words: __m512i) -> [__m512; 2] {
    let high = _mm512_and_si512(words, _mm512_set1_epi32(0xffff_0000_u32 as i32));
    let low = _mm512_slli_epi32::<16>(words);
    [_mm512_castsi512_ps(low), _mm512_castsi512_ps(high)]
}
}

compiled_for! { Avx512:
/// Whether C has no NaNs and, where denormals are flushed, no denormals and no negative zeros.
///
/// # Safety
/// As of [`whole`].
#[inline]
unsafe fn ordinary<const SUMS: u8>(c: Addend, outputs: usize) -> bool {
    // Quiet and signalling NaNs; negative zeros, denormals.
    const NAN: i32 = 0x81;
    const FLUSHED: i32 = 0x24;
    let class = |x: __m512| {
        if SUMS == Sums::Chain as u8 {
            _mm512_fpclass_ps_mask::<NAN>(x)
        } else {
            _mm512_fpclass_ps_mask::<{ NAN | FLUSHED }>(x)
        }
    };
    let rows = if matches!(c, Addend::Constant(_)) {
        1
    } else {
        outputs
    };
    let mut other = 0;
    for row in 0..rows {
        let mut first = 0;
        while first < LANES {
            // SAFETY: the caller's promise.
            other |= class(unsafe { c.load(LANES * row + first) });
            first += STEP;
        }
    }
    other == 0
}
}
