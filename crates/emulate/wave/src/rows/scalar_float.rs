//! Floating point in scalar registers (gfx11.5 and gfx12): SOP1, SOP2 and SOPC. MODE rounds and flushes as it does for vectors.
//! Halves lie in the low half of a register; the high half of a result is zero.

use numerics::{Condition, convert, float16, float32};

use super::{Row, ScalarShape, Shape};
use crate::{
    engine::Env,
    micro_op::{MicroOp, flow},
    mode::Context,
    ports::Type,
    shell::{self, Body},
    state::Wave,
};

/// The inputs of a row: MODE, the sources and the destination's old value, all as words.
struct Operands {
    cx: Context,
    a: u32,
    b: u32,
    /// The literal of `s_fmaak_f32` and `s_fmamk_f32`.
    k: u32,
    old: u32,
}

impl Operands {
    fn read(wave: &Wave, op: &MicroOp) -> Operands {
        Operands {
            cx: wave.mode.context(),
            a: wave.uniform32(op, 0),
            b: wave.uniform32(op, 1),
            k: wave.uniform32(op, 2),
            old: wave.scalars.0[op.dst as usize],
        }
    }
}

/// `mnemonic: (source types) -> result type = |operands| bits;`. The third type is the literal's.
macro_rules! float_rows {
    ($($name:ident: ($a:ident, $b:ident, $k:ident) -> $result:ident = |$x:ident| $body:expr;)*) => {$(
        #[allow(non_camel_case_types)]
        struct $name;
        impl Body for $name {
            fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
                let $x = Operands::read(wave, op);
                let value: u32 = $body;
                wave.scalars.0[op.dst as usize] = value;
                u32::from(op.after)
            }
        }
    )*
    fn value_rows(rows: &mut Vec<Row>) {
        $(rows.push(row::<$name>(stringify!($name), [Type::$a, Type::$b, Type::$k], Type::$result));)*
    }};
}

/// Comparisons of a type: `mnemonic = condition;`.
macro_rules! compare_rows {
    ($function:ident, $kind:ident, $float:ident, $denormals:ident, $bits:ty: $($name:ident = $condition:ident;)*) => {
        $(
            #[allow(non_camel_case_types)]
            struct $name;
            impl Body for $name {
                fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
                    let x = Operands::read(wave, op);
                    let (a, b) = (x.a as $bits, x.b as $bits);
                    wave.scc = $float::compare(Condition::$condition, a, b, x.cx.$denormals);
                    flow::NEXT
                }
            }
        )*
        fn $function(rows: &mut Vec<Row>) {
            let sources = [Type::$kind, Type::$kind, Type::None];
            $(rows.push(row::<$name>(stringify!($name), sources, Type::None));)*
        }
    };
}

fn row<B: Body>(mnemonic: &'static str, sources: [Type; 3], result: Type) -> Row {
    Row {
        mnemonic,
        shape: Shape::Scalar(ScalarShape {
            sources,
            result,
            pure: false,
        }),
        handler: shell::scalar_handler::<B>,
        changes_exec: false,
    }
}

/// A half-precision operation on the low halves.
fn half(x: &Operands, operation: impl Fn(u16, u16, float16::Mode) -> u16) -> u32 {
    u32::from(operation(x.a as u16, x.b as u16, x.cx.half()))
}

#[rustfmt::skip]
float_rows! {
    s_add_f32:            (F32, F32, None) -> F32 = |x| float32::add_round(x.a, x.b, x.cx.denormals32, x.cx.round32);
    s_sub_f32:            (F32, F32, None) -> F32 = |x| float32::sub_round(x.a, x.b, x.cx.denormals32, x.cx.round32);
    s_mul_f32:            (F32, F32, None) -> F32 = |x| float32::mul_round(x.a, x.b, x.cx.denormals32, x.cx.round32);
    s_fmac_f32:           (F32, F32, None) -> F32 = |x| float32::fma_round(x.a, x.b, x.old, x.cx.denormals32, x.cx.round32);
    s_fmaak_f32:          (F32, F32, F32) -> F32  = |x| float32::fma_round(x.a, x.b, x.k, x.cx.denormals32, x.cx.round32);
    s_fmamk_f32:          (F32, F32, F32) -> F32  = |x| float32::fma_round(x.a, x.k, x.b, x.cx.denormals32, x.cx.round32);
    // gfx11.5's minimum and maximum depend on MODE.ieee, gfx12's do not and are of two kinds.
    s_min_f32:            (F32, F32, None) -> F32 = |x| float32::min(x.a, x.b, x.cx.ieee, x.cx.denormals32);
    s_max_f32:            (F32, F32, None) -> F32 = |x| float32::max(x.a, x.b, x.cx.ieee, x.cx.denormals32);
    s_min_num_f32:        (F32, F32, None) -> F32 = |x| float32::min_num(x.a, x.b, x.cx.denormals32);
    s_max_num_f32:        (F32, F32, None) -> F32 = |x| float32::max_num(x.a, x.b, x.cx.denormals32);
    s_minimum_f32:        (F32, F32, None) -> F32 = |x| float32::minimum(x.a, x.b, x.cx.denormals32);
    s_maximum_f32:        (F32, F32, None) -> F32 = |x| float32::maximum(x.a, x.b, x.cx.denormals32);
    s_floor_f32:          (F32, None, None) -> F32 = |x| float32::floor(x.a, x.cx.denormals32);
    s_ceil_f32:           (F32, None, None) -> F32 = |x| float32::ceil(x.a, x.cx.denormals32);
    s_trunc_f32:          (F32, None, None) -> F32 = |x| float32::trunc(x.a, x.cx.denormals32);
    s_rndne_f32:          (F32, None, None) -> F32 = |x| float32::rndne(x.a, x.cx.denormals32);
    s_add_f16:            (F16, F16, None) -> F16 = |x| half(&x, float16::add);
    s_sub_f16:            (F16, F16, None) -> F16 = |x| half(&x, float16::sub);
    s_mul_f16:            (F16, F16, None) -> F16 = |x| half(&x, float16::mul);
    s_fmac_f16:           (F16, F16, None) -> F16 = |x| half(&x, |a, b, mode| float16::fma(a, b, x.old as u16, mode));
    s_min_f16:            (F16, F16, None) -> F16 = |x| half(&x, |a, b, mode| float16::min(a, b, x.cx.ieee, mode.denormals));
    s_max_f16:            (F16, F16, None) -> F16 = |x| half(&x, |a, b, mode| float16::max(a, b, x.cx.ieee, mode.denormals));
    s_min_num_f16:        (F16, F16, None) -> F16 = |x| half(&x, |a, b, mode| float16::min_num(a, b, mode.denormals));
    s_max_num_f16:        (F16, F16, None) -> F16 = |x| half(&x, |a, b, mode| float16::max_num(a, b, mode.denormals));
    s_minimum_f16:        (F16, F16, None) -> F16 = |x| half(&x, |a, b, mode| float16::minimum(a, b, mode.denormals));
    s_maximum_f16:        (F16, F16, None) -> F16 = |x| half(&x, |a, b, mode| float16::maximum(a, b, mode.denormals));
    s_floor_f16:          (F16, None, None) -> F16 = |x| half(&x, |a, _, mode| float16::floor(a, mode.denormals));
    s_ceil_f16:           (F16, None, None) -> F16 = |x| half(&x, |a, _, mode| float16::ceil(a, mode.denormals));
    s_trunc_f16:          (F16, None, None) -> F16 = |x| half(&x, |a, _, mode| float16::trunc(a, mode.denormals));
    s_rndne_f16:          (F16, None, None) -> F16 = |x| half(&x, |a, _, mode| float16::rndne(a, mode.denormals));
    s_cvt_f32_i32:        (B32, None, None) -> F32 = |x| convert::f32_from_i32_round(x.a, x.cx.round32);
    s_cvt_f32_u32:        (B32, None, None) -> F32 = |x| convert::f32_from_u32_round(x.a, x.cx.round32);
    s_cvt_i32_f32:        (F32, None, None) -> B32 = |x| convert::i32_from_f32(x.a);
    s_cvt_u32_f32:        (F32, None, None) -> B32 = |x| convert::u32_from_f32(x.a);
    s_cvt_f16_f32:        (F32, None, None) -> F16 = |x| u32::from(convert::f16_from_f32(x.a, x.cx.denormals64, x.cx.round64, x.cx.fp16_overflow_clamps));
    s_cvt_f32_f16:        (F16, None, None) -> F32 = |x| convert::f32_from_f16(x.a as u16, x.cx.denormals64);
    s_cvt_hi_f32_f16:     (B32, None, None) -> F32 = |x| convert::f32_from_f16((x.a >> 16) as u16, x.cx.denormals64);
    s_cvt_pk_rtz_f16_f32: (F32, F32, None) -> B32 = |x| convert::pkrtz_f16_f32(x.a, x.b, x.cx.denormals64);
}

#[rustfmt::skip]
compare_rows! { singles, F32, float32, denormals32, u32:
    s_cmp_lt_f32 = LT;   s_cmp_eq_f32 = EQ;   s_cmp_le_f32 = LE;   s_cmp_gt_f32 = GT;   s_cmp_lg_f32 = LG;
    s_cmp_ge_f32 = GE;   s_cmp_o_f32 = O;     s_cmp_u_f32 = U;     s_cmp_nge_f32 = NGE; s_cmp_nlg_f32 = NLG;
    s_cmp_ngt_f32 = NGT; s_cmp_nle_f32 = NLE; s_cmp_neq_f32 = NEQ; s_cmp_nlt_f32 = NLT;
}

#[rustfmt::skip]
compare_rows! { halves, F16, float16, denormals64, u16:
    s_cmp_lt_f16 = LT;   s_cmp_eq_f16 = EQ;   s_cmp_le_f16 = LE;   s_cmp_gt_f16 = GT;   s_cmp_lg_f16 = LG;
    s_cmp_ge_f16 = GE;   s_cmp_o_f16 = O;     s_cmp_u_f16 = U;     s_cmp_nge_f16 = NGE; s_cmp_nlg_f16 = NLG;
    s_cmp_ngt_f16 = NGT; s_cmp_nle_f16 = NLE; s_cmp_neq_f16 = NEQ; s_cmp_nlt_f16 = NLT;
}

/// Appends this file's rows.
pub(super) fn rows(rows: &mut Vec<Row>) {
    value_rows(rows);
    singles(rows);
    halves(rows);
}
