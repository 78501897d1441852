//! LDS and GDS, and the attributes that are loaded from LDS.

use super::{Row, Traits};
use crate::Effects;

const NONE: Effects = Effects::empty();
const LOAD: Effects = Effects::LOAD.union(Effects::LDS);
/// Between LDS and memory by a descriptor, whatever EXEC says.
const TENSOR: Effects = LOAD.union(Effects::STORE).union(Effects::IGNORES_EXEC);
/// Exchanges lanes and touches no memory.
const EXCHANGE: Traits = Traits::CROSS_LANE.union(Traits::NO_DATA);
const COUNTER: Traits = Traits::LDS_COUNTER.union(Traits::LDS_BY_M0);
const GWS: Traits = Traits::GWS.union(Traits::LDS_BY_M0).union(Traits::NO_DATA);

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    ("ds_write*",             NONE,   Traits::PLAIN_STORE),
    ("ds_store_*",            NONE,   Traits::PLAIN_STORE),
    ("ds_nop",                NONE,   Traits::NO_DATA),
    ("ds_swizzle_b32",        NONE,   EXCHANGE),
    ("ds_permute_b32",        NONE,   EXCHANGE),
    ("ds_bpermute_b32",       NONE,   EXCHANGE),
    ("ds_bpermute_fi_b32",    NONE,   EXCHANGE),
    ("ds_append",             NONE,   COUNTER),
    ("ds_consume",            NONE,   COUNTER),
    ("ds_ordered_count",      NONE,   COUNTER),
    ("ds_read_addtid_b32",    NONE,   Traits::LDS_BY_M0),
    ("ds_write_addtid_b32",   NONE,   Traits::LDS_BY_M0),
    ("ds_load_addtid_b32",    NONE,   Traits::LDS_BY_M0),
    ("ds_store_addtid_b32",   NONE,   Traits::LDS_BY_M0),
    ("ds_gws_*",              NONE,   GWS),
    ("ds_gws_barrier",        NONE,   Traits::WAITS_FOR_DEVICE),
    ("ds_gws_sema_p",         NONE,   Traits::WAITS_FOR_DEVICE),
    ("lds_direct_load",       LOAD,   Traits::CROSS_LANE),
    ("lds_param_load",        LOAD,   Traits::CROSS_LANE),
    ("ds_direct_load",        LOAD,   Traits::CROSS_LANE),
    ("ds_param_load",         LOAD,   Traits::CROSS_LANE),
    ("tensor_load_to_lds",    TENSOR, Traits::empty()),
    ("tensor_store_from_lds", TENSOR, Traits::empty()),
];
