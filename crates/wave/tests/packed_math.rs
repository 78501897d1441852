//! Packed, mixed-precision, dot-product and media rows: values worked out by hand from the manuals' formulas.

#[path = "harness/cases.rs"]
mod cases;
mod harness;

use cases::*;
use harness::Machine;

#[rustfmt::skip]
#[test]
fn packed_16_bit() {
    check(ALL, "v_pk_add_u16 v0, v4, v8", &[(&[0xffff_0001, 0x0001_0002], 0x0000_0003)]);
    check(ALL, "v_pk_add_u16 v0, v4, v8 clamp", &[(&[0xffff_0001, 0x0001_0002], 0xffff_0003)]);
    check(ALL, "v_pk_add_i16 v0, v4, v8 clamp", &[(&[0x7fff_8000, 0x0001_ffff], 0x7fff_8000)]);
    check(ALL, "v_pk_sub_u16 v0, v4, v8 clamp", &[(&[0x0001_0005, 0x0002_0003], 0x0000_0002)]);
    check(ALL, "v_pk_sub_i16 v0, v4, v8", &[(&[0x0001_0005, 0x0002_0003], 0xffff_0002)]);
    check(ALL, "v_pk_mul_lo_u16 v0, v4, v8", &[(&[0x0100_0003, 0x0100_0005], 0x0000_000f)]);
    check(ALL, "v_pk_mad_u16 v0, v4, v8, v12", &[(&[0x0002_0003, 0x0004_0005, 0x0001_0001], 0x0009_0010)]);
    check(ALL, "v_pk_mad_i16 v0, v4, v8, v12", &[(&[0xffff_0003, 0x0004_0005, 0x0001_0001], 0xfffd_0010)]);
    check(ALL, "v_pk_lshlrev_b16 v0, v4, v8", &[(&[0x0001_0011, 0x8001_8001], 0x0002_0002)]);
    check(ALL, "v_pk_lshrrev_b16 v0, v4, v8", &[(&[0x0001_0000, 0x8001_8001], 0x4000_8001)]);
    check(ALL, "v_pk_ashrrev_i16 v0, v4, v8", &[(&[0x0001_0000, 0x8001_8001], 0xc000_8001)]);
    check(ALL, "v_pk_min_u16 v0, v4, v8", &[(&[0xffff_0001, 0x0001_ffff], 0x0001_0001)]);
    check(ALL, "v_pk_max_u16 v0, v4, v8", &[(&[0xffff_0001, 0x0001_ffff], 0xffff_ffff)]);
    check(ALL, "v_pk_min_i16 v0, v4, v8", &[(&[0xffff_0001, 0x0001_ffff], 0xffff_ffff)]);
    check(ALL, "v_pk_max_i16 v0, v4, v8", &[(&[0xffff_0001, 0x0001_ffff], 0x0001_0001)]);
    // Half selection: op_sel for the low result, op_sel_hi for the high one.
    check(ALL, "v_pk_add_u16 v0, v4, v8 op_sel:[1,0] op_sel_hi:[0,1]", &[(&[0x0010_0001, 0x0200_0100], 0x0201_0110)]);
    // An inline constant is a 32-bit value: its high half is zero, or ones when negative.
    check(ALL, "v_pk_add_u16 v0, v4, 1", &[(&[0x0010_0001], 0x0010_0002)]);
    check(ALL, "v_pk_add_u16 v0, v4, 1 op_sel_hi:[1,0]", &[(&[0x0010_0001], 0x0011_0002)]);
    check(ALL, "v_pk_sub_i16 v0, v4, -1", &[(&[0x0010_0001], 0x0011_0002)]);
    check(ALL, "v_pk_add_f16 v0, v4, v8", &[(&[0x3c00_4000, 0x3c00_4200], 0x4000_4500)]);
    check(ALL, "v_pk_add_f16 v0, v4, v8 neg_lo:[1,0] neg_hi:[0,1]", &[(&[0x3c00_4000, 0x3c00_4200], 0x0000_3c00)]);
    check(ALL, "v_pk_add_f16 v0, v4, 1.0 op_sel_hi:[1,0]", &[(&[0x3c00_4000], 0x4000_4200)]);
    check(ALL, "v_pk_mul_f16 v0, v4, v8", &[(&[0x3c00_4000, 0x3c00_4200], 0x3c00_4600)]);
    check(ALL, "v_pk_mul_f16 v0, v4, v8 clamp", &[(&[0xbc00_4000, 0x3c00_4200], 0x0000_3c00)]);
    check(ALL, "v_pk_fma_f16 v0, v4, v8, v12", &[(&[0x3c00_4000, 0x3c00_4200, 0x3c00_3c00], 0x4000_4700)]);
    check(ALL, "v_pk_min_f16 v0, v4, v8", &[(&[0x8000_4000, 0x0000_4200], 0x8000_4000)]);
    check(ALL, "v_pk_max_f16 v0, v4, v8", &[(&[0x8000_7e00, 0x0000_4200], 0x0000_4200)]);
    check_with(&[("gfx908", 64), ("gfx90a", 64), ("gfx1030", 32)], "v_pk_fmac_f16 v0, v4, v8", &[(&[0x3c00_4000, 0x3c00_4200], 0x4000_4700)], |m| { m.vgpr(0, |_| 0x3c00_3c00); });
}

#[rustfmt::skip]
#[test]
fn packed_32_bit() {
    let two = |low: f32, high: f32| f(low) | f(high) << 32;
    check(GFX9, "v_pk_add_f32 v[0:1], v[4:5], v[8:9]", &[(&[two(1.0, 2.0), two(10.0, 20.0)], two(11.0, 22.0))]);
    check(GFX9, "v_pk_mul_f32 v[0:1], v[4:5], v[8:9] op_sel:[0,1] op_sel_hi:[1,0]", &[(&[two(1.0, 2.0), two(10.0, 20.0)], two(20.0, 20.0))]);
    check(GFX9, "v_pk_fma_f32 v[0:1], v[4:5], v[8:9], v[12:13] neg_lo:[1,0,0] neg_hi:[0,0,1]", &[(&[two(1.0, 2.0), two(10.0, 20.0), two(1.0, 1.0)], two(-9.0, 39.0))]);
    check_with(GFX9, "v_pk_mul_f32 v[0:1], v[4:5], s[20:21]", &[(&[two(1.0, 2.0)], two(3.0, 10.0))], |m| { m.sgpr64(20, two(3.0, 5.0)); });
    check_with(GFX9, "v_pk_mul_f32 v[0:1], v[4:5], s[20:21] op_sel_hi:[1,0]", &[(&[two(1.0, 2.0)], two(3.0, 6.0))], |m| { m.sgpr64(20, two(3.0, 5.0)); });
    check(GFX9, "v_pk_mov_b32 v[0:1], v[4:5], v[8:9]", &[(&[0x2_0000_0001, 0x4_0000_0003], 0x3_0000_0001)]);
    check(GFX9, "v_pk_mov_b32 v[0:1], v[4:5], v[8:9] op_sel:[1,1]", &[(&[0x2_0000_0001, 0x4_0000_0003], 0x4_0000_0002)]);
}

#[rustfmt::skip]
#[test]
fn mixed_precision() {
    check(DOT, "v_fma_mix_f32 v0, v4, v8, v12", &[(&[f(2.0), f(3.0), f(1.0)], f(7.0))]);
    check(DOT, "v_fma_mix_f32 v0, v4, v8, v12 op_sel:[0,1,0] op_sel_hi:[1,1,0]", &[(&[0x9999_4000, 0x4200_9999, f(1.0)], f(7.0))]);
    check(DOT, "v_fma_mix_f32 v0, -v4, |v8|, v12 op_sel_hi:[1,0,0]", &[(&[0x4000, f(-3.0), f(1.0)], f(-5.0))]);
    check(DOT, "v_fma_mixlo_f16 v0, v4, v8, v12", &[(&[f(2.0), f(3.0), f(1.0)], 0xdead_4700)]);
    check(DOT, "v_fma_mixhi_f16 v0, v4, v8, v12", &[(&[f(2.0), f(3.0), f(1.0)], 0x4700_0bad)]);
    check(DOT, "v_fma_mixlo_f16 v0, v4, v8, v12 clamp", &[(&[f(2.0), f(3.0), f(1.0)], 0xdead_3c00)]);
    let old: Targets = &[("gfx900", 64)];
    check(old, "v_mad_mix_f32 v0, v4, v8, v12 op_sel_hi:[1,0,0]", &[(&[0x4000, f(3.0), f(1.0)], f(7.0))]);
    check(old, "v_mad_mixlo_f16 v0, v4, v8, v12", &[(&[f(2.0), f(3.0), f(1.0)], 0xdead_4700)]);
    check(old, "v_mad_mixhi_f16 v0, v4, v8, v12", &[(&[f(2.0), f(3.0), f(1.0)], 0x4700_0bad)]);
}

#[rustfmt::skip]
#[test]
fn dot_products() {
    check(DOT, "v_dot2_f32_f16 v0, v4, v8, v12", &[(&[0x4000_3c00, 0x4200_4400, f(0.5)], f(10.5))]);
    check(DOT, "v_dot2_i32_i16 v0, v4, v8, v12", &[(&[0xffff_0002, 0x0003_0005, 100], 107)]);
    check(DOT, "v_dot2_u32_u16 v0, v4, v8, v12", &[(&[0xffff_0002, 0x0003_0005, 100], 110 + 3 * 0xffff)]);
    check(DOT, "v_dot2_i32_i16 v0, v4, v8, v12 clamp", &[(&[0x7fff_7fff, 0x7fff_7fff, 0x7fff_ffff], 0x7fff_ffff)]);
    check(DOT, "v_dot4_i32_i8 v0, v4, v8, v12", &[(&[0xff02_0304, 0x0101_0101, 10], 18)]);
    check(DOT, "v_dot4_u32_u8 v0, v4, v8, v12", &[(&[0xff02_0304, 0x0101_0101, 10], 274)]);
    check(DOT, "v_dot4_u32_u8 v0, v4, v8, v12 clamp", &[(&[0xff02_0304, 0x0101_0101, 0xffff_fff0], 0xffff_ffff)]);
    check(DOT, "v_dot8_i32_i4 v0, v4, v8, v12", &[(&[0xf123_4567, 0x1111_1111, 0], 27)]);
    check(DOT, "v_dot8_u32_u4 v0, v4, v8, v12", &[(&[0xf123_4567, 0x1111_1111, 0], 43)]);
    let accumulating: Targets = &[("gfx908", 64), ("gfx90a", 64)];
    check_with(&[("gfx908", 64), ("gfx90a", 64), ("gfx1030", 32)], "v_dot2c_f32_f16 v0, v4, v8", &[(&[0x4000_3c00, 0x4200_4400], f(10.5))], |m| { m.vgpr(0, |_| 0.5f32.to_bits()); });
    check_with(accumulating, "v_dot2c_i32_i16 v0, v4, v8", &[(&[0xffff_0002, 0x0003_0005], 107)], |m| { m.vgpr(0, |_| 100); });
    check_with(&[("gfx908", 64), ("gfx90a", 64), ("gfx1030", 32)], "v_dot4c_i32_i8 v0, v4, v8", &[(&[0xff02_0304, 0x0101_0101], 18)], |m| { m.vgpr(0, |_| 10); });
    check_with(accumulating, "v_dot8c_i32_i4 v0, v4, v8", &[(&[0xf123_4567, 0x1111_1111], 28)], |m| { m.vgpr(0, |_| 1); });
}

#[rustfmt::skip]
#[test]
fn media() {
    check(ALL, "v_sad_u8 v0, v4, v8, v12", &[(&[0x0102_03ff, 0x0201_0300, 5], 5 + 1 + 1 + 255)]);
    check(ALL, "v_sad_hi_u8 v0, v4, v8, v12", &[(&[0x0102_03ff, 0x0201_0300, 5], 5 + (257 << 16))]);
    check(ALL, "v_sad_u16 v0, v4, v8, v12", &[(&[0x0001_ffff, 0x0003_0000, 5], 5 + 2 + 0xffff)]);
    check(ALL, "v_sad_u32 v0, v4, v8, v12", &[(&[3, 0xffff_ffff, 5], 1)]);
    check(ALL, "v_sad_u32 v0, v4, v8, v12 clamp", &[(&[3, 0xffff_ffff, 5], 0xffff_ffff)]);
    // Bytes whose reference (S1) is zero do not count.
    check(ALL, "v_msad_u8 v0, v4, v8, v12", &[(&[0x0102_03ff, 0x0201_0300, 5], 5 + 1 + 1)]);
    check(ALL, "v_lerp_u8 v0, v4, v8, v12", &[(&[0x0305_07ff, 0x0404_0801, 0x0100_0001], 0x0404_0780)]);
    check(ALL, "v_perm_b32 v0, v4, v8, v12", &[(&[0x8766_5544, 0x3322_1100, 0x0007_0400], 0x0087_4400), (&[0x8766_5544, 0x3322_1100, 0x0d0c_0b09], 0xff00_ff00)]);
    check(ALL, "v_alignbyte_b32 v0, v4, v8, v12", &[(&[0x1122_3344, 0x5566_7788, 5], 0x4455_6677)]);
    check(ALL, "v_alignbit_b32 v0, v4, v8, v12", &[(&[0x1122_3344, 0x5566_7788, 36], 0x4556_6778)]);
    // Four sums over a sliding window: bytes 1,2,3,4 then 2,3,4,5 ... against 1,2,3,4.
    check(ALL, "v_qsad_pk_u16_u8 v[0:1], v[4:5], v8, v[12:13]", &[(&[0x0706_0504_0302_0100, 0x0403_0201, 0], 0x0008_0004_0000_0004)]);
    check(ALL, "v_mqsad_pk_u16_u8 v[0:1], v[4:5], v8, v[12:13]", &[(&[0x0706_0504_0302_0100, 0x0403_0200, 0], 0x0006_0003_0000_0003)]);
    for &(target, wave_size) in ALL {
        let mut machine = Machine::with_wave_size(target, wave_size, "v_mqsad_u32_u8 v[0:3], v[4:5], v8, v[12:15]");
        machine.vgpr64(4, |_| 0x0706_0504_0302_0100).vgpr(8, |_| 0x0403_0200);
        (12..16).for_each(|index| { machine.vgpr(index, |_| 100 * index as u32); });
        machine.run();
        assert_eq!([0, 1, 2, 3].map(|index| machine.wave.vgpr(index, 3)), [1203, 1300, 1403, 1506]);
    }
}
