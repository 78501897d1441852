//! The approximate functions: reciprocals, roots, exponentials, logarithms, sine and cosine, and the cube-map helpers.

use super::{Row, VectorShape, loops::map1, vector_macros::vector_rows};
use crate::{
    engine::Env,
    micro_op::MicroOp,
    mode::Context,
    ports::*,
    shell::{Form, VectorBody},
    state::Wave,
};
use gfx::Family;
use numerics::{approx, cube, float32};

#[rustfmt::skip]
vector_rows! {
    v_rcp_f32:        (F32) -> F32 {avx512} = |_, a| approx::rcp_f32(a);
    v_rcp_iflag_f32:  (F32) -> F32 {avx512} = |_, a| approx::rcp_f32(a);
    v_rsq_f32:        (F32) -> F32 simd Singles::reciprocal_root {avx512} = |_, a| approx::rsq_f32(a);
    v_sqrt_f32:       (F32) -> F32 {avx512} = |_, a| approx::sqrt_f32(a);
    v_exp_f32:        (F32) -> F32 simd Singles::exp2 {avx512} = |_, a| approx::exp_f32(a);
    v_log_f32:        (F32) -> F32 simd Singles::log2 {avx512} = |_, a| approx::log_f32(a);
    v_exp_legacy_f32: (F32) -> F32 = |_, a| approx::exp_f32(a);
    v_log_legacy_f32: (F32) -> F32 = |_, a| approx::log_f32(a);
    v_rcp_f16:        (F16) -> F16 simd WidenedHalves::rcp {avx512} = |cx, a| approx::rcp_f16(a as u16, cx.denormals64).into();
    v_rsq_f16:        (F16) -> F16 simd WidenedHalves::rsq {avx512} = |cx, a| approx::rsq_f16(a as u16, cx.denormals64).into();
    v_sqrt_f16:       (F16) -> F16 simd WidenedHalves::sqrt {avx512} = |cx, a| approx::sqrt_f16(a as u16, cx.denormals64).into();
    v_exp_f16:        (F16) -> F16 simd WidenedHalves::exp2_half {avx512} = |cx, a| approx::exp_f16(a as u16, cx.denormals64).into();
    v_log_f16:        (F16) -> F16 simd WidenedHalves::log2 {avx512} = |cx, a| approx::log_f16(a as u16, cx.denormals64).into();
    v_rcp_f64:        (F64) -> F64 {avx512, zero_inactive} = |cx, a| approx::rcp_f64(a, cx.denormals64);
    v_rsq_f64:        (F64) -> F64 {avx512, zero_inactive} = |cx, a| approx::rsq_f64(a, cx.denormals64);
    v_sqrt_f64:       (F64) -> F64 {avx512, zero_inactive} = |cx, a| approx::sqrt_f64(a, cx.denormals64);
    // Cube maps and lighting.
    v_cubeid_f32:     (F32, F32, F32) -> F32 = |_, a, b, c| cube::id(a, b, c);
    v_cubesc_f32:     (F32, F32, F32) -> F32 = |_, a, b, c| cube::sc(a, b, c);
    v_cubetc_f32:     (F32, F32, F32) -> F32 = |_, a, b, c| cube::tc(a, b, c);
    v_cubema_f32:     (F32, F32, F32) -> F32 = |cx, a, b, c| cube::ma(a, b, c, cx.denormals32);
    v_mullit_f32:     (F32, F32, F32) -> F32 = |cx, a, b, c| mullit(cx, a, b, c);
}

/// The specular term: -MAX_FLOAT unless the exponent base is usable and the other factor is positive.
#[inline(always)]
fn mullit(cx: Context, a: u32, b: u32, c: u32) -> u32 {
    const LEAST: u32 = float32::MAX_FINITE | float32::SIGN;
    let unusable = float32::is_nan(b) | (b == LEAST) | (b == float32::INFINITY | float32::SIGN);
    let dark = float32::is_nan(c) | (c & float32::SIGN != 0) | float32::is_zero(c);
    if unusable | dark {
        LEAST
    } else {
        float32::mul_legacy(a, b, cx.denormals32)
    }
}

/// Sine or cosine of an angle in turns. gfx9 only reduces angles up to 256 turns.
struct Turn<L, const COSINE: bool>(std::marker::PhantomData<L>);

trait Angle: Lane {
    fn turn(context: Context, angle: Self::Value, cosine: bool, limited: bool) -> Self::Value;
}

impl Angle for F32 {
    #[inline(always)]
    fn turn(_: Context, angle: u32, cosine: bool, limited: bool) -> u32 {
        if cosine {
            approx::cos_f32(angle, limited)
        } else {
            approx::sin_f32(angle, limited)
        }
    }
}

impl Angle for F16 {
    #[inline(always)]
    fn turn(context: Context, angle: u16, cosine: bool, limited: bool) -> u16 {
        if cosine {
            approx::cos_f16(angle, context.denormals64, limited)
        } else {
            approx::sin_f16(angle, context.denormals64, limited)
        }
    }
}

impl<L: Angle, const COSINE: bool> VectorBody for Turn<L, COSINE> {
    const SOURCES: usize = 1;
    const MODE: bool = true;
    const HOT: bool = false;
    const AVX512_ALONE: bool = true;
    #[inline(always)]
    fn run<F: Form>(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let limited = env.program.config().target.family == Family::Gfx9;
        map1::<Self, F, L, L>(
            wave,
            op,
            env,
            #[inline(always)]
            |context, angle| L::turn(context, angle, COSINE, limited),
        )
    }
}

fn push<L: Angle, const COSINE: bool>(rows: &mut Vec<Row>, mnemonic: &'static str) {
    let shape = VectorShape {
        sources: [L::TYPE, Type::None, Type::None],
        result: L::TYPE,
        ..VectorShape::NONE
    };
    rows.push(Row::vector::<Turn<L, COSINE>>(mnemonic, shape));
}

/// Appends the rows whose meaning depends on the target.
pub(super) fn special_rows(rows: &mut Vec<Row>) {
    push::<F32, false>(rows, "v_sin_f32");
    push::<F32, true>(rows, "v_cos_f32");
    push::<F16, false>(rows, "v_sin_f16");
    push::<F16, true>(rows, "v_cos_f16");
}
