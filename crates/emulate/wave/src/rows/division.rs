//! The steps of correctly rounded division: operand scaling, the last multiply-add, and the special cases.

use super::{Row, VectorShape, loops::*, simd, vector_macros::*};
use crate::{
    engine::Env,
    micro_op::MicroOp,
    ports::*,
    shell::{Form, VectorBody},
    state::Wave,
};
use numerics::{division, float32, float64};

#[rustfmt::skip]
vector_rows! {
    v_div_scale_f32: (F32, F32, F32) -> F32 fast unscaled32 {avx512} [carry_out] = |cx, a, b, c| division::scale_f32(a, b, c, cx.denormals32);
    v_div_scale_f64: (F64, F64, F64) -> F64 fast unscaled64 {avx512} [carry_out] = |cx, a, b, c| division::scale_f64(a, b, c, cx.denormals64);
    v_div_fixup_f32: (F32, F32, F32) -> F32 fast signed32 {avx512} = |cx, a, b, c| division::fixup_f32(a, b, c, cx.denormals32);
    v_div_fixup_f64: (F64, F64, F64) -> F64 fast signed64 {avx512} = |cx, a, b, c| division::fixup_f64(a, b, c, cx.denormals64);
}

/// The simple cases of one format: exponents far from both ends and from each other.
macro_rules! simple_cases {
    ($unscaled:ident, $signed:ident, $bits:ident, $signed_bits:ident, mantissa $mantissa:literal, exponents $numerators:expr, $denominators:expr, $distances:expr, $least:literal) => {
        /// The selected operand as it is, and whether no rule of `v_div_scale` applies.
        #[inline(always)]
        fn $unscaled(selected: $bits, denominator: $bits, numerator: $bits) -> ($bits, bool) {
            let exponent = |x: $bits| (x << 1 >> ($mantissa + 1)) as $signed_bits;
            let (d, n) = (exponent(denominator), exponent(numerator));
            let simple = ($numerators.0 <= n)
                & (n <= $numerators.1)
                & ($denominators.0 <= d)
                & (d <= $denominators.1)
                & ($distances.0 <= n - d)
                & (n - d <= $distances.1);
            (selected, simple)
        }

        /// The quotient with the right sign, and whether it and its operands are ordinary numbers.
        #[inline(always)]
        fn $signed(quotient: $bits, denominator: $bits, numerator: $bits) -> ($bits, bool) {
            let exponent = |x: $bits| (x << 1 >> ($mantissa + 1)) as $signed_bits;
            let top = ($bits::MAX << 1 >> ($mantissa + 1)) as $signed_bits;
            let (d, n, q) = (
                exponent(denominator),
                exponent(numerator),
                exponent(quotient),
            );
            let sign = $bits::MAX ^ $bits::MAX >> 1;
            let simple = (d > 0) & (d < top) & (n > 0) & (n < top) & (q < top) & (n - d >= $least);
            (quotient & !sign | (denominator ^ numerator) & sign, simple)
        }
    };
}

simple_cases!(unscaled32, signed32, u32, i32, mantissa 23, exponents (24, 254), (1, 252), (-125, 95), -150);
simple_cases!(unscaled64, signed64, u64, i64, mantissa 52, exponents (54, 2046), (1, 2044), (-1021, 767), -1075);

/// `v_div_fmas_*`: unless the mask asks for scaling, a fused multiply-add.
macro_rules! fmas_rows {
    ($($name:ident: $lane:ident, $kind:ident, $module:ident, $fmas:ident, $denormals:ident, $round:ident;)*) => {
        $(
            #[allow(non_camel_case_types)]
            struct $name;
            impl VectorBody for $name {
                const SOURCES: usize = 3;
                const MODE: bool = true;
                const HOT: bool = false;
                #[inline(always)]
                fn run<F: Form>(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
                    if F::USUAL && F::AVX2 && wave.mask(op.vector().mask_src as usize) & wave.exec() == 0 {
                        return simd::run::<Self, F, simd::$kind, simd::fma, 3>(
                            wave,
                            op,
                            env,
                            #[inline(always)]
                            |cx, [a, b, c]| $module::fma_round(a, b, c, cx.$denormals, cx.$round),
                        );
                    }
                    if F::USUAL {
                        return crate::shell::general::<Self, F>(wave, op, env);
                    }
                    carry_in3::<Self, F, $lane, $lane, $lane, $lane>(
                        wave,
                        op,
                        env,
                        #[inline(always)]
                        |cx, a, b, c, vcc| division::$fmas(a, b, c, vcc, cx.$denormals, cx.$round),
                    )
                }
            }
        )*

        /// Appends the rows that look at the mask first.
        pub(super) fn special_rows(rows: &mut Vec<Row>) {
            $(
                rows.push(Row::vector::<$name>(stringify!($name), VectorShape {
                    sources: [Type::$lane; 3],
                    result: Type::$lane,
                    mask_source: true,
                    ..VectorShape::NONE
                }));
            )*
        }
    };
}

fmas_rows! {
    v_div_fmas_f32: F32, Singles, float32, fmas_f32, denormals32, round32;
    v_div_fmas_f64: F64, Doubles, float64, fmas_f64, denormals64, round64;
}
