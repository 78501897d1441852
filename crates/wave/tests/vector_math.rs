//! Vector ALU rows with values from the instruction set manuals, from IEEE 754 and from published observations on silicon.

#[path = "harness/cases.rs"]
mod cases;
mod harness;

use cases::*;

const NAN64: u64 = 0x7ff8_0000_0000_0000;

#[rustfmt::skip]
#[test]
fn double_precision() {
    let (inf, tiny) = (d(f64::INFINITY), 1u64);
    check(ALL, "v_add_f64 v[0:1], v[4:5], v[8:9]", &[
        (&[d(1.0), d(2.5)], d(3.5)), (&[d(1.0), d(-1.0)], 0), (&[inf, inf | 1 << 63], NAN64),
        (&[0x7ff0_0000_0000_1234, d(1.0)], 0x7ff8_0000_0000_1234), (&[d(1e16), d(1.0)], d(1e16)), (&[tiny, tiny], 2),
    ]);
    check(ALL, "v_add_f64 v[0:1], -v[4:5], |v[8:9]|", &[(&[d(1.0), d(-2.5)], d(1.5))]);
    check(ALL, "v_add_f64 v[0:1], v[4:5], v[8:9] clamp", &[
        (&[d(1.0), d(2.5)], d(1.0)), (&[d(-1.0), d(0.5)], 0), (&[d(0.25), d(0.5)], d(0.75)), (&[NAN64, d(1.0)], 0),
    ]);
    check(ALL, "v_mul_f64 v[0:1], v[4:5], v[8:9]", &[(&[d(3.0), d(0.5)], d(1.5)), (&[inf, 0], NAN64), (&[d(-0.0), d(5.0)], d(-0.0))]);
    check(ALL, "v_mul_f64 v[0:1], v[4:5], 0.5", &[(&[d(3.0)], d(1.5))]);
    check(ALL, "v_mul_f64 v[0:1], v[4:5], 0.15915494309189532", &[(&[d(1.0)], 0x3fc4_5f30_6dc9_c882)]);
    check(ALL, "v_add_f64 v[0:1], v[4:5], 3", &[(&[0], 3)]);
    // One rounding: (1+2^-52)(1-2^-52) - 1 = -2^-104.
    check(ALL, "v_fma_f64 v[0:1], v[4:5], v[8:9], v[12:13]", &[
        (&[0x3ff0_0000_0000_0001, 0x3fef_ffff_ffff_fffe, d(-1.0)], d(-(2f64.powi(-104)))),
    ]);
    check_with(GFX9, "v_fmac_f64_e32 v[0:1], v[4:5], v[8:9]", &[(&[d(3.0), d(4.0)], d(14.0))], |m| { m.vgpr64(0, |_| d(2.0)); });
    check(ALL, "v_min_f64 v[0:1], v[4:5], v[8:9]", &[(&[d(0.0), d(-0.0)], d(-0.0)), (&[d(-0.0), d(0.0)], d(-0.0)), (&[NAN64, d(2.0)], d(2.0))]);
    check(ALL, "v_max_f64 v[0:1], v[4:5], v[8:9]", &[(&[d(0.0), d(-0.0)], d(0.0)), (&[d(1.0), d(2.0)], d(2.0)), (&[0x7ff0_0000_0000_0001, d(2.0)], 0x7ff8_0000_0000_0001)]);
    check(ALL, "v_ldexp_f64 v[0:1], v[4:5], v8", &[(&[d(1.5), 3], d(12.0)), (&[d(1.0), (-1074i32) as u32 as u64], 1), (&[d(1.0), 2000], inf), (&[d(1.0), (-2000i32) as u32 as u64], 0)]);
    check(ALL, "v_floor_f64_e32 v[0:1], v[4:5]", &[(&[d(-1.5)], d(-2.0)), (&[d(1.5)], d(1.0)), (&[d(-0.0)], d(-0.0))]);
    check(ALL, "v_ceil_f64_e32 v[0:1], v[4:5]", &[(&[d(-1.5)], d(-1.0)), (&[d(1.5)], d(2.0)), (&[d(-0.5)], d(-0.0))]);
    check(ALL, "v_trunc_f64_e32 v[0:1], v[4:5]", &[(&[d(-1.5)], d(-1.0)), (&[d(1e300)], d(1e300))]);
    check(ALL, "v_rndne_f64_e32 v[0:1], v[4:5]", &[(&[d(0.5)], d(0.0)), (&[d(1.5)], d(2.0)), (&[d(2.5)], d(2.0)), (&[d(-0.5)], d(-0.0))]);
    check(ALL, "v_fract_f64_e32 v[0:1], v[4:5]", &[(&[d(-1.25)], d(0.75)), (&[inf], NAN64), (&[d(-1e-30)], 0x3fef_ffff_ffff_ffff)]);
    check(ALL, "v_frexp_mant_f64_e32 v[0:1], v[4:5]", &[(&[d(8.0)], d(0.5)), (&[d(-3.0)], d(-0.75)), (&[tiny], d(0.5)), (&[inf], inf), (&[0], 0)]);
    check(ALL, "v_frexp_exp_i32_f64_e32 v0, v[4:5]", &[(&[d(8.0)], 4), (&[tiny], (-1073i32) as u32 as u64), (&[inf], 0), (&[0], 0)]);
    // Segments of 2/pi as LLVM folds them.
    check(ALL, "v_trig_preop_f64 v[0:1], v[4:5], v8", &[
        (&[d(1.0), 0], 0x3fe4_5f30_6dc9_c882), (&[d(1.0), 1], 0x3c94_a7f0_9d5f_47d4), (&[d(1.0), 2], 0x394a_6ee0_6db1_4acc),
        (&[0x7fe0_0000_0000_0000, 0], 0x0b43_dd63_f5f2_f8bc), (&[d(1.0), 32], 0x3fe4_5f30_6dc9_c882),
    ]);
}

#[rustfmt::skip]
#[test]
fn conversions() {
    check(ALL, "v_cvt_f64_f32_e32 v[0:1], v4", &[(&[f(1.5)], d(1.5)), (&[0x8000_0001], d(-(2f64.powi(-149))))]);
    check(ALL, "v_cvt_f32_f64_e32 v0, v[4:5]", &[(&[d(1.5)], f(1.5)), (&[d(1e300)], f(f32::INFINITY)), (&[d(16777217.0)], f(16777216.0))]);
    check(ALL, "v_cvt_f64_i32_e32 v[0:1], v4", &[(&[0xffff_fffe], d(-2.0))]);
    check(ALL, "v_cvt_f64_u32_e32 v[0:1], v4", &[(&[0xffff_fffe], d(4294967294.0))]);
    check(ALL, "v_cvt_i32_f64_e32 v0, v[4:5]", &[(&[d(-2.9)], 0xffff_fffe), (&[d(1e10)], 0x7fff_ffff), (&[d(-1e10)], 0x8000_0000), (&[NAN64], 0)]);
    check(ALL, "v_cvt_u32_f64_e32 v0, v[4:5]", &[(&[d(-2.9)], 0), (&[d(4294967295.5)], 0xffff_ffff), (&[d(3e9)], 3_000_000_000)]);
    check(ALL, "v_cvt_i32_f32_e32 v0, v4", &[(&[f(-2.9)], 0xffff_fffe), (&[f(1e10)], 0x7fff_ffff), (&[f(f32::NAN)], 0)]);
    check(ALL, "v_cvt_u32_f32_e32 v0, v4", &[(&[f(-1.0)], 0), (&[f(1e10)], 0xffff_ffff), (&[f(3.99)], 3)]);
    check(ALL, "v_cvt_f32_i32_e32 v0, v4", &[(&[0xffff_ffff], f(-1.0)), (&[16777217], f(16777216.0))]);
    check(ALL, "v_cvt_f32_u32_e32 v0, v4", &[(&[0xffff_ffff], f(4294967296.0))]);
    check(ALL, "v_cvt_f32_ubyte2_e32 v0, v4", &[(&[0x12ab_3456], f(171.0))]);
    check(ALL, "v_cvt_flr_i32_f32_e32 v0, v4", &[(&[f(-1.5)], 0xffff_fffe)]);
    check(ALL, "v_cvt_rpi_i32_f32_e32 v0, v4", &[(&[f(1.5)], 2), (&[f(-1.5)], 0xffff_ffff)]);
    check(ALL, "v_cvt_off_f32_i4_e32 v0, v4", &[(&[8], f(-0.5)), (&[7], f(7.0 / 16.0)), (&[1], f(1.0 / 16.0))]);
    check(ALL, "v_cvt_pkrtz_f16_f32 v0, v4, v8", &[(&[f(1.0), f(-2.0)], 0xc000_3c00), (&[f(70000.0), f(0.0)], 0x7bff), (&[f(1.0009765), f(0.0)], 0x3c00)]);
    check(ALL, "v_cvt_pknorm_i16_f32 v0, v4, v8", &[(&[f(1.0), f(-1.0)], 0x8001_7fff), (&[f(2.0), f(f32::NAN)], 0x7fff)]);
    check(ALL, "v_cvt_pknorm_u16_f32 v0, v4, v8", &[(&[f(1.0), f(-1.0)], 0x0000_ffff), (&[f(0.5), f(2.0)], 0xffff_8000)]);
    check(ALL, "v_cvt_pknorm_i16_f16 v0, v4, v8", &[(&[0x3c00, 0xbc00], 0x8001_7fff)]);
    check(ALL, "v_cvt_pknorm_u16_f16 v0, v4, v8", &[(&[0x3c00, 0x4000], 0xffff_ffff)]);
    check(ALL, "v_cvt_pk_u16_u32 v0, v4, v8", &[(&[70000, 5], 0x0005_ffff)]);
    check(ALL, "v_cvt_pk_i16_i32 v0, v4, v8", &[(&[70000, 0xffff_0000], 0x8000_7fff)]);
    check(ALL, "v_cvt_pk_u8_f32 v0, v4, v8, v12", &[(&[f(200.0), 1, 0x1111_1111], 0x1111_c811), (&[f(300.0), 0, 0], 0xff), (&[f(-3.0), 3, 0xffff_ffff], 0x00ff_ffff)]);
    check(GFX9, "v_sat_pk_u8_i16_e32 v0, v4", &[(&[0xffff_0123], 0x00ff), (&[0x0012_0034], 0x1234), (&[0x0100_8000], 0xff00)]);
    check_with(GFX9, "v_cvt_pkaccum_u8_f32 v0, v4, v8", &[(&[f(7.0), 2], 0xaa07_aaaa)], |m| { m.vgpr(0, |_| 0xaaaa_aaaa); });
}

#[rustfmt::skip]
#[test]
fn half_precision() {
    // gfx9 clears the high half, gfx10 keeps it.
    let pad = |targets: Targets, value: u64| if targets[0].0 == "gfx1030" { 0xdead_0000 | value } else { value };
    for targets in [GFX9, GFX10] {
        let p = |value| pad(targets, value);
        check(targets, "v_add_f16_e32 v0, v4, v8", &[(&[0x3c00, 0x4000], p(0x4200)), (&[0x7bff, 0x7bff], p(0x7c00)), (&[0x7c00, 0xfc00], p(0x7e00)), (&[0x7c01, 0], p(0x7e01)), (&[1, 1], p(2))]);
        check(targets, "v_sub_f16_e32 v0, v4, v8", &[(&[0x3c00, 0x4000], p(0xbc00))]);
        check(targets, "v_subrev_f16_e32 v0, v4, v8", &[(&[0x3c00, 0x4000], p(0x3c00))]);
        check(targets, "v_mul_f16_e32 v0, v4, v8", &[(&[0x4200, 0x4000], p(0x4600)), (&[0x0001, 0x3800], p(0)), (&[0x0003, 0x3800], p(2))]);
        check(targets, "v_mul_f16_e64 v0, -v4, |v8|", &[(&[0x4200, 0xc000], p(0xc600))]);
        check(targets, "v_mul_f16_e64 v0, v4, v8 clamp", &[(&[0x4200, 0x4000], p(0x3c00)), (&[0xc200, 0x4000], p(0)), (&[0x7e00, 0x4000], p(0))]);
        check(targets, "v_mul_f16_e32 v0, 0.5, v8", &[(&[0, 0x4000], p(0x3c00))]);
        check(targets, "v_max_f16_e32 v0, v4, v8", &[(&[0x8000, 0], p(0)), (&[0x7e00, 0x4000], p(0x4000))]);
        check(targets, "v_min_f16_e32 v0, v4, v8", &[(&[0x8000, 0], p(0x8000))]);
        check(targets, "v_min3_f16 v0, v4, v8, v12", &[(&[0x4200, 0x3c00, 0x4000], p(0x3c00))]);
        check(targets, "v_max3_f16 v0, v4, v8, v12", &[(&[0x4200, 0x3c00, 0x4000], p(0x4200))]);
        check(targets, "v_med3_f16 v0, v4, v8, v12", &[(&[0x4200, 0x3c00, 0x4000], p(0x4000))]);
        check(targets, "v_floor_f16_e32 v0, v4", &[(&[0xbe00], p(0xc000))]);
        check(targets, "v_ceil_f16_e32 v0, v4", &[(&[0xbe00], p(0xbc00))]);
        check(targets, "v_trunc_f16_e32 v0, v4", &[(&[0xbe00], p(0xbc00))]);
        check(targets, "v_rndne_f16_e32 v0, v4", &[(&[0x3e00], p(0x4000)), (&[0x4100], p(0x4000))]);
        check(targets, "v_fract_f16_e32 v0, v4", &[(&[0xbd00], p(0x3a00))]);
        check(targets, "v_ldexp_f16_e32 v0, v4, v8", &[(&[0x3c00, 3], p(0x4800)), (&[0x3c00, 0xffff], p(0x3800))]);
        check(targets, "v_frexp_mant_f16_e32 v0, v4", &[(&[0x4800], p(0x3800))]);
        check(targets, "v_frexp_exp_i16_f16_e32 v0, v4", &[(&[0x4800], p(4)), (&[0x0001], p(0xffe9))]);
        check(targets, "v_cvt_f16_f32_e32 v0, v4", &[(&[f(1.5)], p(0x3e00)), (&[f(65520.0)], p(0x7c00)), (&[f(65519.0)], p(0x7bff))]);
        check(targets, "v_cvt_f32_f16_e32 v0, v4", &[(&[0x3e00], f(1.5)), (&[0xffff_0001], f(2f32.powi(-24)))]);
        check(targets, "v_cvt_f16_u16_e32 v0, v4", &[(&[2049], p(0x6800)), (&[0xffff], p(0x7c00))]);
        check(targets, "v_cvt_f16_i16_e32 v0, v4", &[(&[0xffff], p(0xbc00))]);
        check(targets, "v_cvt_u16_f16_e32 v0, v4", &[(&[0x4500], p(5)), (&[0xbc00], p(0)), (&[0x7c00], p(0xffff))]);
        check(targets, "v_cvt_i16_f16_e32 v0, v4", &[(&[0xc500], p(0xfffb)), (&[0x7c00], p(0x7fff))]);
        check(targets, "v_cvt_norm_i16_f16_e32 v0, v4", &[(&[0x3c00], p(0x7fff)), (&[0xbc00], p(0x8001))]);
        check(targets, "v_cvt_norm_u16_f16_e32 v0, v4", &[(&[0x3c00], p(0xffff)), (&[0xbc00], p(0))]);
        check(targets, "v_pack_b32_f16 v0, v4, v8", &[(&[0x1234, 0x5678], 0x5678_1234)]);
        check(targets, "v_pack_b32_f16 v0, v4, v8 op_sel:[1,0,0]", &[(&[0x1234_9999, 0x5678], 0x5678_1234)]);
        check(targets, "v_mul_lo_u16 v0, v4, v8", &[(&[300, 300], p(90000 & 0xffff))]);
        check(targets, "v_lshlrev_b16 v0, v4, v8", &[(&[17, 0x8001], p(2))]);
        check(targets, "v_lshrrev_b16 v0, v4, v8", &[(&[1, 0x8001], p(0x4000))]);
        check(targets, "v_ashrrev_i16 v0, v4, v8", &[(&[1, 0x8001], p(0xc000))]);
        check(targets, "v_max_u16 v0, v4, v8", &[(&[1, 0xffff], p(0xffff))]);
        check(targets, "v_max_i16 v0, v4, v8", &[(&[1, 0xffff], p(1))]);
        check(targets, "v_min_u16 v0, v4, v8", &[(&[1, 0xffff], p(1))]);
        check(targets, "v_min_i16 v0, v4, v8", &[(&[1, 0xffff], p(0xffff))]);
        check(targets, "v_med3_i16 v0, v4, v8, v12", &[(&[1, 0xffff, 5], p(1))]);
        check(targets, "v_med3_u16 v0, v4, v8, v12", &[(&[1, 0xffff, 5], p(5))]);
        check(targets, "v_mad_u32_u16 v0, v4, v8, v12", &[(&[0xffff, 0xffff, 1], 0xfffe_0002)]);
        check(targets, "v_mad_i32_i16 v0, v4, v8, v12", &[(&[0xffff, 2, 1], 0xffff_ffff)]);
        // These keep the other half on gfx9 too, and op_sel chooses halves.
        check(targets, "v_fma_f16 v0, v4, v8, v12", &[(&[0x4000, 0x4200, 0x3c00], 0xdead_4700)]);
        check(targets, "v_fma_f16 v0, v4, v8, v12 op_sel:[0,1,0,1]", &[(&[0x4000, 0x4200_0000, 0x3c00], 0x4700_0bad)]);
        check(targets, "v_mad_u16 v0, v4, v8, v12", &[(&[300, 300, 7], 0xdead_0000 | (90007 & 0xffff))]);
        check(targets, "v_mad_i16 v0, v4, v8, v12", &[(&[0xffff, 3, 1], 0xdead_fffe)]);
        check(targets, "v_div_fixup_f16 v0, v4, v8, v12", &[(&[0x3c00, 0, 0x3c00], 0xdead_7c00), (&[0x3c00, 0, 0], 0xdead_fe00), (&[0xbc00, 0x4000, 0x4000], 0xdead_3c00)]);
    }
    check(GFX9, "v_add_u16_e64 v0, v4, v8 clamp", &[(&[0xffff, 2], 0xffff)]);
    check(GFX9, "v_add_u16_e32 v0, v4, v8", &[(&[0xffff_ffff, 2], 1)]);
    check(GFX9, "v_subrev_u16_e32 v0, v4, v8", &[(&[1, 3], 2)]);
    check(GFX9, "v_add_i16 v0, v4, v8 clamp", &[(&[0x7fff, 2], 0x7fff)]);
    check(GFX9, "v_sub_i16 v0, v4, v8", &[(&[0x8000, 1], 0x7fff)]);
    check(GFX10, "v_add_nc_u16 v0, v4, v8", &[(&[0xffff, 2], 0xdead_0001)]);
    check(GFX10, "v_sub_nc_u16 v0, v4, v8 clamp", &[(&[1, 2], 0xdead_0000)]);
    check(GFX10, "v_add_nc_i16 v0, v4, v8 clamp", &[(&[0x8000, 0x8000], 0xdead_8000)]);
    check(GFX10, "v_sub_nc_i16 v0, v4, v8", &[(&[0x8000, 1], 0xdead_7fff)]);
    check(GFX9, "v_mad_legacy_u16 v0, v4, v8, v12", &[(&[300, 300, 7], 90007 & 0xffff)]);
    check(GFX9, "v_fma_legacy_f16 v0, v4, v8, v12", &[(&[0x4000, 0x4200, 0x3c00], 0x4700)]);
    check_with(GFX10, "v_fmac_f16_e32 v0, v4, v8", &[(&[0x4000, 0x4200], 0x1234_4700)], |m| { m.vgpr(0, |_| 0x1234_3c00); });
    check(GFX10, "v_fmaak_f16 v0, v4, v8, 0x3c00", &[(&[0x4000, 0x4200], 0xdead_4700)]);
    check(GFX10, "v_fmamk_f16 v0, v4, 0x4200, v8", &[(&[0x4000, 0x3c00], 0xdead_4700)]);
    check_with(GFX906, "v_mac_f16_e32 v0, v4, v8", &[(&[0x4000, 0x4200], 0x4700)], |m| { m.vgpr(0, |_| 0x1234_3c00); });
    check(GFX906, "v_mad_f16 v0, v4, v8, v12", &[(&[0x4000, 0x4200, 0x3c00], 0xdead_4700)]);
}

#[rustfmt::skip]
#[test]
fn approximations_and_division() {
    let inf = f(f32::INFINITY);
    check(ALL, "v_rcp_f32_e32 v0, v4", &[(&[f(2.0)], f(0.5)), (&[f(-0.0)], f(f32::NEG_INFINITY)), (&[inf], 0), (&[f(2f32.powi(127))], 0), (&[0x0040_0000], inf)]);
    check(ALL, "v_rcp_iflag_f32_e32 v0, v4", &[(&[f(4.0)], f(0.25))]);
    check(ALL, "v_rsq_f32_e32 v0, v4", &[(&[f(4.0)], f(0.5)), (&[0], inf), (&[f(-1.0)], f(f32::NAN))]);
    check(ALL, "v_sqrt_f32_e32 v0, v4", &[(&[f(9.0)], f(3.0)), (&[f(-0.0)], f(-0.0))]);
    check(ALL, "v_exp_f32_e32 v0, v4", &[(&[f(3.0)], f(8.0)), (&[f(-1.0)], f(0.5)), (&[f(f32::NEG_INFINITY)], 0), (&[f(200.0)], inf)]);
    check(ALL, "v_log_f32_e32 v0, v4", &[(&[f(8.0)], f(3.0)), (&[0], f(f32::NEG_INFINITY)), (&[f(-1.0)], f(f32::NAN))]);
    check(ALL, "v_sin_f32_e32 v0, v4", &[(&[f(0.25)], f(1.0)), (&[f(-0.0)], f(-0.0)), (&[f(0.5)], 0)]);
    check(ALL, "v_cos_f32_e32 v0, v4", &[(&[f(0.5)], f(-1.0)), (&[0], f(1.0))]);
    check(GFX9, "v_sin_f32_e32 v0, v4", &[(&[f(300.25)], 0)]);
    check(GFX9, "v_cos_f32_e32 v0, v4", &[(&[f(300.5)], f(1.0))]);
    check(GFX10, "v_sin_f32_e32 v0, v4", &[(&[f(300.25)], f(1.0))]);
    check(GFX9, "v_exp_legacy_f32_e32 v0, v4", &[(&[f(3.0)], f(8.0))]);
    check(GFX9, "v_log_legacy_f32_e32 v0, v4", &[(&[f(8.0)], f(3.0))]);
    check(GFX9, "v_rcp_f16_e32 v0, v4", &[(&[0x4000], 0x3800), (&[0], 0x7c00)]);
    check(GFX9, "v_rsq_f16_e32 v0, v4", &[(&[0x4400], 0x3800)]);
    check(GFX9, "v_sqrt_f16_e32 v0, v4", &[(&[0x4400], 0x4000)]);
    check(GFX9, "v_exp_f16_e32 v0, v4", &[(&[0x4200], 0x4800)]);
    check(GFX9, "v_log_f16_e32 v0, v4", &[(&[0x4800], 0x4200)]);
    check(GFX9, "v_sin_f16_e32 v0, v4", &[(&[0x3400], 0x3c00)]);
    check(GFX9, "v_cos_f16_e32 v0, v4", &[(&[0x3800], 0xbc00)]);
    check(ALL, "v_rcp_f64_e32 v[0:1], v[4:5]", &[(&[d(2.0)], d(0.5)), (&[d(-0.0)], d(f64::NEG_INFINITY))]);
    check(ALL, "v_rsq_f64_e32 v[0:1], v[4:5]", &[(&[d(4.0)], d(0.5))]);
    check(ALL, "v_sqrt_f64_e32 v[0:1], v[4:5]", &[(&[d(16.0)], d(4.0))]);
    // Observed on silicon: 1/S1 denormal fires for 2^127 and leaves the numerator alone.
    check(GFX9, "v_div_scale_f32 v0, vcc, v4, v8, v12", &[(&[f(1.0), f(3.0), f(1.0)], f(1.0)), (&[f(1.0), 0, f(1.0)], f(f32::NAN))]);
    check(GFX9, "v_div_scale_f64 v[0:1], vcc, v[4:5], v[8:9], v[12:13]", &[(&[d(1.0), d(3.0), d(1.0)], d(1.0))]);
    assert_eq!(mask(("gfx90a", 64), "v_div_scale_f32 v0, s[8:9], v12, v8, v12", 8, &[&[0], &[f(2f32.powi(127)), f(3.0)], &[f(1.0)]]), 0x5555_5555_5555_5555);
    check_with(GFX9, "v_div_fmas_f32 v0, v4, v8, v12", &[(&[f(2.0), f(3.0), f(1.0)], f(7.0 * 2f32.powi(-64))), (&[f(2.0), f(3.0), f(1.0)], f(7.0))], |m| { m.sgpr64(106, 0x5555_5555_5555_5555); });
    check_with(GFX9, "v_div_fmas_f64 v[0:1], v[4:5], v[8:9], v[12:13]", &[(&[d(2.0), d(3.0), d(1.0)], d(7.0 * 2f64.powi(-128))), (&[d(2.0), d(3.0), d(1.0)], d(7.0))], |m| { m.sgpr64(106, 0x5555_5555_5555_5555); });
    check(ALL, "v_div_fixup_f32 v0, v4, v8, v12", &[(&[f(0.5), f(2.0), f(-1.0)], f(-0.5)), (&[0, 0, 0], 0xffc0_0000), (&[0, 0, f(-2.0)], f(f32::NEG_INFINITY)), (&[f(1.0), inf, f(3.0)], 0)]);
    check(ALL, "v_div_fixup_f64 v[0:1], v[4:5], v[8:9], v[12:13]", &[(&[d(0.5), d(2.0), d(-1.0)], d(-0.5)), (&[0, 0, 0], 0xfff8_0000_0000_0000)]);
    check(ALL, "v_cubeid_f32 v0, v4, v8, v12", &[(&[f(1.0), f(2.0), f(-3.0)], f(5.0)), (&[f(4.0), f(2.0), f(-3.0)], f(0.0)), (&[f(1.0), f(-5.0), f(-3.0)], f(3.0))]);
    check(ALL, "v_cubema_f32 v0, v4, v8, v12", &[(&[f(1.0), f(2.0), f(-3.0)], f(-6.0))]);
    check(ALL, "v_cubesc_f32 v0, v4, v8, v12", &[(&[f(1.0), f(2.0), f(-3.0)], f(-1.0))]);
    check(ALL, "v_cubetc_f32 v0, v4, v8, v12", &[(&[f(1.0), f(2.0), f(-3.0)], f(-2.0))]);
    check(GFX10, "v_mullit_f32 v0, v4, v8, v12", &[(&[f(2.0), f(3.0), f(1.0)], f(6.0)), (&[f(2.0), f(3.0), f(-1.0)], 0xff7f_ffff)]);
}

/// The division sequence that LLVM emits, against the host's correctly rounded quotient.
#[test]
fn single_division_sequence_rounds_correctly() {
    let text = "v_div_scale_f32 v20, s[8:9], v8, v8, v4
        v_div_scale_f32 v21, vcc, v4, v8, v4
        v_rcp_f32_e32 v22, v20
        v_fma_f32 v23, -v20, v22, 1.0
        v_fma_f32 v22, v23, v22, v22
        v_mul_f32_e32 v23, v21, v22
        v_fma_f32 v24, -v20, v23, v21
        v_fma_f32 v23, v24, v22, v23
        v_fma_f32 v20, -v20, v23, v21
        v_div_fmas_f32 v20, v20, v22, v23
        v_div_fixup_f32 v0, v20, v8, v4";
    let mut state = 0x1234_5678_9abc_def0u64;
    let mut next = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 32) as u32
    };
    let pairs: Vec<[u64; 2]> = (0..4096)
        .map(|_| [u64::from(next()), u64::from(next())])
        .filter(|pair| pair.iter().all(|&x| !f32::from_bits(x as u32).is_nan()))
        .collect();
    let cases: Vec<(&[u64], u64)> = pairs
        .iter()
        .map(|pair| {
            let quotient = f32::from_bits(pair[0] as u32) / f32::from_bits(pair[1] as u32);
            (&pair[..], f(quotient))
        })
        .filter(|(_, quotient)| !f32::from_bits(*quotient as u32).is_nan())
        .collect();
    check(GFX9, text, &cases);
}
