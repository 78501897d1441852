//! Integer operations against bit-by-bit readings of the manuals' pseudocode.

use crate::common::{Random, cases};
use numerics::{integer, packed};

/// `width` low bits of `x`, sign-extended, one bit at a time.
fn sign_extend(x: u64, width: u32) -> u64 {
    (0..64).fold(0, |r, bit| {
        let source = if bit < width {
            bit
        } else {
            width.wrapping_sub(1)
        };
        r | if width == 0 {
            0
        } else {
            (x >> source & 1) << bit
        }
    })
}

#[test]
fn fields() {
    let mut random = Random(31);
    for _ in 0..cases() / 10 {
        let (x, offset, width) = (
            random.bits(),
            random.bits() as u32 % 40,
            random.bits() as u32 % 80,
        );
        let control = offset | width << 16 | random.bits() as u32 & 0x8000_0000;
        let shifted32 = (x as u32 as i32 as i64 >> (offset & 31)) as u64;
        let shifted64 = (x as i64 as i128 >> (offset & 63)) as u64;
        assert_eq!(
            integer::s_bfe_i32(x as u32, control),
            sign_extend(shifted32, width.min(32)) as u32
        );
        assert_eq!(
            integer::s_bfe_i64(x, control),
            sign_extend(shifted64, width.min(64))
        );
        let mask = |w: u32| if w >= 64 { u64::MAX } else { (1 << w) - 1 };
        assert_eq!(
            integer::s_bfe_u32(x as u32, control),
            (x as u32 >> (offset & 31)) & mask(width) as u32
        );
        assert_eq!(
            integer::s_bfe_u64(x, control),
            (x >> (offset & 63)) & mask(width)
        );
    }
    assert_eq!(integer::bfe_u32(u32::MAX, 0, 32), 0);
    assert_eq!(integer::bfe_u32(u32::MAX, 0, 33), 1);
    assert_eq!(integer::bfm_b32(4, 8), 0xf00);
    assert_eq!(integer::bfm_b64(63, 1), u64::MAX - 1);
    assert_eq!(integer::bfi(0xff00, 0x1234_5678, 0x9abc_def0), 0x9abc_56f0);
    assert_eq!(integer::alignbit(0x1122_3344, 0x5566_7788, 36), 0x4556_6778);
    assert_eq!(integer::alignbyte(0x1122_3344, 0x5566_7788, 5), 0x4455_6677);
}

#[test]
fn scans_and_counts() {
    for (x, high, low, sign) in [
        (0, u32::MAX, u32::MAX, u32::MAX),
        (u32::MAX, 0, 0, u32::MAX),
        (1, 31, 0, 31),
        (0x8000_0000, 0, 31, 1),
        (0x0010_0000, 11, 20, 11),
        (0xfff0_0000, 0, 20, 12),
    ] {
        assert_eq!(integer::ffbh_u32(x), high);
        assert_eq!(integer::ffbl_b32(x), low);
        assert_eq!(integer::ffbh_i32(x), sign);
    }
    assert_eq!(integer::ffbh_i64(u64::MAX), u32::MAX);
    assert_eq!(integer::ffbh_i64(1), 63);
    assert_eq!(integer::ffbl_b64(1 << 40), 40);
    assert_eq!(integer::bcnt(0xff, u32::MAX), 7);
    for lane in 0..64 {
        let below = (1u64 << lane) - 1;
        let mask = 0xdead_beef_1234_5678u64;
        let low = integer::mbcnt_lo(mask as u32, 5, lane);
        assert_eq!(
            integer::mbcnt_hi((mask >> 32) as u32, low, lane),
            (mask & below).count_ones() + 5
        );
    }
}

#[test]
fn absolute_differences() {
    let bytes = |x: u32| x.to_le_bytes();
    let mut random = Random(32);
    for _ in 0..cases() / 10 {
        let (a, add) = (random.bits(), random.bits());
        let b =
            random.bits() as u32 & [u32::MAX, 0xff00_ffff, 0x00ff_00ff][random.bits() as usize % 3];
        let sad = |a: u32, masked: bool| -> u32 {
            let distance = |(x, y): (&u8, &u8)| {
                if masked && *y == 0 {
                    0
                } else {
                    x.abs_diff(*y) as u32
                }
            };
            bytes(a).iter().zip(&bytes(b)).map(distance).sum()
        };
        let word = a as u32;
        assert_eq!(integer::sad_u8(word, b, 7), sad(word, false) + 7);
        assert_eq!(integer::msad_u8(word, b, 7), sad(word, true) + 7);
        assert_eq!(integer::sad_hi_u8(word, b, 7), (sad(word, false) << 16) + 7);
        assert_eq!(
            integer::sad_u32(word, b, 1),
            word.abs_diff(b).wrapping_add(1)
        );
        let windows: Vec<u32> = (0..4).map(|i| (a >> (8 * i)) as u32).collect();
        let (mut plain, mut limited, mut masked) = (0u64, 0u64, 0u64);
        for (i, window) in windows.iter().enumerate() {
            let base = (add >> (16 * i)) as u16;
            plain |= (base.wrapping_add(sad(*window, false) as u16) as u64) << (16 * i);
            limited |= (base.saturating_add(sad(*window, false) as u16) as u64) << (16 * i);
            masked |= (base.wrapping_add(sad(*window, true) as u16) as u64) << (16 * i);
        }
        assert_eq!(integer::qsad_pk_u16_u8(a, b, add, false), plain);
        assert_eq!(integer::qsad_pk_u16_u8(a, b, add, true), limited);
        assert_eq!(integer::mqsad_pk_u16_u8(a, b, add, false), masked);
        let four = integer::mqsad_u32_u8(a, b, [1, 2, 3, 4]);
        for i in 0..4 {
            assert_eq!(four[i], sad(windows[i], true) + i as u32 + 1);
        }
        let c = add as u32;
        let lerp: Vec<u8> = (0..4)
            .map(|i| ((bytes(word)[i] as u32 + bytes(b)[i] as u32 + (c >> (8 * i) & 1)) >> 1) as u8)
            .collect();
        assert_eq!(integer::lerp_u8(word, b, c).to_le_bytes().as_slice(), lerp);
    }
    assert_eq!(integer::sad_u16(0x0005_ffff, 0x0007_0000, 1), 0x1_0002);
}

#[test]
fn products_and_carries() {
    let minus = |x: i32| x as u32;
    assert_eq!(integer::mul_i32_i24(0xff_ffff, 2), minus(-2));
    assert_eq!(integer::mul_u32_u24(0xffff_ffff, 2), 0x1ff_fffe);
    assert_eq!(integer::mul_hi_u32_u24(0xff_ffff, 0xff_ffff), 0xffff);
    assert_eq!(integer::mul_hi_i32_i24(0xff_ffff, 1), u32::MAX);
    assert_eq!(
        integer::mad_u32_u24(0xff_ffff, 0xff_ffff, 0, true),
        u32::MAX
    );
    assert_eq!(
        integer::mad_i32_i24(0x80_0000, 0x7f_ffff, 0, true),
        0x8000_0000
    );
    assert_eq!(
        integer::mad_u64_u32(u32::MAX, u32::MAX, u64::MAX),
        (0xffff_fffe_0000_0000, true)
    );
    // The 65-bit signed sum -1 * 1 + i64::MIN is negative although its low 64 bits are not.
    assert_eq!(
        integer::mad_i64_i32(minus(-1), 1, i64::MIN as u64),
        (i64::MAX as u64, true)
    );
    assert_eq!(
        integer::mad_i64_i32(1, 1, i64::MAX as u64),
        (i64::MIN as u64, false)
    );
    assert_eq!(integer::addc_co(u32::MAX, 0, true), (0, true));
    assert_eq!(integer::addc_co(u32::MAX, u32::MAX, true), (u32::MAX, true));
    assert_eq!(integer::subb_co(0, u32::MAX, true), (0, true));
    assert_eq!(integer::subb_co(5, 4, true), (0, false));
    assert_eq!(integer::s_lshl_add_u32(0x8000_0000, 1, 3), (3, true));
    assert_eq!(integer::absdiff_i32(0x8000_0000, 0), 0x8000_0000);
    assert_eq!(integer::prng(0x8000_0001), 0xc7);
    assert_eq!(integer::mad_i16(0x8000, 0x8000, 0, true), 0x7fff);
    assert_eq!(integer::mad_u16(0xffff, 0xffff, 1, false), 2);
    assert_eq!(integer::ashr_pk_i8_i32(minus(-1000), 1000, 2), 0x7f80);
    assert_eq!(integer::ashr_pk_u8_i32(minus(-1000), 1000, 3), 0x7d00);
    for (a, b, c, want) in [
        (1, 2, 3, 2),
        (3, 1, 2, 2),
        (2, 3, 1, 2),
        (5, 5, 1, 5),
        (minus(-1), 0, 1, 0),
    ] {
        assert_eq!(integer::med3_i32(a, b, c), want);
    }
    assert_eq!(integer::med3_u32(minus(-1), 0, 1), 1);
}

#[test]
fn every_boolean_function() {
    for table in 0..=255u8 {
        let r = integer::bitop3(0b1111_0000, 0b1100_1100, 0b1010_1010, table);
        assert_eq!(r as u8, table);
    }
}

#[test]
fn dot_products_of_small_values_are_exact() {
    assert_eq!(
        packed::dot4_i32_i8(0x80ff_0102, 0x7f01_0203, 10, false),
        (10 + 6 + 2 - 1 - 128 * 127) as u32
    );
    assert_eq!(
        packed::dot4_u32_u8(0x80ff_0102, 0x7f01_0203, 10, false),
        10 + 6 + 2 + 255 + 128 * 127
    );
    assert_eq!(
        packed::dot4_u32_u8(u32::MAX, u32::MAX, u32::MAX, true),
        u32::MAX
    );
    assert_eq!(
        packed::dot4_i32_i8(0x8080_8080, 0x8080_8080, 0x7fff_ffff, true),
        0x7fff_ffff
    );
    assert_eq!(
        packed::dot8_i32_i4(0x8888_8888, 0x7777_7777, 0, false),
        (-8 * 8 * 7) as u32
    );
    assert_eq!(
        packed::dot8_u32_u4(u32::MAX, u32::MAX, 1, false),
        8 * 225 + 1
    );
    assert_eq!(
        packed::dot2_i32_i16(0x8000_ffff, 0x7fff_0002, 0, false),
        (-2 - 32768 * 32767) as u32
    );
    assert_eq!(
        packed::dot2_u32_u16(0x8000_ffff, 0x7fff_0002, 0, false),
        65535 * 2 + 32768 * 32767
    );
    assert_eq!(
        packed::dot4_i32_iu8(u32::MAX, 0x0101_0101, 0, true, false, false),
        (-4i32) as u32
    );
    assert_eq!(
        packed::dot4_i32_iu8(u32::MAX, 0x0101_0101, 0, false, true, false),
        1020
    );
    assert_eq!(
        packed::dot8_i32_iu4(u32::MAX, 0x1111_1111, 0, true, false, false),
        (-8i32) as u32
    );
    // 2*3 + 4*5 + 0.5
    assert_eq!(
        packed::dot2_f32_f16(0x4400_4000, 0x4500_4200, 0.5f32.to_bits()),
        26.5f32.to_bits()
    );
    assert_eq!(
        packed::dot2_f32_bf16(0x4080_4000, 0x40a0_4040, 0.5f32.to_bits()),
        26.5f32.to_bits()
    );
    assert_eq!(
        packed::dot2c_f32_bf16(0x4080_4000, 0x40a0_4040, 0.5f32.to_bits()),
        26.5f32.to_bits()
    );
    assert_eq!(packed::dot2_f32_f16(0, 0, 1), 0);
}

#[test]
fn packed_halves_do_not_mix() {
    assert_eq!(
        packed::add_u16(0x0001_ffff, 0x0001_0001, false),
        0x0002_0000
    );
    assert_eq!(packed::add_u16(0x0001_ffff, 0x0001_0001, true), 0x0002_ffff);
    assert_eq!(packed::sub_u16(0x0001_0000, 0x0001_0001, true), 0);
    assert_eq!(packed::add_i16(0x7fff_8000, 0x0001_ffff, true), 0x7fff_8000);
    assert_eq!(packed::sub_i16(0x8000_0000, 0x0001_0001, true), 0x8000_ffff);
    assert_eq!(packed::mul_lo_u16(0x0003_0100, 0x0005_0100), 0x000f_0000);
    assert_eq!(packed::lshlrev_b16(0x0011_0004, 0x0001_000f), 0x0002_00f0);
    assert_eq!(packed::ashrrev_i16(0x0004_0001, 0x8000_8000), 0xf800_c000);
    assert_eq!(packed::lshrrev_b16(0x0004_0001, 0x8000_8000), 0x0800_4000);
    assert_eq!(packed::min_i16(0x8000_0001, 0x0001_ffff), 0x8000_ffff);
    assert_eq!(packed::max_u16(0x8000_0001, 0x0001_ffff), 0x8000_ffff);
    assert_eq!(
        packed::mad_u16(0x0002_0003, 0x0004_0005, 0x0001_0001, false),
        0x0009_0010
    );
    let mode = numerics::float16::Mode::DEFAULT;
    assert_eq!(
        packed::fma_f16(0x4000_3c00, 0x4200_3c00, 0x3c00_0000, mode),
        0x4700_3c00
    );
    assert_eq!(packed::add_f16(0x4000_3c00, 0x4200_3c00, mode), 0x4500_4000);
    assert_eq!(packed::clamp_f16(0x7e00_4000, true), 0x0000_3c00);
    // 2*3 + 4*5 + 1, in both formats.
    assert_eq!(
        packed::dot2_f16_f16(0x4400_4000, 0x4500_4200, 0x3c00, mode),
        0x4ec0
    );
    assert_eq!(
        packed::dot2_bf16_bf16(0x4080_4000, 0x40a0_4040, 0x3f80),
        0x41d8
    );
    let (x, y) = (1.5f32.to_bits(), 2.0f32.to_bits());
    assert_eq!(
        packed::fma_mix_f16(x, y, x, numerics::Denormals::KEEP, mode),
        0x4480
    );
}
