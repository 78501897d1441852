//! Products of halves, bfloat16 values and eight-bit floats as gfx942 and gfx950 sum them, in vectors of 512 bits.
//!
//! Four rows of sixteen columns of D are summed at a time. Where all of C, the products and their sums are multiples of one unit and
//! fit the bits of a single above it, nothing is ever rounded, and a chain of fused multiply-adds gives the sum. Elsewhere
//! `aligned_sum` does what the device does, and where a C is not ordinary, `numerics` does it element by element.

use std::{arch::x86_64::*, mem::MaybeUninit};

use numerics::matrix::{self, Model, Place, Shape as Matrices};

pub(super) use super::aligned_side::{Format, Input};
use super::{
    aligned_side::{Extent, STEP, Side, Terms, convert},
    aligned_sum::{BIAS, TILE, eights, groups},
    tile::Addend,
};
use crate::{LANES, host_level::compiled_for};

/// Most `k` of any instruction.
const DEEPEST: usize = 128;

compiled_for! { Avx512:
/// The product if the operands allow it.
///
/// # Safety
/// The host has what [`crate::shell::Form::AVX512`] stands for; pointers lead to as many rows as `shape` says.
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
        let mut extents = [Extent {
            highest: 0,
            unit: None,
        }; 2];
        for index in 0..2 {
            let side = &mut sides[index];
            let extent = match inputs[index].format {
                Format::Half => convert::<0>(inputs[index], strides[index], depth, side),
                Format::Bfloat => convert::<1>(inputs[index], strides[index], depth, side),
                Format::Eight => convert::<2>(inputs[index], strides[index], depth, side),
            };
            match extent {
                Some(extent) => extents[index] = extent,
                None => return false,
            }
        }
        let outputs = shape.outputs_per_lane() as usize;
        // Elements are read from registers again where C is not ordinary, so these must still be what they were.
        if overlap(inputs, d, shape) && !all_ordinary(c, outputs) {
            return false;
        }
        let terms = [0, 1].map(|index| Terms::of(sides[index].as_ptr(), strides[index]));
        let sums = match inputs[0].format {
            Format::Eight => Sums::Halves,
            _ => Sums::Groups,
        };
        let unusual = |row, column, c| element(inputs, shape, row, column, c);
        sum(terms, extents, sums, (c, d), shape, source, unusual);
    }
    true
}
}

compiled_for! { Avx512:
/// The product of sides that were made elsewhere, summed as eight-bit floats are, if every C is ordinary.
///
/// # Safety
/// As of [`product`]; both sides have the elements that `shape` says, and C and D are the same registers or apart.
pub(super) unsafe fn product_of(
    sides: [&MaybeUninit<Side>; 2],
    extents: [Extent; 2],
    c: Addend,
    d: *mut u32,
    shape: &Matrices,
) -> bool {
    // SAFETY: the caller's promises.
    unsafe {
        if !all_ordinary(c, shape.outputs_per_lane() as usize) {
            return false;
        }
        let strides = [shape.m, shape.n].map(|side| side as usize);
        let terms = [0, 1].map(|index| Terms::of(sides[index].as_ptr(), strides[index]));
        let unusual = |_, _, _| unreachable!("every C is ordinary");
        sum(
            terms,
            extents,
            Sums::Halves,
            (c, d),
            shape,
            |block| block,
            unusual,
        );
    }
    true
}
}

/// Which products are cut alike.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sums {
    /// Eight after another, or all four.
    Groups,
    /// Of sixteen after another those of even and those of odd `k`.
    Halves,
}

compiled_for! { Avx512:
/// All of D. `unusual` sums an element of a row and a column, each with its block, where C is not ordinary.
///
/// # Safety
/// As of [`product`].
#[inline]
unsafe fn sum(
    [of_a, of_b]: [Terms; 2],
    extents: [Extent; 2],
    kind: Sums,
    (c, d): (Addend, *mut u32),
    shape: &Matrices,
    source: impl Fn(u32) -> u32,
    unusual: impl Fn([u32; 2], [u32; 2], u32) -> u32,
) {
    let depth = shape.k as usize;
    let magic = magic(extents, shape.k);
    // What the compiler knows to be at most eight it unrolls, which costs a fifth: see `cut`.
    let count = std::hint::black_box(depth.min(8));
    // SAFETY: the caller's promises.
    unsafe {
        for position in (0..shape.outputs_per_lane() as usize).step_by(TILE) {
            for first in (0..LANES).step_by(STEP) {
                let place = Place {
                    lane: first as u32,
                    position: position as u32,
                };
                let [row, column, block] = shape.element(place);
                let block_of_a = source(block);
                let a = of_a.from((block_of_a * shape.m + row) as usize);
                let b = of_b.from((block * shape.n + column) as usize);
                let at = LANES * position + first;
                let mut sums = addends(c, at);
                let fitting = magic.and_then(|magic| fitting(sums, magic));
                sums = if let Some(sums) = fitting {
                    chains(a, b, depth, sums)
                } else if !ordinary(sums) {
                    let each = |c, row_in_tile, column_in_tile| {
                        let row = [row + row_in_tile, block_of_a];
                        unusual(row, [column + column_in_tile, block], c)
                    };
                    one_by_one(sums, each)
                } else if kind == Sums::Halves {
                    eights(a, b, depth, count, sums)
                } else {
                    groups(a, b, depth, count, sums)
                };
                let mut row_in_tile = 0;
                while row_in_tile < TILE {
                    let to = d.add(at + LANES * row_in_tile);
                    _mm512_storeu_ps(to.cast(), sums[row_in_tile]);
                    row_in_tile += 1;
                }
            }
        }
    }
}
}

/// Whether D lies where A or B does.
fn overlap(inputs: [Input; 2], d: *mut u32, shape: &Matrices) -> bool {
    let bits = inputs[0].format.bits() * shape.inputs_per_lane() as usize;
    let [words, outputs] = [bits / 32, shape.outputs_per_lane() as usize].map(|rows| rows * LANES);
    let lies = |from: *const u32| {
        from < d.wrapping_add(outputs) && d.cast_const() < from.wrapping_add(words)
    };
    inputs.iter().any(|input| lies(input.rows))
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
/// Whether every C is [`ordinary`].
///
/// # Safety
/// The host has the vectors; C has `outputs` rows.
unsafe fn all_ordinary(c: Addend, outputs: usize) -> bool {
    (0..LANES * outputs).step_by(LANES * TILE).all(|row| {
        (0..LANES).step_by(STEP).all(|first| {
            // SAFETY: the caller's promise.
            unsafe { ordinary(addends(c, row + first)) }
        })
    })
}
}

/// What added to a single and subtracted again rounds it to the unit of all products, where that and all sums of products leave room
/// for each other in the bits of a single.
fn magic([a, b]: [Extent; 2], depth: u32) -> Option<f32> {
    let unit = a.unit? + b.unit?;
    // Each product is less than four times its power.
    let most = a.highest + b.highest + 2 + depth.ilog2() as i32;
    (most <= unit + 22).then(|| 1.5 * f32::from_bits(((unit + 23 + BIAS) as u32) << 23))
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

compiled_for! { Avx512:
/// Whether every C is zero or of ordinary size.
#[inline]
fn ordinary(c: [__m512; TILE]) -> bool {
    let mut other = 0;
    let mut row = 0;
    while row < TILE {
        let size = _mm512_slli_epi32::<1>(_mm512_castps_si512(c[row]));
        let from_least = _mm512_sub_epi32(size, _mm512_set1_epi32(40 << 24));
        let most = _mm512_set1_epi32(((250 - 40) << 24) as u32 as i32);
        let outside = _mm512_cmpgt_epu32_mask(from_least, most);
        other |= _mm512_mask_test_epi32_mask(outside, size, size);
        row += 1;
    }
    other == 0
}
}

compiled_for! { Avx512:
/// `element` of every C, its row and its column.
#[cold]
fn one_by_one(c: [__m512; TILE], element: impl Fn(u32, u32, u32) -> u32) -> [__m512; TILE] {
    let mut sums = c;
    for (row, sum) in (0..).zip(&mut sums) {
        let mut bits = [0u32; STEP];
        // SAFETY: both are sixteen words.
        unsafe {
            _mm512_storeu_ps(bits.as_mut_ptr().cast(), *sum);
            for (column, bits) in (0..).zip(&mut bits) {
                *bits = element(*bits, row, column);
            }
            *sum = _mm512_loadu_ps(bits.as_ptr().cast());
        }
    }
    sums
}
}

/// One element of D, of a row and a column and their blocks of A and B.
///
/// # Safety
/// As of [`product`].
unsafe fn element(
    inputs: [Input; 2],
    shape: &Matrices,
    [row, block_of_a]: [u32; 2],
    [column, block]: [u32; 2],
    c: u32,
) -> u32 {
    let bits = inputs[0].format.bits();
    let mut terms = [[0u16; DEEPEST]; 2];
    for k in 0..shape.k {
        let places = [
            shape.a(row, k, block_of_a, 0, 0),
            shape.b(column, k, block, 0),
        ];
        for (index, place) in places.into_iter().enumerate() {
            let bit = place.position as usize * bits;
            let word = LANES * (bit / 32) + place.lane as usize;
            // SAFETY: the caller's promise.
            let word = unsafe { inputs[index].rows.add(word).read() };
            terms[index][k as usize] = (word >> (bit % 32) & (!0 >> (32 - bits))) as u16;
        }
    }
    let [a, b] = terms.each_ref().map(|terms| &terms[..shape.k as usize]);
    let bytes = |terms: &[u16]| terms.iter().map(|&bits| bits as u8).collect::<Vec<_>>();
    match inputs[0].format {
        Format::Half => matrix::accumulate_f16(Model::Mfma3, c, a, b),
        Format::Bfloat => matrix::accumulate_bf16(Model::Mfma3, c, a, b),
        Format::Eight => {
            let [p, q] = inputs.map(|input| input.eight);
            matrix::accumulate_fp8(c, &bytes(a), p, &bytes(b), q)
        }
    }
}
