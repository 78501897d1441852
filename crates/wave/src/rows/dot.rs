//! Dot products of packed values into a 32-bit accumulator. The `c` forms (VOP2) accumulate into their destination.

use super::vector_macros::vector_rows;
use crate::ports::*;
use numerics::packed;

#[rustfmt::skip]
vector_rows! {
    v_dot2_f32_f16:  (PackedF16, PackedF16, F32) -> F32 = |_, a, b, c| packed::dot2_f32_f16(a, b, c);
    v_dot2_i32_i16:  (PackedB16, PackedB16, B32) -> B32 = |cx, a, b, c| packed::dot2_i32_i16(a, b, c, cx.clamp);
    v_dot2_u32_u16:  (PackedB16, PackedB16, B32) -> B32 = |cx, a, b, c| packed::dot2_u32_u16(a, b, c, cx.clamp);
    v_dot4_i32_i8:   (B32, B32, B32) -> B32 = |cx, a, b, c| packed::dot4_i32_i8(a, b, c, cx.clamp);
    v_dot4_u32_u8:   (B32, B32, B32) -> B32 = |cx, a, b, c| packed::dot4_u32_u8(a, b, c, cx.clamp);
    v_dot8_i32_i4:   (B32, B32, B32) -> B32 = |cx, a, b, c| packed::dot8_i32_i4(a, b, c, cx.clamp);
    v_dot8_u32_u4:   (B32, B32, B32) -> B32 = |cx, a, b, c| packed::dot8_u32_u4(a, b, c, cx.clamp);
    v_dot2c_f32_f16: (PackedF16, PackedF16, F32) -> F32 [tied] = |_, a, b, c| packed::dot2_f32_f16(a, b, c);
    v_dot2c_i32_i16: (PackedB16, PackedB16, B32) -> B32 [tied] = |_, a, b, c| packed::dot2_i32_i16(a, b, c, false);
    v_dot4c_i32_i8:  (B32, B32, B32) -> B32 [tied] = |_, a, b, c| packed::dot4_i32_i8(a, b, c, false);
    v_dot8c_i32_i4:  (B32, B32, B32) -> B32 [tied] = |_, a, b, c| packed::dot8_i32_i4(a, b, c, false);
}
