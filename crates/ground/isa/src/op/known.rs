//! Instructions that analyses know one by one.

macro_rules! known {
    ($($variant:ident $name:literal)*) => {
        /// An instruction that analyses know by itself. The names are those of the first family that has it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Known {
            $(
                #[doc = concat!("`", $name, "`, under whichever of its names.")]
                $variant,
            )*
        }

        const NAMES: &[(&str, Known)] = &[$(($name, Known::$variant),)*];
    };
}

known! {
    DsNop               "ds_nop"
    SAddI32             "s_add_i32"
    SAddNcU64           "s_add_nc_u64"
    SAddU32             "s_add_u32"
    SAddcU32            "s_addc_u32"
    SAddkI32            "s_addk_i32"
    SBranch             "s_branch"
    SCbranchExecnz      "s_cbranch_execnz"
    SCbranchExecz       "s_cbranch_execz"
    SCbranchScc0        "s_cbranch_scc0"
    SCbranchScc1        "s_cbranch_scc1"
    SCbranchVccnz       "s_cbranch_vccnz"
    SCbranchVccz        "s_cbranch_vccz"
    SClause             "s_clause"
    SCmovB32            "s_cmov_b32"
    SCmovB64            "s_cmov_b64"
    SCmpLgI32           "s_cmp_lg_i32"
    SCmpLgU32           "s_cmp_lg_u32"
    SCodeEnd            "s_code_end"
    SCselectB32         "s_cselect_b32"
    SCselectB64         "s_cselect_b64"
    SDenormMode         "s_denorm_mode"
    SGetregB32          "s_getreg_b32"
    SLoadDwordx2        "s_load_dwordx2"
    SLshl1AddU32        "s_lshl1_add_u32"
    SLshl2AddU32        "s_lshl2_add_u32"
    SLshl3AddU32        "s_lshl3_add_u32"
    SLshl4AddU32        "s_lshl4_add_u32"
    SMovB32             "s_mov_b32"
    SMovB64             "s_mov_b64"
    SMovkI32            "s_movk_i32"
    SNop                "s_nop"
    SSendmsg            "s_sendmsg"
    SSendmsghalt        "s_sendmsghalt"
    SSetGprIdxMode      "s_set_gpr_idx_mode"
    SSetGprIdxOff       "s_set_gpr_idx_off"
    SSetGprIdxOn        "s_set_gpr_idx_on"
    SSetVgprMsb         "s_set_vgpr_msb"
    SSethalt            "s_sethalt"
    SSetprio            "s_setprio"
    SSetregB32          "s_setreg_b32"
    SSetregImm32B32     "s_setreg_imm32_b32"
    SSetvskip           "s_setvskip"
    SSextI32I16         "s_sext_i32_i16"
    SSubI32             "s_sub_i32"
    SSubU32             "s_sub_u32"
    SSubbU32            "s_subb_u32"
    SVersion            "s_version"
    SWaitAlu            "s_wait_alu"
    SWaitcntDepctr      "s_waitcnt_depctr"
    VAccvgprMovB32      "v_accvgpr_mov_b32"
    VAccvgprReadB32     "v_accvgpr_read_b32"
    VAccvgprWriteB32    "v_accvgpr_write_b32"
    VAlignbitB32        "v_alignbit_b32"
    VAlignbyteB32       "v_alignbyte_b32"
    VFmaF64             "v_fma_f64"
    VFmacF64            "v_fmac_f64"
    VMovB32             "v_mov_b32"
    VNop                "v_nop"
    VPkFmacF16          "v_pk_fmac_f16"
    VReadfirstlaneB32   "v_readfirstlane_b32"
    VReadlaneB32        "v_readlane_b32"
    VWritelaneB32       "v_writelane_b32"
}

impl Known {
    /// The instruction that had this name first.
    pub(super) fn of(first_name: &str) -> Option<Known> {
        let row = NAMES.iter().find(|row| row.0 == first_name)?;
        Some(row.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Op, first_name};

    #[test]
    fn every_name_is_a_first_name() {
        for &(name, known) in NAMES {
            assert_eq!(first_name(name), name);
            assert_eq!(Op::of(name).known(), Some(known), "{name}");
        }
        assert!(Op::of("s_add_co_u32").is(Known::SAddU32));
        assert_eq!(Op::of("v_add_f32").known(), None);
    }
}
