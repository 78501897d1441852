//! Byte-wise media operations: sums of absolute differences, averages, byte permutation.

use super::vector_macros::vector_rows;
use crate::ports::*;
use numerics::integer;

#[rustfmt::skip]
vector_rows! {
    v_sad_u8:          (B32, B32, B32) -> B32 = |cx, a, b, c| sum(cx.clamp, integer::sad_u8(a, b, c), c);
    v_sad_hi_u8:       (B32, B32, B32) -> B32 = |cx, a, b, c| sum(cx.clamp, integer::sad_hi_u8(a, b, c), c);
    v_sad_u16:         (B32, B32, B32) -> B32 = |cx, a, b, c| sum(cx.clamp, integer::sad_u16(a, b, c), c);
    v_sad_u32:         (B32, B32, B32) -> B32 = |cx, a, b, c| sum(cx.clamp, integer::sad_u32(a, b, c), c);
    v_msad_u8:         (B32, B32, B32) -> B32 = |cx, a, b, c| sum(cx.clamp, integer::msad_u8(a, b, c), c);
    v_qsad_pk_u16_u8:  (B64, B32, B64) -> B64 = |cx, a, b, c| integer::qsad_pk_u16_u8(a, b, c, cx.clamp);
    v_mqsad_pk_u16_u8: (B64, B32, B64) -> B64 = |cx, a, b, c| integer::mqsad_pk_u16_u8(a, b, c, cx.clamp);
    v_mqsad_u32_u8:    (B64, B32, B128) -> B128 = |cx, a, b, c| { let r = integer::mqsad_u32_u8(a, b, c); std::array::from_fn(|i| sum(cx.clamp, r[i], c[i])) };
    v_lerp_u8:         (B32, B32, B32) -> B32 = |_, a, b, c| integer::lerp_u8(a, b, c);
    v_perm_b32:        (B32, B32, B32) -> B32 = |_, a, b, c| integer::perm(a, b, c);
}

/// A wrapped sum that started from `addend`, saturated under CLAMP: what is added is never negative.
#[inline(always)]
fn sum(clamp: bool, wrapped: u32, addend: u32) -> u32 {
    if clamp & (wrapped < addend) {
        !0
    } else {
        wrapped
    }
}
