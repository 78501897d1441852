//! `v_trig_preop_f64`: 53 bits of 2/π from a place chosen by an operand, for argument reduction of large angles.

use crate::Round;
use crate::soft::{Exact, F64};

/// Fraction bits of 2/π the hardware keeps.
const FRACTION_BITS: u32 = 1201;

/// The first 1201 fraction bits of 2/π, most significant first; bits past the end are zero.
#[rustfmt::skip]
const TWO_OVER_PI: [u64; 20] = [
    0xa2f9_836e_4e44_1529, 0xfc27_57d1_f534_ddc0, 0xdb62_9599_3c43_9041, 0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0, 0x0649_2eea_09d1_921c, 0xfe1d_eb1c_b129_a73e, 0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41, 0x3991_d639_8353_39f4, 0x9c84_5f8b_bdf9_283b, 0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f, 0x6d36_7ecf_27cb_09b7, 0x4f46_3f66_9e5f_ea2d, 0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea, 0x6bfb_5fb1_1f8d_5d08, 0x5603_3046_fc7b_0000, 0,
];

/// Bits of [`TWO_OVER_PI`], 53 of them, from `first` (0 is the one half bit).
#[inline]
fn bits_from(first: u32) -> u64 {
    if first >= FRACTION_BITS {
        return 0;
    }
    let word = (first / 64) as usize;
    let pair = (TWO_OVER_PI[word] as u128) << 64 | TWO_OVER_PI[word + 1] as u128;
    (pair << (first % 64) >> 75) as u64
}

/// Segment `segment & 31` of 2/π as the angle `x` needs it: the 53 bits, as a fraction scaled to their place. The sign of
/// `x` does not matter, and infinities and NaNs count as the largest exponent.
#[inline]
pub fn trig_preop(x: u64, segment: u32) -> u64 {
    let exponent = (x >> 52 & 0x7ff) as i32;
    let shift = 53 * (segment & 31) + (exponent - 1077).max(0) as u32;
    let bits = bits_from(shift);
    if bits == 0 {
        return 0;
    }
    let rescue = if exponent >= 1968 { 128 } else { 0 };
    let power = rescue - 53 - shift as i32;
    let exact = Exact {
        negative: false,
        exponent: power,
        significand: bits as u128,
        sticky: false,
    };
    F64.pack(exact, Round::Zero)
}
