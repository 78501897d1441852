//! Wave matrix multiply-add: WMMA of gfx11 and gfx12, SWMMAC (A is sparse) of gfx12.
//!
//! All lanes take part whatever EXEC says. Every sum of a float is a chain of fused multiply-adds in single precision,
//! rounded once more where D has halves; integers are exact. `numerics::wmma` gives the places of elements: sixteen
//! lanes hold one `k` of sixteen rows of A or columns of B. A `k` of all sums is therefore one value of A times one
//! host vector of B.

use std::sync::OnceLock;

use numerics::wmma::{Generation, INSTRUCTIONS, Input, Instruction, Output, Spot};
use numerics::{Denormals, convert, convert::Fp8, float32};

use vectors::matrix::layout::{DEEPEST, Layout, SIDE};
#[cfg(target_arch = "x86_64")]
use vectors::matrix::{Addend, Operands, tile::Product as InVectors};

use super::{Row, Shape, loops::GROUP};
use crate::{
    engine::Env,
    micro_op::{MicroOp, SrcKind, flow},
    ports::lanes,
    shell::{self, Body},
    state::{VectorRow, Wave},
};

/// The layout for the micro-op's instruction, target and wave size.
fn layout_of(op: &MicroOp) -> &'static Layout {
    static LAYOUTS: OnceLock<Vec<Layout>> = OnceLock::new();
    let all = || {
        let of = |instruction| {
            [Generation::Rdna3, Generation::Rdna4]
                .into_iter()
                .flat_map(move |generation| {
                    [false, true].map(|wave64| Layout::new(instruction, generation, wave64))
                })
        };
        INSTRUCTIONS.iter().flat_map(of).collect()
    };
    let place = usize::from(op.wmma().rdna4()) * 2 + usize::from(op.wmma().wave64());
    &LAYOUTS.get_or_init(all)[4 * op.wmma().instruction as usize + place]
}

/// The sixteen lanes of a spot, shifted down to its bit.
#[inline(always)]
fn at(rows: &[VectorRow], first: u16, spot: Spot) -> [u32; GROUP] {
    let row = &rows[first as usize + spot.register as usize].0;
    let words: &[u32; GROUP] = row[GROUP * spot.group as usize..]
        .first_chunk()
        .expect("a row has whole groups");
    lanes(
        #[inline(always)]
        |i| words[i] >> spot.bit,
    )
}

/// A matrix: for each column of A, or row of B, sixteen values.
type Values<T> = [[T; GROUP]; DEEPEST];

/// Reads A (`side` 0) or B. `convert` gets the number of the value among those stored, and its bits with others above.
#[inline(always)]
fn read<T: Copy + Default>(
    wave: &Wave,
    op: &MicroOp,
    layout: &Layout,
    side: usize,
    convert: impl Fn(usize, u32) -> T,
) -> Values<T> {
    let mut values = [[T::default(); GROUP]; DEEPEST];
    for (k, (values, &spot)) in values.iter_mut().zip(&layout.inputs[side]).enumerate() {
        let bits = at(&wave.rows, op.src[side].index, spot);
        *values = lanes(
            #[inline(always)]
            |i| convert(k, bits[i]),
        );
    }
    values
}

/// C by rows; `convert` as in [`read`]. Constants are the same everywhere.
#[inline(always)]
fn read_c<T: Copy + Default>(
    wave: &Wave,
    op: &MicroOp,
    layout: &Layout,
    convert: impl Fn(u32) -> T,
) -> [[T; GROUP]; SIDE] {
    let sparse = INSTRUCTIONS[op.wmma().instruction as usize].sparse;
    let shift = output_shift(op, layout);
    let constant = !sparse && op.src[2].kind != SrcKind::Vector;
    let first = if sparse { op.dst } else { op.src[2].index };
    let mut values = [[T::default(); GROUP]; SIDE];
    for (values, &spot) in values.iter_mut().zip(&layout.output) {
        let bits = match constant {
            true => [wave.uniform32(op, 2); GROUP],
            false => at(&wave.rows, first, shifted(spot, shift)),
        };
        *values = lanes(
            #[inline(always)]
            |i| convert(bits[i]),
        );
    }
    values
}

fn output_shift(op: &MicroOp, layout: &Layout) -> u32 {
    (op.wmma().op_sel() >> 2) * layout.output_shift
}

fn shifted(spot: Spot, by: u32) -> Spot {
    Spot {
        bit: spot.bit + by as u8,
        ..spot
    }
}

/// Writes D by rows: words, or halves that leave the other half of their register alone.
#[inline(always)]
fn write(
    wave: &mut Wave,
    op: &MicroOp,
    layout: &Layout,
    halves: bool,
    values: &[[u32; GROUP]; SIDE],
) {
    let shift = output_shift(op, layout);
    for (values, &spot) in values.iter().zip(&layout.output) {
        let spot = shifted(spot, shift);
        let row = &mut wave.rows[op.dst as usize + spot.register as usize].0;
        let words: &mut [u32; GROUP] = row[GROUP * spot.group as usize..]
            .first_chunk_mut()
            .expect("a row has whole groups");
        let kept = if halves { !(0xffff << spot.bit) } else { 0 };
        *words = lanes(
            #[inline(always)]
            |i| words[i] & kept | values[i] << spot.bit,
        );
    }
}

/// How far the bits of `Plan::index` are shifted up.
fn index_shift(op: &MicroOp, layout: &Layout) -> u32 {
    let part = op.wmma().op_sel() & 3;
    // OP_SEL may name parts beyond the register's end, which do not exist.
    (part * layout.index_bits) & 31
}

/// For every row of A and each two of its stored values, the `k` that they belong to.
fn stored_columns(wave: &Wave, op: &MicroOp, layout: &Layout) -> [[u8; DEEPEST / 2]; SIDE] {
    let shift = index_shift(op, layout);
    let mut columns = [[0; DEEPEST / 2]; SIDE];
    for (quad, &spot) in layout.index.iter().enumerate() {
        let bits = at(&wave.rows, op.src[2].index, shifted(spot, shift));
        for (row, bits) in columns.iter_mut().zip(bits) {
            row[2 * quad] = (4 * quad) as u8 + (bits & 3) as u8;
            row[2 * quad + 1] = (4 * quad) as u8 + (bits >> 2 & 3) as u8;
        }
    }
    columns
}

/// Rows of D that are summed at a time: what host registers hold beside a row of B.
const BLOCK: usize = 8;

/// `step(sum, a, b)` for every `k` of every element of D, in order of `k`.
#[inline(always)]
fn sum<C: Copy, T: Copy>(
    wave: &Wave,
    op: &MicroOp,
    layout: &Layout,
    a: &Values<T>,
    b: &Values<T>,
    c: &[[C; GROUP]; SIDE],
    step: impl Fn(C, T, T) -> C,
) -> [[C; GROUP]; SIDE] {
    let depth = layout.inputs[0].len();
    let mut sums = *c;
    if !layout.index.is_empty() && INSTRUCTIONS[op.wmma().instruction as usize].sparse {
        let columns = stored_columns(wave, op, layout);
        for (row, sums) in sums.iter_mut().enumerate() {
            for k in 0..depth {
                let (x, y) = (a[k][row], &b[columns[row][k] as usize]);
                *sums = lanes(
                    #[inline(always)]
                    |j| step(sums[j], x, y[j]),
                );
            }
        }
        return sums;
    }
    for first in (0..SIDE).step_by(BLOCK) {
        let mut block: [[C; GROUP]; BLOCK] = *sums[first..].first_chunk().expect("a block");
        for k in 0..depth {
            let (x, y) = (&a[k], &b[k]);
            let x: &[T; BLOCK] = x[first..].first_chunk().expect("a block");
            block = lanes(
                #[inline(always)]
                |i| {
                    lanes(
                        #[inline(always)]
                        |j| step(block[i][j], x[i], y[j]),
                    )
                },
            );
        }
        sums[first..first + BLOCK].copy_from_slice(&block);
    }
    sums
}

/// A product of floats. `a` and `b` convert to singles.
#[inline(always)]
fn floats(
    wave: &mut Wave,
    op: &MicroOp,
    output: Output,
    a: impl Fn(usize, u32) -> f32,
    b: impl Fn(usize, u32) -> f32,
) {
    let layout = layout_of(op);
    let (a, b) = (read(wave, op, layout, 0, a), read(wave, op, layout, 1, b));
    let absolute = if op.wmma().neg_hi(2) {
        !float32::SIGN
    } else {
        !0
    };
    let negate = u32::from(op.wmma().neg(2)) << 31;
    let c = read_c(
        wave,
        op,
        layout,
        #[inline(always)]
        |bits| {
            let single = match output {
                Output::F16 => convert::f32_from_f16(bits as u16, Denormals::KEEP),
                Output::Bf16 => bits << 16,
                _ => bits,
            };
            f32::from_bits(single & absolute ^ negate)
        },
    );
    let mut sums = sum(
        wave,
        op,
        layout,
        &a,
        &b,
        &c,
        #[inline(always)]
        |sum, a, b| a.mul_add(b, sum),
    );
    let mut nan = false;
    for row in &sums {
        for x in row {
            nan |= x.is_nan();
        }
    }
    if nan {
        // The kind of NaN that comes out is not left to the host.
        sums = sum(wave, op, layout, &a, &b, &c, |sum, a, b| {
            f32::from_bits(float32::fma(
                a.to_bits(),
                b.to_bits(),
                sum.to_bits(),
                Denormals::KEEP,
            ))
        });
    }
    let results = lanes(
        #[inline(always)]
        |row: usize| {
            lanes(
                #[inline(always)]
                |column: usize| {
                    let bits = sums[row][column].to_bits();
                    match output {
                        Output::F16 => u32::from(convert::f16_from_f32_nearest(bits)),
                        Output::Bf16 => u32::from(convert::bf16_from_f32(bits)),
                        _ => bits,
                    }
                },
            )
        },
    );
    write(wave, op, layout, output.bits() == 16, &results);
}

/// A product of integers of `BITS` bits.
#[inline(always)]
fn integers<const BITS: u32>(wave: &mut Wave, op: &MicroOp) {
    let layout = layout_of(op);
    let side = |side: u32| {
        let signed = op.wmma().neg(side);
        #[inline(always)]
        move |_: usize, bits: u32| {
            let high = bits << (32 - BITS);
            if signed {
                high as i32 >> (32 - BITS)
            } else {
                (high >> (32 - BITS)) as i32
            }
        }
    };
    let a = read(wave, op, layout, 0, side(0));
    let b = read(wave, op, layout, 1, side(1));
    let c = read_c(
        wave,
        op,
        layout,
        #[inline(always)]
        |bits| bits as i32,
    );
    let results = if op.wmma().clamp() {
        let wide = c.map(|row| row.map(i64::from));
        let sums = sum(wave, op, layout, &a, &b, &wide, |sum, a, b| {
            sum + i64::from(a) * i64::from(b)
        });
        let saturated = |sum: i64| sum.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as u32;
        sums.map(|row| row.map(saturated))
    } else {
        let sums = sum(
            wave,
            op,
            layout,
            &a,
            &b,
            &c,
            #[inline(always)]
            |sum: i32, a, b| sum.wrapping_add(a * b),
        );
        sums.map(|row| row.map(|sum| sum as u32))
    };
    write(wave, op, layout, false, &results);
}

/// Sign bit (of bits 15 and 31) that NEG and NEG_HI give to value `k` of a side: the first to the low halves of registers, the
/// second to the high ones.
#[inline(always)]
fn sign(op: &MicroOp, side: u32, k: usize) -> u32 {
    let negated = if k.is_multiple_of(2) {
        op.wmma().neg(side)
    } else {
        op.wmma().neg_hi(side)
    };
    u32::from(negated) * 0x8000_8000
}

/// The product in vectors of 512 bits, if the operands allow it.
///
/// # Safety
/// The host has the vectors.
#[cfg(target_arch = "x86_64")]
unsafe fn in_vectors(wave: &mut Wave, op: &MicroOp, layout: &Layout) -> bool {
    let instruction = &INSTRUCTIONS[op.wmma().instruction as usize];
    let rows = |index: u16| wave.rows[index as usize..].as_ptr().cast::<u32>();
    let [a, b, c] = op.src;
    let fields = op.wmma();
    let toggle = |side| match instruction.input {
        Input::F16 | Input::Bf16 => sign(op, side, 0) & 0xffff | sign(op, side, 1) & 0xffff_0000,
        _ => 0,
    };
    let index = match instruction.sparse {
        true => rows(c.index),
        false => std::ptr::null(),
    };
    let product = InVectors {
        instruction,
        layout,
        operands: Operands {
            inputs: [rows(a.index), rows(b.index)],
            addend: match (instruction.sparse, c.kind) {
                (true, _) => Addend::Rows(rows(op.dst)),
                (false, SrcKind::Vector) => Addend::Rows(rows(c.index)),
                (false, _) => Addend::Constant(wave.uniform32(op, 2)),
            },
            target: wave.rows[op.dst as usize..].as_mut_ptr().cast(),
        },
        index,
        index_shift: index_shift(op, layout),
        output_shift: output_shift(op, layout),
        toggles: [toggle(0), toggle(1)],
        signed: [fields.neg(0), fields.neg(1)],
        absolute: fields.neg_hi(2),
        negative: fields.neg(2),
        saturates: fields.clamp(),
    };
    // SAFETY: the caller's promise; decoding checked that all registers of the operands exist.
    unsafe { product.run() }
}

/// All values of an eight-bit float.
fn table(is_bf8: bool) -> &'static [f32; 256] {
    static TABLES: OnceLock<[[f32; 256]; 2]> = OnceLock::new();
    let tables = TABLES.get_or_init(|| {
        [Fp8::E4m3, Fp8::E5m2]
            .map(|format| std::array::from_fn(|bits| f32::from_bits(format.to_f32(bits as u8))))
    });
    &tables[usize::from(is_bf8)]
}

/// Product `I` of the table, where it has halves or integers.
struct Product;

impl Body for Product {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let Instruction { input, output, .. } = INSTRUCTIONS[op.wmma().instruction as usize];
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the host has the vectors.
        if wave.avx512 && unsafe { in_vectors(wave, op, layout_of(op)) } {
            return flow::NEXT;
        }
        match input {
            Input::F16 => {
                let side = |side| {
                    let op = *op;
                    #[inline(always)]
                    move |k, bits: u32| {
                        let half = (bits ^ sign(&op, side, k)) as u16;
                        f32::from_bits(convert::f32_from_f16(half, Denormals::KEEP))
                    }
                };
                floats(wave, op, output, side(0), side(1));
            }
            Input::Bf16 => {
                let side = |side| {
                    let op = *op;
                    #[inline(always)]
                    move |k, bits: u32| f32::from_bits((bits ^ sign(&op, side, k)) << 16)
                };
                floats(wave, op, output, side(0), side(1));
            }
            Input::Fp8 { a_is_bf8, b_is_bf8 } => {
                let (a, b) = (table(a_is_bf8), table(b_is_bf8));
                floats(
                    wave,
                    op,
                    output,
                    #[inline(always)]
                    |_, bits| a[(bits & 0xff) as usize],
                    #[inline(always)]
                    |_, bits| b[(bits & 0xff) as usize],
                );
            }
            Input::Iu8 => integers::<8>(wave, op),
            Input::Iu4 => integers::<4>(wave, op),
        }
        flow::NEXT
    }
}

/// Appends this file's rows.
pub(super) fn rows(rows: &mut Vec<Row>) {
    for (index, instruction) in INSTRUCTIONS.iter().enumerate() {
        rows.push(Row {
            mnemonic: instruction.name,
            shape: Shape::WaveMatrix {
                instruction: index as u16,
            },
            handler: shell::wide_handler::<Product>,
            changes_exec: false,
        });
    }
}
