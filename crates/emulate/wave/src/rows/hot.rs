//! The rows that have bodies of their own for uniform sources, because compiled code spends most of its time in them.
//!
//! Other rows reach their body with such sources copied to a temporary row first, which costs about as much as the row.

#[rustfmt::skip]
const HOT: &[&str] = &[
    "v_mov_b32", "v_not_b32",
    "v_and_b32", "v_or_b32", "v_xor_b32", "v_and_or_b32", "v_or3_b32", "v_lshl_or_b32", "v_bfe_u32", "v_bfe_i32", "v_bfi_b32",
    "v_alignbit_b32", "v_perm_b32",
    "v_lshlrev_b32", "v_lshrrev_b32", "v_ashrrev_i32", "v_lshlrev_b64", "v_lshrrev_b64", "v_ashrrev_i64",
    "v_add_u32", "v_sub_u32", "v_subrev_u32", "v_add_nc_u32", "v_sub_nc_u32", "v_subrev_nc_u32", "v_add3_u32",
    "v_lshl_add_u32", "v_add_lshl_u32", "v_xad_u32",
    "v_add_co_u32", "v_sub_co_u32", "v_subrev_co_u32", "v_addc_co_u32", "v_subb_co_u32", "v_subbrev_co_u32", "v_add_co_ci_u32",
    "v_mul_lo_u32", "v_mul_hi_u32", "v_mul_u32_u24", "v_mul_i32_i24", "v_mad_u32_u24", "v_mad_u64_u32", "v_mul_hi_i32",
    "v_min_u32", "v_max_u32", "v_min_i32", "v_max_i32",
    "v_add_f32", "v_sub_f32", "v_subrev_f32", "v_mul_f32", "v_fma_f32", "v_fmac_f32", "v_fmamk_f32", "v_fmaak_f32",
    "v_min_f32", "v_max_f32", "v_cvt_f32_i32", "v_cvt_f32_u32",
    "v_add_f64", "v_mul_f64", "v_fma_f64", "v_fmac_f64",
];

/// Those that are not hot but do so much for a lane that copies for 512 bits pay; copies for uniform sources would not.
#[rustfmt::skip]
const WIDE: &[&str] = &[
    "v_rcp_f32", "v_rcp_iflag_f32", "v_rsq_f32", "v_sqrt_f32", "v_exp_f32", "v_log_f32",
    "v_rcp_f16", "v_rsq_f16", "v_sqrt_f16", "v_exp_f16", "v_log_f16", "v_rcp_f64", "v_rsq_f64", "v_sqrt_f64",
    "v_div_scale_f32", "v_div_scale_f64", "v_div_fixup_f32", "v_div_fixup_f64", "v_ldexp_f32", "v_ldexp_f64",
    "v_add_f16", "v_mul_f16", "v_fma_f16", "v_fmac_f16", "v_pk_add_f16", "v_pk_mul_f16", "v_pk_fma_f16",
    "v_pk_min_f16", "v_pk_max_f16", "v_fma_mix_f32", "v_fma_mixlo_f16", "v_fma_mixhi_f16", "v_dot2_f32_f16",
    "v_cvt_pkrtz_f16_f32", "v_cvt_i32_f32", "v_cvt_u32_f32", "v_cvt_f64_f32", "v_cvt_f32_f64", "v_cvt_i32_f64", "v_cvt_u32_f64",
    "v_cvt_f64_i32", "v_cvt_f64_u32", "v_cvt_f16_f32", "v_cvt_f32_f16",
    "v_dot2c_f32_f16", "v_dot2_i32_i16", "v_dot2c_i32_i16", "v_dot4_i32_i8", "v_dot4c_i32_i8", "v_dot4_u32_u8",
];

/// Those that hosts with half-precision arithmetic do without conversions.
#[rustfmt::skip]
const NATIVE: &[&str] = &[
    "v_add_f16", "v_sub_f16", "v_subrev_f16", "v_mul_f16", "v_fma_f16", "v_fmac_f16", "v_min_f16", "v_max_f16",
    "v_min_num_f16", "v_max_num_f16",
    "v_pk_add_f16", "v_pk_mul_f16", "v_pk_fma_f16", "v_pk_fmac_f16", "v_pk_min_f16", "v_pk_max_f16",
    "v_pk_min_num_f16", "v_pk_max_num_f16",
];

/// Those in which a denormal takes the host so long that lanes that are off get zeros first. For others that costs more than it
/// saves (on a Xeon, with half the lanes on and integers in the rest: fma_mix 4 to 10, rcp_f64 2 to 13, but rcp_f32 56 to 24 M/s).
#[rustfmt::skip]
const ZEROED: &[&str] = &[
    "v_rcp_f64", "v_rsq_f64", "v_sqrt_f64", "v_ldexp_f64", "v_fma_mix_f32", "v_fma_mixlo_f16", "v_fma_mixhi_f16",
];

/// Whether `mnemonic` is hot; evaluated at compile time, as are the next three.
pub(super) const fn is_hot(mnemonic: &str) -> bool {
    contains(HOT, mnemonic)
}

pub(super) const fn is_zeroed(mnemonic: &str) -> bool {
    contains(ZEROED, mnemonic)
}

pub(super) const fn is_native(mnemonic: &str) -> bool {
    contains(NATIVE, mnemonic)
}

pub(super) const fn is_wide(mnemonic: &str) -> bool {
    contains(WIDE, mnemonic)
}

const fn contains(list: &[&str], mnemonic: &str) -> bool {
    let mut index = 0;
    while index < list.len() {
        if equal(list[index].as_bytes(), mnemonic.as_bytes()) {
            return true;
        }
        index += 1;
    }
    false
}

const fn equal(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut index = 0;
    while index < a.len() {
        if a[index] != b[index] {
            return false;
        }
        index += 1;
    }
    true
}
