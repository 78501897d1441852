//! Products of halves and bfloat16 values as gfx942 and gfx950 sum them, sixteen elements at a time.
//!
//! [`numerics::matrix::accumulate_f16`] computes with integers. This file computes the same in the host's floats, where each step is
//! exact. A product of such values fits a single. To cut it at a multiple of a power of two, the code scales it and converts it to an
//! integer. The sum that it adds to C fits a double. Products that are too small or too large for singles, as those of bfloat16
//! denormals are, are cut in doubles. The rule for single elements takes products that may be infinite or no number.

use numerics::matrix::Shape as Matrices;

use super::terms::{Inputs, load, store};
use crate::{
    micro_op::{MicroOp, SrcKind},
    ports::lanes,
    rows::loops::GROUP,
    state::{VectorRow, Wave},
};

/// Exponent of a zero: far below all others.
const NONE: i16 = -4096;
/// Products whose exponent is at or above this, or below its negative, need doubles.
const LIMIT: i16 = 100;
/// Exponent of the smallest products that there are.
const LEAST: i16 = -252;
/// Products of larger exponents may be infinite and are left to the other path.
const HIGHEST: i16 = 125;

/// A value taken apart.
#[derive(Clone, Copy)]
struct Part {
    value: f32,
    exponent: i16,
}

#[inline(always)]
fn half(bits: u16) -> Part {
    let exponent = (bits >> 10 & 31).max(1) as i16 - 15;
    Part {
        value: f32::from_bits(numerics::convert::f32_from_f16_exact(bits)),
        exponent: if bits & 0x7fff == 0 { NONE } else { exponent },
    }
}

#[inline(always)]
fn bfloat(bits: u16) -> Part {
    let exponent = (bits >> 7 & 255).max(1) as i16 - 127;
    Part {
        value: f32::from_bits(u32::from(bits) << 16),
        exponent: if bits & 0x7fff == 0 { NONE } else { exponent },
    }
}

/// A or B: values and exponents, and what the exponents lie between.
struct Side {
    values: Inputs<f32>,
    exponents: Inputs<i16>,
    lowest: i16,
    highest: i16,
}

impl Side {
    #[inline(always)]
    fn new(
        shape: &Matrices,
        side: u32,
        rows: &[VectorRow],
        part: impl Fn(u16) -> Part,
        source: impl Fn(u32) -> u32,
    ) -> Side {
        let (mut lowest, mut highest) = (i16::MAX, i16::MIN);
        let of = |position: u32| {
            let words = &rows[position as usize / 2].0;
            let shift = 16 * (position % 2);
            lanes::<Part, { crate::LANES }>(
                #[inline(always)]
                |lane| part((words[lane] >> shift) as u16),
            )
        };
        let per_lane = shape.k * side * shape.blocks / crate::LANES as u32;
        for position in 0..per_lane {
            for part in of(position) {
                highest = highest.max(part.exponent);
                lowest = lowest.min(if part.exponent == NONE {
                    i16::MAX
                } else {
                    part.exponent
                });
            }
        }
        Side {
            values: Inputs::new(
                shape,
                side,
                #[inline(always)]
                |position| {
                    let parts = of(position);
                    lanes(
                        #[inline(always)]
                        |lane| parts[lane].value,
                    )
                },
                &source,
            ),
            exponents: Inputs::new(
                shape,
                side,
                #[inline(always)]
                |position| {
                    let parts = of(position);
                    lanes(
                        #[inline(always)]
                        |lane| parts[lane].exponent,
                    )
                },
                &source,
            ),
            lowest,
            highest,
        }
    }
}

/// 2^`power`, of ordinary singles.
#[inline(always)]
fn power32(power: i32) -> f32 {
    f32::from_bits(((power + 127) as u32) << 23)
}

/// 2^`power`, of ordinary doubles.
#[inline(always)]
fn power64(power: i32) -> f64 {
    f64::from_bits(((power + 1023) as u64) << 52)
}

/// `STEP` products for each of sixteen lanes, added to C: A is the same for all lanes, or for every four of them. They are `WIDE` if they
/// need doubles.
#[inline(always)]
fn step<const STEP: usize, const WIDE: bool>(
    c: [u32; GROUP],
    a: [([f32; GROUP], [i16; GROUP]); STEP],
    b: [([f32; GROUP], [i16; GROUP]); STEP],
) -> [u32; GROUP] {
    let mut largest = [2 * NONE; GROUP];
    let mut k = 0;
    while k < STEP {
        largest = lanes(
            #[inline(always)]
            |i| largest[i].max(a[k].1[i] + b[k].1[i]),
        );
        k += 1;
    }
    // Without any product everything is zero, whatever the scale.
    let least = if WIDE { LEAST } else { -LIMIT };
    let scaled: [i32; GROUP] = lanes(
        #[inline(always)]
        |i| i32::from(largest[i].max(least)),
    );
    // Cut to 24 fraction bits below the largest exponent.
    let mut sums = [0i32; GROUP];
    macro_rules! cut {
        ($float:ty, $power:ident) => {{
            let scale: [$float; GROUP] = lanes(
                #[inline(always)]
                |i| $power(24 - scaled[i]),
            );
            let mut k = 0;
            while k < STEP {
                sums = lanes(
                    #[inline(always)]
                    |i| {
                        let product =
                            <$float>::from(a[k].0[i]) * <$float>::from(b[k].0[i]) * scale[i];
                        // SAFETY: values are finite and products below 2^(largest + 2), so this is below 2^26.
                        sums[i] + unsafe { product.to_int_unchecked::<i32>() }
                    },
                );
                k += 1;
            }
        }};
    }
    if WIDE {
        cut!(f64, power64);
    } else {
        cut!(f32, power32);
    }
    lanes(
        #[inline(always)]
        |i| {
            // Without any product nothing of C is cut.
            let exponent = i32::from(largest[i].max(LEAST));
            let c_exponent = (c[i] >> 23 & 255).max(1) as i32 - 127;
            let top = exponent.max(c_exponent);
            let sum = (f64::from(sums[i]) * power64(7 + exponent - top)).floor();
            let c = (f64::from(f32::from_bits(c[i])) * power64(24 - top)).floor() * 128.0;
            // Adding zero makes a negative one positive.
            (((sum + c + 0.0) * power64(top - 31)) as f32).to_bits()
        },
    )
}

/// Computes all of D if the operands allow it.
#[inline(always)]
pub(super) fn product(
    wave: &mut Wave,
    op: &MicroOp,
    shape: &Matrices,
    is_bfloat: bool,
    source: impl Fn(u32) -> u32 + Copy,
) -> bool {
    let side = |wave: &Wave, index: usize, size: u32, source: &dyn Fn(u32) -> u32| {
        let rows = &wave.rows[op.src[index].index as usize..];
        if is_bfloat {
            Side::new(shape, size, rows, bfloat, source)
        } else {
            Side::new(shape, size, rows, half, source)
        }
    };
    let a = side(wave, 0, shape.m, &source);
    let b = side(wave, 1, shape.n, &|block| block);
    // Infinities and NaNs have the highest exponent of their format.
    let special = if is_bfloat { 128 } else { 16 };
    let highest = a.highest.saturating_add(b.highest);
    let is_special = a.highest.max(b.highest) >= special;
    if is_special || highest > HIGHEST || !c_is_finite(wave, op, shape) {
        return false;
    }
    let is_wide = highest >= LIMIT || a.lowest.saturating_add(b.lowest) < -LIMIT;
    let quads = shape.n == 4;
    for position in 0..shape.outputs_per_lane() {
        for first in (0..crate::LANES).step_by(GROUP) {
            let place = numerics::matrix::Place {
                lane: first as u32,
                position,
            };
            let [row, column, block] = shape.element(place);
            let row = (block * shape.m + row) as usize;
            let column = (block * shape.n + column) as usize;
            let mut sums = addend(wave, op, position, first);
            let mut k = 0;
            while k < shape.k as usize {
                macro_rules! steps {
                    ($step:literal) => {{
                        let at_a = lanes::<_, $step>(
                            #[inline(always)]
                            |i| {
                                if quads {
                                    (a.values.quads(k + i, row), a.exponents.quads(k + i, row))
                                } else {
                                    (a.values.row(k + i, row), a.exponents.row(k + i, row))
                                }
                            },
                        );
                        let at_b = lanes::<_, $step>(
                            #[inline(always)]
                            |i| {
                                (
                                    b.values.columns(k + i, column),
                                    b.exponents.columns(k + i, column),
                                )
                            },
                        );
                        sums = if is_wide {
                            step::<$step, true>(sums, at_a, at_b)
                        } else {
                            step::<$step, false>(sums, at_a, at_b)
                        };
                        k += $step;
                    }};
                }
                if shape.k == 4 { steps!(4) } else { steps!(8) }
            }
            store(
                &mut wave.rows,
                op.dst as usize + position as usize,
                first,
                sums,
            );
        }
    }
    true
}

/// Sixteen lanes of C.
#[inline(always)]
fn addend(wave: &Wave, op: &MicroOp, position: u32, first: usize) -> [u32; GROUP] {
    if op.src[2].kind == SrcKind::Vector {
        load(
            &wave.rows,
            op.src[2].index as usize + position as usize,
            first,
        )
    } else {
        [wave.uniform32(op, 2); GROUP]
    }
}

#[inline(always)]
fn c_is_finite(wave: &Wave, op: &MicroOp, shape: &Matrices) -> bool {
    let mut special = false;
    for position in 0..shape.outputs_per_lane() {
        for first in (0..crate::LANES).step_by(GROUP) {
            for c in addend(wave, op, position, first) {
                special |= c & 0x7f80_0000 == 0x7f80_0000;
            }
        }
    }
    !special
}
