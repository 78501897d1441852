//! Dot products of packed values into a 32-bit accumulator. The `c` forms (VOP2) accumulate into their destination.

use super::{Row, VectorShape, loops::map3, simd, vector_macros::vector_rows};
use crate::{
    engine::Env,
    micro_op::{MicroOp, modifier},
    ports::*,
    shell::{Form, VectorBody},
    state::Wave,
};
use numerics::packed;

#[rustfmt::skip]
vector_rows! {
    v_dot2_f32_f16:  (PackedF16, PackedF16, F32) -> F32 simd SinglesAndPairs::dot2_halves {avx512} = |_, a, b, c| packed::dot2_f32_f16(a, b, c);
    v_dot2_i32_i16:  (PackedB16, PackedB16, B32) -> B32 simd Singles::dot2_signed {avx512} = |cx, a, b, c| packed::dot2_i32_i16(a, b, c, cx.clamp);
    v_dot2_u32_u16:  (PackedB16, PackedB16, B32) -> B32 = |cx, a, b, c| packed::dot2_u32_u16(a, b, c, cx.clamp);
    v_dot4_i32_i8:   (B32, B32, B32) -> B32 simd Singles::dot4_signed {avx512} = |cx, a, b, c| packed::dot4_i32_i8(a, b, c, cx.clamp);
    v_dot4_u32_u8:   (B32, B32, B32) -> B32 simd Singles::dot4_unsigned {avx512} = |cx, a, b, c| packed::dot4_u32_u8(a, b, c, cx.clamp);
    v_dot8_i32_i4:   (B32, B32, B32) -> B32 = |cx, a, b, c| packed::dot8_i32_i4(a, b, c, cx.clamp);
    v_dot8_u32_u4:   (B32, B32, B32) -> B32 = |cx, a, b, c| packed::dot8_u32_u4(a, b, c, cx.clamp);
    v_dot2c_f32_f16: (PackedF16, PackedF16, F32) -> F32 simd SinglesAndPairs::dot2_halves {avx512} [tied] = |_, a, b, c| packed::dot2_f32_f16(a, b, c);
    v_dot2c_i32_i16: (PackedB16, PackedB16, B32) -> B32 simd Singles::dot2_signed {avx512} [tied] = |_cx, a, b, c| packed::dot2_i32_i16(a, b, c, false);
    v_dot4c_i32_i8:  (B32, B32, B32) -> B32 simd Singles::dot4_signed {avx512} [tied] = |_cx, a, b, c| packed::dot4_i32_i8(a, b, c, false);
    v_dot8c_i32_i4:  (B32, B32, B32) -> B32 [tied] = |_, a, b, c| packed::dot8_i32_i4(a, b, c, false);
    // Since gfx11.
    v_dot2_f16_f16:  (PackedF16, PackedF16, F16) -> F16 = |cx, a, b, c| packed::dot2_f16_f16(a, b, c, cx.half());
    v_dot2_bf16_bf16: (PackedBf16, PackedBf16, Bf16) -> B16 = |_, a, b, c| packed::dot2_bf16_bf16(a, b, c);
    v_dot2_f32_bf16_since_gfx11: (PackedBf16, PackedBf16, F32) -> F32 = |_, a, b, c| packed::dot2c_f32_bf16(a, b, c);
    v_dot2acc_f32_bf16: (PackedBf16, PackedBf16, F32) -> F32 [tied] = |_, a, b, c| packed::dot2c_f32_bf16(a, b, c);
}

/// Dot products whose encoding says which of the first two sources has signed elements.
macro_rules! signed_rows {
    ($($name:ident = $function:ident $(, simd $signed:ident, $unsigned:ident)?;)*) => {
        $(
            #[allow(non_camel_case_types)]
            struct $name;
            impl VectorBody for $name {
                const SOURCES: usize = 3;
                const MODE: bool = true;
                const HOT: bool = false;
                const AVX512_ALONE: bool = true;
                #[inline(always)]
                fn run<F: Form>(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
                    let signed = op.vector().modifiers >> modifier::SIGNED;
                    let (first, second) = (signed & 1 != 0, signed & 2 != 0);
                    $(
                        // Copies for any mode saturate, so the fast path is not what they do.
                        macro_rules! run_simd {
                            ($operation:ident) => {
                                simd::run::<Self, F, simd::Singles, simd::$operation, 3>(
                                    wave,
                                    op,
                                    env,
                                    #[inline(always)]
                                    |cx, [a, b, c]| packed::$function(a, b, c, first, second, cx.clamp),
                                )
                            };
                        }
                        if F::USUAL && first && second {
                            return run_simd!($signed);
                        }
                        if F::USUAL && !first && !second {
                            return run_simd!($unsigned);
                        }
                    )?
                    map3::<Self, F, B32, B32, B32, B32>(
                        wave,
                        op,
                        env,
                        #[inline(always)]
                        |cx, a, b, c| packed::$function(a, b, c, first, second, cx.clamp),
                    )
                }
            }
        )*

        /// Appends the rows with signs of their own.
        pub(super) fn special_rows(rows: &mut Vec<Row>) {
            $(rows.push(Row::vector::<$name>(stringify!($name), VectorShape {
                sources: [Type::B32; 3],
                result: Type::B32,
                neg_is_sign: true,
                ..VectorShape::NONE
            }));)*
        }
    };
}

signed_rows! {
    v_dot4_i32_iu8 = dot4_i32_iu8, simd dot4_signed, dot4_unsigned;
    v_dot8_i32_iu4 = dot8_i32_iu4;
}
