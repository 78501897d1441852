//! VOP3P: two 16-bit values in one register, or two 32-bit values in a register pair. op_sel, op_sel_hi, neg_lo and neg_hi
//! are applied by the operand ports.

use super::vector_macros::vector_rows;
use crate::{mode::Context, ports::*};
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
    v_pk_add_f16:     (PackedF16, PackedF16) -> PackedF16 = |cx, a, b| packed::add_f16(a, b, cx.half());
    v_pk_mul_f16:     (PackedF16, PackedF16) -> PackedF16 = |cx, a, b| packed::mul_f16(a, b, cx.half());
    v_pk_fma_f16:     (PackedF16, PackedF16, PackedF16) -> PackedF16 = |cx, a, b, c| packed::fma_f16(a, b, c, cx.half());
    v_pk_fmac_f16:    (PackedF16, PackedF16, PackedF16) -> PackedF16 [tied] = |cx, a, b, c| packed::fma_f16(a, b, c, cx.half());
    v_pk_min_f16:     (PackedF16, PackedF16) -> PackedF16 = |cx, a, b| packed::min_f16(a, b, cx.ieee, cx.denormals64);
    v_pk_max_f16:     (PackedF16, PackedF16) -> PackedF16 = |cx, a, b| packed::max_f16(a, b, cx.ieee, cx.denormals64);
    v_pk_add_f32:     (PackedF32, PackedF32) -> PackedF32 = |cx, a, b| [add(cx, a[0], b[0]), add(cx, a[1], b[1])];
    v_pk_mul_f32:     (PackedF32, PackedF32) -> PackedF32 = |cx, a, b| [mul(cx, a[0], b[0]), mul(cx, a[1], b[1])];
    v_pk_fma_f32:     (PackedF32, PackedF32, PackedF32) -> PackedF32 = |cx, a, b, c| [fma(cx, a[0], b[0], c[0]), fma(cx, a[1], b[1], c[1])];
    // The ports put the word that op_sel names into the low place of each source.
    v_pk_mov_b32:     (PackedB32, PackedB32) -> PackedB32 = |_, a, b| [a[0], b[0]];
}

#[inline(always)]
fn add(cx: Context, a: u32, b: u32) -> u32 {
    float32::add_round(a, b, cx.denormals32, cx.round32)
}

#[inline(always)]
fn mul(cx: Context, a: u32, b: u32) -> u32 {
    float32::mul_round(a, b, cx.denormals32, cx.round32)
}

#[inline(always)]
fn fma(cx: Context, a: u32, b: u32, c: u32) -> u32 {
    float32::fma_round(a, b, c, cx.denormals32, cx.round32)
}
