//! No input panics: every public operation on raw random words, with overflow checks on (the test profile has them).

use crate::common;

use numerics::matrix::{INSTRUCTIONS, Model};
use numerics::soft::{BF16, Exact, F16, F32, F64};
use numerics::*;

#[test]
fn arbitrary_words_do_not_panic() {
    let mut random = common::Random(61);
    let mut sink = 0u64;
    for _ in 0..common::cases() / 10 {
        let [a, b, c] = [random.bits(), random.bits(), random.bits()];
        let [x, y, z] = [a as u32, b as u32, c as u32];
        let [p, q, r] = [a as u16, b as u16, c as u16];
        let denormals = Denormals::from_mode((a >> 40) as u8);
        let round = Round::from_mode((a >> 42) as u8);
        let flag = a >> 50 & 1 != 0;
        let mode = float16::Mode {
            denormals,
            round,
            fp16_ovfl: flag,
        };
        let condition = Condition((a >> 52) as u8);

        sink ^= float32::fma_round(x, y, z, denormals, round) as u64
            ^ float64::fma_round(a, b, c, denormals, round);
        sink ^= float32::ldexp_round(x, z as i32, denormals, round) as u64;
        sink ^= float64::ldexp_round(a, z as i32, denormals, round)
            ^ float16::ldexp(p, r as i16, mode) as u64;
        sink ^= float32::frexp_exp(x) as u64
            ^ float64::frexp_exp(a) as u64
            ^ float16::frexp_exp(p) as u64;
        sink ^= float32::med3(x, y, z, flag, denormals) as u64 ^ float32::omod(x, a as u8) as u64;
        sink ^= float32::compare(condition, x, y, denormals) as u64 ^ float32::class(x, z) as u64;
        sink ^= float16::fma(p, q, r, mode) as u64 ^ float16::fract(p, denormals) as u64;

        sink ^= convert::i32_from_f32(x) as u64
            ^ convert::u32_from_f64(a) as u64
            ^ convert::u16_from_f16(p) as u64;
        sink ^= convert::i32_from_f32_nearest(x) as u64 ^ convert::f32_from_i4_offset(x) as u64;
        sink ^= convert::pk_u8_f32(x, y, z, denormals, round) as u64
            ^ convert::pknorm_i16_f32(x, y) as u64;
        sink ^= convert::f32_from_f64(a, denormals, denormals, round) as u64;
        for format in [
            convert::Fp8::E4m3,
            convert::Fp8::E5m2,
            convert::Fp8::E4m3Fnuz,
            convert::Fp8::E5m2Fnuz,
        ] {
            sink ^= format.from_f32_stochastic(x, y, flag) as u64 ^ format.to_f32(a as u8) as u64;
        }

        sink ^=
            approx::exp_f32(x) as u64 ^ approx::log_f32(x) as u64 ^ approx::sin_f32(x, flag) as u64;
        sink ^= division::scale_f64(a, b, c, denormals).0
            ^ division::scale_f32(x, y, z, denormals).0 as u64;
        sink ^= division::fmas_f64(a, b, c, flag, denormals, round)
            ^ division::fixup_f64(a, b, c, denormals);
        sink ^= division::fmas_f32(x, y, z, flag, denormals, round) as u64
            ^ division::fixup_f32(x, y, z, denormals) as u64;
        sink ^= division::fixup_f16(p, q, r, denormals) as u64 ^ trig_preop::trig_preop(a, y);

        sink ^= integer::perm(x, y, z) as u64 ^ integer::s_bfe_i64(a, y) ^ integer::s_bfe_u64(a, y);
        sink ^= integer::bfe_i32(x, y, z) as u64
            ^ integer::bfm_b64(x, y)
            ^ integer::mad_i64_i32(x, y, c).0;
        sink ^= integer::lerp_u8(x, y, z) as u64
            ^ integer::qsad_pk_u16_u8(a, y, c, flag)
            ^ integer::wqm(a);
        sink ^= integer::mbcnt_hi(x, y, z) as u64 ^ integer::mad_i32_i24(x, y, z, flag) as u64;
        sink ^= integer::sad_hi_u8(x, y, z) as u64 ^ integer::ashr_pk_i8_i32(x, y, z) as u64;
        sink ^= packed::dot8_i32_iu4(x, y, z, flag, !flag, flag) as u64
            ^ packed::dot2_u32_u16(x, y, z, flag) as u64;
        sink ^= packed::mad_i16(x, y, z, flag) as u64 ^ packed::ashrrev_i16(x, y) as u64;
        sink ^= cube::sc(x, y, z) as u64 ^ cube::id(x, y, z) as u64;

        let exact = Exact {
            negative: flag,
            exponent: x as i32,
            significand: (a as u128) << (y % 60),
            sticky: flag,
        };
        for format in [F16, BF16, F32, F64] {
            sink ^= format.pack(exact, round) ^ format.pack(exact.scaled(z as i32), round);
        }

        let (left, right) = ([p, q, r, x as u16], [y as u16, z as u16, p, q]);
        let (words, others) = ([x, y, z], [z, y, x]);
        let bytes = a.to_le_bytes();
        for model in [Model::Mfma1, Model::Mfma2, Model::Mfma3] {
            sink ^= matrix::accumulate_f16(model, z, &left, &right) as u64;
            sink ^= matrix::accumulate_bf16(model, z, &left, &right[..3]) as u64;
            sink ^= matrix::accumulate_bf16_pairs(model, z, &left, &right) as u64;
        }
        sink ^= matrix::accumulate_xf32(z, &words, &others) as u64
            ^ matrix::accumulate_f32(z, &words, &[]) as u64;
        let format = convert::Fp8::E5m2;
        sink ^=
            matrix::accumulate_fp8(z, &bytes, format, &b.to_le_bytes(), convert::Fp8::E4m3) as u64;
        let shape = INSTRUCTIONS[a as usize % INSTRUCTIONS.len()].shape;
        let element = (x % shape.m, y % shape.k, z % shape.blocks);
        let place = shape.a(element.0, element.1, element.2, x, y);
        assert!(place.lane < 64, "{shape:?} {element:?}");
        assert!(shape.b(element.0, element.1, element.2, z).lane < 64);
    }
    assert_ne!(sink, 0);
}
