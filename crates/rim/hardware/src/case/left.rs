//! Instructions that are not tried, and why.

use isa::{Decoded, Effects, Format, Reg, RegKind};

use super::registers;
use crate::frame::{
    SCALARS,
    arena::{Arena, DESCRIPTOR, INPUT_DESCRIPTOR},
};

/// An instruction that is not tried.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Left {
    pub mnemonic: &'static str,
    pub reason: &'static str,
}

/// What arithmetic has in common is that it changes registers and nothing else.
#[rustfmt::skip]
const NOT_ALONE: &[(Effects, &str)] = &[
    (Effects::BRANCH.union(Effects::CALL).union(Effects::RETURN).union(Effects::INDIRECT), "goes elsewhere"),
    (Effects::END,     "ends the wave"),
    (Effects::BARRIER, "waits for other waves"),
    (Effects::TRAP,    "needs a trap handler"),
    (Effects::SENDMSG, "sends a message"),
];

/// Beginnings of mnemonics.
#[rustfmt::skip]
const NOT_COMPARABLE: &[(&str, &str)] = &[
    ("s_getpc",            "its result is an address"),
    ("s_get_pc",           "its result is an address"),
    ("s_add_pc",           "goes elsewhere"),
    ("s_get_shader_cycles", "reads a clock"),
    ("s_getreg",           "reads state that differs between devices"),
    ("s_setreg",           "changes modes; every case sets MODE with it"),
    ("s_set_gpr_idx",      "changes modes"),
    ("s_cbranch",          "goes elsewhere"),
    ("s_call",             "goes elsewhere"),
    ("s_rfe",              "returns from a trap handler"),
    ("s_subvector",        "goes elsewhere"),
    ("s_sendmsg",          "sends a message"),
    ("s_barrier",          "waits for other waves"),
    ("s_get_barrier",      "waits for other waves"),
    ("s_wakeup",           "acts on other waves"),
    ("s_sleep",            "only takes time"),
    ("s_wait",             "only takes time"),
    ("s_version",          "does nothing"),
    ("s_alloc_vgpr",       "needs a kernel with dynamic registers"),
    ("v_illegal",          "stops by its nature"),
    ("v_interp",           "reads attributes of pixel shaders"),
    ("v_screen_partition", "is for rasterisation"),
    ("v_mfma_ld_scale",    "is half of another instruction"),
    ("v_movrel",           "names registers by M0"),
    ("v_swaprel",          "names registers by M0"),
    ("s_movrel",           "names registers by M0"),
    ("v_clrexcp",          "changes state that is not compared"),
    ("s_dcache",           "acts on caches"),
    ("s_icache",           "acts on caches"),
    ("s_gl1",              "acts on caches"),
    ("s_prefetch",         "acts on caches"),
    ("s_buffer_prefetch",  "acts on caches"),
    ("s_atc_probe",        "acts on caches"),
    ("global_prefetch",    "acts on caches"),
    ("flat_prefetch",      "acts on caches"),
    ("global_wb",          "acts on caches"),
    ("global_inv",         "acts on caches"),
    ("buffer_wb",          "acts on caches"),
    ("buffer_inv",         "acts on caches"),
    ("buffer_gl",          "acts on caches"),
    ("s_memtime",          "reads a clock"),
    ("s_memrealtime",      "reads a clock"),
    ("s_store",            "writes through a cache that other loads do not see"),
    ("s_buffer_store",     "writes through a cache that other loads do not see"),
    ("s_atomic",           "writes through a cache that other loads do not see"),
    ("s_buffer_atomic",    "writes through a cache that other loads do not see"),
    ("s_scratch",          "accesses scratch"),
    ("ds_gws",             "acts on all waves of the device"),
    ("ds_ordered_count",   "acts on all waves of the device"),
    ("global_ordered",     "acts on all waves of the device"),
    ("global_atomic_ordered", "acts on all waves of the device"),
    ("global_load_addtid", "takes its address from a scalar alone"),
    ("global_store_addtid", "takes its address from a scalar alone"),
    ("global_load_dword_addtid", "takes its address from a scalar alone"),
    ("global_store_dword_addtid", "takes its address from a scalar alone"),
    ("ds_append",          "accesses LDS where M0 says"),
    ("ds_consume",         "accesses LDS where M0 says"),
    ("ds_read_addtid",     "accesses LDS where M0 says"),
    ("ds_write_addtid",    "accesses LDS where M0 says"),
    ("ds_load_addtid",     "accesses LDS where M0 says"),
    ("ds_store_addtid",    "accesses LDS where M0 says"),
    ("global_load_lds",    "accesses LDS where M0 says"),
    ("buffer_load_lds",    "accesses LDS where M0 says"),
    ("scratch_load_lds",   "accesses LDS where M0 says"),
    ("ds_nop",             "only takes time"),
    ("ds_bvh",             "walks a tree for ray tracing"),
    ("ds_atomic_barrier",  "waits for other waves"),
    ("ds_atomic_async",    "waits for other waves"),
];

/// The reason for which an instruction cannot be tried.
pub fn why_not(decoded: &Decoded) -> Option<&'static str> {
    let by_name = NOT_COMPARABLE
        .iter()
        .find(|(name, _)| decoded.mnemonic.starts_with(name));
    let by_effect = NOT_ALONE
        .iter()
        .find(|(effects, _)| decoded.effects.intersects(*effects));
    if let Some((_, reason)) = by_name {
        return Some(reason);
    }
    if let Some((_, reason)) = by_effect {
        return Some(reason);
    }
    let is_memory = Arena::of_format(decoded.format) != Arena::None;
    let outside = |reg: Reg| {
        let is_address =
            is_memory && [DESCRIPTOR, INPUT_DESCRIPTOR].contains(&u32::from(reg.index));
        match reg.kind {
            RegKind::Sgpr if !SCALARS.contains(&reg.index) && !is_address => {
                Some("names a register outside the frame")
            }
            RegKind::Sgpr | RegKind::Vgpr | RegKind::Agpr | RegKind::Vcc | RegKind::Exec => None,
            RegKind::Scc | RegKind::M0 | RegKind::Null | RegKind::Mode => None,
            RegKind::FlatScratch if decoded.format == Format::Scratch => None,
            _ => Some("names a register that differs between devices"),
        }
    };
    registers(decoded).find_map(outside)
}
