//! Instructions that got another name on a later family and kept their meaning.
//!
//! [`first_name`] gives the name that an instruction had on the first family that has it. Tables with facts by mnemonic
//! use that name alone. An instruction whose operands or meaning changed with its name is another instruction and not
//! in these tables.

use std::{collections::HashMap, sync::OnceLock};

use crate::intern::intern;

/// First name and the names since, without what stands in front of them in each of [`MEMORY_PREFIXES`].
#[rustfmt::skip]
const MEMORY: &[(&str, &[&str])] = &[
    ("load_ubyte",          &["load_u8"]),
    ("load_sbyte",          &["load_i8"]),
    ("load_ushort",         &["load_u16"]),
    ("load_sshort",         &["load_i16"]),
    ("load_dword",          &["load_b32"]),
    ("load_dwordx2",        &["load_b64"]),
    ("load_dwordx3",        &["load_b96"]),
    ("load_dwordx4",        &["load_b128"]),
    ("load_ubyte_d16",      &["load_d16_u8"]),
    ("load_ubyte_d16_hi",   &["load_d16_hi_u8"]),
    ("load_sbyte_d16",      &["load_d16_i8"]),
    ("load_sbyte_d16_hi",   &["load_d16_hi_i8"]),
    ("load_short_d16",      &["load_d16_b16"]),
    ("load_short_d16_hi",   &["load_d16_hi_b16"]),
    ("load_dword_addtid",   &["load_addtid_b32"]),
    ("store_byte",          &["store_b8"]),
    ("store_byte_d16_hi",   &["store_d16_hi_b8"]),
    ("store_short",         &["store_b16"]),
    ("store_short_d16_hi",  &["store_d16_hi_b16"]),
    ("store_dword",         &["store_b32"]),
    ("store_dwordx2",       &["store_b64"]),
    ("store_dwordx3",       &["store_b96"]),
    ("store_dwordx4",       &["store_b128"]),
    ("store_dword_addtid",  &["store_addtid_b32"]),
    ("atomic_swap",         &["atomic_swap_b32"]),
    ("atomic_swap_x2",      &["atomic_swap_b64"]),
    ("atomic_cmpswap",      &["atomic_cmpswap_b32"]),
    ("atomic_cmpswap_x2",   &["atomic_cmpswap_b64"]),
    ("atomic_add",          &["atomic_add_u32"]),
    ("atomic_add_x2",       &["atomic_add_u64"]),
    ("atomic_sub",          &["atomic_sub_u32"]),
    ("atomic_sub_x2",       &["atomic_sub_u64"]),
    ("atomic_csub",         &["atomic_csub_u32"]),
    ("atomic_smin",         &["atomic_min_i32"]),
    ("atomic_smin_x2",      &["atomic_min_i64"]),
    ("atomic_umin",         &["atomic_min_u32"]),
    ("atomic_umin_x2",      &["atomic_min_u64"]),
    ("atomic_smax",         &["atomic_max_i32"]),
    ("atomic_smax_x2",      &["atomic_max_i64"]),
    ("atomic_umax",         &["atomic_max_u32"]),
    ("atomic_umax_x2",      &["atomic_max_u64"]),
    ("atomic_and",          &["atomic_and_b32"]),
    ("atomic_and_x2",       &["atomic_and_b64"]),
    ("atomic_or",           &["atomic_or_b32"]),
    ("atomic_or_x2",        &["atomic_or_b64"]),
    ("atomic_xor",          &["atomic_xor_b32"]),
    ("atomic_xor_x2",       &["atomic_xor_b64"]),
    ("atomic_inc",          &["atomic_inc_u32"]),
    ("atomic_inc_x2",       &["atomic_inc_u64"]),
    ("atomic_dec",          &["atomic_dec_u32"]),
    ("atomic_dec_x2",       &["atomic_dec_u64"]),
    ("atomic_fcmpswap",     &["atomic_cmpswap_f32"]),
    ("atomic_fmin",         &["atomic_min_f32"]),
    ("atomic_fmax",         &["atomic_max_f32"]),
];

const MEMORY_PREFIXES: &[&str] = &["buffer_", "flat_", "global_", "scratch_"];

/// First name and the names since.
#[rustfmt::skip]
const OTHERS: &[(&str, &[&str])] = &[
    // Typed buffers.
    ("buffer_load_format_d16_x",        &["buffer_load_d16_format_x"]),
    ("buffer_load_format_d16_xy",       &["buffer_load_d16_format_xy"]),
    ("buffer_load_format_d16_xyz",      &["buffer_load_d16_format_xyz"]),
    ("buffer_load_format_d16_xyzw",     &["buffer_load_d16_format_xyzw"]),
    ("buffer_load_format_d16_hi_x",     &["buffer_load_d16_hi_format_x"]),
    ("buffer_store_format_d16_x",       &["buffer_store_d16_format_x"]),
    ("buffer_store_format_d16_xy",      &["buffer_store_d16_format_xy"]),
    ("buffer_store_format_d16_xyz",     &["buffer_store_d16_format_xyz"]),
    ("buffer_store_format_d16_xyzw",    &["buffer_store_d16_format_xyzw"]),
    ("buffer_store_format_d16_hi_x",    &["buffer_store_d16_hi_format_x"]),
    ("tbuffer_load_format_d16_x",       &["tbuffer_load_d16_format_x"]),
    ("tbuffer_load_format_d16_xy",      &["tbuffer_load_d16_format_xy"]),
    ("tbuffer_load_format_d16_xyz",     &["tbuffer_load_d16_format_xyz"]),
    ("tbuffer_load_format_d16_xyzw",    &["tbuffer_load_d16_format_xyzw"]),
    ("tbuffer_store_format_d16_x",      &["tbuffer_store_d16_format_x"]),
    ("tbuffer_store_format_d16_xy",     &["tbuffer_store_d16_format_xy"]),
    ("tbuffer_store_format_d16_xyz",    &["tbuffer_store_d16_format_xyz"]),
    ("tbuffer_store_format_d16_xyzw",   &["tbuffer_store_d16_format_xyzw"]),
    // Scalar memory.
    ("s_load_dword",                    &["s_load_b32"]),
    ("s_load_dwordx2",                  &["s_load_b64"]),
    ("s_load_dwordx4",                  &["s_load_b128"]),
    ("s_load_dwordx8",                  &["s_load_b256"]),
    ("s_load_dwordx16",                 &["s_load_b512"]),
    ("s_buffer_load_dword",             &["s_buffer_load_b32"]),
    ("s_buffer_load_dwordx2",           &["s_buffer_load_b64"]),
    ("s_buffer_load_dwordx4",           &["s_buffer_load_b128"]),
    ("s_buffer_load_dwordx8",           &["s_buffer_load_b256"]),
    ("s_buffer_load_dwordx16",          &["s_buffer_load_b512"]),
    // Local data share.
    ("ds_read_b32",                     &["ds_load_b32"]),
    ("ds_read_b64",                     &["ds_load_b64"]),
    ("ds_read_b96",                     &["ds_load_b96"]),
    ("ds_read_b128",                    &["ds_load_b128"]),
    ("ds_read2_b32",                    &["ds_load_2addr_b32"]),
    ("ds_read2_b64",                    &["ds_load_2addr_b64"]),
    ("ds_read2st64_b32",                &["ds_load_2addr_stride64_b32"]),
    ("ds_read2st64_b64",                &["ds_load_2addr_stride64_b64"]),
    ("ds_read_u8",                      &["ds_load_u8"]),
    ("ds_read_i8",                      &["ds_load_i8"]),
    ("ds_read_u16",                     &["ds_load_u16"]),
    ("ds_read_i16",                     &["ds_load_i16"]),
    ("ds_read_u8_d16",                  &["ds_load_u8_d16"]),
    ("ds_read_u8_d16_hi",               &["ds_load_u8_d16_hi"]),
    ("ds_read_i8_d16",                  &["ds_load_i8_d16"]),
    ("ds_read_i8_d16_hi",               &["ds_load_i8_d16_hi"]),
    ("ds_read_u16_d16",                 &["ds_load_u16_d16"]),
    ("ds_read_u16_d16_hi",              &["ds_load_u16_d16_hi"]),
    ("ds_read_addtid_b32",              &["ds_load_addtid_b32"]),
    ("ds_write_b8",                     &["ds_store_b8"]),
    ("ds_write_b16",                    &["ds_store_b16"]),
    ("ds_write_b32",                    &["ds_store_b32"]),
    ("ds_write_b64",                    &["ds_store_b64"]),
    ("ds_write_b96",                    &["ds_store_b96"]),
    ("ds_write_b128",                   &["ds_store_b128"]),
    ("ds_write_b8_d16_hi",              &["ds_store_b8_d16_hi"]),
    ("ds_write_b16_d16_hi",             &["ds_store_b16_d16_hi"]),
    ("ds_write2_b32",                   &["ds_store_2addr_b32"]),
    ("ds_write2_b64",                   &["ds_store_2addr_b64"]),
    ("ds_write2st64_b32",               &["ds_store_2addr_stride64_b32"]),
    ("ds_write2st64_b64",               &["ds_store_2addr_stride64_b64"]),
    ("ds_write_addtid_b32",             &["ds_store_addtid_b32"]),
    ("ds_wrxchg_rtn_b32",               &["ds_storexchg_rtn_b32"]),
    ("ds_wrxchg_rtn_b64",               &["ds_storexchg_rtn_b64"]),
    ("ds_wrxchg2_rtn_b32",              &["ds_storexchg_2addr_rtn_b32"]),
    ("ds_wrxchg2_rtn_b64",              &["ds_storexchg_2addr_rtn_b64"]),
    ("ds_wrxchg2st64_rtn_b32",          &["ds_storexchg_2addr_stride64_rtn_b32"]),
    ("ds_wrxchg2st64_rtn_b64",          &["ds_storexchg_2addr_stride64_rtn_b64"]),
    // Scalar unit.
    ("s_andn2_b32",                     &["s_and_not1_b32"]),
    ("s_andn2_b64",                     &["s_and_not1_b64"]),
    ("s_orn2_b32",                      &["s_or_not1_b32"]),
    ("s_orn2_b64",                      &["s_or_not1_b64"]),
    ("s_andn1_saveexec_b32",            &["s_and_not0_saveexec_b32"]),
    ("s_andn1_saveexec_b64",            &["s_and_not0_saveexec_b64"]),
    ("s_andn2_saveexec_b32",            &["s_and_not1_saveexec_b32"]),
    ("s_andn2_saveexec_b64",            &["s_and_not1_saveexec_b64"]),
    ("s_orn1_saveexec_b32",             &["s_or_not0_saveexec_b32"]),
    ("s_orn1_saveexec_b64",             &["s_or_not0_saveexec_b64"]),
    ("s_orn2_saveexec_b32",             &["s_or_not1_saveexec_b32"]),
    ("s_orn2_saveexec_b64",             &["s_or_not1_saveexec_b64"]),
    ("s_andn1_wrexec_b32",              &["s_and_not0_wrexec_b32"]),
    ("s_andn1_wrexec_b64",              &["s_and_not0_wrexec_b64"]),
    ("s_andn2_wrexec_b32",              &["s_and_not1_wrexec_b32"]),
    ("s_andn2_wrexec_b64",              &["s_and_not1_wrexec_b64"]),
    ("s_ff1_i32_b32",                   &["s_ctz_i32_b32"]),
    ("s_ff1_i32_b64",                   &["s_ctz_i32_b64"]),
    ("s_flbit_i32_b32",                 &["s_clz_i32_u32"]),
    ("s_flbit_i32_b64",                 &["s_clz_i32_u64"]),
    ("s_flbit_i32",                     &["s_cls_i32"]),
    ("s_flbit_i32_i64",                 &["s_cls_i32_i64"]),
    ("s_inst_prefetch",                 &["s_set_inst_prefetch_distance"]),
    // Images.
    ("image_atomic_add",                &["image_atomic_add_uint"]),
    ("image_atomic_sub",                &["image_atomic_sub_uint"]),
    ("image_atomic_smin",               &["image_atomic_min_int"]),
    ("image_atomic_umin",               &["image_atomic_min_uint"]),
    ("image_atomic_smax",               &["image_atomic_max_int"]),
    ("image_atomic_umax",               &["image_atomic_max_uint"]),
    ("image_atomic_inc",                &["image_atomic_inc_uint"]),
    ("image_atomic_dec",                &["image_atomic_dec_uint"]),
    ("lds_direct_load",                 &["ds_direct_load"]),
    ("s_add_u32",                       &["s_add_co_u32"]),
    ("s_sub_u32",                       &["s_sub_co_u32"]),
    ("s_add_i32",                       &["s_add_co_i32"]),
    ("s_sub_i32",                       &["s_sub_co_i32"]),
    ("s_addc_u32",                      &["s_add_co_ci_u32"]),
    ("s_subb_u32",                      &["s_sub_co_ci_u32"]),
    ("s_addk_i32",                      &["s_addk_co_i32"]),
    // Vector unit.
    ("v_ffbh_u32",                      &["v_clz_i32_u32"]),
    ("v_ffbl_b32",                      &["v_ctz_i32_b32"]),
    ("v_ffbh_i32",                      &["v_cls_i32"]),
    ("v_mad_u64_u32",                   &["v_mad_co_u64_u32"]),
    ("v_mad_i64_i32",                   &["v_mad_co_i64_i32"]),
    ("v_cvt_rpi_i32_f32",               &["v_cvt_nearest_i32_f32"]),
    ("v_cvt_flr_i32_f32",               &["v_cvt_floor_i32_f32"]),
    ("v_cvt_pkrtz_f16_f32",             &["v_cvt_pk_rtz_f16_f32"]),
    ("v_cvt_pknorm_i16_f32",            &["v_cvt_pk_norm_i16_f32"]),
    ("v_cvt_pknorm_u16_f32",            &["v_cvt_pk_norm_u16_f32"]),
    ("v_cvt_pknorm_i16_f16",            &["v_cvt_pk_norm_i16_f16"]),
    ("v_cvt_pknorm_u16_f16",            &["v_cvt_pk_norm_u16_f16"]),
    ("v_mul_legacy_f32",                &["v_mul_dx9_zero_f32"]),
    ("v_fma_legacy_f32",                &["v_fma_dx9_zero_f32"]),
    ("v_fmac_legacy_f32",               &["v_fmac_dx9_zero_f32"]),
    ("v_dot2c_f32_f16",                 &["v_dot2acc_f32_f16"]),
    ("v_cmp_tru_f16",                   &["v_cmp_t_f16"]),
    ("v_cmp_tru_f32",                   &["v_cmp_t_f32"]),
    ("v_cmp_tru_f64",                   &["v_cmp_t_f64"]),
    ("v_cmpx_tru_f16",                  &["v_cmpx_t_f16"]),
    ("v_cmpx_tru_f32",                  &["v_cmpx_t_f32"]),
    ("v_cmpx_tru_f64",                  &["v_cmpx_t_f64"]),
];

fn index() -> &'static HashMap<&'static str, &'static str> {
    static INDEX: OnceLock<HashMap<&'static str, &'static str>> = OnceLock::new();
    INDEX.get_or_init(|| {
        let mut index = HashMap::new();
        for &(first, since) in OTHERS {
            index.extend(since.iter().map(|&name| (name, first)));
        }
        for &(first, since) in MEMORY {
            for prefix in MEMORY_PREFIXES {
                let with = |name: &str| intern(&format!("{prefix}{name}"));
                index.extend(since.iter().map(|name| (with(name), with(first))));
            }
        }
        index
    })
}

/// The name that the instruction called `mnemonic` had on the first family that has it; `mnemonic` itself if it kept that.
///
/// ```
/// assert_eq!(isa::first_name("ds_load_b32"), "ds_read_b32");
/// assert_eq!(isa::first_name("v_add_f32"), "v_add_f32");
/// ```
pub fn first_name(mnemonic: &str) -> &str {
    index().get(mnemonic).copied().unwrap_or(mnemonic)
}

#[cfg(test)]
mod tests {
    use super::{first_name, index};

    #[test]
    fn a_first_name_has_no_other() {
        for (&name, &first) in index() {
            assert_eq!(first_name(first), first, "{name}");
            assert_ne!(name, first);
        }
    }
}
