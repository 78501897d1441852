//! Throughput of the vector and scalar ALU rows: millions of wave64 instructions per second on one core.
//!
//! Each stream is a loop over a repeated body: first with all lanes on, then with every second one, then with small integers
//! in the lanes that are off. The loop's own three scalar instructions are not counted. The last column is the first one's ratio to
//! eight independent chains of `v_fma_f32`, which differs less from host to host. Arguments select streams by substring. With
//! `NATIVE=4` in the environment, runs of at least 4 lane-wise instructions are host code.

use std::time::Instant;

use gfx::{Matrix, Target};
use numerics::convert::{Fp8, bf16_from_f32, f16_from_f32_nearest};
use wave::{Config, Counts, Env, Host, Memory, Program, Stop, Wave, run};

#[allow(dead_code, reason = "tests use more of it")]
#[path = "../tests/harness/mod.rs"]
mod harness;

use harness::Everything;

struct Silent;

impl Host for Silent {
    fn send_message(&self, _: u32, _: u32) {}
    fn real_time(&self, _target: &Target, _elapsed: u64) -> u64 {
        0
    }
    fn core_time(&self, _target: &Target, _elapsed: u64) -> u64 {
        0
    }
}

const ROWS: usize = 56;
/// VCC among the scalar registers.
const VCC: usize = 106;
/// Instructions per loop turn, about.
const BODY: usize = 96;
/// Seconds of a run that a busy machine lets alone.
const SHORT: f64 = 0.0003;
/// Lanes that are on, and what the vector registers of the others hold instead of the values below, one column each. Small
/// integers, as floats, are denormals.
const COLUMNS: [(u64, Option<u32>); 3] = [
    (!0, None),
    (0x5555_5555_5555_5555, None),
    (0x5555_5555_5555_5555, Some(7)),
];

/// Name and repeated text. `{}` stands for the registers v32 to v39 in turn, which makes eight independent chains of a line.
///
/// v1 and v2 hold singles, v[16:17] and v[18:19] doubles, v20 to v23 pairs of halves, v24 and v25 integers; all are of ordinary size.
#[rustfmt::skip]
const STREAMS: &[(&str, &str)] = &[
    ("fma dependent, vector sources",  "v_fma_f32 v0, v0, v1, v2"),
    ("fma dependent, scalar source",   "v_fma_f32 v0, v0, s4, v2"),
    ("fmac dependent",                 "v_fmac_f32_e32 v0, v1, v2"),
    ("fma 8 chains",                   "v_fma_f32 {}, {}, v1, v2"),
    ("add, mul",                       "v_add_f32_e32 v8, v8, v1\nv_mul_f32_e32 v9, v1, v2"),
    ("max, min",                       "v_max_f32_e32 v8, v8, v1\nv_min_f32_e32 v9, v9, v1"),
    ("ldexp f32",                      "v_ldexp_f32 v8, v1, v24"),
    ("max3, med3 f32",                 "v_max3_f32 v8, v8, v1, v2\nv_med3_f32 v9, v9, v1, v2"),
    ("rndne, floor, fract",            "v_rndne_f32_e32 v8, v1\nv_floor_f32_e32 v9, v1\nv_fract_f32_e32 v10, v1"),
    ("ldexp, frexp",                   "v_ldexp_f32 v8, v1, v24\nv_frexp_mant_f32_e32 v9, v1\nv_frexp_exp_i32_f32_e32 v10, v1"),
    ("negated source",                 "v_fma_f32 v0, -v0, v1, v2"),
    ("absolute source, clamp",         "v_add_f32_e64 v8, |v1|, v2 clamp"),
    ("integer and logic",              "v_add_u32_e32 v3, v3, v4\nv_xor_b32_e32 v4, v3, v5\nv_and_b32_e32 v5, v3, v6\nv_lshlrev_b32_e32 v6, 3, v4\nv_or_b32_e32 v5, v5, v6\nv_sub_u32_e32 v3, v4, v5\nv_max_u32_e32 v6, v3, v4\nv_lshl_add_u32 v4, v5, 2, v3"),
    ("bit counts",                     "v_bcnt_u32_b32 v3, v24, v3\nv_ffbh_u32_e32 v4, v24\nv_bfrev_b32_e32 v5, v24"),
    ("mbcnt",                          "v_mbcnt_lo_u32_b32 v3, s4, v3\nv_mbcnt_hi_u32_b32 v3, s5, v3"),
    ("sad, perm",                      "v_sad_u8 v3, v24, v25, v3\nv_perm_b32 v4, v24, v25, v2"),
    ("compare and select",             "v_cmp_lt_i32_e32 vcc, v3, v4\nv_cndmask_b32_e32 v5, v6, v5, vcc"),
    ("compare i32",                    "v_cmp_lt_i32_e32 vcc, v3, v4"),
    ("compare f32",                    "v_cmp_lt_f32_e32 vcc, v1, v2"),
    ("compare f32, scalar source",     "v_cmp_lt_f32_e32 vcc, s4, v2"),
    ("compare i64",                    "v_cmp_lt_i64_e32 vcc, v[16:17], v[18:19]"),
    ("compare f64",                    "v_cmp_lt_f64_e32 vcc, v[16:17], v[18:19]"),
    ("compare f16",                    "v_cmp_lt_f16_e32 vcc, v20, v21"),
    ("compare u16",                    "v_cmp_lt_u16_e32 vcc, v20, v21"),
    ("compare class f32",              "v_cmp_class_f32_e64 vcc, v1, 0x3"),
    ("compare and write EXEC",         "v_cmpx_ne_u32_e32 vcc, v3, v24"),
    ("select alone",                   "v_cndmask_b32_e32 v5, v6, v5, vcc"),
    ("carry chain",                    "v_add_co_u32_e32 v3, vcc, v3, v4\nv_addc_co_u32_e32 v5, vcc, v5, v6, vcc"),
    ("mad_u64_u32",                    "v_mad_u64_u32 v[8:9], s[4:5], v3, v4, v[8:9]"),
    ("lshlrev_b64",                    "v_lshlrev_b64 v[8:9], 2, v[8:9]"),
    ("mul_lo_u32, mul_hi_u32",         "v_mul_lo_u32 v3, v3, v4\nv_mul_hi_u32 v5, v3, v4"),
    ("pk_fma_f32",                     "v_pk_fma_f32 v[8:9], v[8:9], v[10:11], v[12:13]"),
    ("pk_mov_b32",                     "v_pk_mov_b32 v[8:9], v[10:11], v[12:13] op_sel:[1,0]"),
    ("fma_f64",                        "v_fma_f64 v[8:9], v[8:9], v[16:17], v[18:19]"),
    ("add, mul f64",                   "v_add_f64 v[8:9], v[16:17], v[18:19]\nv_mul_f64 v[10:11], v[16:17], v[18:19]"),
    ("max, min f64",                   "v_max_f64 v[8:9], v[16:17], v[18:19]\nv_min_f64 v[10:11], v[16:17], v[18:19]"),
    ("rndne, floor f64",               "v_rndne_f64_e32 v[8:9], v[16:17]\nv_floor_f64_e32 v[10:11], v[16:17]"),
    ("ldexp f64",                      "v_ldexp_f64 v[8:9], v[16:17], v24"),
    ("rcp, rsq, sqrt f64",             "v_rcp_f64_e32 v[8:9], v[16:17]\nv_rsq_f64_e32 v[10:11], v[16:17]\nv_sqrt_f64_e32 v[12:13], v[16:17]"),
    ("division f64",                   "v_div_scale_f64 v[8:9], s[4:5], v[16:17], v[16:17], v[18:19]\nv_div_fmas_f64 v[10:11], v[16:17], v[18:19], v[16:17]\nv_div_fixup_f64 v[12:13], v[10:11], v[16:17], v[18:19]"),
    ("fma_f16",                        "v_fma_f16 v20, v20, v21, v22"),
    ("add, mul f16",                   "v_add_f16_e32 v8, v20, v21\nv_mul_f16_e32 v9, v20, v21"),
    ("pk_fma_f16",                     "v_pk_fma_f16 v20, v20, v21, v22"),
    ("pk_add, pk_mul f16",             "v_pk_add_f16 v8, v20, v21\nv_pk_mul_f16 v9, v20, v21"),
    ("pk_max, pk_min f16",             "v_pk_max_f16 v8, v20, v21\nv_pk_min_f16 v9, v20, v21"),
    ("fma_mix_f32",                    "v_fma_mix_f32 v8, v20, v21, v2 op_sel_hi:[1,1,0]"),
    ("fma_mixlo_f16",                  "v_fma_mixlo_f16 v8, v20, v21, v2 op_sel_hi:[1,1,0]"),
    ("dot2_f32_f16",                   "v_dot2_f32_f16 v8, v20, v21, v2"),
    ("dot4_i32_i8",                    "v_dot4_i32_i8 v8, v24, v25, v8"),
    ("pk_add, pk_mul_lo u16",          "v_pk_add_u16 v8, v24, v25\nv_pk_mul_lo_u16 v9, v24, v25"),
    ("add, lshl, mad u16",             "v_add_u16_e32 v8, v24, v25\nv_lshlrev_b16_e32 v9, 3, v24\nv_mad_legacy_u16 v10, v24, v25, v8"),
    ("rcp_f32",                        "v_rcp_f32_e32 v3, v1"),
    ("rsq_f32",                        "v_rsq_f32_e32 v3, v1"),
    ("sqrt_f32",                       "v_sqrt_f32_e32 v3, v1"),
    ("exp_f32",                        "v_exp_f32_e32 v3, v1"),
    ("log_f32",                        "v_log_f32_e32 v3, v1"),
    ("sin_f32, cos_f32",               "v_sin_f32_e32 v3, v1\nv_cos_f32_e32 v3, v1"),
    ("rcp, rsq, sqrt f16",             "v_rcp_f16_e32 v8, v20\nv_rsq_f16_e32 v9, v20\nv_sqrt_f16_e32 v10, v20"),
    ("exp, log f16",                   "v_exp_f16_e32 v8, v20\nv_log_f16_e32 v9, v20"),
    ("division f32",                   "v_div_scale_f32 v3, s[4:5], v2, v2, v1\nv_div_fmas_f32 v4, v1, v2, v1\nv_div_fixup_f32 v5, v4, v2, v1"),
    ("cvt f32 to i32 and back",        "v_cvt_i32_f32_e32 v3, v1\nv_cvt_f32_i32_e32 v4, v3"),
    ("cvt f32 to u32 and back",        "v_cvt_u32_f32_e32 v3, v1\nv_cvt_f32_u32_e32 v4, v3"),
    ("cvt f32 of a byte",              "v_cvt_f32_ubyte1_e32 v3, v24"),
    ("cvt f32 to f16",                 "v_cvt_f16_f32_e32 v3, v1"),
    ("cvt f16 to f32",                 "v_cvt_f32_f16_e32 v3, v20"),
    ("cvt pkrtz f16",                  "v_cvt_pkrtz_f16_f32 v3, v1, v2"),
    ("cvt f32 to f64",                 "v_cvt_f64_f32_e32 v[8:9], v1"),
    ("cvt f64 to f32",                 "v_cvt_f32_f64_e32 v4, v[16:17]"),
    ("cvt f64 to i32 and back",        "v_cvt_i32_f64_e32 v3, v[16:17]\nv_cvt_f64_i32_e32 v[8:9], v24"),
    ("cvt f64 to u32 and back",        "v_cvt_u32_f64_e32 v3, v[16:17]\nv_cvt_f64_u32_e32 v[8:9], v24"),
    ("DPP mov, row_shr",               "v_mov_b32_dpp v3, v4 row_shr:1 row_mask:0xf bank_mask:0xf"),
    ("DPP add, row_shr",               "v_add_f32_dpp v3, v3, v1 row_shr:1 row_mask:0xf bank_mask:0xf"),
    ("DPP add, row_shr, bound_ctrl",   "v_add_f32_dpp v3, v3, v1 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0"),
    ("DPP add 8 chains, row_shr",      "v_add_f32_dpp {}, {}, v1 row_shr:1 row_mask:0xf bank_mask:0xf"),
    ("DPP add 8 chains, bound_ctrl",   "v_add_f32_dpp {}, {}, v1 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0"),
    ("DPP add, quad_perm",             "v_add_f32_dpp v3, v3, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf"),
    ("DPP add, row_bcast",             "v_add_f32_dpp v3, v3, v1 row_bcast:15 row_mask:0xa bank_mask:0xf"),
    ("SDWA add",                       "v_add_u32_sdwa v3, v3, v4 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:DWORD"),
    ("mov",                            "v_mov_b32_e32 v3, v4"),
    ("mov, scalar source",             "v_mov_b32_e32 v3, s4"),
    ("mov, constant",                  "v_mov_b32_e32 v3, 7"),
    ("swap",                           "v_swap_b32 v3, v4"),
    ("readlane, writelane",            "v_readlane_b32 s8, v3, 5\nv_writelane_b32 v3, s8, 7"),
    ("readfirstlane",                  "v_readfirstlane_b32 s8, v3"),
    ("accvgpr",                        "v_accvgpr_write_b32 a0, v3\nv_accvgpr_read_b32 v4, a0"),
    ("MFMA f32 32x32x1",               "v_mfma_f32_32x32x1f32 a[0:31], v1, v2, a[0:31]"),
    ("MFMA f32 16x16x4",               "v_mfma_f32_16x16x4f32 a[0:3], v1, v2, a[0:3]"),
    ("MFMA f16 32x32x8",               "v_mfma_f32_32x32x8f16 a[0:15], v[20:21], v[22:23], a[0:15]"),
    ("MFMA bf16 32x32x8",              "v_mfma_f32_32x32x8bf16_1k a[0:15], v[20:21], v[22:23], a[0:15]"),
    ("MFMA i8 32x32x8",                "v_mfma_i32_32x32x8i8 a[0:15], v24, v25, a[0:15]"),
    ("MFMA f64 16x16x4",               "v_mfma_f64_16x16x4f64 a[0:7], v[16:17], v[18:19], a[0:7]"),
    ("cvt i32, u32 of f32 alone",      "v_cvt_i32_f32_e32 v3, v1\nv_cvt_u32_f32_e32 v4, v1"),
    ("scalar mix",                     "s_add_u32 s4, s4, s5\ns_lshl_b32 s6, s4, 3\ns_and_b64 s[8:9], s[4:5], s[6:7]\ns_cselect_b32 s5, s4, s6"),
    ("save and restore EXEC",          "s_and_saveexec_b64 s[8:9], s[10:11]\ns_or_b64 exec, exec, s[8:9]"),
];

/// The same for gfx942, which sums in another way. On this and gfx950 v[28:35] hold halves, v[36:39] bfloat16 values and v[40:47] eight-bit
/// floats that are normally distributed, as weights and activations are; v[48:51] hold bfloat16 values of all exponents up to one's,
/// and denormals in every fourth lane.
#[rustfmt::skip]
const STREAMS_OF_GFX942: &[(&str, &str)] = &[
    ("MFMA f16 32x32x8, gfx942",       "v_mfma_f32_32x32x8_f16 a[0:15], v[20:21], v[22:23], a[0:15]"),
    ("MFMA bf16 32x32x8, gfx942",      "v_mfma_f32_32x32x8_bf16 a[0:15], v[20:21], v[22:23], a[0:15]"),
    ("MFMA f16 32x32x8, gfx942, whole", "v_mfma_f32_32x32x8_f16 a[0:15], v[8:9], v[10:11], a[0:15]"),
    ("MFMA i8 32x32x16, gfx942",       "v_mfma_i32_32x32x16_i8 a[0:15], v[24:25], v[26:27], a[0:15]"),
    ("MFMA fp8 32x32x16, gfx942",      "v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[20:21], v[22:23], a[0:15]"),
    ("MFMA f16 32x32x8, gfx942, normal", "v_mfma_f32_32x32x8_f16 a[0:15], v[28:29], v[30:31], 0\nv_mfma_f32_32x32x8_f16 a[0:15], v[30:31], v[32:33], a[0:15]\nv_mfma_f32_32x32x8_f16 a[0:15], v[32:33], v[34:35], a[0:15]\nv_mfma_f32_32x32x8_f16 a[0:15], v[34:35], v[28:29], a[0:15]"),
    ("MFMA bf16 32x32x8, gfx942, normal", "v_mfma_f32_32x32x8_bf16 a[0:15], v[36:37], v[38:39], 0\nv_mfma_f32_32x32x8_bf16 a[0:15], v[38:39], v[36:37], a[0:15]"),
    ("MFMA bf16 32x32x8, gfx942, denormals", "v_mfma_f32_32x32x8_bf16 a[0:15], v[48:49], v[50:51], 0\nv_mfma_f32_32x32x8_bf16 a[0:15], v[36:37], v[48:49], 0"),
    ("MFMA fp8 32x32x16, gfx942, normal", "v_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[40:41], v[42:43], 0\nv_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[42:43], v[44:45], a[0:15]"),
];

/// The same for gfx950.
#[rustfmt::skip]
const STREAMS_OF_GFX950: &[(&str, &str)] = &[
    ("MFMA f16 16x16x32, gfx950",      "v_mfma_f32_16x16x32_f16 a[0:3], v[20:23], v[20:23], a[0:3]"),
    ("MFMA fp4 16x16x128, gfx950",     "v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[20:23], v[20:23], a[0:3] cbsz:4 blgp:4"),
    ("MFMA fp8 16x16x128, gfx950",     "v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[20:27], v[20:27], a[0:3]"),
    ("MFMA f16 16x16x32, gfx950, normal", "v_mfma_f32_16x16x32_f16 a[0:3], v[28:31], v[32:35], 0\nv_mfma_f32_16x16x32_f16 a[0:3], v[32:35], v[28:31], a[0:3]"),
    ("MFMA fp4 16x16x128, gfx950, normal", "v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[28:31], v[32:35], 0 cbsz:4 blgp:4"),
    ("MFMA fp6 16x16x128, gfx950, normal", "v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[28:33], v[30:35], 0 cbsz:2 blgp:2"),
    ("MFMA fp8 16x16x128, gfx950, normal", "v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[40:47], v[40:47], 0"),
];

/// The same for gfx1030.
#[rustfmt::skip]
const STREAMS_OF_GFX10: &[(&str, &str)] = &[
    ("permlane16, permlanex16",        "v_permlane16_b32 v3, v24, s4, s5\nv_permlanex16_b32 v3, v24, s4, s5"),
    ("DPP8 mov",                       "v_mov_b32_dpp v3, v4 dpp8:[1,0,3,2,5,4,7,6]"),
];

/// In wave32. A lies in v8 and up, B in v24; all elements are small floats or integers.
#[rustfmt::skip]
const STREAMS_OF_GFX12: &[(&str, &str)] = &[
    ("WMMA f32 16x16x16 f16",          "v_wmma_f32_16x16x16_f16 v[40:47], v[8:11], v[24:27], v[40:47]"),
    ("WMMA f32 16x16x16 bf16",         "v_wmma_f32_16x16x16_bf16 v[40:47], v[8:11], v[24:27], v[40:47]"),
    ("WMMA f16 16x16x16 f16",          "v_wmma_f16_16x16x16_f16 v[40:43], v[8:11], v[24:27], v[40:43]"),
    ("WMMA f32 16x16x16 fp8",          "v_wmma_f32_16x16x16_fp8_fp8 v[40:47], v[8:9], v[24:25], v[40:47]"),
    ("WMMA i32 16x16x16 iu8",          "v_wmma_i32_16x16x16_iu8 v[40:47], v[8:9], v[24:25], v[40:47]"),
    ("WMMA i32 16x16x32 iu4",          "v_wmma_i32_16x16x32_iu4 v[40:47], v[8:9], v[24:25], v[40:47]"),
    ("fma_f32 in wave32",              "v_fma_f32 v8, v8, v1, v2"),
    ("pk_fma_f16 in wave32",           "v_pk_fma_f16 v20, v20, v21, v22"),
    ("dot4_i32_iu8",                   "v_dot4_i32_iu8 v8, v24, v25, v8 neg_lo:[1,1,0]"),
    ("fma 8 chains in wave32",         "v_fma_f32 {}, {}, v1, v2"),
    ("add, mul in wave32",             "v_add_f32_e32 v8, v8, v1\nv_mul_f32_e32 v9, v1, v2"),
    ("integer and logic in wave32",    "v_add_nc_u32_e32 v3, v3, v4\nv_xor_b32_e32 v4, v3, v5\nv_and_b32_e32 v5, v3, v6\nv_lshlrev_b32_e32 v6, 3, v4"),
    ("compare and select in wave32",   "v_cmp_lt_i32_e32 vcc_lo, v3, v4\nv_cndmask_b32_e32 v5, v6, v5, vcc_lo"),
    ("dual fmac, mul",                 "v_dual_fmac_f32 v8, v1, v2 :: v_dual_mul_f32 v11, v12, v13"),
    ("DPP add, row_shr, in wave32",    "v_add_f32_dpp v3, v3, v1 row_shr:1 row_mask:0xf bank_mask:0xf"),
    ("dot2_f32_f16 in wave32",         "v_dot2_f32_f16 v8, v20, v21, v2"),
    ("SWMMAC f32 16x16x32 f16",        "v_swmmac_f32_16x16x32_f16 v[40:47], v[8:11], v[24:31], v24"),
];

fn main() {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let tables = [
        ("gfx90a", 64, STREAMS),
        ("gfx942", 64, STREAMS_OF_GFX942),
        ("gfx950", 64, STREAMS_OF_GFX950),
        ("gfx1030", 64, STREAMS_OF_GFX10),
        ("gfx1201", 32, STREAMS_OF_GFX12),
    ];
    runs(&wanted);
    let fma = measure("gfx90a", 64, COLUMNS[0], "v_fma_f32 {}, {}, v1, v2");
    for (target, wave_size, streams) in tables {
        for (name, text) in streams {
            if wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str())) {
                let [all, half, integers] =
                    COLUMNS.map(|column| measure(target, wave_size, column, text));
                let ratio = all / fma;
                println!("{name:36} {all:9.2} {half:9.2} {integers:9.2} M/s {ratio:8.3}");
            }
        }
    }
}

/// Nanoseconds of a short run of `text` between two scalar instructions, without these, in waves of 64 and of 32 lanes.
fn runs(wanted: &[String]) {
    const SCALAR: &str = "s_add_u32 s21, s21, 1";
    for (name, text) in RUNS {
        if !wanted.is_empty() && !wanted.iter().any(|part| name.contains(part.as_str())) {
            continue;
        }
        for length in [1, 2, 4, 8, 16] {
            let lines = text.lines().cycle().take(length).collect::<Vec<_>>();
            let times = [("gfx90a", 64), ("gfx1030", 32)].map(|(target, wave_size)| {
                let masks = if wave_size == 64 { "vcc" } else { "vcc_lo" };
                let add = if wave_size == 64 {
                    "v_add_u32"
                } else {
                    "v_add_nc_u32"
                };
                let lines = lines
                    .join("\n")
                    .replace("MASK", masks)
                    .replace("v_add_u32", add);
                let nanoseconds = |text: &str, per_turn: usize| {
                    1e3 * per_turn as f64 / measure(target, wave_size, COLUMNS[0], text)
                };
                let whole = nanoseconds(&format!("{lines}\n{SCALAR}"), length + 1);
                whole - nanoseconds(SCALAR, 1)
            });
            println!("{name:24} {length:2} {:8.2} {:8.2} ns", times[0], times[1]);
        }
    }
}

/// Instructions of which runs are, with their sort in front.
const RUNS: &[(&str, &str)] = &[
    (
        "run of words",
        "v_add_u32_e32 v3, v3, v24\nv_xor_b32_e32 v4, v25, v24\nv_mul_f32_e32 v5, v1, v2\nv_lshlrev_b32_e32 v6, 3, v24",
    ),
    (
        "run of masks",
        "v_cmp_lt_i32_e32 MASK, v24, v25\nv_cndmask_b32_e32 v5, v6, v7, MASK",
    ),
    (
        "run of loads",
        "ds_read_b32 v8, v26\nds_read_b32 v9, v26 offset:256",
    ),
    (
        "run of loads and words",
        "ds_read_b32 v8, v26\nv_fma_f32 v9, v8, v1, v2\nv_fma_f32 v10, v8, v2, v1",
    ),
];

/// v[28:51] as above [`STREAMS_OF_GFX942`].
fn set_normal(wave: &mut Wave, target: &Target) {
    let mut state = 1u64;
    let mut uniform = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 40) as f32 / 16_777_216.0
    };
    // Twelve uniform numbers have a variance of one.
    let mut normal = || (0..12).map(|_| uniform()).sum::<f32>() - 6.0;
    let eight = match target.matrix {
        Matrix::Mfma3 => Fp8::E4m3Fnuz,
        _ => Fp8::E4m3,
    };
    for row in 28..52 {
        for lane in 0..64 {
            let mut next = || normal().to_bits();
            let word = match row {
                28..36 => (0..2).fold(0, |word, _| {
                    word << 16 | u32::from(f16_from_f32_nearest(next()))
                }),
                36..40 => (0..2).fold(0, |word, _| word << 16 | u32::from(bf16_from_f32(next()))),
                40..48 => (0..4).fold(0, |word, _| {
                    word << 8 | u32::from(eight.from_f32(next(), true))
                }),
                _ => {
                    let field = (row + 3 * lane) as u32 % 128 * u32::from(lane % 4 != 0);
                    (field * 0x0080_0080) | 0x0055_8031
                }
            };
            wave.set_vgpr(row, lane, word);
        }
    }
}

fn measure(target: &str, wave_size: u32, (exec, off): (u64, Option<u32>), text: &str) -> f64 {
    let target = Target::find(target).expect("target");
    let text = if text.contains("{}") {
        let chains: Vec<String> = (32..40)
            .map(|row| text.replace("{}", &format!("v{row}")))
            .collect();
        chains.join("\n")
    } else {
        text.to_owned()
    };
    let per_text = text.lines().count();
    let repeats = BODY.div_ceil(per_text);
    let body = format!("{text}\n").repeat(repeats);
    let code = isa::Assembler::new(target)
        .map(|assembler| {
            assembler.assemble(&format!(
                "loop:\n{body}s_sub_u32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 loop\ns_endpgm"
            ))
        })
        .expect("assembler")
        .expect("text");
    let config = Config {
        agpr_base: ROWS as u32,
        native: std::env::var("NATIVE")
            .ok()
            .and_then(|least| least.parse().ok())
            .map(wave::HostCode::at_once),
        ..harness::plain(target, wave_size, 2 * ROWS)
    };
    let program = Program::new(config, isa::Decoder::new(target).expect("decoder"));
    let mut memory = Memory::new(&Everything);
    let segment = program
        .segment(&mut memory, code.as_ptr().expose_provenance() as u64)
        .expect("code");
    let mut wave = Wave::new(segment.clone(), 2 * ROWS, wave_size, 0x3f0);
    wave.lds_bytes = 1024;
    let mut env = Env {
        memory,
        lds: vec![0; 1024],
        barrier: Default::default(),
        races: None,
        shadow: None,
        program: &program,
        host: &Silent,
        counts: Counts::new(),
        watch: None,
    };
    // Short runs, many of them: the best one is undisturbed even on a busy machine.
    let mut turns = 250u32;
    let mut best = f64::MAX;
    for round in 0..80 {
        wave.restart(&segment, 0x3f0, &[]);
        wave.fill(|| 0x3f80_0000);
        for lane in 0..64 {
            wave.set_vgpr(1, lane, (0.5 + lane as f32 / 1000.0).to_bits());
            wave.set_vgpr(2, lane, 1.25f32.to_bits());
            for (row, double) in [(16, 1.5 + lane as f64 / 1000.0), (18, 0.75)] {
                wave.set_vgpr(row, lane, double.to_bits() as u32);
                wave.set_vgpr(row + 1, lane, (double.to_bits() >> 32) as u32);
            }
            for (row, halves) in [0x3800_3900, 0x3a00_3700, 0x3000_3400, 0x3b00_3500]
                .into_iter()
                .enumerate()
            {
                wave.set_vgpr(20 + row, lane, halves + lane as u32);
            }
            wave.set_vgpr(24, lane, lane as u32);
            wave.set_vgpr(25, lane, 0x0102_0304);
            wave.set_vgpr(26, lane, 4 * lane as u32);
        }
        if matches!(target.matrix, Matrix::Mfma3 | Matrix::Mfma4) {
            set_normal(&mut wave, target);
        }
        if let Some(value) = off {
            for lane in (0..64).filter(|lane| exec >> lane & 1 == 0) {
                (0..2 * ROWS).for_each(|row| wave.set_vgpr(row, lane, value));
            }
        }
        // The operands that division finds where no lane has to be scaled.
        wave.set_sgpr(VCC, 0);
        wave.set_sgpr(VCC + 1, 0);
        wave.set_sgpr(4, 0.75f32.to_bits());
        wave.set_sgpr(20, turns);
        wave.set_exec(exec);
        let start = Instant::now();
        // A loop of loads alone is taken for one that waits.
        let mut stop = Stop::Sleep;
        while stop == Stop::Sleep {
            stop = run(&mut wave, &mut env, u32::MAX);
        }
        assert_eq!(stop, Stop::End);
        let time = start.elapsed().as_secs_f64();
        if round == 0 {
            // Slow instructions, too, are measured between two interruptions.
            turns = ((f64::from(turns) * SHORT / time) as u32).clamp(2, turns);
            continue;
        }
        best = best.min(time);
    }
    f64::from(turns) * (per_text * repeats) as f64 / best / 1e6
}
