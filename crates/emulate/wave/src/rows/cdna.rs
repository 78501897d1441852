//! Vector ALU instructions that gfx942 and gfx950 added, one by one small: 64-bit moves and sums, three-operand logic, bfloat16,
//! random numbers, exchanges between halves of a wave.

use numerics::{convert, float16, float32, packed};

use super::{Row, Shape, VectorShape, vector_macros::vector_rows};
use crate::{
    engine::Env,
    micro_op::{MicroOp, modifier},
    ports::*,
    shell::{self, Body},
    state::{LANES, Wave},
};

/// `(a << shift) + c` for shifts below 32, of words: as wide as those are, host vectors hold as many lanes as registers' do.
#[inline(always)]
fn shifted_sum(a: u64, shift: u32, c: u64) -> u64 {
    let (a, c) = ([a as u32, (a >> 32) as u32], [c as u32, (c >> 32) as u32]);
    let low = a[0] << shift;
    let high = a[1] << shift | a[0] >> 1 >> (31 - shift);
    let sum = low.wrapping_add(c[0]);
    let carry = u32::from(sum < low);
    let high = high.wrapping_add(c[1]).wrapping_add(carry);
    u64::from(sum) | u64::from(high) << 32
}

#[rustfmt::skip]
vector_rows! {
    v_mov_b64:          (B64) -> B64 {hot} = |_, a| a;
    v_lshl_add_u64:     (B64, B32, B64) -> B64 {hot} = |_, a, b, c| shifted_sum(a, b & 7, c);
    v_prng_b32:         (B32) -> B32 = |_, a| convert::next_random(a);
    v_ashr_pk_i8_i32:   (I32, I32, B32) -> B16 [keep_high] = |_, a, b, c| bytes((a >> (c & 31)).clamp(-128, 127), (b >> (c & 31)).clamp(-128, 127));
    v_ashr_pk_u8_i32:   (I32, I32, B32) -> B16 [keep_high] = |_, a, b, c| bytes((a >> (c & 31)).clamp(0, 255), (b >> (c & 31)).clamp(0, 255));
    v_minimum3_f32:     (F32, F32, F32) -> F32 = |cx, a, b, c| float32::minimum3(a, b, c, cx.denormals32);
    v_maximum3_f32:     (F32, F32, F32) -> F32 = |cx, a, b, c| float32::maximum3(a, b, c, cx.denormals32);
    v_pk_minimum3_f16:  (PackedF16, PackedF16, PackedF16) -> PackedF16 = |cx, a, b, c| packed::map3(a, b, c, #[inline(always)] |a, b, c| float16::minimum3(a, b, c, cx.denormals64));
    v_pk_maximum3_f16:  (PackedF16, PackedF16, PackedF16) -> PackedF16 = |cx, a, b, c| packed::map3(a, b, c, #[inline(always)] |a, b, c| float16::maximum3(a, b, c, cx.denormals64));
    v_dot2_f32_bf16:    (PackedBf16, PackedBf16, F32) -> F32 = |_, a, b, c| packed::dot2_f32_bf16(a, b, c);
    v_dot2c_f32_bf16:   (PackedBf16, PackedBf16, F32) -> F32 [tied] = |_, a, b, c| packed::dot2c_f32_bf16(a, b, c);
    v_cvt_f32_bf16:     (Bf16) -> F32 = |_, a| convert::f32_from_bf16(a);
    v_cvt_pk_bf16_f32:  (F32, F32) -> B32 = |_, a, b| convert::pack(convert::bf16_from_f32(a), convert::bf16_from_f32(b));
    v_cvt_pk_f16_f32:   (F32, F32) -> PackedF16 = |cx, a, b| convert::pack(nearest(cx, a), nearest(cx, b));
    v_cvt_sr_f16_f32:   (F32, B32) -> B16 [keep_high] = |cx, a, b| convert::f16_from_f32_stochastic(a, b, cx.fp16_overflow_clamps);
    v_cvt_sr_bf16_f32:  (F32, B32) -> B16 [keep_high] = |_, a, b| convert::bf16_from_f32_stochastic(a, b);
}

#[inline(always)]
fn bytes(low: i32, high: i32) -> u16 {
    low as u16 & 0xff | (high as u16) << 8
}

/// To nearest even whatever MODE says of rounding.
#[inline(always)]
fn nearest(cx: crate::mode::Context, x: u32) -> u16 {
    let clamps = cx.fp16_overflow_clamps;
    convert::f16_from_f32(x, cx.denormals64, numerics::Round::NearestEven, clamps)
}

/// `v_bitop3_b32` and `_b16`: any function of three bits. NEG, ABS and OMOD are its truth table.
struct BitOperation<const HALF: bool>;

impl<const HALF: bool> Body for BitOperation<HALF> {
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let field = |at: u32, bits: u32| op.vector().modifiers >> at & ((1 << bits) - 1);
        let table =
            field(modifier::NEG, 3) | field(modifier::ABS, 3) << 3 | field(modifier::OMOD, 2) << 6;
        let select = field(modifier::OP_SEL, 4);
        let exec = wave.exec();
        for lane in (0..LANES).filter(|lane| exec >> lane & 1 != 0) {
            let [a, b, c] = [0, 1, 2].map(|index| {
                let word = wave.lane_value(op, index, lane);
                if HALF {
                    word >> (16 * (select >> index & 1))
                } else {
                    word
                }
            });
            let mut result = 0;
            for term in (0..8).filter(|term| table >> term & 1 != 0) {
                let bit = |value: u32, place: u32| {
                    if term >> place & 1 != 0 {
                        value
                    } else {
                        !value
                    }
                };
                result |= bit(a, 2) & bit(b, 1) & bit(c, 0);
            }
            let target = &mut wave.row_mut(op.dst as usize).0[lane];
            *target = match (HALF, select >> 3) {
                (false, _) => result,
                (true, 0) => *target & 0xffff_0000 | result & 0xffff,
                (true, _) => *target & 0xffff | result << 16,
            };
        }
        u32::from(op.after)
    }
}

/// `v_permlane16_swap_b32` and `v_permlane32_swap_b32`: in every pair of runs of `RUN` lanes, the first run of the source and
/// the second of the destination change places. Lanes that are off keep what they have; what they hold is only read if op_sel[0]
/// says so, op_sel[1] makes it zero.
struct PermLaneSwap<const RUN: usize>;

impl<const RUN: usize> Body for PermLaneSwap<RUN> {
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let exec = wave.exec();
        let flag = |index: u32| op.vector().op_sel() >> index & 1 != 0;
        let (fetch_inactive, zeroes) = (flag(0), flag(1));
        let (a, b) = (op.src[0].index as usize, op.dst as usize);
        let write = |wave: &mut Wave, row: usize, to: usize, from: usize, value: u32| {
            let readable = fetch_inactive || exec >> from & 1 != 0;
            if exec >> to & 1 != 0 && (readable || zeroes) {
                wave.row_mut(row).0[to] = if readable { value } else { 0 };
            }
        };
        for first in (0..LANES).filter(|lane| (lane / RUN).is_multiple_of(2)) {
            let second = first + RUN;
            let (x, y) = (wave.row(a).0[first], wave.row(b).0[second]);
            write(wave, a, first, second, y);
            write(wave, b, second, first, x);
        }
        u32::from(op.after)
    }
}

/// Appends the rows whose bodies are not a function of single lanes.
pub(super) fn special_rows(rows: &mut Vec<Row>) {
    let mut push = |mnemonic, handler, shape| {
        rows.push(Row {
            mnemonic,
            shape: Shape::Vector(VectorShape {
                result: Type::B32,
                ..shape
            }),
            handler,
            changes_exec: false,
        });
    };
    let three = VectorShape {
        sources: [Type::B32; 3],
        runs: [1; 4],
        raw_modifiers: true,
        ..VectorShape::NONE
    };
    push("v_bitop3_b32", shell::handler::<BitOperation<false>>, three);
    push("v_bitop3_b16", shell::handler::<BitOperation<true>>, three);
    let one = VectorShape {
        sources: [Type::B32, Type::None, Type::None],
        ..VectorShape::NONE
    };
    push(
        "v_permlane16_swap_b32",
        shell::handler::<PermLaneSwap<16>>,
        one,
    );
    push(
        "v_permlane32_swap_b32",
        shell::handler::<PermLaneSwap<32>>,
        one,
    );
}
