//! Instructions that are left out, and why: among those that are tried alone, each on registers of the frame, and among the cases from
//! manuals.

use isa::{Decoded, Effects, Format, Inst, Reg, RegKind};

use crate::{
    case::registers,
    frame::{
        SCALARS,
        arena::{Arena, DESCRIPTOR, INPUT_DESCRIPTOR},
    },
};

/// An instruction that is not tried.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Left {
    pub mnemonic: &'static str,
    pub reason: &'static str,
}

/// The kinds of cases that an instruction is left out of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    /// Only of what is tried alone: cases from manuals know what comes of it.
    Alone,
    /// Cases from manuals, too.
    All,
}

use Of::{All, Alone};

/// Instructions that do more than change registers, by their effects.
#[rustfmt::skip]
const BY_EFFECT: &[(Effects, Of, &str)] = &[
    (Effects::BRANCH.union(Effects::CALL).union(Effects::RETURN).union(Effects::INDIRECT), Alone, "goes elsewhere"),
    (Effects::END,     All,   "ends the wave"),
    (Effects::BARRIER, Alone, "waits for other waves"),
    (Effects::TRAP,    All,   "needs a trap handler"),
    (Effects::SENDMSG, All,   "sends a message"),
];

/// Beginnings of mnemonics, or what else an instruction is recognised by.
#[rustfmt::skip]
const BY_NAME: &[(&str, Of, &str)] = &[
    ("s_getpc",                  All,   "its result is an address"),
    ("s_get_pc",                 All,   "its result is an address"),
    ("s_swappc",                 All,   "its result is an address"),
    ("s_add_pc",                 Alone, "goes elsewhere"),
    ("s_get_shader_cycles",      All,   "reads a clock"),
    ("SHADER_CYCLES",            All,   "reads a clock"),
    ("s_getreg",                 Alone, "reads state that differs between devices"),
    ("s_setreg",                 Alone, "changes modes; every case sets MODE with it"),
    ("s_set_gpr_idx",            Alone, "changes modes"),
    ("s_cbranch",                Alone, "goes elsewhere"),
    ("s_call",                   All,   "its result is an address"),
    ("s_rfe",                    All,   "needs a trap handler"),
    ("s_subvector",              Alone, "goes elsewhere"),
    ("s_sendmsg",                All,   "sends a message"),
    ("s_barrier",                Alone, "waits for other waves"),
    ("s_get_barrier",            Alone, "waits for other waves"),
    ("s_wakeup",                 Alone, "acts on other waves"),
    ("s_sleep",                  Alone, "only takes time"),
    ("s_wait",                   Alone, "only takes time"),
    ("s_version",                Alone, "does nothing"),
    ("s_alloc_vgpr",             Alone, "needs a kernel with dynamic registers"),
    ("v_illegal",                Alone, "stops by its nature"),
    ("v_interp",                 Alone, "reads attributes of pixel shaders"),
    ("v_screen_partition",       Alone, "is for rasterisation"),
    ("v_mfma_ld_scale",          Alone, "is half of another instruction"),
    ("v_movrel",                 Alone, "names registers by M0"),
    ("v_swaprel",                Alone, "names registers by M0"),
    ("s_movrel",                 Alone, "names registers by M0"),
    ("v_clrexcp",                Alone, "changes state that is not compared"),
    ("s_dcache",                 Alone, "acts on caches"),
    ("s_icache",                 Alone, "acts on caches"),
    ("s_gl1",                    Alone, "acts on caches"),
    ("s_prefetch",               Alone, "acts on caches"),
    ("s_buffer_prefetch",        Alone, "acts on caches"),
    ("s_atc_probe",              Alone, "acts on caches"),
    ("global_prefetch",          Alone, "acts on caches"),
    ("flat_prefetch",            Alone, "acts on caches"),
    ("global_wb",                Alone, "acts on caches"),
    ("global_inv",               Alone, "acts on caches"),
    ("buffer_wb",                Alone, "acts on caches"),
    ("buffer_inv",               Alone, "acts on caches"),
    ("buffer_gl",                Alone, "acts on caches"),
    ("s_memtime",                All,   "reads a clock"),
    ("s_memrealtime",            All,   "reads a clock"),
    ("s_store",                  Alone, "writes through a cache that other loads do not see"),
    ("s_buffer_store",           Alone, "writes through a cache that other loads do not see"),
    ("s_atomic",                 Alone, "writes through a cache that other loads do not see"),
    ("s_buffer_atomic",          Alone, "writes through a cache that other loads do not see"),
    ("s_scratch",                Alone, "accesses scratch"),
    ("ds_gws",                   All,   "acts on all waves of the device"),
    ("ds_ordered_count",         All,   "acts on all waves of the device"),
    ("global_ordered",           Alone, "acts on all waves of the device"),
    ("global_atomic_ordered",    Alone, "acts on all waves of the device"),
    ("global_load_addtid",       Alone, "takes its address from a scalar alone"),
    ("global_store_addtid",      Alone, "takes its address from a scalar alone"),
    ("global_load_dword_addtid", Alone, "takes its address from a scalar alone"),
    ("global_store_dword_addtid", Alone, "takes its address from a scalar alone"),
    ("ds_append",                Alone, "accesses LDS where M0 says"),
    ("ds_consume",               Alone, "accesses LDS where M0 says"),
    ("ds_read_addtid",           Alone, "accesses LDS where M0 says"),
    ("ds_write_addtid",          Alone, "accesses LDS where M0 says"),
    ("ds_load_addtid",           Alone, "accesses LDS where M0 says"),
    ("ds_store_addtid",          Alone, "accesses LDS where M0 says"),
    ("global_load_lds",          Alone, "accesses LDS where M0 says"),
    ("buffer_load_lds",          Alone, "accesses LDS where M0 says"),
    ("scratch_load_lds",         Alone, "accesses LDS where M0 says"),
    ("ds_nop",                   Alone, "only takes time"),
    ("ds_bvh",                   Alone, "walks a tree for ray tracing"),
    ("ds_atomic_barrier",        Alone, "waits for other waves"),
    ("ds_atomic_async",          Alone, "waits for other waves"),
    ("s_sethalt",                All,   "stops the wave"),
];

/// The reason of the first row that holds, of names before effects.
fn listed(
    named: impl Fn(&str, Of) -> bool,
    has: impl Fn(Effects, Of) -> bool,
) -> Option<&'static str> {
    let by_name = BY_NAME.iter().find(|row| named(row.0, row.1));
    let by_effect = || BY_EFFECT.iter().find(|row| has(row.0, row.1));
    by_name
        .map(|row| row.2)
        .or_else(|| by_effect().map(|row| row.2))
}

/// The reason for which a case from manuals is left out that has these instructions, in the lines of `text`.
pub fn why_not_written(text: &str, decoded: &[Inst]) -> Option<&'static str> {
    let has = |effects| decoded.iter().any(|one| one.effects.intersects(effects));
    listed(
        |name, of| of == All && text.contains(name),
        |effects, of| of == All && has(effects),
    )
}

/// The reason for which an instruction cannot be tried alone.
pub fn why_not(decoded: &Decoded) -> Option<&'static str> {
    let reason = listed(
        |name, _| decoded.mnemonic.starts_with(name),
        |effects, _| decoded.effects.intersects(effects),
    );
    if reason.is_some() {
        return reason;
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
