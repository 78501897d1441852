//! The vector unit, matrix products included.

use super::{Row, Traits};
use crate::Effects;

const NONE: Effects = Effects::empty();
const MATRIX: Effects = Effects::MATRIX.union(Effects::IGNORES_EXEC);
const WRITELANE: Effects = Effects::IGNORES_EXEC.union(Effects::PARTIAL_WRITE);
const READS_LANE: Traits = Traits::CROSS_LANE.union(Traits::LANE_TO_SCALAR);

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    ("v_mov*",              NONE,                  Traits::SELECTS),
    ("v_pk_mov_b32",        NONE,                  Traits::SELECTS),
    ("v_accvgpr_mov_b32",   NONE,                  Traits::SELECTS),
    ("v_accvgpr_read_*",    NONE,                  Traits::READS_ACCUMULATOR.union(Traits::SELECTS)),
    ("v_accvgpr_write_*",   NONE,                  Traits::SELECTS),
    ("v_cndmask_*",         NONE,                  Traits::SELECTS.union(Traits::READS_MASK)),
    ("v_addc_co_u32",       NONE,                  Traits::READS_MASK),
    ("v_add_co_ci_u32",     NONE,                  Traits::READS_MASK),
    ("v_subb_co_u32",       NONE,                  Traits::READS_MASK),
    ("v_sub_co_ci_u32",     NONE,                  Traits::READS_MASK),
    ("v_subbrev_co_u32",    NONE,                  Traits::READS_MASK),
    ("v_subrev_co_ci_u32",  NONE,                  Traits::READS_MASK),
    ("v_cmp*",              NONE,                  Traits::SELECTS.union(Traits::COMPARES)),
    ("v_cmpx_*",            NONE,                  Traits::COMPARES_TO_EXEC),
    ("v_readlane_b32",      Effects::IGNORES_EXEC, READS_LANE.union(Traits::SELECTS_LANE)),
    ("v_readfirstlane_b32", NONE,                  READS_LANE),
    ("v_writelane_b32",     WRITELANE,             Traits::SELECTS_LANE),
    ("v_permlane*",         NONE,                  Traits::CROSS_LANE.union(Traits::PERMUTES)),
    ("v_interp_*",          NONE,                  Traits::CROSS_LANE.union(Traits::NEEDS_M0)),
    ("v_interp_mov_f32",    NONE,                  Traits::SELECTS),
    ("v_movrel*",           NONE,                  Traits::INDEXES_VECTORS.union(Traits::NEEDS_M0)),
    ("v_swap_b*",           NONE,                  Traits::SELECTS),
    ("v_swaprel_b32",       NONE,                  Traits::INDEXES_VECTORS),
    ("v_div_fmas_*",        NONE,                  Traits::DIVIDES_BY_VCC.union(Traits::READS_MASK)),
    ("v_mfma_*",            MATRIX,                Traits::empty()),
    ("v_smfmac_*",          MATRIX,                Traits::empty()),
    ("v_swmmac_*",          MATRIX,                Traits::empty()),
    // VOP3 instructions that select halves, and mixed ones.
    ("v_mad_f16",           NONE,                  Traits::WRITES_HALF),
    ("v_mad_u16",           NONE,                  Traits::WRITES_HALF),
    ("v_mad_i16",           NONE,                  Traits::WRITES_HALF),
    ("v_fma_f16",           NONE,                  Traits::WRITES_HALF),
    ("v_div_fixup_f16",     NONE,                  Traits::WRITES_HALF),
    ("v_interp_p2_f16",     NONE,                  Traits::WRITES_HALF),
    ("v_ashr_pk_i8_i32",    NONE,                  Traits::WRITES_HALF),
    ("v_ashr_pk_u8_i32",    NONE,                  Traits::WRITES_HALF),
    ("v_mad_mixlo_f16",     NONE,                  Traits::WRITES_HALF),
    ("v_mad_mixhi_f16",     NONE,                  Traits::WRITES_HALF),
    ("v_fma_mixlo_f16",     NONE,                  Traits::WRITES_HALF),
    ("v_fma_mixhi_f16",     NONE,                  Traits::WRITES_HALF),
    ("v_fma_mixlo_bf16",    NONE,                  Traits::WRITES_HALF),
    ("v_fma_mixhi_bf16",    NONE,                  Traits::WRITES_HALF),
];
