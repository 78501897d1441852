//! Products of halves, bfloat16 values and eight-bit floats as gfx942 and gfx950 sum them, in vectors of 512 bits.
//!
//! The functions sum four rows of sixteen columns of D at a time. If C, all products and all sums are multiples of one unit and fit the
//! bits of a single above it, a chain of fused multiply-adds rounds nothing and gives the sum. Elsewhere `sum` does what the device
//! does, or `wide` where singles are too small for products of bfloat16 values.

use std::{arch::x86_64::*, mem::MaybeUninit};

use numerics::matrix::Shape as Matrices;

pub use super::side::{Format, Input};
use super::{
    Addend, Sources,
    ordinary::Places,
    side::{Extent, MOST, SCALES, STEP, Side, Terms, convert, unit},
    sum::{self, BIAS, SMALL, Scales, TILE, columns},
    whole::{self, Block, DEPTH},
    wide,
};
use crate::{LANES, compiled_for};

compiled_for! { Avx512:
/// The product if the operands allow it.
///
/// # Safety
/// The host has what [`crate::level::Level::Avx512`] stands for; pointers lead to as many rows as `shape` says.
pub unsafe fn product(
    inputs: [Input; 2],
    (c, d): (Addend, *mut u32),
    shape: &Matrices,
    sources: Sources,
) -> bool {
    let blocks = shape.blocks as usize;
    let strides = [shape.m as usize * blocks, shape.n as usize * blocks];
    let depth = shape.k as usize;
    // SAFETY: the caller's promises; `convert` gives values to all that is read.
    unsafe {
        let mut sides = [const { MaybeUninit::<Side>::uninit() }; 2];
        let mut extents = [None; 2];
        for index in 0..2 {
            let side = &mut sides[index];
            extents[index] = match inputs[index].format {
                Format::Half => convert::<0>(inputs[index], SCALES[index], strides[index], depth, side),
                Format::Bfloat => convert::<1>(inputs[index], SCALES[index], strides[index], depth, side),
                Format::Eight => convert::<2>(inputs[index], SCALES[index], strides[index], depth, side),
            };
        }
        let [Some(of_a), Some(of_b)] = extents else {
            return false;
        };
        let terms = [0, 1].map(|index| Terms::of(sides[index].as_ptr(), strides[index]));
        if !Extent::fit([of_a, of_b]) {
            return inputs[0].format == Format::Bfloat
                && wide::product(terms, [of_a, of_b], (c, d), shape, sources);
        }
        let together = match inputs[0].format {
            Format::Eight => Together::Halves,
            _ => Together::Groups,
        };
        sum(terms, [of_a, of_b], together, (c, d), shape, sources);
    }
    true
}
}

compiled_for! { Avx512:
/// The product of sides that were made elsewhere, summed as eight-bit floats are.
///
/// # Safety
/// As of [`product`]; both sides have the elements that `shape` says, and C and D are the same registers or apart.
pub unsafe fn product_of(
    sides: [&MaybeUninit<Side>; 2],
    extents: [Extent; 2],
    c: Addend,
    d: *mut u32,
    shape: &Matrices,
) {
    let strides = [shape.m, shape.n].map(|side| side as usize);
    // SAFETY: the caller's promises.
    unsafe {
        let terms = [0, 1].map(|index| Terms::of(sides[index].as_ptr(), strides[index]));
        sum(terms, extents, Together::Halves, (c, d), shape, Sources::OWN);
    }
}
}

/// The products that are cut alike.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Together {
    /// Eight after another, or all four.
    Groups,
    /// In sixteen consecutive ones, those of even and those of odd `k`.
    Halves,
}

/// Most tiles of the same columns.
const MOST_PLACES: usize = 8;

compiled_for! { Avx512:
/// All of D.
///
/// # Safety
/// As of [`product`].
#[inline]
unsafe fn sum(
    [of_a, of_b]: [Terms; 2],
    extents: [Extent; 2],
    together: Together,
    (c, d): (Addend, *mut u32),
    shape: &Matrices,
    sources: Sources,
) {
    let [m, n, depth] = [shape.m, shape.n, shape.k].map(|size| size as usize);
    let blocks = shape.blocks as usize;
    // SAFETY: the caller's promises.
    let magic = unsafe { magic([of_a, of_b], extents, [m, n].map(|side| side * blocks * depth), depth) };
    let are_small = extents[0].highest + extents[1].highest <= SMALL;
    let mut wholes = None;
    let of_tiles = Places::new(shape);
    for block in 0..blocks {
        let first_row = sources.of(shape, block) * m;
        for column in (0..n).step_by(STEP) {
            // Where the tiles that are to be cut lie: in A, and in D's registers.
            let mut places = [(0, 0); MOST_PLACES];
            let mut count = 0;
            // SAFETY: the caller's promises.
            unsafe {
                let b = of_b.from(block * n + column);
                for row in (0..m).step_by(TILE) {
                    let at = of_tiles.of(block, row, column);
                    places[count] = (first_row + row, at);
                    count += 1;
                    let Some(magic) = magic else { continue };
                    if let Some(sums) = fitting(addends(c, at), magic) {
                        let sums = chains(of_a.from(first_row + row), b, depth, sums);
                        store(d, at, sums);
                        count -= 1;
                    }
                }
                let places = &places[..count];
                if places.is_empty() {
                    continue;
                }
                macro_rules! cut {
                    ($stride:literal) => {
                        match together {
                            Together::Halves => {
                                let wholes = wholes.get_or_insert_with(|| blocks_of(of_a, extents[0], depth));
                                let a = (of_a, &*wholes);
                                cut_halves::<$stride>(a, (b, extents[1]), depth, places, (c, d));
                            }
                            Together::Groups => {
                                let cut = match (depth.is_multiple_of(8), are_small) {
                                    (true, true) => cut_groups::<8, $stride, true>,
                                    (true, false) => cut_groups::<8, $stride, false>,
                                    (false, true) => cut_groups::<4, $stride, true>,
                                    (false, false) => cut_groups::<4, $stride, false>,
                                };
                                cut(of_a, b, depth, places, (c, d));
                            }
                        }
                    };
                }
                match of_a.stride {
                    16 => cut!(16),
                    32 => cut!(32),
                    _ => cut!(64),
                }
            }
        }
    }
}
}

/// Tiles of the same columns: where each starts in A and in D's registers.
type Tiles<'a> = &'a [(usize, usize)];

compiled_for! { Avx512:
/// D's tiles at `places`, `COUNT` products cut together.
///
/// # Safety
/// As of [`product`]; `STRIDE` is A's, and products `ARE_SMALL` as [`sum::group`] says.
unsafe fn cut_groups<const COUNT: usize, const STRIDE: usize, const ARE_SMALL: bool>(
    a: Terms,
    b: Terms,
    depth: usize,
    places: Tiles,
    (c, d): (Addend, *mut u32),
) {
    let mut c = c;
    let mut k = 0;
    while k < depth {
        // SAFETY: the caller's promises.
        unsafe {
            let b = b.from(k * b.stride);
            let columns = columns::<COUNT>(b, 1);
            let a = a.from(k * STRIDE);
            let mut scales = [MaybeUninit::<Scales>::uninit(); MOST_PLACES];
            for (&(row, _), of_row) in places.iter().zip(&mut scales) {
                of_row.write(sum::scales::<COUNT, STRIDE>(a.from(row), 1, &columns.scales));
            }
            for (&(row, at), of_row) in places.iter().zip(&scales) {
                let of_row = of_row.assume_init_ref();
                let products =
                    sum::group::<STRIDE, ARE_SMALL>(a.from(row), b, COUNT, of_row);
                store(d, at, sum::add::<false>(addends(c, at), &products));
            }
        }
        c = Addend::Rows(d);
        k += COUNT;
    }
}
}

/// Most blocks of a side.
const MOST_BLOCKS: usize = MOST / (STEP * DEPTH);

compiled_for! { Avx512:
/// All blocks of A, for every sixteen `k` those of all rows.
///
/// # Safety
/// As of [`product`].
unsafe fn blocks_of(a: Terms, extent: Extent, depth: usize) -> [Option<Block>; MOST_BLOCKS] {
    let per_step = a.stride / STEP;
    let mut blocks = [None; MOST_BLOCKS];
    for (index, block) in blocks[..depth / DEPTH * per_step].iter_mut().enumerate() {
        let first = index / per_step * DEPTH * a.stride + index % per_step * STEP;
        // SAFETY: the caller's promise.
        *block = unsafe { whole::block(a.from(first), SCALES[0], extent) };
    }
    blocks
}
}

compiled_for! { Avx512:
/// The same for eight-bit floats.
///
/// # Safety
/// As of [`cut_groups`].
unsafe fn cut_halves<const STRIDE: usize>(
    (a, blocks): (Terms, &[Option<Block>; MOST_BLOCKS]),
    (b, extent): (Terms, Extent),
    depth: usize,
    places: Tiles,
    (c, d): (Addend, *mut u32),
) {
    let mut c = c;
    let mut k = 0;
    while k < depth {
        // SAFETY: the caller's promises.
        unsafe {
            let b = b.from(k * b.stride);
            let block_of_b = whole::block(b, SCALES[1], extent);
            let all = columns::<DEPTH>(b, 1);
            let of_step = &blocks[k / DEPTH * (STRIDE / STEP)..];
            let a = a.from(k * STRIDE);
            for &(row, at) in places {
                let a = a.from(row);
                let whole = match (&of_step[row / STEP], &block_of_b) {
                    (Some(x), Some(y)) => {
                        whole::sums::<STRIDE>((a, x, row % STEP), y, &all.scales)
                    }
                    _ => None,
                };
                let products = match whole {
                    Some(products) => products,
                    None => sum::halves::<STRIDE>(a, b),
                };
                store(d, at, sum::add::<true>(addends(c, at), &products));
            }
        }
        c = Addend::Rows(d);
        k += DEPTH;
    }
}
}

compiled_for! { Avx512:
/// Writes four rows of D.
///
/// # Safety
/// The rows exist.
#[inline]
unsafe fn store(d: *mut u32, at: usize, sums: [__m512; TILE]) {
    let mut row = 0;
    while row < TILE {
        // SAFETY: the caller's promise.
        unsafe { _mm512_storeu_ps(d.add(at + LANES * row).cast(), sums[row]) };
        row += 1;
    }
}
}

compiled_for! { Avx512:
/// Four rows of C.
///
/// # Safety
/// As of [`Addend::load`].
#[inline]
unsafe fn addends(c: Addend, at: usize) -> [__m512; TILE] {
    let mut addends = [_mm512_setzero_ps(); TILE];
    let mut row = 0;
    while row < TILE {
        // SAFETY: the caller's promise.
        addends[row] = unsafe { c.load(at + LANES * row) };
        row += 1;
    }
    addends
}
}

compiled_for! { Avx512:
/// A number that rounds a single to the unit of all products when it is added and subtracted again. It exists where the
/// unit and all sums of products leave room for each other in the bits of a single.
///
/// # Safety
/// The host has the vectors; the sides have `counts` elements.
#[inline]
unsafe fn magic(sides: [Terms; 2], [a, b]: [Extent; 2], counts: [usize; 2], depth: usize) -> Option<f32> {
    // Each product is less than four times its power.
    let most = a.highest + b.highest + 2 + depth.ilog2() as i32;
    // No unit is larger than the smallest value.
    // Units of what is far smaller than anything else are not looked for.
    let tiny = a.highest.min(b.highest) < -100;
    if tiny || most > a.lowest + b.lowest + 22 {
        return None;
    }
    let unit = |counts: [usize; 2]| {
        // SAFETY: the caller's promises.
        unsafe {
            let of_a = unit(sides[0].values, counts[0], a.highest)?;
            Some(of_a + unit(sides[1].values, counts[1], b.highest)?)
        }
    };
    // The first values show it for most operands without such a unit.
    if most > unit([STEP; 2])? + 22 {
        return None;
    }
    let unit = unit(counts)?;
    (most <= unit + 22).then(|| 1.5 * f32::from_bits(((unit + 23 + BIAS) as u32) << 23))
}
}

compiled_for! { Avx512:
/// C where it is a multiple of the unit, too, and as small as the sum of the products may be.
#[inline]
fn fitting(c: [__m512; TILE], magic: f32) -> Option<[__m512; TILE]> {
    let magic = _mm512_set1_ps(magic);
    let mut sums = c;
    let mut others = 0;
    let mut far = _mm512_setzero_si512();
    let mut row = 0;
    while row < TILE {
        let shifted = _mm512_add_ps(c[row], magic);
        // A negative zero becomes a positive one, as it does in a sum of the device.
        sums[row] = _mm512_sub_ps(shifted, magic);
        others |= _mm512_cmp_ps_mask::<_CMP_NEQ_UQ>(sums[row], c[row]);
        let changed = _mm512_xor_si512(_mm512_castps_si512(shifted), _mm512_castps_si512(magic));
        far = _mm512_or_si512(far, changed);
        row += 1;
    }
    // Sums of another exponent than the constant's were too large for it.
    let exponents = _mm512_set1_epi32(0xff80_0000_u32 as i32);
    (others == 0 && _mm512_test_epi32_mask(far, exponents) == 0).then_some(sums)
}
}

compiled_for! { Avx512:
/// The sums where nothing is rounded.
///
/// # Safety
/// The host has the vectors; the terms exist.
#[inline]
unsafe fn chains(a: Terms, b: Terms, depth: usize, c: [__m512; TILE]) -> [__m512; TILE] {
    let mut sums = c;
    let mut k = 0;
    while k < depth {
        // SAFETY: the caller's promises.
        unsafe {
            let columns = _mm512_loadu_ps(b.values.add(k * b.stride));
            let mut row = 0;
            while row < TILE {
                let value = _mm512_set1_ps(a.values.add(k * a.stride + row).read());
                sums[row] = _mm512_fmadd_ps(value, columns, sums[row]);
                row += 1;
            }
        }
        k += 1;
    }
    sums
}
}
