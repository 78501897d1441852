//! Program flow, waits, messages and what a wave says to others.

use super::{Row, Traits};
use crate::Effects;

const NONE: Traits = Traits::empty();
const CONDITIONAL: Effects = Effects::BRANCH.union(Effects::CONDITIONAL);
const INDIRECT: Effects = Effects::BRANCH.union(Effects::INDIRECT);
const MESSAGE: Effects = Effects::SENDMSG.union(Effects::COUNTS_LGKM);

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    ("s_branch",               Effects::BRANCH,                       NONE),
    ("s_cbranch_*",            CONDITIONAL,                           NONE),
    ("s_cbranch_g_fork",       Effects::INDIRECT,                     Traits::FORKS),
    ("s_cbranch_i_fork",       Effects::empty(),                      Traits::FORKS),
    ("s_cbranch_join",         Effects::INDIRECT,                     Traits::JOINS),
    ("s_subvector_loop_begin", CONDITIONAL,                           NONE),
    ("s_subvector_loop_end",   CONDITIONAL,                           NONE),
    ("s_setpc_b64",            INDIRECT,                              NONE),
    ("s_set_pc_i64",           INDIRECT,                              NONE),
    ("s_add_pc_i64",           Effects::BRANCH,                       NONE),
    ("s_rfe_*",                INDIRECT.union(Effects::RETURN),       NONE),
    ("s_swappc_b64",           INDIRECT.union(Effects::CALL),         NONE),
    ("s_swap_pc_i64",          INDIRECT.union(Effects::CALL),         NONE),
    ("s_call_b64",             Effects::CALL.union(Effects::BRANCH),  NONE),
    ("s_call_i64",             Effects::CALL.union(Effects::BRANCH),  NONE),
    ("s_getpc_b64",            Effects::empty(),                      Traits::READS_PC),
    ("s_get_pc_i64",           Effects::empty(),                      Traits::READS_PC),
    ("s_endpgm*",              Effects::END,                          NONE),
    ("s_trap",                 Effects::TRAP,                         NONE),
    ("s_barrier*",             Effects::BARRIER,                      NONE),
    ("s_barrier",              Effects::BARRIER,                      Traits::ARRIVES),
    ("s_barrier_signal*",      Effects::BARRIER,                      Traits::ARRIVES),
    ("s_nop",                  Effects::empty(),                      Traits::PAUSES),
    ("s_sleep*",               Effects::empty(),                      Traits::PAUSES),
    ("s_delay_alu",            Effects::empty(),                      Traits::PAUSES),
    ("s_clause",               Effects::empty(),                      Traits::PAUSES),
    ("s_waitcnt*",             Effects::WAIT,                         NONE),
    ("s_wait_*",               Effects::WAIT,                         NONE),
    ("s_waitcnt_vscnt",        Effects::WAIT,                         Traits::WRITES_BACK),
    ("s_wait_storecnt*",       Effects::WAIT,                         Traits::WRITES_BACK),
    ("s_wait_idle",            Effects::WAIT,                         Traits::WRITES_BACK),
    ("s_sendmsg*",             MESSAGE,                               Traits::NEEDS_M0),
    ("s_sendmsg_rtn_*",        MESSAGE,                               Traits::ANSWERED),
    ("s_ttracedata*",          Effects::empty(),                      Traits::NEEDS_M0),
];
