//! The engine does the same with and without the host's vector extensions: every level executes the same instructions
//! on the same random and special values, in a process of its own.

use std::process::Command;

use crate::harness::{AGPR_BASE, Machine, random::Random};

/// Says to a child which extensions it leaves alone, see `wave::use_less`.
const LESS: &str = "LUTHIER_TEST_LESS";
/// Waves of each instruction and kind of values.
const WAVES: usize = 12;

/// The contents of registers.
#[derive(Clone, Copy, Debug)]
enum Values {
    Singles,
    Halves,
    Bfloats,
    /// Eight-bit floats.
    Eights,
    Doubles,
    /// Near the limits of integers of 32 bits.
    LargeSingles,
    LargeDoubles,
    Any,
}

impl Values {
    /// A word of ordinary size, with zeros among them; `round` 0 adds special values, 1 has nothing but ordinary ones.
    fn word(self, random: &mut Random, round: usize, high: bool) -> u32 {
        let bits = (random.bits() >> 9) as u32;
        let special = [
            0, 0x8000, 1, 0x8001, 0x3ff, 0x7c00, 0xfc00, 0x7e01, 0x7dff, 0x7bff, 0x0400, 0x3c00,
        ];
        let small = [
            0,
            0x8000_0000,
            1,
            0x8000_0001,
            0x007f_ffff,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0001,
            0x7fa0_0000,
            0x7f7f_ffff,
            0x0080_0000,
            0x3f80_0000,
        ];
        let pick = |list: &[u32]| list[bits as usize % list.len()];
        if round.is_multiple_of(3) && random.below(40) == 0 {
            return match self {
                Values::Halves => pick(&special) | pick(&special[3..]) << 16,
                Values::Bfloats => pick(&small) & 0xffff_0000 | pick(&small[2..]) >> 16,
                _ => pick(&small),
            };
        }
        if round % 3 == 2 && random.below(9) == 0 {
            return 0;
        }
        match self {
            Values::Singles => bits & 0x87ff_ffff | 0x3800_0000,
            Values::Halves => bits & 0xbfff_bfff,
            Values::Bfloats => bits & 0x83ff_83ff | 0x3c00_3c00,
            Values::Eights => bits & 0xbfbf_bfbf,
            Values::Doubles if high => bits & 0x80ff_ffff | 0x3f00_0000,
            Values::LargeSingles => bits & 0x83ff_ffff | 0x4c00_0000,
            Values::LargeDoubles if high => bits & 0x803f_ffff | 0x41c0_0000,
            Values::Doubles | Values::LargeDoubles | Values::Any => bits,
        }
    }
}

/// Target, wave size, values of v0 to v31 and those of v32 to v63 and the AccVGPRs, text. Results go to v64 and up, or to AccVGPRs.
#[rustfmt::skip]
const TEXTS: &[(&str, u32, Values, Values, &str)] = &[
    ("gfx90a",  64, Values::Singles, Values::Singles, "v_mfma_f32_32x32x1f32 a[0:31], v1, v2, a[0:31]"),
    ("gfx90a",  64, Values::Singles, Values::Singles, "v_mfma_f32_16x16x4f32 a[0:3], v1, v2, a[4:7]"),
    ("gfx90a",  64, Values::Halves,  Values::Singles, "v_mfma_f32_32x32x8f16 a[0:15], v[2:3], v[4:5], a[0:15]"),
    ("gfx90a",  64, Values::Halves,  Values::Singles, "v_mfma_f32_32x32x8f16 a[0:15], v[2:3], v[4:5], a[16:31]"),
    ("gfx90a",  64, Values::Halves,  Values::Singles, "v_mfma_f32_16x16x16f16 a[0:3], v[2:3], v[4:5], 1.0"),
    ("gfx90a",  64, Values::Halves,  Values::Singles, "v_mfma_f32_32x32x4f16 a[0:31], v[2:3], v[4:5], 0 cbsz:1 abid:1"),
    ("gfx90a",  64, Values::Halves,  Values::Singles, "v_mfma_f32_4x4x4f16 a[0:3], v[2:3], v[4:5], a[0:3]"),
    ("gfx90a",  64, Values::Bfloats, Values::Singles, "v_mfma_f32_32x32x8bf16_1k a[0:15], v[2:3], v[4:5], a[0:15]"),
    ("gfx90a",  64, Values::Bfloats, Values::Singles, "v_mfma_f32_32x32x4bf16 a[0:15], v2, v4, a[0:15]"),
    ("gfx90a",  64, Values::Any,     Values::Any,     "v_mfma_i32_32x32x8i8 a[0:15], v2, v4, a[0:15]"),
    ("gfx942",  64, Values::Halves,  Values::Singles, "v_mfma_f32_32x32x8_f16 a[0:15], v[2:3], v[4:5], a[0:15]"),
    ("gfx942",  64, Values::Halves,  Values::Any,     "v_mfma_f32_16x16x16_f16 a[0:3], v[2:3], v[4:5], a[0:3]"),
    ("gfx942",  64, Values::Halves,  Values::Singles, "v_mfma_f32_32x32x4_2b_f16 a[0:31], v[2:3], v[4:5], -1.0 cbsz:1"),
    ("gfx942",  64, Values::Bfloats, Values::Singles, "v_mfma_f32_32x32x8_bf16 a[0:15], v[2:3], v[4:5], a[0:15]"),
    ("gfx942",  64, Values::Halves,  Values::Singles, "v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[2:3], v[4:5], a[0:15]"),
    ("gfx942",  64, Values::Singles, Values::Singles, "v_mfma_f32_16x16x32_bf8_fp8 a[0:3], v[2:3], v[4:5], a[0:3]"),
    // Nothing but zeros and NaNs, of which eight-bit floats have one that looks like a zero.
    ("gfx942",  64, Values::Any,     Values::Singles, "v_and_b32_e32 v2, 0x80808080, v2\nv_and_b32_e32 v3, 0x80808080, v3\nv_mfma_f32_16x16x32_fp8_bf8 a[0:3], v[2:3], v[4:5], a[0:3]"),
    ("gfx950",  64, Values::Halves,  Values::Singles, "v_mfma_f32_32x32x16_f16 a[0:15], v[2:5], v[6:9], a[0:15]"),
    ("gfx950",  64, Values::Halves,  Values::Singles, "v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[16:23], a[0:3]"),
    ("gfx950",  64, Values::Halves,  Values::Singles, "v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[0:7], v[16:21], a[0:15] blgp:2"),
    ("gfx950",  64, Values::Any,     Values::Singles, "v_and_b32_e32 v60, 0x03030303, v40\nv_add_u32_e32 v60, 0x7d7d7d7d, v60\nv_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:5], v[16:19], a[0:3], v60, v60 op_sel:[1,0,0] cbsz:3 blgp:4"),
    ("gfx950",  64, Values::Any,     Values::Singles, "v_and_b32_e32 v60, 0x03030303, v40\nv_add_u32_e32 v60, 0x7d7d7d7d, v60\nv_mfma_scale_f32_32x32x64_f8f6f4 a[0:15], v[0:3], v[16:19], 1.0, v60, v60 op_sel_hi:[1,0,0] cbsz:4 blgp:4"),
    ("gfx950",  64, Values::Halves,  Values::Singles, "v_and_b32_e32 v60, 0x03030303, v40\nv_add_u32_e32 v60, 0x7d7d7d7d, v60\nv_mfma_scale_f32_32x32x64_f8f6f4 a[0:15], v[0:7], v[16:23], a[0:15], v60, v60 op_sel:[0,1,0] op_sel_hi:[1,1,0] cbsz:1"),
    ("gfx950",  64, Values::Any,     Values::Singles, "v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:5], v[16:21], a[0:3] cbsz:2 blgp:3"),
    ("gfx950",  64, Values::Any,     Values::Singles, "v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:3], v[16:19], a[0:3], v40, v41 cbsz:4 blgp:4"),
    // Eight-bit floats and smaller ones whose sums need not be cut, with a C of any kind.
    ("gfx942",  64, Values::Any,     Values::Any,     "v_and_b32_e32 v2, 0xbfbfbfbf, v2\nv_or_b32_e32 v2, 0x30303030, v2\nv_mfma_f32_16x16x32_fp8_fp8 a[0:3], v[2:3], v[2:3], a[0:3]"),
    ("gfx950",  64, Values::Any,     Values::Any,     "v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:3], v[16:19], a[0:3] cbsz:4 blgp:4"),
    ("gfx950",  64, Values::Any,     Values::Any,     "v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[0:5], v[16:21], a[0:15] cbsz:2 blgp:3"),
    ("gfx950",  64, Values::Eights,  Values::Singles, "v_and_b32_e32 v60, 0x03030303, v40\nv_add_u32_e32 v60, 0x7d7d7d7d, v60\nv_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[16:23], a[0:3], v60, v60 op_sel:[1,0,0]"),
    ("gfx950",  64, Values::Eights,  Values::Singles, "v_and_b32_e32 v60, 0x03030303, v40\nv_add_u32_e32 v60, 0x7d7d7d7d, v60\nv_mfma_scale_f32_32x32x64_f8f6f4 a[0:15], v[0:7], v[16:21], a[0:15], v60, v60 op_sel:[1,0,0] cbsz:1 blgp:2"),
    ("gfx942",  64, Values::Eights,  Values::Any,     "v_mfma_f32_32x32x16_fp8_bf8 a[0:15], v[2:3], v[4:5], a[0:15]"),
    // Rows of zeros.
    ("gfx942",  64, Values::Halves,  Values::Any,     "v_cmp_lt_u32_e32 vcc, 0x20000000, v2\nv_cndmask_b32_e32 v2, 0, v2, vcc\nv_cndmask_b32_e32 v3, 0, v3, vcc\nv_mfma_f32_32x32x4_2b_f16 a[0:31], v[2:3], v[4:5], a[0:31]"),
    ("gfx90a",  64, Values::Halves,  Values::Any,     "v_cmp_lt_u32_e32 vcc, 0x20000000, v2\nv_cndmask_b32_e32 v2, 0, v2, vcc\nv_cndmask_b32_e32 v3, 0, v3, vcc\nv_mfma_f32_32x32x8f16 a[0:15], v[2:3], v[4:5], a[0:15]"),
    ("gfx90a",  64, Values::Bfloats, Values::Any,     "v_cmp_lt_u32_e32 vcc, 0x20000000, v2\nv_cndmask_b32_e32 v2, 0, v2, vcc\nv_mfma_f32_32x32x4bf16 a[0:15], v2, v4, a[0:15]"),
    ("gfx90a",  64, Values::Singles, Values::Any,     "v_mfma_f32_16x16x4f32 a[0:3], v1, v2, a[4:7]"),
    ("gfx942",  64, Values::Any,     Values::Any,     "v_mfma_i32_16x16x32_i8 a[0:3], v[2:3], v[4:5], a[0:3]"),
    ("gfx1201", 32, Values::Halves,  Values::Singles, "v_wmma_f32_16x16x16_f16 v[32:39], v[0:3], v[4:7], v[40:47]"),
    ("gfx1201", 32, Values::Bfloats, Values::Singles, "v_wmma_f32_16x16x16_bf16 v[32:39], v[0:3], v[4:7], v[40:47] neg_lo:[1,0,0]"),
    ("gfx1201", 32, Values::Halves,  Values::Halves,  "v_wmma_f16_16x16x16_f16 v[32:35], v[0:3], v[4:7], v[32:35] neg_hi:[0,1,1]"),
    ("gfx1201", 32, Values::Bfloats, Values::Bfloats, "v_wmma_bf16_16x16x16_bf16 v[32:35], v[0:3], v[4:7], v[32:35]"),
    ("gfx1201", 32, Values::Any,     Values::Any,     "v_wmma_i32_16x16x16_iu8 v[32:39], v[0:1], v[4:5], v[40:47] neg_lo:[1,0,0] clamp"),
    ("gfx1201", 32, Values::Any,     Values::Any,     "v_wmma_i32_16x16x32_iu4 v[32:39], v[0:1], v[4:5], v[40:47] neg_lo:[0,1,0]"),
    ("gfx1201", 32, Values::Halves,  Values::Singles, "v_wmma_f32_16x16x16_fp8_bf8 v[32:39], v[0:1], v[4:5], v[40:47]"),
    ("gfx1201", 32, Values::Halves,  Values::Singles, "v_swmmac_f32_16x16x32_f16 v[32:39], v[0:3], v[4:11], v12"),
    ("gfx1201", 32, Values::Halves,  Values::Singles, "v_wmma_f32_16x16x16_f16 v[32:39], v[0:3], v[4:7], v[40:47] neg_lo:[0,1,1] neg_hi:[1,0,1]"),
    ("gfx1201", 64, Values::Halves,  Values::Halves,  "v_wmma_f16_16x16x16_f16 v[32:33], v[0:1], v[4:5], v[40:41]"),
    ("gfx1201", 64, Values::Halves,  Values::Singles, "v_wmma_f32_16x16x16_f16 v[32:35], v[0:1], v[4:5], v[40:43]"),
    ("gfx1201", 32, Values::Halves,  Values::Halves,  "v_wmma_f16_16x16x16_f16 v[32:35], v[0:3], v[4:7], 1.0"),
    // The same registers for all: C is read, and A and B are, before D is written.
    ("gfx1201", 32, Values::Halves,  Values::Singles, "v_wmma_f32_16x16x16_f16 v[0:7], v[0:3], v[4:7], v[0:7]"),
    ("gfx1201", 32, Values::Bfloats, Values::Singles, "v_swmmac_f32_16x16x32_bf16 v[32:39], v[0:3], v[4:11], v12 index_key:1"),
    ("gfx1201", 32, Values::Halves,  Values::Halves,  "v_swmmac_f16_16x16x32_f16 v[32:35], v[0:3], v[4:11], v12"),
    ("gfx1201", 32, Values::Halves,  Values::Singles, "v_swmmac_f32_16x16x32_fp8_bf8 v[32:39], v[0:1], v[4:7], v12"),
    ("gfx1201", 64, Values::Halves,  Values::Singles, "v_swmmac_f32_16x16x32_f16 v[32:35], v[0:1], v[4:7], v12 index_key:3"),
    ("gfx1201", 32, Values::Any,     Values::Any,     "v_swmmac_i32_16x16x32_iu8 v[32:39], v[0:1], v[4:7], v12 neg_lo:[1,1,0]"),
    ("gfx1100", 32, Values::Halves,  Values::Singles, "v_wmma_f32_16x16x16_f16 v[32:39], v[0:7], v[8:15], v[40:47]"),
    ("gfx1100", 32, Values::Halves,  Values::Halves,  "v_wmma_f16_16x16x16_f16 v[32:39], v[0:7], v[8:15], v[32:39] op_sel:[0,0,1]"),
    ("gfx90a",  64, Values::Halves,  Values::Halves,  "v_pk_fma_f16 v40, v2, v4, v6\nv_pk_add_f16 v41, v2, v4\nv_pk_mul_f16 v42, v2, v6\nv_pk_min_f16 v43, v2, v4\nv_pk_max_f16 v44, v2, v4 neg_lo:[1,0]"),
    ("gfx90a",  64, Values::Halves,  Values::Halves,  "v_fma_f16 v40, v2, v4, v6\nv_add_f16_e32 v41, v2, v4\nv_mul_f16_e32 v42, v2, v6\nv_min_f16_e32 v43, v2, v4\nv_max_f16_e32 v44, v2, v4\nv_sub_f16_e32 v45, 1.0, v4\nv_pk_mul_f16 v47, v2, s4"),
    ("gfx1100", 32, Values::Halves,  Values::Halves,  "v_pk_fma_f16 v40, v2, v4, v6\nv_pk_add_f16 v41, v2, v4 op_sel:[1,0]\nv_add_f16_e32 v42.l, v2.h, v4.l\nv_pk_mul_f16 v43, v2, 2.0"),
    ("gfx90a",  64, Values::Halves,  Values::Singles, "v_fma_mix_f32 v40, v2, v4, v36 op_sel_hi:[1,1,0]\nv_fma_mix_f32 v41, v2, -v4, v6 op_sel:[1,0,1] op_sel_hi:[1,1,1]\nv_fma_mixlo_f16 v42, v2, v4, v36 op_sel:[0,1,0] op_sel_hi:[1,1,0]\nv_fma_mixhi_f16 v43, v33, v34, v6 op_sel_hi:[0,0,1]\nv_fma_mix_f32 v44, v33, s4, v36\nv_fma_mix_f32 v45, v2, s4, v4 op_sel:[1,1,0] op_sel_hi:[1,1,1]\nv_fma_mix_f32 v2, v2, v2, v2 op_sel:[0,1,0] op_sel_hi:[1,1,0]"),
    ("gfx900",  64, Values::Halves,  Values::Singles, "v_mad_mix_f32 v40, v2, v4, v36 op_sel_hi:[1,1,0]\nv_mad_mixlo_f16 v41, v2, |v4|, v36 op_sel:[1,0,0] op_sel_hi:[1,1,0]"),
    ("gfx90a",  64, Values::Halves,  Values::Singles, "v_dot2_f32_f16 v40, v2, v4, v36\nv_dot2c_f32_f16_e32 v41, v2, v4"),
    ("gfx90a",  64, Values::Any,     Values::Any,     "v_dot4_i32_i8 v40, v2, v4, v36\nv_dot4_u32_u8 v41, v2, v4, v36\nv_dot2_i32_i16 v42, v2, v4, v36 clamp\nv_dot4c_i32_i8_e32 v43, v2, v4"),
    ("gfx1100", 32, Values::Any,     Values::Any,     "v_dot4_i32_iu8 v40, v2, v4, v36 neg_lo:[1,1,0]\nv_dot4_i32_iu8 v41, v2, v4, v36\nv_dot4_i32_iu8 v42, v2, v4, v36 neg_lo:[1,0,0]\nv_dot4_i32_iu8 v43, v2, v4, v36 neg_lo:[1,1,0] clamp"),
    ("gfx90a",  64, Values::Singles, Values::Singles, "v_cvt_pkrtz_f16_f32 v40, v2, v4\nv_cvt_f16_f32_e32 v41, v2\nv_cvt_i32_f32_e32 v42, v2\nv_cvt_u32_f32_e32 v43, v4\nv_cvt_f64_f32_e32 v[44:45], v2"),
    ("gfx90a",  64, Values::Doubles, Values::Singles, "v_cvt_f32_f64_e32 v40, v[2:3]\nv_cvt_i32_f64_e32 v41, v[4:5]\nv_cvt_u32_f64_e32 v42, v[6:7]\nv_cvt_f64_i32_e32 v[44:45], v2\nv_cvt_f64_u32_e32 v[46:47], v4"),
    ("gfx90a",  64, Values::LargeSingles, Values::LargeSingles, "v_cvt_i32_f32_e32 v40, v2\nv_cvt_u32_f32_e32 v41, v4\nv_cvt_i32_f32_e32 v42, s4\nv_cvt_f64_f32_e32 v[6:7], v7"),
    ("gfx90a",  64, Values::LargeDoubles, Values::Singles, "v_cvt_i32_f64_e32 v40, v[4:5]\nv_cvt_u32_f64_e32 v41, v[6:7]\nv_cvt_f32_f64_e32 v8, v[8:9]\nv_cvt_f64_i32_e32 v[44:45], v2\nv_cvt_f64_u32_e32 v[14:15], v14\nv_cvt_f64_i32_e32 v[46:47], s4"),
    ("gfx1100", 32, Values::Halves,  Values::Singles, "v_cvt_f16_f32_e32 v40.l, v33\nv_fma_mixlo_f16 v41, v2, v4, v36 op_sel_hi:[1,1,0]\nv_fma_mixhi_f16 v41, v2, v4, v36 op_sel_hi:[1,1,0]\nv_mul_f16_e32 v42.h, v2.l, v4.h"),
    // Several sources that are the same for all lanes.
    ("gfx90a",  64, Values::Any,     Values::Any,     "v_bfe_u32 v40, v2, 8, 5\nv_lshl_or_b32 v41, s4, 8, v2\nv_bfi_b32 v42, 7, v2, 3\nv_cmp_lt_i32_e32 vcc, v2, v4\nv_cndmask_b32_e64 v43, 0, 1, vcc\nv_alignbit_b32 v45, s4, v2, 9\nv_add3_u32 v46, 5, s4, v2\nv_mad_u32_u24 v47, v2, s4, 3\nv_add_u32_e64 v48, s4, 5\nv_mad_u64_u32 v[50:51], s[6:7], v2, s4, 9\nv_perm_b32 v52, s4, v2, 7"),
    ("gfx1030", 32, Values::Singles, Values::Singles, "v_fma_f32 v40, s4, v2, s5\nv_fma_f32 v41, v2, 2.0, s4\nv_fma_f32 v42, 0.5, s4, v2\nv_fma_f32 v43, -v2, 2.0, s4\nv_fma_f32 v44, |s4|, 2.0, v2 clamp\nv_med3_f32 v45, v2, 0, 1.0\nv_cndmask_b32_e64 v46, 0, 1.0, vcc_lo\nv_cndmask_b32_e64 v47, s4, -1, vcc_lo\nv_fma_f64 v[48:49], v[2:3], 2.0, 0.5\nv_bfe_i32 v50, v2, 3, 4"),
    ("gfx942",  64, Values::Any,     Values::Any,     "v_lshl_add_u64 v[40:41], s[4:5], 0, v[2:3]\nv_lshl_add_u64 v[42:43], v[2:3], 4, v[4:5]\nv_lshl_add_u64 v[44:45], v[2:3], v6, s[4:5]\nv_lshl_add_u64 v[2:3], v[2:3], 1, v[2:3]\nv_mov_b64_e32 v[46:47], v[4:5]\nv_mov_b64_e32 v[48:49], 0\nv_pk_fma_f32 v[50:51], v[2:3], s[4:5], v[6:7]"),
    // Lanes that move: every kind of control, with and without lanes that stay as they are.
    ("gfx90a",  64, Values::Any,     Values::Any,     "v_mov_b32_dpp v40, v2 row_shr:1 row_mask:0xf bank_mask:0xf\nv_mov_b32_dpp v41, v2 row_shr:3 row_mask:0xf bank_mask:0xf bound_ctrl:0\nv_mov_b32_dpp v42, v2 quad_perm:[1,0,3,2] row_mask:0xa bank_mask:0x5\nv_mov_b32_dpp v43, v2 row_bcast:15 row_mask:0xa bank_mask:0xf\nv_mov_b32_dpp v44, v2 row_bcast:31 row_mask:0xc bank_mask:0xf\nv_mov_b32_dpp v45, v2 wave_shr:1 row_mask:0xf bank_mask:0xf\nv_mov_b32_dpp v46, v2 row_mirror row_mask:0xf bank_mask:0xf\nv_mov_b32_dpp v4, v4 row_ror:5 row_mask:0xf bank_mask:0xf\nv_mov_b32_dpp v6, v6 wave_rol:1 row_mask:0xf bank_mask:0xf bound_ctrl:0"),
    ("gfx90a",  64, Values::Singles, Values::Singles, "v_add_f32_dpp v40, v2, v4 row_shl:2 row_mask:0xf bank_mask:0xf\nv_add_f32_dpp v41, v2, v4 row_shr:4 row_mask:0xf bank_mask:0xf bound_ctrl:0\nv_mul_f32_dpp v42, -v2, |v4| row_half_mirror row_mask:0xf bank_mask:0xf\nv_fmac_f32_dpp v43, v2, v4 quad_perm:[3,3,0,0] row_mask:0x3 bank_mask:0xf\nv_cmp_lt_f32_e32 vcc, v2, v4\nv_addc_co_u32_dpp v44, vcc, v2, v4, vcc row_shr:1 row_mask:0xf bank_mask:0xf"),
    ("gfx1030", 64, Values::Any,     Values::Any,     "v_mov_b32_dpp v40, v2 row_share:3 row_mask:0xf bank_mask:0xf\nv_mov_b32_dpp v41, v2 row_xmask:6 row_mask:0xf bank_mask:0xf fi:1\nv_mov_b32_dpp v42, v2 dpp8:[7,6,5,4,3,2,1,0]\nv_add_nc_u32_dpp v43, v2, v4 dpp8:[1,1,1,1,2,3,4,5] fi:1\nv_permlane16_b32 v44, v2, s4, s5\nv_permlanex16_b32 v45, v4, s5, s4\nv_permlane16_b32 v46, v2, s4, s5 op_sel:[1,0]\nv_permlanex16_b32 v47, v2, s4, s5 op_sel:[0,1]\nv_permlanex16_b32 v6, v6, s4, s5 op_sel:[1,1]\nv_swap_b32 v8, v9"),
    ("gfx1030", 32, Values::Any,     Values::Any,     "v_mov_b32_dpp v40, v2 row_share:3 row_mask:0xf bank_mask:0xf\nv_mov_b32_dpp v41, v2 row_xmask:6 row_mask:0x1 bank_mask:0xf\nv_mov_b32_dpp v42, v2 dpp8:[7,6,5,4,3,2,1,0]\nv_add_f32_dpp v43, v2, v4 row_shr:1 row_mask:0xf bank_mask:0xf\nv_permlane16_b32 v44, v2, s4, s5\nv_permlanex16_b32 v45, v4, s5, s4\nv_permlanex16_b32 v47, v2, s4, s5 op_sel:[0,1]\nv_swap_b32 v8, v9"),
    ("gfx1201", 32, Values::Any,     Values::Any,     "v_permlane16_var_b32 v44, v2, v4\nv_permlanex16_var_b32 v45, v4, v6\nv_permlanex16_var_b32 v46, v2, v4 op_sel:[1,0]\nv_permlane16_var_b32 v47, v2, v6 op_sel:[0,1]"),
    ("gfx90a",  64, Values::Singles, Values::Singles, "v_fma_f32 v40, -v2, |v4|, -|v6| clamp\nv_add_f32_e64 v41, v2, -v4 clamp\nv_max3_f32 v42, v2, v4, v6\nv_med3_f32 v43, -v2, v4, s4\nv_min3_f32 v44, v2, 1.0, v6\nv_rndne_f32_e32 v45, v2\nv_fract_f32_e32 v46, v4\nv_frexp_mant_f32_e32 v47, v2\nv_frexp_exp_i32_f32_e32 v48, v2\nv_ldexp_f32 v49, v2, v48\nv_ldexp_f32 v50, v4, s4\nv_ldexp_f32 v51, v2, -7\nv_swap_b32 v8, v9\nv_swap_b32 v10, v10"),
    // Powers of all sizes.
    ("gfx90a",  64, Values::Any,     Values::Any,     "s_movk_i32 s6, -140\ns_movk_i32 s7, -1060\nv_ldexp_f32 v40, v2, v4\nv_ashrrev_i32_e32 v41, 23, v4\nv_ldexp_f32 v42, v2, v41\nv_ldexp_f32 v43, v6, s6\nv_ldexp_f64 v[44:45], v[2:3], v4\nv_ashrrev_i32_e32 v46, 20, v4\nv_ldexp_f64 v[48:49], v[6:7], v46\nv_ldexp_f64 v[50:51], v[8:9], s7\nv_ldexp_f64 v[52:53], v[8:9], s4\nv_ldexp_f32 v54, s4, v41"),
    ("gfx90a",  64, Values::Doubles, Values::Doubles, "v_ashrrev_i32_e32 v46, 20, v10\nv_ldexp_f64 v[48:49], v[6:7], v46\nv_max_f64 v[50:51], v[2:3], v[4:5]\nv_min_f64 v[52:53], v[2:3], -v[4:5]\nv_cmp_lt_f64_e32 vcc, v[2:3], v[4:5]\nv_cndmask_b32_e32 v40, v2, v3, vcc\nv_floor_f64_e32 v[54:55], v[6:7]"),
    ("gfx90a",  64, Values::Halves,  Values::Halves,  "v_rcp_f16_e32 v40, v2\nv_sqrt_f16_e32 v41, v2\nv_rsq_f16_e32 v42, v4\nv_rcp_f16_sdwa v43, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1\nv_add_u32_sdwa v44, v2, v4 dst_sel:BYTE_2 dst_unused:UNUSED_SEXT src0_sel:BYTE_1 src1_sel:WORD_1"),
    ("gfx1100", 32, Values::Halves,  Values::Halves,  "v_rcp_f16_e32 v40.h, v2.l\nv_sqrt_f16_e32 v41.l, v2.h\nv_rsq_f16_e64 v42.l, |v4.h|"),
];

/// A digest of all vector registers at the end, one number for each wave.
fn digests() -> Vec<String> {
    let mut lines = Vec::new();
    for (index, &(target, wave_size, low, high, text)) in TEXTS.iter().enumerate() {
        for round in 0..WAVES {
            let mut random = Random((index * WAVES + round) as u64);
            let mut machine = Machine::with_wave_size(target, wave_size, text);
            let registers = (0..32).map(|register| (register, low));
            let others = (32..64).chain(AGPR_BASE..AGPR_BASE + 32);
            for (register, values) in registers.chain(others.map(|register| (register, high))) {
                let words: Vec<u32> = (0..64)
                    .map(|_| values.word(&mut random, round, register % 2 == 1))
                    .collect();
                machine.vgpr(register, |lane| words[lane]);
            }
            machine.wave.set_sgpr(4, 0x3c00_4200);
            machine.wave.set_sgpr(5, 0x1357_9bdf);
            if round % 4 == 3 {
                machine.exec(0x0fff_f0f1_5555_00ff);
            }
            machine.run();
            let mut digest = 0xcbf2_9ce4_8422_2325_u64;
            for register in 0..AGPR_BASE + 32 {
                for lane in 0..wave_size as usize {
                    let word = u64::from(machine.wave.vgpr(register, lane));
                    digest = (digest ^ word).wrapping_mul(0x0100_0000_01b3);
                }
            }
            lines.push(format!(
                "{target} wave {round}: {digest:016x} {}",
                text.replace('\n', "; ")
            ));
        }
    }
    lines
}

/// Runs as a child of the other test, otherwise does nothing.
#[test]
fn child() {
    let Ok(less) = std::env::var(LESS) else {
        return;
    };
    wave::use_less(less.parse().expect("a number"));
    for line in digests() {
        println!("digest {line}");
    }
}

#[test]
fn all_levels_agree() {
    let run = |less: u32| -> Vec<String> {
        let output = Command::new(std::env::current_exe().expect("this test"))
            .args([
                "--exact",
                "levels::child",
                "--nocapture",
                "--test-threads=1",
            ])
            .env(LESS, less.to_string())
            .output()
            .expect("a child");
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).expect("text");
        let digests = text.lines().filter_map(|line| line.split_once("digest "));
        digests.map(|(_, line)| line.to_owned()).collect()
    };
    let all = run(0);
    assert_eq!(all.len(), TEXTS.len() * WAVES);
    for less in 1..=3 {
        for (line, other) in all.iter().zip(run(less)) {
            assert_eq!(*line, other, "with fewer extensions ({less})");
        }
    }
}
