//! How wide a result is, by the naming rule of the manuals: the first type in a mnemonic is the result's.

use super::Traits;

pub(super) fn traits(name: &str) -> Traits {
    if has_16_bits(name) {
        Traits::RESULT_16
    } else {
        Traits::empty()
    }
}

fn has_16_bits(name: &str) -> bool {
    if name.starts_with("v_pk_")
        || name.starts_with("v_cmp")
        || name.starts_with("v_cvt_pk")
        || name == "v_sad_u16"
    {
        return false;
    }
    let result = name.split('_').find(|part| {
        let digits = part.trim_start_matches(['b', 'f', 'i', 'u']);
        digits.len() < part.len()
            && !digits.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_digit())
    });
    result.is_some_and(|part| part.ends_with("16")) || name == "v_sat_pk_u8_i16"
}

#[cfg(test)]
mod tests {
    use super::has_16_bits;

    #[test]
    fn result_types_by_name() {
        for half in [
            "v_add_f16",
            "v_cvt_f16_f32",
            "v_mad_u16",
            "v_fma_mixlo_f16",
            "v_dot2_bf16_bf16",
            "v_cndmask_b16",
        ] {
            assert!(has_16_bits(half), "{half}");
        }
        for full in [
            "v_cvt_f32_f16",
            "v_mad_u32_u16",
            "v_pack_b32_f16",
            "v_pk_add_f16",
            "v_cmp_eq_u16",
            "v_add_f32",
            // It adds differences of halves to 32 bits.
            "v_sad_u16",
        ] {
            assert!(!has_16_bits(full), "{full}");
        }
    }
}
