//! Wave matrix multiply-add: WMMA of gfx11 and gfx12, SWMMAC (A is sparse) of gfx12.
//!
//! All lanes take part whatever EXEC says. Every sum of a float is a chain of fused multiply-adds in single precision,
//! rounded once more where D has halves; integers are exact. `numerics::wmma` gives the places of elements: sixteen
//! lanes hold one `k` of sixteen rows of A or columns of B. A `k` of all sums is therefore one value of A times one
//! host vector of B.

use std::sync::OnceLock;

use numerics::wmma::{Generation, INSTRUCTIONS, Input, Instruction, Output, Spot};
use numerics::{Denormals, convert, convert::Fp8, float32};

use super::{Row, Shape, vector_macros::GROUP};
use crate::{
    engine::Env,
    micro_op::{MicroOp, SrcKind, flow},
    ports::lanes,
    shell::{self, Body},
    state::{LANES, VectorRow, Wave},
};

/// Rows and columns of D.
pub(super) const SIDE: usize = 16;
/// Most columns of A that any instruction has.
pub(super) const DEEPEST: usize = 64;

/// Layout of one instruction on one target in one wave size.
pub(super) struct Plan {
    /// A (of a sparse one its stored values, two for each four `k`) and B.
    pub inputs: [Vec<Spot>; 2],
    /// For each four `k`.
    pub index: Vec<Spot>,
    /// Unit of OP_SEL in the index register.
    index_bits: u32,
    pub output: [Spot; SIDE],
    /// The places of the words of `inputs` and of `output` from the first register on; each word of the inputs once.
    pub input_places: [Vec<usize>; 2],
    pub output_places: [usize; SIDE],
    /// Bit that OP_SEL adds to `output` (gfx11's halves).
    output_shift: u32,
}

impl Plan {
    fn new(instruction: &Instruction, generation: Generation, wave64: bool) -> Plan {
        let b: Vec<Spot> = (0..instruction.k)
            .map(|k| instruction.input(generation, wave64, k))
            .collect();
        let quads = 0..instruction.k / 4;
        let stored = quads
            .clone()
            .flat_map(|quad| [false, true].map(|second| instruction.packed(wave64, quad, second)));
        let a = match instruction.sparse {
            true => stored.collect(),
            false => b.clone(),
        };
        let place = |spot: &Spot| LANES * spot.register as usize + SIDE * spot.group as usize;
        let per_word = 32 / instruction.input.bits() as usize;
        let places = |spots: &[Spot]| spots.iter().step_by(per_word).map(place).collect();
        let output = std::array::from_fn(|row| instruction.output(generation, wave64, row as u32));
        let in_halves = generation == Generation::Rdna3 && instruction.output.bits() == 16;
        Plan {
            input_places: [places(&a), places(&b)],
            output_places: output.each_ref().map(place),
            inputs: [a, b],
            index: quads.map(|quad| instruction.index(wave64, quad)).collect(),
            index_bits: instruction.index_bits(wave64),
            output,
            output_shift: if in_halves { 16 } else { 0 },
        }
    }

    fn for_op(op: &MicroOp) -> &'static Plan {
        static PLANS: OnceLock<Vec<Plan>> = OnceLock::new();
        let all = || {
            let of = |instruction| {
                [Generation::Rdna3, Generation::Rdna4]
                    .into_iter()
                    .flat_map(move |generation| {
                        [false, true].map(|wave64| Plan::new(instruction, generation, wave64))
                    })
            };
            INSTRUCTIONS.iter().flat_map(of).collect()
        };
        let place = usize::from(op.wmma().rdna4()) * 2 + usize::from(op.wmma().wave64());
        &PLANS.get_or_init(all)[4 * op.wmma().instruction as usize + place]
    }
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
    plan: &Plan,
    side: usize,
    convert: impl Fn(usize, u32) -> T,
) -> Values<T> {
    let mut values = [[T::default(); GROUP]; DEEPEST];
    for (k, (values, &spot)) in values.iter_mut().zip(&plan.inputs[side]).enumerate() {
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
    plan: &Plan,
    convert: impl Fn(u32) -> T,
) -> [[T; GROUP]; SIDE] {
    let sparse = INSTRUCTIONS[op.wmma().instruction as usize].sparse;
    let shift = output_shift(op, plan);
    let constant = !sparse && op.src[2].kind != SrcKind::Vector;
    let first = if sparse { op.dst } else { op.src[2].index };
    let mut values = [[T::default(); GROUP]; SIDE];
    for (values, &spot) in values.iter_mut().zip(&plan.output) {
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

pub(super) fn output_shift(op: &MicroOp, plan: &Plan) -> u32 {
    (op.wmma().op_sel() >> 2) * plan.output_shift
}

pub(super) fn shifted(spot: Spot, by: u32) -> Spot {
    Spot {
        bit: spot.bit + by as u8,
        ..spot
    }
}

/// Writes D by rows: words, or halves that leave the other half of their register alone.
#[inline(always)]
fn write(wave: &mut Wave, op: &MicroOp, plan: &Plan, halves: bool, values: &[[u32; GROUP]; SIDE]) {
    let shift = output_shift(op, plan);
    for (values, &spot) in values.iter().zip(&plan.output) {
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
pub(super) fn index_shift(op: &MicroOp, plan: &Plan) -> u32 {
    let part = op.wmma().op_sel() & 3;
    // OP_SEL may name parts beyond the register's end, which do not exist.
    (part * plan.index_bits) & 31
}

/// For every row of A and each two of its stored values, the `k` that they belong to.
fn stored_columns(wave: &Wave, op: &MicroOp, plan: &Plan) -> [[u8; DEEPEST / 2]; SIDE] {
    let shift = index_shift(op, plan);
    let mut columns = [[0; DEEPEST / 2]; SIDE];
    for (quad, &spot) in plan.index.iter().enumerate() {
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
    plan: &Plan,
    a: &Values<T>,
    b: &Values<T>,
    c: &[[C; GROUP]; SIDE],
    step: impl Fn(C, T, T) -> C,
) -> [[C; GROUP]; SIDE] {
    let depth = plan.inputs[0].len();
    let mut sums = *c;
    if !plan.index.is_empty() && INSTRUCTIONS[op.wmma().instruction as usize].sparse {
        let columns = stored_columns(wave, op, plan);
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
    let plan = Plan::for_op(op);
    let (a, b) = (read(wave, op, plan, 0, a), read(wave, op, plan, 1, b));
    let absolute = if op.wmma().neg_hi(2) {
        !float32::SIGN
    } else {
        !0
    };
    let negate = u32::from(op.wmma().neg(2)) << 31;
    let c = read_c(
        wave,
        op,
        plan,
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
        plan,
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
        sums = sum(wave, op, plan, &a, &b, &c, |sum, a, b| {
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
    write(wave, op, plan, output.bits() == 16, &results);
}

/// A product of integers of `BITS` bits.
#[inline(always)]
fn integers<const BITS: u32>(wave: &mut Wave, op: &MicroOp) {
    let plan = Plan::for_op(op);
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
    let a = read(wave, op, plan, 0, side(0));
    let b = read(wave, op, plan, 1, side(1));
    let c = read_c(
        wave,
        op,
        plan,
        #[inline(always)]
        |bits| bits as i32,
    );
    let results = if op.wmma().clamp() {
        let wide = c.map(|row| row.map(i64::from));
        let sums = sum(wave, op, plan, &a, &b, &wide, |sum, a, b| {
            sum + i64::from(a) * i64::from(b)
        });
        let saturated = |sum: i64| sum.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as u32;
        sums.map(|row| row.map(saturated))
    } else {
        let sums = sum(
            wave,
            op,
            plan,
            &a,
            &b,
            &c,
            #[inline(always)]
            |sum: i32, a, b| sum.wrapping_add(a * b),
        );
        sums.map(|row| row.map(|sum| sum as u32))
    };
    write(wave, op, plan, false, &results);
}

/// Sign bit (of bits 15 and 31) that NEG and NEG_HI give to value `k` of a side: the first to the low halves of registers, the
/// second to the high ones.
#[inline(always)]
pub(super) fn sign(op: &MicroOp, side: u32, k: usize) -> u32 {
    let negated = if k.is_multiple_of(2) {
        op.wmma().neg(side)
    } else {
        op.wmma().neg_hi(side)
    };
    u32::from(negated) * 0x8000_8000
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
        if wave.avx512 && unsafe { super::wmma_tile::product(wave, op, Plan::for_op(op)) } {
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
