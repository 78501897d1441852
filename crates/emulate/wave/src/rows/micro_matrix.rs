//! gfx950's matrix products of microscaling formats: A and B in formats of their own, which CBSZ and BLGP name, and a scale for
//! every 32 `k` on either side in the form that is two instructions in one.

#[cfg(target_arch = "x86_64")]
use std::{mem::MaybeUninit, sync::OnceLock};

#[cfg(target_arch = "x86_64")]
use numerics::convert::Wide;
use numerics::{
    convert::Micro,
    matrix::{self, Shape as Matrices},
};

use super::{MatrixForm, Row, Shape, VectorShape};
#[cfg(target_arch = "x86_64")]
use super::{
    aligned_side::{self, Element, Extent, LIMIT},
    aligned_tile,
    tile::Addend,
};
use crate::{
    engine::Env,
    micro_op::{MicroOp, SrcKind, flow},
    ports::Type,
    shell::{self, Body},
    state::Wave,
};

/// Values of A or B that a lane holds.
const PER_LANE: usize = 32;
/// Most `k`.
const MOST_TERMS: usize = 128;
/// `k` that share a scale.
const BLOCK: usize = 32;
/// The scale one.
const ONE: u8 = 127;

/// `MicroOp::constant` 0 and 1 for scaled products: row and first bit of the scales of A and B.
pub(crate) const SCALED: u32 = 1 << 31;

/// Where a lane of group `lane / side` has its value `position`.
fn k_of(format: Micro, k: usize, group: usize, position: usize) -> usize {
    if format.bits() == 8 {
        // Two halves of all `k`, sixteen in each.
        position / 16 * (k / 2) + 16 * group + position % 16
    } else {
        PER_LANE * group + position
    }
}

/// Rows of A (or columns of B) with all their `k`, and their scales.
struct Side {
    format: Micro,
    values: Vec<[u8; MOST_TERMS]>,
    scales: Vec<[u8; MOST_TERMS / BLOCK]>,
}

impl Side {
    fn new(wave: &Wave, op: &MicroOp, index: usize, format: Micro, shape: &Matrices) -> Side {
        let (side, k) = (shape.m as usize, shape.k as usize);
        let first = op.src[index].index as usize;
        let mut all = Side {
            format,
            values: vec![[0; MOST_TERMS]; side],
            scales: vec![[ONE; MOST_TERMS / BLOCK]; side],
        };
        let scale = op.constant[index];
        for lane in 0..crate::LANES {
            let (row, group) = (lane % side, lane / side);
            for position in 0..PER_LANE {
                let at = position * format.bits() as usize;
                let word = |word: usize| u64::from(wave.row(first + word).0[lane]);
                let mut bits = word(at / 32) >> (at % 32);
                if at % 32 + format.bits() as usize > 32 {
                    bits |= word(at / 32 + 1) << (32 - at % 32);
                }
                let mask = !0 >> (8 - format.bits());
                all.values[row][k_of(format, k, group, position)] = bits as u8 & mask;
            }
            if scale & SCALED != 0 {
                let word = wave.row(scale as usize & 0xffff).0[lane];
                all.scales[row][group] = (word >> (scale >> 16 & 31)) as u8;
            }
        }
        all
    }
}

/// All values of a format with their exponents, which of denormals is that of the smallest normals. There is none for what is not finite.
#[cfg(target_arch = "x86_64")]
fn elements(format: Micro) -> &'static [Option<Element>; 256] {
    static TABLES: OnceLock<Vec<[Option<Element>; 256]>> = OnceLock::new();
    let of = |format: Micro| {
        let exponent = |value: f32| (value.to_bits() >> 23 & 0xff) as i32 - 127;
        let value = |bits: u8| f32::from_bits(format.widen(bits, Wide::F32, ONE));
        let least = exponent(value(1 << format.mantissa_bits()));
        std::array::from_fn(|bits| {
            let value = value(bits as u8 & (0xff >> (8 - format.bits())));
            let exponent = exponent(value).max(least);
            value.is_finite().then_some(Element { value, exponent })
        })
    };
    let formats = || (0..).map_while(Micro::from_code);
    let tables = TABLES.get_or_init(|| formats().map(of).collect());
    let index = formats().position(|other| other == format);
    &tables[index.unwrap_or(0)]
}

impl Side {
    /// The side as `aligned_tile` wants it, if all is of ordinary size.
    ///
    /// # Safety
    /// The host has vectors of 512 bits.
    #[cfg(target_arch = "x86_64")]
    unsafe fn aligned(&self, to: &mut MaybeUninit<aligned_side::Side>, k: usize) -> Option<Extent> {
        let elements = elements(self.format);
        let element = |row: usize, k: usize| {
            let Element { value, exponent } = elements[self.values[row][k] as usize]?;
            let order = i32::from(self.scales[row][k / BLOCK]) - i32::from(ONE);
            // A scale of all ones is a NaN; those far from one are too large or too small in any case.
            let scale = f32::from_bits(((127 + order) as u32) << 23);
            (order.abs() <= 2 * LIMIT).then_some(Element {
                value: value * scale,
                exponent: exponent + order,
            })
        };
        // SAFETY: the caller's promise.
        unsafe { aligned_side::fill(to, self.values.len(), k, element) }
    }
}

/// The product where vectors of 512 bits can do it.
///
/// # Safety
/// The host has them.
#[cfg(target_arch = "x86_64")]
unsafe fn aligned(wave: &mut Wave, op: &MicroOp, shape: &Matrices, sides: [&Side; 2]) -> bool {
    let words = shape.outputs_per_lane() as u16;
    let (c, d) = (op.src[2].index, op.dst);
    let is_vector = op.src[2].kind == SrcKind::Vector;
    if is_vector && c != d && c < d + words && d < c + words {
        return false;
    }
    let [mut a, mut b] = [const { MaybeUninit::uninit() }; 2];
    // SAFETY: the caller's promise; decoding checked that C's and D's registers exist.
    unsafe {
        let k = shape.k as usize;
        let Some(extents) = sides[0].aligned(&mut a, k).zip(sides[1].aligned(&mut b, k)) else {
            return false;
        };
        let addend = if is_vector {
            Addend::Rows(wave.rows[c as usize..].as_ptr().cast())
        } else {
            Addend::Constant(wave.uniform(op, 2) as u32)
        };
        let target = wave.rows[d as usize..].as_mut_ptr().cast();
        aligned_tile::product_of([&a, &b], extents.into(), addend, target, shape)
    }
}

struct Product;

impl Body for Product {
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let shape = shape_of(op.attribute);
        let format = |code: u32| Micro::from_code(code).unwrap_or(Micro::E4m3);
        let a = Side::new(wave, op, 0, format(op.extra & 7), &shape);
        let b = Side::new(wave, op, 1, format(op.extra >> 7 & 7), &shape);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the host has the vectors.
        if wave.avx512 && unsafe { aligned(wave, op, &shape, [&a, &b]) } {
            return flow::NEXT;
        }
        let (k, blocks) = (shape.k as usize, shape.k as usize / BLOCK);
        for position in 0..shape.outputs_per_lane() {
            for lane in 0..crate::LANES {
                let place = matrix::Place {
                    lane: lane as u32,
                    position,
                };
                let [row, column, _] = shape.element(place).map(|index| index as usize);
                let c = match op.src[2].kind {
                    SrcKind::Vector => {
                        wave.row(op.src[2].index as usize + position as usize).0[lane]
                    }
                    _ => wave.uniform(op, 2) as u32,
                };
                wave.row_mut(op.dst as usize + position as usize).0[lane] =
                    matrix::accumulate_micro(
                        c,
                        &a.values[row][..k],
                        (a.format, &a.scales[row][..blocks]),
                        &b.values[column][..k],
                        (b.format, &b.scales[column][..blocks]),
                    );
            }
        }
        flow::NEXT
    }
}

/// 16x16x128 (attribute 0) or 32x32x64.
fn shape_of(attribute: u16) -> Matrices {
    let (side, k) = if attribute == 0 { (16, 128) } else { (32, 64) };
    Matrices {
        m: side,
        n: side,
        k,
        blocks: 1,
        rows_per_lane: 4,
    }
}

/// Appends this file's rows.
pub(super) fn rows(rows: &mut Vec<Row>) {
    let all = [
        ("v_mfma_f32_16x16x128_f8f6f4", 0),
        ("v_mfma_f32_32x32x64_f8f6f4", 1),
        ("v_mfma_scale_f32_16x16x128_f8f6f4", 0),
        ("v_mfma_scale_f32_32x32x64_f8f6f4", 1),
    ];
    for (mnemonic, attribute) in all {
        rows.push(Row {
            mnemonic,
            shape: Shape::Vector(VectorShape {
                sources: [Type::B32, Type::B32, Type::F32],
                result: Type::F32,
                matrix_words: [8, shape_of(attribute).outputs_per_lane() as u16],
                matrix_form: MatrixForm::Micro,
                ..VectorShape::NONE
            }),
            handler: shell::wide_handler::<Product>,
            width: 0,
            attribute,
            changes_exec: false,
        });
    }
}
