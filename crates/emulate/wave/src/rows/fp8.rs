//! Eight-bit floats without scales. gfx942 has the FNUZ formats, gfx950 and gfx12 the OCP ones: the same mnemonics, so each of
//! the two has a table of its own, of which [`super::find_for`] takes one.

use numerics::convert::Fp8;

/// The rows for formats `$fp8` and `$bf8`.
macro_rules! eight_bit {
    ($module:ident, $fp8:expr, $bf8:expr) => {
        pub(in crate::rows) mod $module {
            use super::super::vector_macros::vector_rows;
            use super::*;
            use crate::ports::*;

            /// Appends the rows for these formats.
            pub(in crate::rows) fn append(to: &mut Vec<super::super::Row>) {
                rows(to);
            }

            const FP8: Fp8 = $fp8;
            const BF8: Fp8 = $bf8;

            // SDWA selects the byte or half of a source; op_sel selects the part of the destination.
            #[rustfmt::skip]
            vector_rows! {
                v_cvt_f32_fp8:    (B32) -> F32 = |_, a| FP8.to_f32(a as u8);
                v_cvt_f32_bf8:    (B32) -> F32 = |_, a| BF8.to_f32(a as u8);
                v_cvt_pk_f32_fp8: (B32) -> PackedB32 = |_, a| [FP8.to_f32(a as u8), FP8.to_f32((a >> 8) as u8)];
                v_cvt_pk_f32_bf8: (B32) -> PackedB32 = |_, a| [BF8.to_f32(a as u8), BF8.to_f32((a >> 8) as u8)];
                v_cvt_pk_fp8_f32: (F32, F32) -> B16 [keep_high] = |cx, a, b| pair(FP8.from_f32(a, cx.fp16_overflow_clamps), FP8.from_f32(b, cx.fp16_overflow_clamps));
                v_cvt_pk_bf8_f32: (F32, F32) -> B16 [keep_high] = |cx, a, b| pair(BF8.from_f32(a, cx.fp16_overflow_clamps), BF8.from_f32(b, cx.fp16_overflow_clamps));
                v_cvt_sr_fp8_f32: (F32, B32) -> B8 = |cx, a, b| FP8.from_f32_stochastic(a, b, cx.fp16_overflow_clamps).into();
                v_cvt_sr_bf8_f32: (F32, B32) -> B8 = |cx, a, b| BF8.from_f32_stochastic(a, b, cx.fp16_overflow_clamps).into();
            }
        }
    };
}

eight_bit!(fnuz, Fp8::E4m3Fnuz, Fp8::E5m2Fnuz);
eight_bit!(ocp, Fp8::E4m3, Fp8::E5m2);

#[inline(always)]
fn pair(low: u8, high: u8) -> u16 {
    u16::from(low) | u16::from(high) << 8
}
