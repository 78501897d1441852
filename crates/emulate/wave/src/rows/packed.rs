//! VOP3P: two 16-bit values in one register, or two 32-bit values in a register pair. op_sel, op_sel_hi, neg_lo and neg_hi
//! are applied by the operand ports.

use super::{Function, Row, VectorShape, simd, vector_macros::vector_rows};
use crate::{
    engine::Env,
    micro_op::MicroOp,
    ports::*,
    shell::{Form, VectorBody},
    state::Wave,
};
use numerics::{float32, packed};

#[rustfmt::skip]
vector_rows! {
    v_pk_add_u16:     (PackedB16, PackedB16) -> PackedB16 = |cx, a, b| packed::add_u16(a, b, cx.clamp);
    v_pk_sub_u16:     (PackedB16, PackedB16) -> PackedB16 = |cx, a, b| packed::sub_u16(a, b, cx.clamp);
    v_pk_add_i16:     (PackedB16, PackedB16) -> PackedB16 = |cx, a, b| packed::add_i16(a, b, cx.clamp);
    v_pk_sub_i16:     (PackedB16, PackedB16) -> PackedB16 = |cx, a, b| packed::sub_i16(a, b, cx.clamp);
    v_pk_mul_lo_u16:  (PackedB16, PackedB16) -> PackedB16 = |_, a, b| packed::mul_lo_u16(a, b);
    v_pk_mad_u16:     (PackedB16, PackedB16, PackedB16) -> PackedB16 = |cx, a, b, c| packed::mad_u16(a, b, c, cx.clamp);
    v_pk_mad_i16:     (PackedB16, PackedB16, PackedB16) -> PackedB16 = |cx, a, b, c| packed::mad_i16(a, b, c, cx.clamp);
    v_pk_lshlrev_b16: (PackedB16, PackedB16) -> PackedB16 = |_, a, b| packed::lshlrev_b16(a, b);
    v_pk_lshrrev_b16: (PackedB16, PackedB16) -> PackedB16 = |_, a, b| packed::lshrrev_b16(a, b);
    v_pk_ashrrev_i16: (PackedB16, PackedB16) -> PackedB16 = |_, a, b| packed::ashrrev_i16(a, b);
    v_pk_min_u16:     (PackedB16, PackedB16) -> PackedB16 = |_, a, b| packed::min_u16(a, b);
    v_pk_max_u16:     (PackedB16, PackedB16) -> PackedB16 = |_, a, b| packed::max_u16(a, b);
    v_pk_min_i16:     (PackedB16, PackedB16) -> PackedB16 = |_, a, b| packed::min_i16(a, b);
    v_pk_max_i16:     (PackedB16, PackedB16) -> PackedB16 = |_, a, b| packed::max_i16(a, b);
    v_pk_add_f16:     (PackedF16, PackedF16) -> PackedF16 simd HalfPairs::add {avx512, fp16} = |cx, a, b| packed::add_f16(a, b, cx.half());
    v_pk_mul_f16:     (PackedF16, PackedF16) -> PackedF16 simd HalfPairs::mul {avx512, fp16} = |cx, a, b| packed::mul_f16(a, b, cx.half());
    v_pk_fma_f16:     (PackedF16, PackedF16, PackedF16) -> PackedF16 simd HalfPairs::fma {avx512, fp16} = |cx, a, b, c| packed::fma_f16(a, b, c, cx.half());
    v_pk_fmac_f16:    (PackedF16, PackedF16, PackedF16) -> PackedF16 simd HalfPairs::fma {fp16} [tied] = |cx, a, b, c| packed::fma_f16(a, b, c, cx.half());
    v_pk_min_f16:     (PackedF16, PackedF16) -> PackedF16 simd HalfPairs::min {avx512, fp16} = |cx, a, b| packed::min_f16(a, b, cx.ieee, cx.denormals64);
    v_pk_max_f16:     (PackedF16, PackedF16) -> PackedF16 simd HalfPairs::max {avx512, fp16} = |cx, a, b| packed::max_f16(a, b, cx.ieee, cx.denormals64);
    // The ports put the word that op_sel names into the low place of each source.
    v_pk_mov_b32:     (PackedB32, PackedB32) -> PackedB32 = |_, a, b| [a[0], b[0]];
}

/// `v_pk_add_f32`, `v_pk_mul_f32` and `v_pk_fma_f32`: both words of register pairs as singles.
macro_rules! pair_rows {
    ($($name:ident, $count:tt, $operation:ident = |$cx:ident, [$($argument:ident),*]| $exact:expr;)*) => {
        $(
            #[allow(non_camel_case_types)]
            struct $name;
            impl VectorBody for $name {
                const SOURCES: usize = $count;
                const MODE: bool = true;
                const HOT: bool = true;
                fn function() -> Option<Function> {
                    // Each word of the result by itself.
                    <simd::Singles as simd::Kind>::function::<simd::$operation, $count>()
                }
                #[inline(always)]
                fn run<F: Form>(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
                    simd::run::<Self, F, simd::Pairs, simd::$operation, $count>(
                        wave,
                        op,
                        env,
                        #[inline(always)]
                        |$cx, [$($argument),*]| $exact,
                    )
                }
            }
        )*

        /// Appends the rows on pairs of singles.
        pub(super) fn special_rows(rows: &mut Vec<Row>) {
            $(
                let pair = |index| if index < $count { Type::PackedF32 } else { Type::None };
                rows.push(Row::vector::<$name>(stringify!($name), VectorShape {
                    sources: [pair(0), pair(1), pair(2)],
                    result: Type::PackedF32,
                    ..VectorShape::NONE
                }));
            )*
        }
    };
}

#[rustfmt::skip]
pair_rows! {
    v_pk_add_f32, 2, add = |cx, [a, b]| float32::add_round(a, b, cx.denormals32, cx.round32);
    v_pk_mul_f32, 2, mul = |cx, [a, b]| float32::mul_round(a, b, cx.denormals32, cx.round32);
    v_pk_fma_f32, 3, fma = |cx, [a, b, c]| float32::fma_round(a, b, c, cx.denormals32, cx.round32);
}
