//! Scalar and vector memory, images and caches.

use super::{Row, Traits};
use crate::Effects;

const NONE: Effects = Effects::empty();
const CACHE: Traits = Traits::CACHE.union(Traits::NO_DATA);
const INVALIDATE: Traits = CACHE.union(Traits::INVALIDATES);
const WRITE_BACK: Traits = CACHE.union(Traits::WRITES_BACK);
const BOTH: Traits = INVALIDATE.union(WRITE_BACK);
const CLOCK: Traits = Traits::CLOCK.union(Traits::NO_DATA);
const SAMPLE: Traits = Traits::SAMPLER.union(Traits::SAMPLE_COUNTER);

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    ("*_atomic_*",                NONE, Traits::ATOMIC),
    ("*_atomic_add_f*",           NONE, Traits::FLOAT_ATOMIC),
    ("*_atomic_pk_add_*",         NONE, Traits::FLOAT_ATOMIC),
    ("*_atomic_min_f*",           NONE, Traits::FLOAT_ATOMIC),
    ("*_atomic_max_f*",           NONE, Traits::FLOAT_ATOMIC),
    ("*_atomic_min_num_f*",       NONE, Traits::FLOAT_ATOMIC),
    ("*_atomic_max_num_f*",       NONE, Traits::FLOAT_ATOMIC),
    ("*_atomic_cmpswap_f*",       NONE, Traits::FLOAT_ATOMIC),
    ("*_atomic_fmin*",            NONE, Traits::FLOAT_ATOMIC),
    ("*_atomic_fmax*",            NONE, Traits::FLOAT_ATOMIC),
    ("*_atomic_fcmpswap*",        NONE, Traits::FLOAT_ATOMIC),
    ("flat_*",                    NONE, Traits::BY_ADDRESS),
    ("global_*",                  NONE, Traits::BY_ADDRESS),
    // Clocks.
    ("s_memtime",                 NONE, CLOCK),
    ("s_memrealtime",             NONE, CLOCK),
    ("s_get_waveid_in_workgroup", NONE, Traits::NO_DATA),
    // Caches.
    ("s_dcache_*",                NONE, CACHE),
    ("s_dcache_inv",              NONE, INVALIDATE),
    ("s_dcache_inv_vol",          NONE, INVALIDATE),
    ("s_dcache_wb",               NONE, WRITE_BACK),
    ("s_dcache_wb_vol",           NONE, WRITE_BACK),
    ("s_gl1_inv",                 NONE, INVALIDATE),
    ("s_icache_inv",              NONE, CACHE),
    ("s_atc_probe*",              NONE, CACHE),
    ("s_prefetch_*",              NONE, CACHE),
    ("s_buffer_prefetch_*",       NONE, CACHE),
    ("buffer_wbinvl1",            NONE, BOTH),
    ("buffer_wbinvl1_vol",        NONE, BOTH),
    ("buffer_wbl2",               NONE, WRITE_BACK),
    ("buffer_inv",                NONE, INVALIDATE),
    ("buffer_invl2",              NONE, INVALIDATE),
    ("buffer_gl0_inv",            NONE, INVALIDATE),
    ("buffer_gl1_inv",            NONE, INVALIDATE),
    ("global_inv",                NONE, INVALIDATE),
    ("global_wb",                 NONE, WRITE_BACK),
    ("global_wbinv",              NONE, BOTH),
    ("global_prefetch_b8",        NONE, CACHE),
    ("flat_prefetch_b8",          NONE, CACHE),
    // Images.
    ("image_sample*",             NONE, SAMPLE),
    ("image_gather4*",            NONE, SAMPLE),
    ("image_get_lod",             NONE, SAMPLE),
    ("image_msaa_load",           NONE, Traits::SAMPLE_COUNTER),
    ("image_bvh*",                NONE, Traits::RAY_COUNTER),
];
