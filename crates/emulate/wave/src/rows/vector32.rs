//! Vector ALU on 32-bit values: moves, logic, integer arithmetic and single precision. Manual: "Vector ALU operations",
//! formats VOP1, VOP2 and VOP3.

use super::{Row, Shape, VectorShape};
use super::{
    loops::{map2, select},
    vector_macros::vector_rows,
};
use crate::{
    engine::Env,
    micro_op::{Handler, MicroOp},
    ports::*,
    shell::{self, Body, Form, VectorBody},
    state::Wave,
};
use numerics::{convert, float32};

#[cfg(target_arch = "x86_64")]
use super::function::{self, Function};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m512i, _mm512_and_si512, _mm512_or_si512, _mm512_set1_epi32, _mm512_sllv_epi32,
    _mm512_srlv_epi32, _mm512_sub_epi32,
};

#[rustfmt::skip]
vector_rows! {
    // Moves and bits.
    v_mov_b32:          (B32) -> B32 {hot} [copies] = |_, a| a;
    v_not_b32:          (B32) -> B32 {hot} = |_, a| !a;
    v_bfrev_b32:        (B32) -> B32 {avx512} = |_, a| a.reverse_bits();
    v_ffbh_u32:         (B32) -> B32 {avx512} = |_, a| if a == 0 { !0 } else { a.leading_zeros() };
    v_ffbl_b32:         (B32) -> B32 {avx512} = |_, a| if a == 0 { !0 } else { a.trailing_zeros() };
    v_ffbh_i32:         (I32) -> B32 = |_, a| { let run = (if a < 0 { !a } else { a }) as u32; if run == 0 { !0 } else { run.leading_zeros() } };
    v_and_b32:          (B32, B32) -> B32 {hot} = |_, a, b| a & b;
    v_or_b32:           (B32, B32) -> B32 {hot} = |_, a, b| a | b;
    v_xor_b32:          (B32, B32) -> B32 {hot} = |_, a, b| a ^ b;
    v_xnor_b32:         (B32, B32) -> B32 = |_, a, b| !(a ^ b);
    v_lshlrev_b32:      (B32, B32) -> B32 {hot} = |_, a, b| b << (a & 31);
    v_lshrrev_b32:      (B32, B32) -> B32 {hot} = |_, a, b| b >> (a & 31);
    v_ashrrev_i32:      (B32, I32) -> I32 {hot} = |_, a, b| b >> (a & 31);
    v_bfe_u32:          (B32, B32, B32) -> B32 {hot} = |_, a, b, c| (a >> (b & 31)) & ((1 << (c & 31)) - 1);
    v_bfe_i32:          (B32, B32, B32) -> I32 {hot} = |_, a, b, c| { let width = c & 31; let field = (a as i32) >> (b & 31); let up = 32u32.wrapping_sub(width) & 31; if width == 0 { 0 } else { (field << up) >> up } };
    v_bfi_b32:          (B32, B32, B32) -> B32 {hot} = |_, a, b, c| (a & b) | (!a & c);
    v_bfm_b32:          (B32, B32) -> B32 = |_, a, b| ((1u32 << (a & 31)) - 1) << (b & 31);
    v_and_or_b32:       (B32, B32, B32) -> B32 {hot} = |_, a, b, c| (a & b) | c;
    v_or3_b32:          (B32, B32, B32) -> B32 {hot} = |_, a, b, c| a | b | c;
    v_xor3_b32:         (B32, B32, B32) -> B32 = |_, a, b, c| a ^ b ^ c;
    v_lshl_or_b32:      (B32, B32, B32) -> B32 {hot} = |_, a, b, c| (a << (b & 31)) | c;
    v_alignbit_b32:     (B32, B32, B32) -> B32 {hot} = |_, a, b, c| ((u64::from(a) << 32 | u64::from(b)) >> (c & 31)) as u32;
    v_alignbyte_b32:    (B32, B32, B32) -> B32 = |_, a, b, c| ((u64::from(a) << 32 | u64::from(b)) >> (8 * (c & 3))) as u32;
    v_bcnt_u32_b32:     (B32, B32) -> B32 {avx512} = |_, a, b| a.count_ones().wrapping_add(b);
    // Integer arithmetic.
    v_add_u32:          (B32, B32) -> B32 {hot} = |cx, a, b| if cx.clamp { a.saturating_add(b) } else { a.wrapping_add(b) };
    v_sub_u32:          (B32, B32) -> B32 {hot} = |cx, a, b| if cx.clamp { a.saturating_sub(b) } else { a.wrapping_sub(b) };
    v_subrev_u32:       (B32, B32) -> B32 {hot} = |cx, a, b| if cx.clamp { b.saturating_sub(a) } else { b.wrapping_sub(a) };
    v_add_nc_u32:       (B32, B32) -> B32 {hot} = |cx, a, b| if cx.clamp { a.saturating_add(b) } else { a.wrapping_add(b) };
    v_sub_nc_u32:       (B32, B32) -> B32 {hot} = |cx, a, b| if cx.clamp { a.saturating_sub(b) } else { a.wrapping_sub(b) };
    v_subrev_nc_u32:    (B32, B32) -> B32 {hot} = |cx, a, b| if cx.clamp { b.saturating_sub(a) } else { b.wrapping_sub(a) };
    v_add_i32:          (I32, I32) -> I32 = |cx, a, b| if cx.clamp { a.saturating_add(b) } else { a.wrapping_add(b) };
    v_sub_i32:          (I32, I32) -> I32 = |cx, a, b| if cx.clamp { a.saturating_sub(b) } else { a.wrapping_sub(b) };
    v_add_nc_i32:       (I32, I32) -> I32 = |cx, a, b| if cx.clamp { a.saturating_add(b) } else { a.wrapping_add(b) };
    v_sub_nc_i32:       (I32, I32) -> I32 = |cx, a, b| if cx.clamp { a.saturating_sub(b) } else { a.wrapping_sub(b) };
    v_add_co_u32:       (B32, B32) -> B32 {hot} [carry_out] = |cx, a, b| { let (r, c) = a.overflowing_add(b); (if cx.clamp & c { !0 } else { r }, c) };
    v_sub_co_u32:       (B32, B32) -> B32 {hot} [carry_out] = |cx, a, b| { let (r, c) = a.overflowing_sub(b); (if cx.clamp & c { 0 } else { r }, c) };
    v_subrev_co_u32:    (B32, B32) -> B32 {hot} [carry_out] = |cx, a, b| { let (r, c) = b.overflowing_sub(a); (if cx.clamp & c { 0 } else { r }, c) };
    v_addc_co_u32:      (B32, B32) -> B32 {hot} [carry_in, carry_out] = |cx, a, b, c| add_carry(cx.clamp, a, b, c);
    v_subb_co_u32:      (B32, B32) -> B32 {hot} [carry_in, carry_out] = |cx, a, b, c| sub_borrow(cx.clamp, a, b, c);
    v_subbrev_co_u32:   (B32, B32) -> B32 {hot} [carry_in, carry_out] = |cx, a, b, c| sub_borrow(cx.clamp, b, a, c);
    v_add_co_ci_u32:    (B32, B32) -> B32 {hot} [carry_in, carry_out] = |cx, a, b, c| add_carry(cx.clamp, a, b, c);
    v_sub_co_ci_u32:    (B32, B32) -> B32 [carry_in, carry_out] = |cx, a, b, c| sub_borrow(cx.clamp, a, b, c);
    v_subrev_co_ci_u32: (B32, B32) -> B32 [carry_in, carry_out] = |cx, a, b, c| sub_borrow(cx.clamp, b, a, c);
    v_add3_u32:         (B32, B32, B32) -> B32 {hot} = |_, a, b, c| a.wrapping_add(b).wrapping_add(c);
    v_lshl_add_u32:     (B32, B32, B32) -> B32 {hot} = |_, a, b, c| (a << (b & 31)).wrapping_add(c);
    v_add_lshl_u32:     (B32, B32, B32) -> B32 {hot} = |_, a, b, c| a.wrapping_add(b) << (c & 31);
    v_xad_u32:          (B32, B32, B32) -> B32 {hot} = |_, a, b, c| (a ^ b).wrapping_add(c);
    v_mul_lo_u32:       (B32, B32) -> B32 {hot} = |_, a, b| a.wrapping_mul(b);
    // gfx10.1 alone has a name for signed factors, whose lower half is the same.
    v_mul_lo_i32:       (I32, I32) -> I32 = |_, a, b| a.wrapping_mul(b);
    v_mul_hi_u32:       (B32, B32) -> B32 {hot} = |_, a, b| ((u64::from(a) * u64::from(b)) >> 32) as u32;
    v_mul_hi_i32:       (I32, I32) -> I32 {hot} = |_, a, b| ((i64::from(a) * i64::from(b)) >> 32) as i32;
    v_mul_u32_u24:      (B32, B32) -> B32 {hot} = |_, a, b| (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff);
    v_mul_i32_i24:      (I32, I32) -> I32 {hot} = |_, a, b| (a << 8 >> 8).wrapping_mul(b << 8 >> 8);
    v_mul_hi_u32_u24:   (B32, B32) -> B32 = |_, a, b| ((u64::from(a & 0xff_ffff) * u64::from(b & 0xff_ffff)) >> 32) as u32;
    v_mul_hi_i32_i24:   (I32, I32) -> I32 = |_, a, b| ((i64::from(a << 8 >> 8) * i64::from(b << 8 >> 8)) >> 32) as i32;
    v_mad_u32_u24:      (B32, B32, B32) -> B32 {hot} = |cx, a, b, c| { let wide = u64::from(a & 0xff_ffff) * u64::from(b & 0xff_ffff) + u64::from(c); if cx.clamp { wide.min(0xffff_ffff) as u32 } else { wide as u32 } };
    v_mad_i32_i24:      (I32, I32, I32) -> I32 = |cx, a, b, c| { let wide = i64::from(a << 8 >> 8) * i64::from(b << 8 >> 8) + i64::from(c); if cx.clamp { wide.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32 } else { wide as i32 } };
    v_mad_u64_u32:      (B32, B32, B64) -> B64 {hot} [carry_out] = |_, a, b, c| (u64::from(a) * u64::from(b)).overflowing_add(c);
    v_mad_i64_i32:      (I32, I32, I64) -> I64 [carry_out] = |_, a, b, c| { let wide = i128::from(i64::from(a) * i64::from(b)) + i128::from(c); (wide as i64, wide >> 64 & 1 != 0) };
    v_min_u32:          (B32, B32) -> B32 {hot} = |_, a, b| a.min(b);
    v_max_u32:          (B32, B32) -> B32 {hot} = |_, a, b| a.max(b);
    v_min_i32:          (I32, I32) -> I32 {hot} = |_, a, b| a.min(b);
    v_max_i32:          (I32, I32) -> I32 {hot} = |_, a, b| a.max(b);
    v_min3_u32:         (B32, B32, B32) -> B32 {avx512} = |_, a, b, c| a.min(b).min(c);
    v_max3_u32:         (B32, B32, B32) -> B32 {avx512} = |_, a, b, c| a.max(b).max(c);
    v_min3_i32:         (I32, I32, I32) -> I32 {avx512} = |_, a, b, c| a.min(b).min(c);
    v_max3_i32:         (I32, I32, I32) -> I32 {avx512} = |_, a, b, c| a.max(b).max(c);
    v_med3_u32:         (B32, B32, B32) -> B32 {avx512} = |_, a, b, c| a.min(b).max(a.max(b).min(c));
    v_med3_i32:         (I32, I32, I32) -> I32 {avx512} = |_, a, b, c| a.min(b).max(a.max(b).min(c));
    // Since gfx11.
    v_maxmin_u32:       (B32, B32, B32) -> B32 = |_, a, b, c| a.max(b).min(c);
    v_minmax_u32:       (B32, B32, B32) -> B32 = |_, a, b, c| a.min(b).max(c);
    v_maxmin_i32:       (I32, I32, I32) -> I32 = |_, a, b, c| a.max(b).min(c);
    v_minmax_i32:       (I32, I32, I32) -> I32 = |_, a, b, c| a.min(b).max(c);
    v_maxmin_f32:       (F32, F32, F32) -> F32 = |cx, a, b, c| float32::min(float32::max(a, b, cx.ieee, cx.denormals32), c, cx.ieee, cx.denormals32);
    v_minmax_f32:       (F32, F32, F32) -> F32 = |cx, a, b, c| float32::max(float32::min(a, b, cx.ieee, cx.denormals32), c, cx.ieee, cx.denormals32);
    // 64-bit shifts.
    v_lshrrev_b64:      (B32, B64) -> B64 {hot} = |_, a, b| b >> (a & 63);
    v_ashrrev_i64:      (B32, I64) -> I64 {hot} = |_, a, b| b >> (a & 63);
    // Single precision.
    v_add_f32:          (F32, F32) -> F32 simd Singles::add {hot, chain(Sum)} = |cx, a, b| float32::add_round(a, b, cx.denormals32, cx.round32);
    v_sub_f32:          (F32, F32) -> F32 simd Singles::sub {hot, chain(Difference)} = |cx, a, b| float32::sub_round(a, b, cx.denormals32, cx.round32);
    v_subrev_f32:       (F32, F32) -> F32 simd Singles::subrev {hot, chain(Reversed)} = |cx, a, b| float32::sub_round(b, a, cx.denormals32, cx.round32);
    v_mul_f32:          (F32, F32) -> F32 simd Singles::mul {hot, chain(Product)} = |cx, a, b| float32::mul_round(a, b, cx.denormals32, cx.round32);
    v_mul_legacy_f32:   (F32, F32) -> F32 = |cx, a, b| float32::mul_legacy(a, b, cx.denormals32);
    v_fma_f32:          (F32, F32, F32) -> F32 simd Singles::fma {hot, chain(Fused)} = |cx, a, b, c| float32::fma_round(a, b, c, cx.denormals32, cx.round32);
    v_fmac_f32:         (F32, F32, F32) -> F32 simd Singles::fma {hot, chain(Fused)} [tied] = |cx, a, b, c| float32::fma_round(a, b, c, cx.denormals32, cx.round32);
    v_fmamk_f32:        (F32, F32, F32) -> F32 simd Singles::fma {hot, chain(Fused)} [literal = 1] = |cx, a, b, c| float32::fma_round(a, b, c, cx.denormals32, cx.round32);
    v_fmaak_f32:        (F32, F32, F32) -> F32 simd Singles::fma {hot, chain(Fused)} [literal = 2] = |cx, a, b, c| float32::fma_round(a, b, c, cx.denormals32, cx.round32);
    v_mad_f32:          (F32, F32, F32) -> F32 = |_, a, b, c| float32::mad(a, b, c);
    v_mac_f32:          (F32, F32, F32) -> F32 [tied] = |_, a, b, c| float32::mad(a, b, c);
    v_madmk_f32:        (F32, F32, F32) -> F32 [literal = 1] = |_, a, b, c| float32::mad(a, b, c);
    v_madak_f32:        (F32, F32, F32) -> F32 [literal = 2] = |_, a, b, c| float32::mad(a, b, c);
    v_mad_legacy_f32:   (F32, F32, F32) -> F32 = |_, a, b, c| float32::mad_legacy(a, b, c);
    v_mac_legacy_f32:   (F32, F32, F32) -> F32 [tied] = |_, a, b, c| float32::mad_legacy(a, b, c);
    v_fma_legacy_f32:   (F32, F32, F32) -> F32 = |cx, a, b, c| float32::fma_legacy(a, b, c, cx.denormals32);
    v_fmac_legacy_f32:  (F32, F32, F32) -> F32 [tied] = |cx, a, b, c| float32::fma_legacy(a, b, c, cx.denormals32);
    v_min_f32:          (F32, F32) -> F32 simd Singles::min {hot} = |cx, a, b| float32::min(a, b, cx.ieee, cx.denormals32);
    v_max_f32:          (F32, F32) -> F32 simd Singles::max {hot} = |cx, a, b| float32::max(a, b, cx.ieee, cx.denormals32);
    v_min3_f32:         (F32, F32, F32) -> F32 simd Singles::min3 {avx512} = |cx, a, b, c| float32::min3(a, b, c, cx.ieee, cx.denormals32);
    v_max3_f32:         (F32, F32, F32) -> F32 simd Singles::max3 {avx512} = |cx, a, b, c| float32::max3(a, b, c, cx.ieee, cx.denormals32);
    v_med3_f32:         (F32, F32, F32) -> F32 simd Singles::med3 {avx512} = |cx, a, b, c| float32::med3(a, b, c, cx.ieee, cx.denormals32);
    v_floor_f32:        (F32) -> F32 {avx512} = |cx, a| float32::floor(a, cx.denormals32);
    v_ceil_f32:         (F32) -> F32 {avx512} = |cx, a| float32::ceil(a, cx.denormals32);
    v_trunc_f32:        (F32) -> F32 {avx512} = |cx, a| float32::trunc(a, cx.denormals32);
    v_rndne_f32:        (F32) -> F32 {avx512} = |cx, a| float32::rndne(a, cx.denormals32);
    v_fract_f32:        (F32) -> F32 {avx512} = |cx, a| float32::fract(a, cx.denormals32);
    v_frexp_mant_f32:   (F32) -> F32 {avx512} = |_, a| float32::frexp_mant(a);
    v_frexp_exp_i32_f32: (F32) -> I32 {avx512} = |_, a| float32::frexp_exp(a);
    v_ldexp_f32:        (F32, I32) -> F32 simd Singles::scale {hot} = |cx, a, b| float32::ldexp_round(a, b.cast_signed(), cx.denormals32, cx.round32);
    // Conversions between 32-bit types.
    v_cvt_f32_i32:      (B32) -> F32 {hot} = |cx, a| convert::f32_from_i32_round(a, cx.round32);
    v_cvt_f32_u32:      (B32) -> F32 {hot} = |cx, a| convert::f32_from_u32_round(a, cx.round32);
    v_cvt_i32_f32:      (F32) -> B32 simd SinglesToSigned::copy {avx512} = |_, a| convert::i32_from_f32(a as u32).into();
    v_cvt_u32_f32:      (F32) -> B32 simd SinglesToUnsigned::copy {avx512} = |_, a| convert::u32_from_f32(a as u32).into();
    v_cvt_rpi_i32_f32:  (F32) -> B32 = |_, a| convert::i32_from_f32_nearest(a);
    v_cvt_flr_i32_f32:  (F32) -> B32 = |_, a| convert::i32_from_f32_floor(a);
    v_cvt_off_f32_i4:   (B32) -> F32 = |_, a| convert::f32_from_i4_offset(a);
    v_cvt_f32_ubyte0:   (B32) -> F32 = |_, a| convert::f32_from_byte(a, 0);
    v_cvt_f32_ubyte1:   (B32) -> F32 = |_, a| convert::f32_from_byte(a, 1);
    v_cvt_f32_ubyte2:   (B32) -> F32 = |_, a| convert::f32_from_byte(a, 2);
    v_cvt_f32_ubyte3:   (B32) -> F32 = |_, a| convert::f32_from_byte(a, 3);
}

#[inline(always)]
fn add_carry(clamp: bool, a: u32, b: u32, carry: bool) -> (u32, bool) {
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(u32::from(carry));
    let out = first | second;
    (if clamp & out { !0 } else { sum }, out)
}

#[inline(always)]
fn sub_borrow(clamp: bool, a: u32, b: u32, borrow: bool) -> (u32, bool) {
    let (difference, first) = a.overflowing_sub(b);
    let (difference, second) = difference.overflowing_sub(u32::from(borrow));
    let out = first | second;
    (if clamp & out { 0 } else { difference }, out)
}

/// Lanes below this one that are set in the mask, plus the second source. In wave32 the high half has no lanes.
struct MaskedBitCount<const HIGH: bool>;

impl<const HIGH: bool> VectorBody for MaskedBitCount<HIGH> {
    const SOURCES: usize = 2;
    const MODE: bool = false;
    const HOT: bool = true;
    #[inline(always)]
    fn run<F: Form>(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let groups = wave.groups();
        let types = [Type::B32, Type::B32, Type::None];
        // SAFETY: what callers of bodies promise; the row has these types.
        let operands = unsafe { wave.operands::<F, 2>(op, types, Type::B32) };
        for group in 0..groups {
            let a = operands.load::<F, B32>(0, group);
            let b = operands.load::<F, B32>(1, group);
            operands.store::<B32>(
                group,
                lanes(
                    #[inline(always)]
                    |i| {
                        let lane = (16 * group + i) as u32;
                        let below = if HIGH {
                            ((1u64 << lane.saturating_sub(32).min(32)) - 1) as u32
                        } else {
                            ((1u64 << lane.min(32)) - 1) as u32
                        };
                        (a[i] & below).count_ones().wrapping_add(b[i])
                    },
                ),
            );
        }
        wave.deliver::<F>(op, 1)
    }
}

/// `v_cndmask_b32`.
struct Select;

impl VectorBody for Select {
    const SOURCES: usize = 2;
    const MODE: bool = false;
    const HOT: bool = true;
    const CHOOSES: bool = true;
    const MOVES: bool = true;
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn function() -> Option<Function> {
        Some(Function {
            takes_mask: true,
            ..Function::exact(selected)
        })
    }
    #[inline(always)]
    fn run<F: Form>(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        select::<Self, F, B32>(wave, op, env)
    }
}

#[cfg(target_arch = "x86_64")]
vectors::compiled_for! { Avx512:
    // The host's ABI for vectors is what is asked for, and no other language calls it.
    #[allow(improper_ctypes_definitions)]
    #[inline]
    unsafe extern "C" fn selected(a: __m512i, b: __m512i, bits: __m512i) -> __m512i {
        // SAFETY: words.
        unsafe {
            function::map3::<B32, B32, B32, B32>(
                [a, b, bits],
                #[inline(always)]
                |_, a, b, bit| if bit != 0 { b } else { a },
            )
        }
    }
}

/// `v_lshlrev_b64`, by a scalar mostly: array indices become addresses so.
struct ShiftLeft64;

impl VectorBody for ShiftLeft64 {
    const SOURCES: usize = 2;
    const MODE: bool = false;
    const HOT: bool = true;
    #[inline(always)]
    fn run<F: Form>(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        #[cfg(target_arch = "x86_64")]
        if F::AVX2 && F::UNIFORM == 1 && wave.wide != 0 {
            let groups = wave.wide;
            let types = [Type::B32, Type::B64, Type::None];
            // SAFETY: what callers of bodies promise; the row has these types.
            let operands = unsafe { wave.wide_operands::<F, 2>(op, types, Type::B64) };
            let bits = operands.uniform(0) as u32 & 63;
            // SAFETY: the wave is wide, and operands are rows.
            unsafe {
                vectors::full_wave::shift_left64(
                    F::AVX512,
                    groups,
                    operands.row(1),
                    operands.target(),
                    bits,
                )
            };
            return u32::from(op.after);
        }
        map2::<Self, F, B32, B64, B64>(
            wave,
            op,
            env,
            #[inline(always)]
            |_, a, b| b << (a & 63),
        )
    }
    fn function() -> Option<crate::rows::Function> {
        #[cfg(target_arch = "x86_64")]
        return Some(Function {
            high: Some(shifted_high),
            ..Function::exact(shifted_low)
        });
        #[cfg(not(target_arch = "x86_64"))]
        None
    }
}

#[cfg(target_arch = "x86_64")]
vectors::compiled_for! { Avx512:
    // The host's ABI for vectors is what is asked for, and no other language calls it.
    #[allow(improper_ctypes_definitions)]
    #[inline]
    unsafe extern "C" fn shifted_low(bits: __m512i, low: __m512i, _high: __m512i) -> __m512i {
        // Shifts by 32 and more give zeros.
        _mm512_sllv_epi32(low, _mm512_and_si512(bits, _mm512_set1_epi32(63)))
    }
}

#[cfg(target_arch = "x86_64")]
vectors::compiled_for! { Avx512:
    #[allow(improper_ctypes_definitions)]
    #[inline]
    unsafe extern "C" fn shifted_high(bits: __m512i, low: __m512i, high: __m512i) -> __m512i {
        let bits = _mm512_and_si512(bits, _mm512_set1_epi32(63));
        let word = _mm512_set1_epi32(32);
        let crossing = _mm512_srlv_epi32(low, _mm512_sub_epi32(word, bits));
        let beyond = _mm512_sllv_epi32(low, _mm512_sub_epi32(bits, word));
        _mm512_or_si512(_mm512_sllv_epi32(high, bits), _mm512_or_si512(crossing, beyond))
    }
}

/// `v_cndmask_b16`.
struct SelectHalf;

impl VectorBody for SelectHalf {
    const SOURCES: usize = 2;
    const MODE: bool = false;
    const HOT: bool = false;
    #[inline(always)]
    fn run<F: Form>(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        select::<Self, F, F16>(wave, op, env)
    }
}

/// `v_swap_b16`: op_sel says which half of the source and of the destination.
struct SwapHalves;

impl Body for SwapHalves {
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let exec = wave.exec();
        let (a, b) = (op.dst as usize, op.src[0].index as usize);
        let shift = |bit: u32| 16 * (op.vector().op_sel() >> bit & 1);
        let (of_a, of_b) = (shift(3), shift(0));
        for lane in (0..64).filter(|lane| exec >> lane & 1 != 0) {
            let half = |word: u32, shift: u32| word >> shift & 0xffff;
            let with = |word: u32, shift: u32, half: u32| word & !(0xffff << shift) | half << shift;
            let first = half(wave.row(a).0[lane], of_a);
            let second = half(wave.row(b).0[lane], of_b);
            let target = &mut wave.row_mut(a).0[lane];
            *target = with(*target, of_a, second);
            let source = &mut wave.row_mut(b).0[lane];
            *source = with(*source, of_b, first);
        }
        u32::from(op.after)
    }
}

/// `v_permlane64_b32`: lanes of the other half of a wave64; nothing in wave32.
struct OtherHalf;

impl Body for OtherHalf {
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        if wave.wave_size == 64 {
            let source: [u32; crate::LANES] =
                std::array::from_fn(|lane| wave.lane_value(op, 0, lane));
            let mask = wave.exec_lanes;
            let target = &mut wave.row_mut(op.dst as usize).0;
            for lane in 0..crate::LANES {
                target[lane] ^= (target[lane] ^ source[lane ^ 32]) & mask.0[lane];
            }
        }
        u32::from(op.after)
    }
}

/// `v_swap_b32`.
struct Swap;

impl Body for Swap {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>) -> u32 {
        let registers = [op.dst as usize, op.src[0].index as usize];
        // A register that is both stays as it is.
        if let Ok([a, b]) = wave.rows.get_disjoint_mut(registers) {
            for lane in 0..crate::LANES {
                let changed = (a.0[lane] ^ b.0[lane]) & wave.exec_lanes.0[lane];
                a.0[lane] ^= changed;
                b.0[lane] ^= changed;
            }
        }
        u32::from(op.after)
    }
}

/// Appends the rows whose bodies are not a function of single lanes.
pub(super) fn special_rows(rows: &mut Vec<Row>) {
    let two = VectorShape {
        sources: [Type::B32, Type::B32, Type::None],
        result: Type::B32,
        ..VectorShape::NONE
    };
    rows.push(Row::vector::<MaskedBitCount<false>>(
        "v_mbcnt_lo_u32_b32",
        two,
    ));
    rows.push(Row::vector::<MaskedBitCount<true>>(
        "v_mbcnt_hi_u32_b32",
        two,
    ));
    rows.push(Row::vector::<ShiftLeft64>(
        "v_lshlrev_b64",
        VectorShape {
            sources: [Type::B32, Type::B64, Type::None],
            result: Type::B64,
            ..VectorShape::NONE
        },
    ));
    rows.push(Row::vector::<Select>(
        "v_cndmask_b32",
        VectorShape {
            mask_source: true,
            ..two
        },
    ));
    rows.push(Row::vector::<SelectHalf>(
        "v_cndmask_b16",
        VectorShape {
            sources: [Type::F16, Type::F16, Type::None],
            result: Type::F16,
            mask_source: true,
            ..two
        },
    ));
    let mut push = |mnemonic, kind, handler| {
        rows.push(Row {
            mnemonic,
            shape: Shape::Vector(VectorShape {
                sources: [kind, Type::None, Type::None],
                result: kind,
                ..two
            }),
            handler,
            changes_exec: false,
        });
    };
    let swap = shell::wide_handler::<Swap> as fn() -> Handler;
    push("v_swap_b32", Type::B32, swap);
    push("v_swap_b16", Type::B16, shell::handler::<SwapHalves>);
    push("v_permlane64_b32", Type::B32, shell::handler::<OtherHalf>);
}
