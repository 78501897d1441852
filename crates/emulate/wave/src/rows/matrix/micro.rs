//! gfx950's matrix products of microscaling formats: A and B in formats of their own, which CBSZ and BLGP name, and a scale for
//! every 32 `k` on either side in the form that is two instructions in one.

#[cfg(target_arch = "x86_64")]
use std::mem::MaybeUninit;

use numerics::{
    convert::Micro,
    matrix::{self, Shape as Matrices},
};

use vectors::matrix::scaled::{BLOCK, ONE, PER_LANE, k_of};

use crate::{
    engine::Env,
    micro_op::{MicroOp, SrcKind, flow},
    ports::Type,
    rows::{MatrixForm, Row, Shape, VectorShape},
    shell::{self, Body},
    state::Wave,
};
#[cfg(target_arch = "x86_64")]
use vectors::matrix::{
    Addend, aligned,
    micro::{self, Input},
    side::{Extent, SCALES},
};

/// Most `k`.
const MOST_TERMS: usize = 128;
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
        let scale = op.mfma().scale(index);
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
                all.values[row][k_of(format.bits() as usize, k, group, position)] =
                    bits as u8 & mask;
            }
            if let Some((from, bit)) = scale {
                let word = wave.row(from).0[lane];
                all.scales[row][group] = (word >> bit) as u8;
            }
        }
        all
    }
}

/// The product where vectors of 512 bits can do it.
///
/// # Safety
/// The host has them.
#[cfg(target_arch = "x86_64")]
unsafe fn in_vectors(wave: &mut Wave, op: &MicroOp, shape: &Matrices, formats: [Micro; 2]) -> bool {
    let words = shape.outputs_per_lane() as u16;
    let (c, d) = (op.src[2].index, op.dst);
    let is_vector = op.src[2].kind == SrcKind::Vector;
    if is_vector && c != d && c < d + words && d < c + words {
        return false;
    }
    let lanes_of = |row: usize| wave.rows[row..].as_ptr().cast();
    let inputs = [0, 1].map(|index| Input {
        format: formats[index],
        rows: lanes_of(op.src[index].index as usize),
        scales: (op.mfma().scale(index)).map(|(row, bit)| (lanes_of(row), bit)),
    });
    let size = (shape.m as usize, shape.k as usize);
    let [mut a, mut b] = [const { MaybeUninit::uninit() }; 2];
    // SAFETY: the caller's promise; decoding checked that the operands' registers exist.
    unsafe {
        let extents = micro::convert(inputs[0], SCALES[0], size, &mut a)
            .zip(micro::convert(inputs[1], SCALES[1], size, &mut b));
        let Some(extents) = extents.map(Into::into).filter(|&both| Extent::fit(both)) else {
            return false;
        };
        let addend = if is_vector {
            Addend::Rows(wave.rows[c as usize..].as_ptr().cast())
        } else {
            Addend::Constant(wave.uniform32(op, 2))
        };
        let target = wave.rows[d as usize..].as_mut_ptr().cast();
        aligned::product_of([&a, &b], extents, addend, target, shape);
    }
    true
}

struct Product;

impl Body for Product {
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let shape = shape_of(op.mfma().instruction);
        let format = |code: u32| Micro::from_code(code).unwrap_or(Micro::E4m3);
        let formats = [op.mfma().cbsz(), op.mfma().blgp()].map(format);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the host has the vectors.
        if wave.avx512 && unsafe { in_vectors(wave, op, &shape, formats) } {
            return flow::NEXT;
        }
        let [a, b] = [0, 1].map(|index| Side::new(wave, op, index, formats[index], &shape));
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
                    _ => wave.uniform32(op, 2),
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

/// 16x16x128 (instruction 0) or 32x32x64.
fn shape_of(instruction: u16) -> Matrices {
    let (side, k) = if instruction == 0 {
        (16, 128)
    } else {
        (32, 64)
    };
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
    for (mnemonic, number) in all {
        rows.push(Row {
            mnemonic,
            shape: Shape::Vector(VectorShape {
                sources: [Type::B32, Type::B32, Type::F32],
                result: Type::F32,
                matrix_words: [8, shape_of(number).outputs_per_lane() as u16],
                matrix_form: MatrixForm::Micro,
                instruction: number,
                ..VectorShape::NONE
            }),
            handler: shell::wide_handler::<Product>,
            changes_exec: false,
        });
    }
}
