//! Effects of an opcode, from LLVM's flags where they are right and from the mnemonic where they say nothing.

use crate::{Effects, Format};
use gfx::{Family, Target};
use llvm_shim::flags;

/// LLVM's flag to our bits.
#[rustfmt::skip]
const FROM_FLAGS: &[(u64, Effects)] = &[
    (flags::SALU,          Effects::SALU),
    (flags::SMRD,          Effects::SMEM),
    (flags::MUBUF,         Effects::VMEM),
    (flags::MTBUF,         Effects::VMEM),
    (flags::MIMG,          Effects::VMEM),
    (flags::VIMAGE,        Effects::VMEM),
    (flags::VSAMPLE,       Effects::VMEM),
    (flags::FLAT,          Effects::VMEM),
    (flags::FLAT_SCRATCH,  Effects::SCRATCH),
    (flags::TRANS,         Effects::TRANSCENDENTAL),
    (flags::WMMA,          Effects::MATRIX.union(Effects::IGNORES_EXEC)),
    (flags::SDWA,          Effects::SDWA),
    (flags::TIED_NOT_READ, Effects::PARTIAL_WRITE),
    (flags::COUNTS_LGKM,   Effects::COUNTS_LGKM),
];

const CONDITIONAL_BRANCH: Effects = Effects::BRANCH.union(Effects::CONDITIONAL);
const INDIRECT_BRANCH: Effects = Effects::BRANCH.union(Effects::INDIRECT);

/// Mnemonic (a trailing `*` matches any rest) to effects that LLVM's flags lack. All matching rows count.
#[rustfmt::skip]
const FROM_MNEMONIC: &[(&str, Effects)] = &[
    ("s_branch",                Effects::BRANCH),
    ("s_cbranch_*",             CONDITIONAL_BRANCH),
    ("s_cbranch_g_fork",        Effects::INDIRECT),
    ("s_cbranch_join",          Effects::INDIRECT),
    ("s_subvector_loop_begin",  CONDITIONAL_BRANCH),
    ("s_subvector_loop_end",    CONDITIONAL_BRANCH),
    ("s_setpc_b64",             INDIRECT_BRANCH),
    ("s_set_pc_i64",            INDIRECT_BRANCH),
    ("s_add_pc_i64",            Effects::BRANCH),
    ("s_rfe_*",                 INDIRECT_BRANCH.union(Effects::RETURN)),
    ("s_swappc_b64",            Effects::CALL.union(INDIRECT_BRANCH)),
    ("s_swap_pc_i64",           Effects::CALL.union(INDIRECT_BRANCH)),
    ("s_call_b64",              Effects::CALL.union(Effects::BRANCH)),
    ("s_call_i64",              Effects::CALL.union(Effects::BRANCH)),
    ("s_endpgm*",               Effects::END),
    ("s_barrier*",              Effects::BARRIER),
    ("s_waitcnt*",              Effects::WAIT),
    ("s_wait_*",                Effects::WAIT),
    ("s_trap",                  Effects::TRAP),
    ("s_sendmsg*",              Effects::SENDMSG.union(Effects::COUNTS_LGKM)),
    ("v_mfma_*",                Effects::MATRIX.union(Effects::IGNORES_EXEC)),
    ("v_smfmac_*",              Effects::MATRIX.union(Effects::IGNORES_EXEC)),
    ("v_swmmac_*",              Effects::MATRIX.union(Effects::IGNORES_EXEC)),
    ("v_readlane_b32",          Effects::IGNORES_EXEC),
    ("v_writelane_b32",         Effects::IGNORES_EXEC.union(Effects::PARTIAL_WRITE)),
    ("lds_direct_load",         Effects::LOAD.union(Effects::LDS)),
    ("lds_param_load",          Effects::LOAD.union(Effects::LDS)),
    ("ds_direct_load",          Effects::LOAD.union(Effects::LDS)),
    ("ds_param_load",           Effects::LOAD.union(Effects::LDS)),
    ("tensor_load_to_lds",      Effects::LOAD.union(Effects::STORE).union(Effects::LDS).union(Effects::IGNORES_EXEC)),
    ("tensor_store_from_lds",   Effects::LOAD.union(Effects::STORE).union(Effects::LDS).union(Effects::IGNORES_EXEC)),
];

/// DS instructions that exchange lanes or synchronise, and touch no memory.
const DS_WITHOUT_MEMORY: &[&str] = &[
    "ds_nop",
    "ds_swizzle_b32",
    "ds_permute_b32",
    "ds_bpermute_b32",
    "ds_bpermute_fi_b32",
    "ds_gws_*",
];

/// SMEM and VMEM instructions that maintain caches or read clocks.
const MEMORY_WITHOUT_DATA: &[&str] = &[
    "s_memtime",
    "s_memrealtime",
    "s_dcache_*",
    "s_gl1_inv",
    "s_icache_inv",
    "s_atc_probe*",
    "s_get_waveid_in_workgroup",
    "s_prefetch_*",
    "s_buffer_prefetch_*",
    "buffer_wbinvl1*",
    "buffer_wbl2",
    "buffer_inv*",
    "buffer_gl0_inv",
    "buffer_gl1_inv",
    "global_inv",
    "global_wb",
    "global_wbinv",
    "global_prefetch_b8",
    "flat_prefetch_b8",
];

pub(crate) fn matches(pattern: &str, mnemonic: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => mnemonic.starts_with(prefix),
        None => mnemonic == pattern,
    }
}

pub(crate) fn any_matches(patterns: &[&str], mnemonic: &str) -> bool {
    patterns.iter().any(|pattern| matches(pattern, mnemonic))
}

pub(crate) fn of_opcode(target: &Target, mnemonic: &str, format: Format, bits: u64) -> Effects {
    let mut effects = Effects::empty();
    for &(flag, effect) in FROM_FLAGS {
        if bits & flag != 0 {
            effects |= effect;
        }
    }
    for (pattern, effect) in FROM_MNEMONIC {
        if matches(pattern, mnemonic) {
            effects |= *effect;
        }
    }
    if format == Format::Ds && !mnemonic.starts_with("ds_gws_") {
        effects |= Effects::LDS;
    }
    if format == Format::Flat {
        effects |= Effects::FLAT;
    }
    let memory = effects.intersects(Effects::SMEM | Effects::VMEM | Effects::LDS);
    if !memory && bits & flags::VALU != 0 {
        effects |= Effects::VALU;
    }
    if memory
        && !any_matches(DS_WITHOUT_MEMORY, mnemonic)
        && !any_matches(MEMORY_WITHOUT_DATA, mnemonic)
    {
        effects |= data_effects(mnemonic, bits);
    }
    effects | counters(target, mnemonic, format, bits, effects)
}

fn data_effects(mnemonic: &str, bits: u64) -> Effects {
    let mut effects = Effects::empty();
    if bits & flags::MAY_LOAD != 0 {
        effects |= Effects::LOAD;
    }
    if bits & flags::MAY_STORE != 0 {
        effects |= Effects::STORE;
    }
    // LLVM's "atomic without result" bit is also set on plain LDS writes, and neither bit on append and consume.
    let plain_write = mnemonic.starts_with("ds_write") || mnemonic.starts_with("ds_store");
    let counter = matches!(mnemonic, "ds_append" | "ds_consume" | "ds_ordered_count");
    let flagged = bits & (flags::ATOMIC_RET | flags::ATOMIC_NORET) != 0 && !plain_write;
    if counter {
        effects |= Effects::ATOMIC_RETURN;
    }
    if flagged || counter || mnemonic.contains("_atomic_") {
        effects |= Effects::ATOMIC | Effects::LOAD | Effects::STORE;
    }
    if bits & flags::ATOMIC_RET != 0 {
        effects |= Effects::ATOMIC_RETURN;
    }
    effects
}

fn counters(
    target: &Target,
    mnemonic: &str,
    format: Format,
    bits: u64,
    effects: Effects,
) -> Effects {
    let mut counters = Effects::empty();
    if bits & flags::COUNTS_VM != 0 && effects.contains(Effects::VMEM) {
        // gfx10 split stores, and atomics that return nothing, from vmcnt.
        let returns = !effects.contains(Effects::STORE)
            || effects.contains(Effects::ATOMIC_RETURN)
            || effects.contains(Effects::LOAD) && !effects.contains(Effects::ATOMIC);
        let split = target.family >= Family::Gfx10;
        counters |= if split && !returns {
            Effects::COUNTS_VS
        } else {
            Effects::COUNTS_VM
        };
    }
    // Since gfx8 memory stores no longer hold expcnt, though LLVM's flag says so.
    if format == Format::Exp || mnemonic.starts_with("ds_gws_") || format == Format::LdsDirect {
        counters |= Effects::COUNTS_EXP;
    }
    counters
}
