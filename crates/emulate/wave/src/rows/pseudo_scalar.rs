//! Approximate functions of one scalar (gfx12): VOP3 encodings whose source and destination are scalar registers. They take no
//! notice of EXEC. Halves lie in the low half of a register; the high half of a result is zero.

use numerics::{Denormals, approx, float16, float32};

use super::{Destination, Row, VectorShape};
use crate::{
    engine::Env,
    micro_op::{MicroOp, modifier},
    mode::Context,
    ports::Type,
    shell::{self, Body},
    state::Wave,
};

/// Returns `true` if a modifier of source 0, or of the result, is there.
fn has(op: &MicroOp, bit: u32) -> bool {
    op.vector().modifiers >> bit & 1 != 0
}

/// OMOD, where MODE lets it have an effect.
fn multiplier(op: &MicroOp, denormals: Denormals) -> u8 {
    if denormals.flush_outputs {
        op.vector().output_modifier() as u8
    } else {
        0
    }
}

macro_rules! pseudo_scalar_rows {
    ($($name:ident: $kind:ident $float:ident $bits:ident $denormals:ident = |$cx:ident, $x:ident| $body:expr;)*) => {
        $(
            #[allow(non_camel_case_types)]
            struct $name;
            impl Body for $name {
                fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
                    let $cx: Context = wave.mode.context();
                    let mut $x = wave.uniform(op, 0) as $bits;
                    if has(op, modifier::ABS) {
                        $x &= !$float::SIGN;
                    }
                    if has(op, modifier::NEG) {
                        $x ^= $float::SIGN;
                    }
                    let result: $bits = $body;
                    let mut result = $float::omod(result, multiplier(op, $cx.$denormals));
                    if op.vector().clamp() {
                        result = $float::clamp(result, wave.mode.dx10_clamp());
                    }
                    wave.scalars.0[op.dst as usize] = u32::from(result);
                    u32::from(op.after)
                }
            }
        )*
        /// Appends this file's rows.
        pub(super) fn rows(rows: &mut Vec<Row>) {
            $(rows.push(Row {
                mnemonic: stringify!($name),
                shape: super::Shape::Vector(VectorShape {
                    sources: [Type::$kind, Type::None, Type::None],
                    result: Type::$kind,
                    destination: Destination::Scalar,
                    ..VectorShape::NONE
                }),
                handler: shell::scalar_handler::<$name>,
                changes_exec: false,
            });)*
        }
    };
}

#[rustfmt::skip]
pseudo_scalar_rows! {
    v_s_exp_f32:  F32 float32 u32 denormals32 = |_cx, x| approx::exp_f32(x);
    v_s_log_f32:  F32 float32 u32 denormals32 = |_cx, x| approx::log_f32(x);
    v_s_rcp_f32:  F32 float32 u32 denormals32 = |_cx, x| approx::rcp_f32(x);
    v_s_rsq_f32:  F32 float32 u32 denormals32 = |_cx, x| approx::rsq_f32(x);
    v_s_sqrt_f32: F32 float32 u32 denormals32 = |_cx, x| approx::sqrt_f32(x);
    v_s_exp_f16:  F16 float16 u16 denormals64 = |cx, x| approx::exp_f16(x, cx.denormals64);
    v_s_log_f16:  F16 float16 u16 denormals64 = |cx, x| approx::log_f16(x, cx.denormals64);
    v_s_rcp_f16:  F16 float16 u16 denormals64 = |cx, x| approx::rcp_f16(x, cx.denormals64);
    v_s_rsq_f16:  F16 float16 u16 denormals64 = |cx, x| approx::rsq_f16(x, cx.denormals64);
    v_s_sqrt_f16: F16 float16 u16 denormals64 = |cx, x| approx::sqrt_f16(x, cx.denormals64);
}
