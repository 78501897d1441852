//! The scalar unit's arithmetic and state.

use super::{Row, Traits};
use crate::Effects;

const NONE: Effects = Effects::empty();
const SETREG: Traits = Traits::WRITES_HARDWARE.union(Traits::KEEPS);
const MODE: Traits = Traits::WRITES_MODE.union(Traits::KEEPS);

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    ("s_mov*",             NONE, Traits::SELECTS),
    ("s_cmov*",            NONE, Traits::SELECTS.union(Traits::KEEPS)),
    ("s_cmp*",             NONE, Traits::SELECTS),
    ("s_bitcmp*",          NONE, Traits::SELECTS),
    ("s_movrel*",          NONE, Traits::INDEXES_SCALARS.union(Traits::NEEDS_M0)),
    ("s_get_shader_cycles_u64", NONE, Traits::CLOCK),
    ("s_getreg_*",         NONE, Traits::READS_HARDWARE),
    ("s_setreg_*",         NONE, SETREG),
    ("s_setreg_b32",       NONE, Traits::WRITES_MODE),
    ("s_setreg_imm32_b32", NONE, Traits::WRITES_MODE),
    ("s_round_mode",       NONE, MODE),
    ("s_denorm_mode",      NONE, MODE),
    ("s_set_gpr_idx_*",    NONE, Traits::INDEX_MODE),
    ("s_set_gpr_idx_mode", NONE, Traits::KEEPS),
];
