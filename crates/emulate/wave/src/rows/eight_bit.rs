//! Eight-bit floats of gfx12 (the OCP formats): dot products, and conversions that choose bytes by op_sel.

use numerics::{Denormals, convert::Fp8, float32};

use super::{Row, Shape, VectorShape, loops::map1, vector_macros::vector_rows};
use crate::{
    engine::Env,
    micro_op::{MicroOp, modifier},
    ports::*,
    shell::{self, Body, Form, VectorBody},
    state::{LANES, Wave},
};

const FP8: Fp8 = Fp8::E4m3;
const BF8: Fp8 = Fp8::E5m2;

#[rustfmt::skip]
vector_rows! {
    v_dot4_f32_fp8_fp8: (B32, B32, F32) -> F32 = |_, a, b, c| dot4(FP8, FP8, a, b, c);
    v_dot4_f32_fp8_bf8: (B32, B32, F32) -> F32 = |_, a, b, c| dot4(FP8, BF8, a, b, c);
    v_dot4_f32_bf8_fp8: (B32, B32, F32) -> F32 = |_, a, b, c| dot4(BF8, FP8, a, b, c);
    v_dot4_f32_bf8_bf8: (B32, B32, F32) -> F32 = |_, a, b, c| dot4(BF8, BF8, a, b, c);
    // The destination's half is op_sel's.
    v_cvt_pk_fp8_f32_since_gfx12: (F32, F32) -> B16 = |cx, a, b| pair(FP8, a, b, cx.fp16_overflow_clamps);
    v_cvt_pk_bf8_f32_since_gfx12: (F32, F32) -> B16 = |cx, a, b| pair(BF8, a, b, cx.fp16_overflow_clamps);
}

/// Products are exact in single precision, sums are rounded one by one.
#[inline(always)]
fn dot4(first: Fp8, second: Fp8, a: u32, b: u32, c: u32) -> u32 {
    (0..4).fold(c, |sum, byte| {
        let a = first.to_f32((a >> (8 * byte)) as u8);
        let b = second.to_f32((b >> (8 * byte)) as u8);
        float32::fma(a, b, sum, Denormals::KEEP)
    })
}

#[inline(always)]
fn pair(format: Fp8, a: u32, b: u32, clamps: bool) -> u16 {
    u16::from(format.from_f32(a, clamps)) | u16::from(format.from_f32(b, clamps)) << 8
}

/// The byte that op_sel of a source names: its two bits are the other way round.
#[inline(always)]
fn byte_shift(op: &MicroOp) -> u32 {
    let op_sel = op.vector().op_sel();
    (op_sel & 1) * 16 + (op_sel >> 1 & 1) * 8
}

const fn format(is_bf8: bool) -> Fp8 {
    if is_bf8 { BF8 } else { FP8 }
}

/// `v_cvt_f32_fp8` and `v_cvt_f32_bf8`.
struct ToSingle<const IS_BF8: bool>;

impl<const IS_BF8: bool> VectorBody for ToSingle<IS_BF8> {
    const SOURCES: usize = 1;
    const MODE: bool = false;
    const HOT: bool = false;
    #[inline(always)]
    fn run<F: Form>(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let shift = byte_shift(op);
        map1::<Self, F, B32, F32>(
            wave,
            op,
            env,
            #[inline(always)]
            |_, a| format(IS_BF8).to_f32((a >> shift) as u8),
        )
    }
}

/// `v_cvt_pk_f32_fp8` and `v_cvt_pk_f32_bf8`: two bytes of the half that op_sel names.
struct ToSingles<const IS_BF8: bool>;

impl<const IS_BF8: bool> VectorBody for ToSingles<IS_BF8> {
    const SOURCES: usize = 1;
    const MODE: bool = false;
    const HOT: bool = false;
    #[inline(always)]
    fn run<F: Form>(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let shift = 16 * (op.vector().op_sel() & 1);
        map1::<Self, F, B32, PackedB32>(
            wave,
            op,
            env,
            #[inline(always)]
            |_, a| {
                let half = a >> shift;
                [half, half >> 8].map(|byte| format(IS_BF8).to_f32(byte as u8))
            },
        )
    }
}

/// `v_cvt_sr_fp8_f32` and `v_cvt_sr_bf8_f32`: one byte of the destination, which op_sel[3:2] names; the others stay.
struct Stochastic<const IS_BF8: bool>;

impl<const IS_BF8: bool> Body for Stochastic<IS_BF8> {
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let shift = 8 * (op.vector().op_sel() >> 2);
        let flag = |bit: u32| op.vector().modifiers >> bit & 1 != 0;
        let clamps = wave.mode.context().fp16_overflow_clamps;
        let exec = wave.exec();
        for lane in (0..LANES).filter(|lane| exec >> lane & 1 != 0) {
            let mut x = wave.lane_value(op, 0, lane);
            if flag(modifier::ABS) {
                x &= !float32::SIGN;
            }
            if flag(modifier::NEG) {
                x ^= float32::SIGN;
            }
            let random = wave.lane_value(op, 1, lane);
            let byte = format(IS_BF8).from_f32_stochastic(x, random, clamps);
            let word = &mut wave.row_mut(op.dst as usize).0[lane];
            *word = *word & !(0xff << shift) | u32::from(byte) << shift;
        }
        u32::from(op.after)
    }
}

/// Appends the rows whose bodies choose bytes.
pub(super) fn special_rows(rows: &mut Vec<Row>) {
    let to = |result| VectorShape {
        sources: [Type::B32, Type::None, Type::None],
        result,
        ..VectorShape::NONE
    };
    let (single, pair) = (to(Type::F32), to(Type::PackedB32));
    rows.push(Row::vector::<ToSingle<false>>(
        "v_cvt_f32_fp8_since_gfx12",
        single,
    ));
    rows.push(Row::vector::<ToSingle<true>>(
        "v_cvt_f32_bf8_since_gfx12",
        single,
    ));
    rows.push(Row::vector::<ToSingles<false>>(
        "v_cvt_pk_f32_fp8_since_gfx12",
        pair,
    ));
    rows.push(Row::vector::<ToSingles<true>>(
        "v_cvt_pk_f32_bf8_since_gfx12",
        pair,
    ));
    let stochastic = [
        (
            "v_cvt_sr_fp8_f32_since_gfx12",
            shell::handler::<Stochastic<false>> as fn() -> _,
        ),
        (
            "v_cvt_sr_bf8_f32_since_gfx12",
            shell::handler::<Stochastic<true>>,
        ),
    ];
    for (mnemonic, handler) in stochastic {
        rows.push(Row {
            mnemonic,
            shape: Shape::Vector(VectorShape {
                sources: [Type::F32, Type::B32, Type::None],
                result: Type::B32,
                ..VectorShape::NONE
            }),
            handler,
            changes_exec: false,
        });
    }
}
