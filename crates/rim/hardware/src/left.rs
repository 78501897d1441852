//! Instructions that are left out, and why: among those that are tried alone, each on registers of the frame, and among the cases from
//! manuals.

use isa::{Decoded, Effects, Format, Inst, Reg, RegKind, Traits};

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

/// Instructions that do more than change registers, by their traits.
#[rustfmt::skip]
const BY_TRAIT: &[(Traits, Of, &str)] = &[
    (Traits::READS_PC,        All,   "its result is an address"),
    (Traits::CLOCK,           All,   "reads a clock"),
    (Traits::GWS,             All,   "acts on all waves of the device"),
    (Traits::READS_HARDWARE,  Alone, "reads state that differs between devices"),
    (Traits::WRITES_HARDWARE, Alone, "changes modes; every case sets MODE with it"),
    (Traits::INDEX_MODE,      Alone, "changes modes"),
    (Traits::INDEXES_SCALARS, Alone, "names registers by M0"),
    (Traits::INDEXES_VECTORS, Alone, "names registers by M0"),
    (Traits::CACHE,           Alone, "acts on caches"),
];

/// By the beginning of the mnemonic, where no other instruction is left out for that reason.
#[rustfmt::skip]
const BY_NAME: &[(&str, Of, &str)] = &[
    ("s_sethalt",                All,   "stops the wave"),
    ("ds_ordered_count",         All,   "acts on all waves of the device"),
    ("global_ordered",           Alone, "acts on all waves of the device"),
    ("global_atomic_ordered",    Alone, "acts on all waves of the device"),
    ("s_get_barrier",            Alone, "waits for other waves"),
    ("ds_atomic_barrier",        Alone, "waits for other waves"),
    ("ds_atomic_async",          Alone, "waits for other waves"),
    ("s_wakeup",                 Alone, "acts on other waves"),
    ("s_sleep",                  Alone, "only takes time"),
    ("ds_nop",                   Alone, "only takes time"),
    ("s_version",                Alone, "does nothing"),
    ("s_alloc_vgpr",             Alone, "needs a kernel with dynamic registers"),
    ("v_illegal",                Alone, "stops by its nature"),
    ("v_interp",                 Alone, "reads attributes of pixel shaders"),
    ("v_screen_partition",       Alone, "is for rasterisation"),
    ("v_mfma_ld_scale",          Alone, "is half of another instruction"),
    ("v_clrexcp",                Alone, "changes state that is not compared"),
    ("s_store",                  Alone, "writes through a cache that other loads do not see"),
    ("s_buffer_store",           Alone, "writes through a cache that other loads do not see"),
    ("s_atomic",                 Alone, "writes through a cache that other loads do not see"),
    ("s_buffer_atomic",          Alone, "writes through a cache that other loads do not see"),
    ("s_scratch",                Alone, "accesses scratch"),
    ("global_load_addtid",       Alone, "takes its address from a scalar alone"),
    ("global_store_addtid",      Alone, "takes its address from a scalar alone"),
    ("global_load_dword_addtid", Alone, "takes its address from a scalar alone"),
    ("global_store_dword_addtid", Alone, "takes its address from a scalar alone"),
    ("global_load_lds",          Alone, "accesses LDS where M0 says"),
    ("buffer_load_lds",          Alone, "accesses LDS where M0 says"),
    ("scratch_load_lds",         Alone, "accesses LDS where M0 says"),
    ("ds_bvh",                   Alone, "walks a tree for ray tracing"),
];

/// Arithmetic changes registers and nothing else.
#[rustfmt::skip]
const BY_EFFECT: &[(Effects, Of, &str)] = &[
    (Effects::CALL,    All,   "its result is an address"),
    (Effects::RETURN,  All,   "needs a trap handler"),
    (Effects::TRAP,    All,   "needs a trap handler"),
    (Effects::END,     All,   "ends the wave"),
    (Effects::SENDMSG, All,   "sends a message"),
    (Effects::BRANCH.union(Effects::INDIRECT), Alone, "goes elsewhere"),
    (Effects::BARRIER, Alone, "waits for other waves"),
    (Effects::WAIT,    Alone, "only takes time"),
];

/// A clock among the hardware registers, as assembly calls it.
const CLOCK: &str = "SHADER_CYCLES";

/// The reason of the first row that holds for an instruction; only of those that hold for cases from manuals, if `written`.
fn listed(inst: &Decoded, written: bool) -> Option<&'static str> {
    let counts = |of: Of| of == All || !written;
    let (op, effects) = (inst.op, inst.effects);
    let by_trait = BY_TRAIT
        .iter()
        .find(|row| counts(row.1) && op.has(row.0))
        .map(|row| row.2);
    let by_name = || {
        let mut rows = BY_NAME.iter();
        rows.find(|row| counts(row.1) && op.name().starts_with(row.0))
            .map(|row| row.2)
    };
    let by_place =
        || (!written && op.has(Traits::LDS_BY_M0)).then_some("accesses LDS where M0 says");
    let by_effect = || {
        let mut rows = BY_EFFECT.iter();
        rows.find(|row| counts(row.1) && effects.intersects(row.0))
            .map(|row| row.2)
    };
    by_trait
        .or_else(by_name)
        .or_else(by_place)
        .or_else(by_effect)
}

/// The reason for which a case from manuals is left out that has these instructions, in the lines of `text`.
pub fn why_not_written(text: &str, decoded: &[Inst]) -> Option<&'static str> {
    if text.contains(CLOCK) {
        return Some("reads a clock");
    }
    decoded.iter().find_map(|inst| listed(inst, true))
}

/// The reason for which an instruction cannot be tried alone.
pub fn why_not(decoded: &Decoded) -> Option<&'static str> {
    let reason = listed(decoded, false);
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
