//! 32-bit vector rows and comparisons: values by hand from the manuals' pseudocode.

#[path = "harness/cases.rs"]
mod cases;
mod harness;

use cases::*;

#[rustfmt::skip]
#[test]
fn bits_and_shifts() {
    check(ALL, "v_not_b32_e32 v0, v4", &[(&[0xffff_0000], 0xffff)]);
    check(ALL, "v_bfrev_b32_e32 v0, v4", &[(&[1], 0x8000_0000)]);
    check(ALL, "v_ffbh_u32_e32 v0, v4", &[(&[0x0001_0000], 15), (&[0], 0xffff_ffff)]);
    check(ALL, "v_ffbl_b32_e32 v0, v4", &[(&[0x0001_0000], 16), (&[0], 0xffff_ffff)]);
    check(ALL, "v_ffbh_i32_e32 v0, v4", &[(&[0xffff_0000], 16), (&[0], 0xffff_ffff), (&[0xffff_ffff], 0xffff_ffff), (&[1], 31)]);
    check(ALL, "v_and_b32_e32 v0, v4, v8", &[(&[0xff0f, 0x0ff0], 0x0f00)]);
    check(ALL, "v_or_b32_e32 v0, v4, v8", &[(&[0xff0f, 0x0ff0], 0xffff)]);
    check(ALL, "v_xor_b32_e32 v0, v4, v8", &[(&[0xff0f, 0x0ff0], 0xf0ff)]);
    check(DOT, "v_xnor_b32_e32 v0, v4, v8", &[(&[0xff0f, 0x0ff0], 0xffff_0f00)]);
    check(ALL, "v_lshlrev_b32_e32 v0, v4, v8", &[(&[33, 3], 6)]);
    check(ALL, "v_lshrrev_b32_e32 v0, v4, v8", &[(&[1, 0x8000_0000], 0x4000_0000)]);
    check(ALL, "v_ashrrev_i32_e32 v0, v4, v8", &[(&[1, 0x8000_0000], 0xc000_0000)]);
    check(ALL, "v_lshlrev_b64 v[0:1], v4, v[8:9]", &[(&[40, 3], 3 << 40), (&[65, 3], 6)]);
    check(ALL, "v_lshrrev_b64 v[0:1], v4, v[8:9]", &[(&[63, 1 << 63], 1)]);
    check(ALL, "v_ashrrev_i64 v[0:1], v4, v[8:9]", &[(&[63, 1 << 63], !0)]);
    // Width 32 is width 0, as five bits count.
    check(ALL, "v_bfe_u32 v0, v4, v8, v12", &[(&[0xabcd, 4, 8], 0xbc), (&[0xabcd, 0, 32], 0), (&[0xabcd, 0, 33], 1)]);
    check(ALL, "v_bfe_i32 v0, v4, v8, v12", &[(&[0xabcd, 4, 8], 0xffff_ffbc), (&[0xabcd, 0, 32], 0), (&[0x8000_0000, 28, 8], 0xffff_fff8)]);
    check(ALL, "v_bfi_b32 v0, v4, v8, v12", &[(&[0xff00, 0x1234, 0x5678], 0x1278)]);
    check(ALL, "v_bfm_b32 v0, v4, v8", &[(&[5, 3], 0xf8)]);
    check(ALL, "v_and_or_b32 v0, v4, v8, v12", &[(&[0xff, 0x3c, 0x100], 0x13c)]);
    check(ALL, "v_or3_b32 v0, v4, v8, v12", &[(&[1, 2, 4], 7)]);
    check(GFX10, "v_xor3_b32 v0, v4, v8, v12", &[(&[1, 3, 4], 6)]);
    check(ALL, "v_lshl_or_b32 v0, v4, v8, v12", &[(&[1, 4, 3], 0x13)]);
    check(ALL, "v_bcnt_u32_b32 v0, v4, v8", &[(&[0xff, 5], 13)]);
}

#[rustfmt::skip]
#[test]
fn integer_arithmetic() {
    check(GFX9, "v_add_u32_e32 v0, v4, v8", &[(&[0xffff_ffff, 2], 1)]);
    check(GFX9, "v_add_u32_e64 v0, v4, v8 clamp", &[(&[0xffff_ffff, 2], 0xffff_ffff)]);
    check(GFX9, "v_sub_u32_e32 v0, v4, v8", &[(&[1, 2], 0xffff_ffff)]);
    check(GFX9, "v_subrev_u32_e32 v0, v4, v8", &[(&[1, 2], 1)]);
    check(GFX9, "v_add_i32 v0, v4, v8 clamp", &[(&[0x7fff_ffff, 2], 0x7fff_ffff)]);
    check(GFX9, "v_sub_i32 v0, v4, v8 clamp", &[(&[0x8000_0000, 2], 0x8000_0000)]);
    check(GFX10, "v_add_nc_u32_e32 v0, v4, v8", &[(&[0xffff_ffff, 2], 1)]);
    check(GFX10, "v_sub_nc_u32_e64 v0, v4, v8 clamp", &[(&[1, 2], 0)]);
    check(GFX10, "v_subrev_nc_u32_e32 v0, v4, v8", &[(&[1, 2], 1)]);
    check(GFX10, "v_add_nc_i32 v0, v4, v8", &[(&[0x7fff_ffff, 1], 0x8000_0000)]);
    check(GFX10, "v_sub_nc_i32 v0, v4, v8", &[(&[0, 1], 0xffff_ffff)]);
    check(ALL, "v_add3_u32 v0, v4, v8, v12", &[(&[1, 2, 0xffff_ffff], 2)]);
    check(ALL, "v_lshl_add_u32 v0, v4, v8, v12", &[(&[3, 4, 1], 49)]);
    check(ALL, "v_add_lshl_u32 v0, v4, v8, v12", &[(&[3, 4, 1], 14)]);
    check(ALL, "v_xad_u32 v0, v4, v8, v12", &[(&[3, 5, 1], 7)]);
    check(ALL, "v_mul_lo_u32 v0, v4, v8", &[(&[0x1_0001, 0x1_0001], 0x0002_0001)]);
    check(ALL, "v_mul_hi_u32 v0, v4, v8", &[(&[0xffff_ffff, 0xffff_ffff], 0xffff_fffe)]);
    check(ALL, "v_mul_hi_i32 v0, v4, v8", &[(&[0xffff_ffff, 5], 0xffff_ffff)]);
    check(ALL, "v_mul_u32_u24_e32 v0, v4, v8", &[(&[0xff00_0003, 5], 15)]);
    check(ALL, "v_mul_i32_i24_e32 v0, v4, v8", &[(&[0x00ff_ffff, 5], 0xffff_fffb)]);
    check(ALL, "v_mul_hi_u32_u24_e32 v0, v4, v8", &[(&[0x00ff_ffff, 0x00ff_ffff], 0xffff)]);
    check(ALL, "v_mul_hi_i32_i24_e32 v0, v4, v8", &[(&[0x00ff_ffff, 5], 0xffff_ffff)]);
    check(ALL, "v_mad_u32_u24 v0, v4, v8, v12", &[(&[0xff00_0003, 5, 1], 16)]);
    check(ALL, "v_mad_i32_i24 v0, v4, v8, v12", &[(&[0x00ff_ffff, 5, 1], 0xffff_fffc)]);
    check(WIDE, "v_mad_u64_u32 v[0:1], s[8:9], v4, v8, v[12:13]", &[(&[0xffff_ffff, 0xffff_ffff, 1], 0xffff_fffe_0000_0002)]);
    check(WIDE, "v_mad_i64_i32 v[0:1], s[8:9], v4, v8, v[12:13]", &[(&[0xffff_ffff, 5, 1], 0xffff_ffff_ffff_fffc)]);
    assert_eq!(mask(("gfx90a", 64), "v_mad_u64_u32 v[0:1], s[8:9], v4, v8, v[12:13]", 8, &[&[0xffff_ffff, 1], &[0xffff_ffff, 1], &[!0, 1]]), 0x5555_5555_5555_5555);
    for (mnemonic, expected) in [("min_u32", 1), ("max_u32", 0xffff_ffff), ("min_i32", 0xffff_ffff), ("max_i32", 1)] {
        check(ALL, &format!("v_{mnemonic}_e32 v0, v4, v8"), &[(&[1, 0xffff_ffff], expected)]);
    }
    for (mnemonic, expected) in [("min3_u32", 1), ("max3_u32", 0xffff_ffff), ("med3_u32", 5), ("min3_i32", 0xffff_ffff), ("max3_i32", 5), ("med3_i32", 1)] {
        check(ALL, &format!("v_{mnemonic} v0, v4, v8, v12"), &[(&[1, 0xffff_ffff, 5], expected)]);
    }
}

#[rustfmt::skip]
#[test]
fn single_precision() {
    let (nan, inf) = (0x7fc0_0000, f(f32::INFINITY));
    check(ALL, "v_add_f32_e32 v0, v4, v8", &[(&[f(1.0), f(2.5)], f(3.5)), (&[inf, inf | 1 << 31], nan), (&[0x7f80_1234, f(1.0)], 0x7fc0_1234), (&[f(1.0), 0xffc0_0001], 0xffc0_0001)]);
    check(ALL, "v_sub_f32_e32 v0, v4, v8", &[(&[f(1.0), f(2.5)], f(-1.5))]);
    check(ALL, "v_subrev_f32_e32 v0, v4, v8", &[(&[f(1.0), f(2.5)], f(1.5))]);
    check(ALL, "v_mul_f32_e32 v0, v4, v8", &[(&[f(3.0), f(-0.5)], f(-1.5)), (&[0, inf], nan), (&[1, f(0.5)], 0), (&[3, f(0.5)], 2)]);
    check(ALL, "v_mul_legacy_f32 v0, v4, v8", &[(&[f(-0.0), inf], 0), (&[f(3.0), f(2.0)], f(6.0))]);
    check(ALL, "v_fma_f32 v0, v4, v8, v12", &[(&[0x3f80_0001, 0x3f7f_fffe, f(-1.0)], f(-(2f32.powi(-46))))]);
    check_with(DOT, "v_fmac_f32_e32 v0, v4, v8", &[(&[f(3.0), f(4.0)], f(13.0))], |m| { m.vgpr(0, |_| 1f32.to_bits()); });
    check(GFX10, "v_fmaak_f32 v0, v4, v8, 0x3f800000", &[(&[f(3.0), f(4.0)], f(13.0))]);
    check(GFX10, "v_fmamk_f32 v0, v4, 0x40800000, v8", &[(&[f(3.0), f(1.0)], f(13.0))]);
    // Two roundings: the product 1 - 2^-46 rounds to 1 first.
    check(GFX906, "v_mad_f32 v0, v4, v8, v12", &[(&[0x3f80_0001, 0x3f7f_fffe, f(-1.0)], 0), (&[1, f(1.0), 1], 0)]);
    check_with(GFX906, "v_mac_f32_e32 v0, v4, v8", &[(&[f(3.0), f(4.0)], f(13.0))], |m| { m.vgpr(0, |_| 1f32.to_bits()); });
    check(GFX906, "v_madak_f32 v0, v4, v8, 0x3f800000", &[(&[f(3.0), f(4.0)], f(13.0))]);
    check(GFX906, "v_madmk_f32 v0, v4, 0x40800000, v8", &[(&[f(3.0), f(1.0)], f(13.0))]);
    check(GFX906, "v_mad_legacy_f32 v0, v4, v8, v12", &[(&[0, inf, f(2.0)], f(2.0))]);
    check(GFX10, "v_fma_legacy_f32 v0, v4, v8, v12", &[(&[0, inf, f(2.0)], f(2.0))]);
    check(ALL, "v_max_f32_e32 v0, v4, v8", &[(&[0x7f8a_5a5a, 0x7f8a_5a5a], 0x7fca_5a5a), (&[f(-0.0), 0], 0), (&[nan, f(1.0)], f(1.0))]);
    check(ALL, "v_min_f32_e32 v0, v4, v8", &[(&[0, f(-0.0)], f(-0.0)), (&[f(1.0), nan], f(1.0))]);
    check(ALL, "v_min3_f32 v0, v4, v8, v12", &[(&[f(3.0), f(1.0), f(2.0)], f(1.0))]);
    check(ALL, "v_max3_f32 v0, v4, v8, v12", &[(&[f(3.0), f(1.0), f(2.0)], f(3.0))]);
    check(ALL, "v_med3_f32 v0, v4, v8, v12", &[(&[f(3.0), f(1.0), f(2.0)], f(2.0)), (&[nan, f(1.0), f(2.0)], f(1.0)), (&[f(-0.0), f(-0.0), 0], f(-0.0))]);
    check(ALL, "v_floor_f32_e32 v0, v4", &[(&[f(-1.5)], f(-2.0))]);
    check(ALL, "v_ceil_f32_e32 v0, v4", &[(&[f(-1.5)], f(-1.0))]);
    check(ALL, "v_trunc_f32_e32 v0, v4", &[(&[f(-1.5)], f(-1.0))]);
    check(ALL, "v_rndne_f32_e32 v0, v4", &[(&[f(2.5)], f(2.0)), (&[f(-0.4)], f(-0.0))]);
    check(ALL, "v_fract_f32_e32 v0, v4", &[(&[f(-(2f32.powi(-30)))], 0x3f7f_ffff), (&[f(-0.0)], 0), (&[inf], nan)]);
    check(ALL, "v_frexp_mant_f32_e32 v0, v4", &[(&[f(-6.0)], f(-0.75)), (&[1], f(0.5))]);
    check(ALL, "v_frexp_exp_i32_f32_e32 v0, v4", &[(&[f(-6.0)], 3), (&[1], (-148i32) as u32 as u64)]);
    check(ALL, "v_ldexp_f32 v0, v4, v8", &[(&[f(1.5), 4], f(24.0)), (&[f(1.0), (-149i32) as u32 as u64], 1)]);
    check(ALL, "v_fma_f32 v0, v4, 2.0, 1.0", &[(&[f(3.0)], f(7.0))]);
}

#[rustfmt::skip]
#[test]
fn conditions() {
    // Lanes: less, equal, greater, unordered or (for integers) less again.
    let relation = |suffix: &str, name: &str, cases: [[u64; 2]; 4]| {
        let sources: [Vec<u64>; 2] = [0, 1].map(|index| cases.iter().map(|case| case[index]).collect());
        let wide = suffix.ends_with("64");
        let registers = if wide { "v[4:5], v[8:9]" } else { "v4, v8" };
        let nine = mask(("gfx90a", 64), &format!("v_cmp_{name}_{suffix} s[8:9], {registers}"), 8, &[&sources[0], &sources[1]]);
        let ten = mask(("gfx1030", 32), &format!("v_cmp_{name}_{suffix} s8, {registers}"), 8, &[&sources[0], &sources[1]]);
        assert_eq!(nine as u32 as u64, ten, "{name} {suffix}");
        assert_eq!(nine >> 32, ten, "{name} {suffix}");
        nine & 15
    };
    let floats: [(&str, u64); 16] = [("f", 0), ("lt", 1), ("eq", 2), ("le", 3), ("gt", 4), ("lg", 5), ("ge", 6), ("o", 7), ("u", 8), ("nge", 9), ("nlg", 10), ("ngt", 11), ("nle", 12), ("neq", 13), ("nlt", 14), ("tru", 15)];
    for (name, expected) in floats {
        assert_eq!(relation("f32", name, [[f(-1.0), f(1.0)], [0, f(-0.0)], [f(1.0), f(-1.0)], [0x7fc0_0000, 0]]), expected, "{name}");
        assert_eq!(relation("f64", name, [[d(-1.0), d(1.0)], [0, d(-0.0)], [d(1.0), d(-1.0)], [0x7ff8_0000_0000_0000, 0]]), expected, "{name}");
        assert_eq!(relation("f16", name, [[0xbc00, 0x3c00], [0, 0x8000], [0x3c00, 0xbc00], [0x7e00, 0]]), expected, "{name}");
    }
    let integers: [(&str, u64); 8] = [("f", 0), ("lt", 1), ("eq", 2), ("le", 3), ("gt", 4), ("ne", 5), ("ge", 6), ("t", 7)];
    for (name, expected) in integers {
        // Signed less is unsigned greater here; the fourth lane repeats the first.
        let signed = expected | (expected & 1) << 3;
        let swapped = (expected & 1) << 2 | expected & 2 | expected >> 2 & 1;
        let unsigned = swapped | (swapped & 1) << 3;
        for (suffix, minus) in [("16", 0xffff), ("32", 0xffff_ffff), ("64", !0u64)] {
            if suffix == "16" && matches!(name, "f" | "t") {
                continue;
            }
            let cases = [[minus, 1], [5, 5], [1, minus], [minus, 1]];
            assert_eq!(relation(&format!("i{suffix}"), name, cases), signed, "{name} i{suffix}");
            assert_eq!(relation(&format!("u{suffix}"), name, cases), unsigned, "{name} u{suffix}");
        }
    }
    // Class bits: sNaN, qNaN, -inf, -normal, -denormal, -0, +0, +denormal, +normal, +inf.
    let values = [0x7f80_0001u64, 0x7fc0_0000, 0xff80_0000, 0xbf80_0000, 0x8000_0001, 0x8000_0000, 0, 1, 0x3f80_0000, 0x7f80_0000];
    for (bit, &value) in values.iter().enumerate() {
        let hit = mask(("gfx90a", 64), "v_cmp_class_f32 s[8:9], v4, v8", 8, &[&[value], &[1 << bit, !(1 << bit)]]);
        assert_eq!(hit, 0x5555_5555_5555_5555, "class {bit}");
    }
}
