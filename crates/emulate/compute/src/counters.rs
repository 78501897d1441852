//! Counters by the names that AMD's profilers give them, as far as they follow from what was executed.
//!
//! The definitions are those of AMD's lists for MI200 and MI300; where these leave something open, the definition here says what is
//! counted. Nothing here says how long anything takes: the emulated device has no clock of the hardware's, no caches and no queues.

use isa::{Effects, Op, Traits};

use crate::kind::Kind;

/// The event that a counter counts.
#[derive(Clone, Copy)]
pub enum Counts {
    /// Executed wave instructions of which this holds.
    Instructions(fn(&Kind) -> bool),
    /// Waves that were started with at least and at most so many lanes.
    Waves(u32, u32),
    /// Work-items.
    Items,
}

/// A counter that the emulated device has.
pub struct Counter {
    pub name: &'static str,
    pub definition: &'static str,
    pub counts: Counts,
}

/// Counters that it does not have: a beginning or a part of the name, and why.
pub struct Refusal {
    /// With `*` for any beginning or end.
    pub pattern: &'static str,
    pub reason: &'static str,
}

const MEMORY: Effects = Effects::VMEM.union(Effects::FLAT).union(Effects::SCRATCH);
const FLOW: Effects = Effects::BRANCH.union(Effects::CALL);

/// First letters of a name, and the end behind them, without `_e32` and the like.
fn named(op: Op, begins: &[&str], end: &str) -> bool {
    let name = op.first_name();
    let middle = name.strip_suffix(end);
    middle.is_some_and(|middle| begins.contains(&middle))
}

/// True if this holds of an instruction, or of a half of a dual one.
fn any(inst: &Kind, holds: impl Fn(Op) -> bool) -> bool {
    match inst.op.halves() {
        Some(halves) => halves.into_iter().any(holds),
        None => holds(inst.op),
    }
}

const ADDS: [&str; 5] = ["v_add", "v_sub", "v_subrev", "v_pk_add", "v_pk_sub"];
const MULTIPLIES: [&str; 4] = ["v_mul", "v_mul_legacy", "v_mul_dx9_zero", "v_pk_mul"];
#[rustfmt::skip]
const FUSED: [&str; 15] = [
    "v_fma", "v_fmac", "v_fmaak", "v_fmamk", "v_mad", "v_mac", "v_madak", "v_madmk", "v_pk_fma", "v_pk_fmac", "v_fma_legacy",
    "v_mad_legacy", "v_fmac_legacy", "v_fma_dx9_zero", "v_fmac_dx9_zero",
];
#[rustfmt::skip]
const TRANSCENDENTAL: [&str; 14] = [
    "v_rcp", "v_rcp_iflag", "v_rcp_legacy", "v_rcp_clamp", "v_rsq", "v_rsq_legacy", "v_rsq_clamp", "v_sqrt", "v_exp", "v_exp_legacy",
    "v_log", "v_log_legacy", "v_sin", "v_cos",
];

/// The instructions of a wave that do not compute, beside branches, waits, messages and its end.
#[rustfmt::skip]
const INTERNAL: [&str; 16] = [
    "s_nop", "s_sleep", "s_setprio", "s_sethalt", "s_setkill", "s_clause", "s_delay_alu", "s_barrier", "s_inst_prefetch", "s_set_inst",
    "s_icache", "s_ttrace", "s_wakeup", "s_incperf", "s_decperf", "s_code_end",
];

fn computes_scalars(inst: &Kind) -> bool {
    let others =
        FLOW | Effects::WAIT | Effects::BARRIER | Effects::SENDMSG | Effects::END | Effects::TRAP;
    let name = inst.op.name();
    inst.effects.contains(Effects::SALU)
        && !inst.effects.intersects(others)
        && !INTERNAL.iter().any(|begin| name.starts_with(begin))
}

fn is_matrix(inst: &Kind) -> bool {
    inst.op.product().is_some()
}

/// A matrix product whose factors are of this type: the last part of the name, but for what says how many blocks or which variant.
fn of_factors(inst: &Kind, factor: &str) -> bool {
    let name = inst.op.name();
    let name = name.strip_suffix("_1k").unwrap_or(name);
    is_matrix(inst) && name.ends_with(factor) && !(factor == "f16" && name.ends_with("bf16"))
}

fn accesses(inst: &Kind) -> bool {
    inst.effects.intersects(MEMORY) && !inst.op.has(Traits::NO_DATA)
}

/// Plain loads, and atomics that return a value.
fn reads(inst: &Kind) -> bool {
    accesses(inst)
        && match inst.effects.contains(Effects::ATOMIC) {
            true => inst.effects.contains(Effects::ATOMIC_RETURN),
            false => !inst.effects.contains(Effects::STORE),
        }
}

fn is_flat(inst: &Kind) -> bool {
    let by_address = inst.op.has(Traits::BY_ADDRESS) || inst.op.name().starts_with("scratch_");
    by_address && accesses(inst)
}

fn is_buffer(inst: &Kind) -> bool {
    inst.op.name().contains("buffer_") && inst.effects.contains(Effects::VMEM) && accesses(inst)
}

fn is_atomic(inst: &Kind) -> bool {
    inst.effects.contains(Effects::ATOMIC)
}

fn is_plain(inst: &Kind, effect: Effects) -> bool {
    !is_atomic(inst) && inst.effects.contains(effect)
}

macro_rules! row {
    ($name:literal, $counts:expr, $definition:literal) => {
        Counter {
            name: $name,
            definition: $definition,
            counts: $counts,
        }
    };
}
use Counts::{Instructions, Items, Waves};

/// Every counter that follows from what was executed.
#[rustfmt::skip]
pub const COUNTERS: &[Counter] = &[
    row!("SQ_WAVES", Waves(1, 64), "waves that were started"),
    row!("SQ_WAVES_EQ_64", Waves(64, 64), "waves that were started with 64 work-items"),
    row!("SQ_WAVES_LT_64", Waves(1, 63), "waves that were started with fewer than 64 work-items"),
    row!("SQ_WAVES_LT_48", Waves(1, 47), "waves that were started with fewer than 48 work-items"),
    row!("SQ_WAVES_LT_32", Waves(1, 31), "waves that were started with fewer than 32 work-items"),
    row!("SQ_WAVES_LT_16", Waves(1, 15), "waves that were started with fewer than 16 work-items"),
    row!("SQ_ITEMS", Items, "work-items that were started"),
    row!("SQ_INSTS", Instructions(|_| true), "instructions of all kinds, with waits, `s_nop` and `s_endpgm`"),
    row!("SQ_INSTS_VALU", Instructions(|i| i.effects.intersects(Effects::VALU | Effects::MATRIX)), "vector instructions, matrix products included; a dual one is one"),
    row!("SQ_INSTS_VALU_ADD_F16", Instructions(|i| any(i, |op| named(op, &ADDS, "_f16"))), "additions and subtractions of f16; a packed one is one"),
    row!("SQ_INSTS_VALU_MUL_F16", Instructions(|i| any(i, |op| named(op, &MULTIPLIES, "_f16"))), "multiplications of f16; a packed one is one"),
    row!("SQ_INSTS_VALU_FMA_F16", Instructions(|i| any(i, |op| named(op, &FUSED, "_f16"))), "multiplications with addition of f16 (FMA, MAD); mixed ones are not counted"),
    row!("SQ_INSTS_VALU_TRANS_F16", Instructions(|i| any(i, |op| named(op, &TRANSCENDENTAL, "_f16"))), "reciprocals, roots, exponentials, logarithms, sines and cosines of f16"),
    row!("SQ_INSTS_VALU_ADD_F32", Instructions(|i| any(i, |op| named(op, &ADDS, "_f32"))), "additions and subtractions of f32; a packed one is one"),
    row!("SQ_INSTS_VALU_MUL_F32", Instructions(|i| any(i, |op| named(op, &MULTIPLIES, "_f32"))), "multiplications of f32; a packed one is one"),
    row!("SQ_INSTS_VALU_FMA_F32", Instructions(|i| any(i, |op| named(op, &FUSED, "_f32"))), "multiplications with addition of f32 (FMA, MAD); mixed ones are not counted"),
    row!("SQ_INSTS_VALU_TRANS_F32", Instructions(|i| any(i, |op| named(op, &TRANSCENDENTAL, "_f32"))), "reciprocals, roots, exponentials, logarithms, sines and cosines of f32"),
    row!("SQ_INSTS_VALU_ADD_F64", Instructions(|i| any(i, |op| named(op, &ADDS, "_f64"))), "additions of f64"),
    row!("SQ_INSTS_VALU_MUL_F64", Instructions(|i| any(i, |op| named(op, &MULTIPLIES, "_f64"))), "multiplications of f64"),
    row!("SQ_INSTS_VALU_FMA_F64", Instructions(|i| any(i, |op| named(op, &FUSED, "_f64"))), "multiplications with addition of f64"),
    row!("SQ_INSTS_VALU_TRANS_F64", Instructions(|i| any(i, |op| named(op, &TRANSCENDENTAL, "_f64"))), "reciprocals and roots of f64"),
    row!("SQ_INSTS_VALU_CVT", Instructions(|i| i.op.first_name().starts_with("v_cvt_")), "conversions: `v_cvt_*`"),
    row!("SQ_INSTS_MFMA", Instructions(is_matrix), "matrix products; on gfx11 and gfx12 these are WMMA"),
    row!("SQ_INSTS_VALU_MFMA_I8", Instructions(|i| of_factors(i, "i8")), "matrix products of 8-bit integers"),
    row!("SQ_INSTS_VALU_MFMA_F16", Instructions(|i| of_factors(i, "f16")), "matrix products of f16"),
    row!("SQ_INSTS_VALU_MFMA_BF16", Instructions(|i| of_factors(i, "bf16")), "matrix products of bf16"),
    row!("SQ_INSTS_VALU_MFMA_F32", Instructions(|i| of_factors(i, "f32")), "matrix products of f32"),
    row!("SQ_INSTS_VALU_MFMA_F64", Instructions(|i| of_factors(i, "f64")), "matrix products of f64"),
    row!("SQ_INSTS_SALU", Instructions(computes_scalars), "scalar instructions that compute; no branches, calls, waits, messages, `s_nop` or `s_barrier`"),
    row!("SQ_INSTS_SMEM", Instructions(|i| i.effects.contains(Effects::SMEM)), "scalar memory instructions, with those of clocks and caches"),
    row!("SQ_INSTS_VMEM", Instructions(accesses), "vector memory instructions that access data: buffer, image, flat, global, scratch"),
    row!("SQ_INSTS_VMEM_RD", Instructions(reads), "those of SQ_INSTS_VMEM that return a value: loads, and atomics with a result"),
    row!("SQ_INSTS_VMEM_WR", Instructions(|i| accesses(i) && !reads(i)), "those of SQ_INSTS_VMEM that return none: stores, and atomics without a result"),
    row!("SQ_INSTS_FLAT", Instructions(|i| i.op.name().starts_with("flat_") && accesses(i)), "`flat_*`: accesses whose address decides whether they go to LDS, scratch or global memory"),
    row!("SQ_INSTS_LDS", Instructions(|i| i.effects.contains(Effects::LDS) && !i.effects.contains(Effects::FLAT)), "LDS instructions (`ds_*`), without `flat_*`; on MI200 the hardware adds those"),
    row!("SQ_INSTS_BRANCH", Instructions(|i| i.effects.intersects(FLOW)), "branches, taken or not, and calls"),
    row!("SQ_INSTS_SENDMSG", Instructions(|i| i.effects.intersects(Effects::SENDMSG | Effects::END)), "messages, and `s_endpgm`"),
    row!("TA_FLAT_WAVEFRONTS", Instructions(is_flat), "flat, global and scratch instructions that access data"),
    row!("TA_FLAT_READ_WAVEFRONTS", Instructions(|i| is_flat(i) && is_plain(i, Effects::LOAD)), "those of TA_FLAT_WAVEFRONTS that load"),
    row!("TA_FLAT_WRITE_WAVEFRONTS", Instructions(|i| is_flat(i) && is_plain(i, Effects::STORE)), "those of TA_FLAT_WAVEFRONTS that store"),
    row!("TA_FLAT_ATOMIC_WAVEFRONTS", Instructions(|i| is_flat(i) && is_atomic(i)), "those of TA_FLAT_WAVEFRONTS that are atomic"),
    row!("TA_BUFFER_WAVEFRONTS", Instructions(is_buffer), "buffer instructions that access data"),
    row!("TA_BUFFER_READ_WAVEFRONTS", Instructions(|i| is_buffer(i) && is_plain(i, Effects::LOAD)), "those of TA_BUFFER_WAVEFRONTS that load"),
    row!("TA_BUFFER_WRITE_WAVEFRONTS", Instructions(|i| is_buffer(i) && is_plain(i, Effects::STORE)), "those of TA_BUFFER_WAVEFRONTS that store"),
    row!("TA_BUFFER_ATOMIC_WAVEFRONTS", Instructions(|i| is_buffer(i) && is_atomic(i)), "those of TA_BUFFER_WAVEFRONTS that are atomic"),
];

/// Counters that exist in hardware and not here; the first pattern that fits says why.
#[rustfmt::skip]
pub const REFUSED: &[Refusal] = &[
    Refusal { pattern: "SQ_INSTS_VALU_INT*", reason: "AMD does not say which instructions it counts; `-t opcode-histogram --site kind=valu` counts by mnemonic" },
    Refusal { pattern: "SQ_INSTS_VALU_MFMA_MOPS*", reason: "it counts in units of the hardware's own; SQ_INSTS_VALU_MFMA_* count the instructions" },
    Refusal { pattern: "SQ_LDS_*", reason: "it counts cycles of the LDS; `-t lds-conflicts` counts the turns that the banks need for each access" },
    Refusal { pattern: "SQ_INST_LEVEL_*", reason: "it sums instructions in flight over cycles, and the emulated GPU has no cycles" },
    Refusal { pattern: "SQ_WAIT_*", reason: "it counts time that waves wait, and the emulated GPU has no cycles" },
    Refusal { pattern: "SQ_ACTIVE_INST_*", reason: "it counts cycles, and the emulated GPU has none" },
    Refusal { pattern: "SQ_INST_CYCLES_*", reason: "it counts cycles, and the emulated GPU has none" },
    Refusal { pattern: "SQ_*CYCLES*", reason: "it counts cycles, and the emulated GPU has none" },
    Refusal { pattern: "SQ_*LEVEL*", reason: "it sums over cycles, and the emulated GPU has none" },
    Refusal { pattern: "SQ_IFETCH*", reason: "it counts fetches of the instruction cache, which is not emulated" },
    Refusal { pattern: "SQC_*", reason: "it counts accesses of the scalar and instruction caches, which are not emulated" },
    Refusal { pattern: "TCP_*", reason: "it depends on the vector cache, which is not emulated; `-t mem-coalesce` counts the cache lines of each access" },
    Refusal { pattern: "TCC_*", reason: "it depends on the L2 cache, which is not emulated" },
    Refusal { pattern: "TCA_*", reason: "it depends on the L2 cache, which is not emulated" },
    Refusal { pattern: "TA_*", reason: "it counts cycles or requests of the texture addresser, whose timing is not emulated" },
    Refusal { pattern: "TD_*", reason: "it counts cycles or requests of the texture data unit, whose timing is not emulated" },
    Refusal { pattern: "SPI_*", reason: "it counts cycles or stalls of the workgroup manager, whose timing is not emulated" },
    Refusal { pattern: "GRBM_*", reason: "it counts cycles, and the emulated GPU has none" },
    Refusal { pattern: "CPC_*", reason: "it counts cycles of the command processor, and the emulated GPU has none" },
    Refusal { pattern: "CPF_*", reason: "it counts cycles of the command processor, and the emulated GPU has none" },
];

/// Returns `true` if a name is of a pattern with `*` for anything.
pub fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    pattern.ends_with('*') || rest.is_empty()
}

/// The counters that an instruction of this kind counts in: a bit for each of [`COUNTERS`].
pub(crate) fn of_kind(kind: &Kind) -> u64 {
    const { assert!(COUNTERS.len() <= 64) };
    let mut bits = 0;
    for (number, counter) in COUNTERS.iter().enumerate() {
        if let Instructions(holds) = counter.counts
            && holds(kind)
        {
            bits |= 1 << number;
        }
    }
    bits
}

/// Adds what instructions count that are in these counters.
pub(crate) fn add(sums: &mut [u64], mut bits: u64, waves: u64) {
    while bits != 0 {
        sums[bits.trailing_zeros() as usize] += waves;
        bits &= bits - 1;
    }
}

/// Adds `count` waves of so many lanes.
pub(crate) fn add_waves(sums: &mut [u64], lanes: u32, count: u64) {
    for (sum, counter) in sums.iter_mut().zip(COUNTERS) {
        match counter.counts {
            Waves(least, most) if (least..=most).contains(&lanes) => *sum += count,
            Items => *sum += u64::from(lanes) * count,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_counter_is_refused_before_it_is_looked_for_and_names_are_unique() {
        let mut names: Vec<_> = COUNTERS.iter().map(|counter| counter.name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    }

    /// The page has every counter with its definition, and every refusal with its reason.
    #[test]
    fn the_page_defines_each_counter() {
        let page = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../../docs/emulator/counters.md"
        );
        let page = std::fs::read_to_string(page).unwrap();
        let counters = COUNTERS.iter().map(|row| (row.name, row.definition));
        let refused = REFUSED.iter().map(|row| (row.pattern, row.reason));
        for (name, text) in counters.chain(refused) {
            let row = format!("| `{name}` | {text} |");
            assert!(page.contains(&row), "docs/emulator/counters.md lacks {row}");
        }
        for reason in crate::fidelity::REASONS {
            let text = reason.meaning;
            assert!(
                page.contains(text),
                "docs/emulator/counters.md lacks {text}"
            );
        }
    }

    #[test]
    fn patterns() {
        for (pattern, name, expected) in [
            ("SQ_*CYCLES*", "SQ_BUSY_CYCLES", true),
            ("SQ_*CYCLES*", "SQ_WAVE_CYCLES_X", true),
            ("SQ_*CYCLES*", "SQ_WAVES", false),
            ("GRBM_*", "GRBM_COUNT", true),
            ("GRBM_*", "XGRBM_COUNT", false),
            ("SQ_WAVES", "SQ_WAVES_X", false),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn factors_of_matrix_products() {
        let named = |name: &str, factor: &str| {
            let name = name.strip_suffix("_1k").unwrap_or(name);
            name.ends_with(factor) && !(factor == "f16" && name.ends_with("bf16"))
        };
        assert!(named("v_mfma_f32_32x32x8bf16_1k", "bf16"));
        assert!(!named("v_mfma_f32_32x32x8bf16_1k", "f16"));
        assert!(named("v_mfma_f32_32x32x8_f16", "f16"));
    }
}
