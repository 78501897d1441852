//! Minima and maxima of gfx12. In `_num` a number wins over a NaN, in `minimum` and `maximum` (IEEE 754 of 2019) the NaN does;
//! -0 is below +0 in all of them, and MODE has no say in NaNs.

use super::vector_macros::vector_rows;
use crate::ports::*;
use numerics::{float16, float32, float64, packed};

#[rustfmt::skip]
vector_rows! {
    v_min_num_f32:        (F32, F32) -> F32 simd Singles::min = |cx, a, b| float32::min_num(a, b, cx.denormals32);
    v_max_num_f32:        (F32, F32) -> F32 simd Singles::max = |cx, a, b| float32::max_num(a, b, cx.denormals32);
    v_min3_num_f32:       (F32, F32, F32) -> F32 simd Singles::min3 = |cx, a, b, c| float32::min3_num(a, b, c, cx.denormals32);
    v_max3_num_f32:       (F32, F32, F32) -> F32 simd Singles::max3 = |cx, a, b, c| float32::max3_num(a, b, c, cx.denormals32);
    v_med3_num_f32:       (F32, F32, F32) -> F32 simd Singles::med3 = |cx, a, b, c| float32::med3_num(a, b, c, cx.denormals32);
    v_maxmin_num_f32:     (F32, F32, F32) -> F32 = |cx, a, b, c| float32::min_num(float32::max_num(a, b, cx.denormals32), c, cx.denormals32);
    v_minmax_num_f32:     (F32, F32, F32) -> F32 = |cx, a, b, c| float32::max_num(float32::min_num(a, b, cx.denormals32), c, cx.denormals32);
    v_minimum_f32:        (F32, F32) -> F32 = |cx, a, b| float32::minimum(a, b, cx.denormals32);
    v_maximum_f32:        (F32, F32) -> F32 = |cx, a, b| float32::maximum(a, b, cx.denormals32);
    v_minimummaximum_f32: (F32, F32, F32) -> F32 = |cx, a, b, c| float32::maximum(float32::minimum(a, b, cx.denormals32), c, cx.denormals32);
    v_maximumminimum_f32: (F32, F32, F32) -> F32 = |cx, a, b, c| float32::minimum(float32::maximum(a, b, cx.denormals32), c, cx.denormals32);
    v_min_num_f16:        (F16, F16) -> F16 simd Halves::min {fp16} = |cx, a, b| float16::min_num(a, b, cx.denormals64);
    v_max_num_f16:        (F16, F16) -> F16 simd Halves::max {fp16} = |cx, a, b| float16::max_num(a, b, cx.denormals64);
    v_min3_num_f16:       (F16, F16, F16) -> F16 simd Halves::min3 = |cx, a, b, c| float16::min3_num(a, b, c, cx.denormals64);
    v_max3_num_f16:       (F16, F16, F16) -> F16 simd Halves::max3 = |cx, a, b, c| float16::max3_num(a, b, c, cx.denormals64);
    v_med3_num_f16:       (F16, F16, F16) -> F16 simd Halves::med3 = |cx, a, b, c| float16::med3_num(a, b, c, cx.denormals64);
    v_maxmin_num_f16:     (F16, F16, F16) -> F16 = |cx, a, b, c| float16::min_num(float16::max_num(a, b, cx.denormals64), c, cx.denormals64);
    v_minmax_num_f16:     (F16, F16, F16) -> F16 = |cx, a, b, c| float16::max_num(float16::min_num(a, b, cx.denormals64), c, cx.denormals64);
    v_minimum_f16:        (F16, F16) -> F16 = |cx, a, b| float16::minimum(a, b, cx.denormals64);
    v_maximum_f16:        (F16, F16) -> F16 = |cx, a, b| float16::maximum(a, b, cx.denormals64);
    v_minimum3_f16:       (F16, F16, F16) -> F16 = |cx, a, b, c| float16::minimum3(a, b, c, cx.denormals64);
    v_maximum3_f16:       (F16, F16, F16) -> F16 = |cx, a, b, c| float16::maximum3(a, b, c, cx.denormals64);
    v_minimummaximum_f16: (F16, F16, F16) -> F16 = |cx, a, b, c| float16::maximum(float16::minimum(a, b, cx.denormals64), c, cx.denormals64);
    v_maximumminimum_f16: (F16, F16, F16) -> F16 = |cx, a, b, c| float16::minimum(float16::maximum(a, b, cx.denormals64), c, cx.denormals64);
    v_min_num_f64:        (F64, F64) -> F64 simd Doubles::min = |cx, a, b| float64::min_num(a, b, cx.denormals64);
    v_max_num_f64:        (F64, F64) -> F64 simd Doubles::max = |cx, a, b| float64::max_num(a, b, cx.denormals64);
    v_minimum_f64:        (F64, F64) -> F64 = |cx, a, b| float64::minimum(a, b, cx.denormals64);
    v_maximum_f64:        (F64, F64) -> F64 = |cx, a, b| float64::maximum(a, b, cx.denormals64);
    v_pk_min_num_f16:     (PackedF16, PackedF16) -> PackedF16 simd HalfPairs::min {fp16} = |cx, a, b| packed::map2(a, b, #[inline(always)] |a, b| float16::min_num(a, b, cx.denormals64));
    v_pk_max_num_f16:     (PackedF16, PackedF16) -> PackedF16 simd HalfPairs::max {fp16} = |cx, a, b| packed::map2(a, b, #[inline(always)] |a, b| float16::max_num(a, b, cx.denormals64));
    v_pk_minimum_f16:     (PackedF16, PackedF16) -> PackedF16 = |cx, a, b| packed::map2(a, b, #[inline(always)] |a, b| float16::minimum(a, b, cx.denormals64));
    v_pk_maximum_f16:     (PackedF16, PackedF16) -> PackedF16 = |cx, a, b| packed::map2(a, b, #[inline(always)] |a, b| float16::maximum(a, b, cx.denormals64));
}
